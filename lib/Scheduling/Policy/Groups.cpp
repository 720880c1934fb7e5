//===- Groups.cpp - Sub-tiles on groups of their own, and names of groups ----===//
#include "Groups.h"

#include "heddle/Scheduling/Policy/Policy.h"

#include <algorithm>

namespace heddle {

bool exchangeable(const Group &a, const Group &b) {
  return a.variable == b.variable && a.warps == b.warps && a.regs == b.regs;
}

Problem pinToHomes(const LoopInstance &loop) {
  // What only other assignments need is left out: without it the query is several times smaller.
  Problem pinned = loop.problem;
  for (size_t v = 0; v < pinned.nodes.size(); ++v)
    if (Node &node = pinned.nodes[v]; !node.variableLatency && pinned.allowedGroups(v).size() != 1) {
      node.groups = {loop.homes[v]};
      node.staging.clear();
    }
  pinned.registerFile = 0;
  return pinned;
}

void nameGroups(const LoopInstance &loop, Schedule &schedule) {
  const Problem &p = loop.problem;
  int groups = static_cast<int>(p.groups.size());
  std::vector<int> to(p.groups.size(), -1), from(p.groups.size(), -1);
  for (size_t v = 0; groups && v < p.nodes.size(); ++v) {
    int g = schedule.group[v], name = p.nodes[v].variableLatency ? g : loop.homes[v];
    if (!exchangeable(p.groups[g], p.groups[name]) || (to[g] >= 0 && to[g] != name) ||
        (from[name] >= 0 && from[name] != g))
      return;
    to[g] = name;
    from[name] = g;
  }
  for (int g = 0; g < groups; ++g)
    for (int name = 0; to[g] < 0 && name < groups; ++name)
      if (from[name] < 0 && exchangeable(p.groups[g], p.groups[name]))
        from[to[g] = name] = g;
  Schedule named = schedule;
  for (size_t v = 0; groups && v < schedule.group.size(); ++v)
    named.group[v] = to[schedule.group[v]];
  for (size_t g = 0; g < schedule.groupRegs.size(); ++g)
    named.groupRegs[to[g]] = schedule.groupRegs[g];
  for (int v = 0; groups && v < static_cast<int>(p.nodes.size()); ++v)
    if (std::vector<int> allowed = p.allowedGroups(v); !std::count(allowed.begin(), allowed.end(), named.group[v]))
      return;
  schedule = std::move(named);
}

} // namespace heddle
