//===- ScheduleLoop.cpp - from a loop to its schedule ----------------------===//
//
// What:      extracts one loop's problem, at the resolutions that the policy of the scheduling core asks for, and takes
//            the schedule that it keeps; or a random, heuristic or replayed one.
// Where:     compileKernel, between SelectInstructions and TileToWarp.
// Verifies:  every schedule that is kept by the independent checker, and what is called optimal by a certificate that
//            it accepts.
//
//===----------------------------------------------------------------------===//
#include "ScheduleLoop.h"
#include "LargestTiles.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/OuterProblem.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Policy/Policy.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/BlamePins.h"
#include "heddle/Scheduling/Solver/Certify.h"
#include "heddle/Target/TargetInterface.h"
#include <map>
#include <set>
#include <tuple>

using namespace mlir;
namespace heddle {

/// The kind of a search that ended without a schedule.
static ErrorKind kindOf(SolveStatus status) {
  return status == SolveStatus::Infeasible     ? ErrorKind::Infeasible
         : status == SolveStatus::LimitReached ? ErrorKind::Limit
                                               : ErrorKind::Internal;
}

/// Whether warp assignment is part of the problem. Modulo scheduling and no overlap know no warps.
static bool isJoint(const FormOptions &options) {
  if (options.grouping == Grouping::Fixed || !options.overlap || options.solve.mode == SolveMode::Modulo)
    return false;
  return options.grouping == Grouping::Free || options.scheduler == SchedulerKind::Exact;
}

/// Whether every assignment is searched from the start.
static bool isFree(const FormOptions &options) { return isJoint(options) && options.grouping == Grouping::Free; }

/// A slot that a product reads is released where its result is waited for, or behind the next product at the latest,
/// and only then filled again (Rings.cpp, timedDepth): that is how long it is taken.
static void addReleases(Problem &problem) {
  for (size_t e = 0, given = problem.edges.size(); e < given; ++e) {
    Edge read = problem.edges[e];
    if (problem.nodes[read.from].footprints.empty() || read.order)
      continue;
    problem.edges[e].hold = std::max<int64_t>(1, read.hold);
    if (!problem.nodes[read.to].async)
      continue;
    Edge release;
    release.from = read.from;
    release.to = read.to;
    release.distance = read.distance + 1;
    release.hold = 1;
    for (size_t w = 0; w < given; ++w)
      if (const Edge &wait = problem.edges[w]; wait.from == read.to && !wait.order && !problem.nodes[wait.to].async) {
        release.to = wait.to;
        release.distance = read.distance + wait.distance;
        break;
      }
    problem.addEdge(release);
  }
}

/// The load group fills in one order, iteration by iteration: no load comes after the first of the next iteration.
static void orderLoads(Problem &problem) {
  for (int a = 0; a < static_cast<int>(problem.nodes.size()); ++a)
    for (int b = 0; b < static_cast<int>(problem.nodes.size()); ++b)
      if (a != b && problem.nodes[a].variableLatency && problem.nodes[b].variableLatency) {
        Edge edge;
        edge.from = a;
        edge.to = b;
        edge.distance = 1;
        edge.order = true;
        problem.addEdge(edge);
      }
}

/// The joint problem as the lowering can take it: without the shared memory that hand-overs cannot have, tiles where
/// they may begin, loads in the order in which one group fills rings, and with the registers that setmaxnreg can give:
/// a launch gives every warp group, that of the loads included, the same.
static void reserve(Problem &problem, scf::ForOp loop, const Machine &machine) {
  if (!targetOf(machine).emitsKernels()) // what no code is made for has no epilogue
    return;
  int64_t registers = Occupancy(machine.warps())
                          .scheduledRegisters(problem.computeGroups(), std::max(problem.minRegs, problem.regOverhead));
  if (registers && problem.registerFile)
    problem.registerFile = registers;
  if (int smem = problem.findMemory("smem"); smem >= 0)
    problem.memories[smem].capacity = std::max<int64_t>(1, problem.memories[smem].capacity - bytesOfFreeGroups(loop));
  for (Node &node : problem.nodes)
    for (auto *list : {&node.footprints, &node.staging})
      for (Footprint &tile : *list)
        tile.amount = alignedBytes(tile.amount);
  addReleases(problem);
  orderLoads(problem);
}

/// Without overlap the operations of a group also keep the program's order.
FailureOr<LoopProblem> extractLoop(scf::ForOp loop, const Machine &machine, ExtractOptions how,
                                   const FormOptions &options) {
  how.freeGroups = isJoint(options);
  how.operandsStay = !isFree(options);
  how.free.loads = options.warp.specialize;
  int64_t scale = options.plan ? options.plan->number(loop, "scale", 0) : 0;
  how.scale = scale ? scale : how.scale;
  FailureOr<LoopProblem> extracted = extractProblem(loop, machine, how);
  if (succeeded(extracted) && isFree(options))
    reserve(extracted->problem, loop, machine);
  if (failed(extracted))
    return failure();
  if (options.plan && failed(pinProblem(*extracted, *options.plan, !isJoint(options))))
    return failure();
  for (Node &node : extracted->problem.nodes)
    if (hasOneSlot(options) && takesSlot(node) && node.pinDepth < 0)
      node.pinDepth = 1;
  if (releasesAtOnce(options) && !isFree(options))
    orderLoads(extracted->problem);
  else if (options.releases && !isFree(options))
    addReleases(extracted->problem);
  extracted->hasFixedScale =
      scale || llvm::any_of(extracted->pins, [](const Pin &pin) { return pin.kind == PinKind::Start; });
  if (options.overlap)
    return extracted;
  Problem &problem = extracted->problem;
  std::map<std::vector<int>, int> last; // by allowed groups
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    auto [before, first] = last.insert({problem.nodes[v].groups, v});
    if (!first) {
      Edge edge;
      edge.from = before->second;
      edge.to = v;
      edge.order = true;
      problem.addEdge(edge);
      before->second = v;
    }
  }
  return extracted;
}

