//===- ConstantParts.cpp - see ConstantParts.h --------------------------------===//
#include "ConstantParts.h"

using namespace mlir;
namespace heddle {

DenseElementsAttr partOfConstant(DenseElementsAttr whole, RankedTensorType part, int64_t g, int64_t axis) {
  if (whole.isSplat())
    return DenseElementsAttr::get(part, whole.getSplatValue<Attribute>());
  if (axis < 0)
    return whole;
  int64_t inner = 1, size = part.getDimSize(axis), along = cast<RankedTensorType>(whole.getType()).getDimSize(axis);
  for (int64_t d = axis + 1; d < part.getRank(); ++d)
    inner *= part.getDimSize(d);
  SmallVector<Attribute> values;
  for (auto [i, value] : llvm::enumerate(whole.getValues<Attribute>()))
    if (int64_t(i) / inner % along / size == g)
      values.push_back(value);
  return DenseElementsAttr::get(part, values);
}

} // namespace heddle
