//===- Policy.cpp - Which problem is solved, in which order, and what is kept ===//
//
// What:      see Policy.h.
// Verifies:  every schedule that is kept, after its groups were named, by Certificate/Verify; what is called optimal
//            by a certificate that the checker accepts.
// Algorithm: rounded costs can make one resolution a hard instance and the next an easy one, and optimal schedules of
//            one interval are many, of which hardware keeps the order only. So the loop is solved at a few resolutions
//            with a share of the steps each, and of those proved least the schedule is kept whose order by itself
//            attains the smallest interval (Modulo/SelfTimed). If none is proved, other assignments of groups are
//            searched below the interval found. If there is no schedule after all that, heuristics make one; and where
//            none is near its bound, all begins again at other resolutions.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Policy/Policy.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Refine.h"
#include "heddle/Scheduling/Modulo/SelfTimed.h"
#include "heddle/Scheduling/Policy/Cache.h"
#include "heddle/Scheduling/Solver/Certify.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle {
namespace {

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
Steps stepsOf(Effort effort) {
  constexpr int64_t none = int64_t(1) << 60;
  switch (effort) {
  case Effort::Order:
  case Effort::Heuristic: return {0, 0, 0, 0, 0, 0, 100000, 150000, 0, 1000000};
  case Effort::Budget: return {1000000, 1600000, 500000, 600000, 300000, 200000, 1000000, 150000, 150000, 6000000};
  case Effort::Proof: break;
  }
  return {8000000, 2000000, 2000000, none, none, 20000000, none, 2000000, 1000000, 60000000};
}

/// Intervals of two resolutions that differ by less than this part of them are the same but for rounding.
constexpr int64_t roundingShare = 25;
/// Exchanges of neighbours that are tried with the order that is taken over to real times.
constexpr int64_t realTimesMoves = 1000;
/// Resolutions that are solved, in percent of the one asked for.
constexpr int64_t nearbyPercents[] = {100, 200, 125, 150, 75};
/// Resolutions at which all begins again where the first gives no schedule near its bound: costs round differently, and
/// with longer units an instance is smaller.
constexpr int64_t otherPercents[] = {25, 50, 200};

/// True where a group has asynchronous operations and others that use them: the order matters beyond the interval.
bool orderMatters(const Problem &problem) {
  return std::any_of(problem.edges.begin(), problem.edges.end(), [&](const Edge &e) {
    return problem.nodes[e.from].async && !problem.nodes[e.from].variableLatency && !problem.nodes[e.to].async;
  });
}

/// True where no asynchronous operation both takes and gives values: such loops move or map.
bool onlyMoves(const Problem &problem) {
  std::vector<char> takes(problem.nodes.size(), 0), gives(problem.nodes.size(), 0);
  for (const Edge &e : problem.edges)
    if (!e.order)
      gives[e.from] = takes[e.to] = 1;
  for (size_t v = 0; v < problem.nodes.size(); ++v)
    if (problem.nodes[v].async && takes[v] && gives[v])
      return false;
  return true;
}

bool choosesResolution(const PolicyOptions &options) {
  return options.nearby && options.resolution > 0 && options.overlap;
}

int64_t cycles(const PolicyResult &r) { return r.result.schedule.ii * r.loop.problem.scale; }
/// More than a quarter above the bound.
bool isFar(const PolicyResult &r) { return 4 * r.result.schedule.ii > 5 * r.result.bound; }

class Policy {
public:
  Policy(const LoopSource &source, const PolicyOptions &options, LoopInstance base, bool orders = true)
      : source(source), options(options), steps(stepsOf(options.effort)) {
    for (int64_t *count :
         {&steps.staggered, &steps.first, &steps.others, &steps.proof, &steps.assignments, &steps.orders})
      *count /= options.tries;
    steps.orders *= orders;
    best.loop = given = std::move(base);
    best.result.status = SolveStatus::LimitReached; // nothing is known yet
    set = options.solve.mode == SolveMode::Modulo ? ConstraintSet::modulo() : options.solve.constraints;
  }

