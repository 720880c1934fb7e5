//===- AccessOrder.cpp - the order of a view's dimensions, and their signs --===//
//
// What:     step (6) of AccessView.cpp, and what stands around it: dimensions in the order of memory, where the view
//           begins, and whether a coordinate may be negative.
// Verifies: what a view of a tile program needs: dimensions in the order of memory, at most five, none that descends,
//           and no negative coordinate but along the outermost one.
//
//===----------------------------------------------------------------------===//
#include "AccessFinder.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::address {

/// Unit stride last, the tile's dimensions by stride where that is known, in their own order else.
bool AccessFinder::order() {
  for (const TileDim &d : found) {
    box.dims.push_back({d.size, !d.bounded, d.stride});
    box.coordinates.push_back(d.coordinate);
    box.tileDims.push_back(d.dim);
  }
  for (auto [dim, from] : lower) {
    // lane >= from: the view begins at coordinate 0, or the bound holds anyway.
    const TileDim *d = tileDim(dim);
    std::optional<int64_t> constant = from.constant();
    // An argument that is negative after all must not make it false.
    bool vacuous = (constant && *constant <= 0) || isSumOfMemory(algebra, Poly(0) - from, /*trustArguments=*/false);
    if (!vacuous && !(d->coordinate + from).isZero())
      return fail("the lower bound " + quote(from) + " of dimension " + std::to_string(dim) +
                  " is not the beginning of the tensor");
  }
  size_t count = box.dims.size(), last = count;
  // A dimension of the tile is the better last one, and one whose positions are not named: rows that lie at two
  // distances (pages, and positions in them) are named by elements.
  auto isNamed = [&](size_t i) { return box.kind == AccessKind::Rows && box.tileDims[i] == box.rowsDim; };
  for (size_t i = 0; i < count; ++i)
    if (box.dims[i].stride == Poly(1) && (last == count || box.tileDims[last] < 0 || isNamed(last)))
      last = i;
  std::vector<size_t> sequence;
  for (size_t i = 0; i < count; ++i)
    if (i != last)
      sequence.push_back(i);
  auto constantStride = [&](size_t i) { return box.dims[i].stride.constant(); };
  for (size_t i : sequence)
    if (const Poly &stride = box.dims[i].stride; !stride.isZero() && algebra.isNotNegative(Poly(0) - stride))
      return fail("addresses descend along a dimension, by " + algebra.text(Poly(0) - stride));
  // Constant strides descend; dimensions whose strides are not comparable keep their order.
  if (std::all_of(sequence.begin(), sequence.end(), [&](size_t i) { return constantStride(i).has_value(); }))
    std::stable_sort(sequence.begin(), sequence.end(),
                     [&](size_t i, size_t j) { return *constantStride(i) > *constantStride(j); });
  if (last < count) {
    sequence.push_back(last);
  } else {
    // Elements of rows: which one is a coordinate, so that several of them are one view.
    Poly element = box.base.part([](const Poly::Monomial &m) { return m.empty(); });
    if (!algebra.isNotNegative(element))
      element = Poly(0);
    if (box.kind == AccessKind::Rows) // whole rows of them belong to the positions of rows (beginRowsAtTensor)
      for (size_t i = 0; i < count; ++i)
        if (std::optional<int64_t> apart = constantStride(i); box.tileDims[i] == box.rowsDim && apart && *apart > 0)
          element = Poly(*element.constant() % *apart);
    box.base = box.base - element;
    box.dims.push_back({Poly(0), true, Poly(1)});
    box.coordinates.push_back(element);
    box.tileDims.push_back(-1);
    sequence.push_back(count);
  }
  std::vector<int64_t> ofTile;
  for (size_t i : sequence)
    if (box.tileDims[i] >= 0 && shape[box.tileDims[i]] != 1)
      ofTile.push_back(box.tileDims[i]);
  if (ofTile.size() > 2 && !std::is_sorted(ofTile.begin(), ofTile.end()))
    return fail("expected the dimensions of the tile in the order of memory, or two that change places");
  if (box.kind == AccessKind::Rows && !ofTile.empty() && ofTile[0] != box.rowsDim)
    return fail("positions along the contiguous dimension are named by a tile: " + quote(box.rows));
  if (box.kind == AccessKind::Rows && ofTile.size() > 2)
    return fail("rows of a tile of more than two dimensions are named: " + quote(box.rows));
  if (sequence.size() > 5)
    return fail("the address has " + std::to_string(sequence.size()) + " dimensions, expected at most 5");
  Box sorted = box;
  for (size_t i = 0; i < sequence.size(); ++i) {
    sorted.dims[i] = box.dims[sequence[i]];
    sorted.coordinates[i] = box.coordinates[sequence[i]];
    sorted.tileDims[i] = box.tileDims[sequence[i]];
  }
  box = sorted;
  return true;
}

