//===- WarpMutants.cpp - Are synchronisation faults caught? -----------------===//
#include "heddle/Simulator/Timing/WarpMutants.h"
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Dialect/Warp/Waits.h"
#include "heddle/Simulator/Functional/TileInterpreter.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

//===----------------------------------------------------------------------===//
// What an op has to do with what
//===----------------------------------------------------------------------===//

static bool isSynchronisation(Operation *op) {
  return isa<warp::AcquireOp, warp::PublishOp, warp::GetOp, warp::ConsumedOp, warp::CopyOp, warp::PutOp, warp::FenceOp,
             warp::BarrierOp, warp::DotWaitOp, warp::CopyOutWaitOp>(op);
}

/// Whether the op orders accesses to global memory, of which only a run knows whether they meet.
static bool ordersGlobal(Operation *op) {
  if (auto wait = dyn_cast<warp::CopyOutWaitOp>(op))
    return wait.getComplete();
  if (auto fence = dyn_cast<warp::FenceOp>(op))
    return fence.getGlobal();
  auto barrier = dyn_cast<warp::BarrierOp>(op);
  return barrier && barrier.getGlobal();
}

/// The ring that a ring op names, or null.
static Value ringOf(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<warp::ArefType>(operand.getType()))
      return operand;
  return {};
}

/// The ring whose tile a shared-memory value views, or the scratch; null when a loop carries it.
static Value storageOf(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (auto get = dyn_cast<warp::GetOp>(def))
      return get.getAref();
    if (isa<warp::ScratchOp>(def))
      return value;
    if (!isa<warp::SliceOp, warp::TransposeOp>(def))
      break;
    value = def->getOperand(0);
  }
  return {};
}

static bool touches(Operation *op, Value storage) {
  return llvm::any_of(op->getOperands(),
                      [&](Value v) { return isa<warp::SmemType>(v.getType()) && storageOf(v) == storage; });
}
static bool touchesScratch(Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value v) {
    return isa<warp::SmemType>(v.getType()) && storageOf(v) && storageOf(v).getDefiningOp<warp::ScratchOp>();
  });
}

template <typename... Ops> static bool groupHas(Operation *op, llvm::function_ref<bool(Operation *)> test) {
  bool found = false;
  op->getParentOfType<warp::GroupOp>().walk([&](Operation *other) { found |= isa<Ops...>(other) && test(other); });
  return found;
}

/// Whether some scratch that dots of this group read is there / some ring that dots or copy_outs read is `ring`.
static bool dotsRead(Operation *op, Value storage) {
  return groupHas<warp::DotOp>(op, [&](Operation *dot) { return touches(dot, storage); });
}
/// Whether `wait` retires a dot that reads `storage`, or may read it through a loop.
static bool retiresReader(Operation *wait, Value storage, const RetiredDots &retired) {
  auto dots = retired.find(wait);
  return dots != retired.end() && llvm::any_of(dots->second, [&](Operation *dot) {
           return llvm::any_of(dot->getOperands(), [&](Value v) {
             return isa<warp::SmemType>(v.getType()) && (!storageOf(v) || storageOf(v) == storage);
           });
         });
}
static bool copyOutsRead(Operation *op, Value storage) {
  return groupHas<warp::CopyOutOp>(op, [&](Operation *copy) { return touches(copy, storage); });
}
/// The ring that `signal` names is filled by puts of this group.
static bool hasPuts(Operation *signal) {
  return groupHas<warp::PutOp>(signal, [&](Operation *put) { return ringOf(put) == ringOf(signal); });
}
/// Whether some group reads the tiles of `op`'s ring through the asynchronous proxy.
static bool readAsynchronously(Operation *op) {
  bool found = false;
  op->getParentOfType<warp::KernelOp>().walk(
      [&](Operation *other) { found |= isa<warp::DotOp, warp::CopyOutOp>(other) && touches(other, ringOf(op)); });
  return found;
}