  Result<PolicyResult> run() {
    if (options.effort >= Effort::Budget) {
      PolicyResult inOrder = takeUnpinned();
      if (!enough)
        search();
      if (inOrder.result.hasSchedule && (!best.result.hasSchedule || cycles(inOrder) < cycles(best)))
        best = std::move(inOrder);
    }
    if (!best.result.hasSchedule && best.result.status != SolveStatus::Failed && !refused())
      makeAny();
    return finish();
  }

private:
  bool severalResolutions() const { return choosesResolution(options); }
  bool subtiles() const { return options.assignment == Assignment::SubtilesFirst; }
  bool proved() const { return best.result.hasSchedule && best.result.status == SolveStatus::Optimal; }
  /// No schedule exists at all.
  bool refused() const { return best.result.status == SolveStatus::Infeasible; }

  void reserve(LoopInstance &loop) const {
    if (source.reserve && !loop.reserved)
      source.reserve(loop.problem);
    loop.reserved = static_cast<bool>(source.reserve);
  }

  SolveOptions within(int64_t count) const {
    SolveOptions out = options.solve;
    out.deadline = out.deadline.afterSteps(count);
    if (!options.overlap)
      out.maxStages = 1;
    return out;
  }

  void search() {
    if (movesOnly())
      return;
    solveResolutions();
    auto open = [&] { return !proved() && best.result.status != SolveStatus::Failed; };
    if (open() && !refused() && (!subtiles() || !best.result.hasSchedule))
      tryHeuristic();
    if (!options.refute && open() && !refused() && !best.result.hasSchedule)
      takeAround(problemOf(best.loop));
    if (open() && (!subtiles() || options.effort == Effort::Proof))
      prove();
    if (open() && subtiles() && (!best.result.hasSchedule || options.effort == Effort::Proof || farFromBound()))
      solveAssignments();
    if (open() && severalResolutions() && best.result.hasSchedule && !(staggered && closeToBound()))
      takeRealTimes(cycles(best));
    if (open() && subtiles() && options.effort == Effort::Budget && best.result.hasSchedule && !closeToBound())
      raiseBound();
    // Where there is no schedule, other resolutions come first.
    bool elsewhere = severalResolutions() && !best.result.hasSchedule;
    if (open() && !refused() && !closeToBound() && !elsewhere && steps.orders)
      takeByOrders();
  }

  /// Where pins agree with the order of the schedule without them: that order, with the times that they leave. No
  /// search is needed where the interval is hardly larger.
  PolicyResult takeUnpinned() {
    PolicyResult none = best;
    Result<PolicyResult> free = source.unpinned ? source.unpinned() : Error(ErrorKind::Limit, "no pins");
    if (!free)
      return none;
    if (free->loop.reserved)
      reserve(best.loop);
    SolveOptions solving = within(steps.first);
    std::optional<Schedule> schedule =
        scheduleInOrder(best.loop.problem, free->loop.problem, free->result.schedule, solving);
    if (schedule && take(*schedule, solving))
      enough = cycles(best) - cycles(*free) <= cycles(*free) / roundingShare;
    return std::exchange(best, none);
  }

  /// Loops that only move or map have no order that matters: the heuristic meets the bound, or there is a search.
  bool movesOnly() {
    if (!onlyMoves(best.loop.problem) || options.solve.mode == SolveMode::Paper)
      return false;
    SolveOptions solving = within(steps.heuristic);
    std::optional<Schedule> schedule = scheduleQuickly(problemOf(best.loop), solving, steps.heuristic);
    if (!schedule || !take(*schedule, solving))
      return false;
    if (proved()) {
      takeShorterTimes();
      return true;
    }
    best.result = {};
    best.result.status = SolveStatus::LimitReached;
    return false;
  }

  /// What is solved first: sub-tiles on groups alone, or the problem as it is.
  Problem problemOf(const LoopInstance &loop) const { return subtiles() ? pinToHomes(loop) : loop.problem; }

