//===- Residency.cpp - see Residency.h ------------------------------------------===//
#include "Residency.h"

#include "Recompute.h"
#include "RegisterTilesImpl.h"
#include "heddle/Dialect/HW/Exchange.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Machine/Occupancy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

/// Registers of a thread beside tiles: coordinates, predicates and elements on their way, around an access of memory
/// and elsewhere; the address and the bounds of a row, where a thread has several; what several loads of one view share
/// of each coordinate, which stays for the next one.
constexpr int64_t aroundAccess = 16, aroundExchange = 14, perRow = 3, perShared = 2;
/// Fewer are never asked for: many blocks share a multiprocessor then anyway. Where more are needed ptxas decides.
/// With 48 only two blocks of 512 threads would share one: 8-bit transpositions run at 1.19 of that with three
/// (bench/results/2026-11-29-h200-blocks-of-40-registers.json).
constexpr int64_t leastAsked = 40, mostAsked = 80;

/// A few instructions an element. Long functions take registers that nobody here knows, and so do arithmetic in f64 and
/// the masks of tiles that were padded. Products have none: ptxas refuses bounds that leave too few for them.
bool isShort(Operation *op) {
  if (isa<hw::WgmmaOp>(op))
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    RankedTensorType tile = load.getType();
    int64_t columns = load.getView().getType().getShape().back();
    bool padded = tile.getRank() && !ShapedType::isDynamic(columns) && tile.getShape().back() > columns;
    if (padded || load.getExtent())
      return false;
  }
  Type element = op->getNumResults() ? getElementTypeOrSelf(op->getResult(0).getType()) : Type();
  if (element && element.isF64())
    return false;
  return !isLongFunction(op);
}

/// A choice has a loop of its own (Loops.cpp): behind the one that computes what it chooses by, where that is long.
bool choosesBehindLoop(Operation *op) {
  constexpr int64_t few = 8; // operations behind one another that ptxas moves into the other loop
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select || !isa<RankedTensorType>(select.getCondition().getType()))
    return false;
  SmallVector<Value> open{select.getCondition()};
  llvm::SmallDenseSet<Operation *> seen;
  while (!open.empty() && static_cast<int64_t>(seen.size()) <= few) {
    Operation *def = open.pop_back_val().getDefiningOp();
    if (!def || !def->hasTrait<OpTrait::Elementwise>() || !isa<RankedTensorType>(def->getResult(0).getType()) ||
        !seen.insert(def).second)
      continue;
    llvm::append_range(open, def->getOperands());
  }
  return static_cast<int64_t>(seen.size()) > few;
}

/// Rows of memory of which a thread holds a part.
int64_t rowsOf(RankedTensorType tile) {
  if (tile.getRank() < 2)
    return 1;
  LinearLayout layout = hw::layoutOf(tile);
  llvm::SmallDenseSet<LinearLayout::Vector> rows;
  for (int64_t r : layout.registers())
    rows.insert(LinearLayout::dropDim(layout.at(r, 0, 0), layout.rank() - 1));
  return static_cast<int64_t>(rows.size());
}

/// What has been folded so far and the fold of its whole part, for each element (`printScan`); narrow types fold in 32
/// bits.
int64_t registersAlong(RankedTensorType tile) {
  Type element = tile.getElementType();
  int64_t words = std::max<int64_t>(1, element.isIndex() ? 2 : element.getIntOrFloatBitWidth() / 32);
  return 2 * words * hw::layoutOf(tile).numRegisters();
}

/// Between `first` and `last`, as operations are printed.
struct Interval {
  int64_t first, last, registers;
};

class Residency {
public:
  explicit Residency(hw::RoleOp role) : role(role), recomputed(findRecomputed(role)) {
    role.walk<WalkOrder::PreOrder>([&](Operation *op) { number[op] = static_cast<int64_t>(number.size()); });
  }

