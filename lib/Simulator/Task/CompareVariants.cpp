//===- CompareVariants.cpp - see CompareVariants.h ---------------------------===//
#include "heddle/Simulator/Task/CompareVariants.h"

#include "heddle/Dialect/Task/Program.h"
#include "heddle/Dialect/Task/Signature.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;
using namespace heddle::task;

/// Most values tried of one tunable, beside its own.
static constexpr unsigned maxChoices = 8;

FailureOr<std::vector<VariantComparison>> heddle::sim::compareVariants(TaskOp task, const Bindings &bound) {
  FailureOr<Meaning> meaning = meaningOf(task, bound);
  if (failed(meaning))
    return failure();
  std::vector<VariantComparison> comparisons;
  auto compare = [&](VariantOp variant, TunableOp changed, int64_t value) -> LogicalResult {
    TaskChoices choices;
    VariantComparison comparison{variant, "", {}};
    if (changed) {
      choices.tunable = [&](TunableOp tunable) { return tunable == changed ? value : tunable.getValue(); };
      comparison.choice = changed.getTunable().str() + " = " + std::to_string(value);
    }
    Bindings got = bound;
    if (failed(runVariant(variant, got, choices)))
      return failure();
    comparison.result = compareWith(*meaning, got);
    comparisons.push_back(std::move(comparison));
    return success();
  };
  VariantOp meant = meaningsOf(task->getParentOfType<ModuleOp>()).lookup(task);
  for (VariantOp variant : variantsOf(task)) {
    if (variant != meant && failed(compare(variant, TunableOp(), 0)))
      return failure();
    for (auto tunable : variant.getBody().getOps<TunableOp>())
      for (int64_t choice : tunable.getChoices().value_or(ArrayRef<int64_t>()).take_front(maxChoices))
        if (choice != static_cast<int64_t>(tunable.getValue()) && failed(compare(variant, tunable, choice)))
          return failure();
  }
  return comparisons;
}

Result<Bindings> heddle::sim::bindForComparison(TaskOp task, uint64_t seed) {
  BindingRequest request;
  request.seed = seed;
  auto defaults = task->getAttrOfType<DictionaryAttr>("tile.default_dims");
  for (VariantOp variant : variantsOf(task))
    for (auto [argument, attr] : llvm::zip(variant.getBody().getArguments(), task.getParameters())) {
      auto parameter = cast<ParameterAttr>(attr);
      if (!parameter.isTensor()) {
        if (!parameter.getByDefault())
          request.scalars[parameter.getName().str()] = parameter.getType().isF32() ? 0.5 : 1;
        continue;
      }
      auto tile = dyn_cast<RankedTensorType>(argument.getType());
      for (auto [d, dim] : llvm::enumerate(parameter.getDims())) {
        auto name = dyn_cast<StringAttr>(dim);
        if (!name || (defaults && defaults.contains(name)))
          continue;
        int64_t &size = request.dims.try_emplace(name.str(), 128).first->second;
        if (tile)
          size = 2 * tile.getDimSize(d);
      }
    }
  return bindTask(task, request);
}
