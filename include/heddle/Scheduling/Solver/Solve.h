//===- Solve.h - The exact scheduler --------------------------------------===//
//
// What:    Problem -> schedule of least initiation interval, with its status, bound and reason.
// Where:   `heddle-sched solve`, `heddle schedule`, and the compiler between extraction and materialisation.
// Modes:   full    all constraints, stage count up to `maxStages`; the guarantee is "optimal among schedules of at most
//                  maxStages stages" and is stated so;
//          paper   Twill Algorithm 1: the stage count of the shortest modulo schedule at the same interval;
//          modulo  dependence and capacity only (groups are set to the first allowed one).
// Docs:    docs/Scheduling.md
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_SOLVER_SOLVE_H
#define HEDDLE_SCHEDULING_SOLVER_SOLVE_H

#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"

#include <functional>

namespace heddle {

enum class SolveMode { Full, Paper, Modulo };

struct SatBackend; // Sat.h

struct SolveOptions {
  SolveMode mode = SolveMode::Full;
  ConstraintSet constraints;
  int64_t maxStages = 0;      ///< full mode; 0: max(3, one more than the critical path needs at the lower bound)
  int64_t minII = 0;          ///< start here if above the lower bound (then Optimal means "from here up")
  int64_t maxII = 0;          ///< 0: max(4 * mii, serial length)
  double timeLimit = 60;      ///< seconds of this call
  Deadline deadline;          ///< of all calls together: ends this one before its time limit
  int64_t conflictLimit = -1; ///< of one SAT query, below 0: none. Unlike the time it is the same on every machine
  int64_t memoryLimitMB = 8192;
  bool lexicographic = true; ///< after ii and stages: fewer groups, shorter length, fewer cross-group edges, lower
                             ///< register peak
  const SatBackend *backend = nullptr; ///< the SAT solver; null: the default
  bool explain = true;                 ///< find out why ii - 1 is infeasible when no bound says so
  bool anytime = true;     ///< when the limit is reached without a schedule, spend a little more on finding some
  bool insertion = false;  ///< queries over orders, then heuristics, before any query over slots
  bool onlyOrders = false; ///< queries over orders and nothing else: a schedule and a bound, as near as steps allow
  bool orderProofs = true; ///< of a certificate; false: proofs over slots only
  bool prove = true; ///< false: a good schedule is looked for, and nothing is refuted that the bounds do not refute
  std::function<void(const std::string &)> progress; ///< what each query answered
  std::function<void(const std::string &)> step; ///< what is asked now, before it is: "interval 129, lower bound 127"
};

/// Never merged: Optimal (proved), Feasible (legal, not proved best), Infeasible (proved for every ii up to maxII, or
///               by a
/// bound), LimitReached (time or memory; `hasSchedule` tells whether a legal schedule was found), Failed (internal
/// error).
enum class SolveStatus { Optimal, Feasible, Infeasible, LimitReached, Failed };
const char *solveStatusName(SolveStatus status);

/// One SAT query.
struct SolveQuery {
  int64_t ii, stages;
  int answer;     ///< 10 satisfiable, 20 unsatisfiable, 0 limit
  double seconds; ///< of the processor
  int64_t variables, clauses;
};

struct SolveResult {
  SolveStatus status = SolveStatus::Failed;
  bool hasSchedule = false;
  Schedule schedule;  ///< legal (verified) when hasSchedule
  int64_t bound = 1;  ///< no ii below this is feasible (with at most `stages` stages)
  int64_t mii = 1;    ///< lower bound by arithmetic
  int64_t stages = 0; ///< the stage count of the guarantee
  int64_t maxII = 0;  ///< the largest ii considered
  Bounds bounds;
  std::vector<Constraint> core; ///< constraints that make ii - 1 (or the last ii) infeasible, when no bound does
  std::string binding;          ///< one sentence: why ii is what it is
  std::string message;          ///< for Failed
  std::vector<std::pair<std::string, bool>> goals; ///< in their order; whether each is proved or only improved
  bool lexicographicDone = false;                  ///< every goal proved, not only improved
  bool guided = false;                             ///< found near the solution of a coarse copy (large intervals)
  double proofCpuSeconds = 0;                      ///< the same in processor seconds
  double proofSeconds = 0; ///< until the interval was proved least; the rest is goals and explanation
  double seconds = 0, cpuSeconds = 0;
  std::vector<SolveQuery> queries;
};

/// Requires problem.check(). Deterministic but for limits. The problem is not modified.
SolveResult solve(const Problem &problem, const SolveOptions &options = {});

/// solve, in words about all intervals: where those below `options.minII` are not asked for although the bound is
/// lower, a schedule is feasible, and none found is no refutation.
SolveResult solveAsAsked(const Problem &problem, const SolveOptions &options);

/// The stage count the full mode uses by default.
int64_t defaultStages(const Problem &problem, const Bounds &bounds, ConstraintSet constraints, Deadline deadline = {});

/// Twill 5.3: a variable-latency node without incoming values from this or earlier iterations runs ahead on its own
/// warps; its latency and the delays of its value edges become 0. Returns how many nodes were changed.
int applyStreaming(Problem &problem);

/// What binds, and for each constraint (and each limit) whether relaxing it would allow a smaller interval, found by
/// solving; in words, several lines. Uses at most `options.timeLimit` seconds.
std::string explain(const Problem &problem, const SolveResult &result, const SolveOptions &options = {});

} // namespace heddle

#endif // HEDDLE_SCHEDULING_SOLVER_SOLVE_H
