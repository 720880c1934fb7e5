//===- AssignLayouts.cpp - layouts by propagation from the tensor core ----------===//
//
// In:  a warp.kernel whose register tiles have no encoding. Out: the same kernel, every
// register tile in a group with an #hw.layout, hw.convert_layout where layouts meet. Runs
// after scheduling (it must see the final order: conversions go right before their use, or behind what rounds) and
// before the lowering to hw.
//
// 1. Values that are cheap to recompute are cloned per use (CheapClones.h).
// 2. Anchors: results of warp.dot (accumulator fragment), then its register operand A, then reads of what other groups
//    put. From each, layouts flow through the program (LayoutPropagation.h). They do not pass operations that round to
//    elements of a left operand whose fragment is another one than the accumulator's (findTurning).
//    Then loads and stores, the widest first: coalesced (anchorAccesses).
// 3. Tiles that no anchor reaches: if one side of a reduction or broadcast is known, a
//    fragment that slices to it; else a blocked layout, of which every part is a window where a
//    tile is taken apart (stores of wide rows), and tiles of the highest rank first.
// 4. Types are set; an operand whose layout is not what its op needs is converted (ConvertOperands.h).
// 5. Clones that ended with equal layouts are merged again.
//
// For 16-bit types the operand fragment equals the accumulator fragment, so an accumulator
// that becomes the operand of the next dot needs no conversion, by construction.
//
//===----------------------------------------------------------------------------===//
#include "heddle/Conversion/WarpToHW/AssignLayouts.h"

#include "CheapClones.h"
#include "ConvertOperands.h"
#include "LayoutPropagation.h"
#include "LayoutRules.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/TargetInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace heddle;

namespace {

RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

class Assignment {
public:
  explicit Assignment(warp::GroupOp group) : group(group), target(targetOf(group)) {}
  LogicalResult run();

private:
  LogicalResult check();
  void anchor();
  void findTurning(warp::DotOp dot);
  void anchorAccesses();
  void guess();
  bool guessFromNeighbour(Value value);
  ArrayRef<int64_t> smallestPart(ArrayRef<int64_t> shape);
  void setTypes();
  void assign(Value value, const LinearLayout &layout) { layouts.assign(value, layout); }
  void propagate() { layouts.propagate(); }

  warp::GroupOp group;
  const TargetInterface &target;
  SmallVector<Value> tiles; // all register tiles in program order
  LayoutPropagation layouts;
};

LogicalResult Assignment::run() {
  if (failed(check()))
    return failure();
  CheapClones clones(group);
  auto collect = [&](Value v) {
    if (tileType(v))
      tiles.push_back(v);
  };
  group.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), collect);
    llvm::for_each(op->getResults(), collect);
  });
  anchor();
  guess();
  setTypes();
  convertOperands(group);
  clones.merge();
  return success();
}

/// The element of a tile of one, which all threads have.
static bool isOnlyElement(Operation *op) {
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  return extract && extract.getTensor().getType().getNumElements() == 1;
}

