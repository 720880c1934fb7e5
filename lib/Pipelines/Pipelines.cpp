//===- Pipelines.cpp - the compiler on one page ----------------------------===//
//
// What:   compileKernel compiles a tile kernel in its usual form (CompileForm.cpp: parameters, persistence, schedules;
//         LowerKernel.cpp: warp, hw, text), then in others where that has no schedule or another may be faster.
// Keeps:  the usual form, unless another is known to be better; what forms say that are not kept nobody hears.
//
//===----------------------------------------------------------------------===//
#include "heddle/Pipelines/Compiler.h"

#include "BlockSizes.h"
#include "Blocks.h"
#include "CompileForm.h"
#include "Gains.h"
#include "PlanOptions.h"
#include "Registers.h"
#include "ScheduleKernel.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/Partition.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Scheduling/Policy/Solved.h"
#include "heddle/Target/TargetInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

#include <set>

using namespace mlir;
namespace heddle {

void registerHeddleDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, warp::WarpDialect, hw::HWDialect, arith::ArithDialect, math::MathDialect,
                  scf::SCFDialect, tensor::TensorDialect>();
}

void loadDialects(MLIRContext *context) {
  DialectRegistry registry;
  registerHeddleDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
}

std::optional<SchedulerKind> findScheduler(StringRef name) {
  return llvm::StringSwitch<std::optional<SchedulerKind>>(name)
      .Case("exact", SchedulerKind::Exact)
      .Case("heuristic", SchedulerKind::Heuristic)
      .Case("random", SchedulerKind::Random)
      .Default(std::nullopt);
}

static bool isOpen(Diagnostic &diag) { return errorKindOf(diag) == ErrorKind::Limit; }

/// Whether epilogues may yet be loaded in parts of so many columns.
static bool mayHaveParts(const FormOptions &options, int64_t columns, const Compilation &out) {
  return !options.partsForRoom && loadsBehindLoops(out, columns);
}

/// Whether slots that an epilogue takes could serve loops better: loads of one run less far ahead than they take (all
/// slots but one are filled while one is read), or two programs share the slots. A residual added to products ran at
/// 1.5 to 2.5 and at 1.06 of its speed then (bench/results/2026-11-29-h200-epilogue-parts.json).
static bool lacksSlotsAhead(Compilation &out) {
  const int64_t slots = out.decisions.fewestSlots;
  if (!slots || turnsOf(only<tile::KernelOp>(out.instructions)) > 1)
    return slots;
  return llvm::any_of(out.loops, [&](const ScheduledLoop &loop) {
    return llvm::any_of(loop.extracted.problem.nodes, [&](const Node &node) {
      return node.variableLatency && (slots - 1) * loop.result.schedule.ii < node.latency;
    });
  });
}

/// Whether one group computes all products of `out`.
static bool hasOneGroup(const Compilation &out) {
  ModuleOp subtiled = out.subtiled.get();
  auto split = subtiled ? *subtiled.getOps<tile::KernelOp>().begin() : tile::KernelOp();
  auto groups = split ? split->getAttrOfType<IntegerAttr>("groups") : IntegerAttr();
  return groups && groups.getInt() == 1 && hasDots(split);
}