/// A solution file states what one of its time units stands for: makes the loop's problem at that scale.
static LogicalResult extractAtScale(ScheduledLoop &loop, const Machine &machine, const FormOptions &options,
                                    const std::string &path) {
  Result<std::string> text = readFile(path);
  Result<int64_t> scale = text ? parseScale(*text, path) : Result<int64_t>(text.error());
  if (!scale)
    return emitErrorOf(scale.error(), loop.extracted.loop);
  if (*scale == loop.extracted.problem.scale)
    return success();
  ExtractOptions at = options.extract;
  at.scale = *scale;
  FailureOr<LoopProblem> problem = extractLoop(loop.extracted.loop, machine, at, options);
  if (failed(problem))
    return failure();
  loop.extracted = std::move(*problem);
  return success();
}

/// What a schedule must keep.
static ConstraintSet constraintsOf(const FormOptions &options) {
  return options.solve.mode == SolveMode::Modulo ? ConstraintSet::modulo() : options.solve.constraints;
}

/// What the policy asks of a loop. Extractions are kept, so that the operations of the one that it keeps are known.
static LoopSource sourceOf(ScheduledLoop &loop, const Machine &machine, const FormOptions &options,
                           std::map<int64_t, LoopProblem> &extractions) {
  scf::ForOp at = loop.extracted.loop;
  LoopSource source;
  source.at = [at, &machine, &options, &extractions](int64_t resolution) -> Result<LoopInstance> {
    ExtractOptions how = options.extract;
    how.resolution = resolution;
    FailureOr<LoopProblem> problem = extractLoop(at, machine, how, options);
    if (failed(problem))
      return userError(""); // said where it was found
    LoopInstance instance;
    instance.problem = problem->problem;
    instance.homes.assign(problem->homes.begin(), problem->homes.end());
    instance.resolution = resolution;
    instance.reserved = options.grouping == Grouping::Free;
    extractions[resolution] = std::move(*problem);
    return instance;
  };
  source.reserve = [at, &machine](Problem &problem) {
    reserve(problem, at, machine);
    problem.consumerCopies = true; // a tile of another group is read into registers
  };
  return source;
}