  /// Keeps a heuristic's schedule as the result. False: it is none of the joint problem.
  bool take(Schedule schedule, const SolveOptions &solving) {
    const Problem &p = best.loop.problem;
    finishSchedule(p, schedule);
    schedule.constraints = set;
    if (!verifySchedule(p, schedule, set).empty())
      return false;
    SolveResult &r = best.result;
    int64_t known = std::max<int64_t>(1, r.bound);
    r.bounds = computeBounds(p, set, solving.deadline);
    r.mii = r.bounds.mii;
    r.stages = std::max(r.stages, std::max(schedule.stages(p), solving.maxStages));
    r.bound = subtiles() ? r.mii : std::max(known, r.mii);
    r.hasSchedule = true;
    r.schedule = std::move(schedule);
    r.status = r.schedule.ii <= r.bound ? SolveStatus::Optimal : SolveStatus::Feasible;
    if (!r.bounds.bounds.empty())
      r.binding = r.bounds.bounds[0].witness;
    return true;
  }

  /// The problem of one resolution. Sub-tiles are quick to solve: optimal where their interval meets the bound of all
  /// assignments. Without a schedule, infeasible means that this assignment has none.
  SolveResult solveFirst(const LoopInstance &loop, const SolveOptions &solving) const {
    SolveResult r = solve(problemOf(loop), solving);
    if (r.status == SolveStatus::LimitReached && r.hasSchedule)
      r.status = SolveStatus::Feasible;
    if (!subtiles() || !r.hasSchedule)
      return r;
    finishSchedule(loop.problem, r.schedule);
    if (!verifySchedule(loop.problem, r.schedule, r.schedule.constraints).empty()) {
      // This schedule is none of the joint problem; another one of the assignment might be.
      r.hasSchedule = false;
      r.status = SolveStatus::LimitReached;
      return r;
    }
    r.bounds = computeBounds(loop.problem, r.schedule.constraints, options.solve.deadline);
    r.mii = r.bound = r.bounds.mii;
    r.status = r.schedule.ii <= r.mii ? SolveStatus::Optimal : SolveStatus::Feasible;
    if (r.status == SolveStatus::Optimal && !r.bounds.bounds.empty())
      r.binding = r.bounds.bounds[0].witness;
    return r;
  }

  /// Schedules in which the groups take turns, at most a quarter above the bound, at each resolution. Of those whose
  /// intervals in cycles differ by no more than rounding, the one of fewest stages is kept: it needs fewer registers.
  bool takeStaggered() {
    std::vector<PolicyResult> found;
    int tries = 0;
    for (int64_t percent : nearbyPercents) {
      if (tries++ >= 2 && (found.empty() || options.solve.deadline.passed()))
        break;
      best.loop = given;
      best.result = {};
      if (percent != 100) {
        Result<LoopInstance> made = source.at(options.resolution * percent / 100);
        if (!made)
          continue;
        best.loop = std::move(*made);
      }
      SolveOptions solving = within(steps.staggered);
      int64_t mii = computeBounds(best.loop.problem, set, solving.deadline).mii;
      std::optional<Schedule> schedule = scheduleStaggered(problemOf(best.loop), mii, mii + mii / 4, solving);
      if (schedule && take(*schedule, solving))
        found.push_back(best);
    }
    best.loop = given;
    best.result = {};
    int64_t least = INT64_MAX;
    for (const PolicyResult &r : found)
      least = std::min(least, cycles(r));
    auto rank = [&](const PolicyResult &r) {
      bool rounded = cycles(r) - least <= least / roundingShare;
      return std::tuple(!rounded, r.result.schedule.stages(r.loop.problem), cycles(r));
    };
    auto kept = std::min_element(found.begin(), found.end(),
                                 [&](const PolicyResult &a, const PolicyResult &b) { return rank(a) < rank(b); });
    if (kept != found.end())
      best = *kept;
    return best.result.hasSchedule;
  }

  static int64_t attained(const PolicyResult &r) {
    return selfTimedInterval(r.loop.problem, r.result.schedule) * r.loop.problem.scale;
  }