/// What else may have a schedule where `out` has none (`unscheduled`: that is why it was not made): chains that read
/// the rows that loops load; rows that are held where at last every operation may be a node; epilogues that load in
/// parts; rings that the lowering never makes longer than a plan says; and, since a plan that names operations need not
/// say which there are, each program or one computing what all store alike, and reductions over threads elsewhere.
static std::vector<FormOptions> otherForms(const FormOptions &options, bool unscheduled, const Compilation &out) {
  std::vector<FormOptions> others;
  if (!out.instructions || !options.scheduleFiles.empty())
    return others;
  // Which loop an operation of a plan stands in depends on both.
  using Choices = std::vector<std::optional<bool>>;
  const bool opensOnce = out.once && out.onceOpen;
  for (std::optional<bool> once : opensOnce ? Choices{std::nullopt, !*out.once} : Choices{std::nullopt})
    for (std::optional<bool> defers : out.mayDefer ? Choices{std::nullopt, true, false} : Choices{std::nullopt}) {
      if (!once && (!defers || defers == out.defers)) // `out` itself
        continue;
      others.push_back(options);
      if (once)
        others.back().once = once;
      if (defers)
        others.back().defers = defers;
    }
  if (!unscheduled)
    return others;
  if (readsRows(*out.instructions) && !out.rowsGiven)
    for (Rows rows : {Rows::Reread, Rows::Held}) {
      others.push_back(options);
      others.back().rows = rows;
      others.back().rowsGiven = true;
    }
  for (int64_t columns : partColumns)
    if (mayHaveParts(options, columns, out)) {
      others.push_back(options);
      others.back().partsForRoom = columns;
    }
  // What warps exchange is known only when layouts are, and no problem counts it.
  if (out.decisions.bytesOver && !options.extract.spareBytes) {
    others.push_back(options);
    others.back().extract.spareBytes = out.decisions.bytesOver;
  }
  if (out.mayKeepOuter) {
    others.push_back(options);
    others.back().stageOuter = false;
  }
  bool pinsRings = llvm::any_of(out.loops, [](const ScheduledLoop &loop) {
    return llvm::any_of(loop.extracted.pins, [](const Pin &pin) { return pin.kind == PinKind::Depth; });
  });
  if (pinsRings || options.warp.maxDepth == 1) {
    others.push_back(options);
    others.back().releases = true;
  }
  if (hasOneGroup(out) && !options.groupsForRoom)
    for (int64_t more : {2, 3}) {
      others.push_back(options);
      others.back().groupsForRoom = more;
    }
  // A problem has the memory of its own loop, and a slot is taken until the group that reads it has waited, which its
  // schedule does not say.
  if (out.decisions.lacksSlots && !options.oneSlot) {
    others.push_back(options);
    others.back().oneSlot = true;
    others.push_back(others.back()); // nor are there more where latencies would ask for them
    others.back().warp.maxDepth = 1;
    others.back().releases = true;
  }
  if (out.mayLeaveProducts) {
    others.push_back(options);
    others.back().transposeProducts = false;
  }
  // Copies take slots from their begin on, registers only a latency later.
  if (out.mayHoldLoads) {
    others.push_back(options);
    others.back().threadCopies = false;
  }
  // Slots that a plan pins may leave less room for parts.
  if (constexpr int64_t narrowest = 16; mayHaveParts(options, narrowest, out)) {
    others.push_back(options);
    others.back().partsForRoom = narrowest;
  }
  return others;
}

/// What is said where no form of a kernel has a schedule, `said` of the first and `others` of those with other rows:
/// what was left open, else the last one, which gives up most and says what binds.
static std::vector<Diagnostic> wordsOf(std::vector<Diagnostic> said, std::vector<std::vector<Diagnostic>> others) {
  auto open = [](std::vector<Diagnostic> &diags) { return llvm::any_of(diags, isOpen); };
  std::erase_if(others, [](std::vector<Diagnostic> &diags) { return llvm::none_of(diags, isUnscheduled); });
  if (others.empty() || open(said) || llvm::none_of(said, isUnscheduled))
    return said;
  auto first = llvm::find_if(others, open);
  return std::move(first != others.end() ? *first : others.back());
}

/// Whether `diag` says what cannot be divided over several groups.
static bool isUndivided(Diagnostic &diag) { return errorCauseOf(diag) == ErrorCause::Division; }

/// Steps out of which the searches of a kernel are paid with -O2: of all its loops, forms and numbers of tiles in
/// flight together. Of 617 random programs and the attention forms the one that took most spent 9 million, in 1.8 s of
/// processor time, and what took longest, 2.2 s, 5 million. Other blocks of loops, which are tried for what they may
/// gain, have half as many together.
static constexpr int64_t kernelSteps = 10000000;

/// Whether a plan, which is right, says nothing that blocks which share a multiprocessor concern.
static bool leavesBlocks(const Plan &plan) {
  auto is = [&](StringRef key, bool value) {
    const PlanValue *planned = plan.ofKernel(key);
    return planned && cast<BoolAttr>(planned->value).getValue() == value;
  };
  bool says = is("persistent", true) || is("warp_specialize", false) ||
              llvm::any_of(ArrayRef<StringRef>{"blocks", "overlap", "tiles", "tile_source", "cluster", "registers"},
                           [&](StringRef key) { return plan.ofKernel(key); });
  return !says && !plan.decidesLoops();
}

/// Whether nobody has decided anything that they concern.
static bool leavesBlocks(tile::KernelOp kernel, const Machine &machine, const FormOptions &options) {
  FailureOr<Plan> plan = Plan::read(kernel, options.planText, options.planFile);
  bool searches = options.scheduler == SchedulerKind::Exact && options.solve.mode == SolveMode::Full &&
                  options.scheduleFiles.empty() && succeeded(plan) && leavesBlocks(*plan);
  bool usual = options.overlap && options.blocks == 1 && options.specialize != false && options.cluster.empty() &&
               options.warp.registers.empty() && options.tilesInFlight == 0 &&
               options.persistent == Persistence::WhereItGains && !options.tileSource;
  return searches && usual && targetOf(machine).emitsKernels();
}

