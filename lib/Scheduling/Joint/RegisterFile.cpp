//===- RegisterFile.cpp - C8: budgets of all groups fit the register file -===//
//
// Says:      each used group has a budget between minRegs and its limit in steps of the granule (setmaxnreg) that covers its
//            values and overhead, and 32 * warps * budget summed over the used groups fits the register file (study point 9).
// Encoding:  "used" literals weigh the smallest budget, budget steps one granule; one pseudo-Boolean sum. Per slot one
//            decision diagram of the sum of C7 with a root for each budget: the step beyond it, or the sum fits it.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {

void encodeRegisterFile(Encoder &e) {
  const Problem &p = e.problem;
  if (p.registerFile == 0 || !e.options.groupsFree)
    return;
  std::vector<Term> terms;
  int64_t first = (p.minRegs + p.regGranule - 1) / p.regGranule * p.regGranule;
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
    Lit used = e.used(g);
    if (used == e.no())
      continue;
    if (e.maxBudget(g) < first)
      e.clause({-used});
    terms.push_back({used, 32 * p.groups[g].warps * first});
    for (Lit step : e.budgetSteps(g))
      terms.push_back({e.both(step, used), 32 * p.groups[g].warps * p.regGranule});
  }
  e.atMost(std::move(terms), p.registerFile);
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
    int64_t limit = e.maxBudget(g) - p.regOverhead;
    if (e.used(g) == e.no())
      continue;
    if (limit < 0) {
      leaveEmpty(e, g);
      continue;
    }
    std::vector<std::pair<Lit, int64_t>> bounds;
    int64_t budget = first;
    for (Lit step : e.budgetSteps(g)) {
      bounds.push_back({step, budget - p.regOverhead});
      budget += p.regGranule;
    }
    bounds.push_back({e.no(), limit});
    for (auto &slot : registerTerms(e, g))
      e.atMostUnless(std::move(slot), bounds);
  }
}

} // namespace heddle