/// Says which pins leave `loop`, which was refuted, without a schedule. False: none does.
static bool emitBlame(const LoopProblem &loop, const SolveOptions &solving) {
  if (loop.pins.empty())
    return false;
  std::vector<PinBlame> blames = blamePins(loop.problem, loop.pins, solving);
  if (blames.empty())
    return false;
  InFlightDiagnostic diag = emitErrorOf(ErrorKind::Infeasible, loop.pinLocs[blames.front().pin]) << blames.front().text;
  for (const PinBlame &blame : llvm::drop_begin(blames))
    diag.attachNote(loop.pinLocs[blame.pin]) << blame.text;
  return true;
}

static PolicyOptions policyOf(const Problem &problem, const FormOptions &options) {
  PolicyOptions policy;
  policy.effort = options.effort;
  policy.assignment = isJoint(options) && !isFree(options) ? Assignment::SubtilesFirst : Assignment::Given;
  policy.resolution = options.extract.resolution;
  policy.nearby = options.grouping != Grouping::Free;
  policy.overlap = options.overlap;
  policy.solve = options.solve;
  policy.cache = options.cache;
  policy.solved = options.solved;
  policy.tries = options.tries;
  policy.below = options.below;
  policy.worth = options.worth;
  policy.inTurn = options.inTurn && orderMatters(problem);
  policy.whyNot = options.whyNot;
  return policy;
}

/// The loop scheduled without what the plan says of it and its operations.
static Result<PolicyResult> scheduleUnpinned(ScheduledLoop &loop, const Machine &machine, const FormOptions &options) {
  FormOptions free = options;
  free.plan = nullptr;
  free.solve.explain = false;
  free.solve.deadline = free.solve.deadline.withoutPurse();
  std::map<int64_t, LoopProblem> extractions;
  return scheduleByPolicy(sourceOf(loop, machine, free, extractions), policyOf(loop.extracted.problem, free));
}

/// Steps of a search at the interval that a plan fixes.
constexpr int64_t atIntervalSteps = 4000000, aroundSteps = 6000000;

/// What a search at the interval that a plan fixes left open: in the order of the schedule without the plan, then
/// around the pinned times.
static SolveResult completeAt(ScheduledLoop &loop, const Machine &machine, const FormOptions &options,
                              const Problem &problem, SolveOptions solving, SolveResult open) {
  solving.deadline = options.solve.deadline.withoutPurse().afterSteps(aroundSteps);
  std::optional<Schedule> schedule;
  if (Result<PolicyResult> free = scheduleUnpinned(loop, machine, options))
    schedule = scheduleInOrder(problem, free->loop.problem, free->result.schedule, solving);
  if (!schedule)
    schedule = scheduleAround(problem, solving);
  if (schedule) {
    finishSchedule(problem, *schedule);
    open.hasSchedule = true;
    open.schedule = std::move(*schedule);
  }
  return open;
}

/// A schedule of the interval that a plan fixes; none other is looked at, so that nothing is said of the least.
static LogicalResult scheduleAtInterval(ScheduledLoop &loop, const Machine &machine, const FormOptions &options) {
  SolveOptions solving = options.solve;
  solving.minII = solving.maxII = loop.extracted.interval;
  solving.maxStages = options.overlap ? solving.maxStages : 1;
  solving.explain = false;
  solving.deadline = solving.deadline.withoutPurse().afterSteps(atIntervalSteps);
  LoopInstance whole;
  whole.problem = loop.extracted.problem;
  whole.homes.assign(loop.extracted.homes.begin(), loop.extracted.homes.end());
  SolveResult &result = loop.result;
  if (isJoint(options) && !isFree(options)) { // sub-tiles on groups of their own first, as without a plan
    result = solve(pinToHomes(whole), solving);
    if (result.hasSchedule)
      finishSchedule(whole.problem, result.schedule);
    result.hasSchedule &= verifySchedule(whole.problem, result.schedule, result.schedule.constraints).empty();
  }
  if (!result.hasSchedule)
    result = solve(whole.problem, solving);
  if (!result.hasSchedule && result.status != SolveStatus::Infeasible)
    result = completeAt(loop, machine, options, whole.problem, solving, std::move(result));
  if (result.status == SolveStatus::Infeasible && emitBlame(loop.extracted, options.solve))
    return failure();
  if (!result.hasSchedule)
    return emitErrorOf(kindOf(result.status), loop.extracted.loop)
           << "no schedule of interval " << loop.extracted.interval * whole.problem.scale
           << (result.binding.empty() ? "" : ": ") << inCycles(result.binding, whole.problem.scale);
  return success();
}

