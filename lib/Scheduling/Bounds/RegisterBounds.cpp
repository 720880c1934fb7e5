//===- RegisterBounds.cpp - see RegisterBounds.h ---------------------------===//
//
// A recurrence holds a value of its smallest size at any time, and so does each recurrence of nodes that are in no
// other: what a node needs beside these may be too much for its group. On average a store holds lifetime / ii copies of
// a value (Need.h).
//
//===----------------------------------------------------------------------===//
#include "RegisterBounds.h"

#include "Need.h"

#include "heddle/Scheduling/Problem/Budgets.h"

#include <algorithm>

namespace heddle {
namespace {

class RegisterCollector {
public:
  RegisterCollector(const Problem &p, ConstraintSet set, const NodeFacts &facts)
      : p(p), set(set), live(facts.live), carried(facts.carried), allowed(facts.allowed), readers(facts.readers) {}

  std::vector<Bound> run() {
    int64_t limits = 0;
    bool unlimited = false;
    Need total, threads;
    std::vector<int> all;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      if (p.nodes[v].regs && (live[v] || carried[v])) {
        oneValue(v);
        total.add(p.nodes[v].regs, live[v], carried[v]);
        threads.add(32 * p.nodes[v].warps * p.nodes[v].regs, live[v], carried[v]);
        all.push_back(v);
      }
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
      if (!limitsRegisters(p, p.groups[g])) {
        for (int v : all)
          unlimited |= !p.groups[g].variable || p.nodes[v].variableLatency;
        continue;
      }
      int64_t limit = mostRegisters(p.groups[g]) - p.regOverhead;
      limits += std::max<int64_t>(0, limit);
      Need own;
      std::vector<int> nodes;
      for (int v : all)
        if (allowed[v].size() == 1 && allowed[v][0] == g) {
          own.add(p.nodes[v].regs, live[v], carried[v]);
          nodes.push_back(v);
        }
      addRegisters(g, own, limit, nodes, "group '" + p.groups[g].name + "' (registers a thread)",
                   "the nodes pinned to it");
      besideRecurrences(g, limit);
    }
    if (!unlimited)
      addRegisters(-1, total, limits, all, "all groups together (registers a thread)", "all nodes");
    if (p.registerFile && set.has(Constraint::RegisterFile))
      addRegisters(-1, threads, p.registerFile, all, "the register file", "all nodes");
    return std::move(out);
  }

private:
  void add(Bound bound) { out.push_back(std::move(bound)); }

  /// Infeasible when node `v` alone holds more registers a thread than any group it may run on has.
  void oneValue(int v) {
    int64_t most = -1;
    int roomiest = -1;
    for (int g : allowed[v]) {
      if (!limitsRegisters(p, p.groups[g]))
        return;
      int64_t room = mostRegisters(p.groups[g]);
      if (p.registerFile && set.has(Constraint::RegisterFile)) // a budget is a whole number of granules
        room = std::min(room, p.registerFile / (32 * p.groups[g].warps * p.regGranule) * p.regGranule);
      room -= p.regOverhead;
      if (roomiest < 0 || room > most)
        most = room, roomiest = g;
    }
    if (roomiest < 0 || p.nodes[v].regs <= most)
      return;
    Bound bound{BoundKind::Registers, 1, true, roomiest, {v}, ""};
    bound.witness = "'" + p.nodes[v].name + "' needs " + std::to_string(p.nodes[v].regs) +
                    " registers a thread and group '" + p.groups[roomiest].name + "' has " +
                    std::to_string(std::max<int64_t>(0, most)) +
                    " for values: " + std::to_string(p.nodes[v].regs - std::max<int64_t>(0, most)) + " too many";
    if (most < 0)
      bound.witness +=
          ", since " + std::to_string(p.regOverhead) + " are kept free, " + std::to_string(-most) + " more than it has";
    add(std::move(bound));
  }

