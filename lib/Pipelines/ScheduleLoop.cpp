//===- ScheduleLoop.cpp - from a loop to its schedule ----------------------===//
//
// What:      extracts one loop's problem, solves it (exact, heuristic, random or replayed), chooses among optimal
//            schedules.
// Where:     compileKernel, between SelectInstructions and TileToWarp.
// Verifies:  every schedule that is kept by the independent checker, and what is called optimal by a certificate that
//            it accepts.
//
//===----------------------------------------------------------------------===//
#include "ScheduleLoop.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/SelfTimed.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Certify.h"
#include "llvm/Support/Format.h"
#include <map>
#include <set>

using namespace mlir;
namespace heddle {

/// Text of `error` for a diagnostic that says "error" itself.
static std::string textOf(const Error &error) {
  std::string place = error.loc().file.empty() ? "" : error.loc().str() + ": ";
  std::string kind = error.kind() == ErrorKind::User ? "" : std::string(errorKindName(error.kind())) + ": ";
  return kind + place + error.message();
}

/// Why there is no schedule: what binds, what the solver says, or how far the bounds go.
static std::string reasonOf(const SolveResult &result, double timeLimit) {
  if (!result.binding.empty() || !result.message.empty())
    return result.binding.empty() ? result.message : result.binding;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "none found within " << llvm::format("%g", timeLimit) << " s; the interval is at least " << result.bound;
  if (!result.bounds.bounds.empty())
    os << " (" << result.bounds.bounds.front().witness << ")";
  return text;
}

/// Whether warp assignment is part of the problem. Modulo scheduling and no overlap know no warps.
static bool isJoint(const CompileOptions &options) {
  if (options.fixedGroups || !options.overlap || options.solve.mode == SolveMode::Modulo)
    return false;
  return options.freeGroups || options.scheduler == SchedulerKind::Exact;
}

/// Shared memory that no ring of `loop` can have in a joint schedule, beside what extraction has taken: barriers, tiles
/// loaded elsewhere, buffers of stores (two chunks of each sub-tile and type), and register tiles from before the loop,
/// which other groups may read. (A tile that leaves the loop in another group than its sub-tile's largest is not
/// counted: the lowering may refuse it.)
static int64_t reservedMemory(scf::ForOp loop) {
  auto tagOf = [](Operation *op) {
    auto tag = op->getAttrOfType<IntegerAttr>(groupAttr);
    return tag ? tag.getInt() : 0;
  };
  int64_t bytes = barriersAndAlignment - keptInSharedMemory(loop);
  std::set<std::pair<int64_t, const void *>> stores;
  loop->getParentOfType<tile::KernelOp>().walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && isTmaLoad(load) && !loop->isAncestor(op))
      bytes += slotBytes(load.getResult().getType());
    if (auto store = dyn_cast<tile::StoreOp>(op); store && isTmaStore(store)) {
      auto tile = cast<RankedTensorType>(store.getValue().getType());
      if (stores.insert({tagOf(op), tile.getAsOpaquePointer()}).second)
        bytes += 2 * slotBytes(RankedTensorType::get({tile.getDimSize(0), chunkRowBytes},
                                                     IntegerType::get(op->getContext(), 8)));
    }
  });
  SetVector<Operation *> entering;
  loop.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *def = isa<RankedTensorType>(operand.getType()) ? producerThroughFree(operand) : nullptr;
          def && !loop->isAncestor(def))
        entering.insert(def);
  });
  for (Operation *def : entering)
    if (auto load = dyn_cast<tile::LoadOp>(def); !load || !isTmaLoad(load))
      for (Value tile : def->getResults())
        if (isa<RankedTensorType>(tile.getType()))
          bytes += slotBytes(tile.getType());
  return bytes;
}

