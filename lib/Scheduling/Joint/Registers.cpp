//===- Registers.cpp - C7: live values fit the registers of their group ---===//
//
// Says:      in every slot, registers * copies alive over the values of a group sum to at most its limit less the overhead
//            (Twill Figure 6, REGISTER LIMIT, counted modulo ii). Optionally a value read from another group also takes
//            registers there while its consumer reads it (study point 8).
// Encoding:  as C3, each literal conjoined with "v runs on g". With a register file the limit is the group's budget, a
//            decision: the budget steps not taken enter the sum with the weight of one granule.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

#include <algorithm>

namespace heddle {
namespace {

/// Registers of operands that arrive from another group, while their consumers read them.
void addConsumerCopies(Encoder &e, int g, std::vector<std::vector<Term>> &slots, int64_t &limit) {
  std::map<std::pair<int, int>, int64_t> readers;
  for (const Edge &edge : e.problem.edges)
    if (!edge.order && e.problem.nodes[edge.from].regs > 0) {
      int64_t &hold = readers[{edge.from, edge.to}];
      hold = std::max({hold, edge.hold, int64_t(1)});
    }
  for (auto [pair, hold] : readers) {
    auto [u, w] = pair;
    Lit condition = e.both(e.differ(u, w), e.onGroup(w, g));
    if (condition == e.no())
      continue;
    int64_t regs = e.problem.nodes[u].regs;
    for (int64_t whole = hold / e.ii; whole > 0; --whole)
      for (auto &terms : slots)
        terms.push_back({condition, regs});
    const std::vector<Lit> &reading = e.occupancy(w, 0, hold);
    for (size_t s = 0; s < slots.size(); ++s)
      slots[s].push_back({e.both(reading[s], condition), regs});
  }
  (void)limit;
}

} // namespace

void encodeRegisters(Encoder &e) {
  const Problem &p = e.problem;
  bool coupled = p.registerFile > 0 && e.options.constraints.has(Constraint::RegisterFile);
  if (!e.options.groupsFree)
    return;
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
    if (p.groups[g].regs == 0 && p.registerFile == 0)
      continue;
    int64_t limit = (coupled ? e.maxBudget(g) : p.groups[g].regs ? p.groups[g].regs : 256) - p.regOverhead;
    std::vector<std::vector<Term>> slots(static_cast<size_t>(e.ii));
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
      if (p.nodes[v].regs == 0 || e.onGroup(v, g) == e.no())
        continue;
      for (const std::vector<Lit> &level : e.copies(v))
        for (size_t s = 0; s < slots.size(); ++s)
          slots[s].push_back({e.both(level[s], e.onGroup(v, g)), p.nodes[v].regs});
    }
    if (p.consumerCopies)
      addConsumerCopies(e, g, slots, limit);
    for (auto &terms : slots) {
      if (coupled)
        for (Lit step : e.budgetSteps(g))
          terms.push_back({-step, p.regGranule});
      if (limit < 0) // the overhead alone does not fit: the group stays empty
        for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
          e.clause({-e.onGroup(v, g)});
      else
        e.atMost(std::move(terms), limit);
    }
  }
}

} // namespace heddle