  /// Registers that are live at once.
  int64_t registers() {
    int64_t most = 0, rows = 1, shared = 0;
    SmallVector<Interval> tiles;
    llvm::SmallDenseSet<Value> loaded;
    role.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<tile::LoadOp, tile::GatherOp>(op))
        rows = std::max(rows, rowsOf(cast<RankedTensorType>(op->getResult(0).getType())));
      if (auto load = dyn_cast<tile::LoadOp>(op); load && !loaded.insert(load.getView()).second)
        shared = std::max(shared, perShared * load.getView().getType().getRank());
      if (auto store = dyn_cast<tile::StoreOp>(op))
        rows = std::max(rows, rowsOf(store.getValue().getType()));
      for (Value result : op->getResults())
        add(result, tiles);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            add(argument, tiles);
    });
    role.walk([&](Operation *op) {
      bool loads = isa<tile::LoadOp, tile::GatherOp>(op), stores = isa<tile::StoreOp>(op);
      std::optional<AlongAxis> along = AlongAxis::of(op);
      bool again = op->hasTrait<OpTrait::IsTerminator>() && isa<LoopLikeOpInterface>(op->getParentOp());
      bool chooses = choosesBehindLoop(op);
      if (!loads && !stores && !again && !chooses && !isa<tile::ReduceOp>(op) && !along && hw::exchangeBytes(op) == 0)
        return;
      int64_t at = number.lookup(op), sum = loads || stores ? aroundAccess : aroundExchange;
      sum += loads ? registersOf(cast<RankedTensorType>(op->getResult(0).getType())) : 0;
      sum += along ? registersAlong(cast<RankedTensorType>(along->result.getType())) : 0;
      for (const Interval &tile : tiles)
        if (tile.first < at && (stores || again || chooses ? tile.last >= at : tile.last > at))
          sum += tile.registers;
      most = std::max(most, sum);
    });
    return most + shared + (rows > 1 ? perRow * rows : 0);
  }

private:
  void add(Value value, SmallVectorImpl<Interval> &tiles) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (!tile || recomputed.contains(value))
      return;
    Operation *scope = value.getParentBlock()->getParentOp();
    Operation *def = value.getDefiningOp() ? value.getDefiningOp() : scope;
    // What a loop gives lies where its variable does, which is counted while the loop runs.
    int64_t made = value.getDefiningOp() ? endOf(def) : number.lookup(def);
    Interval interval{made, made, registersOf(tile)};
    forEachReader(value, recomputed, [&](Operation *reader, bool) {
      interval.last = std::max(interval.last, number.lookup(reader));
      for (Operation *op = reader->getParentOp(); op && op != scope; op = op->getParentOp())
        if (isa<LoopLikeOpInterface>(op)) // every trip reads it
          interval.last = std::max(interval.last, endOf(op));
    });
    tiles.push_back(interval);
  }

  int64_t endOf(Operation *op) {
    int64_t last = number.lookup(op);
    op->walk([&](Operation *inner) { last = std::max(last, number.lookup(inner)); });
    return last;
  }

  hw::RoleOp role;
  RecomputedTiles recomputed;
  DenseMap<Operation *, int64_t> number;
};

} // namespace

/// On a prepared kernel: an i64, what chooseResidency decides.
static constexpr llvm::StringLiteral residentAttr = "heddle.resident_blocks";

static int64_t blocksToAskFor(hw::KernelOp kernel) {
  if (auto asked = kernel->getAttrOfType<IntegerAttr>(hw::blocksAttr))
    return asked.getInt();
  auto roles = kernel.getBody().getOps<hw::RoleOp>();
  if (!llvm::hasSingleElement(roles) ||
      kernel.walk([](Operation *op) { return isShort(op) ? WalkResult::advance() : WalkResult::interrupt(); })
          .wasInterrupted())
    return 1;
  constexpr int64_t mostThreads = 1536; // three quarters of what a multiprocessor holds are enough
  int64_t registers = std::max(leastAsked, Residency(*roles.begin()).registers());
  int64_t threads = kernel.getThreads();
  if (registers > mostAsked)
    return 1;
  return std::max<int64_t>(1, std::min(Occupancy().blocksOf(threads, registers), mostThreads / threads));
}

void cuda::chooseResidency(hw::KernelOp kernel) {
  kernel->setAttr(residentAttr, Builder(kernel.getContext()).getI64IntegerAttr(blocksToAskFor(kernel)));
}

int64_t cuda::residentBlocks(hw::KernelOp kernel) { return kernel->getAttrOfType<IntegerAttr>(residentAttr).getInt(); }
