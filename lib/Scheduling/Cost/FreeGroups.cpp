//===- FreeGroups.cpp - From pinned warp groups to the joint problem ------===//
//
// What:      see FreeGroups.h. Needs no knowledge of the operations: flags, registers and the machine file say
//            everything.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Cost/FreeGroups.h"

#include <algorithm>

namespace heddle {

static int64_t bytesInRegisters(const Node &node) { return node.regs * node.warps * 32 * 4; }

/// Time units that a value of `node` takes to another group, of the problem's scale.
static Result<int64_t> transferOf(const Node &node, int64_t scale, const Machine &machine) {
  int64_t bytes = bytesInRegisters(node);
  Result<OpCost> cost = machine.cost(bytes ? "transfer" : "mbarrier", {{"bytes", bytes}});
  if (!cost)
    return cost.error();
  return (cost->latency + scale - 1) / scale;
}

Status addTransfers(Problem &p, const Machine &machine) {
  for (Edge &e : p.edges) {
    const Node &from = p.nodes[e.from], &to = p.nodes[e.to];
    if (from.variableLatency || e.from == e.to || from.groups.size() != 1 || from.groups == to.groups)
      continue;
    Result<int64_t> transfer = transferOf(from, p.scale, machine);
    if (!transfer)
      return transfer.error();
    e.transfer = *transfer;
  }
  return {};
}

Status checkGroups(const Problem &p, const Machine &machine, const FreeGroupsOptions &options) {
  int64_t groups = 0, warps = 0, most = machine.warps().maxGroups;
  bool loads = options.loads &&
               std::any_of(p.nodes.begin(), p.nodes.end(), [](const Node &node) { return node.variableLatency; });
  for (const Group &group : p.groups)
    if (loads || !group.variable) {
      ++groups;
      warps += group.warps;
    }
  if (groups <= most && warps <= machine.warps().maxWarps)
    return Status::success();
  auto counted = [](int64_t n, const char *what) { return std::to_string(n) + what + (n == 1 ? "" : "s"); };
  return userError("expected at most " + counted(most, " group") + " with " +
                   counted(machine.warps().maxWarps, " warp") + " (max_groups and max_warps of machine '" +
                   machine.name() + "'), got " + std::to_string(groups) + " with " + std::to_string(warps) +
                   (loads ? ", those that load counted" : ""));
}

Result<Problem> freeGroups(const Problem &problem, const Machine &machine, const FreeGroupsOptions &options) {
  Problem p = problem;
  int smem = p.findMemory("smem"), compute = -1;
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
    Group &group = p.groups[g];
    if (!group.variable && (compute < 0 || group.warps > p.groups[compute].warps))
      compute = g;
    group.regs = std::min<int64_t>(group.regs ? group.regs : machine.warps().maxRegsPerThread + 1,
                                   machine.warps().maxRegsPerThread + 1);
  }
  if (compute < 0)
    return userError("expected a group for fixed-latency nodes, got none");
  for (int64_t k = 0; k < options.extraGroups; ++k) {
    Group copy = p.groups[compute];
    copy.name += "_extra" + std::to_string(k);
    p.addGroup(copy);
  }
  if (Status fits = checkGroups(p, machine, options); !fits)
    return fits.error();
  p.registerFile = options.registerFile ? machine.warps().registerFile : 0;
  p.regGranule = machine.warps().regGranule;
  p.minRegs = machine.warps().minRegsPerThread;
  if (options.overhead >= 0)
    p.regOverhead = options.overhead;
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
    Node &node = p.nodes[v];
    node.groups.clear();
    if (node.variableLatency)
      continue;
    int64_t bytes = bytesInRegisters(node);
    Result<int64_t> transfer = transferOf(node, p.scale, machine);
    if (!transfer)
      return transfer.error();
    bool leaves = false;
    for (Edge &e : p.edges) {
      if (e.from != v || e.to == v)
        continue;
      e.transfer = options.transfers || e.order ? *transfer : Edge::never;
      leaves |= !e.order;
    }
    if (bytes && leaves && smem >= 0 && options.transfers)
      node.staging.push_back({smem, bytes});
  }
  return p;
}

} // namespace heddle
