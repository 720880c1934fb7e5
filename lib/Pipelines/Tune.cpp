//===- Tune.cpp - the best plan for a program and sizes --------------------===//
//
// What:      see Tune.h.
//
//===----------------------------------------------------------------------===//
#include "heddle/Pipelines/Tune.h"

#include "CompileForm.h"
#include "Gains.h"
#include "Registers.h"
#include "ScheduleKernel.h"
#include "SimulatedTime.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/KernelWork.h"
#include "heddle/Dialect/HW/UniformMask.h"
#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Scheduling/Policy/Solved.h"
#include "heddle/Transforms/Persist.h"
#include "heddle/Transforms/SplitEpilogues.h"
#include "mlir/IR/Diagnostics.h"

#include <map>
#include <set>

using namespace mlir;
namespace heddle {

/// Whether epilogues of `kernel` could run in parts of `columns`.
static bool splitsEpilogues(tile::KernelOp kernel, int64_t columns) {
  OwningOpRef<ModuleOp> copy = moduleWith(kernel);
  return splitLoadedEpilogues(only<tile::KernelOp>(copy), columns, /*slots=*/2);
}

/// The axes of a program: one line for each decision that is searched. `written` is `kernel` with the values that its
/// parameters have in the program, by which it is known what the copy engine delivers.
static std::vector<Axis> axesOf(tile::KernelOp kernel, tile::KernelOp written) {
  std::vector<Axis> axes;
  kernel.walk([&](tile::ParamOp param) {
    std::optional<ArrayRef<int64_t>> choices = param.getChoices();
    if (!choices)
      return;
    Axis axis = {"parameters", param.getParam().str(), true, {std::to_string(param.getValue())}};
    for (int64_t choice : *choices)
      if (choice != static_cast<int64_t>(param.getValue()))
        axis.values.push_back(std::to_string(choice));
    axes.push_back(axis);
  });
  auto planned = dyn_cast_or_null<DictionaryAttr>(kernel->getDiscardableAttr(planAttr));
  auto add = [&](StringRef key, bool isShape, std::vector<std::string> values) {
    if (!planned || !planned.get(key)) // its author has decided
      axes.push_back({key.str(), "", isShape, std::move(values)});
  };
  tile::GridOp grid = *kernel.getBody().getOps<tile::GridOp>().begin();
  if (hasDots(kernel) && !kernel->hasAttr("groups"))
    add("groups", true, {"", "1", "2", "3"});
  bool gains = gainsFromPersistence(written), counts = gainsFromCounter(written);
  if (hasDots(kernel) && gains)
    add("tiles", true, {"1", "2"});
  if (constexpr int64_t columns = 32; splitsEpilogues(written, columns))
    add("parts", true, {"", std::to_string(columns), std::to_string(2 * columns)});
  add("persistent", false, {gains || counts ? "true" : "false", "true", "false"});
  std::string stride = ("\"" + strideSource + "\"").str(), counter = ("\"" + counterSource + "\"").str();
  auto persists = planned ? planned.getAs<BoolAttr>("persistent") : BoolAttr();
  const bool takesPrograms = hasDots(kernel) && (!persists || persists.getValue());
  if (takesPrograms && gains)
    add("tile_source", false, {"", counts ? stride : counter});
  else if (takesPrograms)
    add("tile_source", false, {counts ? counter : "", stride, counter});
  if (grid.getSizes().size() > 1) {
    std::string own = grid.getRaster() ? std::to_string(*grid.getRaster()) : "";
    add("raster", false, {own, "1", "2", "4", "8", "16", "32"});
    if (hasDots(kernel))
      add("cluster", false, {"", "2"});
  }
  add("depth", false, {"", "2", "3"});
  return axes;
}

/// Whether a loop of `kernel` loads a tile of one dimension, which registers hold until chains read it, or chains read
/// again.
static bool loadsRowsInLoops(tile::KernelOp kernel) {
  return kernel
      .walk([](tile::LoadOp load) {
        bool row = load.getType().getRank() == 1 && load->getParentOfType<scf::ForOp>();
        return row ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a loop has a mask that iterations may lie inside of.
static bool masksInLoops(tile::KernelOp kernel) {
  return kernel
      .walk([](arith::SelectOp select) {
        bool masks = select->getParentOfType<scf::ForOp>() && isGuarded(select);
        return masks ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a loop has several products, of which one may wait for what another one gives.
static bool mayWaitForProducts(tile::KernelOp kernel) {
  return kernel
      .walk([](scf::ForOp loop) {
        return llvm::range_size(loop.getOps<tile::DotOp>()) > 1 ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class Tuner {
public:
  Tuner(tile::KernelOp kernel, tile::KernelOp written, const Machine &machine, const TuneOptions &options,
        TuneResult &result)
      : kernel(kernel), written(written), machine(machine), options(options), result(result) {}

  void run() {
    for (auto [i, plan] : llvm::enumerate(options.plans)) {
      say("plan " + std::to_string(i + 1) + " of " + std::to_string(options.plans.size()));
      result.candidates.push_back(make(Candidate(), plan, /*lower=*/true));
    }
    if (options.plans.empty())
      search();
    sort();
    say("");
  }

  /// Candidates with what `plan` says of the kernel, and each of `more`, which is as planOf writes it.
  std::vector<TunedCandidate> with(StringRef plan, ArrayRef<std::string> more) {
    std::vector<TunedCandidate> made;
    for (const std::string &entries : more) {
      StringRef own = plan.drop_back(), added = StringRef(entries).drop_front();
      made.push_back(make(Candidate(), (own + (own == "{" ? "" : ", ") + added).str(), /*lower=*/true));
      if (!made.back().refused.empty())
        made.pop_back();
    }
    return made;
  }

private:
  void search() {
    result.axes = axesOf(kernel, written);
    std::vector<Candidate> shapes = shapesOf(result.axes);
    for (auto [i, shape] : llvm::enumerate(shapes)) {
      say("bounds of shape " + std::to_string(i + 1) + " of " + std::to_string(shapes.size()));
      add(shape, /*lower=*/false);
    }
    std::vector<size_t> best = order();
    constexpr double farFromBest = 1.5;
    // By bounds: the first may have no kernel, and then no time.
    double first = best.empty() ? 0 : result.candidates[best[0]].prediction.milliseconds;
    for (size_t i = 0; i < best.size() && i < options.scheduled; ++i) {
      TunedCandidate &candidate = result.candidates[best[i]];
      if (candidate.prediction.milliseconds > farFromBest * first)
        break;
      say("scheduling shape " + std::to_string(i + 1) + " of at most " +
          std::to_string(std::min(best.size(), options.scheduled)));
      candidate = make(candidate.values, candidate.plan, /*lower=*/true);
      known.insert(candidate.identity);
    }
    best = order();
    // Of programs with equal work a counter is tried only where the model gives it a reason.
    bool equal = gainsFromPersistence(written);
    std::vector<Candidate> ordered;
    std::set<Candidate> kinds;
    for (size_t i = 0, used = 0; i < best.size() && used < options.ordered; ++i)
      if (const TunedCandidate &candidate = result.candidates[best[i]]; candidate.lowered) {
        kinds.insert(withoutIdleBands(candidate.values, candidate.work));
        llvm::copy_if(ordersOf(candidate.values, result.axes), std::back_inserter(ordered),
                      [&](const Candidate &order) {
                        return !contradictsItself(order) &&
                               (!equal || !hasCounter(order) || gainsFromInOrder(candidate.prediction)) &&
                               kinds.insert(withoutIdleBands(order, candidate.work)).second;
                      });
        ++used;
      }
    for (auto [i, candidate] : llvm::enumerate(ordered)) {
      say("order " + std::to_string(i + 1) + " of " + std::to_string(ordered.size()));
      add(candidate, /*lower=*/true);
    }
  }

  bool hasCounter(const Candidate &candidate) const {
    return llvm::any_of(llvm::zip(result.axes, candidate), [](auto of) {
      auto &[axis, value] = of;
      return axis.key == "tile_source" && value.find(counterSource) != std::string::npos;
    });
  }

  /// `candidate` with no bands of rows where they change nothing: of one column, or when one band has all rows.
  Candidate withoutIdleBands(Candidate candidate, const KernelWork &work) const {
    for (auto [axis, value] : llvm::zip(result.axes, candidate))
      if (axis.key == "raster" && !value.empty() && (work.columns == 1 || std::stoll(value) >= work.rows))
        value.clear();
    return candidate;
  }

  /// A counter is of a persistent kernel without clusters.
  bool contradictsItself(const Candidate &candidate) const {
    bool counts = hasCounter(candidate), persists = true, clusters = false;
    for (auto [axis, value] : llvm::zip(result.axes, candidate)) {
      persists &= axis.key != "persistent" || value == "true";
      clusters |= axis.key == "cluster" && !value.empty();
    }
    return counts && (!persists || clusters);
  }

  void say(const std::string &what) {
    if (options.progress)
      options.progress(what);
  }

  void add(const Candidate &values, bool lower) {
    TunedCandidate candidate = make(values, planOf(values, result.axes), lower);
    if (candidate.identity.empty() || known.insert(candidate.identity).second)
      result.candidates.push_back(std::move(candidate));
  }

  /// What decides about the kernel: the values, with warp groups and ring slots as they came to be.
  std::string identityOf(const Candidate &values, tile::KernelOp selected, const std::vector<LoopTiming> &loops) {
    std::string text = std::to_string(selected->getAttrOfType<IntegerAttr>("groups").getInt());
    for (const LoopTiming &loop : loops)
      text += " " + std::to_string(loop.depth);
    for (auto [axis, value] : llvm::zip(result.axes, values))
      if (axis.key != "groups" && axis.key != "depth")
        text += " " + value;
    return text;
  }

  /// How much longer the loops of `made` take in the timing simulator than their schedules say, where they have much
  /// arithmetic: plain products take their intervals, and the model's rates were fitted to them. Orders of programs
  /// leave loops as they are, all but the depth of rings, so that one of them stands for the others of its shape.
  double slowdownOf(const TunedCandidate &candidate, Compilation &made) {
    if (arithmeticHides(made))
      return 1;
    Candidate loops = candidate.values.empty() ? Candidate{candidate.plan} : shapeOf(candidate.values, result.axes);
    for (auto [axis, value] : llvm::zip(result.axes, candidate.values))
      if (axis.key == "depth")
        loops.push_back(value);
    auto [known, isNew] = slowdowns.try_emplace(loops, 1);
    if (isNew)
      known->second = std::max(1.0, simulatedOverScheduled(made, machine));
    return known->second;
  }

  /// Bounds, or with `lower` a whole warp program, of one candidate.
  TunedCandidate make(const Candidate &values, const std::string &plan, bool lower) {
    TunedCandidate candidate;
    candidate.values = values;
    candidate.plan = plan;
    FormOptions compile(options.compile);
    if (!parametersOf(kernel).empty())
      compile.retile = 0; // sizes of blocks are what is tuned
    compile.solved = solved;
    compile.progress = nullptr;
    compile.solve.step = nullptr;
    compile.planText = "{kernel = " + candidate.plan + "}";
    compile.planFile = "candidate";
    Compilation made;
    {
      ScopedDiagnosticHandler quiet(kernel.getContext(), [&](Diagnostic &diag) {
        if (diag.getSeverity() == DiagnosticSeverity::Error && candidate.refused.empty())
          candidate.refused = diag.str();
        return success();
      });
      if (failed(compileKernel(kernel, machine, compile, lower ? Level::Warp : Level::Problem, made))) {
        if (candidate.refused.empty())
          candidate.refused = "internal error: failed without a diagnostic";
        return candidate;
      }
    }
    candidate.refused.clear(); // attempts that were given up
    candidate.skipOnes = made.skipOnes;
    if (made.retiled == 0 &&
        candidate.plan.find("retile = ") == std::string::npos) // whoever compiles the plan has to know
      candidate.plan.insert(candidate.plan.rfind('}'), ", retile = 0");
    std::vector<LoopTiming> loops;
    for (auto [i, loop] : llvm::enumerate(made.loops)) {
      const Problem &problem = loop.extracted.problem;
      LoopTiming timing{loop.extracted.loop};
      if (lower) {
        timing.interval = static_cast<double>(loop.result.schedule.ii * problem.scale);
        timing.depth = 0;
        for (auto &[name, ring] : made.decisions.loops[i].rings)
          if (double slots = static_cast<double>(made.decisions.slots.at(ring)); !timing.depth || slots < timing.depth)
            timing.depth = slots;
      } else {
        Bounds bounds = computeBounds(problem);
        if (bounds.infeasible) {
          candidate.refused = "infeasible: " + bounds.bounds.front().witness;
          return candidate;
        }
        timing.interval = static_cast<double>(bounds.mii * problem.scale);
        timing.depth = 4; // what shared memory holds is not known yet
      }
      loops.push_back(timing);
    }
    candidate.identity = identityOf(values, only<tile::KernelOp>(made.instructions), loops);
    if (double over = lower ? slowdownOf(candidate, made) : 1; over > 1)
      for (LoopTiming &timing : loops) {
        timing.interval *= over;
        timing.depth = LoopTiming::unbounded; // what rings cost is part of it
      }
    candidate.work = workOf(only<tile::KernelOp>(made.tile), only<tile::KernelOp>(made.instructions), loops,
                            options.sizes, made.cluster, machine);
    candidate.prediction = predict(candidate.work, machine);
    candidate.lowered = lower;
    return candidate;
  }

  /// The candidates that are not refused, best first.
  std::vector<size_t> order() const {
    std::vector<size_t> fine;
    std::vector<Prediction> predictions;
    for (auto [i, candidate] : llvm::enumerate(result.candidates))
      if (candidate.refused.empty()) {
        fine.push_back(i);
        predictions.push_back(candidate.prediction);
      }
    std::vector<size_t> sorted;
    for (size_t i : rank(predictions))
      sorted.push_back(fine[i]);
    return sorted;
  }

  void sort() {
    std::vector<size_t> places = order();
    llvm::stable_sort(places,
                      [&](size_t a, size_t b) { return result.candidates[a].lowered > result.candidates[b].lowered; });
    for (auto [i, candidate] : llvm::enumerate(result.candidates))
      if (!candidate.refused.empty())
        places.push_back(i);
    std::vector<TunedCandidate> sorted;
    for (size_t i : places)
      sorted.push_back(std::move(result.candidates[i]));
    result.candidates = std::move(sorted);
  }

  tile::KernelOp kernel, written;
  const Machine &machine;
  const TuneOptions &options;
  TuneResult &result;
  std::set<std::string> known;                                           ///< identities
  std::map<Candidate, double> slowdowns;                                 ///< by shape and depth
  std::shared_ptr<SolvedLoops> solved = std::make_shared<SolvedLoops>(); ///< orders of programs leave loops as they are
};
} // namespace

LogicalResult tuneKernel(tile::KernelOp kernel, const Machine &machine, const TuneOptions &options,
                         TuneResult &result) {
  Compilation written; // the program as its author wrote it must at least become a tile program
  if (failed(verifyEmitsKernels(kernel, machine)) ||
      failed(compileKernel(kernel, machine, options.compile, Level::Tile, written)))
    return failure();
  Tuner(kernel, only<tile::KernelOp>(written.tile), machine, options, result).run();
  return success();
}

std::vector<TunedCandidate> otherSchedules(tile::KernelOp kernel, const Machine &machine, const TuneOptions &options,
                                           const TunedCandidate &candidate) {
  if (!hasDots(kernel))
    return {};
  // On an H100 attention of 8-bit floats with 224 keys ran at 1.03 and 1.04 of its speed at resolutions 56 and 192
  // (bench/results/2026-11-26-h100-attention-fp8-schedules.json), of 16 bits at 1.00 to 1.01 at 40, 80 and 192 and with
  // coordinates read again (2026-11-26-h100-attention-tuned.json).
  std::vector<Axis> axes = {{"resolution", "", false, {"", "40", "56", "80", "192"}}};
  // With a bias for each key, heads of 64: 1.09 of the speed with rows held, at resolutions 40 and 56
  // (bench/results/2026-11-26-h100-forms-schedules.json).
  // 8-bit causal attention with 192 keys ran at 1.03 to 1.3 of its speed without the time of masks, with 128 at 0.97 to
  // 1.02 (bench/results/2026-11-29-h200-attention-fp8-causal.json).
  if (masksInLoops(kernel))
    axes.push_back({"count_masks", "", false, {"", "false"}});
  if (loadsRowsInLoops(kernel))
    axes.push_back({"reread", "", false, {"", "false", "true"}});
  axes.push_back({"recompute", "", false, {"", "true"}});
  auto planned = dyn_cast_or_null<DictionaryAttr>(kernel->getDiscardableAttr(planAttr));
  auto decided = [&](const std::string &key) {
    return (planned && planned.get(key)) || candidate.plan.find(key + " = ") != std::string::npos;
  };
  llvm::erase_if(axes, [&](const Axis &axis) { return decided(axis.key); });
  std::vector<std::string> plans;
  // Tests of factors gain or cost a few percent (docs/Findings.md, "Factors of one").
  if (candidate.skipOnes && !decided("skip_ones"))
    plans.push_back(std::string("{skip_ones = ") + (*candidate.skipOnes ? "false" : "true") + "}");
  for (const Candidate &other : ordersOf(Candidate(axes.size()), axes))
    plans.push_back(planOf(other, axes));
  // A gradient that stores 536 bytes of registers ran at 1.20 to 1.23 of its speed in order, which needs none, those
  // that store up to 28 bytes at 0.87 to 1.02 (bench/results/2026-11-30-h200-gradients-in-order.json).
  if (mayWaitForProducts(kernel) && !decided("overlap"))
    plans.push_back("{overlap = false}");
  // With 24 registers left free programs ran at 0.68 to 1.5 of their speed; what mayGainFromRoom takes is not all that
  // gains (bench/results/2026-11-30-h200-registers-left-free.json).
  if (mayWaitForProducts(kernel) && !decided("spare")) {
    const std::string spare = "spare = " + std::to_string(roomForTiles) + "}";
    plans.push_back("{" + spare);
    if (loadsRowsInLoops(kernel) && !decided("reread"))
      plans.push_back("{reread = true, " + spare);
  }
  TuneResult unused;
  return Tuner(kernel, kernel, machine, options, unused).with(candidate.plan, plans);
}

PlanKey planKeyOf(tile::KernelOp kernel, const Machine &machine, const Sizes &sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel.print(os);
  return {kernel.getSymName().str(), text, machine.name(), sizes};
}

} // namespace heddle
