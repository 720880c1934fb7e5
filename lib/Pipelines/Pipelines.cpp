//===- Pipelines.cpp - the compiler on one page ----------------------------===//
#include "heddle/Pipelines/Compiler.h"

#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Conversion/WarpToHW/WarpToHW.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/SelfTimed.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "heddle/Transforms/SelectInstructions.h"
#include "heddle/Transforms/SimplifyWaits.h"
#include "heddle/Transforms/Subtile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include <map>

using namespace mlir;
namespace heddle {

void registerHeddleDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, warp::WarpDialect, hw::HWDialect, arith::ArithDialect, math::MathDialect,
                  scf::SCFDialect, tensor::TensorDialect>();
}

/// A module of its own with a copy of `kernel`.
static OwningOpRef<ModuleOp> moduleWith(Operation *kernel) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(kernel->getLoc()));
  module->getBody()->push_back(kernel->clone());
  return module;
}

template <typename Op> static Op only(OwningOpRef<ModuleOp> &module) { return *module->getOps<Op>().begin(); }

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
  os << "none found within " << timeLimit << " s; the interval is at least " << result.bound;
  if (!result.bounds.bounds.empty())
    os << " (" << result.bounds.bounds.front().witness << ")";
  return text;
}

/// Without overlap the operations of a group also keep the program's order.
static FailureOr<LoopProblem> extract(scf::ForOp loop, const Machine &machine, ExtractOptions how, const CompileOptions &options) {
  how.freeGroups = options.freeGroups;
  how.free = options.free;
  FailureOr<LoopProblem> extracted = extractProblem(loop, machine, how);
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
static LogicalResult extractAtScale(ScheduledLoop &loop, const Machine &machine, const CompileOptions &options, const std::string &path) {
  Result<std::string> text = readFile(path);
  Result<int64_t> scale = text ? parseScale(*text, path) : Result<int64_t>(text.error());
  if (!scale)
    return loop.extracted.loop.emitError() << textOf(scale.error());
  if (*scale == loop.extracted.cyclesPerUnit)
    return success();
  ExtractOptions at;
  at.cyclesPerUnit = *scale;
  FailureOr<LoopProblem> problem = extract(loop.extracted.loop, machine, at, options);
  if (failed(problem))
    return failure();
  loop.extracted = std::move(*problem);
  return success();
}

/// Schedules one loop as the options say. Every schedule, wherever it comes from, passes the independent checker.
static LogicalResult scheduleLoop(ScheduledLoop &loop, const Machine &machine, const CompileOptions &options, size_t index) {
  scf::ForOp at = loop.extracted.loop;
  if (index < options.scheduleFiles.size() && failed(extractAtScale(loop, machine, options, options.scheduleFiles[index])))
    return failure();
  const Problem &problem = loop.extracted.problem;
  if (index < options.scheduleFiles.size()) {
    Result<Schedule> schedule = loadSchedule(options.scheduleFiles[index], problem);
    if (!schedule)
      return at.emitError() << textOf(schedule.error());
    loop.result.schedule = *schedule;
    loop.result.status = SolveStatus::Feasible;
    loop.replayed = true;
  } else if (options.scheduler == SchedulerKind::Exact) {
    SolveOptions solving = options.solve;
    if (!options.overlap)
      solving.maxStages = 1;
    loop.result = solve(problem, solving);
    if (!loop.result.hasSchedule)
      return at.emitError() << solveStatusName(loop.result.status) << ": no schedule: "
                            << reasonOf(loop.result, options.solve.timeLimit);
  } else {
    Result<Schedule> schedule = Error(ErrorKind::Internal, "no scheduler");
    ConstraintSet constraints = options.solve.constraints;
    if (options.scheduler == SchedulerKind::Heuristic) {
      HeuristicOptions heuristic;
      heuristic.constraints = constraints;
      schedule = scheduleHeuristic(problem, heuristic);
    } else {
      RandomOptions random;
      random.seed = options.seed;
      random.constraints = constraints;
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
    loop.result.bounds = computeBounds(problem, options.solve.constraints);
    loop.result.mii = loop.result.bound = loop.result.bounds.mii;
    if (!loop.result.bounds.bounds.empty())
      loop.result.binding = loop.result.bounds.bounds.front().witness;
  }
  ConstraintSet checked = options.solve.mode == SolveMode::Modulo ? ConstraintSet::modulo() : options.solve.constraints;
  std::vector<Violation> violations = verifySchedule(problem, loop.result.schedule, checked);
  if (!violations.empty())
    return at.emitError() << (loop.replayed && index < options.scheduleFiles.size() ? "" : "internal error: ")
                          << "illegal schedule: " << violations.front().message;
  return success();
}

/// True where the order among operations matters beyond the interval: a group has asynchronous operations and others that use them.
static bool orderMatters(const Problem &problem) {
  for (const Edge &e : problem.edges)
    if (problem.nodes[e.from].async && !problem.nodes[e.from].variableLatency && !problem.nodes[e.to].async)
      return true;
  return false;
}

/// Optimal schedules of one interval are many, and hardware keeps their order, not their times. Solves the loop at other cost resolutions
/// too, and keeps the schedule whose order by itself attains the smallest interval (an estimate; the bound and the proof are the kept one's).
static LogicalResult chooseAmongOptimal(ScheduledLoop &best, const Machine &machine, const CompileOptions &options, size_t index) {
  if (options.scheduler != SchedulerKind::Exact || options.resolution <= 0 || !options.overlap || index < options.scheduleFiles.size() ||
      !orderMatters(best.extracted.problem))
    return success();
  auto attained = [](const ScheduledLoop &l) { return selfTimedInterval(l.extracted.problem, l.result.schedule) * l.extracted.cyclesPerUnit; };
  int64_t least = attained(best);
  for (int64_t percent : {75, 125, 150, 200}) {
    ExtractOptions how;
    how.resolution = options.resolution * percent / 100;
    FailureOr<LoopProblem> problem = extract(best.extracted.loop, machine, how, options);
    if (failed(problem))
      return failure();
    ScheduledLoop candidate;
    candidate.extracted = std::move(*problem);
    CompileOptions quick = options;
    quick.solve.conflictLimit = 1000; // not seconds: the choice must not depend on the machine
    quick.solve.explain = false;
    candidate.result = solve(candidate.extracted.problem, quick.solve);
    if (candidate.result.status != SolveStatus::Optimal)
      continue;
    if (int64_t time = attained(candidate); time < least) {
      least = time;
      best.extracted = std::move(candidate.extracted);
      best.result = std::move(candidate.result);
    }
  }
  return success();
}

LogicalResult compileKernel(tile::KernelOp kernel, const Machine &machine, const CompileOptions &options, Level upTo,
                            Compilation &out) {
  DialectRegistry registry;
  registerHeddleDialects(registry);
  kernel.getContext()->appendDialectRegistry(registry);
  kernel.getContext()->loadAllAvailableDialects();

  // tile: the sequential meaning.
  out.tile = moduleWith(kernel);
  if (failed(verify(*out.tile)))
    return failure();
  if (upTo == Level::Tile)
    return success();

  // Split over compute groups: still sequential, still executable.
  out.subtiled = moduleWith(only<tile::KernelOp>(out.tile));
  if (failed(subtile(only<tile::KernelOp>(out.subtiled), options.groups)) || failed(verify(*out.subtiled)))
    return failure();

  // Instructions of warp groups: where tiles live, which operation the tensor core runs.
  out.instructions = moduleWith(only<tile::KernelOp>(out.subtiled));
  auto selected = only<tile::KernelOp>(out.instructions);
  if (failed(selectInstructions(selected)) || failed(verify(*out.instructions)))
    return failure();

  // One scheduling problem per innermost loop.
  SmallVector<scf::ForOp> loops;
  selected.walk([&](scf::ForOp loop) {
    if (isScheduledLoop(loop))
      loops.push_back(loop);
  });
  ExtractOptions how;
  how.resolution = options.resolution;
  for (scf::ForOp loop : loops) {
    FailureOr<LoopProblem> problem = extract(loop, machine, how, options);
    if (failed(problem))
      return failure();
    out.loops.emplace_back();
    out.loops.back().extracted = std::move(*problem);
  }
  if (upTo == Level::Problem)
    return success();
  for (auto [index, loop] : llvm::enumerate(out.loops))
    if (failed(scheduleLoop(loop, machine, options, index)) || failed(chooseAmongOptimal(loop, machine, options, index)))
      return failure();
  if (upTo == Level::Schedule)
    return success();

  // warp: groups, rings, order and waits from the schedule.
  DenseMap<Operation *, LoopSchedule> schedules;
  for (ScheduledLoop &loop : out.loops) {
    LoopSchedule &schedule = schedules[loop.extracted.loop];
    int64_t unit = loop.extracted.cyclesPerUnit;
    schedule.ii = loop.result.schedule.ii * unit;
    for (auto [v, op] : llvm::enumerate(loop.extracted.ops)) {
      schedule.start[op] = loop.result.schedule.start[v] * unit;
      schedule.names[op] = loop.extracted.problem.nodes[v].name;
    }
  }
  TileToWarpOptions warpOptions = options.warp;
  warpOptions.cutAtStart |= !options.overlap;
  FailureOr<warp::KernelOp> warpKernel = convertTileToWarp(selected, schedules, machine, warpOptions);
  if (failed(warpKernel))
    return failure();
  (*warpKernel)->remove();
  out.warp = OwningOpRef<ModuleOp>(ModuleOp::create(kernel.getLoc()));
  out.warp->getBody()->push_back(*warpKernel);
  if (failed(verify(*out.warp)) || failed(verifyWarpProtocol(only<warp::KernelOp>(out.warp))))
    return failure();
  simplifyWaits(only<warp::KernelOp>(out.warp)); // keeps the protocol: each removal is verified
  if (upTo == Level::Warp)
    return success();

  // hw: shared memory, barriers, layouts, descriptors; then text.
  out.hw = moduleWith(only<warp::KernelOp>(out.warp));
  WarpToHWOptions lower;
  lower.smemLimit = machine.memoryCapacity("smem");
  lower.registerFile = machine.warps().registerFile;
  lower.scratchBytes = registerScratchBytes;
  FailureOr<hw::KernelOp> hwKernel = lowerWarpToHW(only<warp::KernelOp>(out.hw), lower);
  if (failed(hwKernel) || failed(verify(*out.hw)) || failed(verifyHW(*hwKernel)))
    return failure();
  if (upTo == Level::HW)
    return success();
  llvm::raw_string_ostream text(out.cuda);
  if (failed(emitCUDA(*hwKernel, text, describeSchedules(out))))
    return failure();
  FailureOr<std::string> manifest = emitManifest(*hwKernel);
  if (failed(manifest))
    return failure();
  out.manifest = *manifest;
  return success();
}

std::string describeSchedules(const Compilation &compilation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, loop] : llvm::enumerate(compilation.loops)) {
    int64_t unit = loop.extracted.cyclesPerUnit;
    const SolveResult &r = loop.result;
    if (!r.hasSchedule)
      continue;
    os << (i ? "\n" : "") << "loop " << i << ": initiation interval " << r.schedule.ii * unit << " cycles, lower bound "
       << r.bound * unit << ", " << (loop.replayed ? "given" : solveStatusName(r.status)) << "; "
       << r.schedule.stages(loop.extracted.problem) << " stages";
    if (!r.binding.empty())
      os << "\n  binds: " << r.binding;
    if (!r.binding.empty() && unit > 1)
      os << " (here one cycle stands for " << unit << ")";
  }
  return text;
}

} // namespace heddle
