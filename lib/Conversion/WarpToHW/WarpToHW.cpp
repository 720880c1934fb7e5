//===- WarpToHW.cpp - see WarpToHW.h --------------------------------------------===//
//
// In order: place shared memory (SmemPlan), give groups their warps, count each ring's arrivals from its uses, then
// rewrite every group in place, op by op. Slot and parity of a use number are computed where the number is.
//
//===----------------------------------------------------------------------------===//
#include "Lowering.h"
#include "heddle/Conversion/WarpToHW/AssignLayouts.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Warp/Accumulators.h"
#include "heddle/Dialect/Warp/Waits.h"
#include "heddle/Target/Hopper/PtxasRules.h"

using namespace mlir;
using namespace heddle;

namespace {

/// Schedule annotations (heddle.cycle, heddle.stage, heddle.node) travel to every op that an op becomes.
void copyNotes(Operation *from, Operation *to) {
  for (NamedAttribute attr : from->getDiscardableAttrs())
    if (attr.getName().getValue().starts_with("heddle."))
      to->setDiscardableAttr(attr.getName(), attr.getValue());
}

class NoteListener : public OpBuilder::Listener {
public:
  explicit NoteListener(Operation *from) : from(from) {}
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override { copyNotes(from, op); }

private:
  Operation *from;
};

} // namespace

//===----------------------------------------------------------------------===//
// Warps, registers, barriers
//===----------------------------------------------------------------------===//