LogicalResult Assignment::check() {
  WalkResult result = group.walk([&](Operation *op) -> WalkResult {
    auto isTile = [](Type t) { return isa<RankedTensorType>(t); };
    if (llvm::none_of(op->getOperandTypes(), isTile) && llvm::none_of(op->getResultTypes(), isTile))
      return WalkResult::advance();
    if (group.getWarps() == 1)
      return op->emitOpError("expected register tiles in groups of at least 4 warps, got a group of 1");
    if (group.getWarps() != warpsPerGroup && isa<warp::DotOp>(op))
      return op->emitOpError("expected dots in groups of 4 warps only, got a group of ") << group.getWarps();
    if (!keepsLayout(op) && !Rearrangement::of(op) &&
        !isa<arith::ConstantOp, tensor::SplatOp, tile::IotaOp, tile::ReduceOp, tile::LoadOp, tile::GatherOp,
             tile::StoreOp, tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, warp::CopyOp, warp::ReadOp, warp::WriteOp, warp::PutOp, warp::DotOp,
             warp::DotWaitOp>(op) &&
        !isControlFlow(op) && !isOnlyElement(op))
      return op->emitOpError("expected an op that register layouts are defined for");
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type)) {
        if (tile.getEncoding())
          return op->emitOpError("expected tiles without encoding, got ") << tile;
        for (int64_t size : tile.getShape())
          if (size < 1 || size > LinearLayout::kMaxSize || tile.getRank() > LinearLayout::kMaxRank)
            return op->emitOpError("expected a tile of rank at most 4 and sizes from 1 to 32768, got ")
                   << tile << " (a loop over parts of it has smaller ones)";
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Where the elements of a left operand are rounded an iteration before the dot, lanes exchange them as
/// soon as they are: the exchange is then no part of what the dot waits for, and loops carry what dots take.
void Assignment::findTurning(warp::DotOp dot) {
  RankedTensorType type = tileType(dot.getA());
  // (In the dot's own iteration the exchange would delay products that are issued in between.)
  if (!type || !variableOf(dot.getA()) || target.leftOperand(type) == target.accumulator(type.getShape()))
    return;
  SmallVector<Value> sources{dot.getA()};
  SmallVector<Operation *> found;
  DenseSet<Value> seen;
  while (!sources.empty()) {
    Value source = sources.pop_back_val();
    if (!seen.insert(source).second)
      continue;
    if (std::optional<VariableRef> variable = variableOf(source)) {
      PassedVariable passed = passedVariables(variable->op)[variable->number];
      for (OpOperand *given : passed.given)
        sources.push_back(given->get());
      continue;
    }
    Operation *op = source.getDefiningOp();
    RankedTensorType from = op->getNumOperands() == 1 ? tileType(op->getOperand(0)) : RankedTensorType();
    if (!from || !keepsLayout(op) || elementBytes(from.getElementType()) <= elementBytes(type.getElementType()))
      return;
    found.push_back(op);
  }
  layouts.turning.insert(found.begin(), found.end());
}

void Assignment::anchor() {
  SmallVector<warp::DotOp> dots;
  group.walk<WalkOrder::PreOrder>([&](warp::DotOp dot) { dots.push_back(dot); });
  llvm::for_each(dots, [&](warp::DotOp dot) { findTurning(dot); });
  for (warp::DotOp dot : dots) {
    assign(dot.getResult(), target.accumulator(dot.getResult().getType().getShape()));
    if (dot.getAcc())
      assign(dot.getAcc(), target.accumulator(dot.getResult().getType().getShape()));
  }
  propagate();
  for (warp::DotOp dot : dots)
    if (auto a = tileType(dot.getA()))
      assign(dot.getA(), target.leftOperand(a));
  propagate();
  // What another group put is most likely on its way from one dot to another, or to a store: like an accumulator.
  group.walk<WalkOrder::PreOrder>([&](warp::ReadOp read) {
    RankedTensorType tile = read.getResult().getType();
    auto get = read.getSource().getDefiningOp<warp::GetOp>();
    bool put = get && llvm::any_of(get.getAref().getUsers(), [](Operation *user) { return isa<warp::PutOp>(user); });
    if (put && target.hasFragment(tile.getShape()))
      assign(read.getResult(), target.accumulator(tile.getShape()));
  });
  propagate();
  anchorAccesses();
}

/// The smallest part that is taken of a tile of this shape or put into one; empty: none. A layout for it serves all.
ArrayRef<int64_t> Assignment::smallestPart(ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> smallest;
  group.walk([&](OffsetSizeAndStrideOpInterface op) {
    bool puts = isa<tensor::InsertSliceOp>(op);
    ArrayRef<int64_t> whole = tileType(puts ? op->getResult(0) : op->getOperand(0)).getShape();
    ArrayRef<int64_t> part = tileType(puts ? op->getOperand(0) : op->getResult(0)).getShape();
    if (whole == shape && (smallest.empty() || ShapedType::getNumElements(part) < ShapedType::getNumElements(smallest)))
      smallest = part;
  });
  return smallest;
}

/// Where no dot decides, memory does: the access of most bytes first. A thread takes 16 bytes of the widest element
/// type in which a tile of this shape is in memory, so that each access of 32 lanes covers whole sectors. Where a tile
/// is transposed between two accesses both keep such a layout, and the transpose converts: an access of columns would
/// touch a sector for every element.
void Assignment::anchorAccesses() {
  layouts.crossesTransposes = false;
  group.walk<WalkOrder::PreOrder>([&](warp::CopyOp copy) {
    if (copy.getRows())
      assign(copy.getRows(), rowsLayout(copiedLayout(copy)));
  });
  propagate();
  SmallVector<Value> accesses;
  group.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tile::LoadOp, tile::GatherOp, warp::ReadOp>(op))
      accesses.push_back(op->getResult(0));
    else if (isa<tile::StoreOp, warp::WriteOp, warp::PutOp>(op) && isa<RankedTensorType>(op->getOperand(0).getType()))
      accesses.push_back(op->getOperand(0));
  });
  auto widthOf = [](Value v) { return elementBytes(tileType(v).getElementType()); };
  llvm::stable_sort(accesses, [&](Value x, Value y) {
    auto key = [&](Value v) { return std::pair(tileType(v).getRank() > 1, tileType(v).getNumElements() * widthOf(v)); };
    return key(x) > key(y);
  });
  for (Value access : accesses) {
    if (layouts.isKnown(access))
      continue;
    int64_t bytes = 1;
    for (Value other : accesses)
      if (tileType(other).getShape() == tileType(access).getShape())
        bytes = std::max(bytes, widthOf(other));
    ArrayRef<int64_t> shape = tileType(access).getShape();
    WordShape words = wordShapeOf(group, shape);
    // Words of columns: all lanes read of one row of memory, and write to as many banks.
    if (auto read = access.getDefiningOp<warp::ReadOp>(); read && readsColumns(read) && widthOf(access) == 4)
      words.lanes = 1;
    if (int64_t repeated = repeatedRows(group, shape); repeated > words.rows && !words.lanes) {
      // Threads keep their 16 bytes of a row, and all of them have some.
      int64_t ofAll = tileType(access).getNumElements() / (threadsPerWarp * group.getWarps() * (16 / bytes));
      words.rows = std::max(words.rows, std::min<int64_t>(repeated, llvm::bit_floor(uint64_t(ofAll))));
    }
    assign(access,
           blockedLayout(shape.vec(), bytes, group.getWarps(), smallestPart(shape).vec(), words.rows, words.lanes));
    propagate();
  }
  layouts.crossesTransposes = true;
}

