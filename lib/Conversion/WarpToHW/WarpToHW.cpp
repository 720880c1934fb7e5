//===- WarpToHW.cpp - see WarpToHW.h --------------------------------------------===//
//
// In order: place shared memory (SmemPlan), give groups their warps, count each ring's arrivals from its uses, then rewrite every group in place,
// op by op. Slot and parity of a use number are computed where the number is.
//
//===----------------------------------------------------------------------------===//
#include "SmemPlan.h"
#include "TmaBoxes.h"
#include "WgmmaWaits.h"
#include "heddle/Conversion/WarpToHW/AssignLayouts.h"
#include "heddle/Dialect/HW/Layout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace heddle;

namespace {

/// What one group does with one ring.
struct RingUse {
  bool copies = false, puts = false, publishes = false, consumes = false;
};

class Lowering {
public:
  Lowering(warp::KernelOp kernel, const WarpToHWOptions &options) : source(kernel), options(options) {}
  FailureOr<hw::KernelOp> run();

private:
  LogicalResult assignWarps();
  LogicalResult createBarriers(OpBuilder &builder);
  LogicalResult lowerBlock(Block &block);
  LogicalResult lowerOp(Operation *op);
  LogicalResult lowerCopy(warp::CopyOp op, OpBuilder &builder);
  LogicalResult lowerCopyOut(warp::CopyOutOp op, OpBuilder &builder);
  LogicalResult lowerDot(warp::DotOp op, OpBuilder &builder);
  LogicalResult lowerAcquire(warp::AcquireOp op, OpBuilder &builder);

  Value tensorMap(Value view, const TmaCopy &copy, int64_t swizzle, Location loc);
  SmallVector<Value> boxCoords(OperandRange indices, const TmaCopy &copy, const TmaBox &box, OpBuilder &builder, Location loc);
  Value fieldTile(Value aref, Value use, int64_t field, OpBuilder &builder, Location loc);
  Value constant(int64_t value);
  Value addConstant(Value value, int64_t offset, OpBuilder &builder, Location loc);
  Value slotOf(Value use, int64_t depth);
  Value parityOf(Value use, int64_t depth);
  OpBuilder atDefinition(Value value);

  struct Warps {
    int64_t warpgroup, warp;
  };
  struct Barriers {
    Value full, empty;
  };

