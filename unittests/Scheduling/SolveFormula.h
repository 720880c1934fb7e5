//===- SolveFormula.h - Decides a LinearFormula with CaDiCaL, for tests ---===//
//
// What:   rows as decision diagrams over (term, rest of the bound), negative weights by their complements. Written
// apart from the
//         encoder's and the checker's diagrams; for small formulas.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_UNITTESTS_SCHEDULING_SOLVEFORMULA_H
#define HEDDLE_UNITTESTS_SCHEDULING_SOLVEFORMULA_H

#include "heddle/Scheduling/Export/LinearFormula.h"
#include "heddle/Scheduling/Solver/Sat.h"

#include <map>

namespace heddle::test {

class SolveFormula {
public:
  explicit SolveFormula(const LinearFormula &formula) : f(formula) {}

  SatAnswer run() {
    sat = createSat();
    for (int v = 0; v < f.variables; ++v)
      sat->newVar(); // numbered from 1, as in the formula
    for (const LinearRow &row : f.rows) {
      if (row.clause) {
        std::vector<Lit> lits;
        for (const LinearTerm &term : row.terms)
          lits.push_back(term.weight < 0 ? -term.variable : term.variable);
        clause(lits);
        continue;
      }
      std::vector<std::pair<Lit, int64_t>> items;
      int64_t bound = row.bound, total = 0;
      for (const LinearTerm &term : row.terms) { // -w x = w (1 - x) - w
        items.push_back({term.weight < 0 ? -term.variable : term.variable, std::abs(term.weight)});
        bound += term.weight < 0 ? -term.weight : 0;
        total += std::abs(term.weight);
      }
      diagram.clear();
      if (Lit root = node(items, 0, bound, total); root == never)
        clause({});
      else if (root)
        clause({root});
    }
    return sat->solve({}, {});
  }

private:
  static constexpr Lit never = INT32_MAX; ///< the rest cannot hold; 0: it always does
  void clause(const std::vector<Lit> &lits) { sat->addClause(lits.data(), lits.data() + lits.size()); }
  /// A literal that implies: items from `i` on sum to at most `rest`; `total` is their sum.
  Lit node(const std::vector<std::pair<Lit, int64_t>> &items, size_t i, int64_t rest, int64_t total) {
    if (rest < 0 || total <= rest)
      return rest < 0 ? never : 0;
    auto [it, isNew] = diagram.try_emplace({i, rest}, 0);
    if (!isNew)
      return it->second;
    auto [lit, weight] = items[i];
    Lit with = node(items, i + 1, rest - weight, total - weight), without = node(items, i + 1, rest, total - weight);
    Lit out = sat->newVar();
    if (with)
      clause(with == never ? std::vector<Lit>{-out, -lit} : std::vector<Lit>{-out, -lit, with});
    if (without)
      clause({-out, without});
    return diagram[{i, rest}] = out;
  }

  const LinearFormula &f;
  std::unique_ptr<SatSolver> sat;
  std::map<std::pair<size_t, int64_t>, Lit> diagram;
};

} // namespace heddle::test

#endif // HEDDLE_UNITTESTS_SCHEDULING_SOLVEFORMULA_H