/// Whether what has a negative coordinate along the outermost dimension lies in front of the tensor: not where the
/// others reach beyond one step of it, as far as sizes and strides say, which the tile need not follow (`x + row * N`
/// with the mask `row < M - program * 64` is as well a block that the program goes back by, and a row that it goes on
/// by).
bool AccessFinder::isBehindOthers() const {
  if (box.dims.empty())
    return true;
  const Poly &apart = box.dims[0].stride;
  for (size_t i = 1; i < box.dims.size(); ++i) {
    if (box.dims[i].unbounded)
      continue;
    Poly reach = box.dims[i].size * box.dims[i].stride;
    std::optional<int64_t> step = apart.constant(), length = reach.constant();
    bool fits = step && length ? *length <= *step : apart.dividedBy(reach).has_value();
    // Columns are taken to fit where both are arguments, and so is what is beside rows of the tile.
    bool mayFit = (!step || !length) && (box.tileDims[0] >= 0 || (!step && box.dims[i].stride == Poly(1)));
    if (!fits && !mayFit)
      return false;
  }
  return true;
}

/// No dimension but the outermost one moves the tile: which of their strides is the larger one is not known.
bool AccessFinder::isAlone() const {
  for (size_t i = 1; i < box.dims.size(); ++i)
    if (box.tileDims[i] < 0 && box.dims[i].stride != Poly(1))
      return false;
  return true;
}

/// What of the base is whole steps of a dimension.
Poly AccessFinder::stepsOfBase(size_t dim) const {
  const Poly &stride = box.dims[dim].stride;
  Poly steps;
  for (const auto &[monomial, coefficient] : box.base.terms()) {
    std::optional<int64_t> apart = stride.constant();
    if (monomial.empty() && apart && *apart > 0)
      steps = steps + Poly((coefficient - ((coefficient % *apart) + *apart) % *apart) / *apart);
    else if (std::optional<Poly> share = Poly::term(monomial, coefficient).dividedBy(stride))
      steps = steps + *share;
  }
  return steps;
}

/// Positions of rows, of which memory names no negative ones, where the mask is true: it says of differences that they
/// are not negative, and the rows are a sum of such differences and of what is not negative.
bool AccessFinder::rowsAreNotNegative(Poly rows) {
  for (const Atom &atom : box.rowAtoms) {
    if (atom.opaque || !(atom.b - atom.a).isValid())
      continue;
    Poly difference = atom.b - atom.a - Poly(1);
    auto first = std::find_if(difference.terms().begin(), difference.terms().end(),
                              [](const auto &term) { return !term.first.empty() && term.second > 0; });
    if (first == difference.terms().end())
      continue;
    for (const auto &[monomial, coefficient] : std::map(rows.terms()))
      if (std::optional<Poly> times =
              Poly::term(monomial, coefficient).dividedBy(Poly::term(first->first, first->second));
          times && algebra.isNotNegative(*times) && (rows - *times * difference).terms().size() < rows.terms().size())
        rows = rows - *times * difference;
  }
  return isNotNegativeOfMemory(algebra, rows, algebra.lane(0), /*ofTiles=*/true);
}

