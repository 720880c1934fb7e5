//===- Exchange.cpp - see Exchange.h --------------------------------------------===//
#include "heddle/Dialect/HW/Exchange.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

constexpr int64_t rowPadding = 16, leastElement = 4;

hw::ExchangeTile hw::exchangeTile(RankedTensorType type) {
  ExchangeTile tile;
  tile.cols = type.getRank() == 0 ? 1 : type.getShape().back();
  tile.rows = type.getNumElements() / tile.cols;
  Type element = type.getElementType();
  tile.elemBytes = element.isInteger(1) || element.isIndex() ? leastElement : element.getIntOrFloatBitWidth() / 8;
  tile.pitchBytes = llvm::alignTo(tile.cols * tile.elemBytes, rowPadding) + (tile.rows > 1 ? rowPadding : 0);
  return tile;
}

int64_t hw::exchangeBytes(Operation *operation) {
  if (auto op = dyn_cast<tile::ReduceOp>(operation)) {
    LinearLayout layout = hw::layoutOf(op.getSource().getType());
    std::optional<Reduction> plan = planReduction(layout, op.getAxis());
    if (!plan || plan->warpBits.empty())
      return 0;
    int64_t lanes = int64_t(1) << layout.lane().size();
    return layout.numWarps() * plan->result.numRegisters() * lanes *
           std::max<int64_t>(leastElement, op.getResult().getType().getElementTypeBitWidth() / 8);
  }
  if (auto op = dyn_cast<hw::ConvertLayoutOp>(operation)) {
    Conversion plan = planConversion(hw::layoutOf(op.getSource().getType()), hw::layoutOf(op.getResult().getType()));
    return plan.kind == ConversionKind::SharedMemory ? exchangeTile(op.getSource().getType()).bytes() : 0;
  }
  return 0;
}