  /// A recurrence of nodes of group `g` alone, each with a value of at least `least` registers that the next one reads;
  /// of those whose nodes are not in `used`. Empty: there is none.
  std::vector<int> recurrenceOn(int g, int64_t least, const std::vector<char> &used) const {
    auto takesPart = [&](int v) {
      return !used[v] && p.nodes[v].regs >= least && allowed[v].size() == 1 && allowed[v][0] == g;
    };
    for (int first = 0; first < static_cast<int>(p.nodes.size()); ++first) {
      if (!takesPart(first))
        continue;
      std::vector<int> from(p.nodes.size(), -1), work = {first};
      while (!work.empty()) {
        int v = work.back();
        work.pop_back();
        for (int to : readers[v]) {
          if (!takesPart(to))
            continue;
          if (to == first) {
            std::vector<int> nodes;
            for (int w = v; w != first; w = from[w])
              nodes.push_back(w);
            nodes.push_back(first);
            std::reverse(nodes.begin(), nodes.end());
            return nodes;
          }
          if (from[to] < 0) {
            from[to] = v;
            work.push_back(to);
          }
        }
      }
    }
    return {};
  }

  /// Infeasible when a node, or all that it reads, needs more registers beside what recurrences of its group hold at
  /// any time.
  void besideRecurrences(int g, int64_t limit) {
    std::vector<char> used(p.nodes.size(), 0);
    int64_t held = 0;
    std::string names;
    std::vector<int64_t> sizes;
    for (const Node &node : p.nodes)
      if (node.regs > 0)
        sizes.push_back(node.regs);
    std::sort(sizes.rbegin(), sizes.rend());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    for (int64_t least : sizes)
      for (std::vector<int> nodes; !(nodes = recurrenceOn(g, least, used)).empty();) {
        held += least;
        for (int v : nodes) {
          used[v] = 1;
          names += (names.empty() ? "'" : ", '") + p.nodes[v].name + "'";
        }
      }
    int most = -1;
    std::vector<int> operands; // the values that one node reads, if they need more than any value alone
    int64_t needed = 0;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      if (!used[v] && live[v] > 0 && allowed[v].size() == 1 && allowed[v][0] == g && p.nodes[v].regs > needed) {
        most = v;
        needed = p.nodes[v].regs;
      }
    std::vector<std::vector<int>> reads = operandsOn(g, used);
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
      int64_t sum = 0;
      std::vector<int> &read = reads[v];
      for (int from : read)
        sum += p.nodes[from].regs;
      if (read.size() > 1 && sum > needed) {
        most = v;
        needed = sum;
        operands = std::move(read);
      }
    }
    if (most < 0 || held + needed <= limit || (!held && operands.empty()))
      return;
    Bound bound{BoundKind::Registers, 1, true, g, {most}, ""};
    bound.witness = "'" + p.nodes[most].name + "' needs " + std::to_string(needed) + " registers a thread";
    for (size_t i = 0; i < operands.size(); ++i)
      bound.witness += (i ? ", '" : " for what it reads ('") + p.nodes[operands[i]].name + "'";
    bound.witness += operands.empty() ? "" : ")";
    if (held)
      bound.witness += " beside " + std::to_string(held) + " that recurrences hold at any time (" + names + ")";
    bound.witness += ", and group '" + p.groups[g].name + "' has " + std::to_string(limit) +
                     " for values: " + std::to_string(held + needed - limit) + " too many";
    add(std::move(bound));
  }

  /// Values of registers that are alive together right before a node begins, by node: what it reads of nodes of group
  /// `g` that take time, but for those in `used`.
  std::vector<std::vector<int>> operandsOn(int g, const std::vector<char> &used) const {
    std::vector<std::vector<int>> operands(p.nodes.size());
    for (const Edge &e : p.edges)
      if (e.from != e.to && !e.order && e.delay > 0 && !used[e.from] && p.nodes[e.from].regs > 0 &&
          allowed[e.from].size() == 1 && allowed[e.from][0] == g &&
          !std::count(operands[e.to].begin(), operands[e.to].end(), e.from))
        operands[e.to].push_back(e.from);
    return operands;
  }

  void addRegisters(int group, const Need &need, int64_t limit, std::vector<int> nodes, const std::string &store,
                    const std::string &what) {
    if (nodes.empty() || (need.area == 0 && need.always == 0))
      return;
    int64_t least = need.least(limit);
    add({BoundKind::Registers, std::max<int64_t>(1, least), least == 0, group, std::move(nodes),
         need.witness(store, std::max<int64_t>(0, limit), what)});
  }

  const Problem &p;
  ConstraintSet set;
  const std::vector<int64_t> &live, &carried;
  const std::vector<std::vector<int>> &allowed, &readers;
  std::vector<Bound> out;
};

} // namespace

std::vector<Bound> registerBounds(const Problem &problem, ConstraintSet set, const NodeFacts &facts) {
  return RegisterCollector(problem, set, facts).run();
}

} // namespace heddle
