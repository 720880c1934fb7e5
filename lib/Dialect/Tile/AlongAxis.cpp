//===- AlongAxis.cpp - see AlongAxis.h --------------------------------------------===//
#include "heddle/Dialect/Tile/AlongAxis.h"

#include "heddle/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace heddle;

std::optional<AlongAxis> AlongAxis::of(Operation *op) {
  if (auto scan = dyn_cast_or_null<tile::ScanOp>(op))
    return AlongAxis{scan.getSource(), scan.getResult(), static_cast<int64_t>(scan.getAxis())};
  return std::nullopt;
}
