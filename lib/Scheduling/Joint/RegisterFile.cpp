//===- RegisterFile.cpp - C8: budgets of all groups fit the register file -===//
//
// Says:      each used group has a budget between minRegs and its limit in steps of the granule (setmaxnreg) that
//            covers its values and overhead, and 32 * warps * budget summed over the used groups fits the register file
//            (Scheduling.md, question 9).
// Encoding:  where the largest budgets of all groups fit the file together, the sums of C7 against those budgets.
//            Otherwise "used" literals weigh the smallest budget, budget steps one granule; one pseudo-Boolean sum. Per
//            slot one decision diagram of the sum of C7 with a root for each budget: the step beyond it, or the sum
//            fits it.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {
namespace {

int64_t leastBudget(const Problem &p) { return (p.minRegs + p.regGranule - 1) / p.regGranule * p.regGranule; }

} // namespace

bool budgetsCoupled(Encoder &e) {
  const Problem &p = e.problem;
  int64_t most = 0;
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
    if (e.used(g) != e.no())
      most += 32 * p.groups[g].warps * e.maxBudget(g);
  return most > p.registerFile;
}

void encodeBudgets(Encoder &e) {
  const Problem &p = e.problem;
  std::vector<Term> terms;
  int64_t first = leastBudget(p);
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
    Lit used = e.used(g);
    if (used == e.no())
      continue;
    terms.push_back({used, 32 * p.groups[g].warps * first});
    for (Lit step : e.budgetSteps(g))
      terms.push_back({e.both(step, used), 32 * p.groups[g].warps * p.regGranule});
  }
  e.atMost(std::move(terms), p.registerFile);
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
    int64_t limit = e.maxBudget(g) - p.regOverhead;
    if (e.used(g) == e.no() || limit < 0)
      continue;
    std::vector<std::pair<Lit, int64_t>> bounds;
    int64_t budget = first;
    for (Lit step : e.budgetSteps(g)) {
      bounds.push_back({step, budget - p.regOverhead});
      budget += p.regGranule;
    }
    bounds.push_back({e.no(), limit});
    for (auto &slot : registerTerms(e, g))
      if (!e.expired())
        e.atMostUnless(std::move(slot), bounds);
  }
}

void encodeRegisterFile(Encoder &e) {
  const Problem &p = e.problem;
  if (p.registerFile == 0 || !e.options.groupsFree)
    return;
  bool coupled = budgetsCoupled(e);
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
    int64_t limit = e.maxBudget(g) - p.regOverhead;
    if (e.used(g) == e.no())
      continue;
    if (limit < 0 || e.maxBudget(g) < leastBudget(p))
      leaveEmpty(e, g);
    else if (!coupled)
      for (auto &slot : registerTerms(e, g))
        if (!e.expired())
          e.atMost(std::move(slot), limit);
  }
  if (coupled)
    encodeBudgets(e);
}

} // namespace heddle