  warp::KernelOp source;
  const WarpToHWOptions &options;
  SmemPlan plan;
  DenseMap<Operation *, Warps> warpsOf;
  DenseMap<std::pair<Operation *, Value>, RingUse> useOf; // group, ring
  DenseMap<Value, Barriers> barriersOf;
  DenseMap<Value, std::string> ringName;
  int64_t warpgroups = 0;
  // Of the kernel under construction.
  hw::KernelOp kernel;
  Operation *firstRole = nullptr;
  llvm::MapVector<Value, SmallVector<hw::TensorMapOp>> maps;
  // Of the role under construction.
  hw::RoleOp role;
  DenseMap<Operation *, Operation *> groupOfRole;
  DenseMap<int64_t, Value> constants;
  DenseMap<std::pair<Value, int64_t>, Value> slots, parities;
  bool hasCopyOut = false, drained = false;
  bool readsTiles = false; ///< with ordinary loads: all lanes must be done before one of them arrives
};

/// Schedule annotations (heddle.cycle, heddle.stage, heddle.node) travel to every op that an op becomes.
void copyNotes(Operation *from, Operation *to) {
  for (NamedAttribute attr : from->getDiscardableAttrs())
    if (attr.getName().getValue().starts_with("heddle."))
      to->setDiscardableAttr(attr.getName(), attr.getValue());
}

/// What the printed variable is called.
void name(Value value, StringRef text) {
  value.getDefiningOp()->setDiscardableAttr("heddle.name", StringAttr::get(value.getContext(), text));
}

class NoteListener : public OpBuilder::Listener {
public:
  explicit NoteListener(Operation *from) : from(from) {}
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override { copyNotes(from, op); }

private:
  Operation *from;
};

//===----------------------------------------------------------------------===//
// Warps, registers, barriers
//===----------------------------------------------------------------------===//

LogicalResult Lowering::assignWarps() {
  // Single-thread groups share warp groups, four to one; they come first.
  int64_t singles = 0;
  for (auto group : source.getBody().getOps<warp::GroupOp>())
    if (group.getWarps() == 1) {
      warpsOf[group] = {singles / 4, singles % 4};
      ++singles;
    }
  warpgroups = llvm::divideCeil(singles, 4);
  for (auto group : source.getBody().getOps<warp::GroupOp>())
    if (group.getWarps() == 4)
      warpsOf[group] = {warpgroups++, 0};
  if (warpgroups > 8)
    return source.emitError("infeasible: threads: needs ") << warpgroups * 128 << ", limit 1024, over by " << warpgroups * 128 - 1024;

  SmallVector<int64_t> regs(warpgroups, 24);
  for (auto group : source.getBody().getOps<warp::GroupOp>())
    regs[warpsOf[group].warpgroup] = std::max<int64_t>(regs[warpsOf[group].warpgroup], group.getRegs());
  int64_t asked = 0;
  for (int64_t r : regs)
    asked += 128 * r;
  // What the launch gives: the register file in equal parts, in units of 8 per thread.
  int64_t limit = options.registerFile / (128 * warpgroups) / 8 * 8 * 128 * warpgroups;
  if (asked > limit)
    return source.emitError("infeasible: registers: the groups ask for ")
           << asked << ", limit " << limit << " for " << warpgroups * 128 << " threads, over by " << asked - limit;

  for (auto group : source.getBody().getOps<warp::GroupOp>()) {
    group.walk([&](Operation *op) {
      if (auto copy = dyn_cast<warp::CopyOp>(op))
        useOf[{group, copy.getAref()}].copies = true;
      else if (auto put = dyn_cast<warp::PutOp>(op))
        useOf[{group, put.getAref()}].puts = true;
      else if (auto publish = dyn_cast<warp::PublishOp>(op))
        useOf[{group, publish.getAref()}].publishes = true;
      else if (auto consumed = dyn_cast<warp::ConsumedOp>(op))
        useOf[{group, consumed.getAref()}].consumes = true;
    });
  }
  return success();
}

/// Arrivals per phase, from who publishes and who consumes.
LogicalResult Lowering::createBarriers(OpBuilder &builder) {
  for (auto aref : source.getBody().getOps<warp::ArefOp>()) {
    int64_t full = 0, empty = 0;
    for (auto group : source.getBody().getOps<warp::GroupOp>()) {
      RingUse use = useOf.lookup({group, aref.getResult()});
      if ((use.copies || use.puts) && !use.publishes)
        return aref.emitError("expected group '") << group.getSymName() << "' to publish ring '" << aref.getName() << "' that it fills";
      if (use.publishes)
        full += (use.copies ? 1 : 0) + (use.puts || !use.copies ? group.getWarps() : 0);
      if (use.consumes)
        empty += group.getWarps();
    }
    if (!full)
      return aref.emitError("expected a group that publishes ring '") << aref.getName() << "', got none";
    if (!empty)
      return aref.emitError("expected a group that consumes ring '") << aref.getName() << "', got none";
    int64_t depth = aref.getType().getDepth();
    auto type = hw::BarsType::get(builder.getContext(), depth);
    const RingPlan &ring = plan.rings[aref.getResult()];
    std::string name = aref.getName().str();
    ringName[aref.getResult()] = name;
    barriersOf[aref.getResult()] = {
        hw::MBarriersOp::create(builder, aref.getLoc(), type, name + ".full", ring.full, full),
        hw::MBarriersOp::create(builder, aref.getLoc(), type, name + ".empty", ring.empty, empty)};
  }
  return success();
}

FailureOr<hw::KernelOp> Lowering::run() {
  FailureOr<SmemPlan> planned = planSharedMemory(source, options);
  if (failed(planned) || failed(assignWarps()))
    return failure();
  plan = std::move(*planned);

  OpBuilder builder(source);
  kernel = hw::KernelOp::create(builder, source.getLoc(), source.getSymName(), source.getFunctionType(), warpgroups * 128,
                                plan.bytes, source.getArgAttrsAttr(), source.getResAttrsAttr());
  copyNotes(source, kernel);
  for (auto group : source.getBody().getOps<warp::GroupOp>()) {
    firstRole = group;
    break;
  }
  builder.setInsertionPoint(firstRole);
  if (failed(createBarriers(builder))) {
    kernel.erase();
    return failure();
  }
  kernel.getBody().takeBody(source.getBody());

  SmallVector<Operation *> dead;
  SmallVector<warp::GroupOp> groups(kernel.getBody().getOps<warp::GroupOp>());
  int64_t barrier = 1;
  LogicalResult result = success();
  for (warp::GroupOp group : groups) {
    builder.setInsertionPoint(group);
    Warps warps = warpsOf[group];
    int64_t regs = group.getRegs();
    for (warp::GroupOp other : groups) // one budget per warp group
      if (warpsOf[other].warpgroup == warps.warpgroup)
        regs = std::max<int64_t>(regs, other.getRegs());
    int64_t named = group.getWarps() == 1 ? 0 : barrier++;
    role = hw::RoleOp::create(builder, group.getLoc(), group.getSymName(), warps.warpgroup, warps.warp, regs, named,
                              group.getWarps() == 1, plan.exchanges.lookup(group));
    copyNotes(group, role);
    role.getBody().takeBody(group.getBody());
    groupOfRole[role] = group;
    constants.clear();
    slots.clear();
    parities.clear();
    hasCopyOut = drained = readsTiles = false;
    role.walk([&](warp::ReadOp) { readsTiles = true; });
    for (auto scratch : kernel.getBody().getOps<warp::ScratchOp>()) {
      auto inRole = [&](OpOperand &use) { return role->isProperAncestor(use.getOwner()); };
      if (llvm::none_of(scratch.getResult().getUses(), inRole))
        continue;
      OpBuilder atStart = OpBuilder::atBlockBegin(&role.getBody().front());
      const SmemField &place = plan.scratches[scratch.getResult()];
      Value tile = hw::SmemOp::create(atStart, scratch.getLoc(), place.type, scratch.getName(), place.offset, Value());
      scratch.getResult().replaceUsesWithIf(tile, inRole);
    }
    if (failed(lowerBlock(role.getBody().front()))) {
      result = failure();
      break;
    }
    adaptWgmmaWaits(role);
    // A CTA must not end while the TMA unit still reads its shared memory.
    if (hasCopyOut && !drained) {
      OpBuilder end = OpBuilder::atBlockEnd(&role.getBody().front());
      hw::TmaWaitOp::create(end, role.getLoc(), 0);
    }
  }
  if (failed(result)) {
    // Leave a consistent module: the groups not reached refer to values of this body.
    kernel.erase();
    source.erase();
    return failure();
  }
  for (warp::GroupOp group : groups)
    group.erase();
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    if (isa<warp::ArefOp, warp::ScratchOp>(op)) {
      op.dropAllUses();
      op.erase();
    } else if (isa<warp::ReturnOp>(op)) {
      builder.setInsertionPoint(&op);
      hw::ReturnOp::create(builder, op.getLoc());
      op.erase();
    }
  }
  source.erase();
  return kernel;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

OpBuilder Lowering::atDefinition(Value value) {
  if (Operation *def = value.getDefiningOp()) {
    OpBuilder builder(def->getContext());
    builder.setInsertionPointAfter(def);
    return builder;
  }
  return OpBuilder::atBlockBegin(value.getParentBlock());
}

Value Lowering::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    known = arith::ConstantIndexOp::create(builder, role.getLoc(), value);
  }
  return known;
}