/// Whether one group has the whole of `out` by default alone, and nobody says how its loops run.
static bool mayHaveMoreGroups(tile::KernelOp kernel, const FormOptions &options, const Compilation &out) {
  if (options.groups || options.groupsForRoom || options.scheduler != SchedulerKind::Exact ||
      options.solve.mode != SolveMode::Full || !options.scheduleFiles.empty() || kernel->hasAttr("groups"))
    return false;
  FailureOr<Plan> plan = Plan::read(kernel, options.planText, options.planFile);
  return succeeded(plan) && !plan->decidesLoops() && !plan->ofKernel("groups") && hasOneGroup(out) &&
         blocksOf(out) == 1 && !out.loops.empty();
}

/// With blocks as the options say.
static LogicalResult compileBlocks(tile::KernelOp kernel, const Machine &machine, const FormOptions &options,
                                   Level upTo, Compilation &out) {
  MLIRContext *context = kernel.getContext();
  const Level deep = std::max(upTo, Level::HW);
  auto make = [&](const FormOptions &form, Level level, Ahead ahead, Compilation &into, std::vector<Diagnostic> &said) {
    return attemptQuietly(context, said, [&] { return compileForm(kernel, machine, form, level, into, ahead); });
  };
  std::vector<Diagnostic> said; // of the form that is kept
  std::vector<std::vector<Diagnostic>> refused;
  std::vector<Diagnostic> undivided; // what keeps more groups from sharing the program
  int64_t bytesOver = 0;             // of the form that was taken last
  Compilation unmade;                // the form that was taken last, where it was not made
  bool unscheduled = false;          // since it had no schedule
  auto take = [&](const FormOptions &form, Level level, Ahead ahead, llvm::function_ref<bool(Compilation &)> keeps) {
    Compilation other;
    std::vector<Diagnostic> saidOfForm;
    bool made = succeeded(make(form, level, ahead, other, saidOfForm));
    bytesOver = other.decisions.bytesOver;
    if (!made || !keeps(other)) {
      if (!made) {
        unmade = std::move(other);
        unscheduled = llvm::any_of(saidOfForm, isUnscheduled);
      }
      if (!made && form.groupsForRoom && undivided.empty() && llvm::any_of(saidOfForm, isUndivided))
        undivided = std::move(saidOfForm);
      bool counts = form.groupsForRoom ? llvm::any_of(saidOfForm, isOpen) : form.rowsGiven && !options.rowsGiven;
      if (!made && counts)
        refused.push_back(std::move(saidOfForm));
      return false;
    }
    out = std::move(other);
    said = std::move(saidOfForm);
    return true;
  };
  auto always = [](Compilation &) { return true; };
  // What lacked shared memory, with less of it.
  auto takeWithLess = [&](FormOptions form) {
    if (!bytesOver || form.extract.spareBytes)
      return false;
    form.extract.spareBytes = bytesOver;
    if (take(form, upTo, Ahead::AsChosen, always))
      return true;
    form.oneSlot = form.releases = true;
    form.warp.maxDepth = 1;
    return take(form, upTo, Ahead::AsChosen, always);
  };
  auto takeForm = [&](const FormOptions &form) {
    return take(form, upTo, Ahead::AsChosen, always) || takeWithLess(form);
  };
  // Several groups for room may have a schedule in another form alone.
  auto takeGroups = [&](const FormOptions &form) {
    if (take(form, upTo, Ahead::AsChosen, always))
      return true;
    std::vector<FormOptions> others;
    if (form.groupsForRoom)
      others = otherForms(form, unscheduled, unmade);
    return takeWithLess(form) || llvm::any_of(others, takeForm);
  };

  // Blocks that overlap no iterations, else a few: as many as let them load what memory delivers.
  int64_t stages = 0;
  auto loadEnough = [&](Compilation &it) { return blocksLoadEnough(it, machine); };
  bool made = upTo >= Level::Schedule && mayShareMultiprocessor(kernel) &&
              take(options, deep, Ahead::Never, [&](Compilation &it) {
                bool enough = loadEnough(it);
                stages = enough ? 0 : stagesThatLoadEnough(it, machine);
                return enough;
              });
  constexpr int mostTries = 3; // more stages take registers, so that fewer blocks fit
  for (int tries = 0; stages && !made && tries < mostTries; ++tries, stages *= 2) {
    FormOptions few = options;
    few.solve.maxStages = stages;
    made = take(few, deep, Ahead::AsChosen, loadEnough);
  }
  refused.clear();
  made = made || succeeded(make(options, upTo, Ahead::AsChosen, out, said)) ||
         llvm::any_of(otherForms(options, llvm::any_of(said, isUnscheduled), out), takeGroups);
  if (made && out.once == false && out.onceOpen && !(out.defers.value_or(false) && arithmeticHides(out))) {
    FormOptions once = options;
    once.once = true;
    take(once, upTo, Ahead::AsChosen, always);
  }
  // Three stores behind a product of 128 x 256, of two tiles that are loaded, stored 4624 bytes of registers whole, and
  // ran at 1.9 to 2.2 of their speed in parts of 32 columns (bench/results/2026-11-30-h200-stores-together.json).
  const bool lacksSlots = made && upTo >= Level::Warp && lacksSlotsAhead(out);
  const bool lacksRegisters = made && upTo >= Level::Schedule && out.hw && spareOf(out) < 0 &&
                              loadsBehindLoops(out, partColumns[0], /*tiles=*/true);
  if (lacksSlots || lacksRegisters)
    for (int64_t columns : partColumns) {
      FormOptions parts = options;
      parts.partsForRoom = columns;
      auto gains = [&](Compilation &it) {
        return (lacksSlots && it.decisions.fewestSlots > out.decisions.fewestSlots) ||
               (lacksRegisters && it.hw && spareOf(it) > spareOf(out) && cyclesOf(it) <= cyclesOf(out));
      };
      if (mayHaveParts(options, columns, out) && take(parts, lacksRegisters ? deep : upTo, Ahead::AsChosen, gains))
        break;
    }
  if (made && upTo >= Level::Schedule && leavesBlocks(kernel, machine, options))
    shareMultiprocessor(
        [&](int64_t blocks, bool overlap, Compilation &other) {
          FormOptions sharing = options;
          sharing.blocks = blocks;
          sharing.overlap = overlap;
          std::vector<Diagnostic> dropped;
          return make(sharing, deep, Ahead::AsChosen, other, dropped);
        },
        machine, out);
  // Two groups share the work beside the products that both do whole: retention ran at 1.05 to 1.09, a linear attention
  // at 1.11 of its speed (bench/results/2026-11-30-h200-recurrences.json).
  if (made && upTo >= Level::Schedule && mayHaveMoreGroups(kernel, options, out)) {
    FormOptions two = options;
    two.groupsForRoom = 2;
    Compilation problems;
    std::vector<Diagnostic> dropped;
    if (succeeded(make(two, Level::Problem, Ahead::AsChosen, problems, dropped)) &&
        gainsEnough(leastForPosition(problems), out))
      take(two, upTo, Ahead::AsChosen, [&](Compilation &it) { return gainsEnough(cyclesForPosition(it), out); });
  }
  if (!made)
    said = wordsOf(std::move(said), std::move(refused));
  for (Diagnostic &diag : said)
    if (auto why = llvm::find_if(undivided, isUndivided);
        !made && why != undivided.end() && errorCauseOf(diag) == ErrorCause::Registers) {
      std::string text = why->str();
      StringRef reason = text;
      reason.consume_back(adviceForOneGroup); // which it is already
      diag.attachNote(why->getLocation()) << "more warp groups have more registers, but: " << reason;
    }
  for (Diagnostic &diag : said)
    if (!made && out.roomForGroups && errorCauseOf(diag) == ErrorCause::Registers)
      diag.attachNote(kernel.getLoc()) << "more warp groups have more registers, but machine '" << machine.name()
                                       << "' has room for " << out.roomForGroups << " that compute"
                                       << " (max_warps = " << machine.warps().maxWarps
                                       << ", max_groups = " << machine.warps().maxGroups << ")";
  for (Diagnostic &diag : said)
    context->getDiagEngine().emit(std::move(diag));
  if (!options.scheduleAround) // it served a decision
    out.programs.reset();
  out.solved = options.solved;
  return success(made);
}

