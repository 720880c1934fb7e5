//===- AccessView.cpp - see AccessView.h ------------------------------------===//
//
// Steps, each a function below: (1) lanes of dimensions of extent one are zero; wrapped indices lose their wrap; lanes
// that reach one element are one (SpreadLanes.cpp); (2)
// the offset is divided into a part for each lane, which is stride times lane or stride times a function of the lane,
// and a rest without lanes; (3) the mask is divided into bounds of lanes, guards and conditions of lanes that the
// address does not have; (4) each bounded dimension gets the coordinate with which its size is known to the host; (5)
// what is left of the rest goes to dimensions without a bound, then to further dimensions, one for each product of
// arguments; (6) what a tile goes back from is no beginning of the view.
//
//===----------------------------------------------------------------------===//
#include "AccessFinder.h"

#include <algorithm>
#include <set>

namespace heddle::address {

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

bool AccessFinder::dropUnitLanes() {
  auto unit = [&](Symbol symbol) -> std::optional<Poly> {
    const SymbolInfo &info = algebra.info(symbol);
    if (info.kind == SymbolKind::Lane && shape[info.id] == 1)
      return Poly(0);
    return std::nullopt;
  };
  offset = algebra.substitute(offset, unit);
  if (!offset.isValid())
    return fail("the address is too complicated");
  std::vector<Atom> all;
  std::swap(all, mask);
  for (const Atom &atom : all) {
    Atom plain = algebra.substitute(atom, unit);
    if (!alwaysTrue(algebra, plain, shape))
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

bool AccessFinder::unwrap() {
  for (bool again = true; again;) {
    again = false;
    std::set<Symbol> functions;
    auto find = [&](const Poly &poly, auto &find) -> void {
      for (const auto &[monomial, coefficient] : poly.terms())
        for (Symbol symbol : monomial)
          if (algebra.info(symbol).kind >= SymbolKind::Quotient && algebra.lanes(symbol).size() == 1) {
            functions.insert(symbol);
            if (algebra.info(symbol).kind == SymbolKind::Quotient) // of what is wrapped
              find(Poly(algebra.info(symbol).operands[0]), find);
          }
    };
    find(offset, find);
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
      bool harmless = alwaysTrue(algebra, inside, shape);
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
bool AccessFinder::splitLane(int64_t dim, const Poly &part) {
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
  // Of arguments and lanes: positions in the tensor, of which the launch knows that 32 bits hold them.
  for (const auto &[monomial, coefficient] : rows.terms())
    for (Symbol symbol : monomial)
      if (access.isWide && algebra.lanes(symbol).empty() && !isHost(Poly::of(symbol)))
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

bool AccessFinder::splitOffset() {
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
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    if (parts.count(dim)) {
      if (!splitLane(dim, parts[dim]))
        return false;
    } else if (shape[dim] > 1) {
      if (access.isStore)
        return fail("every position along dimension " + std::to_string(dim) + " is stored to one address");
      box.repeated.push_back(dim);
    }
  if (shape.empty())
    box.kind = AccessKind::Scalar;
  return true;
}

//===----------------------------------------------------------------------===//
// The mask
//===----------------------------------------------------------------------===//

bool AccessFinder::splitMask() {
  for (size_t i = 0; i < box.wraps.size(); ++i)
    if (TileDim *d = tileDim(box.wraps[i].tileDim))
      d->upper.push_back(limits[i]);
  for (const Atom &atom : mask) {
    std::set<int64_t> lanes = algebra.lanes(atom);
    if (lanes.empty()) {
      box.guards.push_back(atom);
      continue;
    }
    if (alwaysTrue(algebra, atom, shape))
      continue;
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

AccessResult viewOf(Algebra &algebra, const Access &access) {
  AccessFinder finder(algebra, access, /*spreads=*/!access.isStore && !access.keepLanes);
  AccessResult found = finder.run();
  if (found.box || !finder.hasSpread())
    return found;
  return AccessFinder(algebra, access, /*spreads=*/false).run();
}

} // namespace heddle::address
