//===- Reshape.cpp - see Reshape.h -------------------------------------------===//
#include "heddle/Dialect/Tile/Reshape.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace heddle {

std::optional<Reshape> Reshape::of(Operation *op) {
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return Reshape{expand.getSrc(), expand.getResult(), true, expand.getReassociationIndices()};
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    return Reshape{collapse.getSrc(), collapse.getResult(), false, collapse.getReassociationIndices()};
  return std::nullopt;
}

std::optional<int64_t> Reshape::axisOf(int64_t axis, bool ofSource) const {
  auto runs = cast<RankedTensorType>((expands ? result : source).getType());
  for (auto [dim, run] : llvm::enumerate(groups)) {
    const auto *leading = llvm::find_if(run, [&](int64_t d) { return runs.getDimSize(d) > 1; });
    int64_t first = leading == run.end() ? run.front() : *leading;
    if (expands == ofSource) { // from one dimension to its run
      if (static_cast<int64_t>(dim) == axis)
        return first;
    } else if (first == axis) {
      return dim;
    }
  }
  return std::nullopt;
}

bool Reshape::splitsBits() const {
  auto runs = cast<RankedTensorType>((expands ? result : source).getType());
  return llvm::all_of(groups, [&](const ReassociationIndices &run) {
    const auto *first = llvm::find_if(run, [&](int64_t d) { return runs.getDimSize(d) > 1; });
    return std::all_of(first == run.end() ? first : std::next(first), run.end(),
                       [&](int64_t d) { return llvm::isPowerOf2_64(runs.getDimSize(d)); });
  });
}

} // namespace heddle