/// Lets errors name the decisions of a plan that may have led to them.
static void notePlan(tile::KernelOp kernel, const FormOptions &options, std::vector<Diagnostic> &said) {
  FailureOr<Plan> plan = failure();
  std::vector<Diagnostic> dropped; // `said` has what is wrong with the plan itself
  auto read = [&]() -> LogicalResult { return plan = Plan::read(kernel, options.planText, options.planFile); };
  if (failed(attemptQuietly(kernel.getContext(), dropped, read)))
    return;
  for (Diagnostic &diag : said)
    if (diag.getSeverity() == DiagnosticSeverity::Error)
      notePlanned(*plan, options.planFile, diag);
}

/// What several attempts say is said once.
static void emitOnce(MLIRContext *context, std::vector<Diagnostic> &said) {
  std::set<std::pair<const void *, std::string>> known;
  for (Diagnostic &diag : said)
    if (known.insert({diag.getLocation().getAsOpaquePointer(), diag.str()}).second)
      context->getDiagEngine().emit(std::move(diag));
}

LogicalResult compileKernel(tile::KernelOp kernel, const Machine &machine, const CompileOptions &options, Level upTo,
                            Compilation &out) {
  return compileKernel(kernel, machine, FormOptions(options), upTo, out);
}

LogicalResult compileKernel(tile::KernelOp kernel, const Machine &machine, const FormOptions &asked, Level upTo,
                            Compilation &out) {
  FormOptions options = asked;
  if (!options.solved)
    options.solved = std::make_shared<SolvedLoops>();
  MLIRContext *context = kernel.getContext();
  std::vector<Diagnostic> said;
  auto compile = [&](Compilation &into, std::vector<Diagnostic> &diags) {
    auto once = [&] { return compileBlocks(kernel, machine, options, upTo, into); };
    return succeeded(attemptQuietly(context, diags, once));
  };
  auto giveSteps = [&](int64_t steps) {
    if (options.effort == Effort::Budget && options.scheduler == SchedulerKind::Exact)
      options.solve.deadline = options.solve.deadline.withPurse(steps);
  };
  giveSteps(kernelSteps);
  bool made = compile(out, said);
  giveSteps(made ? kernelSteps / 2 : kernelSteps);
  for (int64_t positions : asked.retile ? SmallVector<int64_t>() : otherBlocks(out)) {
    if (made && (upTo < Level::Schedule || reachesBounds(out)))
      break;
    options.retile = positions;
    Compilation problems, other;
    std::vector<Diagnostic> dropped, saidOfOther;
    auto extract = [&] { return compileBlocks(kernel, machine, options, Level::Problem, problems); };
    if (made && succeeded(attemptQuietly(context, dropped, extract)) &&
        (!haveOtherBlocks(problems, out) || !gainsEnough(leastForPosition(problems), out)))
      continue;
    bool madeOther = compile(other, saidOfOther);
    if (!madeOther && (made || positions))
      continue;
    if (!made || gainsEnough(cyclesForPosition(other), out)) {
      out = std::move(other);
      said = std::move(saidOfOther);
      made = madeOther;
    }
  }
  auto always = [](Compilation &) { return true; };
  auto takeOther = [&](const FormOptions &other, llvm::function_ref<bool(Compilation &)> gains) {
    options = other;
    options.solved = std::make_shared<SolvedLoops>();
    giveSteps(kernelSteps);
    Compilation compiled;
    std::vector<Diagnostic> saidOfOther;
    if (!compile(compiled, saidOfOther) || !gains(compiled))
      return false;
    out = std::move(compiled);
    said = std::move(saidOfOther);
    return made = true;
  };
  // With chains as nodes the steps were spent and nothing is known; a node for each operation leaves more orders.
  if (!made && asked.chains && asked.effort == Effort::Budget && llvm::any_of(said, isOpen)) {
    FormOptions apart = asked;
    apart.chains = false;
    takeOther(apart, always);
  }
  // Blocks as written, or the best ones, may have no room where shorter ones have.
  for (int64_t positions : {64, 32, 16}) {
    FormOptions shorter = asked;
    shorter.retile = positions;
    shorter.narrow = true;
    if (made || asked.retile || !llvm::any_of(said, isUnscheduled) || takeOther(shorter, always))
      break;
  }
  // With steps of its own: beside other forms, what was left of theirs gave 3843 cycles in place of 2576.
  if (made && asked.scheduler == SchedulerKind::Exact && !asked.extract.spareRegisters && out.spareRegisters <= 0 &&
      asked.scheduleFiles.empty() && mayGainFromRoom(out)) {
    FormOptions free = asked;
    free.extract.spareRegisters = roomForTiles;
    takeOther(free, [&](Compilation &other) { return gainsFromRoom(other, out); });
  }
  if (!made)
    notePlan(kernel, asked, said);
  emitOnce(context, said);
  return success(made);
}

} // namespace heddle
