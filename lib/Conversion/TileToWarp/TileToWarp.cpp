//===- TileToWarp.cpp - from a scheduled tile program to warp groups -------===//
//
// What:      selected tile kernel + schedules -> warp.kernel: one load group and one region per compute group, rings between them.
// Where:     after scheduling; before WarpToHW. See Pipelines.cpp.
// Steps:     rings (Rings.cpp), compute groups (GroupBuilder, LoopStream, ModuloExpand), load group, depths, register budgets.
// Trusts:    the schedules passed the checker.  Verifies: shared memory suffices; the protocol verifier runs afterwards.
//
//===----------------------------------------------------------------------===//
#include "heddle/Conversion/TileToWarp/TileToWarp.h"

#include "GroupBuilder.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {

static warp::KernelOp createKernel(tile::KernelOp source, KernelContext &context) {
  OpBuilder b(source);
  OperationState state(source.getLoc(), warp::KernelOp::getOperationName());
  state.addAttribute("sym_name", source.getSymNameAttr());
  state.addAttribute("function_type", source.getFunctionTypeAttr());
  if (source.getArgAttrsAttr())
    state.addAttribute("arg_attrs", source.getArgAttrsAttr());
  Region *region = state.addRegion();
  Block *block = new Block();
  region->push_back(block);
  for (auto [arg, type] : llvm::zip(source.getArguments(), source.getArgumentTypes()))
    context.arguments.map(arg, block->addArgument(type, arg.getLoc()));
  return cast<warp::KernelOp>(b.create(state));
}

static warp::GroupOp createGroup(OpBuilder &b, Location loc, const Twine &name, int64_t warps, int64_t regs) {
  auto group = warp::GroupOp::create(b, loc, b.getStringAttr(name), b.getI64IntegerAttr(warps), b.getI64IntegerAttr(regs));
  group.getBody().emplaceBlock();
  return group;
}

static LogicalResult build(tile::KernelOp source, warp::KernelOp kernel, KernelContext &context, const Machine &machine,
                           const TileToWarpOptions &options) {
  Location loc = source.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  IRMapping host = context.arguments;
  source.walk([&](tile::GridOp grid) {
    for (Value size : grid.getSizes())
      materialise(b, host, size);
    b.clone(*grid, host);
  });
  for (Ring &ring : context.rings) {
    for (auto [field, load] : llvm::enumerate(ring.loads))
      context.ringOf[load] = {&ring, field};
    if (ring.stage)
      context.ringOf[ring.stage] = {&ring, 0};
    auto type = warp::ArefType::get(b.getContext(), 1, ring.payload());
    ring.aref = warp::ArefOp::create(b, ring.source()->getLoc(), type, b.getStringAttr(ring.name()));
  }
  int64_t groups = 1;
  if (auto attr = source->getAttrOfType<IntegerAttr>("groups"))
    groups = attr.getInt();
  RegisterBudgets regs = registerBudgets(groups, machine);
  bool copies = llvm::any_of(context.rings, [](const Ring &ring) { return !ring.stage; });
  context.declarations = b.saveInsertionPoint();
  warp::GroupOp load;
  if (copies)
    load = createGroup(b, loc, "load", 1, regs.load);
  SmallVector<warp::GroupOp> compute;
  for (int64_t g = 0; g < groups; ++g)
    compute.push_back(createGroup(b, loc, "compute" + Twine(g), 4, regs.compute));
  warp::ReturnOp::create(b, loc);
  context.declarations = OpBuilder::InsertPoint(&kernel.getBody().front(), (copies ? load : compute.front())->getIterator());
  int64_t scratch = 0;
  for (int64_t g = 0; g < groups; ++g)
    if (failed(buildComputeGroup(context, compute[g], g, scratch)))
      return failure();
  if (copies && failed(buildLoadGroup(context, load)))
    return failure();
  constexpr int64_t barriersAndAlignment = 2048;
  int64_t smem = machine.memoryCapacity("smem") - barriersAndAlignment - scratch;
  if (failed(chooseDepths(source, context.rings, smem, options)))
    return failure();
  for (Ring &ring : context.rings) {
    auto type = cast<warp::ArefType>(ring.aref.getType());
    ring.aref.setType(warp::ArefType::get(b.getContext(), ring.depth, type.getPayload()));
  }
  return success();
}

/// A dot that starts from zero overwrites instead: no registers are set for it.
static void dropZeroAccumulators(warp::KernelOp kernel) {
  kernel.walk([](warp::DotOp dot) {
    if (dot.getAcc() && matchPattern(dot.getAcc(), m_AnyZeroFloat()))
      dot.getAccMutable().clear();
  });
}

/// Removes operations without effect that building on demand left behind.
static void removeDead(warp::KernelOp kernel) {
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Operation *> dead;
    kernel.walk([&](Operation *op) {
      if (op->use_empty() && op->getNumResults() && isMemoryEffectFree(op) && !op->getNumRegions())
        dead.push_back(op);
    });
    for (Operation *op : dead) {
      op->erase();
      changed = true;
    }
  }
}

FailureOr<warp::KernelOp> convertTileToWarp(tile::KernelOp source, const DenseMap<Operation *, LoopSchedule> &schedules,
                                            const Machine &machine, const TileToWarpOptions &options) {
  for (auto &[loop, schedule] : schedules)
    for (auto &[op, group] : schedule.group)
      if (auto tag = op->getAttrOfType<IntegerAttr>(groupAttr); tag && tag.getInt() != group)
        return op->emitError("not supported yet: a sub-tile on several warp groups"), failure();
  SmallVector<Ring> rings = collectRings(source, schedules);
  KernelContext context{source, schedules, rings, options};
  warp::KernelOp kernel = createKernel(source, context);
  if (failed(build(source, kernel, context, machine, options))) {
    kernel->erase();
    return failure();
  }
  dropZeroAccumulators(kernel);
  removeDead(kernel);
  return kernel;
}

} // namespace heddle
