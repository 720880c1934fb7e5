//===- AccessView.cpp - see AccessView.h ------------------------------------===//
//
// Steps, each a function below: (1) lanes of dimensions of extent one are zero; wrapped indices lose their wrap; (2)
// the offset is divided into a part for each lane, which is stride times lane or stride times a function of the lane,
// and a rest without lanes; (3) the mask is divided into bounds of lanes, guards and conditions of lanes that the
// address does not have; (4) each bounded dimension gets the coordinate with which its size is known to the host; (5)
// what is left of the rest goes to dimensions without a bound, then to further dimensions, one for each product of
// arguments; (6) what a tile goes back from is no beginning of the view.
//
//===----------------------------------------------------------------------===//
#include "heddle/Address/AccessView.h"

#include <algorithm>
#include <set>

namespace heddle::address {

namespace {

class Finder {
public:
  Finder(Algebra &algebra, const Access &access) : algebra(algebra), access(access) {}

  AccessResult run() {
    if (dropUnitLanes() && unwrap() && splitOffset() && splitMask() && placeBounded() && placeRest() && order() &&
        beginAtTensor() && checkSigns())
      return {box, ""};
    return {std::nullopt, reason};
  }

private:
  bool fail(const std::string &text) {
    reason = text;
    return false;
  }
  /// Known where the view is made.
  bool isHost(const Poly &poly) const {
    return algebra.isHost(poly) || (access.isKnown && poly.isValid() && algebra.allSymbols(poly, access.isKnown));
  }
  std::string quote(const Poly &poly) const { return "'" + algebra.text(poly) + "'"; }

  /// One dimension that the tile runs along.
  struct TileDim {
    int64_t dim = 0; ///< of the tile
    Poly stride, coordinate;
    std::vector<Poly> upper; ///< lane < each
    Poly size;
    bool bounded = false;
    bool ragged = false; ///< a bound that only the kernel knows: its positions are listed
  };

  bool dropUnitLanes();
  bool unwrap();
  bool splitOffset();
  bool splitLane(int64_t dim, const Poly &part);
  bool splitMask();
  void beginAtLowerBound(TileDim &d);
  bool placeBounded();
  bool listRows(TileDim &d);
  bool dropFrom(const TileDim &d, const Poly &limit);
  void shiftRows();
  bool placeRest();
  bool order();
  bool isAlone() const;
  bool beginAtTensor();
  bool checkSigns();

  TileDim *tileDim(int64_t dim) {
    for (TileDim &d : found)
      if (d.dim == dim)
        return &d;
    return nullptr;
  }

