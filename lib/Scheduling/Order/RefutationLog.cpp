//===- RefutationLog.cpp - What DifferenceSolver writes down --------------===//
//
// Why:  a literal above level 0 needs its reason only if a conflict is explained by it, and only then a step is added.
//       A literal at level 0 gets a step of its own at once, since learned clauses leave it out.
//
//===----------------------------------------------------------------------===//
#include "DifferenceSolver.h"

#include <cstdlib>

namespace heddle {

/// A step that follows by itself. What a sum says beside literals that are always true follows with them.
int DifferenceSolver::lemma(int sum, std::vector<Lit> lits) {
  std::vector<int> from;
  if (sum >= 0)
    for (Lit lit : sums[static_cast<size_t>(sum)].always) {
      lits.push_back(-lit);
      from.push_back(of(lit).step);
    }
  return log->add(sum < 0 ? sum : sums[static_cast<size_t>(sum)].name, std::move(lits), std::move(from));
}

/// A literal that is true at level 0, as `others` are.
int DifferenceSolver::unit(Lit lit, std::vector<int> from, const std::vector<Lit> &others) {
  for (Lit other : others)
    if (std::abs(other) != std::abs(lit))
      from.push_back(of(other).step);
  return log->add(RefutationLog::learned, {lit}, std::move(from));
}

/// The step that says why a literal above level 0 is true; -1: given, or decided.
int DifferenceSolver::reasonOf(Lit lit) {
  Variable &variable = of(lit);
  if (variable.clause >= 0)
    return clauses[static_cast<size_t>(variable.clause)].step;
  if (variable.step < 0 && variable.whyEnd > variable.why) {
    std::vector<Lit> lits = {lit};
    for (int64_t k = variable.why; k < variable.whyEnd; ++k)
      lits.push_back(-reasons[static_cast<size_t>(k)]);
    variable.step = lemma(variable.sum, std::move(lits));
  }
  return variable.step;
}

/// The step that says that the literals of `conflict` are not all true.
int DifferenceSolver::logConflict(int sum) {
  std::vector<Lit> lits;
  for (Lit lit : conflict)
    lits.push_back(-lit);
  return log ? lemma(sum, std::move(lits)) : -1;
}

} // namespace heddle
