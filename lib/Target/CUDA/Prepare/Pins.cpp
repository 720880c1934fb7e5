//===- Pins.cpp - see Pins.h ----------------------------------------------------===//
#include "Pins.h"

#include "RegisterTilesImpl.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

/// Registers of a thread that may be live at a read before anything is pinned: half of what a thread can have.
constexpr int64_t mostLive = 128;

class PinFinder {
public:
  PinFinder(hw::RoleOp role, const RecomputedTiles &recomputed) : role(role), recomputed(recomputed) {
    role.walk<WalkOrder::PreOrder>([&](Operation *op) {
      number[op] = static_cast<int64_t>(number.size());
      for (Value result : op->getResults())
        if (isa<RankedTensorType>(result.getType()) && !recomputed.contains(result))
          tiles.push_back(result);
    });
  }

  Pins run() {
    role.walk([&](hw::ReadOp read) {
      auto loop = read->getParentOfType<LoopLikeOpInterface>();
      if (!loop || holdsLoop(loop))
        visit(read);
    });
    return std::move(pins);
  }

private:
  /// The loop over programs of a persistent kernel, say.
  static bool holdsLoop(Operation *loop) {
    return loop
        ->walk(
            [&](LoopLikeOpInterface inner) { return inner == loop ? WalkResult::advance() : WalkResult::interrupt(); })
        .wasInterrupted();
  }

  static int64_t registersOf(Value tile) { return registerArrayOf(cast<RankedTensorType>(tile.getType())).size; }

  bool isLiveAcross(Value tile, Operation *op) {
    if (number.lookup(tile.getDefiningOp()) >= number.lookup(op))
      return false;
    bool read = false;
    forEachReader(tile, recomputed,
                  [&](Operation *reader, bool) { read |= number.lookup(reader) > number.lookup(op); });
    return read;
  }

  void visit(hw::ReadOp read) {
    int64_t live = registersOf(read.getResult());
    SmallVector<Value> computed;
    for (Value tile : tiles)
      if (isLiveAcross(tile, read)) {
        live += registersOf(tile);
        Operation *def = tile.getDefiningOp();
        bool single = computeTypeOf(cast<RankedTensorType>(tile.getType()).getElementType()) == "float";
        if (single && def->hasTrait<OpTrait::Elementwise>() && def->getBlock() == read->getBlock())
          computed.push_back(tile);
      }
    if (live > mostLive && !computed.empty())
      pins[read] = computed;
  }

  hw::RoleOp role;
  const RecomputedTiles &recomputed;
  llvm::DenseMap<Operation *, int64_t> number;
  SmallVector<Value> tiles;
  Pins pins;
};

} // namespace

Pins cuda::findPins(hw::RoleOp role, const RecomputedTiles &recomputed) { return PinFinder(role, recomputed).run(); }