  /// A good schedule of `loop`, nothing being proved; below `most` cycles where that is not 0.
  PolicyResult solveQuickly(LoopInstance loop, int64_t count, int64_t most, bool explain) const {
    SolveOptions solving = within(count);
    solving.prove = false;
    solving.explain &= explain;
    if (severalResolutions()) // a hard instance at one resolution leaves room for the others
      solving.deadline = solving.deadline.within(0.5 * solving.deadline.left());
    if (most)
      solving.maxII = (most - 1) / loop.problem.scale;
    PolicyResult out;
    out.result = solveFirst(loop, solving);
    out.loop = std::move(loop);
    return out;
  }

  void solveResolutions() {
    bool choose = severalResolutions() && orderMatters(best.loop.problem);
    staggered = choose && takeStaggered();
    if (staggered && (proved() || closeToBound()))
      return;
    // Only a clearly smaller interval is worth another order.
    int64_t most = staggered ? cycles(best) - cycles(best) / roundingShare : 0, lastTried = best.loop.problem.scale;
    PolicyResult first = solveQuickly(given, steps.first, most, true);
    if (first.result.hasSchedule || first.result.status == SolveStatus::Failed || !staggered)
      best = std::move(first);
    if (best.result.status == SolveStatus::Failed || refused())
      return;
    // Where the first is not proved, its order in real times is better than another one.
    if (!severalResolutions() || !proved())
      return;
    if (!choose)
      return takeShorterTimes();
    // Of the schedules proved least the one is kept whose order by itself attains the smallest interval.
    for (int64_t percent : nearbyPercents) {
      if (percent == 100)
        continue;
      if (options.solve.deadline.passed()) {
        best.stoppedChoosing = true;
        return;
      }
      Result<LoopInstance> made = source.at(options.resolution * percent / 100);
      if (!made || made->problem.scale == lastTried)
        continue;
      lastTried = made->problem.scale;
      std::optional<PolicyResult> carried = carriedOver(*made, 0);
      PolicyResult other = carried && carried->result.status == SolveStatus::Optimal
                               ? std::move(*carried)
                               : solveQuickly(std::move(*made), steps.others, 0, false);
      if (other.result.hasSchedule && other.result.status == SolveStatus::Optimal && attained(other) < attained(best))
        best = std::move(other);
    }
    takeShorterTimes();
  }

  /// Where other assignments may gain what they cost.
  bool farFromBound() const { return !best.result.hasSchedule || isFar(best); }
  /// An interval so near its bound that another order is not worth a smaller one.
  bool closeToBound() const {
    return best.result.hasSchedule && best.result.schedule.ii - best.result.bound <= best.result.bound / roundingShare;
  }

  /// The order of the schedule kept, with the best times that the costs of `to` allow; below `most` cycles where that
  /// is not 0.
  std::optional<PolicyResult> carriedOver(LoopInstance to, int64_t most) {
    if (best.loop.reserved)
      reserve(to);
    const Problem &rough = best.loop.problem, &fine = to.problem;
    bool alike = rough.nodes.size() == fine.nodes.size() && rough.edges.size() == fine.edges.size();
    for (size_t v = 0; alike && v < fine.nodes.size(); ++v)
      alike = rough.nodes[v].reservations.size() == fine.nodes[v].reservations.size();
    if (!alike)
      return std::nullopt;
    SolveOptions solving = within(steps.realTimes);
    RefineOptions refine;
    refine.constraints = set;
    refine.maxII = most ? (most - 1) / fine.scale : 0;
    refine.minII = computeBounds(fine, set, solving.deadline).mii;
    refine.stages = std::max(solving.maxStages, best.result.stages);
    refine.moves = realTimesMoves;
    refine.deadline = solving.deadline;
    std::optional<Schedule> schedule = refineSchedule(fine, rough, best.result.schedule, refine);
    if (!schedule)
      return std::nullopt;
    PolicyResult rounded = best;
    best.loop = std::move(to);
    best.result = {};
    best.result.stages = rounded.result.stages;
    bool taken = take(*schedule, solving);
    std::swap(best, rounded);
    return taken ? std::optional<PolicyResult>(std::move(rounded)) : std::nullopt;
  }

