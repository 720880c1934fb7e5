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

/// Elements between rows of `results` elements each, so that rows begin at other banks, at whole accesses.
static int64_t pitchOf(int64_t results, int64_t bytes, int64_t rows) {
  constexpr int64_t widest = 16; // bytes of an access
  return results * bytes % widest == 0 && rows > 1 ? results + widest / bytes : results;
}

/// Of an element that passes between warps.
static int64_t bytesOf(Type element) {
  return element.isIndex() ? leastElement : std::max<int64_t>(leastElement, element.getIntOrFloatBitWidth() / 8);
}

std::optional<hw::WarpFold> hw::warpFoldOf(tile::ReduceOp op) {
  constexpr int64_t fewResults = 4; // of a thread
  LinearLayout layout = hw::layoutOf(op.getSource().getType());
  std::optional<Reduction> plan = planReduction(layout, op.getAxis());
  if (!plan || plan->warpBits.empty())
    return std::nullopt;
  int64_t lanes = int64_t(1) << layout.lane().size(), results = plan->result.numRegisters();
  int64_t bytes = bytesOf(op.getResult().getType().getElementType());
  WarpFold fold;
  fold.divided = results > fewResults && lanes == threadsPerWarp;
  fold.rows = fold.divided ? lanes >> plan->laneMasks.size() : lanes;
  fold.pitch = fold.divided ? pitchOf(results, bytes, fold.rows) : results;
  fold.bytes = layout.numWarps() * fold.rows * fold.pitch * bytes;
  return fold;
}

std::vector<hw::WarpScan> hw::warpScansOf(RankedTensorType type, int64_t axis) {
  LinearLayout layout = hw::layoutOf(type);
  std::vector<int64_t> registers = layout.registers();
  auto bitOf = [&](const std::vector<LinearLayout::Vector> &basis, int64_t bit) -> std::optional<int> {
    auto found = llvm::find(basis, LinearLayout::unit(static_cast<int>(axis), bit));
    return found == basis.end() ? std::nullopt : std::optional<int>(found - basis.begin());
  };
  // The last bits at once, where warps have them all; they are compared as one number, so that they have to ascend.
  // Others one by one: four warps that need the folds of all read as much either way, and add more.
  int64_t size = type.getDimSize(axis), firstOfLast = size;
  for (int64_t bit = static_cast<int64_t>(llvm::PowerOf2Ceil(size)) / 2, above = 32; bit >= 1; bit /= 2) {
    std::optional<int> warp = bitOf(layout.warp(), bit);
    if (!warp || *warp >= above)
      break;
    above = *warp;
    firstOfLast = bit;
  }
  std::vector<WarpScan> scans;
  int64_t lower = 0; // bits of the register's number that tell lower positions apart
  int lanes = 0;     // the same of the lane's
  for (int64_t bit = 1; bit < size; bit *= 2) {
    if (std::optional<int> place = bitOf(layout.reg(), bit))
      lower |= int64_t(1) << *place;
    if (std::optional<int> place = bitOf(layout.lane(), bit))
      lanes |= 1 << *place;
    std::optional<int> warp = bitOf(layout.warp(), bit);
    if (!warp)
      continue;
    bool continues = !scans.empty() && scans.back().firstBit >= firstOfLast;
    if (!continues) {
      WarpScan scan;
      scan.firstBit = bit;
      scan.laneMask = lanes;
      for (auto [element, number] : llvm::enumerate(registers)) {
        auto first = llvm::find(registers, number & ~lower);
        int64_t stands = first == registers.end() ? static_cast<int64_t>(element) : first - registers.begin();
        auto known = llvm::find(scan.blocks, stands);
        scan.blockOf.push_back(known - scan.blocks.begin());
        if (known == scan.blocks.end())
          scan.blocks.push_back(stands);
      }
      scans.push_back(scan);
    }
    scans.back().warpMask |= 1 << *warp;
    scans.back().endBit = 2 * bit;
  }
  int64_t bytes = bytesOf(type.getElementType());
  for (WarpScan &scan : scans) {
    int64_t count = static_cast<int64_t>(scan.blocks.size());
    int64_t rows = (int64_t(1) << layout.lane().size()) >> llvm::popcount(static_cast<unsigned>(scan.laneMask));
    scan.pitch = pitchOf(count, bytes, rows);
    scan.bytes = layout.numWarps() * rows * scan.pitch * bytes;
  }
  return scans;
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
    int64_t bytes = 0;
    for (const WarpScan &scan : warpScansOf(type, along->axis))
      bytes = std::max(bytes, scan.bytes);
    return bytes;
  }
  if (auto op = dyn_cast<hw::ConvertLayoutOp>(operation)) {
    return planOf(op.getSource().getType(), op.getResult().getType()).kind == ConversionKind::SharedMemory
               ? exchangeTile(op.getSource().getType(), op.getResult().getType()).bytes()
               : 0;
  }
  return 0;
}