/// Whether moving `x` to after `y` can make a fault: `y` relies on `x`, or `x` covers only what lies before it.
static bool mattersBefore(Operation *x, Operation *y, const RetiredDots &retired) {
  bool fourWarps = x->getParentOfType<warp::GroupOp>().getWarps() != 1, sameRing = ringOf(x) && ringOf(x) == ringOf(y);
  if (isa<warp::AcquireOp>(x))
    return sameRing && isa<warp::CopyOp, warp::PutOp, warp::PublishOp>(y);
  if (isa<warp::CopyOp>(x))
    return sameRing && isa<warp::PublishOp>(y);
  if (isa<warp::PutOp>(x))
    return (sameRing && isa<warp::PublishOp>(y)) || (isa<warp::FenceOp>(y) && readAsynchronously(x));
  if (isa<warp::GetOp>(x))
    return (sameRing && isa<warp::ConsumedOp>(y)) || touches(y, ringOf(x));
  if (isa<warp::FenceOp>(x))
    return (isa<warp::PublishOp>(y) && hasPuts(y) && readAsynchronously(y)) || (isa<warp::BarrierOp>(y) && fourWarps) ||
           (isa<warp::CopyOutOp, warp::DotOp>(y) && touchesScratch(y));
  if (isa<warp::BarrierOp>(x))
    return fourWarps && isa<warp::ReadOp, warp::WriteOp, warp::CopyOutOp, warp::DotOp>(y) && touchesScratch(y);
  if (isa<warp::DotWaitOp>(x))
    return (isa<warp::ConsumedOp>(y) && retiresReader(x, ringOf(y), retired)) ||
           (isa<warp::WriteOp>(y) && retiresReader(x, storageOf(y->getOperand(1)), retired)) ||
           llvm::is_contained(x->getUsers(), y);
  if (isa<warp::CopyOutWaitOp>(x))
    return (isa<warp::ConsumedOp>(y) && copyOutsRead(x, ringOf(y))) ||
           (isa<warp::WriteOp>(y) && copyOutsRead(x, storageOf(y->getOperand(1)))) ||
           (isa<warp::BarrierOp>(y) && fourWarps);
  return false; // publish, consumed: later signals keep every order
}

/// Whether moving `x` to before `y` can make a fault.
static bool mattersAfter(Operation *x, Operation *y, const RetiredDots &retired) {
  bool fourWarps = x->getParentOfType<warp::GroupOp>().getWarps() != 1, sameRing = ringOf(x) && ringOf(x) == ringOf(y);
  if (isa<warp::CopyOp, warp::PutOp>(x))
    return sameRing && isa<warp::AcquireOp>(y);
  if (isa<warp::PublishOp>(x))
    return (sameRing && isa<warp::CopyOp, warp::PutOp, warp::AcquireOp>(y)) ||
           (isa<warp::FenceOp>(y) && hasPuts(x) && readAsynchronously(x));
  if (isa<warp::ConsumedOp>(x))
    return (sameRing && isa<warp::GetOp>(y)) || touches(y, ringOf(x)) ||
           (isa<warp::DotWaitOp>(y) && retiresReader(y, ringOf(x), retired)) ||
           (isa<warp::CopyOutWaitOp>(y) && copyOutsRead(x, ringOf(x)));
  if (isa<warp::FenceOp>(x))
    return (isa<warp::PutOp>(y) && readAsynchronously(y)) ||
           (isa<warp::WriteOp>(y) &&
            (copyOutsRead(x, storageOf(y->getOperand(1))) || dotsRead(x, storageOf(y->getOperand(1)))));
  if (isa<warp::BarrierOp>(x))
    return fourWarps && (isa<warp::FenceOp>(y) ||
                         (isa<warp::ReadOp, warp::WriteOp, warp::CopyOutOp, warp::DotOp>(y) && touchesScratch(y)));
  if (isa<warp::DotWaitOp>(x))
    return isa<warp::DotOp>(y);
  if (isa<warp::CopyOutWaitOp>(x))
    return isa<warp::CopyOutOp>(y);
  return false; // acquire, get: earlier waits keep every order
}

