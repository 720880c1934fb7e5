//===- AccessPlaces.cpp - coordinates and sizes of the view of an access ----===//
//
// What:   steps (4) and (5) of AccessView.cpp: bounded dimensions, and what is left of the address; also which loaded
//         numbers are not negative.
//
//===----------------------------------------------------------------------===//
#include "AccessFinder.h"

#include <algorithm>
#include <limits>
#include <set>

namespace heddle::address {

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

} // namespace heddle::address
