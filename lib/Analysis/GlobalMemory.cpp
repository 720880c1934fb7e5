//===- GlobalMemory.cpp - dependences through global memory ----------------===//
//
// What:      see the header.
// Algorithm: every index is an affine sum of atoms (AffineIndex.h). Two accesses are compared under one assumption at a
//            time: the same iteration of every loop around both; or, for each of these loops, different iterations of
//            it in the same iteration of the loops outside it. Atoms that no other loop changes are then equal for both
//            and cancel; the others are free. Two boxes are apart when they are apart in one dimension: when no value
//            of the difference of the two indices lies within the boxes' extents, by its bounds and by the greatest
//            common divisor of its coefficients (the classical interval and GCD tests), and exactly where the only
//            unknown is the distance in iterations. The distances that no dimension excludes are the dependence's.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/GlobalMemory.h"

#include "AffineIndex.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
namespace heddle {

bool MemoryDependence::isForward() const {
  return sameIteration || llvm::any_of(carried, [](const Carried &c) { return c.forward.has_value(); });
}

bool MemoryDependence::isBackward() const {
  return llvm::any_of(carried, [](const Carried &c) { return c.backward.has_value(); });
}

namespace {
constexpr int64_t unbounded = int64_t(1) << 61;

int64_t floorDiv(int64_t a, int64_t b) {
  return b < 0 ? llvm::divideFloorSigned(-a, -b) : llvm::divideFloorSigned(a, b);
}
int64_t ceilDiv(int64_t a, int64_t b) { return b < 0 ? llvm::divideCeilSigned(-a, -b) : llvm::divideCeilSigned(a, b); }

struct Access {
  Operation *op;
  Value view;
  OperandRange indices;
  SmallVector<int64_t> extents; ///< of the box, one per dimension of the view
  bool writes, adds;
  int64_t anywhere = -1; ///< the dimension in which the box may lie anywhere, or -1
};

/// Numbers between two bounds; `unbounded` and beyond stand for infinity.
struct Range {
  int64_t least = 0, most = 0;

  /// Adds factor * r.
  void add(int64_t factor, const Range &r) {
    auto times = [&](int64_t n) {
      int64_t product;
      if (n > -unbounded && n < unbounded && !llvm::MulOverflow(factor, n, product))
        return std::clamp(product, -unbounded, unbounded);
      return (n < 0) == (factor < 0) ? unbounded : -unbounded;
    };
    auto sum = [](int64_t a, int64_t b) { return std::clamp(a + b, -unbounded, unbounded); };
    auto infinite = [](int64_t n) { return n <= -unbounded || n >= unbounded; };
    int64_t low = times(factor < 0 ? r.most : r.least), high = times(factor < 0 ? r.least : r.most);
    least = infinite(least) || infinite(low) ? -unbounded : sum(least, low);
    most = infinite(most) || infinite(high) ? unbounded : sum(most, high);
  }
};

/// What one dimension says of the difference of two indices (of the first minus of the second access):
/// constant + factor * distance + something that is a multiple of `divisor` within `rest`.
struct Difference {
  int64_t constant = 0;
  int64_t factor = 0;  ///< of the distance in iterations (the first's minus the second's)
  int64_t divisor = 0; ///< 0: nothing else is unknown
  Range rest;

  /// Whether the difference can lie strictly between -low and high at this distance.
  bool meets(int64_t distance, int64_t low, int64_t high) const {
    int64_t base = constant + factor * distance;
    int64_t from = std::max(rest.least, 1 - low - base), to = std::min(rest.most, high - 1 - base);
    if (divisor == 0)
      return from <= 0 && 0 <= to;
    return from <= to && ceilDiv(from, divisor) <= floorDiv(to, divisor);
  }
};

/// Distances in iterations at which two accesses may meet: those between the bounds except some around zero.
struct Distances {
  int64_t least = -unbounded, most = unbounded;
  int64_t positive = 1, negative = 1; ///< nothing closer than this

  std::optional<int64_t> firstPositive() const {
    int64_t d = std::max(positive, least);
    return d <= most ? std::optional<int64_t>(d) : std::nullopt;
  }
  std::optional<int64_t> firstNegative() const {
    int64_t d = std::max(negative, -most);
    return -d >= least ? std::optional<int64_t>(d) : std::nullopt;
  }
};

/// Iterations of a loop that is scheduled overlap, and nothing tells them apart when a run is checked: what its author
/// says of it is not relied on.
static bool isIndependent(Operation *loop) {
  return loop->hasAttr(independentAttr) && loop->walk([&](LoopLikeOpInterface inner) {
                                                 return inner == loop ? WalkResult::advance() : WalkResult::interrupt();
                                               })
                                               .wasInterrupted();
}

class Finder {
public:
  explicit Finder(tile::KernelOp kernel) : kernel(kernel) {}

