//===- Registers.cpp - C7: live values fit the registers of their group ---===//
//
// Says:      in every slot, registers * copies alive over the values of a group sum to at most its limit less the
//            overhead (Twill Figure 6, REGISTER LIMIT, counted modulo ii). Optionally a value read from another group
//            also takes registers there while its consumer reads it (Scheduling.md, question 8).
// Encoding:  as C3, each literal conjoined with "v runs on g". With a register file C8 does it, against budgets.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

#include "heddle/Scheduling/Problem/Budgets.h"

#include <algorithm>

namespace heddle {
namespace {

/// Registers of operands that arrive from another group, while their consumers read them.
void addConsumerCopies(Encoder &e, int g, std::vector<std::vector<Term>> &slots) {
  std::map<std::pair<int, int>, int64_t> readers;
  for (const Edge &edge : e.problem.edges)
    if (!edge.order && e.problem.nodes[edge.from].regs > 0) {
      int64_t &hold = readers[{edge.from, edge.to}];
      hold = std::max({hold, edge.hold, int64_t(1)});
    }
  for (auto [pair, hold] : readers) {
    auto [u, w] = pair;
    if (e.expiredAfter(slots.size()))
      return;
    Lit condition = e.both(e.differ(u, w), e.onGroup(w, g));
    if (condition == e.no())
      continue;
    int64_t regs = e.problem.nodes[u].regs;
    if (int64_t whole = hold / e.ii)
      for (auto &terms : slots)
        terms.push_back({condition, whole * regs});
    const std::vector<Lit> &reading = e.occupancy(w, 0, hold);
    for (size_t s = 0; s < slots.size(); ++s)
      slots[s].push_back({e.both(reading[s], condition), regs});
  }
}

} // namespace

std::vector<std::vector<Term>> registerTerms(Encoder &e, int g) {
  const Problem &p = e.problem;
  std::vector<std::vector<Term>> slots(static_cast<size_t>(e.ii));
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
    if (p.nodes[v].regs == 0 || e.onGroup(v, g) == e.no())
      continue;
    for (const std::vector<Lit> &level : e.copies(v))
      for (size_t s = 0; s < slots.size() && !e.expired(); ++s)
        slots[s].push_back({e.both(level[s], e.onGroup(v, g)), p.nodes[v].regs});
  }
  if (p.consumerCopies)
    addConsumerCopies(e, g, slots);
  return slots;
}

void leaveEmpty(Encoder &e, int g) {
  for (int v = 0; v < static_cast<int>(e.problem.nodes.size()); ++v)
    e.clause({-e.onGroup(v, g)});
}

void encodeRegisters(Encoder &e) {
  const Problem &p = e.problem;
  bool coupled = p.registerFile > 0 && e.options.constraints.has(Constraint::RegisterFile) && !e.options.selectors;
  if (!e.options.groupsFree || coupled) // C8 says it with the budgets, which are within the limits
    return;
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
    if (!limitsRegisters(p, p.groups[g]))
      continue;
    int64_t limit = mostRegisters(p.groups[g]) - p.regOverhead;
    if (limit < 0) { // the overhead alone does not fit
      leaveEmpty(e, g);
      continue;
    }
    for (auto &terms : registerTerms(e, g))
      if (!e.expired())
        e.atMost(std::move(terms), limit);
  }
}

} // namespace heddle
