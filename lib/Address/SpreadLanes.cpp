//===- SpreadLanes.cpp - lanes that reach one element ------------------------===//
//
// What:      a load whose address has a dimension's lanes in quotients alone, (lane + x) / c with x a multiple of g, as
//            weights have that are packed along it: g neighbouring lanes reach one element. They become one lane of the
//            box, which is loaded once; the tile is its elements, each g times in a row.
// Masks:     a bound of the old lanes is one of the new ones, rounded up. What that loads too much, a condition on the
//            value takes away.
// Assumed:   numbers are not negative where AccessView.h says so: quotients round down.
//
//===----------------------------------------------------------------------===//
#include "AccessFinder.h"

#include <cstdlib>
#include <numeric>

namespace heddle::address {

int64_t AccessFinder::divisorOf(const Poly &poly) const {
  return access.divisorOf ? algebra.divisor(poly, access.divisorOf) : poly.content();
}

/// How many neighbouring lanes of `dim` are one value of `poly`; 0: it does not have them, 1: each has its own.
int64_t AccessFinder::lanesOfOne(const Poly &poly, int64_t dim) const {
  int64_t result = 0;
  for (const auto &[monomial, coefficient] : poly.terms())
    for (Symbol symbol : monomial) {
      if (!algebra.lanes(symbol).count(dim))
        continue;
      const SymbolInfo info = algebra.info(symbol);
      if (info.kind != SymbolKind::Quotient)
        return 1;
      std::optional<int64_t> divisor = info.operands[1].constant();
      Poly begin = info.operands[0] - algebra.lane(dim);
      if (!divisor || *divisor <= 1 || !algebra.lanes(begin).empty() ||
          !isNotNegativeOfMemory(algebra, begin, Poly(1), /*ofTiles=*/true))
        return 1;
      result = std::gcd(result, std::gcd(*divisor, divisorOf(begin)));
    }
  return result ? std::gcd(result, access.shape[dim]) : 0;
}

/// poly / by rounded up, and whether it is exact; nothing where the sign of what is left is not known.
std::optional<std::pair<Poly, bool>> AccessFinder::dividedUp(const Poly &poly, int64_t by) {
  Poly whole, left;
  for (const auto &[monomial, coefficient] : poly.terms()) {
    Poly term = Poly::term(monomial, coefficient);
    Poly size = Poly::term(monomial, std::abs(coefficient));
    bool isMultiple =
        !monomial.empty() && (coefficient % by == 0 || (algebra.isNotNegative(size) && divisorOf(size) % by == 0));
    (isMultiple ? whole : left) = (isMultiple ? whole : left) + term;
  }
  Poly result;
  for (const auto &[monomial, coefficient] : whole.terms())
    result = result +
             Poly(coefficient < 0 ? -1 : 1) * algebra.quotient(Poly::term(monomial, std::abs(coefficient)), Poly(by));
  if (std::optional<int64_t> constant = left.constant()) {
    int64_t down = *constant / by - (*constant % by < 0);
    return std::pair(result + Poly(down + (*constant % by != 0)), *constant % by == 0);
  }
  if (!isNotNegativeOfMemory(algebra, left, Poly(1), /*ofTiles=*/true))
    return std::nullopt;
  return std::pair(result + algebra.quotient(left + Poly(by - 1), Poly(by)), false);
}

/// `poly`, which has lanes of `dim` in quotients alone, in lanes of which each is `by` old ones.
Poly AccessFinder::inLanesOf(const Poly &poly, int64_t dim, int64_t by) {
  return algebra.substitute(poly, [&](Symbol symbol) -> std::optional<Poly> {
    if (!algebra.lanes(symbol).count(dim))
      return std::nullopt;
    const std::vector<Poly> in = algebra.info(symbol).operands;
    Poly begin = dividedUp(in[0] - algebra.lane(dim), by)->first; // exactly: lanesOfOne
    return algebra.quotient(algebra.lane(dim) + begin, Poly(*in[1].constant() / by));
  });
}

/// The mask, and the bounds of wraps, in lanes of which each is `by` old ones. False, without a reason, where a bound
/// is none of these: viewOf looks for a box whose lanes stay apart then.
bool AccessFinder::spreadMask(int64_t dim, int64_t by) {
  for (size_t i = 0; i < box.wraps.size(); ++i)
    if (box.wraps[i].tileDim == dim) {
      std::optional<std::pair<Poly, bool>> up = dividedUp(limits[i], by);
      if (!up)
        return false;
      limits[i] = up->first;
    }
  for (Atom &atom : mask) {
    if (!algebra.lanes(atom).count(dim))
      continue;
    Poly apart = atom.a - atom.b, others = apart - algebra.lane(dim), lowers = apart + algebra.lane(dim);
    if (!atom.opaque && lanesOfOne(apart, dim) % by == 0) {
      atom.a = inLanesOf(atom.a, dim, by), atom.b = inLanesOf(atom.b, dim, by);
      continue;
    }
    bool isUpper = !atom.opaque && algebra.lanes(others).empty(),
         isLower = !atom.opaque && algebra.lanes(lowers).empty();
    std::optional<std::pair<Poly, bool>> limit;
    if (isUpper) // lane + others < 0
      limit = dividedUp(Poly(0) - others, by);
    else if (isLower) // lane >= lowers + 1
      limit = dividedUp(lowers + Poly(1), by);
    if (!limit || (isLower && !limit->second))
      return false;
    if (!limit->second)
      box.laneAtoms.push_back(atom);
    Atom made;
    made.a = isUpper ? algebra.lane(dim) : limit->first - Poly(1);
    made.b = isUpper ? limit->first : algebra.lane(dim);
    atom = made;
  }
  return true;
}

bool AccessFinder::spreadLanes() {
  for (const Wrap &wrap : box.wraps)
    limits.push_back(wrap.limit);
  for (int64_t dim = 0; spreads && dim < static_cast<int64_t>(shape.size()); ++dim) {
    int64_t by = lanesOfOne(offset, dim);
    if (by <= 1)
      continue;
    box.spread[dim] = by;
    shape[dim] /= by;
    if (!spreadMask(dim, by))
      return false;
    offset = inLanesOf(offset, dim, by);
  }
  return box.spread.empty() || dropUnitLanes();
}

std::vector<int64_t> lanesOf(const Box &box, std::vector<int64_t> shape) {
  for (const auto &[dim, by] : box.spread)
    shape[dim] /= by;
  return shape;
}

} // namespace heddle::address