  /// The order found with rounded costs, in cycles; below `most` of them.
  void takeRealTimes(int64_t most) {
    if (best.loop.problem.scale == 1)
      return;
    if (Result<LoopInstance> made = source.at(0))
      if (std::optional<PolicyResult> fine = carriedOver(std::move(*made), most))
        best = std::move(*fine);
  }

  /// Rounded costs are larger than real ones: the same where that makes what is proved clearly shorter.
  void takeShorterTimes() {
    if (severalResolutions())
      takeRealTimes(cycles(best) - cycles(best) / 100);
  }

  /// Schedules in real cycles by queries over orders, and bounds: of sub-tiles on groups alone, then of any assignment,
  /// with the room that values moved between groups leave.
  void takeByOrders() {
    LoopInstance real = given;
    if (severalResolutions() && real.problem.scale > 1)
      if (Result<LoopInstance> made = source.at(0))
        real = std::move(*made);
    if (best.result.hasSchedule && best.loop.problem.scale != real.problem.scale)
      return; // its order has no real times, so that no bound in real cycles is about it
    bool joint = false;
    for (int v = 0; subtiles() && v < static_cast<int>(real.problem.nodes.size()); ++v)
      joint |= real.problem.allowedGroups(v).size() != 1;
    SolveOptions solving = within(steps.orders);
    solving.onlyOrders = true;
    solving.explain = solving.lexicographic = false;
    takeByOrders(real, problemOf(real), !joint, solving);
    if (!joint || (best.result.hasSchedule && closeToBound()))
      return;
    reserve(real);
    takeByOrders(real, real.problem, true, solving);
  }

  /// Of `problem`, which is that of `loop` with or without pins; `whole`: what is refuted there is refuted for `loop`.
  void takeByOrders(const LoopInstance &loop, const Problem &problem, bool whole, SolveOptions solving) {
    PolicyResult before = best;
    if (before.result.hasSchedule)
      solving.maxII = (cycles(before) - 1) / loop.problem.scale;
    SolveResult r = solve(problem, solving);
    // Only a clearly smaller interval is worth another order.
    int64_t gain = before.result.hasSchedule ? cycles(before) - r.schedule.ii * loop.problem.scale : INT64_MAX;
    if (r.hasSchedule && (!before.result.hasSchedule || gain > cycles(before) / roundingShare)) {
      best.loop = loop;
      best.result = {};
      best.result.stages = r.stages;
      if (!take(r.schedule, solving))
        best = std::move(before);
    }
    // The bound is about the problem that is written: with room reserved only where the schedule kept is legal there.
    SolveResult &kept = best.result;
    if (!whole || !kept.hasSchedule || best.loop.problem.scale != loop.problem.scale || r.bound <= kept.bound ||
        r.stages < kept.schedule.stages(best.loop.problem))
      return;
    if (loop.reserved && !best.loop.reserved) {
      Problem reserved = best.loop.problem;
      if (source.reserve)
        source.reserve(reserved);
      if (!verifySchedule(reserved, kept.schedule, kept.schedule.constraints).empty())
        return;
      reserve(best.loop);
    }
    kept.stages = r.stages;
    kept.bound = std::min(kept.schedule.ii, r.bound);
    kept.binding = "every interval below " + std::to_string(kept.bound * loop.problem.scale) + " cycles is refuted";
  }

