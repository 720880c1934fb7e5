//===- Registers.cpp - Kernels that need more registers than there are -------===//
//
// What:      four answers before any text. orderGroups asks for schedules in which groups take turns, for which the
//            problem counts too many registers; rereadRows, whether rows that registers hold make a loop longer;
//            nearBound, whether a loop longer than its bound comes nearer to it with fewer registers for addresses; and
//            saveRegisters estimates what the hw form of a kernel keeps alive (what a chain of element-wise operations
//            needs while it runs is no value of the problem). All have the kernel scheduled again. What ptxas says
//            afterwards, Cubin.cpp answers.
// Where:     behind the lowering to hw. They leave what is given by a plan or a schedule.
// Algorithm: a few other forms, each a whole compilation; the best is kept, never one that takes much longer.
//
//===----------------------------------------------------------------------===//
#include "Registers.h"
#include "ScheduleKernel.h"

#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Scheduling/Policy/Policy.h"
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace heddle {

/// What memory delivers to a multiprocessor in a cycle.
static double bytesPerCycle(const Machine &machine) {
  return static_cast<double>(machine.property("memory_bytes_per_cycle", 0)) /
         static_cast<double>(std::max<int64_t>(1, machine.property("sms", 1)));
}

/// What `op` loads of memory.
static double bytesOf(Operation *op) {
  if (!isa<tile::LoadOp, tile::GatherOp>(op))
    return 0;
  auto tile = cast<RankedTensorType>(op->getResult(0).getType());
  return static_cast<double>(tile.getNumElements() * tile.getElementTypeBitWidth()) / 8;
}

bool mayShareMultiprocessor(tile::KernelOp kernel) {
  bool any = false, ordinary = true;
  bool single = llvm::any_of(kernel.getBody().getOps<tile::GridOp>(), [](tile::GridOp grid) {
    return llvm::all_of(grid.getSizes(), [](Value size) { return isConstantIntValue(size, 1); });
  });
  kernel.walk([&](Operation *op) {
    bool inLoop = isa<scf::ForOp>(op->getParentOp());
    auto load = dyn_cast<tile::LoadOp>(op);
    any |= inLoop && isa<tile::LoadOp, tile::GatherOp>(op);
    ordinary &= !inLoop || !load || !isTmaLoad(load);
  });
  return any && ordinary && !single && !hasDots(kernel);
}

// Tiles of later iterations would take registers from other blocks, which hide what loads take as well: LayerNorm with
// rows of 8192 ran at 1.6 to 2.0 times its speed without them, with three blocks a multiprocessor instead of one
// (bench/results/2026-11-23-h200-layernorm.json).
bool loadsEnoughAtOnce(tile::KernelOp kernel, const Machine &machine) {
  double perCycle = bytesPerCycle(machine);
  bool enough = perCycle > 0 && mayShareMultiprocessor(kernel);
  kernel.walk([&](scf::ForOp loop) {
    double bytes = 0, latency = 0;
    for (Operation &op : *loop.getBody())
      if (double loaded = bytesOf(&op)) {
        bytes += loaded;
        if (Result<OpCost> cost = machine.cost("global_load", {{"bytes", static_cast<int64_t>(loaded)}}))
          latency = std::max(latency, static_cast<double>(cost->latency));
      }
    enough &= bytes == 0 || bytes >= latency * perCycle;
  });
  return enough;
}

bool blocksLoadEnough(Compilation &made, const Machine &machine) {
  double blocks = static_cast<double>(residentBlocks(*made.hw->getOps<hw::KernelOp>().begin()));
  return llvm::all_of(made.loops, [&](const ScheduledLoop &loop) {
    scf::ForOp body = loop.extracted.loop;
    double bytes = 0;
    for (Operation &op : *body.getBody())
      bytes += bytesOf(&op);
    auto cycles = static_cast<double>(loop.result.schedule.ii * loop.extracted.problem.scale);
    return bytes == 0 || blocks * bytes >= cycles * bytesPerCycle(machine);
  });
}

// Each further stage holds the tiles of one more iteration in registers, which other blocks lack, and a loop of fewer
// iterations than stages runs a copy that overlaps none: a row of a sparse matrix has few (94 stages and 222 registers
// to fill every cycle of the units by one block, where memory cannot deliver so much).
int64_t stagesThatLoadEnough(Compilation &inOrder, const Machine &machine) {
  constexpr int64_t many = 32; // loops with fewer were not timed, and stay as they are
  double blocks = static_cast<double>(residentBlocks(*inOrder.hw->getOps<hw::KernelOp>().begin()));
  int64_t enough = 0, without = INT64_MAX; // of the loop that needs fewest: the others are no reason for another form
  for (const ScheduledLoop &loop : inOrder.loops) {
    scf::ForOp body = loop.extracted.loop;
    double bytes = 0;
    for (Operation &op : *body.getBody())
      bytes += bytesOf(&op);
    const SolveResult &result = loop.result;
    auto cycles = static_cast<double>(result.schedule.ii * loop.extracted.problem.scale);
    without = std::min(without, result.schedule.ii / std::max<int64_t>(1, result.mii));
    if (bytes > 0)
      enough = std::max(enough, static_cast<int64_t>(std::ceil(cycles * bytesPerCycle(machine) / (blocks * bytes))));
  }
  return !inOrder.loops.empty() && without > many ? std::max<int64_t>(2, enough) : 0;
}

int64_t spareOf(Compilation &compilation) {
  FailureOr<int64_t> spare = spareRegisters(*compilation.hw->getOps<hw::KernelOp>().begin());
  return succeeded(spare) ? *spare : 0;
}

static bool hasManyGroups(const ScheduledLoop &loop) {
  return loop.extracted.problem.computeGroups() > groupsInAnyOrder;
}

static bool takesTurns(const ScheduledLoop &loop) {
  return !groupsInTurn(loop.extracted.problem, loop.result.schedule).empty();
}

// Attention with heads of 64 and three groups: the product with K before that with V, both in flight under the
// exponentials, each group in its turn, runs at 1.03 to 1.10 of the speed of the order that the problem's count of
// registers leaves (bench/results/2026-11-24-h100-orders.json). It takes 128 of 160 registers for tiles.
void orderGroups(llvm::function_ref<LogicalResult(Compilation &)> compile, Compilation &out) {
  constexpr int64_t share = 8; // of the interval, which that order is worth
  bool unordered = llvm::any_of(out.loops, [](const ScheduledLoop &loop) {
    return orderMatters(loop.extracted.problem) && hasManyGroups(loop) && !takesTurns(loop);
  });
  Compilation other;
  if (unordered && succeeded(compile(other)) && cyclesOf(other) - cyclesOf(out) <= cyclesOf(out) / share &&
      spareOf(other) >= 0)
    out = std::move(other);
}

// Attention with heads of 128 and blocks of 176 keys: scores of one block beside the product with V of the block before
// take 196 of 240 registers, where a problem leaves 192, so that the one had to end before the other began. With 16
// more ptxas stores none, and it runs at 1.03 to 1.06 of its speed
// (bench/results/2026-11-27-h100-attention-near-bound.json).
void nearBound(llvm::function_ref<LogicalResult(Compilation &)> compile, Compilation &out) {
  constexpr int64_t share = shareNearBound;
  // With 4 to spare ptxas stored 1032 bytes (8-bit attention with 224 keys), with 8 none.
  constexpr int64_t leastSpare = 8;
  bool far = llvm::any_of(out.loops, [](const ScheduledLoop &loop) {
    const SolveResult &result = loop.result;
    return result.schedule.ii - result.mii > result.mii / share && orderMatters(loop.extracted.problem) &&
           !(hasManyGroups(loop) && takesTurns(loop));
  });
  Compilation other;
  if (far && succeeded(compile(other)) && cyclesOf(out) - cyclesOf(other) > cyclesOf(out) / share &&
      spareOf(other) >= leastSpare)
    out = std::move(other);
}

// Attention with a bias for each key and heads of 128 has 2184 cycles with rows held, for which no registers are left
// while both products are in flight, 2048 with rows read again, and ran at 1.08 of its speed
// (bench/results/2026-11-23-h100-attention-key-bias.json).
void rereadRows(llvm::function_ref<LogicalResult(Compilation &)> compile, Compilation &out) {
  constexpr int64_t share = shareOfReread;
  bool far = llvm::any_of(out.loops, [](const ScheduledLoop &loop) {
    const SolveResult &result = loop.result;
    return result.schedule.ii - result.mii > result.mii / share;
  });
  Compilation other;
  if (far && !out.rowsGiven && readsRows(*out.instructions) && succeeded(compile(other)) &&
      cyclesOf(out) - cyclesOf(other) > cyclesOf(out) / share && spareOf(other) >= 0)
    out = std::move(other);
}

// Rows are read again, for at most a tenth more time, only where registers lack: where they suffice, the gradients of
// attention with heads of 128 ran at 0.91 to 0.97 of their speed with rows read late, attention with a bias at 0.9
// (bench/results/2026-11-22-h100-attention-rows.json).
void saveRegisters(llvm::function_ref<LogicalResult(int64_t room, Compilation &)> compile, Compilation &out) {
  constexpr int64_t granule = 8, plenty = 2 * granule; // with less to spare ptxas spilled still
  constexpr int mostTries = 2;
  int64_t spare = spareOf(out), longest = cyclesOf(out) * 11 / 10, room = 0;
  // What has no schedule with its own room has none with more of it.
  bool atEnd = llvm::any_of(out.loops, [](const ScheduledLoop &loop) { return loop.gaveUpChains; }) &&
               !readsRows(*out.instructions);
  if (spare >= 0 || atEnd)
    return;
  for (int tries = 0; tries < mostTries && spare < plenty; ++tries) {
    room += std::max(granule, (granule - 1 - spare) / granule * granule);
    Compilation other;
    if (failed(compile(room, other)) || cyclesOf(other) > longest)
      return;
    if (int64_t now = spareOf(other); now >= 0 && now > spare) {
      spare = now;
      out = std::move(other);
    }
  }
}

/// Whether a product in `loop` gives what `tile` is made of.
static bool isOfProduct(Value tile, scf::ForOp loop) {
  llvm::SetVector<Value> made;
  made.insert(tile);
  for (size_t i = 0; i < made.size(); ++i) {
    Operation *op = made[i].getDefiningOp();
    if (isa_and_nonnull<warp::DotOp>(op))
      return true;
    if (op && op->getParentOp() == loop.getOperation())
      made.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Whether threads read tiles or rows in a loop with several products of each group, and fold what products give alone.
static bool readsBesideProducts(const ScheduledLoop &scheduled) {
  scf::ForOp loop = scheduled.extracted.loop;
  auto folds = loop.getOps<tile::ReduceOp>();
  int64_t products = llvm::range_size(loop.getOps<warp::DotOp>());
  return products > scheduled.extracted.problem.computeGroups() && !loop.getOps<warp::ReadOp>().empty() &&
         !folds.empty() &&
         llvm::all_of(folds, [&](tile::ReduceOp fold) { return isOfProduct(fold.getSource(), loop); });
}

// Attention with a tile of biases of 16 bits has 2048 (heads of 128) and 1584 cycles (96), and ran at 1.36 to 1.50 and
// at 1.13 to 1.25 of its speed with 2576 and 2140, where scores are folded behind both products instead of beside one:
// what threads hold of three tiles at a time is within the registers by the estimate (16 and 28 to spare), and ptxas
// stores 16 bytes and none. Causal 1.15, heads of 64 1.06, masks of bytes 1.01 and 1.07, decoding with 8-bit keys 1.03
// and 1.08, biases of 32 bits 0.98; a bias for each key 1.07 (1024 rows 1.27), scales of keys 1.11, documents 1.08 and
// 1.13, decays 1.02 and 1.06. With more to spare (38 and 40 registers, heads of 64), without folds (the gradient of
// queries), where loaded tiles are folded (normalised keys) or without anything to read (capped scores) it lost: 0.95,
// 0.80, 0.91, 0.68 (bench/results/2026-11-30-h200-registers-left-free.json).
bool mayGainFromRoom(Compilation &out) {
  constexpr int64_t enough = 32;
  bool reads = llvm::any_of(
      out.loops, [](const ScheduledLoop &loop) { return readsBesideProducts(loop) && !hasManyGroups(loop); });
  return reads && out.hw && spareOf(out) < enough;
}

bool gainsFromRoom(Compilation &free, Compilation &out) {
  return free.retiled == out.retiled && spareOf(free) > spareOf(out) && 10 * cyclesOf(free) <= 14 * cyclesOf(out);
}

} // namespace heddle
