//===- AccessPlaces.cpp - coordinates and sizes of the view of an access ----===//
//
// What:   steps (4) to (6) of AccessView.cpp: bounded dimensions, what is left of the address, the order of the view's
//         dimensions, and their signs.
//
//===----------------------------------------------------------------------===//
#include "AccessFinder.h"

#include <algorithm>
#include <limits>
#include <set>

namespace heddle::address {

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Loads may name the position of each lane instead; those beyond a bound are nowhere.
bool AccessFinder::listRows(TileDim &d) {
  if (access.isStore || box.rowsDim >= 0)
    return false;
  box.kind = AccessKind::Rows;
  box.rowsDim = d.dim;
  for (const Poly &limit : d.upper) {
    Atom atom;
    atom.a = algebra.lane(d.dim), atom.b = limit;
    box.rowAtoms.push_back(atom);
  }
  d.ragged = true;
  d.bounded = false;
  d.coordinate = Poly(0);
  return true;
}

/// Stores may drop lanes from a bound on that only the kernel knows.
bool AccessFinder::dropFrom(const TileDim &d, const Poly &limit) {
  if (!access.isStore)
    return false;
  auto [it, isNew] = box.below.insert({d.dim, limit});
  if (!isNew)
    it->second = algebra.minimum(it->second, limit);
  return true;
}

/// How much of a constant is size and how much is coordinate, an upper bound leaves open; a lower bound that is a
/// constant away from the coordinate says it: the view begins there, and lanes before it are outside.
void AccessFinder::beginAtLowerBound(TileDim &d) {
  for (auto [dim, from] : lower) {
    std::optional<int64_t> apart = (d.coordinate + from).constant();
    if (dim != d.dim || !apart)
      continue;
    d.coordinate = d.coordinate - Poly(*apart);
    d.size = d.size - Poly(*apart);
    return;
  }
}

/// A bound `limit` of lanes as size and coordinate of the dimension, whose difference it is. Without a size: the launch
/// knows none.
std::pair<Poly, Poly> AccessFinder::splitLimit(const TileDim &d, const Poly &limit) {
  // What the host does not know of the limit is the coordinate, subtracted.
  Poly host = limit.part([&](const Poly::Monomial &m) { return isHost(Poly::term(m, 1)); });
  if (!host.isZero() && algebra.isNotNegative(host - limit))
    return {host, host - limit};
  // Where the tile moves back, the host knows a part of the coordinate, too. A lower bound says which.
  for (auto [dim, from] : lower)
    if (Poly size = limit - from; dim == d.dim && !size.isZero() && isHost(size))
      return {size, Poly(0) - from};
  for (const auto &[monomial, coefficient] : host.terms())
    if (Poly size = Poly::term(monomial, coefficient);
        !monomial.empty() && coefficient > 0 && algebra.isNotNegative(algebra.atLeast(size - limit)))
      return {size, size - limit};
  return {Poly(0), Poly(0) - limit};
}

/// Where bounds of a load begin at several places, or the launch does not know one, those go whose lanes never reach
/// memory: what is read beyond them does not matter. The one stays that begins where the address does: behind its end
/// there may be no memory.
void AccessFinder::dropUnstored(TileDim &d) {
  if (!access.neverStored || access.isStore || access.isKnown || box.spread.count(d.dim))
    return;
  std::vector<Poly> limits;
  for (const Poly &limit : d.upper)
    for (const Poly &each : algebra.bounds(limit))
      limits.push_back(each);
  auto beginsAt = [&](const Poly &limit) { return splitLimit(d, limit).second; };
  auto isRagged = [&](const Poly &limit) { return splitLimit(d, limit).first.isZero(); };
  auto left = [&](const Poly &limit) {
    return isRagged(limit) ? std::numeric_limits<size_t>::max() : (rest - d.stride * beginsAt(limit)).terms().size();
  };
  auto best =
      std::min_element(limits.begin(), limits.end(), [&](const Poly &x, const Poly &y) { return left(x) < left(y); });
  std::vector<Poly> kept;
  std::vector<Wrap> dropped;
  for (const Poly &limit : limits)
    if (!isRagged(limit) && beginsAt(limit) == beginsAt(*best))
      kept.push_back(limit);
    else if (access.neverStored(d.dim, limit))
      dropped.push_back({d.dim, limit});
    else
      return;
  if (kept.empty() || dropped.empty())
    return;
  d.upper = kept;
  box.dropped.insert(box.dropped.end(), dropped.begin(), dropped.end());
}

bool AccessFinder::placeBounded() {
  for (TileDim &d : found) {
    if (d.dim == box.rowsDim) {
      d.coordinate = Poly(0);
      continue;
    }
    // Bounds that another one implies by a constant go.
    std::vector<Poly> upper;
    for (const Poly &candidate : d.upper) {
      bool implied = false;
      for (Poly &other : upper) {
        std::optional<int64_t> more = (candidate - other).constant();
        implied |= more.has_value();
        if (more && *more < 0)
          other = candidate;
      }
      if (!implied)
        upper.push_back(candidate);
    }
    d.upper = upper;
    if (d.upper.size() != 1 || splitLimit(d, d.upper[0]).first.isZero())
      dropUnstored(d);
    for (const Poly &limit : d.upper) {
      auto [size, coordinate] = splitLimit(d, limit);
      bool isRagged = size.isZero();
      bool isElsewhere = d.bounded && coordinate != d.coordinate;
      if ((isRagged || isElsewhere) && access.isKnown) { // the kernel makes a view that begins at the tile
        Poly known = d.size - d.coordinate;
        d.size = d.bounded ? algebra.minimum(known, limit) : limit;
        d.coordinate = Poly(0);
        d.bounded = true;
        continue;
      }
      if ((isRagged || isElsewhere) && dropFrom(d, limit))
        continue;
      if ((isRagged || isElsewhere) && listRows(d))
        break;
      if (isRagged)
        return fail("the bound " + quote(limit) + " of dimension " + std::to_string(d.dim) +
                    " is not known at the launch");
      // A limit that the host knows as a whole, at a position that it does not: the address has the coordinate.
      if (isElsewhere)
        return fail("the bounds of dimension " + std::to_string(d.dim) +
                    " begin at two places: " + quote(d.coordinate) + " and " + quote(coordinate));
      d.size = d.bounded ? algebra.minimum(d.size, size) : size;
      d.coordinate = coordinate;
      d.bounded = true;
    }
    if (d.bounded) {
      beginAtLowerBound(d);
      rest = rest - d.stride * d.coordinate;
    }
  }
  return rest.isValid() || fail("the address is too complicated");
}

/// A window around each position begins before it: such a distance is part of the rows' positions where nothing else
/// is added to them, so that a negative one is before the tensor.
void AccessFinder::shiftRows() {
  const TileDim *d = box.rowsDim < 0 ? nullptr : tileDim(box.rowsDim);
  if (!d || d->ragged)
    return;
  Poly shift, taken;
  for (const auto &[monomial, coefficient] : rest.terms()) {
    Poly term = Poly::term(monomial, coefficient);
    if (std::optional<Poly> share = term.dividedBy(d->stride))
      shift = shift + *share, taken = taken + term;
  }
  if (algebra.isNotNegative(shift) || !(rest - taken).isZero())
    return;
  box.rows = box.rows + shift;
  rest = rest - taken;
}

void addProducts(const Poly &rest, const std::function<bool(Symbol)> &known, Box &box) {
  std::map<Poly::Monomial, Poly> products;
  for (const auto &[monomial, coefficient] : rest.terms()) {
    Poly::Monomial host, local;
    for (Symbol symbol : monomial)
      (known(symbol) ? host : local).push_back(symbol);
    products[host] = products[host] + Poly::term(local, coefficient);
  }
  for (const auto &[host, local] : products) {
    int64_t content = local.content();
    box.dims.push_back({Poly(0), true, Poly::term(host, content)});
    box.coordinates.push_back(*local.dividedBy(Poly(content)));
    box.tileDims.push_back(-1);
  }
}

bool isNotNegativeOfMemory(Algebra &algebra, const Poly &poly, const Poly &least, bool ofTiles) {
  auto isLoaded = [&](Symbol symbol) {
    SymbolKind kind = algebra.info(symbol).kind;
    return kind == SymbolKind::Opaque || (ofTiles && kind == SymbolKind::Table);
  };
  auto isNotNegative = [&](const Poly &sum) {
    for (const auto &[monomial, coefficient] : sum.terms())
      if (coefficient < 0 && std::any_of(monomial.begin(), monomial.end(), isLoaded))
        return false; // there is no greatest number that memory may name
    return algebra.isNotNegative(
        algebra.substitute(sum, [&](Symbol symbol) { return isLoaded(symbol) ? std::optional(least) : std::nullopt; }));
  };
  // Where memory names the beginning of a loop, that goes before.
  return isNotNegative(poly) || (poly.isValid() && isNotNegative(algebra.atLeast(poly)));
}

bool isSumOfMemory(Algebra &algebra, const Poly &poly, bool trustArguments) {
  // Lanes are not negative; each symbol gets one of its own, so that none cancels another.
  return algebra.isNotNegative(algebra.substitute(poly,
                                                  [&](Symbol symbol) {
                                                    bool loaded = algebra.info(symbol).kind == SymbolKind::Opaque;
                                                    return loaded ? std::optional(algebra.lane(int64_t(symbol)))
                                                                  : std::nullopt;
                                                  }),
                               trustArguments);
}

bool AccessFinder::placeRest() {
  shiftRows();
  auto isHostTerm = [&](const Poly::Monomial &m) { return isHost(Poly::term(m, 1)); };
  // The largest strides take first: those with arguments, then constants by size.
  std::vector<TileDim *> free;
  for (TileDim &d : found)
    if (d.ragged || (!d.bounded && d.dim != box.rowsDim))
      free.push_back(&d);
  auto weight = [&](const TileDim *d) {
    if (std::optional<int64_t> constant = d->stride.constant())
      return std::pair<size_t, int64_t>(0, *constant);
    return std::pair<size_t, int64_t>(d->stride.terms().begin()->first.size(), d->stride.content());
  };
  std::stable_sort(free.begin(), free.end(), [&](const TileDim *x, const TileDim *y) { return weight(x) > weight(y); });
  // A unit stride divides everything. What is a multiple of the distance of rows that are bounded becomes a dimension
  // of its own, where there are not too many: columns that ran on into the next row would be its elements as well.
  std::set<Poly::Monomial> others;
  for (const auto &[monomial, coefficient] : rest.terms()) {
    Poly::Monomial host;
    for (Symbol symbol : monomial)
      if (isHost(Poly::of(symbol)))
        host.push_back(symbol);
    if (!host.empty())
      others.insert(host);
  }
  std::vector<int64_t> apart; // distances of bounded rows
  for (const TileDim &d : found)
    if (std::optional<int64_t> stride = d.stride.constant();
        d.bounded && stride && *stride > 1 && found.size() + others.size() < 5)
      apart.push_back(*stride);
  auto isOfRows = [&](int64_t coefficient) {
    return std::any_of(apart.begin(), apart.end(), [&](int64_t stride) { return coefficient % stride == 0; });
  };
  // A constant is whole rows and a column of one: what another access calls that row has to be the same element.
  auto shareOfConstant = [&](int64_t constant, int64_t stride) {
    if (stride == 1)
      return constant > 0 && !apart.empty() ? constant % *std::min_element(apart.begin(), apart.end()) : constant;
    return constant < 0 && constant % stride != 0 ? 0 : constant / stride;
  };
  for (TileDim *d : free) {
    bool isUnit = d->stride == Poly(1);
    Poly taken;
    for (const auto &[monomial, coefficient] : rest.terms()) {
      Poly term = Poly::term(monomial, coefficient);
      std::optional<Poly> share = term.dividedBy(d->stride);
      if (std::optional<int64_t> stride = d->stride.constant(); stride && *stride > 0 && monomial.empty()) {
        share = Poly(shareOfConstant(coefficient, *stride));
        term = *share * d->stride;
      }
      // Products with arguments become dimensions of their own as well.
      bool hasArgument = false;
      for (Symbol symbol : monomial)
        hasArgument |= isHost(Poly::of(symbol));
      if (access.isKnown && share && !algebra.isNotNegative(*share))
        continue; // where the view begins
      if (share && !(isUnit && (hasArgument || isOfRows(coefficient))))
        d->coordinate = d->coordinate + *share, taken = taken + term;
    }
    rest = rest - taken;
    if (d->ragged) {
      box.rows = algebra.lane(d->dim) + d->coordinate;
      d->coordinate = Poly(0);
    }
  }
  if (box.kind == AccessKind::Scalar) {
    box.dims.push_back({Poly(0), true, Poly(1)});
    box.coordinates.push_back(rest);
    box.tileDims.push_back(-1);
    return true;
  }
  box.base = access.isKnown ? rest : rest.part(isHostTerm);
  rest = rest - box.base;
  addProducts(rest, [&](Symbol symbol) { return isHost(Poly::of(symbol)); }, box);
  return true;
}

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