/// The joint problem as the lowering can take it: without the shared memory that hand-overs cannot have, tiles where
/// they may begin, loads in the order in which one group fills rings, and with the registers that setmaxnreg can give:
/// a launch gives every warp group, that of the loads included, the same.
static void reserve(Problem &problem, scf::ForOp loop, const Machine &machine) {
  if (machine.memoryCapacity("tmem")) // what no code is made for has no epilogue
    return;
  int64_t computeGroups = llvm::count_if(problem.groups, [](const Group &group) { return !group.variable; });
  int64_t registers =
      Occupancy(machine.warps()).scheduledRegisters(computeGroups, std::max(problem.minRegs, problem.regOverhead));
  if (registers && problem.registerFile)
    problem.registerFile = registers;
  if (int smem = problem.findMemory("smem"); smem >= 0)
    problem.memories[smem].capacity = std::max<int64_t>(1, problem.memories[smem].capacity - reservedMemory(loop));
  for (Node &node : problem.nodes)
    for (auto *list : {&node.footprints, &node.staging})
      for (Footprint &tile : *list)
        tile.amount = alignedBytes(tile.amount);
  // A slot that a product reads is released where its result is waited for, or behind the next product at the latest,
  // and only then filled again (Rings.cpp, timedDepth): that is how long it is taken.
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
  // The load group fills in one order, iteration by iteration: no load comes after the first of the next iteration.
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

/// Without overlap the operations of a group also keep the program's order.
FailureOr<LoopProblem> extractLoop(scf::ForOp loop, const Machine &machine, ExtractOptions how,
                                   const CompileOptions &options) {
  how.freeGroups = isJoint(options);
  how.free = options.free;
  FailureOr<LoopProblem> extracted = extractProblem(loop, machine, how);
  if (succeeded(extracted) && isJoint(options) && options.freeGroups)
    reserve(extracted->problem, loop, machine);
  if (failed(extracted) || options.overlap)
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
static LogicalResult extractAtScale(ScheduledLoop &loop, const Machine &machine, const CompileOptions &options,
                                    const std::string &path) {
  Result<std::string> text = readFile(path);
  Result<int64_t> scale = text ? parseScale(*text, path) : Result<int64_t>(text.error());
  if (!scale)
    return loop.extracted.loop.emitError() << textOf(scale.error());
  if (*scale == loop.extracted.problem.scale)
    return success();
  ExtractOptions at;
  at.scale = *scale;
  FailureOr<LoopProblem> problem = extractLoop(loop.extracted.loop, machine, at, options);
  if (failed(problem))
    return failure();
  loop.extracted = std::move(*problem);
  return success();
}

/// What a schedule must keep.
static ConstraintSet constraintsOf(const CompileOptions &options) {
  return options.solve.mode == SolveMode::Modulo ? ConstraintSet::modulo() : options.solve.constraints;
}

/// The problem of one assignment: every operation on the group of its sub-tile. What only other assignments need is
/// left out (the caller checks the schedule against the joint problem): without it the query is several times smaller.
static Problem pinToSubtiles(const LoopProblem &loop) {
  Problem pinned = loop.problem;
  for (auto [node, home] : llvm::zip_equal(pinned.nodes, loop.homes))
    if (!node.variableLatency) {
      node.groups = {home};
      node.staging.clear();
    }
  pinned.registerFile = 0;
  return pinned;
}

/// The joint problem with every sub-tile on a group of its own, which is quick: optimal where it meets the bound of all
/// assignments. Without a schedule, infeasible means that this assignment has none.
static SolveResult solveSubtiles(const LoopProblem &loop, const SolveOptions &solving) {
  SolveResult tiled = solve(pinToSubtiles(loop), solving);
  if (!tiled.hasSchedule)
    return tiled;
  finishSchedule(loop.problem, tiled.schedule);
  if (!verifySchedule(loop.problem, tiled.schedule, tiled.schedule.constraints).empty()) {
    tiled.hasSchedule = false;
    // this schedule is none of the joint problem; another one of the assignment might be
    tiled.status = SolveStatus::LimitReached;
    return tiled;
  }
  tiled.bounds = computeBounds(loop.problem, tiled.schedule.constraints, solving.deadline);
  tiled.mii = tiled.bound = tiled.bounds.mii;
  tiled.status = tiled.schedule.ii <= tiled.mii ? SolveStatus::Optimal : SolveStatus::Feasible;
  if (tiled.status == SolveStatus::Optimal && !tiled.bounds.bounds.empty())
    tiled.binding = tiled.bounds.bounds.front().witness;
  return tiled;
}

/// What the quick tries solve: sub-tiles on groups alone, unless every assignment was asked for.
static SolveResult solveQuickly(const LoopProblem &loop, const CompileOptions &options, const SolveOptions &solving) {
  return isJoint(options) && !options.freeGroups ? solveSubtiles(loop, solving) : solve(loop.problem, solving);
}

/// The exact scheduler. In the joint problem sub-tiles on groups come first, then every assignment below their
/// interval, with the room that hand-overs leave. The result is about `loop.problem`, which becomes the problem with
/// that room where the result is about that one.
static SolveResult solveLoop(LoopProblem &loop, const Machine &machine, const CompileOptions &options,
                             SolveOptions solving) {
  solving.deadline = solving.deadline.part(0.7); // the rest is for the certificate
  SolveOptions first = solving;
  first.deadline = solving.deadline.part(0.5);
  SolveResult tiled = solveQuickly(loop, options, options.freeGroups ? solving : first);
  if (!isJoint(options) || options.freeGroups || tiled.status == SolveStatus::Optimal ||
      tiled.status == SolveStatus::Failed)
    return tiled;
  Problem reserved = loop.problem;
  reserve(reserved, loop.loop, machine);
  if (!tiled.hasSchedule) {
    SolveResult others = solve(reserved, solving);
    if (others.status == SolveStatus::Infeasible) // no answer for the loop yet: the room may be what refuses
      return solve(loop.problem, solving);
    loop.problem = std::move(reserved);
    return others;
  }
  solving.maxII = tiled.schedule.ii - 1;
  if (!solving.maxStages)
    solving.maxStages =
        std::max(tiled.schedule.stages(loop.problem), defaultStages(loop.problem, tiled.bounds, solving.constraints));
  SolveResult others = solve(reserved, solving);
  bool fits = verifySchedule(reserved, tiled.schedule, tiled.schedule.constraints).empty();
  if (others.hasSchedule || others.status == SolveStatus::Failed || fits)
    loop.problem = std::move(reserved);
  if (others.hasSchedule || others.status == SolveStatus::Failed)
    return others;
  if (!fits) // what was refused or undecided with room for hand-overs is to be refused without
    others = solve(loop.problem, solving);
  tiled.status = others.status == SolveStatus::Infeasible ? SolveStatus::Optimal : SolveStatus::Feasible;
  tiled.bound = tiled.status == SolveStatus::Optimal ? tiled.schedule.ii : others.bound;
  tiled.stages = others.stages;
  tiled.binding = others.binding;
  tiled.seconds += others.seconds;
  return tiled;
}

/// Rounded costs can make one resolution a hard instance and the next an easy one. Gives each a number of conflicts
/// (not seconds: the result must not depend on the machine) and takes the first that is solved. False: none was.
static bool solveNearby(ScheduledLoop &loop, const Machine &machine, const CompileOptions &options,
                        SolveOptions solving) {
  if (options.resolution <= 0 || !options.overlap || options.freeGroups)
    return false;
  solving.conflictLimit = 2000;
  // a hard instance at every resolution leaves time for the one asked for
  solving.deadline = solving.deadline.part(0.5);
  solving.anytime = false;
  for (int64_t percent : {100, 125, 150, 200}) {
    ExtractOptions how;
    how.resolution = options.resolution * percent / 100;
    FailureOr<LoopProblem> problem = extractLoop(loop.extracted.loop, machine, how, options);
    if (failed(problem))
      return false;
    SolveResult result = solveQuickly(*problem, options, solving);
    if (result.status != SolveStatus::Optimal)
      continue;
    loop.extracted = std::move(*problem);
    loop.result = std::move(result);
    return true;
  }
  return false;
}

/// Groups that differ only in name can be exchanged in a schedule.
static bool alike(const Group &a, const Group &b) {
  return a.variable == b.variable && a.warps == b.warps && a.regs == b.regs;
}

/// Compute groups are alike: where every sub-tile has one group of its own, names them so that sub-tile s is on compute
/// group s.
static void nameGroups(const LoopProblem &loop, Schedule &schedule) {
  const Problem &p = loop.problem;
  int groups = static_cast<int>(p.groups.size());
  std::vector<int> to(groups, -1), from(groups, -1);
  for (size_t v = 0; v < p.nodes.size(); ++v) {
    int g = schedule.group[v], name = p.nodes[v].variableLatency ? g : loop.homes[v];
    if (!alike(p.groups[g], p.groups[name]) || (to[g] >= 0 && to[g] != name) || (from[name] >= 0 && from[name] != g))
      return;
    to[g] = name;
    from[name] = g;
  }
  for (int g = 0; g < groups; ++g)
    for (int name = 0; to[g] < 0 && name < groups; ++name)
      if (from[name] < 0 && alike(p.groups[g], p.groups[name]))
        from[to[g] = name] = g;
  Schedule named = schedule;
  for (size_t v = 0; v < schedule.group.size(); ++v)
    named.group[v] = to[schedule.group[v]];
  for (size_t g = 0; g < schedule.groupRegs.size(); ++g)
    named.groupRegs[to[g]] = schedule.groupRegs[g];
  schedule = std::move(named);
}

/// Schedules one loop as the options say.
LogicalResult scheduleLoop(ScheduledLoop &loop, const Machine &machine, const CompileOptions &options, size_t index) {
  scf::ForOp at = loop.extracted.loop;
  if (index < options.scheduleFiles.size() &&
      failed(extractAtScale(loop, machine, options, options.scheduleFiles[index])))
    return failure();
  if (index < options.scheduleFiles.size()) {
    Result<Schedule> schedule = loadSchedule(options.scheduleFiles[index], loop.extracted.problem);
    if (!schedule)
      return at.emitError() << textOf(schedule.error());
    loop.result.schedule = *schedule;
    loop.result.status = SolveStatus::Feasible;
    loop.replayed = true;
  } else if (options.scheduler == SchedulerKind::Exact) {
    SolveOptions solving = options.solve;
    if (!options.overlap)
      solving.maxStages = 1;
    if (!solveNearby(loop, machine, options, solving))
      loop.result = solveLoop(loop.extracted, machine, options, solving);
    if (!loop.result.hasSchedule)
      return at.emitError() << solveStatusName(loop.result.status)
                            << ": no schedule: " << reasonOf(loop.result, options.solve.timeLimit);
  } else {
    Result<Schedule> schedule = Error(ErrorKind::Internal, "no scheduler");
    ConstraintSet constraints = constraintsOf(options);
    const Problem &problem = loop.extracted.problem;
    if (options.scheduler == SchedulerKind::Heuristic) {
      HeuristicOptions heuristic;
      heuristic.constraints = constraints;
      heuristic.deadline = options.solve.deadline;
      schedule = scheduleHeuristic(problem, heuristic);
    } else {
      RandomOptions random;
      random.seed = options.seed;
      random.constraints = constraints;
      random.deadline = options.solve.deadline;
      schedule = scheduleRandom(problem, random);
    }
    if (!schedule)
      return at.emitError() << textOf(schedule.error());
    loop.result.schedule = *schedule;
    loop.result.status = SolveStatus::Feasible;
    loop.replayed = true;
  }
  if (loop.replayed) {
    loop.result.hasSchedule = true;
    loop.result.bounds = computeBounds(loop.extracted.problem, constraintsOf(options), options.solve.deadline);
    loop.result.schedule.constraints = constraintsOf(options);
    loop.result.mii = loop.result.bound = loop.result.bounds.mii;
    if (!loop.result.bounds.bounds.empty())
      loop.result.binding = loop.result.bounds.bounds.front().witness;
  }
  nameGroups(loop.extracted, loop.result.schedule);
  return success();
}

LogicalResult certifyLoop(ScheduledLoop &loop, const CompileOptions &options, size_t index) {
  scf::ForOp at = loop.extracted.loop;
  std::vector<Violation> violations =
      verifySchedule(loop.extracted.problem, loop.result.schedule, constraintsOf(options));
  if (!violations.empty())
    return at.emitError() << (index < options.scheduleFiles.size() ? "" : "internal error: ")
                          << "illegal schedule: " << violations.front().message;
  if (options.solve.step)
    options.solve.step("certificate of interval " +
                       std::to_string(loop.result.schedule.ii * loop.extracted.problem.scale));
  loop.certificate = certifyOptimal(loop.extracted.problem, loop.result, options.solve);
  if (loop.result.status == SolveStatus::Failed)
    return at.emitError() << loop.result.message;
  return success();
}

/// True where the order among operations matters beyond the interval: a group has asynchronous operations and others
/// that use them.
static bool orderMatters(const Problem &problem) {
  for (const Edge &e : problem.edges)
    if (problem.nodes[e.from].async && !problem.nodes[e.from].variableLatency && !problem.nodes[e.to].async)
      return true;
  return false;
}

/// Optimal schedules of one interval are many, and hardware keeps their order, not their times. Solves the loop at
/// other cost resolutions too, and keeps the schedule whose order by itself attains the smallest interval (an estimate;
/// the bound and the proof are the kept one's).
LogicalResult chooseAmongOptimal(ScheduledLoop &best, const Machine &machine, const CompileOptions &options,
                                 size_t index) {
  if (options.scheduler != SchedulerKind::Exact || options.resolution <= 0 || !options.overlap ||
      index < options.scheduleFiles.size() || !orderMatters(best.extracted.problem))
    return success();
  auto attained = [](const ScheduledLoop &l) {
    return selfTimedInterval(l.extracted.problem, l.result.schedule) * l.extracted.problem.scale;
  };
  int64_t least = attained(best);
  for (int64_t percent : {75, 125, 150, 200}) {
    if (options.solve.deadline.passed()) {
      best.stoppedChoosing = true;
      break;
    }
    ExtractOptions how;
    how.resolution = options.resolution * percent / 100;
    FailureOr<LoopProblem> problem = extractLoop(best.extracted.loop, machine, how, options);
    if (failed(problem))
      return failure();
    ScheduledLoop candidate;
    candidate.extracted = std::move(*problem);
    CompileOptions quick = options;
    quick.solve.conflictLimit = 1000; // not seconds: the choice must not depend on the machine
    quick.solve.explain = false;
    quick.solve.anytime = false;
    candidate.result = solveQuickly(candidate.extracted, quick, quick.solve);
    if (candidate.result.status != SolveStatus::Optimal)
      continue;
    if (int64_t time = attained(candidate); time < least) {
      least = time;
      best.extracted = std::move(candidate.extracted);
      best.result = std::move(candidate.result);
      nameGroups(best.extracted, best.result.schedule);
    }
  }
  return success();
}

} // namespace heddle