bool Assignment::guessFromNeighbour(Value value) {
  ArrayRef<int64_t> shape = tileType(value).getShape();
  // A fragment of this shape, if its slice along `axis` is the known layout.
  auto fragment = [&](Value known, int64_t axis) {
    if (!target.hasFragment(shape))
      return false;
    LinearLayout layout = target.accumulator(shape);
    if (sliceLayout(layout, axis) != layouts.layoutOf(known))
      return false;
    assign(value, layout);
    return true;
  };
  for (Operation *user : value.getUsers())
    if (auto reduce = dyn_cast<tile::ReduceOp>(user); reduce && layouts.isKnown(reduce.getResult()))
      if (fragment(reduce.getResult(), reduce.getAxis()))
        return true;
  if (auto broadcast = value.getDefiningOp<tile::BroadcastOp>(); broadcast && layouts.isKnown(broadcast.getSource()))
    return fragment(broadcast.getSource(), broadcast.getAxis());
  return false;
}

void Assignment::guess() {
  // Known slices first, then what is taken apart, then other defaults; every round assigns at least one value.
  for (;;) {
    Value next;
    ArrayRef<int64_t> part;
    bool done = false;
    for (Value v : tiles) {
      if (layouts.isKnown(v))
        continue;
      if ((done = guessFromNeighbour(v)))
        break;
      ArrayRef<int64_t> partOfIt = smallestPart(tileType(v).getShape());
      if (!next ||
          std::pair(!partOfIt.empty(), tileType(v).getRank()) > std::pair(!part.empty(), tileType(next).getRank())) {
        next = v;
        part = partOfIt;
      }
    }
    if (!done) {
      if (!next)
        return;
      assign(next, defaultLayout(tileType(next), group.getWarps(), part));
    }
    propagate();
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void Assignment::setTypes() {
  for (Value v : tiles)
    hw::setLayout(v, layouts.layoutOf(v));
  // Reductions, parts and turning operations have the layout that their source gives them, what parts are put into one
  // that has such parts; what was wanted instead is converted to.
  auto held = [](Value tile) { return hw::layoutOf(tileType(tile)); }; // of what is converted to as well
  group.walk([&](Operation *op) {
    LinearLayout layout;
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      layout = sliceLayout(held(reduce.getSource()), reduce.getAxis());
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      layout = windowLayout(slice, held(slice.getSource()));
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      layout = layoutAround(insert, held(insert.getResult()));
    else if (layouts.turning.contains(op))
      layout = held(op->getOperand(0));
    else
      return;
    Value result = op->getResult(0);
    RankedTensorType wanted = tileType(result), given = hw::withLayout(wanted, layout);
    if (given == wanted)
      return;
    result.setType(given);
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Value converted = hw::ConvertLayoutOp::create(builder, op->getLoc(), wanted, result, StringAttr());
    result.replaceAllUsesExcept(converted, converted.getDefiningOp());
  });
}

struct AssignLayoutsPass : PassWrapper<AssignLayoutsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignLayoutsPass)
  StringRef getArgument() const override { return "heddle-assign-layouts"; }
  StringRef getDescription() const override { return "give every register tile of every warp group a layout"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<hw::HWDialect>(); }
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](warp::KernelOp kernel) {
      return failed(assignLayouts(kernel)) || failed(verifyLayouts(kernel)) ? WalkResult::interrupt()
                                                                            : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

struct VerifyLayoutsPass : PassWrapper<VerifyLayoutsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyLayoutsPass)
  StringRef getArgument() const override { return "heddle-verify-layouts"; }
  StringRef getDescription() const override { return "check the layouts of all register tiles"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<hw::HWDialect>(); }
  void runOnOperation() override {
    if (failed(verifyLayouts(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult heddle::assignLayouts(warp::KernelOp kernel) {
  for (warp::GroupOp group : kernel.getBody().getOps<warp::GroupOp>())
    if (failed(Assignment(group).run()))
      return failure();
  return success();
}

void heddle::registerLayoutPasses() {
  PassRegistration<AssignLayoutsPass>();
  PassRegistration<VerifyLayoutsPass>();
}