/// The intervals that pinned starts and stages leave: an operation of stage s starts from s to below s + 1 intervals
/// behind the first. {0, 0}: any, or none at all, which the solver names.
static std::pair<int64_t, int64_t> intervalsOfPins(const Problem &problem) {
  int64_t least = 1, most = INT64_MAX;
  for (const Node &node : problem.nodes)
    if (node.pinStart >= 0 && node.pinStage >= 0) {
      least = std::max(least, node.pinStart / (node.pinStage + 1) + 1);
      if (node.pinStage > 0)
        most = std::min(most, node.pinStart / node.pinStage);
    }
  if (least > most)
    return {0, 0};
  return {least == 1 ? 0 : least, most == INT64_MAX ? 0 : most};
}

/// The exact scheduler, as the policy of the scheduling core directs it.
static LogicalResult scheduleExactly(ScheduledLoop &loop, const Machine &machine, const FormOptions &options) {
  PolicyOptions policy = policyOf(loop.extracted.problem, options);
  policy.nearby &= !loop.extracted.hasFixedScale;
  policy.solve.explain &= loop.extracted.pins.empty(); // the reason is looked for among them
  policy.refute = loop.extracted.pins.empty();         // they can put the interval far above every bound
  if (!policy.refute) {                                // what goes with pins is looked for until it is found
    std::tie(policy.solve.minII, policy.solve.maxII) = intervalsOfPins(loop.extracted.problem);
    policy.solve.deadline = policy.solve.deadline.withoutPurse();
  }
  std::map<int64_t, LoopProblem> extractions;
  LoopSource source = sourceOf(loop, machine, options, extractions);
  if (!policy.refute)
    source.unpinned = [&] { return scheduleUnpinned(loop, machine, options); };
  Result<PolicyResult> kept = scheduleByPolicy(source, policy);
  if (!kept && kept.error().message().empty())
    return failure();
  if (!kept && kept.error().kind() == ErrorKind::Infeasible && emitBlame(loop.extracted, options.solve))
    return failure();
  if (!kept) {
    InFlightDiagnostic diag = emitErrorOf(kept.error(), loop.extracted.loop);
    noteLargestTiles(diag, loop.extracted, kept.error().cause());
    return diag;
  }
  loop.extracted = std::move(extractions[kept->loop.resolution]);
  loop.extracted.problem = std::move(kept->loop.problem);
  loop.result = std::move(kept->result);
  loop.certificate = std::move(kept->certificate);
  loop.stoppedChoosing = kept->stoppedChoosing;
  return success();
}

