//===- Accesses.cpp - what of accesses needs no search -----------------------===//
//
// Conditions that all lanes meet, and the view of an access that is no box. The search for boxes: AccessView.cpp.
//
//===----------------------------------------------------------------------===//
#include "heddle/Address/AccessView.h"

namespace heddle::address {

bool alwaysTrue(Algebra &algebra, const Atom &atom, const std::vector<int64_t> &shape) {
  if (atom.opaque)
    return false;
  // x % b < b, and min(x, b - 1) < b.
  if (const auto &terms = atom.a.terms();
      atom.a.isValid() && terms.size() == 1 && terms.begin()->first.size() == 1 && terms.begin()->second == 1) {
    const SymbolInfo &info = algebra.info(terms.begin()->first[0]);
    if (info.kind == SymbolKind::Remainder && info.operands[1] == atom.b)
      return true;
    if (info.kind == SymbolKind::Minimum)
      for (const Poly &operand : info.operands)
        if ((operand - atom.b).constant().value_or(0) < 0)
          return true;
  }
  // The largest value of a - b, where its lanes stand alone and everything else is constant.
  int64_t most = 0;
  Poly apart = atom.a - atom.b;
  if (!apart.isValid())
    return false;
  for (const auto &[monomial, coefficient] : apart.terms()) {
    if (monomial.empty()) {
      most += coefficient;
      continue;
    }
    const SymbolInfo &info = algebra.info(monomial[0]);
    if (monomial.size() != 1 || info.kind != SymbolKind::Lane)
      return false;
    most += coefficient > 0 ? coefficient * (shape[info.id] - 1) : 0;
  }
  return most < 0;
}

Box elementsOf(const Access &access) {
  Box box;
  box.kind = AccessKind::Elements;
  box.dims.push_back({Poly(0), true, Poly(1)});
  box.coordinates.push_back(Poly(0));
  box.tileDims.push_back(-1);
  box.rows = access.offset;
  box.rowAtoms = access.mask;
  return box;
}

} // namespace heddle::address