Value Lowering::addConstant(Value value, int64_t offset, OpBuilder &builder, Location loc) {
  if (!offset)
    return value;
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return constant(known.getSExtValue() + offset);
  return arith::AddIOp::create(builder, loc, value, constant(offset));
}

Value Lowering::slotOf(Value use, int64_t depth) {
  APInt known;
  if (depth == 1)
    return constant(0);
  if (matchPattern(use, m_ConstantInt(&known)))
    return constant(known.getSExtValue() % depth);
  Value &slot = slots[{use, depth}];
  if (!slot) {
    Value divisor = constant(depth);
    OpBuilder builder = atDefinition(use);
    slot = arith::RemUIOp::create(builder, use.getLoc(), use, divisor);
    name(slot, "slot");
  }
  return slot;
}

Value Lowering::parityOf(Value use, int64_t depth) {
  APInt known;
  if (matchPattern(use, m_ConstantInt(&known)))
    return constant(known.getSExtValue() / depth & 1);
  Value &parity = parities[{use, depth}];
  if (!parity) {
    Value divisor = constant(depth), one = constant(1);
    OpBuilder builder = atDefinition(use);
    Value turn = depth == 1 ? use : arith::DivUIOp::create(builder, use.getLoc(), use, divisor);
    parity = arith::AndIOp::create(builder, use.getLoc(), turn, one);
    name(parity, "parity");
    if (turn != use)
      name(turn, "turn");
  }
  return parity;
}

