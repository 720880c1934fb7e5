//===- BlamePins.cpp - which pins leave a problem without a schedule -------===//
//
// What:      see BlamePins.h.
// Algorithm: takes the pins back one at a time. A pin without which a schedule exists is named with the nearest value
//            that has one: its values move towards those of that schedule, by as little as a search by halves finds.
//            Where no single pin suffices, all are taken back and as many as possible are set again.
// Exists:    where the pins contradict the dependences at every interval, that alone is asked, by longest paths; else
//            the heuristic scheduler and then the exact one, within conflicts.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Solver/BlamePins.h"

#include "heddle/Scheduling/Modulo/Modulo.h"

#include <algorithm>
#include <optional>

namespace heddle {
namespace {

/// Conflicts of one query: an answer that takes more is not needed for a diagnostic.
constexpr int64_t blameConflicts = 2000;
/// Steps of all queries together.
constexpr int64_t blameSteps = 2000000;
/// Intervals up to this many times the bound are tried.
constexpr int64_t blameIntervals = 4;

class Blamer {
public:
  Blamer(const Problem &problem, const std::vector<Pin> &pins, const SolveOptions &given)
      : problem(problem), pins(pins), options(given) {
    options.lexicographic = options.explain = options.anytime = false;
    options.conflictLimit = blameConflicts;
    options.deadline = options.deadline.afterSteps(blameSteps);
    least = computeBounds(problem, options.constraints, options.deadline).mii;
    options.maxII = std::min(options.maxII ? options.maxII : blameIntervals * least, maxInterval);
    for (const Pin &pin : pins)
      if (pin.kind == PinKind::Interval)
        interval = pin.values.front();
    byTimes = !findTimes(problem, interval);
  }

  std::vector<PinBlame> run() {
    std::vector<PinBlame> blames;
    for (size_t i = 0; i < pins.size(); ++i) {
      std::vector<char> relaxed(pins.size(), 0);
      relaxed[i] = 1;
      if (std::optional<Schedule> found = findWithout(relaxed))
        blames.push_back({i, describe(i, *found)});
    }
    return blames.empty() && pins.size() > 1 ? smallestSet() : blames;
  }

private:
  std::optional<Schedule> findWithout(const std::vector<char> &relaxed) {
    Problem copy = problem;
    bool pinned = interval > 0;
    for (size_t i = 0; i < pins.size(); ++i)
      if (relaxed[i]) {
        relaxPin(copy, pins[i]);
        pinned &= pins[i].kind != PinKind::Interval;
      }
    return find(copy, pinned ? interval : 0);
  }

  /// A schedule of `copy` at interval `ii` (0: any); by times alone where no more is needed to refuse the pins.
  std::optional<Schedule> find(const Problem &copy, int64_t ii) {
    if (byTimes)
      return findTimes(copy, ii);
    if (!ii) {
      HeuristicOptions quick;
      quick.constraints = options.constraints;
      quick.maxII = options.maxII;
      quick.deadline = options.deadline;
      if (Result<Schedule> found = scheduleHeuristic(copy, quick))
        return *found;
    }
    SolveOptions at = options;
    if (ii)
      at.minII = at.maxII = ii;
    SolveResult result = solve(copy, at);
    return result.hasSchedule ? std::optional(result.schedule) : std::nullopt;
  }

  /// Earliest times at the least interval where dependences and pins allow any.
  std::optional<Schedule> findTimes(const Problem &copy, int64_t ii) const {
    int64_t last = ii ? ii : options.maxII;
    for (int64_t at = ii ? ii : least; at <= last && !options.deadline.passed(); ++at)
      if (std::optional<std::vector<int64_t>> start = earliestStarts(copy, at, options.constraints)) {
        Schedule schedule;
        schedule.ii = at;
        schedule.start = *start;
        for (size_t v = 0; v < copy.nodes.size(); ++v) {
          std::vector<int> groups = copy.allowedGroups(static_cast<int>(v));
          schedule.group.push_back(groups.empty() ? -1 : groups.front());
        }
        fillDepths(copy, schedule);
        return schedule;
      }
    return std::nullopt;
  }

  /// What `schedule`, made without the pin, has in its place.
  std::vector<int64_t> taken(const Pin &pin, const Schedule &schedule) const {
    if (pin.kind == PinKind::Interval)
      return {schedule.ii};
    std::vector<int64_t> values;
    for (int v : pin.nodes)
      switch (pin.kind) {
      case PinKind::Start: values.push_back(schedule.start[v]); break;
      case PinKind::Stage: values.push_back(schedule.start[v] / schedule.ii); break;
      case PinKind::Depth:
        values.push_back(schedule.depth[v]);
        for (int other : pin.beside)
          values.back() = std::max(values.back(), schedule.depth[other]);
        break;
      case PinKind::Group: values.push_back(schedule.group[v]); break;
      case PinKind::InFlight: values.push_back((problem.nodes[v].latency + schedule.ii - 1) / schedule.ii); break;
      case PinKind::Interval: break;
      }
    return values;
  }