  Algebra &algebra;
  const Access &access;
  Poly offset, rest;
  std::vector<Atom> mask;
  std::vector<TileDim> found;
  std::vector<std::pair<int64_t, Poly>> lower; ///< lane of dim >= polynomial
  Box box;
  std::string reason;
};

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

bool Finder::dropUnitLanes() {
  auto unit = [&](Symbol symbol) -> std::optional<Poly> {
    const SymbolInfo &info = algebra.info(symbol);
    if (info.kind == SymbolKind::Lane && access.shape[info.id] == 1)
      return Poly(0);
    return std::nullopt;
  };
  offset = algebra.substitute(access.offset, unit);
  if (!offset.isValid())
    return fail("the address is too complicated");
  for (const Atom &atom : access.mask) {
    Atom plain = algebra.substitute(atom, unit);
    if (!alwaysTrue(algebra, plain, access.shape))
      mask.push_back(plain);
  }
  return true;
}

/// What a wrapping function wraps, and the bound: the function equals its index where index < bound.
static std::optional<std::pair<Poly, Poly>> wrapped(Algebra &algebra, const SymbolInfo &info) {
  const std::vector<Poly> &in = info.operands;
  if (info.kind == SymbolKind::Remainder && algebra.lanes(in[1]).empty())
    return std::pair(in[0], in[1]);
  if (info.kind == SymbolKind::Minimum)
    for (int i : {0, 1})
      if (!algebra.lanes(in[i]).empty() && algebra.lanes(in[1 - i]).empty())
        return std::pair(in[i], in[1 - i] + Poly(1));
  if (info.kind == SymbolKind::Choice && in[0] == in[2] && algebra.lanes(in[1]).empty())
    return std::pair(in[0], in[1]);
  return std::nullopt;
}

bool Finder::unwrap() {
  for (bool again = true; again;) {
    again = false;
    std::set<Symbol> functions;
    for (const auto &[monomial, coefficient] : offset.terms())
      for (Symbol symbol : monomial)
        if (algebra.info(symbol).kind >= SymbolKind::Quotient && algebra.lanes(symbol).size() == 1)
          functions.insert(symbol);
    for (Symbol symbol : functions) {
      SymbolInfo info = algebra.info(symbol);
      std::optional<std::pair<Poly, Poly>> wrap = wrapped(algebra, info);
      if (!wrap)
        continue;
      int64_t dim = *algebra.lanes(symbol).begin();
      // lane + x0 < bound, with the lane alone.
      Poly limit = wrap->second - (wrap->first - algebra.lane(dim));
      if (!algebra.lanes(limit).empty())
        continue;
      Atom inside;
      inside.a = algebra.lane(dim), inside.b = limit;
      bool harmless = alwaysTrue(algebra, inside, access.shape);
      for (const Atom &atom : mask)
        if (!atom.opaque && (atom.b - atom.a) == (inside.b - inside.a))
          harmless = true; // the mask itself keeps wrapped lanes out
      if (!harmless && access.keepWraps)
        continue;
      if (!harmless) {
        bool known = false;
        for (const Wrap &other : box.wraps)
          known |= other.tileDim == dim && other.limit == limit;
        if (!known)
          box.wraps.push_back({dim, limit});
      }
      offset = algebra.substitute(offset, [&](Symbol s) -> std::optional<Poly> {
        return s == symbol ? std::optional(wrap->first) : std::nullopt;
      });
      again = true;
    }
  }
  return offset.isValid() || fail("the address is too complicated");
}

/// `part`, all terms with lanes of `dim`, as stride * lane or stride * rows.
bool Finder::splitLane(int64_t dim, const Poly &part) {
  Symbol lane = algebra.lane(dim).terms().begin()->first[0];
  bool linear = true;
  for (const auto &[monomial, coefficient] : part.terms()) {
    int64_t count = std::count(monomial.begin(), monomial.end(), lane), others = 0;
    for (Symbol symbol : monomial)
      others += symbol != lane && !algebra.lanes(symbol).empty();
    linear &= count == 1 && others == 0;
  }
  TileDim result;
  result.dim = dim;
  if (linear) {
    for (const auto &[monomial, coefficient] : part.terms()) {
      Poly::Monomial without(monomial);
      without.erase(std::find(without.begin(), without.end(), lane));
      result.stride = result.stride + Poly::term(without, coefficient);
    }
    if (!isHost(result.stride))
      return fail("the distance " + quote(result.stride) + " of neighbours along dimension " + std::to_string(dim) +
                  " is not known at the launch");
    found.push_back(result);
    return true;
  }
  // A function of the lane: the factors that all terms have in common and the launch knows are the stride.
  std::optional<Poly::Monomial> common;
  for (const auto &[monomial, coefficient] : part.terms()) {
    Poly::Monomial known, shared;
    for (Symbol symbol : monomial)
      if (algebra.lanes(symbol).empty() && isHost(Poly::of(symbol)))
        known.push_back(symbol);
    std::set_intersection(known.begin(), known.end(), common ? common->begin() : known.begin(),
                          common ? common->end() : known.end(), std::back_inserter(shared));
    common = shared;
  }
  result.stride = Poly::term(*common, part.content());
  Poly rows = *part.dividedBy(result.stride);
  for (const auto &[monomial, coefficient] : rows.terms())
    for (Symbol symbol : monomial)
      if (access.isWide && algebra.lanes(symbol).empty())
        return fail("the addresses along dimension " + std::to_string(dim) +
                    " have no common distance, and are computed in 64 bits: " + quote(part));
  if (box.rowsDim >= 0)
    return fail("positions along two dimensions are named by tiles: " + quote(box.rows) + " and " + quote(rows));
  box.kind = AccessKind::Rows;
  box.rowsDim = dim;
  box.rows = rows;
  found.push_back(result);
  return true;
}

bool Finder::splitOffset() {
  std::map<int64_t, Poly> parts;
  for (const auto &[monomial, coefficient] : offset.terms()) {
    std::set<int64_t> lanes;
    for (Symbol symbol : monomial)
      lanes.merge(algebra.lanes(symbol));
    Poly term = Poly::term(monomial, coefficient);
    if (lanes.size() > 1)
      return fail("the term " + quote(term) + " of the address depends on several dimensions");
    if (lanes.empty())
      rest = rest + term;
    else
      parts[*lanes.begin()] = parts[*lanes.begin()] + term;
  }
  for (int64_t dim = 0; dim < static_cast<int64_t>(access.shape.size()); ++dim)
    if (parts.count(dim)) {
      if (!splitLane(dim, parts[dim]))
        return false;
    } else if (access.shape[dim] > 1) {
      if (access.isStore)
        return fail("every position along dimension " + std::to_string(dim) + " is stored to one address");
      box.repeated.push_back(dim);
    }
  if (access.shape.empty())
    box.kind = AccessKind::Scalar;
  return true;
}

//===----------------------------------------------------------------------===//
// The mask
//===----------------------------------------------------------------------===//

bool Finder::splitMask() {
  for (const Wrap &wrap : box.wraps)
    if (TileDim *d = tileDim(wrap.tileDim))
      d->upper.push_back(wrap.limit);
  for (const Atom &atom : mask) {
    std::set<int64_t> lanes = algebra.lanes(atom);
    if (lanes.empty()) {
      box.guards.push_back(atom);
      continue;
    }
    bool isRepeated = true;
    for (int64_t dim : lanes)
      isRepeated &= std::count(box.repeated.begin(), box.repeated.end(), dim) > 0;
    if (isRepeated) {
      box.laneAtoms.push_back(atom);
      continue;
    }
    if (lanes.size() == 1 && box.rowsDim == *lanes.begin()) {
      box.rowAtoms.push_back(atom);
      continue;
    }
    if (lanes.size() > 1)
      return fail("the mask '" + algebra.text(atom) + "' depends on several dimensions together, which is no box");
    int64_t dim = *lanes.begin();
    Symbol lane = algebra.lane(dim).terms().begin()->first[0];
    Poly apart = atom.a - atom.b, others = apart - algebra.lane(dim), lowers = apart + algebra.lane(dim);
    TileDim *d = tileDim(dim);
    if (!atom.opaque && d && algebra.lanes(others).empty())
      d->upper.push_back(Poly(0) - others); // lane + others < 0
    else if (!atom.opaque && d && algebra.lanes(lowers).empty())
      lower.push_back({dim, lowers + Poly(1)}); // -lane + lowers < 0
    else
      return fail("the mask '" + algebra.text(atom) + "' is no bound of " + algebra.text(Poly::of(lane)));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Loads may name the position of each lane instead; those beyond a bound are nowhere.
bool Finder::listRows(TileDim &d) {
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
bool Finder::dropFrom(const TileDim &d, const Poly &limit) {
  if (!access.isStore)
    return false;
  auto [it, isNew] = box.below.insert({d.dim, limit});
  if (!isNew)
    it->second = algebra.minimum(it->second, limit);
  return true;
}

/// How much of a constant is size and how much is coordinate, an upper bound leaves open; a lower bound that is a
/// constant away from the coordinate says it: the view begins there, and lanes before it are outside.
void Finder::beginAtLowerBound(TileDim &d) {
  for (auto [dim, from] : lower) {
    std::optional<int64_t> apart = (d.coordinate + from).constant();
    if (dim != d.dim || !apart)
      continue;
    d.coordinate = d.coordinate - Poly(*apart);
    d.size = d.size - Poly(*apart);
    return;
  }
}

bool Finder::placeBounded() {
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
    for (const Poly &limit : d.upper) {
      // lane < limit = size - coordinate: what the host does not know of the limit is the coordinate, subtracted.
      Poly host = limit.part([&](const Poly::Monomial &m) { return isHost(Poly::term(m, 1)); });
      Poly coordinate = host - limit, size = host;
      bool isRagged = host.isZero() || !algebra.isNotNegative(coordinate);
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
void Finder::shiftRows() {
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

bool Finder::placeRest() {
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
  // One further dimension for each product of arguments.
  std::map<Poly::Monomial, Poly> products;
  for (const auto &[monomial, coefficient] : rest.terms()) {
    Poly::Monomial host, local;
    for (Symbol symbol : monomial)
      (isHost(Poly::of(symbol)) ? host : local).push_back(symbol);
    products[host] = products[host] + Poly::term(local, coefficient);
  }
  for (const auto &[host, local] : products) {
    int64_t content = local.content();
    box.dims.push_back({Poly(0), true, Poly::term(host, content)});
    box.coordinates.push_back(*local.dividedBy(Poly(content)));
    box.tileDims.push_back(-1);
  }
  return true;
}

/// Unit stride last, the tile's dimensions by stride where that is known, in their own order else.
bool Finder::order() {
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
    bool vacuous = (constant && *constant <= 0) || algebra.isNotNegative(Poly(0) - from, /*trustArguments=*/false);
    if (!vacuous && !(d->coordinate + from).isZero())
      return fail("the lower bound " + quote(from) + " of dimension " + std::to_string(dim) +
                  " is not the beginning of the tensor");
  }
  size_t count = box.dims.size(), last = count;
  for (size_t i = 0; i < count; ++i) // a dimension of the tile is the better last one
    if (box.dims[i].stride == Poly(1) && (last == count || box.tileDims[last] < 0))
      last = i;
  std::vector<size_t> sequence;
  for (size_t i = 0; i < count; ++i)
    if (i != last)
      sequence.push_back(i);
  auto constantStride = [&](size_t i) { return box.dims[i].stride.constant(); };
  for (size_t i : sequence)
    if (std::optional<int64_t> stride = constantStride(i); stride && *stride < 0)
      return fail("addresses descend along a dimension, by " + std::to_string(-*stride));
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
    box.base = box.base - element;
    box.dims.push_back({Poly(0), true, Poly(1)});
    box.coordinates.push_back(element);
    box.tileDims.push_back(-1);
    sequence.push_back(count);
  }
  std::vector<int64_t> ofTile;
  for (size_t i : sequence)
    if (box.tileDims[i] >= 0 && access.shape[box.tileDims[i]] != 1)
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

/// No dimension but the outermost one moves the tile: which of their strides is the larger one is not known.
bool Finder::isAlone() const {
  for (size_t i = 1; i < box.dims.size(); ++i)
    if (box.tileDims[i] < 0 && box.dims[i].stride != Poly(1))
      return false;
  return true;
}

/// A tile that goes back from where the view begins, or a view that begins before the tensor: what is whole steps of
/// the outermost dimension is part of its coordinate instead, which is negative only before the tensor then.
bool Finder::beginAtTensor() {
  if (access.isKnown || box.kind == AccessKind::Scalar || box.dims.empty() || !isAlone())
    return true;
  Poly &coordinate = box.coordinates[0];
  if (box.base.isZero() || (algebra.isNotNegative(coordinate) && algebra.isNotNegative(box.base)))
    return true;
  bool isBounded = !box.dims[0].unbounded || (box.rowsDim >= 0 && box.tileDims[0] == box.rowsDim);
  Poly steps, taken;
  for (const auto &[monomial, coefficient] : box.base.terms()) {
    Poly term = Poly::term(monomial, coefficient);
    if (std::optional<Poly> share = term.dividedBy(box.dims[0].stride); share && !isBounded)
      steps = steps + *share, taken = taken + term;
  }
  coordinate = coordinate + steps;
  box.base = box.base - taken;
  bool goesBack = !coordinate.isZero() && algebra.isNotNegative(Poly(0) - coordinate);
  return !goesBack || box.base.isZero() ||
         fail("the address goes back from " + quote(box.base) + ", by " + quote(Poly(0) - coordinate) + " steps");
}

bool Finder::checkSigns() {
  // A lower bound of the mask is a proof; a coordinate along the outermost dimension may be anything, where no other
  // dimension moves the tile as well.
  bool alone = isAlone();
  // Memory names no negative page, sequence, expert or block; a block may be the first one.
  auto ofMemory = [&](Poly by) {
    return [&, by](Symbol symbol) {
      return algebra.info(symbol).kind == SymbolKind::Opaque ? std::optional(by) : std::nullopt;
    };
  };
  for (size_t i = alone ? 1 : 0; i < box.dims.size() && box.kind != AccessKind::Scalar; ++i) {
    // Where memory names rows, or their end, it does not name negative ones.
    bool bounded = box.tileDims[i] >= 0 && (box.tileDims[i] == box.rowsDim || box.below.count(box.tileDims[i]));
    for (const auto &[dim, from] : lower)
      bounded |= dim == box.tileDims[i];
    const Poly &coordinate = box.coordinates[i];
    Poly assumed = algebra.substitute(coordinate, ofMemory(box.tileDims[i] < 0 ? Poly(1) : algebra.lane(0)));
    if (!bounded && !algebra.isNotNegative(assumed))
      return fail("the coordinate " + quote(box.coordinates[i]) + " may be negative, which no mask excludes");
  }
  return true;
}

} // namespace

AccessResult viewOf(Algebra &algebra, const Access &access) { return Finder(algebra, access).run(); }

} // namespace heddle::address
