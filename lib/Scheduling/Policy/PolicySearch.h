//===- PolicySearch.h - One loop scheduled by the policy (private) ---------===//
//
// What: the state of one loop at one resolution: Policy.cpp says what follows what and what is kept, Resolutions.cpp
//       chooses among cost resolutions and gives orders real times, Assignments.cpp searches other assignments of
//       groups and raises the bound.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_POLICY_POLICYSEARCH_H
#define HEDDLE_LIB_SCHEDULING_POLICY_POLICYSEARCH_H

#include "heddle/Scheduling/Policy/Policy.h"

#include <optional>

namespace heddle {

/// Steps that each part of one loop may take.
struct Steps {
  int64_t staggered;   ///< schedules in which groups take turns
  int64_t first;       ///< a good schedule at the resolution asked for
  int64_t others;      ///< a good schedule at each other resolution
  int64_t proof;       ///< proof that no interval is smaller, where all assignments are searched anyway
  int64_t assignments; ///< other assignments of groups
  int64_t orders;      ///< queries over orders, where the interval is not near its bound
  int64_t certificate;
  int64_t heuristic;
  int64_t realTimes; ///< the best real times for an order
  int64_t around;    ///< what goes with pinned times
};

/// Intervals of two resolutions that differ by less than this part of them are the same but for rounding.
inline constexpr int64_t roundingShare = 25;

inline bool choosesResolution(const PolicyOptions &options) {
  return options.nearby && options.resolution > 0 && options.overlap;
}

inline int64_t cycles(const PolicyResult &r) { return r.result.schedule.ii * r.loop.problem.scale; }
/// More than a quarter above the bound.
inline bool isFar(const PolicyResult &r) { return 4 * r.result.schedule.ii > 5 * r.result.bound; }

class PolicySearch {
public:
  PolicySearch(const LoopSource &source, const PolicyOptions &options, LoopInstance base, bool orders = true);

  Result<PolicyResult> run();

private:
  bool severalResolutions() const { return choosesResolution(options); }
  bool subtiles() const { return options.assignment == Assignment::SubtilesFirst; }
  bool proved() const { return best.result.hasSchedule && best.result.status == SolveStatus::Optimal; }
  /// No schedule exists at all.
  bool refused() const { return best.result.status == SolveStatus::Infeasible; }
  /// Where other assignments may gain what they cost.
  bool farFromBound() const { return !best.result.hasSchedule || isFar(best); }
  /// An interval so near its bound that another order is not worth a smaller one.
  bool closeToBound() const {
    return best.result.hasSchedule && best.result.schedule.ii - best.result.bound <= best.result.bound / roundingShare;
  }
  /// What is solved first: sub-tiles on groups alone, or the problem as it is.
  Problem problemOf(const LoopInstance &loop) const { return subtiles() ? pinToHomes(loop) : loop.problem; }

  // Policy.cpp
  void reserve(LoopInstance &loop) const;
  SolveOptions within(int64_t count) const;
  void search();
  /// Where pins agree with the order of the schedule without them: that order, with the times that they leave. No
  /// search is needed where the interval is hardly larger.
  PolicyResult takeUnpinned();
  /// Loops that only move or map have no order that matters: the heuristic meets the bound, or there is a search.
  bool movesOnly();
  /// Keeps a heuristic's schedule as the result. False: it is none of the joint problem.
  bool take(Schedule schedule, const SolveOptions &solving);
  /// The problem of one resolution. Sub-tiles are quick to solve: optimal where their interval meets the bound of all
  /// assignments. Without a schedule, infeasible means that this assignment has none.
  SolveResult solveFirst(const LoopInstance &loop, const SolveOptions &solving) const;
  /// A heuristic's schedule instead of what was found, where its interval is smaller.
  void tryHeuristic();
  /// Some legal schedule: by the heuristics, then in the order of the program; of sub-tiles, then of any assignment.
  void makeAny();
  /// Neither heuristics nor the order of the program look for what goes with pins.
  void takeAround(const Problem &problem);
  Result<PolicyResult> finish();
  /// What binds, what the solver says, or how far the bounds go.
  std::string reason() const;

  // Resolutions.cpp
  /// Schedules in which the groups take turns, at most a quarter above the bound, at each resolution. Of those whose
  /// intervals in cycles differ by no more than rounding, the one of fewest stages is kept: it needs fewer registers.
  bool takeStaggered();
  /// A good schedule of `loop`, nothing being proved; below `most` cycles where that is not 0.
  PolicyResult solveQuickly(LoopInstance loop, int64_t count, int64_t most, bool explain) const;
  void solveResolutions();
  /// The order of the schedule kept, with the best times that the costs of `to` allow; below `most` cycles where that
  /// is not 0.
  std::optional<PolicyResult> carriedOver(LoopInstance to, int64_t most);
  /// The order found with rounded costs, in cycles; below `most` of them.
  void takeRealTimes(int64_t most);
  /// Rounded costs are larger than real ones: the same where that makes what is proved clearly shorter.
  void takeShorterTimes();

  // Assignments.cpp
  /// Schedules in real cycles by queries over orders, and bounds: of sub-tiles on groups alone, then of any assignment,
  /// with the room that values moved between groups leave.
  void takeByOrders();
  /// Of `problem`, which is that of `loop` with or without pins; `whole`: what is refuted there is refuted for `loop`.
  void takeByOrders(const LoopInstance &loop, const Problem &problem, bool whole, SolveOptions solving);
  /// The problem asked for until its least interval is proved.
  void prove();
  /// Every assignment of groups below the interval of the sub-tiles, with the room that values moved between groups
  /// leave. The result is about the problem with that room where the schedule kept is legal there.
  void solveAssignments();

  const LoopSource &source;
  const PolicyOptions &options;
  Steps steps;
  ConstraintSet set;
  LoopInstance given;     ///< the problem at the resolution asked for
  bool staggered = false; ///< a schedule in which groups take turns was found
  PolicyResult best;
  bool enough = false; ///< pins cost next to nothing: no search could gain
};

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_POLICY_POLICYSEARCH_H