/// The same of rows that a tile names, where it may name some in front of where the view begins.
bool AccessFinder::beginRowsAtTensor() {
  // A number that is added to a row (`table + 128 + row`) says that memory may name one that is as far in front, and so
  // does what limits the row, too (`table + R + max(row, -R)`).
  std::set<Symbol> limits;
  algebra.substitute(box.rows, [&](Symbol symbol) {
    limits.insert(symbol);
    return std::optional<Poly>();
  });
  Poly shift = stepsOfBase(0).part([&](const Poly::Monomial &monomial) {
    return std::all_of(monomial.begin(), monomial.end(), [&](Symbol symbol) { return limits.count(symbol) > 0; });
  });
  if (algebra.isNotNegative(shift)) {
    box.rows = box.rows + shift;
    box.base = box.base - shift * box.dims[0].stride;
  }
  if (rowsAreNotNegative(box.rows))
    return true;
  Poly steps = stepsOfBase(0), base = box.base - steps * box.dims[0].stride;
  // Columns that move the tile by whole rows: from column 0 on they lie behind the row's position.
  bool others = box.dims.size() > 1 && box.dims[1].stride == box.dims[0].stride && !box.coordinates[1].isZero();
  if (!box.base.isZero() && !isAlone())
    others = true;
  if (others || !(base.isZero() || base.constant()))
    return fail("rows that a tile names may lie in front of " + quote(box.base) + ": " + quote(box.rows));
  box.rows = box.rows + steps;
  box.base = base;
  return true;
}

/// Rows that are named by elements, at multiples of 16 bytes: they are named by these, so that the view says it.
bool AccessFinder::nameByPieces() {
  if (box.kind != AccessKind::Rows || box.dims.size() < 2 || box.tileDims[0] != box.rowsDim)
    return true;
  ViewDim &named = box.dims[0];
  if (named.stride != Poly(1) || !named.unbounded || divisorOf(box.rows) % access.piece ||
      divisorOf(box.coordinates[0]) % access.piece)
    return true;
  named.stride = Poly(access.piece);
  box.rows = algebra.quotient(box.rows, Poly(access.piece));
  box.coordinates[0] = algebra.quotient(box.coordinates[0], Poly(access.piece));
  return true;
}

/// A tile that goes back from where the view begins, or a view that begins before the tensor: what is whole steps of
/// the outermost dimension is part of its coordinate instead, which is negative only before the tensor then.
bool AccessFinder::beginAtTensor() {
  if (access.isKnown || box.kind == AccessKind::Scalar || box.dims.empty())
    return true;
  if (box.kind == AccessKind::Rows && box.tileDims[0] == box.rowsDim)
    return beginRowsAtTensor();
  if (box.base.isZero() || !isAlone())
    return true;
  Poly &coordinate = box.coordinates[0];
  if (algebra.isNotNegative(coordinate) && algebra.isNotNegative(box.base))
    return true;
  if (box.dims[0].unbounded) {
    Poly steps = stepsOfBase(0);
    coordinate = coordinate + steps;
    box.base = box.base - steps * box.dims[0].stride;
  }
  bool goesBack = !coordinate.isZero() && algebra.isNotNegative(Poly(0) - coordinate);
  return !goesBack || box.base.isZero() ||
         fail("the address goes back from " + quote(box.base) + ", by " + quote(Poly(0) - coordinate) + " steps");
}

bool AccessFinder::checkSigns() {
  // A lower bound of the mask is a proof; a coordinate along the outermost dimension may be anything, where no other
  // dimension moves the tile as well.
  bool alone = isAlone();
  for (size_t i = alone && isBehindOthers() ? 1 : 0; i < box.dims.size() && box.kind != AccessKind::Scalar; ++i) {
    // Where memory names the end of rows, it does not name a negative one.
    bool isNamed = box.kind == AccessKind::Rows && box.tileDims[i] == box.rowsDim;
    bool bounded = box.tileDims[i] >= 0 && !isNamed && box.below.count(box.tileDims[i]);
    for (const auto &[dim, from] : lower)
      bounded |= dim == box.tileDims[i];
    Poly &coordinate = isNamed ? box.rows : box.coordinates[i];
    Poly least = box.tileDims[i] < 0 ? Poly(1) : algebra.lane(0); // a block may be the first one
    auto isNotNegative = [&](const Poly &poly) {
      return isNamed ? rowsAreNotNegative(poly) : isNotNegativeOfMemory(algebra, poly, least, /*ofTiles=*/false);
    };
    if (bounded || isNotNegative(coordinate) || (isNamed && i == 0)) // beginRowsAtTensor
      continue;
    // What descends from where the view begins does not descend from the tensor.
    Poly steps = box.dims[i].unbounded ? stepsOfBase(i) : Poly(0);
    if (steps.isZero() || !isNotNegative(coordinate + steps))
      return fail("the coordinate " + quote(coordinate) + " may be negative, which no mask excludes");
    coordinate = coordinate + steps;
    box.base = box.base - steps * box.dims[i].stride;
  }
  return true;
}

} // namespace heddle::address