  SmallVector<MemoryDependence> run() {
    SmallVector<Access> accesses;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto load = dyn_cast<tile::LoadOp>(op))
        accesses.push_back({op, load.getView(), load.getIndices(),
                            boxOf(load, load.getExtent().value_or(load.getResult().getType().getShape())), false,
                            false});
      if (auto gather = dyn_cast<tile::GatherOp>(op))
        accesses.push_back({op, gather.getView(), gather.getIndices(),
                            boxOf(gather, gather.getResult().getType().getShape()), false, false,
                            gather.getTileDims()[0]});
      if (auto element = dyn_cast<tile::ElementOp>(op))
        accesses.push_back({op, element.getView(), element.getIndices(),
                            SmallVector<int64_t>(element.getIndices().size(), 1), false, false});
      if (auto store = dyn_cast<tile::StoreOp>(op))
        accesses.push_back({op, store.getView(), store.getIndices(),
                            boxOf(store, store.getExtent().value_or(store.getValue().getType().getShape())), true,
                            store.getKind() == "add", store.getRows() ? store.getTileDims()[0] : -1});
    });
    SmallVector<MemoryDependence> found;
    for (size_t i = 0; i < accesses.size(); ++i)
      for (size_t j = i; j < accesses.size(); ++j) {
        const Access &x = accesses[i], &y = accesses[j];
        if (tile::memoryOf(x.view) != tile::memoryOf(y.view) || !(x.writes || y.writes) || (x.adds && y.adds))
          continue;
        if (MemoryDependence dependence = compare(x, y); dependence.isForward() || dependence.isBackward())
          found.push_back(std::move(dependence));
      }
    return found;
  }

