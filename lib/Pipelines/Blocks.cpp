//===- Blocks.cpp - Blocks that overlap instead of iterations ----------------===//
//
// What:      a kernel that leaves a multiprocessor idle is made for two to four blocks a multiprocessor: one with one
//            compute group whose arithmetic takes longer than its products, or nearly as long; one whose sums wait for
//            copies by threads or for arithmetic; one that overlaps nothing.
// Where:     behind the whole compilation for one block; a plan that is given leaves no choice.
// Why:       the model fills every cycle of a unit where a schedule overlaps iterations. One warp a scheduler does not:
//            latencies between its instructions stay open. Other blocks fill them, and the ends of programs, too.
// Algorithm: as many blocks as together do an iteration, each of them in order, in the interval of one that overlaps
//            iterations. Their iterations overlap as far as their registers and shared memory allow. Where three
//            blocks have too few registers, or products take longer, two are made, whose iterations are in order.
//
//            Where products only add to sums, nothing in an iteration waits for one: blocks keep the overlap, as many
//            as have the schedule of one. So do those of programs that run in order.
//
// Triton's tutorial 06 with tiles of 64 x 64, heads of 64: three blocks, of which each overlaps two iterations, take
// 0.55 to 0.57 of the time of one that overlaps three, in order 0.61 to 0.64; two blocks, which overlap three, 0.69 to
// 0.73, four, in order, 0.58 to 0.72 (bench/results/2026-11-23-h100-triton-blocks.json). Where products bind, as in a
// plain product, two blocks took 1.16 of the time of one. With heads of 128 and 64 rows, where arithmetic takes 0.6 to
// 0.8 of what products take, two blocks in order ran at 1.18 to 1.33 of the speed of one (causal and full, 64 and 128
// keys), two that overlap iterations at 0.92 to 1.01 (64 keys; bench/results/2026-11-27-h100-blocks-of-products.json),
// decoding at 1.01 to 1.03, products of 8-bit floats turned on the way at 1.27 and 1.32, chunks of a state space at
// 1.22, but at 0.78 with fewer programs than multiprocessors (2026-11-27-h100-blocks-of-programs.json): recurrences,
// whose programs are few, keep one block (a linear attention with a gate by three blocks in order: 0.70 and 0.75 with
// 66 and 132 programs, 1.05, 1.03 and 1.02 with 264, 396 and 1056; 2026-11-29-h200-blocks-of-recurrences.json). Those
// whose products wait for each other, so that their iterations overlap nothing in one block either, share with the same
// schedule: Newton-Schulz iterations of 64 x 64 at 1.79 of the speed of one block, with a program for each
// multiprocessor at 0.96 (2026-11-28-h100-packed-weights.json).
// Two blocks in order and two that overlap, over one that overlaps: attention forward of 64 rows, 4 x 32 x 4096, heads
// of 128 with 64 keys 1.19 and 0.98 (1.49 in order with 128 keys), causal 1.21 and 0.94, heads of 64 1.88 (128 keys)
// and 1.59 (64 keys); gradients and attention of 64 x 64 without a running maximum 1.34 and 1.41, 1.02 and 1.03, 1.02
// and 1.02, 1.34 and 1.39, one that needs more registers than two that overlap have 1.45 and 1.04; with 128 and 132
// programs in order 0.79 to 1.01, but for forward with heads of 64, 1.15 (2026-11-30-h200-one-group-blocks.json,
// 2026-11-30-h200-one-group-forward.json). By their intervals one would be the fastest of all. What tells the two kinds
// apart was not found; in order loses with few programs alone.
// Triton's tutorial 06 with heads of 128, full, where arithmetic takes 0.6, runs by two blocks of 128 keys at 1.23 to
// 1.36 of its speed by one of 64, causal at 1.25 to 1.31 (2026-11-27-h100-rows-64-shared.json).
// Sums that wait, over one block: a convolution of 64 x 64 with rows that threads copy 1.59, 1.89 and 1.97 with two,
// three and four; AWQ 1.42, 1.72, 1.98; GPTQ 1.74; experts with weights of 4 bits 1.79; selected blocks of attention,
// in order, 1.64. Plain products lost: 0.43 to 0.98 (2026-11-28-h100-blocks-of-latency.json).
//
//===----------------------------------------------------------------------===//
#include "Blocks.h"

#include "Gains.h"
#include "ScheduleKernel.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/CUDA/EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace heddle {

/// Whether the copy engine is busy all the time, and more than any other unit.
static bool loadsBind(const ScheduledLoop &loop) {
  constexpr double allBut = 0.95;
  BusyUnits busy = busyUnits(loop.extracted);
  return busy.loads > std::max({busy.products, busy.arithmetic, busy.copies}) &&
         busy.loads >= allBut * static_cast<double>(loop.result.schedule.ii);
}