Value Lowering::fieldTile(Value aref, Value use, int64_t field, OpBuilder &builder, Location loc) {
  int64_t depth = cast<warp::ArefType>(aref.getType()).getDepth();
  const SmemField &place = plan.rings[aref].fields[field];
  std::string name = ringName[aref];
  if (plan.rings[aref].fields.size() > 1)
    name += std::to_string(field);
  Value slot = depth == 1 ? Value() : slotOf(use, depth);
  return hw::SmemOp::create(builder, loc, place.type, name, place.offset, slot, slot ? place.slotStride : 0, slot ? depth : 1);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Value Lowering::tensorMap(Value view, const TmaCopy &copy, int64_t swizzle, Location loc) {
  auto &known = maps[view];
  for (hw::TensorMapOp map : known)
    if (map.getBox() == ArrayRef<int64_t>(copy.box) && static_cast<int64_t>(map.getSwizzle()) == swizzle &&
        static_cast<int64_t>(map.getSplit()) == copy.split)
      return map;
  auto arg = cast<BlockArgument>(view);
  std::string name = "arg" + std::to_string(arg.getArgNumber());
  if (auto attr = kernel.getArgAttrOfType<StringAttr>(arg.getArgNumber(), "tile.name"))
    name = attr.str();
  if (!known.empty())
    name += "_" + std::to_string(known.size());
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPoint(&*llvm::find_if(kernel.getBody().front(), [](Operation &op) { return isa<hw::MBarriersOp, hw::RoleOp>(op); }));
  auto map = hw::TensorMapOp::create(builder, loc, hw::MapType::get(builder.getContext()), name, view, copy.box, swizzle, copy.split);
  known.push_back(map);
  return map;
}

SmallVector<Value> Lowering::boxCoords(OperandRange indices, const TmaCopy &copy, const TmaBox &box, OpBuilder &builder, Location loc) {
  SmallVector<Value> coords;
  for (int64_t dim = indices.size() - 1; dim >= 0; --dim) {
    int64_t offset = dim == copy.colDim ? box.colOffset : dim == copy.rowDim ? box.rowOffset : 0;
    coords.push_back(addConstant(indices[dim], offset, builder, loc));
  }
  if (copy.split) { // the innermost coordinate is a constant, see planTmaCopy
    APInt inner;
    matchPattern(coords[0], m_ConstantInt(&inner));
    coords[0] = constant(0);
    coords.push_back(constant(inner.getSExtValue() / copy.split));
  }
  return coords;
}

static std::optional<int64_t> knownIndex(Value value) {
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return known.getSExtValue();
  return std::nullopt;
}

LogicalResult Lowering::lowerCopy(warp::CopyOp op, OpBuilder &builder) {
  Value aref = op.getAref(), use = op.getUse();
  const SmemField &place = plan.rings[aref].fields[op.getField()];
  FailureOr<TmaCopy> copy =
      planTmaCopy(op, place.type, op.getView().getType(), op.getDims(), knownIndex(op.getIndices().back()));
  if (failed(copy))
    return failure();
  Value map = tensorMap(op.getView(), *copy, place.type.getSwizzle(), op.getLoc());
  Value tile = fieldTile(aref, use, op.getField(), builder, op.getLoc());
  Value slot = slotOf(use, cast<warp::ArefType>(aref.getType()).getDepth());
  SmallVector<SmallVector<Value>> coords; // all before the first copy, so that the copies stand together
  for (const TmaBox &box : copy->boxes)
    coords.push_back(boxCoords(op.getIndices(), *copy, box, builder, op.getLoc()));
  for (auto [box, at] : llvm::zip(copy->boxes, coords))
    hw::TmaLoadOp::create(builder, op.getLoc(), map, at, tile, box.byteOffset, barriersOf[aref].full, slot);
  return success();
}

LogicalResult Lowering::lowerCopyOut(warp::CopyOutOp op, OpBuilder &builder) {
  Value source = op->getOperand(0);
  auto tile = cast<hw::TileType>(source.getType());
  FailureOr<TmaCopy> copy = planTmaCopy(op, tile, op.getView().getType(), op.getDims(), knownIndex(op.getIndices().back()));
  if (failed(copy))
    return failure();
  Value map = tensorMap(op.getView(), *copy, tile.getSwizzle(), op.getLoc());
  SmallVector<SmallVector<Value>> coords; // all before the first copy, so that the copies stand together
  for (const TmaBox &box : copy->boxes)
    coords.push_back(boxCoords(op.getIndices(), *copy, box, builder, op.getLoc()));
  for (auto [box, at] : llvm::zip(copy->boxes, coords))
    hw::TmaStoreOp::create(builder, op.getLoc(), source, box.byteOffset, map, at, op.getKind() == "add");
  hw::TmaCommitOp::create(builder, op.getLoc());
  hasCopyOut = true;
  drained = false;
  return success();
}

//===----------------------------------------------------------------------===//
// Rings and dots
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerAcquire(warp::AcquireOp op, OpBuilder &builder) {
  Value aref = op.getAref(), use = op.getUse();
  int64_t depth = cast<warp::ArefType>(aref.getType()).getDepth();
  // A fresh slot counts as consumed: the producer waits for the other parity.
  Value parity = parityOf(use, depth), opposite;
  if (std::optional<int64_t> known = knownIndex(parity))
    opposite = constant(1 - *known);
  else
    name(opposite = arith::XOrIOp::create(builder, op.getLoc(), parity, constant(1)), "freeParity");
  Value slot = slotOf(use, depth);
  hw::WaitOp::create(builder, op.getLoc(), barriersOf[aref].empty, slot, opposite);

  // The bytes of this use's copies must be expected before the first of them is issued.
  if (!useOf.lookup({groupOfRole[role], aref}).copies)
    return success();
  SmallVector<warp::CopyOp> copies;
  warp::PublishOp publish;
  for (Operation *next = op->getNextNode(); next && !publish; next = next->getNextNode()) {
    if (auto copy = dyn_cast<warp::CopyOp>(next); copy && copy.getAref() == aref && copy.getUse() == use)
      copies.push_back(copy);
    else if (auto end = dyn_cast<warp::PublishOp>(next); end && end.getAref() == aref && end.getUse() == use)
      publish = end;
  }
  if (!publish || copies.empty())
    return op.emitOpError("expected the copies and the publish of this use after it in the same block");
  int64_t bytes = 0;
  for (warp::CopyOp copy : copies)
    bytes += plan.rings[aref].fields[copy.getField()].type.getStorageBytes();
  hw::ExpectTxOp::create(builder, op.getLoc(), barriersOf[aref].full, slot, bytes);
  return success();
}

LogicalResult Lowering::lowerDot(warp::DotOp op, OpBuilder &builder) {
  Value a = op->getOperand(0), b = op->getOperand(1), acc = op.getAcc();
  auto bType = cast<hw::TileType>(b.getType());
  Type element = bType.getElementType();
  int64_t n = bType.getShape()[1], width = std::min<int64_t>(n, 256) / 8 * 8;
  while (width > 8 && n % width)
    width -= 8;
  if (width < 8 || n % width)
    return op.emitOpError("expected a width that is a multiple of 8, got ") << n;

  // Descriptors: whole 8-row groups, at most one chunk wide or starting at a chunk.
  for (Value operand : {a, b}) {
    auto tile = dyn_cast<hw::TileType>(operand.getType());
    if (!tile)
      continue;
    if (!tile.getSwizzle())
      return op.emitOpError("expected operand rows of a multiple of 32 bytes, got ") << tile;
    int64_t columns = tile.getShape()[tile.getTransposed() ? 0 : 1], inChunk = tile.getColOffset() % tile.getChunkCols();
    if (tile.getRowOffset() % 8 || (inChunk && inChunk + columns > tile.getChunkCols()) || inChunk * tile.getElementBytes() % 32)
      return op.emitOpError("expected a slice of whole 8-row groups that starts at a chunk of columns, got ") << tile;
    bool kMajor = (operand == b) == tile.getTransposed();
    if (!kMajor && element.getIntOrFloatBitWidth() != 16)
      return op.emitOpError("expected 8-bit and 32-bit operands to be contiguous along the contraction, got ") << tile;
    if (!kMajor && operand == a && tile.getChunkCols() < 64)
      return op.emitOpError("expected transposed A storage with rows of a multiple of 128 bytes, got ") << tile;
  }

  SmallVector<Value> pinned;
  if (acc)
    pinned.push_back(acc);
  if (isa<RankedTensorType>(a.getType()))
    pinned.push_back(a);
  hw::WgmmaFenceOp::create(builder, op.getLoc(), pinned);
  auto mma = hw::WgmmaOp::create(builder, op.getLoc(), op.getResult().getType(), a, b, acc, width);
  hw::WgmmaCommitOp::create(builder, op.getLoc());
  op.getResult().replaceAllUsesWith(mma.getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// Walk
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerOp(Operation *op) {
  NoteListener listener(op);
  OpBuilder builder(op->getContext(), &listener);
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  auto depthOf = [](Value aref) { return cast<warp::ArefType>(aref.getType()).getDepth(); };
  LogicalResult result = success();

  // Operands that were !warp.smem are !hw.tile by now: no typed accessors for them.
  if (auto acquire = dyn_cast<warp::AcquireOp>(op)) {
    result = lowerAcquire(acquire, builder);
  } else if (auto copy = dyn_cast<warp::CopyOp>(op)) {
    result = lowerCopy(copy, builder);
  } else if (auto put = dyn_cast<warp::PutOp>(op)) {
    hw::WriteOp::create(builder, loc, put.getValue(), fieldTile(put.getAref(), put.getUse(), put.getField(), builder, loc));
  } else if (auto publish = dyn_cast<warp::PublishOp>(op)) {
    Value aref = publish.getAref();
    RingUse use = useOf.lookup({groupOfRole[role], aref});
    if (use.puts || !use.copies)
      hw::ArriveOp::create(builder, loc, barriersOf[aref].full, slotOf(publish.getUse(), depthOf(aref)),
                           /*sync=*/use.puts || readsTiles);
  } else if (auto get = dyn_cast<warp::GetOp>(op)) {
    Value aref = get.getAref(), use = get.getUse();
    Value slot = slotOf(use, depthOf(aref)), parity = parityOf(use, depthOf(aref));
    hw::WaitOp::create(builder, loc, barriersOf[aref].full, slot, parity);
    for (auto [field, tile] : llvm::enumerate(get.getTiles()))
      if (!tile.use_empty())
        tile.replaceAllUsesWith(fieldTile(aref, use, field, builder, loc));
  } else if (auto consumed = dyn_cast<warp::ConsumedOp>(op)) {
    Value aref = consumed.getAref();
    hw::ArriveOp::create(builder, loc, barriersOf[aref].empty, slotOf(consumed.getUse(), depthOf(aref)), /*sync=*/readsTiles);
  } else if (auto slice = dyn_cast<warp::SliceOp>(op)) {
    auto from = cast<hw::TileType>(op->getOperand(0).getType());
    ArrayRef<int64_t> offsets = slice.getOffsets();
    int64_t row = offsets.size() == 1 ? 0 : offsets[from.getTransposed() ? 1 : 0];
    int64_t col = offsets[offsets.size() == 1 || from.getTransposed() ? 0 : 1];
    auto type = hw::TileType::get(op->getContext(), cast<warp::SmemType>(slice->getResult(0).getType()).getShape(),
                                  from.getElementType(), from.getRows(), from.getCols(), from.getSwizzle(),
                                  from.getRowOffset() + row, from.getColOffset() + col, from.getTransposed());
    slice->getResult(0).replaceAllUsesWith(hw::ViewOp::create(builder, loc, type, op->getOperand(0)).getResult());
  } else if (isa<warp::TransposeOp>(op)) {
    auto from = cast<hw::TileType>(op->getOperand(0).getType());
    auto type = hw::TileType::get(op->getContext(), {from.getShape()[1], from.getShape()[0]}, from.getElementType(), from.getRows(),
                                  from.getCols(), from.getSwizzle(), from.getRowOffset(), from.getColOffset(), !from.getTransposed());
    op->getResult(0).replaceAllUsesWith(hw::ViewOp::create(builder, loc, type, op->getOperand(0)).getResult());
  } else if (isa<warp::ReadOp>(op)) {
    op->getResult(0).replaceAllUsesWith(
        hw::ReadOp::create(builder, loc, cast<RankedTensorType>(op->getResult(0).getType()), op->getOperand(0)).getResult());
  } else if (isa<warp::WriteOp>(op)) {
    hw::WriteOp::create(builder, loc, op->getOperand(0), op->getOperand(1));
  } else if (isa<warp::FenceOp>(op)) {
    hw::FenceProxyOp::create(builder, loc);
  } else if (isa<warp::BarrierOp>(op)) {
    if (!role.getSingle())
      hw::BarrierOp::create(builder, loc);
  } else if (auto copyOut = dyn_cast<warp::CopyOutOp>(op)) {
    result = lowerCopyOut(copyOut, builder);
  } else if (auto wait = dyn_cast<warp::CopyOutWaitOp>(op)) {
    hw::TmaWaitOp::create(builder, loc, wait.getPending());
    if (op->getBlock() == &role.getBody().front() && wait.getPending() == 0)
      drained = true;
  } else if (auto dot = dyn_cast<warp::DotOp>(op)) {
    result = lowerDot(dot, builder);
  } else if (auto dotWait = dyn_cast<warp::DotWaitOp>(op)) {
    auto wgmmaWait = hw::WgmmaWaitOp::create(builder, loc, dotWait.getResultTypes(), dotWait.getValues(), dotWait.getPending());
    dotWait->replaceAllUsesWith(wgmmaWait.getResults());
  } else if (isa<warp::ReturnOp>(op)) {
    // Ends a group: nothing to print.
  } else {
    return op->emitOpError("internal error: no lowering to hw");
  }
  if (succeeded(result))
    op->erase();
  return result;
}

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<warp::WarpDialect>(op.getDialect())) {
      if (failed(lowerOp(&op)))
        return failure();
      continue;
    }
    // Tiles may travel around a loop.
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, arg, res] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults()))
        if (isa<hw::TileType>(init.getType())) {
          arg.setType(init.getType());
          res.setType(init.getType());
        }
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(lowerBlock(inner)))
          return failure();
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults())
      for (auto [res, operand] : llvm::zip(branch.getResults(), branch.thenYield().getOperands()))
        if (isa<hw::TileType>(operand.getType()))
          res.setType(operand.getType());
  }
  return success();
}

} // namespace

FailureOr<hw::KernelOp> heddle::lowerWarpToHW(warp::KernelOp kernel, const WarpToHWOptions &options) {
  WalkResult walk = kernel.walk([](Operation *op) {
    bool bare = op->getParentOfType<warp::GroupOp>() && llvm::any_of(op->getResultTypes(), [](Type type) {
                  return isa<RankedTensorType>(type) && !hw::hasLayout(type);
                });
    return bare ? WalkResult::interrupt() : WalkResult::advance();
  });
  kernel.getContext()->loadDialect<hw::HWDialect>();
  if (walk.wasInterrupted() && failed(assignLayouts(kernel)))
    return failure();
  FailureOr<hw::KernelOp> lowered = Lowering(kernel, options).run();
  if (failed(lowered) || failed(verifyHW(*lowered)))
    return failure();
  return lowered;
}
