//===- OrderPrograms.cpp - which program of a grid comes first -------------===//
//
// What:      tile.program_id 0 and 1 -> coordinates computed from them: a launch begins programs in ascending order of
//            their numbers, dimension 0 fastest; number n of a plane is given the coordinates of the n-th program of
//            the order that is wanted.
// Why:       where work grows with a coordinate (causal attention), the longest programs should not begin last: then
//            one multiprocessor still works when all others are done. Upward does the same where work falls with the
//            coordinate (causal attention's backward pass). Sections keep programs that read the same part of memory
//            beside each other; how many of them memory's cache holds is computed from the sizes of the launch.
// Where:     on the program as written, before it is made persistent: a persistent program takes numbers in the same
//            order.
// Why it may: programs of a grid are independent by definition (docs/TileDialect.md).
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/OrderPrograms.h"

#include "Arithmetic.h"
#include "SideBySide.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
namespace heddle {

/// Moves what `values` are computed from, all of it in `body`, to the beginning of `body`. Returns the last of it.
static Operation *hoist(Block &body, ValueRange values) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) { return op->getBlock() == &body; };
  for (Value value : values)
    if (Operation *op = value.getDefiningOp())
      (void)getBackwardSlice(op, &slice, options);
  Operation *last = nullptr;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (!slice.contains(&op))
      continue;
    if (last)
      op.moveAfter(last);
    else
      op.moveBefore(&body, body.begin());
    last = &op;
  }
  return last;
}

namespace {
enum class Trend { Same, Rises, Unknown };
}

static bool isPositive(Value value) {
  APInt constant;
  return value.getDefiningOp<tile::DimOp>() ||
         (matchPattern(value, m_ConstantInt(&constant)) && constant.isStrictlyPositive());
}

namespace {
/// How values follow the program's coordinate along dimension 0, the others fixed. Each is asked once: operands may
/// stand for many.
class FirstCoordinate {
public:
  Trend trendOf(Value value) {
    return once(trends, value, [&] { return findTrend(value); });
  }
  /// `value` as a linear function of it: its factor. None: it is no such function.
  std::optional<int64_t> factorOf(Value value) {
    return once(factors, value, [&] { return findFactor(value); });
  }
  /// Of the number of iterations.
  Trend trendOfTrips(scf::ForOp loop);

private:
  template <typename Known, typename Find> typename Known::mapped_type once(Known &known, Value value, Find find) {
    auto it = known.find(value);
    if (it != known.end())
      return it->second;
    typename Known::mapped_type found = find(); // which may make the table grow
    known[value] = found;
    return found;
  }
  Trend findTrend(Value value);
  std::optional<int64_t> findFactor(Value value);

  DenseMap<Value, Trend> trends;
  DenseMap<Value, std::optional<int64_t>> factors;
};
} // namespace

std::optional<int64_t> FirstCoordinate::findFactor(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) // of the kernel: the same for all programs
    return isa<tile::KernelOp>(value.getParentBlock()->getParentOp()) ? std::optional<int64_t>(0) : std::nullopt;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return id.getDim() == 0 ? 1 : 0;
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return std::nullopt;
  SmallVector<int64_t, 2> of;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> factor = factorOf(operand);
    if (!factor)
      return std::nullopt;
    of.push_back(*factor);
  }
  if (llvm::all_of(of, [](int64_t factor) { return factor == 0; }))
    return 0;
  if (isa<arith::IndexCastOp>(op))
    return of[0];
  if (isa<arith::AddIOp>(op))
    return llvm::checkedAdd(of[0], of[1]);
  if (isa<arith::SubIOp>(op))
    return llvm::checkedSub(of[0], of[1]);
  APInt constant;
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0u, 1u})
      if (matchPattern(op->getOperand(i), m_ConstantInt(&constant)))
        return llvm::checkedMul(of[1 - i], constant.getSExtValue());
  return std::nullopt;
}

Trend FirstCoordinate::findTrend(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) // of the kernel: the same for all programs
    return isa<tile::KernelOp>(value.getParentBlock()->getParentOp()) ? Trend::Same : Trend::Unknown;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return id.getDim() == 0 ? Trend::Rises : Trend::Same;
  SmallVector<Trend, 2> of;
  for (Value operand : op->getOperands())
    of.push_back(trendOf(operand));
  if (!op->getNumRegions() && isMemoryEffectFree(op) && llvm::all_of(of, [](Trend t) { return t == Trend::Same; }))
    return Trend::Same;
  if (llvm::is_contained(of, Trend::Unknown))
    return Trend::Unknown;
  if (isa<arith::AddIOp, arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp, arith::IndexCastOp>(op))
    return Trend::Rises;
  bool scaled = isa<arith::DivUIOp, arith::DivSIOp, arith::CeilDivUIOp, arith::CeilDivSIOp>(op);
  if (isa<arith::MulIOp>(op) || scaled) {
    bool right = of[1] == Trend::Same && isPositive(op->getOperand(1));
    bool left = !scaled && of[0] == Trend::Same && isPositive(op->getOperand(0));
    return right || left ? Trend::Rises : Trend::Unknown;
  }
  return isa<arith::SubIOp>(op) && of[1] == Trend::Same ? Trend::Rises : Trend::Unknown;
}

