//===- Bounds.cpp - Lower bounds by arithmetic ----------------------------===//
//
// What:      see Bounds.h.
// Algorithm: ResMII is a sum; RecMII the smallest ii without a positive cycle (bisection over Paths.h), the witness
//            being the positive cycle at ii - 1; memory and registers by least lifetimes (Little's law: copies
//            alive on average are lifetime / ii).
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Bounds/Bounds.h"

#include "BudgetBounds.h"
#include "Paths.h"

#include "heddle/Scheduling/Problem/Budgets.h"
#include "heddle/Support/Integers.h"

#include <algorithm>

namespace heddle {
namespace {

/// What a set of values needs of a store: at interval ii at least sum of amount * max(least life, carried * ii) in
/// space x cycles, `carried` being the iterations a value survives by its own self-edges.
struct Need {
  struct Value {
    int64_t amount, life, carried;
  };
  std::vector<Value> values;
  int64_t always = 0; ///< alive in every slot at any interval
  int64_t area = 0;   ///< of the least lives alone

  void add(int64_t amount, int64_t life, int64_t carried) {
    values.push_back({amount, life, carried});
    always += amount * carried;
    area += amount * life;
  }
  int64_t at(int64_t ii) const {
    int64_t sum = 0;
    for (const Value &v : values)
      sum += v.amount * std::max(v.life, v.carried * ii);
    return sum;
  }
  /// The least interval at which `capacity` suffices on average; 0 when none does. (capacity * ii - at(ii) rises with
  /// ii while always <= capacity.)
  int64_t least(int64_t capacity) const {
    if (always > capacity || capacity <= 0)
      return area == 0 && always == 0 ? 1 : 0;
    int64_t low = 0, high = 1;
    for (; at(high) > capacity * high; high *= 2)
      if (low = high; high > (int64_t(1) << 44))
        return 0;
    while (high - low > 1) {
      int64_t middle = (low + high) / 2;
      (at(middle) > capacity * middle ? low : high) = middle;
    }
    return high;
  }
  /// In words, for values of `what`.
  std::string witness(const std::string &store, int64_t capacity, const std::string &what) const {
    std::string out = store + " has " + std::to_string(capacity) + ", and ";
    if (always > capacity)
      return out + "the values of " + what + " carried from one iteration to the next need " + std::to_string(always) +
             " at any interval";
    out += "the least lifetimes of " + what + " need " + std::to_string(area) + " in amount x cycles an iteration";
    return always ? out + ", of which " + std::to_string(always) + " in every cycle are carried between iterations"
                  : out;
  }
};

/// For how long a start of node `v` keeps nodes of its group that use unit `u` as well from theirs; 0: it does not use
/// it alone from its start.
int64_t leastDistance(const Problem &p, int v, int u) {
  const Node &node = p.nodes[v];
  for (const Reservation &r : node.reservations)
    if (r.unit == u && r.start == 0 && r.length > 0 && 2 * r.amount > p.units[u].capacity && node.issue > 0)
      return std::max(r.length, node.issue);
  return 0;
}

struct Collector {
  const Problem &p;
  ConstraintSet set;
  Deadline deadline;
  Bounds out;
  std::vector<int64_t> live, carried; ///< least lifetime of each node's value; iterations it survives by self-edges
  std::vector<std::vector<int>> allowed, readers; ///< of each node: its groups; those that take its value

  void add(Bound bound) {
    out.infeasible |= bound.infeasible;
    out.mii = std::max(out.mii, bound.value);
    out.bounds.push_back(std::move(bound));
  }

  void units() {
    for (int u = 0; u < static_cast<int>(p.units.size()); ++u) {
      int64_t work = 0;
      Bound bound{BoundKind::Unit, 1, false, u, {}, ""};
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
        int64_t own = 0;
        for (const Reservation &r : p.nodes[v].reservations)
          if (r.unit == u)
            own += r.length * r.amount;
        work += own;
        if (own)
          bound.nodes.push_back(v);
      }
      if (!work)
        continue;
      bound.value = std::max<int64_t>(1, ceilDiv(work, p.units[u].capacity));
      bound.witness = "unit '" + p.units[u].name + "' is busy " + std::to_string(work) +
                      " cycles an iteration with capacity " + std::to_string(p.units[u].capacity);
      add(std::move(bound));
    }
  }

