//===- StreamTiles.cpp - programs that only move and map tiles -------------===//
//
// What:      see the header. Such programs are bound by memory: what counts is how many bytes are in flight on a
//            multiprocessor, and that tiles fit in registers.
// Where:     before Subtile; the attributes travel with the operations.
// Warps:     the smallest of 1, 2 and 4 warp groups with which a thread holds at most 32 elements of the largest tile:
//            thread blocks then need few registers, several of them share a multiprocessor, and one loads while another
//            computes.
// Accesses:  stores are direct: threads hold 16 contiguous bytes each (AssignLayouts.cpp), so that the way through
//            shared memory would only cost. Loads are direct outside of loops, for the same reason; in loops the copy
//            engine fetches tiles ahead.
// Order:     a direct load of few elements begins as early as its coordinates are known, so that its latency runs under
//            that of the others instead of behind the reductions that they feed. One that is the same for all programs
//            (the gains of a norm) comes from a cache: it begins late, where it is used, and holds no registers before.
// Caches:    a program that reads more than twice what it writes tells L2 to give up first what it reads once: the
//            lines of others that wait to be written stay, and their way to memory does not compete with the reads.
//            Cross entropy of 8192 x 8192 on an H100 rises from 0.86 to 0.94 of a copy's bandwidth. Where as much is
//            written, the program's own lines wait as well, and the same reads cost one to three percent.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/StreamTiles.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/CacheHints.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Machine/Occupancy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {

constexpr int64_t elementsPerThread = 32, fewElements = 128, leastWarps = warpsPerGroup, mostWarps = 4 * warpsPerGroup;

/// Moves a load to where its coordinates are known, in its block and behind whatever may write.
static void beginEarly(tile::LoadOp load) {
  Operation *before = load;
  for (Operation *op = load->getPrevNode(); op; op = op->getPrevNode()) {
    bool known = llvm::none_of(load->getOperands(), [&](Value v) { return v.getDefiningOp() == op; });
    if (!known || op->getNumRegions() || !wouldOpBeTriviallyDead(op))
      break;
    before = op;
  }
  load->moveBefore(before);
}

static bool dependsOnProgram(Value value) {
  llvm::SetVector<Value> asked; // each once: operands may stand for many
  asked.insert(value);
  for (size_t i = 0; i < asked.size(); ++i) {
    Operation *def = asked[i].getDefiningOp();
    if (!def || isa<tile::ProgramIdOp, tile::ClusterRankOp>(def))
      return true;
    asked.insert_range(def->getOperands());
  }
  return false;
}

static bool isSameForAll(tile::LoadOp load) {
  return isa<BlockArgument>(load.getView()) && llvm::none_of(load.getIndices(), dependsOnProgram) &&
         !tile::isStored(load.getView());
}

/// Whether nothing else reads the same elements, as far as coordinates tell: the view has no other access, and each
/// dimension of the grid decides a coordinate.
static bool isReadOnce(tile::LoadOp load, tile::GridOp grid) {
  if (tile::accessesOf(load.getView()).size() > 1)
    return false;
  llvm::SmallDenseSet<int64_t> dims;
  SmallVector<Value> open(load.getIndices());
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (!def || !seen.insert(value).second)
      continue;
    if (auto id = dyn_cast<tile::ProgramIdOp>(def))
      dims.insert(static_cast<int64_t>(id.getDim()));
    open.append(def->operand_begin(), def->operand_end());
  }
  for (auto [dim, size] : llvm::enumerate(grid.getSizes()))
    if (!matchPattern(size, m_One()) && !dims.contains(static_cast<int64_t>(dim)))
      return false;
  return true;
}

static int64_t bytesOf(RankedTensorType tile) {
  return tile.getNumElements() * llvm::divideCeil(tile.getElementTypeBitWidth(), 8);
}