LogicalResult Lowering::assignWarps() {
  // Single-thread groups share warp groups, four to one; they come first.
  int64_t singles = 0;
  for (auto group : source.getBody().getOps<warp::GroupOp>())
    if (group.getWarps() == 1) {
      warpsOf[group] = {singles / warpsPerGroup, singles % warpsPerGroup};
      ++singles;
    }
  warpgroups = llvm::divideCeil(singles, warpsPerGroup);
  for (auto group : source.getBody().getOps<warp::GroupOp>())
    if (group.getWarps() != 1) {
      warpsOf[group] = {warpgroups, 0};
      warpgroups += group.getWarps() / warpsPerGroup;
    }
  Occupancy occupancy(options.warps);
  int64_t threads = warpgroups * threadsPerGroup, most = occupancy.maxThreads();
  if (threads > most)
    return emitErrorOf(ErrorKind::Infeasible, source)
           << "threads: needs " << threads << ", limit " << most << ", over by " << threads - most;

  launchRegisters = occupancy.launchRegisters(warpgroups);

  SmallVector<int64_t> regs(warpgroups, occupancy.leastBudget());
  for (auto group : source.getBody().getOps<warp::GroupOp>())
    for (int64_t i = 0; i * warpsPerGroup < static_cast<int64_t>(group.getWarps()); ++i) {
      int64_t &asked = regs[warpsOf[group].warpgroup + i];
      asked = std::max<int64_t>(asked, group.getRegs());
    }
  int64_t asked = 0;
  for (int64_t r : regs)
    asked += threadsPerGroup * r;
  int64_t limit = occupancy.launchedRegisters(warpgroups);
  if (asked > limit)
    return emitErrorOf(ErrorKind::Infeasible, source)
           << "registers: the groups ask for " << asked << ", limit " << limit << " for " << threads
           << " threads, over by " << asked - limit;

  for (auto group : source.getBody().getOps<warp::GroupOp>()) {
    group.walk([&](Operation *op) {
      if (auto copy = dyn_cast<warp::CopyOp>(op))
        (copy.getThreads() ? useOf[{group, copy.getAref()}].threadCopies : useOf[{group, copy.getAref()}].copies) =
            true;
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
    if (aref.isMulticast())
      multicast.insert(aref.getResult());
    int64_t full = 0, empty = 0;
    for (auto group : source.getBody().getOps<warp::GroupOp>()) {
      RingUse use = useOf.lookup({group, aref.getResult()});
      if ((use.copies || use.threadCopies || use.puts) && !use.publishes)
        return aref.emitError("expected group '")
               << group.getSymName() << "' to publish ring '" << aref.getName() << "' that it fills";
      if (use.threadCopies) {
        if (use.copies || use.puts)
          return aref.emitError("expected threads alone to fill ring '")
                 << aref.getName() << "', got the copy engine or a put beside them";
        copiedByThreads.insert(aref.getResult());
        full += group.getWarps() * threadsPerWarp;
      } else if (use.publishes) {
        full += (use.copies ? 1 : 0) + (use.puts || !use.copies ? group.getWarps() : 0);
      }
      if (use.consumes)
        empty += group.getWarps();
    }
    if (aref.isMulticast())
      empty *= tile::clusterOf(source);
    if (!full)
      return aref.emitError("expected a group that publishes ring '") << aref.getName() << "', got none";
    if (!empty)
      return aref.emitError("expected a group that consumes ring '") << aref.getName() << "', got none";
    int64_t depth = aref.getType().getDepth();
    auto type = hw::BarsType::get(builder.getContext(), depth);
    const RingPlan &ring = plan.rings[aref.getResult()];
    std::string name = aref.getName().str();
    barriersOf[aref.getResult()] = {
        hw::MBarriersOp::create(builder, aref.getLoc(), type, name + ".full", ring.full, full, 1),
        hw::MBarriersOp::create(builder, aref.getLoc(), type, name + ".empty", ring.empty, empty / aref.getTurns(),
                                aref.getTurns())};
  }
  for (auto order : source.getBody().getOps<warp::OrderOp>()) {
    int64_t places = order.getType().getPlaces(), warps = 0;
    for (auto group : source.getBody().getOps<warp::GroupOp>()) {
      if (llvm::none_of(order->getUsers(), [&](Operation *user) { return group->isProperAncestor(user); }))
        continue;
      if (warps && warps != static_cast<int64_t>(group.getWarps()))
        return order.emitError("expected groups of ") << warps << " warps in an order, got one of " << group.getWarps();
      warps = group.getWarps();
    }
    if (warps)
      orderBarriers[order.getResult()] =
          hw::MBarriersOp::create(builder, order.getLoc(), hw::BarsType::get(builder.getContext(), places),
                                  order.getName().str(), plan.orders[order.getResult()], warps, places);
  }
  return success();
}

static LogicalResult reportMemory(warp::KernelOp source, const SmemPlan &plan, int64_t limit) {
  InFlightDiagnostic diagnostic = emitErrorOf(ErrorKind::Infeasible, source)
                                  << "shared memory: needs " << plan.bytes << " bytes, limit " << limit << ", over by "
                                  << plan.bytes - limit;
  noteLargest(diagnostic, plan.takers);
  return failure();
}

FailureOr<hw::KernelOp> Lowering::run() {
  plan = planSharedMemory(source);
  if (options.smemLimit && plan.bytes > options.smemLimit)
    return reportMemory(source, plan, options.smemLimit);
  if (failed(assignWarps()))
    return failure();

  OpBuilder builder(source);
  kernel = hw::KernelOp::create(builder, source.getLoc(), source.getSymName(), source.getFunctionType(),
                                warpgroups * threadsPerGroup, plan.bytes, source.getArgAttrsAttr(),
                                source.getResAttrsAttr());
  copyNotes(source, kernel);
  for (StringRef kept : {StringRef("tile.default_dims"), StringRef(tile::clusterAttr)})
    if (Attribute attr = source->getAttr(kept))
      kernel->setAttr(kept, attr);
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

  kernel.walk([&](warp::NextProgramOp) { counted = true; });
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
                              group.getWarps() == 1, plan.exchanges.lookup(group),
                              std::max<int64_t>(warpsPerGroup, group.getWarps()));
    copyNotes(group, role);
    role.getBody().takeBody(group.getBody());
    groupOfRole[role] = group;
    constants.clear();
    slots.clear();
    parities.clear();
    hasCopyOut = drained = readsTiles = false;
    role.walk([&](warp::ReadOp) { readsTiles = true; });
    findReadsInFlight();
    for (auto scratch : kernel.getBody().getOps<warp::ScratchOp>()) {
      auto inRole = [&](OpOperand &use) { return role->isProperAncestor(use.getOwner()); };
      if (llvm::none_of(scratch.getResult().getUses(), inRole))
        continue;
      OpBuilder atStart = OpBuilder::atBlockBegin(&role.getBody().front());
      const SmemField &place = plan.scratches[scratch.getResult()];
      Value tile =
          hw::SmemOp::create(atStart, scratch.getLoc(), place.type, place.name, place.offset, Value(), /*stride=*/0,
                             /*slots=*/1, StringAttr());
      scratch.getResult().replaceUsesWithIf(tile, inRole);
    }
    if (failed(lowerBlock(role.getBody().front()))) {
      result = failure();
      break;
    }
    ptxas::adaptWaits(role);
    // A CTA must not end while the TMA unit still reads its shared memory.
    if (hasCopyOut && !drained) {
      OpBuilder end = OpBuilder::atBlockEnd(&role.getBody().front());
      hw::TmaWaitOp::create(end, role.getLoc(), 0, /*complete=*/false);
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
    if (isa<warp::ArefOp, warp::OrderOp, warp::ScratchOp>(op)) {
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
// Walk
//===----------------------------------------------------------------------===//

bool Lowering::meets(Value aref) const {
  ArrayRef<Type> payload = cast<warp::ArefType>(aref.getType()).getPayload();
  bool isToken = payload.empty(), holdsNumber = llvm::any_of(payload, [](Type field) { return field.isIndex(); });
  return holdsNumber || (isToken && counted);
}

/// Whether only releases stand between `op` and the fence before it: one fence serves all of them.
static bool isBehindFence(Operation *op) {
  Operation *before = op->getPrevNode();
  while (before && (isa<hw::ArriveOp>(before) || (isPure(before) && !before->getNumRegions())))
    before = before->getPrevNode();
  auto fence = dyn_cast_or_null<hw::FenceProxyOp>(before);
  return fence && !fence.getGlobal();
}

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
    Value field = fieldTile(put.getAref(), put.getUse(), put.getField(), builder, loc);
    if (put.getValue().getType().isIndex())
      hw::PutNumberOp::create(builder, loc, put.getValue(), field);
    else
      hw::WriteOp::create(builder, loc, put.getValue(), field);
  } else if (auto publish = dyn_cast<warp::PublishOp>(op)) {
    Value aref = publish.getAref();
    RingUse use = useOf.lookup({groupOfRole[role], aref});
    Value slot = slotOf(publish.getUse(), depthOf(aref));
    if (use.threadCopies)
      hw::ArriveOp::create(builder, loc, barriersOf[aref].full, slot, /*sync=*/false, /*cluster=*/false,
                           /*copied=*/true);
    else if (use.puts || !use.copies)
      hw::ArriveOp::create(builder, loc, barriersOf[aref].full, slot,
                           /*sync=*/use.puts || readsTiles || meets(aref), /*cluster=*/false, /*copied=*/false);
  } else if (auto get = dyn_cast<warp::GetOp>(op)) {
    Value aref = get.getAref(), use = get.getUse();
    Value slot = slotOf(use, depthOf(aref)), parity = parityOf(use, depthOf(aref));
    hw::WaitOp::create(builder, loc, barriersOf[aref].full, slot, parity);
    if (copiedByThreads.contains(aref)) // ordinary writes, which dots read
      hw::FenceProxyOp::create(builder, loc, /*global=*/false);
    for (auto [field, tile] : llvm::enumerate(get.getTiles()))
      if (!tile.use_empty()) {
        Value storage = fieldTile(aref, use, field, builder, loc);
        tile.replaceAllUsesWith(tile.getType().isIndex() ? hw::NumberOp::create(builder, loc, storage).getResult()
                                                         : storage);
      }
  } else if (auto next = dyn_cast<warp::NextProgramOp>(op)) {
    next.getResult().replaceAllUsesWith(hw::NextProgramOp::create(builder, loc, next.getPrograms()).getResult());
  } else if (auto consumed = dyn_cast<warp::ConsumedOp>(op)) {
    Value aref = consumed.getAref();
    if (readInFlight.contains(consumed) && !isBehindFence(consumed))
      hw::FenceProxyOp::create(builder, loc, /*global=*/false);
    hw::ArriveOp::create(builder, loc, barriersOf[aref].empty, slotOf(consumed.getUse(), depthOf(aref)),
                         /*sync=*/readsTiles || meets(aref), multicast.contains(aref), /*copied=*/false);
  } else if (auto enter = dyn_cast<warp::EnterOp>(op)) {
    // Place 0 waits for the round before, which a fresh barrier counts as complete.
    Value phase = arith::AddIOp::create(builder, loc, enter.getRound(), constant(enter.getPlace() ? 0 : 1));
    Value parity = arith::AndIOp::create(builder, loc, phase, constant(1));
    noteName(parity, "parity");
    hw::WaitOp::create(builder, loc, orderBarriers[enter.getOrder()], constant(enter.getPlace()), parity);
  } else if (auto leave = dyn_cast<warp::LeaveOp>(op)) {
    int64_t places = cast<warp::OrderType>(leave.getOrder().getType()).getPlaces();
    hw::ArriveOp::create(builder, loc, orderBarriers[leave.getOrder()],
                         constant((static_cast<int64_t>(leave.getPlace()) + 1) % places), /*sync=*/counted,
                         /*cluster=*/false, /*copied=*/false);
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
    auto type = hw::TileType::get(op->getContext(), {from.getShape()[1], from.getShape()[0]}, from.getElementType(),
                                  from.getRows(), from.getCols(), from.getSwizzle(), from.getRowOffset(),
                                  from.getColOffset(), !from.getTransposed());
    op->getResult(0).replaceAllUsesWith(hw::ViewOp::create(builder, loc, type, op->getOperand(0)).getResult());
  } else if (isa<warp::ReadOp>(op)) {
    op->getResult(0).replaceAllUsesWith(
        hw::ReadOp::create(builder, loc, cast<RankedTensorType>(op->getResult(0).getType()), op->getOperand(0))
            .getResult());
  } else if (isa<warp::WriteOp>(op)) {
    hw::WriteOp::create(builder, loc, op->getOperand(0), op->getOperand(1));
  } else if (auto fence = dyn_cast<warp::FenceOp>(op)) {
    hw::FenceProxyOp::create(builder, loc, fence.getGlobal());
  } else if (auto barrier = dyn_cast<warp::BarrierOp>(op)) {
    if (!role.getSingle())
      hw::BarrierOp::create(builder, loc, /*roles=*/barrier.getGroups());
  } else if (auto copyOut = dyn_cast<warp::CopyOutOp>(op)) {
    result = lowerCopyOut(copyOut, builder);
  } else if (auto wait = dyn_cast<warp::CopyOutWaitOp>(op)) {
    hw::TmaWaitOp::create(builder, loc, wait.getPending(), wait.getComplete());
    if (op->getBlock() == &role.getBody().front() && wait.getPending() == 0)
      drained = true;
  } else if (auto dot = dyn_cast<warp::DotOp>(op)) {
    result = lowerDot(dot, builder);
  } else if (auto dotWait = dyn_cast<warp::DotWaitOp>(op)) {
    auto wgmmaWait =
        hw::WgmmaWaitOp::create(builder, loc, dotWait.getResultTypes(), dotWait.getValues(), *dotWait.getPending());
    dotWait->replaceAllUsesWith(wgmmaWait.getResults());
  } else if (isa<warp::ReturnOp>(op)) {
    // Ends a group: nothing to print.
  } else {
    return emitErrorOf(ErrorKind::Internal, op) << "no lowering to hw of " << op->getName();
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
    // Tiles may travel through branches and loops: before a region is entered and after it, its variables have the
    // types of what they are given first.
    auto passTypes = [&] {
      for (const PassedVariable &variable : passedVariables(&op))
        if (Type given = variable.given.front()->get().getType(); isa<hw::TileType>(given))
          for (Value name : variable.names)
            name.setType(given);
    };
    passTypes();
    for (Region &region : op.getRegions()) {
      for (Block &inner : region)
        if (failed(lowerBlock(inner)))
          return failure();
      passTypes();
    }
  }
  return success();
}

/// Gives every tile of `kernel` a layout, unless all have one.
static LogicalResult layOut(warp::KernelOp kernel) {
  warp::dropZeroAccumulators(kernel);
  warp::lowerTokens(kernel);
  WalkResult walk = kernel.walk([](Operation *op) {
    bool bare = op->getParentOfType<warp::GroupOp>() && llvm::any_of(op->getResultTypes(), [](Type type) {
                  return isa<RankedTensorType>(type) && !hw::hasLayout(type);
                });
    return bare ? WalkResult::interrupt() : WalkResult::advance();
  });
  kernel.getContext()->loadDialect<hw::HWDialect>();
  return failure(walk.wasInterrupted() && failed(assignLayouts(kernel)));
}

std::optional<int64_t> heddle::sharedMemoryOf(warp::KernelOp kernel) {
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<warp::KernelOp> copy(kernel.clone());
  if (failed(layOut(*copy)))
    return std::nullopt;
  return planSharedMemory(*copy).bytes;
}

FailureOr<hw::KernelOp> heddle::lowerWarpToHW(warp::KernelOp kernel, const WarpToHWOptions &options) {
  if (failed(layOut(kernel)))
    return failure();
  FailureOr<hw::KernelOp> lowered = Lowering(kernel, options).run();
  if (failed(lowered) || failed(verifyHW(*lowered)))
    return failure();
  return lowered;
}
