//===- PolicySearch.h - One loop scheduled by the policy (private) ---------===//
//
// What: the state of one loop at one resolution: Policy.cpp says what follows what and what is kept, Resolutions.cpp
//       chooses among cost resolutions and gives orders real times, Orders.cpp asks queries over orders,
//       Assignments.cpp the exact search over slots.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_POLICY_POLICYSEARCH_H
#define HEDDLE_LIB_SCHEDULING_POLICY_POLICYSEARCH_H

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Policy/Policy.h"

#include <optional>

namespace heddle {

/// Steps that each part of one loop may take. Without other numbers those of efforts that prove nothing.
struct Steps {
  int64_t exists = 0;      ///< whether any schedule exists
  int64_t reason = 0;      ///< why none does
  int64_t staggered = 0;   ///< schedules in which groups take turns
  int64_t homes = 0;       ///< the least interval of sub-tiles on groups of their own, by orders
  int64_t first = 0;       ///< a good schedule at the resolution asked for
  int64_t others = 0;      ///< a good schedule at each other resolution
  int64_t proof = 0;       ///< proof that no interval is smaller, where all assignments are searched anyway
  int64_t assignments = 0; ///< other assignments of groups, over slots
  int64_t orders = 0;      ///< the least interval of any assignment, by orders
  int64_t bound = 0;       ///< a bound near it, by orders
  int64_t certificate = 100000;
  int64_t heuristic = 150000;
  int64_t realTimes = 0;    ///< the best real times for an order
  int64_t around = 1000000; ///< what goes with pinned times
};

/// Intervals of two resolutions that differ by less than this part of them are the same but for rounding.
inline constexpr int64_t roundingShare = 25;
/// A bound is to be so near: the interval that is kept exceeds it by no more than this part of it.
inline constexpr int64_t boundShare = 20;
/// And if steps suffice, by no more than this part.
inline constexpr int64_t nearShare = 50;

inline bool choosesResolution(const PolicyOptions &options) {
  return options.nearby && options.resolution > 0 && options.overlap;
}

inline int64_t cycles(const PolicyResult &r) { return r.result.schedule.ii * r.loop.problem.scale; }
inline bool isClose(const PolicyResult &r) {
  return r.result.hasSchedule && r.result.schedule.ii - r.result.bound <= r.result.bound / roundingShare;
}
/// More than a quarter above the bound: the steps were too few, as they seldom are. (test/Scheduling/delta_rule.mlir
/// had 2154 cycles, another form of it 5109, one iteration after the other; with twice the steps 2028 and 1838.)
inline bool isFar(const SolveResult &r) { return r.hasSchedule && 4 * r.schedule.ii > 5 * r.bound; }
/// Only a clearly smaller interval is worth another order: the least number of cycles that is none.
inline int64_t notWorth(const PolicyResult &r) { return cycles(r) - cycles(r) / roundingShare; }

class PolicySearch {
public:
  /// Without `orders`, which were asked before, the search over slots alone.
  PolicySearch(const LoopSource &source, const PolicyOptions &options, LoopInstance base, bool orders = true,
               int64_t patience = 1);

  Result<PolicyResult> run();

private:
  bool severalResolutions() const { return choosesResolution(options); }
  bool subtiles() const { return options.assignment == Assignment::SubtilesFirst; }
  bool proved() const { return best.result.hasSchedule && best.result.status == SolveStatus::Optimal; }
  /// No schedule exists at all.
  bool refused() const { return best.result.status == SolveStatus::Infeasible; }
  /// An interval so near its bound that another order is not worth a smaller one.
  bool closeToBound() const { return isClose(best); }
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
  /// Where no iterations overlap and every group keeps the program's order: that order with its best times, where
  /// queries over orders refute what is clearly shorter.
  bool takeInOrder();
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
  Error reason(ErrorKind kind) const;
  /// Which limit the program's order exceeds, without overlap and with any room, and by how much.
  std::optional<Violation> lackingInTurn(const Problem &problem) const;

  // Resolutions.cpp
  /// Schedules in which the groups take turns, at each resolution: at most a quarter above the bound, or hardly above
  /// the least interval that orders know. Of those whose intervals in cycles differ by no more than rounding, the one
  /// of fewest stages is kept: it needs fewer registers.
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

  // Orders.cpp
  /// Whether queries over orders are asked: they know all constraints, and pins leave them no interval to widen from.
  bool asksOrders() const { return orders && options.solve.mode == SolveMode::Full && options.refute; }
  /// The loop in real cycles, which take queries over orders no longer than other units.
  const LoopInstance &inCycles();
  /// Whether values may pass between groups: assignments beside that of sub-tiles are part of the problem.
  bool isJoint();
  /// The exact search by orders only: of intervals from `least` to `most` (0: any) and of at most so many stages.
  SolveResult askOrders(const Problem &problem, SolveOptions solving, int64_t least, int64_t most,
                        int64_t stages = 0) const;
  /// Whether `r`, about the interval `ii` alone, refutes all smaller ones as well.
  bool refutes(const SolveResult &r, const Problem &problem, int64_t ii) const;
  /// False: orders refute the interval that holds all operations one after the other, and so every other one, so that
  /// the loop is refused. Where they refute it of sub-tiles on groups of their own, `homesFit` says so.
  bool mayExist();
  /// Schedules of `problem`, which is that of `loop` with or without pins, as short as orders find; one of more stages
  /// only where it is clearly shorter. False: the steps were spent before the least was known.
  bool takeLeast(const LoopInstance &loop, const Problem &problem, int64_t count, int64_t mostStages = 0);
  /// Keeps the schedule of `r` instead. False: it is none of the joint problem.
  bool takeInstead(const LoopInstance &loop, const SolveResult &r, const SolveOptions &solving);
  /// The least interval of sub-tiles on groups of their own: `byOrders`, where there is one, and `homesDecided`.
  void askHomes();
  /// Sub-tiles on groups alone, then any assignment, with the room that values moved between groups leave; at last a
  /// bound near what is kept.
  void takeByOrders();
  void raiseBound();

  // Assignments.cpp
  /// The problem asked for until its least interval is proved.
  void prove();
  /// Every assignment of groups below the interval of the sub-tiles, with the room that values moved between groups
  /// leave. The result is about the problem with that room where the schedule kept is legal there.
  void solveAssignments();

  const LoopSource &source;
  const PolicyOptions &options;
  const bool orders;
  Steps steps;
  ConstraintSet set;
  LoopInstance given;               ///< the problem at the resolution asked for
  std::optional<LoopInstance> real; ///< inCycles
  std::optional<Schedule> known;    ///< some schedule of sub-tiles, in real cycles
  PolicyResult byOrders;            ///< the best of sub-tiles by orders
  bool askedHomes = false;          ///< for it
  bool homesDecided = false;        ///< no interval of sub-tiles is clearly smaller
  bool homesFit = true;             ///< sub-tiles on groups of their own may have a schedule
  bool staggered = false;           ///< a schedule in which groups take turns was found
  int64_t refutedBelow = 0;         ///< what orders say of the interval that is kept, with or without a certificate
  PolicyResult best;
  bool enough = false; ///< pins cost next to nothing: no search could gain
};

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_POLICY_POLICYSEARCH_H