/// Marks what is read once, where that is most of what the kernel moves.
static void markReadOnce(tile::KernelOp kernel) {
  int64_t read = 0, written = 0;
  SmallVector<tile::LoadOp> once;
  tile::GridOp grid = *kernel.getBody().getOps<tile::GridOp>().begin();
  bool loops = false;
  kernel.walk([&](Operation *op) {
    loops |= isa<LoopLikeOpInterface>(op);
    if (auto store = dyn_cast<tile::StoreOp>(op))
      written += bytesOf(store.getValue().getType());
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load || !load->hasAttr(directAttr) || load.getType().getNumElements() <= fewElements ||
        !isReadOnce(load, grid))
      return;
    read += bytesOf(load.getType());
    once.push_back(load);
  });
  if (!loops && read > 2 * written)
    for (tile::LoadOp load : once)
      load->setAttr(onceAttr, UnitAttr::get(kernel.getContext()));
}

/// Moves a load, with conversions and broadcasts of it alone, to its first other user.
static void beginLate(tile::LoadOp load) {
  Block *block = load->getBlock();
  SmallVector<Operation *> moved{load};
  auto firstUser = [&] {
    Operation *first = nullptr;
    for (Operation *user : moved.back()->getUsers())
      if (Operation *here = block->findAncestorOpInBlock(*user); here && (!first || here->isBeforeInBlock(first)))
        first = here;
    return first;
  };
  Operation *user = firstUser();
  while (user && moved.back()->hasOneUse() && isa<arith::ExtFOp, tile::BroadcastOp>(user)) {
    moved.push_back(user);
    user = firstUser();
  }
  for (Operation *op : moved)
    if (user)
      op->moveBefore(user);
}

void loadWithLoops(tile::KernelOp kernel) {
  constexpr int64_t mostBytes = 16384; // 32 registers of each thread of a group
  int64_t bytes = 0;
  bool anyLoop = false, byThreads = true;
  SmallVector<tile::LoadOp> outside;
  kernel.walk([&](scf::ForOp loop) {
    if (loop.getOps<tile::DotOp>().empty())
      return;
    anyLoop = true;
    auto loads = loop.getOps<tile::LoadOp>();
    byThreads &= !loop.getOps<tile::GatherOp>().empty() && llvm::none_of(loads, isTmaLoad);
  });
  kernel.walk([&](tile::LoadOp load) {
    auto loop = load->getParentOfType<scf::ForOp>();
    byThreads &= !loop || !loop.getOps<tile::DotOp>().empty() || !isTmaLoad(load);
    if (!loop && isTmaLoad(load)) {
      outside.push_back(load);
      bytes += bytesOf(load.getType());
    }
  });
  if (anyLoop && byThreads && bytes <= mostBytes)
    for (tile::LoadOp load : outside)
      load->setAttr(directAttr, UnitAttr::get(kernel.getContext()));
}

void streamTiles(tile::KernelOp kernel, int64_t groups) {
  int64_t largest = 0;
  Builder b(kernel.getContext());
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        largest = std::max(largest, tile.getNumElements());
    if (isa<tile::StoreOp>(op) || (isa<tile::LoadOp>(op) && !op->getParentOfType<LoopLikeOpInterface>()))
      op->setAttr(directAttr, b.getUnitAttr());
  });
  SmallVector<tile::LoadOp> few, same;
  kernel.walk([&](tile::LoadOp load) {
    if (!load->hasAttr(directAttr))
      return;
    if (load.getType().getNumElements() <= fewElements)
      few.push_back(load);
    else if (isSameForAll(load))
      same.push_back(load);
  });
  llvm::for_each(few, beginEarly);
  llvm::for_each(same, beginLate);
  markReadOnce(kernel);
  auto asked = kernel->getAttrOfType<IntegerAttr>("groups");
  if (groups > 1 || (groups == 0 && asked && asked.getInt() > 1))
    return;
  int64_t warps = leastWarps;
  while (warps < mostWarps && largest > elementsPerThread * threadsPerWarp * warps)
    warps *= 2;
  kernel->setAttr(groupWarpsAttr, b.getI64IntegerAttr(warps));
}

} // namespace heddle
