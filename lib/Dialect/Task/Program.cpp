//===- Program.cpp - see Program.h -------------------------------------------===//
#include "heddle/Dialect/Task/Program.h"

using namespace mlir;
namespace heddle::task {

Value partitioned(Value partition) {
  if (auto blocks = partition.getDefiningOp<BlocksOp>())
    return blocks.getTensor();
  if (auto mma = partition.getDefiningOp<MmaOp>())
    return mma.getTensor();
  return {};
}

Value rootOf(Value value) {
  // Verifiers ask before dominance is known: a chain may be a cycle.
  for (unsigned steps = 0; value && steps < 1000; ++steps) {
    if (isa<BlockArgument>(value) || value.getDefiningOp<MakeTensorOp>())
      return isa<TaskTensorType>(value.getType()) ? value : Value();
    auto piece = value.getDefiningOp<PieceOp>();
    value = partitioned(piece ? piece.getPartition() : value);
  }
  return {};
}

ParameterAttr parameterOf(Value root) {
  auto argument = dyn_cast_or_null<BlockArgument>(root);
  auto variant = argument ? dyn_cast_or_null<VariantOp>(argument.getOwner()->getParentOp()) : VariantOp();
  TaskOp task = variant ? taskOf(variant) : TaskOp();
  if (!task || argument.getArgNumber() >= task.getNumParameters())
    return {};
  ParameterAttr parameter = task.getParameter(argument.getArgNumber());
  return parameter.isTensor() ? parameter : ParameterAttr();
}

Type elementOf(Value tensor) {
  Value root = rootOf(tensor);
  if (auto made = root ? root.getDefiningOp<MakeTensorOp>() : MakeTensorOp())
    return made.getElementType();
  ParameterAttr parameter = parameterOf(root);
  return parameter ? parameter.getType() : Type();
}

int64_t rankOf(Value tensor) {
  Value root = rootOf(tensor);
  for (Value at = tensor; root && at != root; at = partitioned(at.getDefiningOp<PieceOp>().getPartition()))
    if (auto blocks = at.getDefiningOp<PieceOp>().getPartition().getDefiningOp<BlocksOp>())
      return blocks.pieceRank();
  if (auto made = root ? root.getDefiningOp<MakeTensorOp>() : MakeTensorOp())
    return made.getStaticSizes().size();
  ParameterAttr parameter = parameterOf(root);
  return parameter ? parameter.getRank() : -1;
}

TaskOp lookupTask(Operation *from, FlatSymbolRefAttr name) {
  return SymbolTable::lookupNearestSymbolFrom<TaskOp>(from, name);
}

SmallVector<VariantOp> variantsOf(TaskOp task) {
  SmallVector<VariantOp> variants;
  for (Operation &op : *task->getBlock())
    if (auto variant = dyn_cast<VariantOp>(op); variant && variant.getTask() == task.getSymName())
      variants.push_back(variant);
  return variants;
}

SmallVector<LaunchOp> launchesOf(VariantOp variant) {
  SmallVector<LaunchOp> launches;
  variant.walk<WalkOrder::PreOrder>([&](LaunchOp launch) { launches.push_back(launch); });
  return launches;
}

llvm::MapVector<TaskOp, VariantOp> meaningsOf(ModuleOp program) {
  llvm::MapVector<TaskOp, VariantOp> known;
  auto isKnown = [&](LaunchOp launch) {
    TaskOp task = taskOf(launch);
    return task && known.count(task);
  };
  for (bool changed = true; changed;) {
    // What one round finds does not count in the same round: leaves come first.
    SmallVector<std::pair<TaskOp, VariantOp>> found;
    for (auto task : program.getOps<TaskOp>())
      for (VariantOp variant : known.count(task) ? SmallVector<VariantOp>() : variantsOf(task))
        if (llvm::all_of(launchesOf(variant), isKnown)) {
          found.push_back({task, variant});
          break;
        }
    for (auto &pair : found)
      known.insert(pair);
    changed = !found.empty();
  }
  return known;
}

SmallVector<TaskOp> entriesOf(ModuleOp program) {
  llvm::DenseSet<TaskOp> launched;
  for (auto variant : program.getOps<VariantOp>())
    for (LaunchOp launch : launchesOf(variant))
      if (launch.getTask() != variant.getTask())
        launched.insert(taskOf(launch));
  SmallVector<TaskOp> entries;
  for (auto task : program.getOps<TaskOp>())
    if (!launched.contains(task))
      entries.push_back(task);
  return entries;
}

SmallVector<TaskOp> tasksOf(TaskOp entry) {
  llvm::DenseSet<TaskOp> reached{entry};
  SmallVector<TaskOp> work{entry};
  while (!work.empty())
    for (VariantOp variant : variantsOf(work.pop_back_val()))
      for (LaunchOp launch : launchesOf(variant))
        if (TaskOp task = taskOf(launch); reached.insert(task).second)
          work.push_back(task);
  SmallVector<TaskOp> tasks;
  for (auto task : entry->getParentOfType<ModuleOp>().getOps<TaskOp>())
    if (reached.contains(task))
      tasks.push_back(task);
  return tasks;
}

} // namespace heddle::task