  /// A larger bound, where every node has one group to run on: smaller intervals than the one found are refuted on
  /// cells of time, which needs no schedule.
  void raiseBound() {
    const Problem &p = best.loop.problem;
    for (size_t v = 0; v < p.nodes.size(); ++v)
      if (p.allowedGroups(static_cast<int>(v)).size() != 1)
        return;
    SolveOptions solving = within(steps.proof);
    solving.maxII = best.result.schedule.ii - 1;
    solving.maxStages = best.result.stages;
    solving.anytime = solving.explain = solving.lexicographic = false;
    SolveResult r = solve(p, solving);
    if (r.hasSchedule && r.schedule.ii < best.result.schedule.ii)
      best.result.schedule = r.schedule;
    if (r.status == SolveStatus::Failed || r.bound <= best.result.bound)
      return;
    best.result.bound = std::min(r.bound, best.result.schedule.ii);
    best.result.binding = "every interval below " + std::to_string(best.result.bound) + " cycles is refuted";
  }

  /// The problem asked for until its least interval is proved.
  void prove() {
    SolveOptions solving = within(steps.proof);
    solving.anytime = !best.result.hasSchedule;
    PolicyResult other;
    other.result = solveFirst(given, solving);
    other.loop = given;
    const SolveResult &r = other.result;
    if (r.status != SolveStatus::Failed && best.result.hasSchedule &&
        (!r.hasSchedule || (r.status != SolveStatus::Optimal && cycles(other) > cycles(best)))) {
      if (best.loop.problem.scale == other.loop.problem.scale)
        best.result.bound = std::max(best.result.bound, r.bound);
      return;
    }
    best = std::move(other);
  }

  /// Every assignment of groups below the interval of the sub-tiles, with the room that values moved between groups
  /// leave. The result is about the problem with that room where the schedule kept is legal there.
  void solveAssignments() {
    SolveOptions solving = within(steps.assignments);
    LoopInstance joint = best.loop;
    reserve(joint);
    Problem &reserved = joint.problem;
    SolveResult &tiled = best.result;
    if (!tiled.hasSchedule) {
      SolveResult others = solve(reserved, solving);
      if (others.status == SolveStatus::Infeasible) { // no answer for the loop yet: the room may be what refuses
        tiled = solve(best.loop.problem, solving);
        return;
      }
      if (others.hasSchedule || others.status == SolveStatus::Failed || tiled.status == SolveStatus::Infeasible) {
        best.loop = std::move(joint);
        tiled = std::move(others);
      }
      return;
    }
    solving.maxII = tiled.schedule.ii - 1;
    if (!solving.maxStages)
      solving.maxStages = std::max(tiled.schedule.stages(best.loop.problem),
                                   defaultStages(best.loop.problem, tiled.bounds, solving.constraints));
    SolveResult others = solve(reserved, solving);
    bool fits = verifySchedule(reserved, tiled.schedule, tiled.schedule.constraints).empty();
    if (others.hasSchedule || others.status == SolveStatus::Failed || fits)
      best.loop = std::move(joint);
    if (others.hasSchedule || others.status == SolveStatus::Failed) {
      tiled = std::move(others);
      return;
    }
    if (!fits) // what was refused or undecided with the room reserved is to be refused without
      others = solve(best.loop.problem, solving);
    tiled.status = others.status == SolveStatus::Infeasible ? SolveStatus::Optimal : SolveStatus::Feasible;
    tiled.bound = tiled.status == SolveStatus::Optimal ? tiled.schedule.ii : std::max(tiled.mii, others.bound);
    tiled.stages = others.stages;
    if (!others.binding.empty())
      tiled.binding = others.binding;
    tiled.seconds += others.seconds;
  }

  /// A heuristic's schedule instead of what was found, where its interval is smaller.
  void tryHeuristic() {
    PolicyResult found = best;
    SolveOptions solving = within(steps.heuristic);
    std::optional<Schedule> schedule = scheduleQuickly(problemOf(best.loop), solving, steps.heuristic);
    bool shorter = schedule && (!found.result.hasSchedule || schedule->ii < found.result.schedule.ii);
    if (!shorter || !take(*schedule, solving))
      best = std::move(found);
  }