  void recurrences() {
    int64_t high = 1, low = 0; // positive cycle at low (or low == 0), none at high
    while (!positiveCycle(p, high, set, deadline).empty()) {
      low = high;
      high *= 2;
      if (high > (int64_t(1) << 50))
        return;
    }
    while (high - low > 1) {
      int64_t middle = (low + high) / 2;
      (positiveCycle(p, middle, set, deadline).empty() ? high : low) = middle;
    }
    std::vector<int> cycle = positiveCycle(p, high - 1, set, deadline);
    if (cycle.empty() || deadline.passed())
      return;
    int64_t delay = 0, distance = 0;
    Bound bound{BoundKind::Recurrence, high, false, -1, {}, ""};
    std::string path;
    for (int k : cycle) {
      delay += forcedDelay(p, p.edges[k], set);
      distance += p.edges[k].distance;
      bound.nodes.push_back(p.edges[k].from);
    }
    for (size_t i = 0; i < bound.nodes.size(); ++i) {
      constexpr size_t shown = 8; // at both ends of a cycle of many
      if (i == shown && bound.nodes.size() > 2 * shown + 1) {
        i = bound.nodes.size() - shown;
        path += "(" + std::to_string(static_cast<int64_t>(i - shown)) + " more) -> ";
      }
      path += p.nodes[bound.nodes[i]].name + " -> ";
    }
    bound.witness = "recurrence " + path + p.nodes[bound.nodes[0]].name + " takes " + std::to_string(delay) +
                    " cycles over " + std::to_string(distance) + (distance == 1 ? " iteration" : " iterations");
    add(std::move(bound));
  }

  void issue() {
    if (p.groups.empty())
      return;
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
      Bound bound{BoundKind::Issue, 0, false, g, {}, ""};
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
        if (allowed[v].size() == 1 && allowed[v][0] == g && p.nodes[v].issue) {
          bound.value += p.nodes[v].issue;
          bound.nodes.push_back(v);
        }
      bound.witness =
          "the nodes pinned to group '" + p.groups[g].name + "' issue for " + std::to_string(bound.value) + " cycles";
      if (bound.value)
        add(std::move(bound));
    }
    for (bool variable : {false, true}) {
      int64_t groups = 0, work = 0, longest = 0;
      int slowest = -1;
      for (const Group &g : p.groups)
        groups += g.variable == variable;
      Bound bound{BoundKind::Issue, 1, false, -1, {}, ""};
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
        if (p.nodes[v].variableLatency == variable && p.nodes[v].issue) {
          work += p.nodes[v].issue;
          if (p.nodes[v].issue > longest)
            longest = p.nodes[v].issue, slowest = v;
          bound.nodes.push_back(v);
        }
      if (!groups || !work)
        continue;
      bound.value = std::max(ceilDiv(work, groups), longest);
      bound.witness = std::string("the ") + (variable ? "variable-latency" : "fixed-latency") + " nodes issue for " +
                      std::to_string(work) + " cycles over " + std::to_string(groups) +
                      (groups == 1 ? " group" : " groups");
      if (longest > ceilDiv(work, groups)) {
        bound.nodes = {slowest};
        bound.witness = "'" + p.nodes[slowest].name + "' issues for " + std::to_string(longest) + " cycles";
      }
      add(std::move(bound));
    }
  }