/// Schedules one loop as the options say.
LogicalResult scheduleLoop(ScheduledLoop &loop, const Machine &machine, const FormOptions &options, size_t index) {
  scf::ForOp at = loop.extracted.loop;
  std::optional<Schedule> planned = plannedSchedule(loop.extracted);
  loop.replayed = planned || index < options.scheduleFiles.size() || options.scheduler != SchedulerKind::Exact;
  if (index < options.scheduleFiles.size() &&
      failed(extractAtScale(loop, machine, options, options.scheduleFiles[index])))
    return failure();
  if (planned) {
    finishSchedule(loop.extracted.problem, *planned);
    loop.result.schedule = std::move(*planned);
  } else if (index < options.scheduleFiles.size()) {
    Result<Schedule> schedule = loadSchedule(options.scheduleFiles[index], loop.extracted.problem);
    if (!schedule)
      return emitErrorOf(schedule.error(), at);
    loop.result.schedule = *schedule;
  } else if (loop.extracted.interval) {
    if (failed(scheduleAtInterval(loop, machine, options)))
      return failure();
  } else if (options.scheduler == SchedulerKind::Exact) {
    return scheduleExactly(loop, machine, options);
  } else {
    Result<Schedule> schedule = Error(ErrorKind::Internal, "no scheduler");
    ConstraintSet constraints = constraintsOf(options);
    const Problem &problem = loop.extracted.problem;
    if (options.scheduler == SchedulerKind::Heuristic) {
      HeuristicOptions heuristic;
      heuristic.constraints = constraints;
      heuristic.deadline = options.solve.deadline;
      schedule = scheduleHeuristic(problem, heuristic);
      if (!schedule && schedule.error().kind() == ErrorKind::Limit)
        if (std::optional<Schedule> inOrder = scheduleSerially(problem, constraints, options.solve.deadline))
          schedule = std::move(*inOrder);
    } else {
      RandomOptions random;
      random.seed = options.seed;
      random.constraints = constraints;
      random.deadline = options.solve.deadline;
      schedule = scheduleRandom(problem, random);
    }
    if (!schedule && schedule.error().kind() == ErrorKind::Infeasible && emitBlame(loop.extracted, options.solve))
      return failure();
    if (!schedule)
      return emitErrorOf(schedule.error(), at);
    loop.result.schedule = *schedule;
  }
  loop.result.status = SolveStatus::Feasible;
  loop.result.hasSchedule = true;
  loop.result.bounds =
      computeBounds(loop.extracted.problem, constraintsOf(options), options.solve.deadline.withoutPurse());
  loop.result.schedule.constraints = constraintsOf(options);
  loop.result.mii = loop.result.bound = loop.result.bounds.mii;
  if (!loop.result.bounds.bounds.empty())
    loop.result.binding = loop.result.bounds.bounds.front().witness;
  LoopInstance given;
  given.problem = loop.extracted.problem;
  given.homes.assign(loop.extracted.homes.begin(), loop.extracted.homes.end());
  nameGroups(given, loop.result.schedule);
  std::vector<Violation> violations =
      verifySchedule(loop.extracted.problem, loop.result.schedule, constraintsOf(options));
  if (!violations.empty() && planned && emitBlame(loop.extracted, options.solve))
    return failure();
  if (!violations.empty() && planned)
    return emitErrorOf(ErrorKind::Infeasible, at)
           << "the schedule of the plan is illegal: " << violations.front().message;
  if (!violations.empty())
    return emitErrorOf(index < options.scheduleFiles.size() ? ErrorKind::User : ErrorKind::Internal, at)
           << "illegal schedule: " << violations.front().message;
  return success();
}

LogicalResult schedulePrograms(tile::KernelOp kernel, const Machine &machine, const FormOptions &options,
                               Compilation &out) {
  SmallVector<InnerSchedule> inside;
  for (const ScheduledLoop &loop : out.loops)
    inside.push_back({&loop.extracted, &loop.result.schedule});
  scf::ForOp programs = programLoop(kernel);
  // Loops that stand deeper are not in the problem: it would say nothing of the time that they take.
  auto isDeeper = [&](const ScheduledLoop &loop) { return loop.extracted.loop->getParentOp() != programs; };
  if (!programs || inside.empty() || llvm::any_of(out.loops, isDeeper))
    return success();
  OuterOptions how;
  how.trips = options.trips;
  FailureOr<Problem> problem = extractPrograms(kernel, inside, machine, how);
  if (failed(problem))
    return failure();
  ScheduledPrograms &made = out.programs.emplace();
  made.turns = turnsOf(kernel);
  made.trips = options.trips;
  SolveOptions solving;
  solving.deadline = options.solve.deadline.withoutPurse().afterSteps(atIntervalSteps);
  if (options.onlyDecides)
    solving.explain = solving.lexicographic = false;
  made.result = solve(*problem, solving);
  if (!options.onlyDecides)
    made.certificate = certifyOptimal(*problem, made.result, solving);
  made.problem = std::move(*problem);
  return success();
}

} // namespace heddle
