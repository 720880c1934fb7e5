//===- TaskToTile.cpp - a task program and its mapping as a tile program ----===//
//
// What:      see the header. Instances at HOST give the grid: each range over blocks is one or more of its dimensions.
//            An instance at BLOCK is what a program does; srange becomes scf.for, a leaf the operations in it.
// Copies:    an argument that its instance has in another memory than GLOBAL is loaded when the task begins and stored
//            when it ends, if the task reads and writes it. Inside a block tensors are values (Tensors.h), so a copy
//            from one memory of the block to another is no operation; where it happens, the tile level decides.
// Ranges:    over warp groups, warps and threads are collapsed (Divisions.h), or refused: the union of their pieces is
//            what the tile level divides again, over as many groups as the range had. One within a level that cannot
//            be collapsed is unrolled.
// Fragments: what warps and threads have of a product must be what the tensor core's instruction gives them (PTX ISA,
//            register fragments of wgmma); then the product is one instruction of the warp group.
// Behind it: a load that does not depend on a loop moves in front of it, equal loads become one.
// Verifies:  the kernel, by its operations' verifiers.
//
//===----------------------------------------------------------------------===//
#include "Converter.h"

using namespace mlir;
namespace heddle {

FailureOr<OwningOpRef<ModuleOp>> Converter::run() {
  const TaskInstance &entry = tree.mapping().entry();
  task::VariantOp variant = tree.variantOf(entry);
  task::TaskOp task = task::taskOf(variant);
  OwningOpRef<ModuleOp> module = kernel.begin(task);
  Frame frame{entry, variant};
  for (auto [i, argument] : llvm::enumerate(variant.getBody().getArguments())) {
    task::ParameterAttr parameter = task.getParameter(i);
    Value given = kernel.argument(i);
    if (!parameter.isTensor()) {
      frame.scalars[argument].value = given;
      continue;
    }
    TensorPart whole = tensors.all(tensors.makeView(given, parameter.getName().getValue()));
    whole.memory = globalMemory;
    frame.tensors[argument] = whole;
  }
  if (tree.depthOf(entry.proc) > tree.depthOf(blockLevel))
    return emitError(entry.placeOf("proc")) << "mapping: expected the entry at HOST or BLOCK, got " << entry.proc;
  if (entry.proc == blockLevel && failed(beginBlock(entry, {}, variant.getLoc())))
    return failure();
  if (failed(runVariant(frame)))
    return failure();
  if (!inBlock && !kernel.hasGrid())
    return variant.emitError("expected a launch of a task at BLOCK, got none");
  if (failed(checkNone()) || failed(kernel.finish(groups)))
    return failure();
  return module;
}

/// An error in the program, with the place in the mapping.
LogicalResult Converter::refuse(Operation *op, Location mapped, const std::string &what) {
  InFlightDiagnostic diag = emitError(op ? op->getLoc() : mapped) << what;
  if (op)
    diag.attachNote(mapped) << "the mapping";
  return diag;
}

std::optional<Converter::Refusal> Converter::attempt(llvm::function_ref<LogicalResult()> work) {
  Tensors::State before = tensors.save();
  Block *block = b.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  size_t ranges = collapsed.size(), depth = levels.size(), loops = pipelines.size(), grouped = groupsAt.size();
  size_t used = accesses.size(), nowhere = nones.size(), placed = places.size();
  int64_t groupsBefore = groups;
  std::optional<Refusal> refusal;
  ScopedDiagnosticHandler quiet(b.getContext(), [&](Diagnostic &diag) {
    if (!refusal)
      refusal = Refusal{diag.getLocation(), diag.str()};
    return success();
  });
  OpBuilder::InsertionGuard guard(b);
  if (succeeded(work()))
    return std::nullopt;
  tensors.restore(before);
  while (!block->empty() && &block->back() != last) {
    block->back().dropAllReferences();
    block->back().erase();
  }
  collapsed.truncate(ranges);
  levels.truncate(depth);
  pipelines.truncate(loops);
  groupsAt.truncate(grouped);
  groups = groupsBefore;
  accesses.erase(accesses.begin() + used, accesses.end());
  nones.erase(nones.begin() + nowhere, nones.end());
  places.resize(placed);
  return refusal;
}

FailureOr<OwningOpRef<ModuleOp>> convertTasks(ModuleOp program, const Mapping &mapping, const Machine &machine,
                                              std::vector<InstancePlaces> *places, InstanceLabels *labels) {
  FailureOr<Instances> tree = Instances::check(program, mapping, machine);
  if (failed(tree))
    return failure();
  OpBuilder builder(program.getContext());
  std::vector<InstancePlaces> unused;
  InstanceLabels unnamed;
  return Converter(*tree, builder, places ? *places : unused, labels ? *labels : unnamed).run();
}

} // namespace heddle