//===----------------------------------------------------------------------===//
// Making mutants
//===----------------------------------------------------------------------===//

static std::string nameOf(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  if (Value ring = ringOf(op))
    if (auto aref = ring.getDefiningOp<warp::ArefOp>())
      name += " " + aref.getName().str();
  return name;
}

/// Moves `x` past the first op below (above) it, in its block, against which its order matters. Scalars that `x` needs
/// move along. Returns that op, or null where there is none or SSA forbids the move.
static Operation *movePast(Operation *x, bool later, const RetiredDots &retired) {
  for (Operation *y = later ? x->getNextNode() : x->getPrevNode(); y; y = later ? y->getNextNode() : y->getPrevNode()) {
    if (later) {
      if (llvm::any_of(x->getUsers(),
                       [&](Operation *user) { return x->getBlock()->findAncestorOpInBlock(*user) == y; }))
        return nullptr;
      if (!mattersBefore(x, y, retired))
        continue;
      x->moveAfter(y);
      return y;
    }
    if (!mattersAfter(x, y, retired))
      continue;
    // Everything between y and x that x computes from.
    llvm::SetVector<Operation *> slice;
    SmallVector<Operation *> work{x};
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      for (Value operand : op->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (!def || def->getBlock() != y->getBlock() || def->isBeforeInBlock(y))
          continue;
        if (def == y || !isPure(def))
          return nullptr;
        if (slice.insert(def))
          work.push_back(def);
      }
    }
    SmallVector<Operation *> inOrder(slice.begin(), slice.end());
    llvm::sort(inOrder, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *def : inOrder)
      def->moveBefore(y);
    x->moveBefore(y);
    return y;
  }
  return nullptr;
}

/// Applies the mutation to `op`; false where it does not apply.
static bool mutate(Operation *op, MutantKind kind, const RetiredDots &retired, std::string &past) {
  if (kind == MutantKind::Earlier || kind == MutantKind::Later) {
    Operation *y = movePast(op, kind == MutantKind::Later, retired);
    if (y)
      past = nameOf(y);
    return y;
  }
  if (kind == MutantKind::Loosen) {
    if (!isa<warp::DotWaitOp, warp::CopyOutWaitOp>(op))
      return false;
    auto pending = op->getAttrOfType<IntegerAttr>("pending");
    op->setAttr("pending", IntegerAttr::get(pending.getType(), pending.getInt() + 1));
    return true;
  }
  if (isa<warp::GetOp>(op) && !op->use_empty()) {
    op->setAttr(unsynchronisedAttr, UnitAttr::get(op->getContext()));
    return true;
  }
  if (auto wait = dyn_cast<warp::DotWaitOp>(op))
    wait.getResults().replaceAllUsesWith(wait.getValues());
  op->erase();
  return true;
}

static SmallVector<Operation *> targetsOf(warp::KernelOp kernel) {
  SmallVector<Operation *> targets;
  kernel.walk([&](Operation *op) {
    if (isSynchronisation(op))
      targets.push_back(op);
  });
  return targets;
}

void heddle::sim::forEachMutant(warp::KernelOp kernel, llvm::function_ref<void(const Mutant &, warp::KernelOp)> use) {
  OwningOpRef<warp::KernelOp> counted(kernel.clone()); // a wrong count is a mutant, a wrong name would be another wait
  warp::lowerTokens(*counted);
  kernel = *counted;
  SmallVector<Operation *> originals = targetsOf(kernel), idle = findIdleSynchronisation(kernel);
  for (auto [i, original] : llvm::enumerate(originals))
    for (MutantKind kind : {MutantKind::Delete, MutantKind::Loosen, MutantKind::Earlier, MutantKind::Later}) {
      OwningOpRef<warp::KernelOp> copy(kernel.clone());
      std::string past;
      if (!mutate(targetsOf(*copy)[i], kind, findRetiredDots(*copy), past))
        continue;
      Mutant mutant{kind,
                    original->getParentOfType<warp::GroupOp>().getSymName().str(),
                    nameOf(original),
                    past,
                    original->getLoc(),
                    llvm::is_contained(idle, original),
                    ordersGlobal(original)};
      use(mutant, *copy);
    }
}