  /// Some legal schedule: by the heuristics, then in the order of the program; of sub-tiles, then of any assignment.
  void makeAny() {
    SolveOptions solving = within(steps.heuristic);
    std::vector<Problem> problems = {problemOf(best.loop)};
    if (subtiles())
      problems.push_back(best.loop.problem);
    for (size_t i = 0; i < problems.size() && !best.result.hasSchedule; ++i) {
      if (i == 1) {
        reserve(best.loop);
        problems[1] = best.loop.problem;
      }
      if (options.effort != Effort::Order)
        if (std::optional<Schedule> s = scheduleQuickly(problems[i], solving, steps.heuristic); s && take(*s, solving))
          return;
      if (std::optional<Schedule> s = scheduleSerially(problems[i], set, options.solve.deadline);
          s && take(*s, solving))
        return;
      if (i == 1 && !options.refute)
        takeAround(problems[i]);
    }
  }

  /// Neither heuristics nor the order of the program look for what goes with pins.
  void takeAround(const Problem &problem) {
    SolveOptions solving = within(steps.around);
    if (std::optional<Schedule> s = scheduleAround(problem, solving))
      take(*s, solving);
  }

  Result<PolicyResult> finish() {
    SolveResult &r = best.result;
    if (r.status == SolveStatus::Failed && !r.message.empty())
      return Error(ErrorKind::Internal, r.message);
    if (!r.hasSchedule)
      return Error(refused() ? ErrorKind::Infeasible : ErrorKind::Limit, "no schedule: " + reason());
    if (r.status == SolveStatus::LimitReached)
      r.status = SolveStatus::Feasible;
    nameGroups(best.loop, r.schedule);
    if (std::vector<Violation> bad = verifySchedule(best.loop.problem, r.schedule, set); !bad.empty())
      return Error(ErrorKind::Internal, "illegal schedule: " + bad[0].message);
    if (!options.refute && r.status == SolveStatus::Optimal && r.schedule.ii > r.mii) {
      r.status = SolveStatus::Feasible;
      r.bound = r.mii;
    }
    if (options.solve.step)
      options.solve.step("certificate of interval " + std::to_string(r.schedule.ii * best.loop.problem.scale));
    best.certificate = certifyOptimal(best.loop.problem, r, within(steps.certificate));
    if (r.status == SolveStatus::Failed)
      return Error(ErrorKind::Internal, r.message);
    return std::move(best);
  }

  /// What binds, what the solver says, or how far the bounds go.
  std::string reason() const {
    const SolveResult &r = best.result;
    if (!r.binding.empty() || !r.message.empty())
      return r.binding.empty() ? r.message : r.binding;
    std::string text = "none found";
    if (options.solve.deadline.passed())
      text += " within the time limit";
    text += "; the interval is at least " + std::to_string(r.bound);
    return r.bounds.bounds.empty() ? text : text + " (" + r.bounds.bounds[0].witness + ")";
  }

  const LoopSource &source;
  const PolicyOptions &options;
  Steps steps;
  ConstraintSet set;
  LoopInstance given;     ///< the problem at the resolution asked for
  bool staggered = false; ///< a schedule in which groups take turns was found
  PolicyResult best;
  bool enough = false; ///< pins cost next to nothing: no search could gain
};
} // namespace

Result<PolicyResult> scheduleByPolicy(const LoopSource &source, const PolicyOptions &options) {
  Result<LoopInstance> base = source.at(options.resolution);
  if (!base)
    return base.error();
  PolicyCache cache(options, *base);
  if (std::optional<PolicyResult> known = cache.find(source))
    return std::move(*known);
  Result<PolicyResult> made = Policy(source, options, std::move(*base)).run();
  if (choosesResolution(options) && options.effort >= Effort::Budget)
    for (int64_t percent : otherPercents) {
      if (made ? !isFar(*made) : made.error().kind() != ErrorKind::Limit)
        break;
      PolicyOptions others = options;
      others.resolution = options.resolution * percent / 100;
      Result<LoopInstance> loop = source.at(others.resolution);
      Result<PolicyResult> other = loop ? Policy(source, others, std::move(*loop), false).run() : loop.error();
      if (other && (!made || cycles(*other) < cycles(*made)))
        made = std::move(other);
    }
  if (made)
    cache.store(*made);
  return made;
}

} // namespace heddle
