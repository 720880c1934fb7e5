//===- Search.h - The state of one exact search (private) -----------------===//
//
// What:   the class behind `solve`: Solve.cpp walks the intervals, ByOrders.cpp and Upper.cpp come before it,
//         Coarse.cpp handles large intervals, Goals.cpp the lexicographic goals after the interval, Reason.cpp says
//         what binds.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_SOLVER_SEARCH_H
#define HEDDLE_LIB_SCHEDULING_SOLVER_SEARCH_H

#include "heddle/Scheduling/Joint/Encoder.h"
#include "heddle/Scheduling/Order/LikeParts.h"
#include "heddle/Scheduling/Solver/Solve.h"
#include "heddle/Support/Integers.h"

#include <algorithm>
#include <optional>

namespace heddle {

/// Above this interval a coarse copy of the problem is solved first.
inline constexpr int64_t fineIntervals = 400;

/// Taking a formula down takes at most so much of the time that writing it took: millions of small blocks are freed.
inline constexpr double takeDownShare = 0.4;

/// One encoded query that can be tightened and solved again.
struct Query {
  std::unique_ptr<SatSolver> sat;
  std::unique_ptr<Encoder> encoder;
  double written = 0; ///< seconds that writing it took

  /// Ends early enough for the formula to be taken down before the deadline. One that is not complete, also for what
  /// was added to it later, is not solved.
  SatAnswer solve(const std::vector<Lit> &assumptions, SearchLimits limits) const {
    if (encoder->aborted())
      return SatAnswer::Unknown;
    limits.deadline = limits.deadline.within(limits.deadline.left() - takeDownShare * written);
    return sat->solve(assumptions, limits);
  }
};

/// At most this many assignments of groups are guessed at an interval.
inline constexpr int likelyCandidates = 6;
/// Conflicts one query of a goal may take before the goal counts as not proved.
inline constexpr int64_t goalConflicts = 1000;
/// Conflicts a query on cells may take.
inline constexpr int64_t relaxedConflicts = 3000;
/// Conflicts a query near a rough solution may take, and one that drops a constraint from a core.
inline constexpr int64_t guidedConflicts = 20000, coreConflicts = 5000;
/// Conflicts that a query over orders may take: at the bound, then in turn at every interval, and after insertion.
inline constexpr int64_t firstOrderConflicts = 1000, orderConflicts[] = {100, 1000}, moreOrderConflicts = 20000;
/// Steps that queries over orders may take before insertion.
inline constexpr int64_t firstOrderSteps = 1000000;
/// What the heuristic may take before everything else, where there are many nodes: of the time, and steps.
inline constexpr double heuristicShare = 0.7;
inline constexpr int64_t heuristicSteps = 60000000;
/// Steps that insertion may take before any query, for each pair of nodes: queries over many nodes decide little.
inline constexpr int64_t insertionSteps = 60;
/// Conflicts a query of a coarse copy may take, and exchanges that are tried with the order found there.
inline constexpr int64_t coarseConflicts = 3000, refinementMoves = 2000;

/// `given` with at most `most` conflicts.
inline SearchLimits fewer(SearchLimits given, int64_t most) {
  given.conflicts = given.conflicts < 0 ? most : std::min(given.conflicts, most);
  return given;
}

/// Up to `most` different guesses at the groups of a schedule at `ii` (Assign.cpp).
std::vector<std::vector<int>> likelyGroups(const Problem &problem, ConstraintSet set, int64_t ii, int64_t stages,
                                           int most);

class Search {
public:
  Search(const Problem &problem, const SolveOptions &options) : p(problem), options(options) {
    begin = Deadline::now();
    beginCpu = SearchLimits::cpu();
    limits.deadline = options.deadline.within(options.timeLimit);
    seconds = limits.deadline.left();
    limits.memoryMB = options.memoryLimitMB;
    limits.conflicts = options.conflictLimit;
    guidance = options.anytime; // not again inside a coarse copy
    set = options.mode == SolveMode::Modulo ? ConstraintSet::modulo() : options.constraints;
  }

