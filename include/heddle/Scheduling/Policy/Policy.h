//===- Policy.h - Which problem is solved, in which order, and what is kept ===//
//
// What:   a loop, given as a function from a cost resolution to its problem -> the schedule that is kept, with what is
//         known of it: optimal with a certificate that the checker accepted, or feasible with the bound.
// Where:  `heddle compile`, `run`, `schedule` and `explain`, between extraction and materialisation.
// Rule:   a result depends on the problem and the options only. Every effort but Proof is counted in steps
//         (Support/Deadline.h); the clock is the user's limit. A loop with a legal schedule gets one.
// Docs:   docs/Scheduling.md, decision 0013
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_POLICY_POLICY_H
#define HEDDLE_SCHEDULING_POLICY_POLICY_H

#include "heddle/Certificate/Certificate.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <memory>

namespace heddle {

class SolvedLoops;

/// How much is tried; the options -O0 to -O3.
enum class Effort {
  Order,     ///< the order of the program, one iteration after the other
  Heuristic, ///< a good schedule, no search for the best
  Budget,    ///< search and proof within a number of steps
  Proof,     ///< until the interval is proved least, or the time limit
};

/// A loop's problem at one resolution.
struct LoopInstance {
  Problem problem;
  std::vector<int> homes; ///< of each node: its group where every sub-tile has a group of its own
  int64_t resolution = 0; ///< that it was made at
  bool reserved = false;  ///< whether `LoopSource::reserve` was applied
};

/// What the policy asks of the one who knows the loop.
struct LoopSource {
  /// The problem with costs rounded so that the resource bound is about `resolution` units; 0: real cycles.
  std::function<Result<LoopInstance>(int64_t resolution)> at;
  /// Takes from a joint problem the room that values moved between groups cannot have. Empty: none is taken.
  std::function<void(Problem &)> reserve;
  /// The loop scheduled without its pins. Empty: it has none.
  std::function<Result<struct PolicyResult>()> unpinned;
};

/// Who decides which group runs a node.
enum class Assignment {
  Given,         ///< the problem's own pins
  SubtilesFirst, ///< every sub-tile on a group of its own, then every other assignment below that interval
};

/// Units in the resource bound, where nobody says otherwise.
inline constexpr int64_t defaultResolution = 128;

struct PolicyOptions {
  Effort effort = Effort::Budget;
  Assignment assignment = Assignment::SubtilesFirst;
  int64_t resolution = defaultResolution;
  bool nearby = true;  ///< other resolutions may be taken instead of the one asked for
  bool refute = true;  ///< false: optimal is only what meets a bound; no certificate refutes smaller intervals
  bool overlap = true; ///< false: no iteration begins before the last one ends
  int64_t tries = 1;   ///< of this loop in another form: each search has this part of its steps
  bool inTurn = false; ///< only a schedule is of use in which groups take turns (scheduleStaggered)
  bool whyNot = true;  ///< what no schedule exists for is told with what contradicts, which takes a while
  int64_t below = 0;   ///< only an interval of fewer cycles is of use; 0: any
  int64_t worth = 0;   ///< what has as many cycles is dropped, so that its bound need not be raised; 0: nothing is
  /// Mode, constraints, stages, time limit; all loops and forms of a kernel may share a purse. Where it is spent, the
  /// best schedule so far is kept, or one is made without a search.
  SolveOptions solve;
  std::string cache;                   ///< directory of solved problems; empty: none
  std::shared_ptr<SolvedLoops> solved; ///< by this process; null: none is kept (Solved.h)
};

struct PolicyResult {
  LoopInstance loop; ///< what `result` is about
  SolveResult result;
  CertificateFiles certificate; ///< of an optimal result; accepted by the checker
  bool stoppedChoosing = false; ///< the time limit came before all schedules of this interval were compared
  bool byOrders = false;        ///< no search over slots found as short a schedule
  bool fromCache = false;
  bool unraised = false; ///< as long as `worth`: its bound is the arithmetic one
  int64_t steps = 0;     ///< that it took out of the purse of `solve.deadline`
};

/// Schedules one loop. The error says why there is no schedule: infeasible (with what binds), limit (with the bound),
/// internal, or what the source says.
Result<PolicyResult> scheduleByPolicy(const LoopSource &source, const PolicyOptions &options);

/// A good schedule without a search for the best: iterative modulo scheduling and a short query, each given the best
/// times for its order. Counts at most `steps`. None: nothing legal was found.
std::optional<Schedule> scheduleQuickly(const Problem &problem, const SolveOptions &options, int64_t steps);
/// A schedule in which every group issues its asynchronous operations right behind each other, in the order of the
/// program, and the groups begin equal parts of the interval apart; of the least such interval that is found from
/// `least` to `most`. None: nothing was found, the program pins times, or a group is not given.
std::optional<Schedule> scheduleStaggered(const Problem &problem, int64_t least, int64_t most,
                                          const SolveOptions &options);
/// True where a group has asynchronous operations and others that use them: the order matters beyond the interval.
bool orderMatters(const Problem &problem);
/// The groups in the order in which they issue their asynchronous operations, from the one that begins first, where in
/// the circle of the interval each issues all of its own behind each other, and all at the same distances. Empty: they
/// do not, or are less than two.
std::vector<int> groupsInTurn(const Problem &problem, const Schedule &schedule);
/// `schedule` with one order for all groups that have the same operations, at an interval of at most `most` and in no
/// more stages. None: they have, the groups differ, or nothing legal was found.
std::optional<Schedule> scheduleAlike(const Problem &problem, const Schedule &schedule, int64_t most,
                                      const SolveOptions &options);
/// A schedule of a problem in which times are pinned, within `options.deadline` and of an interval from `minII` to
/// `maxII`. None: nothing was found.
std::optional<Schedule> scheduleAround(const Problem &problem, const SolveOptions &options);
/// A schedule that keeps the pins of `problem` in the order of `schedule`, one of `other`: the same problem without
/// pins, perhaps in other units of time. None: the pins contradict the order.
std::optional<Schedule> scheduleInOrder(const Problem &problem, const Problem &other, const Schedule &schedule,
                                        const SolveOptions &options);
/// The problem with every node on its home: the assignment of sub-tiles to groups alone.
Problem pinToHomes(const LoopInstance &loop);
/// Groups that differ only in their names are named so that each node runs on its home, where that is possible.
void nameGroups(const LoopInstance &loop, Schedule &schedule);

/// Moves nodes that make registers out of none, and whose results asynchronous nodes alone take, as late as `set` and
/// the number of stages allow (Late.cpp): their registers are held for less.
void postponeReads(const Problem &problem, Schedule &schedule, ConstraintSet set);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_POLICY_POLICY_H
