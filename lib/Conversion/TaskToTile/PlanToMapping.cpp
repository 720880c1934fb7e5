//===- PlanToMapping.cpp - from the plan of tasks' kernel back to a mapping ---===//
//
// What:      decisions of a plan, by the labels that the conversion gave operations -> keys of a mapping's instances.
//            What decides the tree itself (variants, levels, memories, tunables, calls, order) has made the program,
//            and stays; what only a plan can say (starts, groups of operations, registers ...) is left out.
//
//===----------------------------------------------------------------------===//
#include "Instances.h"
#include "heddle/Analysis/Plan.h"
#include "heddle/Conversion/TaskToTile/TaskToTile.h"

using namespace mlir;
namespace heddle {

/// One number for all sub-tiles; none: they differ.
static std::optional<int64_t> oneNumber(Attribute value) {
  SmallVector<int64_t> numbers = planNumbers(value);
  return llvm::all_equal(numbers) ? std::optional(numbers.front()) : std::nullopt;
}

/// Whether a mapping says this decision about a kernel among others: not what its other keys state, and neither what is
/// so of every kernel nor registers, which follow from groups, unless it is `known` to say them.
static bool isSaid(NamedAttribute decision, const NamedAttrList &known) {
  if (Mapping::statesOtherwise(decision.getName()))
    return false;
  bool usual = decision.getName() == "registers" ||
               (decision.getName() == "tiles" && cast<IntegerAttr>(decision.getValue()).getInt() == 1);
  return !usual || known.get(decision.getName());
}

FailureOr<Mapping> mappingOf(const Mapping &mapping, const InstanceLabels &labels, StringRef text, StringRef file,
                             const Machine &machine, MLIRContext *context) {
  FailureOr<DecisionFile> plan = DecisionFile::read(text, file, "plan", "label", context);
  if (failed(plan))
    return failure();
  Mapping made = mapping;
  auto instanceOf = [&](StringRef name) {
    return llvm::find_if(made.instances(), [&](const TaskInstance &i) { return i.name == name; });
  };
  // The instance whose range is the grid, and that of a block, which the former launches.
  TaskInstance *host = nullptr, *block = &*instanceOf(mapping.entry().name);
  while (block->proc == hostLevel && !block->calls.empty()) {
    host = block;
    block = &*instanceOf(block->calls.front());
  }
  auto decisionsOf = [&](StringRef label) { return dyn_cast_or_null<DictionaryAttr>(plan->entries().get(label)); };
  if (DictionaryAttr kernel = decisionsOf(kernelLabel)) {
    if (auto persistent = kernel.getAs<BoolAttr>("persistent"); persistent && host)
      host->persistent = persistent.getValue();
    if (auto raster = kernel.getAs<IntegerAttr>("raster"); raster && host)
      host->raster = raster.getInt();
    if (auto specialize = kernel.getAs<BoolAttr>("warp_specialize"))
      block->warpspecialize = specialize.getValue();
    if (auto smem = kernel.getAs<IntegerAttr>("smem"); smem && smem.getInt() < machine.memoryCapacity("smem"))
      block->smem = smem.getInt();
    NamedAttrList further(block->plan ? block->plan : DictionaryAttr::get(context));
    for (NamedAttribute decision : kernel)
      if (isSaid(decision, further))
        further.set(decision.getName(), decision.getValue());
    if (!further.empty())
      block->plan = further.getDictionary(context);
  }
  std::optional<int64_t> scale;
  bool alike = true;
  for (NamedAttribute entry : plan->entries())
    if (auto own = cast<DictionaryAttr>(entry.getValue()).getAs<IntegerAttr>("scale")) {
      alike &= !scale || *scale == own.getInt();
      scale = own.getInt();
    }
  if (scale && alike)
    block->scale = scale;
  std::map<std::pair<TaskInstance *, StringRef>, std::optional<int64_t>> found; // none: not one number
  for (auto &[label, instance] : labels) {
    TaskInstance *at = &*instanceOf(instance);
    StringRef key = at->calls.empty() ? "stage" : "ring"; // of a leaf's product, else of a load
    DictionaryAttr decisions = decisionsOf(label);
    Attribute value = decisions ? decisions.get(key) : Attribute(); // none: outside of loops
    std::optional<int64_t> number = value ? oneNumber(value) : std::nullopt;
    auto [known, isNew] = found.insert({{at, key}, number});
    if (!isNew && known->second != number)
      known->second = std::nullopt;
  }
  for (auto &[at, number] : found)
    if (number)
      (at.second == "ring" ? at.first->pipeline : at.first->stage) = number;
  return made;
}

} // namespace heddle