private:
  /// Extents of what `op` touches, one per dimension of its view.
  template <typename Op> static SmallVector<int64_t> boxOf(Op op, ArrayRef<int64_t> shape) {
    SmallVector<int64_t> result(op.getView().getType().getRank(), 1);
    for (auto [dim, size] : llvm::zip(op.getTileDims(), shape))
      result[dim] = size;
    return result;
  }

  MemoryDependence compare(const Access &x, const Access &y) {
    MemoryDependence result{x.op, y.op, false, {}};
    SmallVector<Operation *> loops;
    for (Operation *op = x.op->getParentOp(); op; op = op->getParentOp())
      if (isa<LoopLikeOpInterface>(op) && op->isProperAncestor(y.op))
        loops.insert(loops.begin(), op);
    std::set<Operation *> same; // loops whose iteration both are in
    for (Operation *loop : loops) {
      if (loop->hasAttr(programLoopAttr) || isIndependent(loop)) { // its iterations share nothing
        same.insert(loop);
        continue;
      }
      Distances distances;
      bool apart = false;
      for (unsigned dim : placedDims(x, y, loop))
        apart = apart || !restrict(distances, difference(x, y, dim, same, loop), x.extents[dim], y.extents[dim]);
      auto counted = dyn_cast<scf::ForOp>(loop);
      if (std::optional<int64_t> trips = counted ? indices.tripCount(counted) : std::nullopt) {
        distances.least = std::max(distances.least, 1 - *trips);
        distances.most = std::min(distances.most, *trips - 1);
      }
      MemoryDependence::Carried carried{loop, distances.firstNegative(), distances.firstPositive()};
      if (!apart && (!counted || !indices.step(counted))) // how many iterations that is, is not known
        for (std::optional<int64_t> *distance : {&carried.forward, &carried.backward})
          if (*distance)
            *distance = 1;
      if (!apart && (carried.forward || carried.backward))
        result.carried.push_back(carried);
      same.insert(loop);
    }
    if (x.op != y.op && !exclude(x.op, y.op) && !arePartsOfOne(x.op, y.op)) {
      result.sameIteration = true;
      for (unsigned dim : placedDims(x, y, nullptr))
        result.sameIteration &= difference(x, y, dim, same, nullptr).meets(0, x.extents[dim], y.extents[dim]);
    }
    return result;
  }

  /// Dimensions in which both boxes have a place, in one iteration or in different ones of `loop`. Windows are
  /// compared with themselves only, while they are in one place.
  static SmallVector<unsigned> placedDims(const Access &x, const Access &y, Operation *loop) {
    SmallVector<unsigned> dims;
    Operation *window = x.view.getDefiningOp();
    if (x.view != y.view || (window && loop && loop->isProperAncestor(window)))
      return dims;
    for (int64_t dim = 0, rank = x.extents.size(); dim < rank; ++dim)
      if (dim != x.anywhere && dim != y.anywhere)
        dims.push_back(dim);
    return dims;
  }

  static bool arePartsOfOne(Operation *x, Operation *y) {
    Attribute store = x->getAttr(partsOfStoreAttr);
    return store && store == y->getAttr(partsOfStoreAttr);
  }

  /// True where the two are in different arms of one branch.
  static bool exclude(Operation *x, Operation *y) {
    for (auto branch = x->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
      if (branch->isProperAncestor(y))
        return branch.getThenRegion().isAncestor(x->getParentRegion()) !=
               branch.getThenRegion().isAncestor(y->getParentRegion());
    return false;
  }

  /// The index of `x` minus that of `y` in dimension `dim`, in the same iteration of the loops `same`, in different
  /// ones of `level` (or null).
  Difference difference(const Access &x, const Access &y, unsigned dim, const std::set<Operation *> &same,
                        Operation *level) {
    AffineIndex a = indices.of(x.indices[dim]), b = indices.of(y.indices[dim]);
    Difference result;
    result.constant = a.constant - b.constant;
    auto add = [&](unsigned number, int64_t factor) {
      if (!factor)
        return;
      const IndexAtom &atom = indices.atom(number);
      result.divisor = std::gcd(result.divisor, factor);
      result.rest.add(factor, {atom.least.value_or(-unbounded), atom.most.value_or(unbounded)});
    };
    std::set<unsigned> numbers;
    for (const AffineIndex *index : {&a, &b})
      for (auto [number, factor] : index->terms)
        numbers.insert(number);
    for (unsigned number : numbers) {
      auto factorIn = [&](const AffineIndex &index) {
        auto it = index.terms.find(number);
        return it == index.terms.end() ? 0 : it->second;
      };
      int64_t inX = factorIn(a), inY = factorIn(b);
      const IndexAtom &atom = indices.atom(number);
      if (llvm::all_of(atom.varies, [&](Operation *loop) { return same.count(loop); })) {
        add(number, inX - inY);
      } else if (level && atom.counts == level && inX == inY) {
        result.factor = inX;
      } else {
        add(number, inX);
        add(number, -inY);
      }
    }
    return result;
  }

  /// Removes from `distances` what dimension `d` excludes; false where it excludes all of them.
  static bool restrict(Distances &distances, const Difference &d, int64_t low, int64_t high) {
    if (d.factor == 0)
      return d.meets(0, low, high);
    if (d.divisor == 0) {
      // -low < constant + factor * distance < high
      int64_t from = 1 - low - d.constant, to = high - 1 - d.constant;
      distances.least = std::max(distances.least, d.factor > 0 ? ceilDiv(from, d.factor) : ceilDiv(to, d.factor));
      distances.most = std::min(distances.most, d.factor > 0 ? floorDiv(to, d.factor) : floorDiv(from, d.factor));
      return true;
    }
    Difference any = d; // whatever the distance
    any.divisor = std::gcd(d.divisor, d.factor);
    any.rest = {-unbounded, unbounded};
    if (!any.meets(0, low, high))
      return false;
    auto closest = [&](int64_t sign) {
      int64_t distance = 1;
      for (constexpr int64_t looked = 64; distance <= looked && !d.meets(sign * distance, low, high);)
        ++distance;
      return distance;
    };
    distances.positive = std::max(distances.positive, closest(1));
    distances.negative = std::max(distances.negative, closest(-1));
    return true;
  }

  tile::KernelOp kernel;
  AffineIndices indices;
};
} // namespace

SmallVector<MemoryDependence> findMemoryDependences(tile::KernelOp kernel) { return Finder(kernel).run(); }

bool isComputedFrom(tile::StoreOp store, tile::LoadOp load) {
  SmallVector<Value> work{store.getValue()};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument == loop.getInductionVar())
        continue;
      unsigned number = argument.getArgNumber() - 1;
      work.push_back(loop.getInitArgs()[number]);
      if (!loop->isAncestor(store)) // what an earlier iteration of a loop around the store left is not this iteration's
        work.push_back(loop.getYieldedValues()[number]);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (op == load.getOperation())
      return true;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      work.push_back(loop.getInitArgs()[number]);
      work.push_back(loop.getYieldedValues()[number]);
    } else if (!op->getNumRegions()) {
      work.append(op->operand_begin(), op->operand_end());
    }
  }
  return false;
}

} // namespace heddle
