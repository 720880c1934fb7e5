//===- Policy.cpp - Which problem is solved, in which order, and what is kept ===//
//
// What:      see Policy.h.
// Verifies:  every schedule that is kept, after its groups were named, by Certificate/Verify; what is called optimal
//            by a certificate that the checker accepts.
// Algorithm: rounded costs can make one resolution a hard instance and the next an easy one, and optimal schedules of
//            one interval are many, of which hardware keeps the order only. So the loop is solved at a few resolutions
//            with a share of the steps each, and of those proved least the schedule is kept whose order by itself
//            attains the smallest interval (Modulo/SelfTimed). Queries over orders say before that whether there is any
//            schedule and how short one of sub-tiles can be, and after it search other assignments of groups below the
//            interval found, and refute what is a twentieth shorter. If there is no schedule after all that, heuristics
//            make one.
//
//===----------------------------------------------------------------------===//
#include "PolicySearch.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Bounds/Pinned.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Policy/Cache.h"
#include "heddle/Scheduling/Policy/Solved.h"
#include "heddle/Scheduling/Solver/Certify.h"

#include <algorithm>
#include <utility>

namespace heddle {

static Steps stepsOf(Effort effort) {
  constexpr int64_t none = int64_t(1) << 60;
  Steps out; // of -O0 and -O1
  if (effort == Effort::Budget)
    out = {.exists = 100000,
           .reason = 400000,
           .staggered = 1000000,
           .homes = 400000,
           .first = 1200000,
           .others = 500000,
           .proof = 600000,
           .assignments = 300000,
           .orders = 150000,
           .bound = 300000,
           .certificate = 1000000,
           .heuristic = 150000,
           .realTimes = 150000,
           .around = 6000000};
  if (effort == Effort::Proof)
    out = {.exists = 1000000,
           .reason = 2000000,
           .staggered = 8000000,
           .homes = 8000000,
           .first = 2000000,
           .others = 2000000,
           .proof = none,
           .assignments = none,
           .orders = 20000000,
           .bound = 20000000,
           .certificate = none,
           .heuristic = 2000000,
           .realTimes = 1000000,
           .around = 60000000};
  return out;
}

/// The resolution that is tried where only orders have found a schedule near the arithmetic bound, in percent of the
/// one asked for: with longer units an instance is smaller. Attention backward with heads of 128 ran at 0.73 to 0.82 of
/// its speed with the order of the least interval that queries over orders found
/// (bench/results/2026-11-22-h100-backward-orders.json).
static constexpr int64_t coarsePercent = 25;

/// True where no asynchronous operation both takes and gives values: such loops move or map.
static bool onlyMoves(const Problem &problem) {
  std::vector<char> takes(problem.nodes.size(), 0), gives(problem.nodes.size(), 0);
  for (const Edge &e : problem.edges)
    if (!e.order)
      gives[e.from] = takes[e.to] = 1;
  for (size_t v = 0; v < problem.nodes.size(); ++v)
    if (problem.nodes[v].async && takes[v] && gives[v])
      return false;
  return true;
}

PolicySearch::PolicySearch(const LoopSource &source, const PolicyOptions &options, LoopInstance base, bool orders,
                           int64_t patience)
    : source(source), options(options), orders(orders), steps(stepsOf(options.effort)) {
  for (int64_t *count : {&steps.staggered, &steps.homes, &steps.first, &steps.others, &steps.proof, &steps.assignments,
                         &steps.orders, &steps.bound})
    *count = *count * patience / options.tries;
  best.loop = given = std::move(base);
  best.result.status = SolveStatus::LimitReached; // nothing is known yet
  set = options.solve.mode == SolveMode::Modulo ? ConstraintSet::modulo() : options.solve.constraints;
}

Result<PolicyResult> PolicySearch::run() {
  if (PinnedIntervals pins = pinnedIntervals(given.problem, set, /*least=*/1, given.problem.scale);
      !pins.contradiction.empty()) {
    best.result.status = SolveStatus::Infeasible;
    best.result.binding = std::move(pins.contradiction);
    return finish();
  }
  if (options.inTurn) {
    steps.staggered *= 4; // nothing else is asked
    takeStaggered();
    return finish();
  }
  if (options.effort >= Effort::Budget) {
    PolicyResult inOrder = takeUnpinned();
    if (!enough)
      search();
    if (inOrder.result.hasSchedule && (!best.result.hasSchedule || cycles(inOrder) < cycles(best)))
      best = std::move(inOrder);
  }
  if (!best.result.hasSchedule && best.result.status != SolveStatus::Failed && !refused() && !options.below)
    makeAny();
  return finish();
}

void PolicySearch::reserve(LoopInstance &loop) const {
  if (source.reserve && !loop.reserved)
    source.reserve(loop.problem);
  loop.reserved = static_cast<bool>(source.reserve);
}

SolveOptions PolicySearch::within(int64_t count) const {
  SolveOptions out = options.solve;
  out.deadline = out.deadline.afterSteps(count);
  if (!options.overlap)
    out.maxStages = 1;
  return out;
}

void PolicySearch::search() {
  if (movesOnly())
    return;
  if (!mayExist())
    return;
  if (!options.overlap && takeInOrder())
    return;
  auto open = [&] { return !proved() && best.result.status != SolveStatus::Failed; };
  auto none = [&] { return open() && !refused() && !best.result.hasSchedule; };
  if (homesFit)
    solveResolutions();
  if (subtiles() && refused()) { // that assignment only
    homesFit = false;
    best.result = {};
    best.result.status = SolveStatus::LimitReached;
  }
  if (open() && !refused() && (!subtiles() || !best.result.hasSchedule))
    tryHeuristic();
  if (!options.refute && none())
    takeAround(problemOf(best.loop));
  if (open() && (!subtiles() || options.effort == Effort::Proof))
    prove();
  if (open() && severalResolutions() && best.result.hasSchedule && !(staggered && closeToBound()))
    takeRealTimes(cycles(best));
  if (open() && byOrders.result.hasSchedule && (!best.result.hasSchedule || cycles(byOrders) < notWorth(best))) {
    best = std::move(byOrders);
    best.byOrders = true;
  }
  if (open() && !refused() && !closeToBound() && asksOrders())
    takeByOrders();
  if (open() && subtiles() && (none() || options.effort == Effort::Proof))
    solveAssignments();
}

PolicyResult PolicySearch::takeUnpinned() {
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

bool PolicySearch::movesOnly() {
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

bool PolicySearch::takeInOrder() {
  SolveOptions solving = within(steps.heuristic);
  if (!asksOrders())
    return false;
  std::optional<Schedule> schedule = scheduleSerially(problemOf(best.loop), set, solving.deadline);
  if (schedule && take(*schedule, solving)) {
    raiseBound();
    if (proved() || isClose(best))
      return true;
  }
  best.loop = given;
  best.result = {};
  best.result.status = SolveStatus::LimitReached;
  refutedBelow = 0;
  return false;
}

bool PolicySearch::take(Schedule schedule, const SolveOptions &solving) {
  const Problem &p = best.loop.problem;
  finishSchedule(p, schedule);
  schedule.constraints = set;
  if (!verifySchedule(p, schedule, set).empty())
    return false;
  SolveResult &r = best.result;
  int64_t known = std::max<int64_t>(1, r.bound);
  r.bounds = computeBounds(p, set, solving.deadline.withoutPurse());
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

SolveResult PolicySearch::solveFirst(const LoopInstance &loop, const SolveOptions &solving) const {
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
  r.bounds = computeBounds(loop.problem, r.schedule.constraints, options.solve.deadline.withoutPurse());
  r.mii = r.bound = r.bounds.mii;
  r.status = r.schedule.ii <= r.mii ? SolveStatus::Optimal : SolveStatus::Feasible;
  if (r.status == SolveStatus::Optimal && !r.bounds.bounds.empty())
    r.binding = r.bounds.bounds[0].witness;
  return r;
}

void PolicySearch::tryHeuristic() {
  PolicyResult found = best;
  SolveOptions solving = within(steps.heuristic);
  std::optional<Schedule> schedule = scheduleQuickly(problemOf(best.loop), solving, steps.heuristic);
  bool shorter = schedule && (!found.result.hasSchedule || schedule->ii < found.result.schedule.ii);
  if (!shorter || !take(*schedule, solving))
    best = std::move(found);
}

void PolicySearch::makeAny() {
  SolveOptions solving = within(steps.heuristic);
  solving.deadline = solving.deadline.withoutPurse(); // what improves a schedule is paid, not that there is one
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
    if (std::optional<Schedule> s = scheduleSerially(problems[i], set, solving.deadline); s && take(*s, solving))
      return;
    if (i == 1 && !options.refute)
      takeAround(problems[i]);
    if (i == 0 && known) {
      best.loop = inCycles();
      if (take(*known, solving))
        return;
      best.loop = given;
    }
  }
}

void PolicySearch::takeAround(const Problem &problem) {
  SolveOptions solving = within(steps.around);
  if (std::optional<Schedule> s = scheduleAround(problem, solving))
    take(*s, solving);
}

Result<PolicyResult> PolicySearch::finish() {
  SolveResult &r = best.result;
  if (r.status == SolveStatus::Failed && !r.message.empty())
    return Error(ErrorKind::Internal, r.message);
  if (!r.hasSchedule)
    return reason(refused() ? ErrorKind::Infeasible : ErrorKind::Limit);
  if (r.status == SolveStatus::LimitReached)
    r.status = SolveStatus::Feasible;
  nameGroups(best.loop, r.schedule);
  if (options.effort >= Effort::Budget && orderMatters(best.loop.problem)) {
    bool proven = r.status == SolveStatus::Optimal;
    int64_t most = r.schedule.ii + (proven && !options.inTurn ? 0 : r.schedule.ii / roundingShare);
    if (std::optional<Schedule> same = scheduleAlike(best.loop.problem, r.schedule, most, within(steps.staggered))) {
      if (proven && same->ii > r.schedule.ii) {
        r.status = SolveStatus::Feasible;
        r.bound = r.schedule.ii;
      }
      r.schedule = std::move(*same);
    }
  }
  bool longer = r.status != SolveStatus::Optimal && closeUp(best.loop.problem, r.schedule, set, r.bound);
  if (longer && options.overlap)
    shorten(best.loop.problem, r.schedule, set, r.bound, within(steps.around).deadline.withoutPurse());
  postponeReads(best.loop.problem, r.schedule, set);
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
  r.bound = std::max(r.bound, refutedBelow);
  return std::move(best);
}

static ErrorCause causeOf(Constraint constraint) {
  switch (constraint) {
  case Constraint::Registers:
  case Constraint::RegisterFile: return ErrorCause::Registers;
  case Constraint::Memory:
  case Constraint::Rings: return ErrorCause::Memory;
  default: return ErrorCause::Other;
  }
}
static ErrorCause causeOf(const Bounds &bounds) {
  if (bounds.bounds.empty())
    return ErrorCause::Other;
  switch (bounds.bounds[0].kind) {
  case BoundKind::Registers: return ErrorCause::Registers;
  case BoundKind::Memory:
  case BoundKind::Ring: return ErrorCause::Memory;
  default: return ErrorCause::Other;
  }
}

Error PolicySearch::reason(ErrorKind kind) const {
  const SolveResult &r = best.result;
  ErrorCause cause = ErrorCause::Other;
  auto blame = [&](ErrorCause other) { cause = cause == ErrorCause::Other ? other : cause; };
  auto made = [&](const std::string &text) { return Error(kind, "no schedule: " + text, {}, cause); };
  auto lackingIn = [&](const Problem &problem) -> std::string {
    std::optional<Violation> lacks = lackingInTurn(problem);
    blame(lacks ? causeOf(lacks->constraint) : ErrorCause::Other);
    return lacks ? "operations one after the other exceed a limit: " + lacks->message : "";
  };
  if (!r.binding.empty()) { // a set of constraints says less than what one order of the operations lacks
    for (Constraint constraint : r.core)
      blame(causeOf(constraint));
    if (r.core.empty())
      blame(causeOf(r.bounds));
    std::string lacks = r.core.empty() ? "" : lackingIn(problemOf(best.loop));
    return made(lacks.empty() ? r.binding : lacks + "; " + r.binding);
  }
  if (!r.message.empty())
    return made(r.message);
  const LoopInstance &loop = real ? *real : best.loop; // in cycles, where no attempt was in other units
  Deadline deadline = options.solve.deadline.withoutPurse();
  const bool bounded = !real || real->problem.scale == best.loop.problem.scale;
  Bounds bounds = bounded && !r.bounds.bounds.empty() ? r.bounds : computeBounds(loop.problem, set, deadline);
  int64_t least = std::max(bounded ? r.bound : 0, bounds.mii) * loop.problem.scale;
  std::string text = "none found";
  if (deadline.passed())
    text += " within the time limit";
  if (std::string lacks = lackingIn(problemOf(loop)); !lacks.empty())
    text += "; " + lacks;
  text += "; the interval is at least " + std::to_string(least);
  blame(causeOf(bounds));
  return made(bounds.bounds.empty() ? text : text + " (" + bounds.bounds[0].witness + ")");
}

std::optional<Violation> PolicySearch::lackingInTurn(const Problem &problem) const {
  ConstraintSet most = set;
  for (Constraint limit : {Constraint::Registers, Constraint::RegisterFile, Constraint::Memory, Constraint::Rings})
    most = most.without(limit);
  std::optional<Schedule> s = scheduleSerially(problem, most, options.solve.deadline.withoutPurse());
  if (!s)
    return std::nullopt;
  finishSchedule(problem, *s);
  for (Violation &violation : verifySchedule(problem, *s, set))
    return std::move(violation);
  return std::nullopt;
}

/// scheduleByPolicy where no result is known.
static Result<PolicyResult> searchByPolicy(const LoopSource &source, const PolicyOptions &options,
                                           Result<LoopInstance> base) {
  Result<PolicyResult> made = PolicySearch(source, options, *base).run();
  if (made && options.effort == Effort::Budget && isFar(made->result)) {
    Result<PolicyResult> longer =
        PolicySearch(source, options, std::move(*base), /*orders=*/true, /*patience=*/2).run();
    if (longer && cycles(*longer) < cycles(*made))
      made = std::move(longer);
  }
  auto close = [](const SolveResult &r) { return r.schedule.ii - r.mii <= r.mii / roundingShare; };
  if (made && made->byOrders && close(made->result) && options.assignment == Assignment::SubtilesFirst) {
    PolicyOptions coarse = options;
    coarse.resolution = options.resolution * coarsePercent / 100;
    Result<LoopInstance> loop = source.at(coarse.resolution);
    Result<PolicyResult> other =
        loop ? PolicySearch(source, coarse, std::move(*loop), /*orders=*/false).run() : loop.error();
    if (other && notWorth(*other) <= cycles(*made))
      made = std::move(other);
  }
  return made;
}

Result<PolicyResult> scheduleByPolicy(const LoopSource &source, const PolicyOptions &options) {
  Result<LoopInstance> base = source.at(options.resolution);
  if (!base)
    return base.error();
  const std::string key = options.solved ? policyKey(options, *base) : "";
  const std::string unraised = key + "worth " + std::to_string(options.worth) + "\n";
  if (options.solved)
    for (const std::string &each : {key, unraised})
      if (std::optional<Result<PolicyResult>> known = options.solved->find(each, options, source))
        return std::move(*known);
  PolicyCache cache(options, *base);
  const int64_t inPurse = options.solve.deadline.inPurse();
  if (std::optional<PolicyResult> known = cache.find(source)) {
    options.solve.deadline.spend(known->steps); // as the search would have
    return std::move(*known);
  }
  Result<PolicyResult> made = searchByPolicy(source, options, std::move(base));
  const int64_t steps = inPurse - options.solve.deadline.inPurse();
  if (made) {
    made->steps = steps;
    cache.store(*made);
  }
  if (options.solved)
    options.solved->keep(made && made->unraised ? unraised : key, options, made, steps);
  return made;
}

} // namespace heddle
