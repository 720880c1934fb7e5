//===- Occupancy.cpp - see Occupancy.h ------------------------------------===//
#include "heddle/Machine/Occupancy.h"

namespace heddle {

RegisterBudgets Occupancy::equalBudgets(int64_t computeGroups) const {
  if (computeGroups == 1 && launchRegisters(2) >= mostBudget()) {
    int64_t all = std::min(launchRegisters(2), mostBudget());
    return {all, all};
  }
  int64_t compute = (budgetSum(computeGroups + 1) - leastBudget()) / computeGroups;
  return {leastBudget(), std::min(compute / limits.regGranule * limits.regGranule, mostBudget())};
}

std::optional<std::vector<int64_t>> Occupancy::shareOut(const std::vector<int64_t> &least, int64_t &over,
                                                        int64_t load) const {
  int64_t groups = static_cast<int64_t>(least.size());
  RegisterBudgets equal = equalBudgets(groups);
  int64_t left = groups == 1 ? equal.compute : budgetSum(groups + 1) - std::max(load, equal.load);
  std::vector<int64_t> budgets;
  for (int64_t asked : least) {
    budgets.push_back(std::max(leastBudget(), std::min(mostBudget(), roundUp(asked, limits.regGranule))));
    left -= budgets.back();
  }
  over = std::max<int64_t>(0, -left);
  if (over)
    return std::nullopt;
  for (; left >= limits.regGranule; left -= limits.regGranule) {
    auto smallest = std::min_element(budgets.begin(), budgets.end());
    if (smallest == budgets.end() || *smallest >= mostBudget())
      break;
    *smallest += limits.regGranule;
  }
  return budgets;
}

int64_t Occupancy::scheduledRegisters(int64_t mostCompute, int64_t loadRegs) const {
  int64_t least = 0;
  for (int64_t groups = 2; groups <= mostCompute; ++groups) {
    int64_t sum = budgetSum(groups + 1) - leastBudget();
    least = least ? std::min(least, sum) : sum;
  }
  // The problem counts the load group's single warp as well.
  return least ? threadsPerGroup * least + threadsPerWarp * roundUp(loadRegs, limits.regGranule) : 0;
}

} // namespace heddle