//===----------------------------------------------------------------------===//
// Running mutants
//===----------------------------------------------------------------------===//

std::string Mutant::str() const {
  static const char *verbs[] = {"delete", "loosen", "earlier", "later"};
  return "@" + group + ": " + verbs[static_cast<int>(kind)] + " " + op + (past.empty() ? "" : " past " + past);
}

std::string MutationReport::str() const {
  std::string text;
  for (const MutantOutcome &outcome : outcomes) {
    text += outcome.mutant.str() + " | " + (outcome.verifier.empty() ? "-" : "verifier: " + outcome.verifier) + " | " +
            (outcome.simulator.empty() ? "-" : "simulator: " + outcome.simulator) + " | " +
            (outcome.wrongResult ? "wrong result" : "-");
    if (!outcome.caught())
      text += " | survived: " + outcome.reason;
    text += "\n";
  }
  char totals[256];
  snprintf(totals, sizeof totals,
           "%lld mutants, %lld caught (%.1f %%): %lld by the verifier, %lld by the simulator, %lld wrong results\n",
           (long long)outcomes.size() - (long long)idle, (long long)caught, 100 * rate(), (long long)caughtByVerifier,
           (long long)caughtBySimulator, (long long)wrongResults);
  text += totals;
  if (idle)
    text += std::to_string(idle) + " others are of operations that order nothing on any path: no faults, not counted\n";
  return text;
}

MutationReport heddle::sim::runMutationTest(warp::KernelOp kernel, const Bindings &bindings, const Machine &machine) {
  MutationReport report;
  SimOptions options;
  options.emit = false;
  options.timeline = false;
  options.maxCtas = 1;
  // Diagnostics of mutants are kept, not shown.
  std::string message;
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  auto judge = [&](const Mutant &mutant, warp::KernelOp program, Bindings &outputs) {
    MutantOutcome outcome{mutant, "", "", false, ""};
    message.clear();
    if (failed(verifyWarpProtocol(program)))
      outcome.verifier = message;
    SimResult run = simulateWarpKernel(program, outputs, machine, options);
    if (!run.ok())
      outcome.simulator = run.faults[0].message;
    else if (mutant.idle)
      outcome.reason = "no fault: the operation orders nothing on any path";
    else if (mutant.global)
      outcome.reason = "orders global memory, where no accesses meet with these inputs";
    else
      outcome.reason = "redundant here: all " + std::to_string(run.orderedPairs) +
                       " conflicting accesses are still ordered, results equal";
    return outcome;
  };
  Bindings expected = bindings;
  MutantOutcome original = judge({MutantKind::Delete, "", "nothing", "", kernel.getLoc()}, kernel, expected);
  if (original.caught()) {
    report.outcomes.push_back(original);
    return report;
  }
  forEachMutant(kernel, [&](const Mutant &mutant, warp::KernelOp program) {
    Bindings got = bindings;
    MutantOutcome outcome = judge(mutant, program, got);
    if (outcome.simulator.empty())
      for (double error : compareOutputs(got, expected))
        outcome.wrongResult |= error != 0;
    report.caughtByVerifier += !outcome.verifier.empty();
    report.caughtBySimulator += !outcome.simulator.empty();
    report.wrongResults += outcome.wrongResult;
    report.caught += outcome.caught();
    report.idle += mutant.idle && !outcome.caught();
    report.outcomes.push_back(std::move(outcome));
  });
  return report;
}
