//===- Exchange.cpp - see Exchange.h --------------------------------------------===//
#include "heddle/Dialect/HW/Exchange.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Occupancy.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

constexpr int64_t rowPaddings[] = {16, 8, 4}, leastElement = 4;

std::optional<RankedTensorType> hw::inRows(RankedTensorType type) {
  if (type.getRank() <= 2)
    return type;
  int64_t last = type.getRank() - 1;
  if (!llvm::all_of(type.getShape().drop_front().drop_back(), [](int64_t d) { return llvm::isPowerOf2_64(d); }))
    return std::nullopt;
  std::vector<std::vector<int64_t>> runs(2);
  for (int64_t d = 0; d <= last; ++d)
    runs[d == last].push_back(d);
  SmallVector<int64_t> shape{type.getNumElements() / type.getDimSize(last), type.getDimSize(last)};
  auto rows = RankedTensorType::get(shape, type.getElementType());
  return hw::withLayout(rows, reshapeLayout(hw::layoutOf(type), {shape.begin(), shape.end()}, runs, /*expands=*/false));
}

hw::ExchangeTile hw::exchangeTile(RankedTensorType type, RankedTensorType to) {
  ExchangeTile tile;
  tile.cols = type.getRank() == 0 ? 1 : type.getShape().back();
  tile.rows = type.getNumElements() / tile.cols;
  Type element = type.getElementType();
  tile.elemBytes = element.isInteger(1) || element.isIndex() ? leastElement : element.getIntOrFloatBitWidth() / 8;
  int64_t rowBytes = tile.cols * tile.elemBytes, least = 0;
  if (tile.rows == 1) {
    tile.pitchBytes = llvm::alignTo(rowBytes, rowPaddings[0]);
    return tile;
  }
  for (int64_t padding : rowPaddings) {
    if (padding < tile.elemBytes)
      continue;
    int64_t pitch = llvm::alignTo(rowBytes, padding) + padding, passes = 0;
    for (RankedTensorType side : {type, to})
      if (std::optional<RankedTensorType> rows = inRows(side))
        passes += bankPasses(hw::layoutOf(*rows), {tile.rows, tile.cols, tile.elemBytes, pitch});
    if (tile.pitchBytes && passes >= least)
      continue;
    tile.pitchBytes = pitch;
    least = passes;
  }
  return tile;
}

int64_t hw::elementsPerWord(Type element) {
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 32;
  return bits == 8 || bits == 16 ? 32 / bits : 1;
}

bool hw::isExchanged(Type element) {
  return element.isIndex() || (!element.isInteger(1) && element.getIntOrFloatBitWidth() <= 32);
}

Conversion hw::planOf(RankedTensorType from, RankedTensorType to) {
  Type element = from.getElementType();
  Conversion plan = planConversion(layoutOf(from), layoutOf(to), elementsPerWord(element));
  return plan.kind == ConversionKind::Exchange && !isExchanged(element) ? Conversion() : plan;
}

std::optional<hw::WarpFold> hw::warpFoldOf(tile::ReduceOp op) {
  constexpr int64_t fewResults = 4, widest = 16; // of a thread; bytes of an access
  LinearLayout layout = hw::layoutOf(op.getSource().getType());
  std::optional<Reduction> plan = planReduction(layout, op.getAxis());
  if (!plan || plan->warpBits.empty())
    return std::nullopt;
  int64_t lanes = int64_t(1) << layout.lane().size(), results = plan->result.numRegisters();
  Type element = op.getResult().getType().getElementType();
  int64_t bytes =
      element.isIndex() ? leastElement : std::max<int64_t>(leastElement, element.getIntOrFloatBitWidth() / 8);
  WarpFold fold;
  fold.divided = results > fewResults && lanes == threadsPerWarp;
  fold.rows = fold.divided ? lanes >> plan->laneMasks.size() : lanes;
  // Rows that begin at other banks, at whole accesses.
  fold.pitch = results * bytes % widest == 0 && fold.rows > 1 ? results + widest / bytes : results;
  if (!fold.divided)
    fold.pitch = results;
  fold.bytes = layout.numWarps() * fold.rows * fold.pitch * bytes;
  return fold;
}

int64_t hw::exchangeBytes(Operation *operation) {
  if (isa<tile::WindowOp>(operation)) { // the kernel's tensor maps are made in 128 bytes each, at multiples of that
    auto isMade = [](Operation *user) { return isa<hw::TensorMapOp, warp::CopyOp, warp::CopyOutOp>(user); };
    if (llvm::none_of(operation->getUsers(), isMade))
      return 0;
    int64_t maps = 0;
    operation->getParentOfType<FunctionOpInterface>().walk(
        [&](tile::WindowOp window) { maps += llvm::count_if(window->getUsers(), isMade); });
    return 128 * (1 + maps);
  }
  if (auto op = dyn_cast<tile::ReduceOp>(operation)) {
    std::optional<WarpFold> fold = warpFoldOf(op);
    return fold ? fold->bytes : 0;
  }
  if (std::optional<AlongAxis> along = AlongAxis::of(operation)) {
    auto type = cast<RankedTensorType>(along->result.getType());
    LinearLayout layout = hw::layoutOf(type);
    bool crosses = llvm::any_of(layout.warp(), [&](LinearLayout::Vector v) {
      return LinearLayout::component(v, static_cast<int>(along->axis)) != 0;
    });
    Type element = type.getElementType();
    int64_t bytes = element.isIndex() ? leastElement : element.getIntOrFloatBitWidth() / 8;
    return crosses ? layout.numWarps() * layout.numRegisters() * (int64_t(1) << layout.lane().size()) *
                         std::max(leastElement, bytes)
                   : 0;
  }
  if (auto op = dyn_cast<hw::ConvertLayoutOp>(operation)) {
    return planOf(op.getSource().getType(), op.getResult().getType()).kind == ConversionKind::SharedMemory
               ? exchangeTile(op.getSource().getType(), op.getResult().getType()).bytes()
               : 0;
  }
  return 0;
}
