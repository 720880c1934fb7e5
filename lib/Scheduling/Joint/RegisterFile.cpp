//===- RegisterFile.cpp - C8: budgets of all groups fit the register file -===//
//
// Says:      each used group has a budget between minRegs and its limit in steps of the granule (setmaxnreg) that covers its
//            values and overhead, and 32 * warps * budget summed over the used groups fits the register file (study point 9).
// Encoding:  "used" literals weigh the smallest budget, budget steps one granule; one pseudo-Boolean sum. Per slot the sum of
//            C7 against the largest budget, to which the steps not taken add one granule each.
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
    for (auto &slot : registerTerms(e, g)) {
      for (Lit step : e.budgetSteps(g))
        slot.push_back({-step, p.regGranule});
      e.atMost(std::move(slot), limit);
    }
  }
}

} // namespace heddle
