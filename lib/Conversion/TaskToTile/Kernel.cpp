//===- Kernel.cpp - the tile.kernel that tasks become ------------------------===//
#include "Kernel.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/Plan.h"
#include "heddle/Analysis/SlotLives.h"
#include "heddle/Dialect/Task/Signature.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
namespace heddle {

OwningOpRef<ModuleOp> TaskKernel::begin(task::TaskOp task) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(task.getLoc());
  SmallVector<Type> types = task::argumentTypes(task);
  b.setInsertionPointToEnd(module->getBody());
  auto type = FunctionType::get(b.getContext(), types, {});
  kernel = tile::KernelOp::create(b, task.getLoc(), task.getSymNameAttr(), TypeAttr::get(type),
                                  b.getArrayAttr(task::argumentAttributes(task)), ArrayAttr());
  if (Attribute dims = task->getAttr("tile.default_dims"))
    kernel->setAttr("tile.default_dims", dims);
  Block &body = kernel.getBody().emplaceBlock();
  for (auto [i, type] : llvm::enumerate(types))
    body.addArgument(type, NameLoc::get(task.getParameter(i).getName(), task.getLoc()));
  b.setInsertionPointToEnd(&body);
  return module;
}

Value TaskKernel::argument(unsigned parameter) { return kernel.getBody().getArgument(parameter); }

FailureOr<SmallVector<Value>> TaskKernel::addGrid(ArrayRef<Value> sizes, const TaskInstance &instance,
                                                  task::PRangeOp range) {
  size_t count = sizes.size();
  for (GridLevel &level : levels)
    count += level.ids.size();
  if (grid || count > 3) {
    InFlightDiagnostic diag = range.emitError("expected ");
    if (grid)
      diag << "one range over blocks, which is one kernel, got another";
    else
      diag << "one to three dimensions of blocks, got " << count;
    diag.attachNote(instance.loc) << "the mapping";
    return diag;
  }
  if (!instance.order.empty() && instance.order.size() != sizes.size()) {
    InFlightDiagnostic diag = emitError(instance.placeOf("order"))
                              << "mapping: expected the " << sizes.size() << " variables of the range in order, got "
                              << instance.order.size();
    diag.attachNote(range.getLoc()) << "the range";
    return diag;
  }
  if (instance.raster) {
    raster = instance.raster;
    rasterAt = instance.placeOf("raster");
    plan.push_back(b.getNamedAttr("raster", b.getI64IntegerAttr(*raster))); // decided: no tuner looks further
  }
  if (instance.persistent)
    plan.push_back(b.getNamedAttr("persistent", b.getBoolAttr(*instance.persistent)));
  GridLevel &level = levels.emplace_back();
  SmallVector<Value> ids(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    size_t variable = instance.order.empty() ? d : instance.order[d];
    level.sizes.push_back(sizes[variable]);
    level.ids.push_back(tile::ProgramIdOp::create(b, range.getBody().getArgument(variable).getLoc(), 0));
    ids[variable] = level.ids.back();
  }
  return ids;
}

LogicalResult TaskKernel::beginBlock(const TaskInstance &instance, Location loc) {
  if (grid)
    return success();
  block = &instance;
  if (levels.empty()) {
    grid =
        tile::GridOp::create(b, loc, ValueRange(arith::ConstantIndexOp::create(b, loc, 1).getResult()), IntegerAttr());
    return success();
  }
  SmallVector<Value> sizes;
  for (GridLevel &level : llvm::reverse(levels))
    for (auto [size, id] : llvm::zip(level.sizes, level.ids)) {
      id.setDim(sizes.size());
      sizes.push_back(size);
    }
  if (raster && sizes.size() < 2)
    return emitError(*rasterAt) << "mapping: expected at least two dimensions of blocks with raster, got "
                                << sizes.size();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(levels.back().ids.front());
  grid = tile::GridOp::create(b, loc, sizes, raster ? b.getI64IntegerAttr(*raster) : IntegerAttr());
  return success();
}

void TaskKernel::noteCopy(Value tile, StringRef memory, const TaskInstance *loopOf, std::string name) {
  if (auto load = tile.getDefiningOp<tile::LoadOp>())
    copies[load] = {memory == sharedMemory, loopOf, std::move(name)};
}

static void decide(OpBuilder &b, Operation *op, StringRef key, Attribute value) {
  auto own = op->getAttrOfType<DictionaryAttr>(planAttr);
  NamedAttrList decisions(own ? own : b.getDictionaryAttr({}));
  decisions.set(key, value);
  op->setAttr(planAttr, decisions.getDictionary(b.getContext()));
}

void TaskKernel::pin(Operation *op, StringRef key, int64_t value) { decide(b, op, key, b.getI64IntegerAttr(value)); }