Trend FirstCoordinate::trendOfTrips(scf::ForOp loop) {
  if (trendOf(loop.getStep()) != Trend::Same)
    return Trend::Unknown;
  if (trendOf(loop.getLowerBound()) == Trend::Same)
    return trendOf(loop.getUpperBound());
  // A range that moves with the coordinate, as the keys on the diagonal do.
  std::optional<int64_t> from = factorOf(loop.getLowerBound()), to = factorOf(loop.getUpperBound());
  if (!from || !to || *to < *from)
    return Trend::Unknown;
  return *to == *from ? Trend::Same : Trend::Rises;
}

/// What makes a grid's size unknown outside of the grid; null: nothing does.
static Operation *countOfProcessors(tile::KernelOp kernel) {
  Operation *found = nullptr;
  kernel.walk([&](tile::MultiprocessorsOp op) { found = op; });
  return found;
}

bool growsWithFirstCoordinate(tile::KernelOp kernel) {
  if (countOfProcessors(kernel))
    return false;
  bool grows = false;
  FirstCoordinate first;
  WalkResult walk = kernel.walk([&](scf::ForOp loop) {
    if (!isScheduledLoop(loop))
      return WalkResult::advance();
    Trend trips = first.trendOfTrips(loop);
    grows |= trips == Trend::Rises;
    return trips == Trend::Unknown ? WalkResult::interrupt() : WalkResult::advance();
  });
  return grows && !walk.wasInterrupted();
}

ProgramOrder orderWhereWorkGrows(tile::KernelOp kernel, int64_t cacheBytes) {
  constexpr int64_t most = 32, least = 8;
  ProgramOrder order;
  if (!growsWithFirstCoordinate(kernel))
    return order;
  order.section = most;
  auto grid = *kernel.getBody().front().getOps<tile::GridOp>().begin();
  if (cacheBytes == 0 || grid.getSizes().size() == 1 || sharedReads(kernel).empty())
    return order;
  order.least = least;
  order.bytes = bytesSideBySide(cacheBytes);
  return order;
}

int64_t bytesSideBySide(int64_t cacheBytes) { return cacheBytes + cacheBytes / 2; }

LogicalResult orderPrograms(tile::KernelOp kernel, ProgramOrder order) {
  if (order.section == 0)
    return success();
  if (Operation *count = countOfProcessors(kernel))
    return count->emitOpError("cannot let programs with the ")
           << (order.upward ? "smallest" : "largest")
           << " first coordinate begin first: expected a grid that does not depend on the device, got one that counts "
              "its multiprocessors";
  Block &body = kernel.getBody().front();
  auto grid = *body.getOps<tile::GridOp>().begin();
  SmallVector<Value> sizes(grid.getSizes());
  SmallVector<tile::ProgramIdOp> ids;
  kernel.walk([&](tile::ProgramIdOp id) { ids.push_back(id); });
  bool oneLine = sizes.size() == 1 || order.section == 1;
  if (oneLine && order.upward) // as written
    return success();
  SmallVector<SharedRead> reads;
  if (order.least && order.bytes && !oneLine)
    reads = sharedReads(kernel);
  SmallVector<Value> first(sizes);
  for (const SharedRead &read : reads)
    if (read.sharers)
      first.push_back(read.sharers);
  Operation *last = hoist(body, first);
  OpBuilder b(kernel.getContext());
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(&body);
  Location loc = grid.getLoc();
  Arithmetic a(b, loc);
  Value own0 = tile::ProgramIdOp::create(b, loc, 0);
  Value last0 = order.upward ? Value() : a.sub(sizes[0], a.constant(1));
  SmallVector<Value, 2> at;
  if (oneLine) {
    at = {a.sub(last0, own0)};
  } else {
    // As bands of a raster, with the dimensions exchanged: sections along dimension 1, which is fastest inside.
    Value own1 = tile::ProgramIdOp::create(b, loc, 1), number = a.add(own0, a.mul(own1, sizes[0]));
    Value width = a.constant(order.section);
    if (!reads.empty()) {
      width = a.min(a.max(mostSideBySide(b, loc, reads, order.bytes), a.constant(order.least)), width);
      Value sections = arith::CeilDivUIOp::create(b, loc, sizes[1], width); // of equal width
      width = arith::CeilDivUIOp::create(b, loc, sizes[1], sections);
    }
    Value area = a.mul(width, sizes[0]), band = a.div(number, area);
    Value begin = a.mul(band, width), columns = a.min(width, a.sub(sizes[1], begin)), inBand = a.rem(number, area);
    Value along0 = a.div(inBand, columns);
    at = {order.upward ? along0 : a.sub(last0, along0), a.add(begin, a.rem(inBand, columns))};
  }
  at[0].getDefiningOp()->setAttr(nonNegativeAttr, b.getUnitAttr());
  for (auto [dim, coordinate] : llvm::enumerate(at))
    coordinate.getDefiningOp()->setLoc(NameLoc::get(b.getStringAttr("program" + Twine(dim)), loc));
  for (tile::ProgramIdOp id : ids)
    if (id.getDim() < at.size()) {
      id.replaceAllUsesWith(at[id.getDim()]);
      id.erase();
    }
  return success();
}

} // namespace heddle