/// Whether one compute group runs all loops, and its arithmetic takes more than `share` of its products' time in those
/// that have any.
static bool isOneGroupOfArithmetic(Compilation &compilation, double share = 1) {
  bool any = false;
  if (turnsOf(only<tile::KernelOp>(compilation.instructions)) > 1)
    return false;
  for (const ScheduledLoop &loop : compilation.loops) {
    const Problem &problem = loop.extracted.problem;
    BusyUnits busy = busyUnits(loop.extracted);
    any |= busy.products > 0;
    if (loadsBind(loop)) // other blocks wait for the same
      return false;
    if (problem.computeGroups() != 1 || (busy.products > 0 && busy.arithmetic <= share * busy.products))
      return false;
  }
  return any;
}

/// Whether a product takes as an operand what is made of a tile that the iteration before has left: a recurrence, of
/// which one program has a whole sequence. Such programs are few, and one alone takes longer where it shares.
static bool isRecurrence(scf::ForOp loop) {
  SmallVector<Value> made(loop.getRegionIterArgs());
  llvm::DenseSet<Value> seen(made.begin(), made.end());
  while (!made.empty()) {
    Value value = made.pop_back_val();
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()); tile && tile.getRank() < 2)
      continue; // rows of a softmax
    for (OpOperand &use : value.getUses()) {
      auto dot = dyn_cast<warp::DotOp>(use.getOwner());
      if (dot && use.get() != dot.getAcc())
        return true;
      for (Value result : use.getOwner()->getResults())
        if (!dot && seen.insert(result).second)
          made.push_back(result);
    }
  }
  return false;
}

