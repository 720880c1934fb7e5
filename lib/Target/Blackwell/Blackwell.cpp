//===- Blackwell.cpp - sm_100a, for schedules ---------------------------------===//
//
// What differs from Hopper for a schedule: sums stay in tensor memory, and a thread that loads one holds a row of it
// (PTX ISA, tcgen05.ld): a tile of 128 rows takes a register per column, a vector along the rows one; one along the
// columns is the same in every thread and is spread over a warp's lanes (assumption); truth values are bits of a
// register (as FlashAttention-4 keeps masks). No kernel is emitted: the dialects have no tensor memory.
//
//===----------------------------------------------------------------------------===//
#include "Hopper/Hopper.h"

#include "heddle/Machine/Occupancy.h"

using namespace mlir;
using namespace heddle;

namespace {

constexpr int64_t rowsOfTensorMemory = 128, bitsOfColumn = 32;

class Blackwell : public Hopper {
public:
  StringRef name() const override { return "sm_100a"; }
  bool emitsKernels() const override { return false; }
  bool keepsSumsInMemory() const override { return true; }
  StringRef dotClass() const override { return "tcgen05"; }
  bool copiesRow(RankedTensorType tile) const override { return false; } // statistics stay with the groups
  int64_t memoryColumns(RankedTensorType tile) const override {
    return llvm::divideCeil(tile.getDimSize(0), rowsOfTensorMemory) *
           llvm::divideCeil(tile.getDimSize(1) * tile.getElementTypeBitWidth(), bitsOfColumn);
  }
  bool holdsRowPerThread() const override { return true; }
  ColumnSharing columnSharing() const override { return {}; }
  ColumnSharing readSharing(RankedTensorType tile) const override { return {}; }

  int64_t warpsOf(RankedTensorType tile, const TileHolders &holders) const override {
    if (tile.getRank() == 0 || (tile.getRank() == 1 && holders.alongColumns))
      return holders.warps;
    return warpsPerGroup * std::max<int64_t>(1, llvm::divideCeil(tile.getDimSize(0), rowsOfTensorMemory));
  }

  int64_t registersOf(RankedTensorType tile, const TileHolders &holders) const override {
    bool spread = tile.getRank() == 1 && holders.alongColumns;
    int64_t sharing = spread ? threadsPerWarp : threadsPerWarp * warpsOf(tile, holders),
            elements = std::max<int64_t>(1, tile.getNumElements() / sharing);
    return llvm::divideCeil(elements * tile.getElementTypeBitWidth(), 32);
  }
};

} // namespace

const TargetInterface &heddle::blackwellTarget() {
  static const Blackwell target;
  return target;
}
