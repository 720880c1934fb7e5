//===- BudgetBounds.cpp - Whether any register budgets suffice -------------===//
//
// What:      see BudgetBounds.h.
// Algorithm: the smallest budget of a group is that of the problem, or more where a value that only this group can hold
//            needs more, in whole granules. Each node needs a group whose smallest budget is within the group's limit
//            and the register file; all groups that some node cannot do without share the file.
//
//===----------------------------------------------------------------------===//
#include "BudgetBounds.h"

#include "heddle/Scheduling/Problem/Budgets.h"
#include "heddle/Support/Integers.h"

#include <algorithm>

namespace heddle {
namespace {

/// By how much the smallest budget exceeds what a group may have; at most 0: it does not.
struct Excess {
  int64_t by = 0;
  std::string words;
};

Excess excessOf(const Problem &p, int g, int64_t least) {
  const Group &group = p.groups[g];
  int64_t most = mostRegisters(group) / p.regGranule * p.regGranule;
  if (least > most)
    return {least - most, "group '" + group.name + "' has at most " + std::to_string(most) +
                              " registers a thread, and the smallest budget is " + std::to_string(least) +
                              ": over by " + std::to_string(least - most)};
  int64_t all = 32 * group.warps * least;
  return {all - p.registerFile, "the smallest budget of group '" + group.name + "', " + std::to_string(least) +
                                    " registers a thread, takes " + std::to_string(all) +
                                    " of the register file, which has " + std::to_string(p.registerFile) +
                                    ": over by " + std::to_string(all - p.registerFile)};
}

} // namespace

std::vector<Bound> budgetBounds(const Problem &p, const std::vector<std::vector<int>> &allowed,
                                const std::vector<char> &occupies) {
  std::vector<Bound> out;
  int64_t least = ceilDiv(std::max(p.minRegs, p.regOverhead), p.regGranule) * p.regGranule;
  std::vector<int64_t> needed(p.groups.size(), 0); // of groups that some node cannot do without
  std::vector<int> nodes;                          // these nodes
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
    Excess slightest{INT64_MAX, ""};
    for (int g : allowed[v])
      if (Excess excess = excessOf(p, g, least); excess.by < slightest.by)
        slightest = std::move(excess);
    if (slightest.by > 0) {
      out.push_back({BoundKind::Registers,
                     1,
                     true,
                     allowed[v].front(),
                     {v},
                     "'" + p.nodes[v].name + "' can run on no group: " + slightest.words});
      return out;
    }
    if (allowed[v].size() != 1)
      continue;
    int64_t own = occupies[v] ? ceilDiv(p.nodes[v].regs + p.regOverhead, p.regGranule) * p.regGranule : 0;
    int64_t &sum = needed[allowed[v].front()];
    sum = std::max({sum, least, own});
    nodes.push_back(v);
  }
  int64_t all = 0;
  std::string names;
  for (size_t g = 0; g < p.groups.size(); ++g) {
    all += 32 * p.groups[g].warps * needed[g];
    if (needed[g])
      names += (names.empty() ? "'" : ", '") + p.groups[g].name + "' (" + std::to_string(needed[g]) + " a thread)";
  }
  if (all > p.registerFile)
    out.push_back({BoundKind::Registers, 1, true, -1, std::move(nodes),
                   "the smallest budgets of groups that nodes are pinned to, " + names + ", take " +
                       std::to_string(all) + " of the register file, which has " + std::to_string(p.registerFile) +
                       ": over by " + std::to_string(all - p.registerFile)});
  return out;
}

} // namespace heddle
