//===- Reuse.cpp - see Reuse.h ---------------------------------------------===//
#include "heddle/Scheduling/Problem/Reuse.h"

#include "heddle/Support/Integers.h"

#include <algorithm>
#include <optional>

namespace heddle {
namespace {

class Finder {
public:
  Finder(const Problem &problem, const Schedule &schedule)
      : p(problem), s(schedule), ends(lifetimeEnds(problem, schedule)) {}

  std::optional<Reuse> of(int reader) const {
    int64_t held = 0, done = INT64_MAX; // operands that live for the reader's sake, and until when
    for (const Edge &e : p.edges) {
      int64_t end = s.start[reader] + e.hold;
      if (e.to != reader || e.order || e.hold <= 0 || e.distance != 0 || s.group[e.from] != s.group[reader] ||
          ends[e.from] > end || !p.nodes[e.from].regs)
        continue;
      held += p.nodes[e.from].regs;
      done = std::min(done, end);
    }
    if (!held)
      return std::nullopt;
    for (const auto &[time, next] : behind(reader)) {
      if (waits(next, time, s.start[reader]))
        return std::nullopt;
      bool taken = p.nodes[next].async && p.nodes[next].regs > 0 && time >= done;
      if (taken && alive(s.group[reader], time) + held > p.groups[s.group[reader]].regs)
        return Reuse{reader, next, (time - s.start[next]) / s.ii};
    }
    return std::nullopt;
  }

private:
  /// What the group starts in the interval behind `reader`, in order.
  std::vector<std::pair<int64_t, int>> behind(int reader) const {
    std::vector<std::pair<int64_t, int>> found;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      if (v != reader && s.group[v] == s.group[reader]) {
        int64_t later = s.start[v] - s.start[reader];
        found.push_back({s.start[reader] + later - floorDiv(later, s.ii) * s.ii, v});
      }
    std::sort(found.begin(), found.end());
    return found;
  }

  /// Whether `v`, started at `time`, reads the result of what was issued at `since` or later on its group: units finish
  /// in order.
  bool waits(int v, int64_t time, int64_t since) const {
    return std::any_of(p.edges.begin(), p.edges.end(), [&](const Edge &e) {
      int64_t made = s.start[e.from] + time - s.start[v] - e.distance * s.ii;
      return e.to == v && !e.order && e.hold == 0 && !p.nodes[v].async && p.nodes[e.from].async &&
             s.group[e.from] == s.group[v] && made >= since;
    });
  }

  /// Registers of the results of `group` at `time`, in the steady state.
  int64_t alive(int group, int64_t time) const {
    int64_t sum = 0;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      if (s.group[v] == group) // instances that have started, less those that have ended
        sum += p.nodes[v].regs * (floorDiv(time - s.start[v], s.ii) - floorDiv(time - ends[v], s.ii));
    return sum;
  }

  const Problem &p;
  const Schedule &s;
  std::vector<int64_t> ends;
};

} // namespace

std::vector<Reuse> reusedOperands(const Problem &problem, const Schedule &schedule) {
  std::vector<Reuse> found;
  if (problem.groups.empty())
    return found;
  Finder finder(problem, schedule);
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v)
    if (problem.nodes[v].async && problem.groups[schedule.group[v]].regs > 0)
      if (std::optional<Reuse> reuse = finder.of(v))
        found.push_back(*reuse);
  return found;
}

} // namespace heddle