/// Of loops that are not scheduled.
static bool isRecurrence(tile::KernelOp kernel) {
  return kernel
      .walk([](scf::ForOp loop) { return isRecurrence(loop) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

static bool hasRecurrence(const Compilation &compilation) {
  return llvm::any_of(compilation.loops, [](const ScheduledLoop &loop) { return isRecurrence(loop.extracted.loop); });
}

/// Blocks that the compiler lets share a multiprocessor by itself.
constexpr int64_t leastSharing = 2, mostSharing = 4;
constexpr double nearly = 0.5; // of the products' time
/// Registers by the estimate, and ptxas stored none; of sums, where what is computed for a product ends with it.
constexpr int64_t lacking = 8, lackingOfSums = 32;

/// How many blocks would fill the busiest unit of a recurrence of one group that overlaps no iterations: one product
/// waits for another. 1: they are busy enough.
static int64_t blocksOfRecurrence(const Compilation &compilation) {
  constexpr double enough = 1.5; // times the busiest unit; measured at 2.6 (above)
  double fewest = mostSharing;
  for (const ScheduledLoop &loop : compilation.loops) {
    const Schedule &schedule = loop.result.schedule;
    BusyUnits busy = busyUnits(loop.extracted);
    if (busy.products == 0)
      continue;
    double times = static_cast<double>(schedule.ii) / std::max(busy.products, busy.arithmetic);
    if (schedule.stages(loop.extracted.problem) > 1 || times < enough || loop.extracted.problem.computeGroups() != 1)
      return 1;
    fewest = std::min(fewest, times);
  }
  return static_cast<int64_t>(std::ceil(fewest));
}

/// What takes the products of a loop beside sums, in the same iteration.
enum class Takers {
  None,       ///< or conversions and parts of these
  Arithmetic, ///< but no other product
  Products
};

static Takers takersOfProducts(scf::ForOp loop) {
  Takers takers = Takers::None;
  SmallVector<Value> made;
  llvm::DenseSet<Value> seen;
  loop.walk([&](warp::DotOp dot) { made.push_back(dot.getResult()); });
  while (!made.empty())
    for (OpOperand &use : made.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (auto dot = dyn_cast<warp::DotOp>(user)) {
        if (use.get() != dot.getAcc())
          return Takers::Products;
        continue;
      }
      if (!isa<scf::YieldOp, arith::ExtFOp, arith::TruncFOp, tensor::ExtractSliceOp, tensor::InsertSliceOp>(user))
        takers = Takers::Arithmetic;
      for (Value result : user->getResults())
        if (!isa<scf::YieldOp>(user) && seen.insert(result).second)
          made.push_back(result);
    }
  return takers;
}

/// Whether the copy engine loads from views that the program makes first, which takes long.
static bool makesWindows(scf::ForOp loop) {
  return llvm::any_of(loop.getOps<tile::LoadOp>(),
                      [](tile::LoadOp load) { return load.getView().getDefiningOp<tile::WindowOp>() != nullptr; });
}

/// How many blocks fill with the same schedule what one leaves open, at most; 1: it leaves nothing.
static int64_t blocksOfLatency(Compilation &compilation, const Machine &machine) {
  if (hasRecurrence(compilation))
    return blocksOfRecurrence(compilation);
  tile::KernelOp kernel = only<tile::KernelOp>(compilation.instructions);
  if (compilation.loops.empty()) { // programs in order: other ones run while one waits
    bool waits =
        hasDots(kernel) ||
        kernel.walk([](tile::LoadOp load) { return isTmaLoad(load) ? WalkResult::interrupt() : WalkResult::advance(); })
            .wasInterrupted();
    // One group gives up few of its registers, several half of them: the second compilation is saved where they lack.
    auto attribute = kernel->getAttrOfType<IntegerAttr>("groups");
    int64_t groups = attribute ? attribute.getInt() : 1;
    auto registers = [&](const Machine &of) { return Occupancy(of.warps()).equalBudgets(groups).compute; };
    int64_t given = registers(machine) - registers(machine.withBlocks(leastSharing));
    bool fits = true;
    if (compilation.hw) {
      FailureOr<int64_t> spare = spareRegisters(only<hw::KernelOp>(compilation.hw));
      fits = succeeded(spare) && *spare >= given - lacking;
    }
    return waits && fits && !isRecurrence(kernel) ? leastSharing : 1;
  }
  int64_t most = 1;
  for (const ScheduledLoop &loop : compilation.loops) {
    BusyUnits busy = busyUnits(loop.extracted);
    if (busy.products == 0)
      continue;
    // Of two groups, blocks as persistent ones where programs leave at once: products of experts ran at 0.99.
    bool copies = busy.copies >= busy.products, one = loop.extracted.problem.computeGroups() == 1;
    if (!one && loop.extracted.loop->getParentOfType<scf::IfOp>())
      return 1;
    bool open = copies || (one && busy.arithmetic > nearly * busy.products);
    bool waits = loadsBind(loop), windows = makesWindows(loop.extracted.loop);
    if (takersOfProducts(loop.extracted.loop) != Takers::None || !open || (waits && !windows))
      return 1;
    most = std::max(most, one && !waits ? mostSharing : leastSharing);
  }
  return most;
}

void shareMultiprocessor(llvm::function_ref<LogicalResult(int64_t, bool, Compilation &)> compile,
                         const Machine &machine, Compilation &out) {
  constexpr int64_t first = 3;
  constexpr double close = 1.05; // intervals that differ less are equal
  auto spares = [&](Compilation &other, int64_t least) {
    FailureOr<int64_t> spare = spareRegisters(only<hw::KernelOp>(other.hw));
    return succeeded(spare) && *spare >= least;
  };
  auto suffices = [&](Compilation &other) { return spares(other, -lacking); };
  bool sums = !out.loops.empty() && llvm::all_of(out.loops, [](const ScheduledLoop &loop) {
    return takersOfProducts(loop.extracted.loop) == Takers::None && loop.extracted.problem.computeGroups() == 1;
  });
  // With the same schedule, and so no longer for a program alone.
  for (int64_t blocks = blocksOfLatency(out, machine); blocks >= leastSharing; --blocks)
    if (Compilation other; succeeded(compile(blocks, /*overlap=*/true, other)) &&
                           spares(other, sums && blocks == leastSharing ? -lackingOfSums : -lacking) &&
                           static_cast<double>(cyclesOf(other)) <= close * static_cast<double>(cyclesOf(out))) {
      out = std::move(other);
      return;
    }
  if (hasRecurrence(out) || !isOneGroupOfArithmetic(out, nearly))
    return;
  bool apart = llvm::all_of(
      out.loops, [](const ScheduledLoop &loop) { return takersOfProducts(loop.extracted.loop) != Takers::Products; });
  Compilation inOrder, two;
  if (sums || !isOneGroupOfArithmetic(out) || failed(compile(first, /*overlap=*/false, inOrder))) {
    if (hasDots(only<tile::KernelOp>(out.instructions)) && succeeded(compile(leastSharing, /*overlap=*/apart, two)) &&
        isOneGroupOfArithmetic(two, nearly) && suffices(two))
      out = std::move(two);
    return;
  }
  double interval = close * static_cast<double>(cyclesOf(out));
  auto blocks = static_cast<int64_t>(std::ceil(static_cast<double>(cyclesOf(inOrder)) / interval));
  if (blocks < leastSharing || blocks > mostSharing)
    return;
  for (; blocks >= leastSharing; --blocks) // fewer, where so many have no schedule or too few registers
    for (bool overlap : {true, false}) {
      Compilation other;
      if (failed(compile(blocks, overlap, other)) || !isOneGroupOfArithmetic(other) || !suffices(other))
        continue;
      out = std::move(other);
      return;
    }
}

} // namespace heddle