  SolveResult run();

private:
  Query make(int64_t ii, int64_t stages, bool selectors, const SearchLimits &given, const Guide *guide = nullptr,
             int64_t horizon = 0) const {
    Query query;
    double start = Deadline::now();
    query.sat = createSat(options.backend, nullptr, guide && guide->start.empty());
    Encoder::Options o;
    o.ii = ii;
    o.stages = stages;
    o.horizon = horizon;
    o.constraints = set;
    o.selectors = selectors;
    o.guide = guide;
    o.limits = given;
    o.limits.deadline = given.deadline.within(given.deadline.left() / (1 + takeDownShare));
    o.groupsFree = options.mode != SolveMode::Modulo;
    query.encoder = std::make_unique<Encoder>(p, *query.sat, o);
    query.encoder->encode();
    query.written = Deadline::now() - start;
    if (guide && !guide->first.empty()) {
      Schedule schedule;
      schedule.start = guide->first;
      schedule.group = guide->group;
      query.encoder->prefer(schedule);
    }
    return query;
  }
  SatAnswer ask(int64_t ii, int64_t stages, const SearchLimits &given, Query *keep = nullptr,
                const Guide *guide = nullptr);
  bool askGuided(int64_t ii, int64_t stages, const SearchLimits &given);
  /// Group assignments to try at one interval, and what is known of each.
  struct Guesses {
    struct Guess {
      std::vector<int> group;
      std::vector<int64_t> first; ///< starts to try first
      int64_t dead = 0;           ///< refuted up to this many stages
      int64_t conflicts = 0;      ///< of the last try
      bool repeated = false;      ///< tried with like parts repeating each other
    };
    std::vector<Guess> list;
  };
  bool askLikely(int64_t ii, int64_t stages, const SearchLimits &given, Guesses &guesses, size_t most,
                 int64_t mostConflicts);
  Guesses guessAt(int64_t ii, int64_t stages) const;
  SatAnswer askRelaxed(int64_t low, int64_t high, int64_t cells, int64_t stages, const SearchLimits &given,
                       Schedule *rough);
  /// True when the fewest cells refute the interval `ii`.
  bool refutedOnCells(int64_t ii, const SearchLimits &given);
  bool climb(int64_t &ii, const SearchLimits &given, Guesses &guesses);
  int64_t leastStages(int64_t ii) const;
  SatAnswer askOrders(int64_t ii, int64_t last, const std::vector<int> &group, int64_t conflicts, bool slots = false,
                      int64_t apart = 0);
  SatAnswer findByOrders(int64_t ii, int64_t conflicts, bool any = true);
  void refuted(int64_t ii);
  void refuteByOrders(int64_t conflicts, bool slots, int64_t least);
  void refuteRanges(int64_t conflicts, bool slots);
  void byOrders(int64_t conflicts);
  void fewerStagesByOrders(int64_t conflicts);
  void insertAfter(const Schedule &rough);
  void insertFirst(int64_t steps);
  void byHeuristic(const Deadline &deadline);
  bool tryInsertion(int64_t ii, int64_t insertions, const Deadline &deadline, bool follow = false);
  void fallBack(int64_t ii);
  void fromCoarse(int64_t mostCells = INT64_MAX);
  void descend(int64_t conflicts);
  bool met(int64_t ii) const;
  Problem roughCopy(int64_t factor) const;
  bool pinsStarts() const;
  bool accept(const Query &query) { return keepIfLegal(query.encoder->read()); }
  bool keepIfLegal(Schedule schedule, bool certain = true);
  SatAnswer atInterval(int64_t &ii, const SearchLimits &given);
  int64_t paperStages(int64_t ii, bool &feasible, bool &limit);
  void improve();
  bool fewestStages(SearchLimits &given);
  bool minimise(Query &query, const std::string &what, std::vector<Term> terms, SearchLimits &given,
                const std::function<int64_t(const Schedule &)> &measure);
  bool shorten(Query &query, SearchLimits &given);
  /// Says in `result` why no schedule has the interval `ii` (Reason.cpp).
  void explainInterval(int64_t ii);
  bool refutedByOrders(const Problem &problem, int64_t ii, int64_t stages, ConstraintSet constraints, int64_t conflicts,
                       Deadline deadline) const;
  std::optional<std::vector<Constraint>> coreByOrders(int64_t ii, bool &isLeast) const;
  std::optional<std::vector<Constraint>> coreBySlots(int64_t ii) const;
  std::string lacking(int64_t ii, const std::vector<Constraint> &core) const;
  void say(const std::string &text) {
    if (options.progress)
      options.progress(text);
  }
  /// Tells what is asked now; `what` ends with an interval. In cycles.
  void doing(const std::string &what, int64_t ii) const {
    if (options.step)
      options.step(what + std::to_string(ii * p.scale) + ", lower bound " + std::to_string(result.bound * p.scale) +
                   (result.hasSchedule ? ", best so far " + std::to_string(result.schedule.ii * p.scale) : ""));
  }

  const Problem &p;
  const SolveOptions &options;
  ConstraintSet set;
  SearchLimits limits;
  std::vector<int> leaders;                      ///< secondParts(p)
  std::vector<std::vector<int>> insertionGroups; ///< assignments that insertion tries
  size_t insertionTry = 0;                       ///< counts them: assignments in turn, then seeds
  bool moreStages = false; ///< no assignment is known whose transfers fit the stages of the guarantee: insertion adds
  bool widens = false;     ///< a refuted interval refutes all smaller ones
  int64_t coarseCells = 0; ///< of the coarse copies that were solved
  size_t cellLevel = 0;    ///< of climb: how many cells the last interval needed
  bool guidance = true;    ///< coarse copies at large intervals
  double begin, beginCpu;
  double seconds; ///< that this call has
  SolveResult result;
};

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_SOLVER_SEARCH_H