void TaskKernel::noteProduct(tile::DotOp dot, const TaskInstance &instance) {
  decide(b, dot, "label", b.getStringAttr(instance.name)); // made distinct when all of them are known
}

void TaskKernel::label(Operation *op, StringRef name, StringRef instance) {
  std::string distinct = name.str();
  for (int64_t n = 1; distinct == kernelLabel || labels.count(distinct); ++n)
    distinct = (name + "_" + Twine(n)).str();
  labels[distinct] = instance.str();
  decide(b, op, "label", b.getStringAttr(distinct));
}

/// Copies of what a loop does not change need not be made again by each iteration.
void TaskKernel::hoistLoads() {
  DenseSet<Value> stored;
  kernel.walk([&](tile::StoreOp store) { stored.insert(store.getView()); });
  // A load's coordinates move with it.
  kernel.walk([&](scf::ForOp loop) {
    for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
      auto load = dyn_cast<tile::LoadOp>(op);
      bool movable =
          (load && !stored.contains(load.getView())) || (isPure(&op) && isa<arith::ArithDialect>(op.getDialect()));
      if (movable && llvm::all_of(op.getOperands(), [&](Value v) { return loop.isDefinedOutsideOfLoop(v); }) &&
          (load || llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>)))
        op.moveBefore(loop);
    }
  });
}

LogicalResult TaskKernel::pinRings(const DenseMap<Operation *, Copy> &copies) {
  SmallVector<std::pair<Location, int64_t>> parts;
  SmallVector<std::pair<SlotLife, int64_t>> lives; // tensors whose lives do not meet may share bytes
  const TaskInstance *deepest = nullptr;
  kernel.walk([&](tile::LoadOp load) {
    auto it = copies.find(load);
    if (it == copies.end())
      return;
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    std::optional<int64_t> depth = loop && it->second.loopOf ? it->second.loopOf->pipeline : std::optional<int64_t>();
    if (loop && it->second.loopOf && isScheduledLoop(loop))
      label(load, it->second.name, it->second.loopOf->name);
    if (depth && isScheduledLoop(loop))
      pin(load, "ring", *depth);
    if (!it->second.shared)
      return;
    RankedTensorType tile = load.getResult().getType();
    int64_t own = tile.getNumElements() * tile.getElementTypeBitWidth() / 8 * depth.value_or(1);
    lives.push_back({lifeOfSlot(load), own});
    parts.push_back({load.getLoc(), own});
    if (depth)
      deepest = it->second.loopOf;
  });
  int64_t limit = machine.memoryCapacity("smem");
  if (block && block->smem)
    limit = std::min(limit, *block->smem);
  int64_t bytes = mostBytes(lives);
  if (bytes <= limit)
    return success();
  Location at = block && block->smem ? block->placeOf("smem") : deepest ? deepest->placeOf("pipeline") : block->loc;
  InFlightDiagnostic diag = emitErrorOf(ErrorKind::Infeasible, at)
                            << "mapping: expected tensors in SHARED of at most " << limit << " bytes, got " << bytes
                            << " at once, " << bytes - limit << " over";
  for (auto &[loc, own] : parts)
    diag.attachNote(loc) << own << " bytes";
  return diag;
}

/// Slices of insertions, loops that carry what they do not change.
LogicalResult TaskKernel::simplify() {
  RewritePatternSet patterns(b.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, b.getContext());
  tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, b.getContext());
  tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, b.getContext());
  return applyPatternsGreedily(kernel, std::move(patterns));
}

LogicalResult TaskKernel::finish(int64_t groups) {
  tile::ReturnOp::create(b, kernel.getLoc());
  IRRewriter rewriter(b.getContext());
  DominanceInfo dominance(kernel);
  hoistLoads();
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  if (failed(pinRings(copies)) || failed(simplify()))
    return failure();
  kernel.walk([&](tile::DotOp dot) {
    StringAttr leaf = dot->getAttrOfType<DictionaryAttr>(planAttr).getAs<StringAttr>("label");
    label(dot, leaf.getValue(), leaf.getValue());
  });
  kernel.walk([&](scf::ForOp loop) {
    if (block && block->scale && isScheduledLoop(loop))
      pin(loop, "scale", *block->scale);
  });
  if (groups)
    plan.push_back(b.getNamedAttr("groups", b.getI64IntegerAttr(groups)));
  if (block && block->smem)
    plan.push_back(b.getNamedAttr("smem", b.getI64IntegerAttr(*block->smem)));
  if (block && block->warpspecialize)
    plan.push_back(b.getNamedAttr("warp_specialize", b.getBoolAttr(*block->warpspecialize)));
  if (block && block->plan)
    llvm::append_range(plan, block->plan);
  if (!plan.empty())
    kernel->setAttr(planAttr, b.getDictionaryAttr(plan));
  return verify(kernel);
}

} // namespace heddle