  /// The problem with the values of pin `i` replaced.
  Problem with(size_t i, const std::vector<int64_t> &values) const {
    Problem copy = problem;
    for (size_t k = 0; k < pins[i].nodes.size(); ++k) {
      Node &node = copy.nodes[pins[i].nodes[k]];
      switch (pins[i].kind) {
      case PinKind::Start: node.pinStart = values[k]; break;
      case PinKind::Stage: node.pinStage = values[k]; break;
      case PinKind::Depth: node.pinDepth = values[k]; break;
      case PinKind::InFlight: copy.edges[pins[i].edges[k]].distance = values[k]; break;
      case PinKind::Group:
      case PinKind::Interval: break;
      }
    }
    for (int v : pins[i].beside)
      copy.nodes[v].pinDepth = values.front();
    return copy;
  }

  /// `from` moved by at most `steps` towards `to`.
  static std::vector<int64_t> towards(std::vector<int64_t> from, const std::vector<int64_t> &to, int64_t steps) {
    for (size_t k = 0; k < from.size(); ++k)
      from[k] += std::clamp(to[k] - from[k], -steps, steps);
    return from;
  }

  std::string describe(size_t i, const Schedule &schedule) {
    const Pin &pin = pins[i];
    Pin nearest = pin;
    nearest.values = taken(pin, schedule);
    bool exact = byTimes || schedule.ii == least;
    if (pin.kind == PinKind::Interval && !exact)
      if (SolveResult result = solve(problem, options); result.hasSchedule && result.schedule.ii <= schedule.ii) {
        nearest.values = {result.schedule.ii};
        exact = result.status == SolveStatus::Optimal;
      }
    int64_t off = 0;
    for (size_t k = 0; k < pin.values.size(); ++k)
      off = std::max(off, std::abs(nearest.values[k] - pin.values[k]));
    std::string text = "pin " + describePin(problem, pin) + ": ";
    std::string has = byTimes ? " that the dependences allow is " : " that has a schedule is ";
    if (pin.kind == PinKind::Interval)
      return text + (exact ? "the least" : "one") + has + describePin(problem, nearest) + ", off by " +
             std::to_string(off * problem.scale);
    // Values that lie in the same slots may have a schedule only where each has its own number of them.
    bool apart = !pin.beside.empty() && !find(with(i, nearest.values), interval);
    if (pin.kind == PinKind::Group || !off || apart)
      return text + "without it there is a schedule of interval " + std::to_string(schedule.ii * problem.scale) +
             (off && !apart ? " with " + describePin(problem, nearest) : "");
    int64_t none = 0, some = off; // steps that have no schedule, and that have one
    while (some - none > 1) {
      int64_t middle = off <= 8 ? none + 1 : none + (some - none) / 2;
      (find(with(i, towards(pin.values, nearest.values, middle)), interval) ? some : none) = middle;
    }
    nearest.values = towards(pin.values, nearest.values, some);
    return text + "the nearest" + has + describePin(problem, nearest) + ", off by " +
           std::to_string(some * (pin.kind == PinKind::Start ? problem.scale : 1));
  }

  std::vector<PinBlame> smallestSet() {
    std::vector<char> relaxed(pins.size(), 1);
    std::vector<PinBlame> blames;
    if (!findWithout(relaxed))
      return blames;
    for (size_t i = 0; i < pins.size(); ++i) {
      relaxed[i] = 0;
      relaxed[i] = !findWithout(relaxed);
    }
    for (size_t i = 0; i < pins.size(); ++i)
      if (relaxed[i])
        blames.push_back({i, "pin " + describePin(problem, pins[i]) +
                                 (blames.empty() ? ": no schedule together with the pins noted below" : "")});
    return blames;
  }

  const Problem &problem;
  const std::vector<Pin> &pins;
  SolveOptions options;
  int64_t interval = 0, least = 1;
  bool byTimes = false; ///< the pins contradict the dependences at every interval
};

} // namespace

std::vector<PinBlame> blamePins(const Problem &problem, const std::vector<Pin> &pins, const SolveOptions &options) {
  return Blamer(problem, pins, options).run();
}

} // namespace heddle