  /// Nodes of one group on one unit: issue and use both begin when the node starts, so that two starts, in their cyclic
  /// order, are as far apart as the longer of both.
  void exclusive() {
    for (int u = 0; u < static_cast<int>(p.units.size()); ++u) {
      Bound bound{BoundKind::Exclusive, 0, false, u, {}, ""};
      for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
        int64_t sum = 0;
        std::vector<int> nodes;
        for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
          if (allowed[v].size() != 1 || allowed[v][0] != g)
            continue;
          if (int64_t apart = leastDistance(p, v, u)) {
            sum += apart;
            nodes.push_back(v);
          }
        }
        if (sum <= bound.value)
          continue;
        bound.value = sum;
        bound.nodes = std::move(nodes);
        bound.witness = "the nodes of group '" + p.groups[g].name + "' that use unit '" + p.units[u].name +
                        "' keep each other from starting for " + std::to_string(sum) + " cycles an iteration";
      }
      if (bound.value)
        add(std::move(bound));
    }
  }

  void memories() {
    for (int m = 0; m < static_cast<int>(p.memories.size()); ++m) {
      const Memory &memory = p.memories[m];
      bool ring = memory.kind == MemoryKind::Ring;
      if (!set.has(ring ? Constraint::Rings : Constraint::Memory))
        continue;
      Bound bound{ring ? BoundKind::Ring : BoundKind::Memory, 1, false, m, {}, ""};
      std::vector<std::pair<int64_t, int>> values;
      int64_t once = 0;
      Need needed;
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
        int64_t own = 0;
        for (const Footprint &f : p.nodes[v].footprints)
          own += f.memory == m ? f.amount : 0;
        if (!own)
          continue;
        values.push_back({own, v});
        bound.nodes.push_back(v);
        once += own * std::max<int64_t>(1, p.nodes[v].pinDepth);
        needed.add(own, live[v], carried[v]);
      }
      if (values.empty())
        continue;
      if (!ring) {
        int64_t least = needed.least(memory.capacity);
        bound.infeasible = least == 0;
        bound.value = std::max<int64_t>(1, least);
        bound.witness = needed.witness("memory '" + memory.name + "'", memory.capacity, "all nodes");
      } else if (once > memory.capacity) {
        bound.infeasible = true;
        bound.witness = "memory '" + memory.name + "' holds " + std::to_string(memory.capacity) +
                        " and its rings need at least " + std::to_string(once) + ": over by " +
                        std::to_string(once - memory.capacity);
      } else {
        auto need = [&](int64_t ii) {
          int64_t sum = 0;
          for (auto [own, v] : values)
            sum +=
                own * std::max({int64_t(1), p.nodes[v].pinDepth, p.nodes[v].pinDepth < 0 ? ceilDiv(live[v], ii) : 1});
          return sum;
        };
        int64_t low = 0, high = 1;
        while (need(high) > memory.capacity)
          low = high, high *= 2;
        while (high - low > 1) {
          int64_t middle = (low + high) / 2;
          (need(middle) > memory.capacity ? low : high) = middle;
        }
        bound.value = high;
        bound.witness = "memory '" + memory.name + "' holds " + std::to_string(memory.capacity) +
                        " and rings for the least lifetimes need " +
                        (high > 1 ? std::to_string(need(high - 1)) + " at interval " + std::to_string(high - 1)
                                  : std::to_string(need(1)));
      }
      add(std::move(bound));
    }
  }

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

  void registers() {
    if (p.groups.empty() || !set.has(Constraint::Registers))
      return;
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
  }

  void budgets() {
    if (p.groups.empty() || !p.registerFile || !set.has(Constraint::RegisterFile))
      return;
    std::vector<char> occupies;
    for (size_t v = 0; v < p.nodes.size(); ++v)
      occupies.push_back(live[v] > 0 || carried[v] > 0);
    for (Bound &bound : budgetBounds(p, allowed, occupies))
      add(std::move(bound));
  }
};

} // namespace

Bounds computeBounds(const Problem &problem, ConstraintSet set, Deadline deadline) {
  Collector c{problem, set, deadline, {}, {}, {}, {}, {}};
  c.readers.resize(problem.nodes.size());
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    c.live.push_back(problem.nodes[v].minLive);
    c.carried.push_back(0);
    c.allowed.push_back(problem.allowedGroups(v));
  }
  for (const Edge &e : problem.edges) {
    if (e.order)
      continue;
    c.readers[e.from].push_back(e.to);
    if (set.has(Constraint::Dependence))
      c.live[e.from] = std::max(c.live[e.from], forcedDelay(problem, e, set) + e.hold);
    if (e.to == e.from)
      c.carried[e.from] = std::max(c.carried[e.from], e.distance);
  }
  if (set.has(Constraint::Capacity))
    c.units();
  if (set.has(Constraint::Dependence))
    c.recurrences();
  if (set.has(Constraint::Issue) && set.has(Constraint::WarpAssignment) && set.has(Constraint::VariableLatency))
    c.issue();
  if (set.has(Constraint::Issue) && set.has(Constraint::Capacity) && set.has(Constraint::WarpAssignment) &&
      set.has(Constraint::VariableLatency))
    c.exclusive();
  c.memories();
  if (set.has(Constraint::WarpAssignment) && set.has(Constraint::VariableLatency)) {
    c.registers();
    c.budgets();
  }
  std::stable_sort(c.out.bounds.begin(), c.out.bounds.end(), [](const Bound &a, const Bound &b) {
    return a.infeasible != b.infeasible ? a.infeasible : a.value > b.value;
  });
  return c.out;
}

} // namespace heddle
