//===- RetileLoops.cpp - iterations over blocks of another size -----------------===//
//
// What:      scf.for %j = %a to %b step 64 { %k = tile.load %K[%j, 0] : 64x128; ... }
//            ->  scf.for %j = %a to %b step 128 { %k = tile.load %K[%j, 0] : 128x128; ... }
// Where:     on the whole program behind its parameters, before anything is decided: everything else sees ordinary
//            tiles.
// Why:       what an iteration does once (a product of the accumulator with its factor, folds over threads, waits) is
//            the same for a block of any size, and a slot of a ring holds a block: see `preferred` for figures.
// Condition: the loop goes over blocks that follow one another (BlockLoop.h), its variables fold any blocks alike
//            (RunningSums.cpp), and what lies behind the end of the loop changes nothing (BlockEnds.cpp).
// Algorithm: the loads get tiles of the new size, and all dimensions that must be equal follow (Dialect/Tile/Resize.h).
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/RetileLoops.h"

#include "BlockLoop.h"
#include "heddle/Dialect/Tile/Resize.h"
#include "heddle/Transforms/SeparatePositions.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
namespace heddle {

/// The positions that an iteration should take. Online softmax: `atLeast`; wider blocks stay, since a program may have a
/// reason, and 8-bit attention runs best with 224. Contractions: 128 bytes, which a row of shared memory holds; products
/// of 128 x 128 with blocks of 32 positions ran at 0.80 of their speed with 64, products of 128 x 256 with 128
/// positions, of which two slots fit, at 0.67 (bench/results/2026-11-27-h100-retiled.json).
static int64_t preferred(BlockLoop &blocks, Folded variables, int64_t atLeast) {
  constexpr int64_t bytesOfContraction = 128;
  if (variables == Folded::Extremes)
    return std::max(atLeast, blocks.extent());
  int64_t widest = 8;
  for (auto [load, dim] : blocks.loads())
    widest = std::max<int64_t>(widest, load.getType().getElementTypeBitWidth());
  return 8 * bytesOfContraction / widest;
}

namespace {
/// A loop of a kernel, and the positions that its iterations get.
struct Retiled {
  BlockLoop blocks;
  int64_t positions;
  BlockEnd end;
};
} // namespace

static std::optional<Retiled> retiled(scf::ForOp loop, const tile::DimensionClasses &classes, int64_t atLeast) {
  if (loop.getOps<tile::DotOp>().empty() || !loop.getOps<LoopLikeOpInterface>().empty())
    return std::nullopt;
  BlockLoop blocks(loop, classes);
  if (!blocks.hasBlocks())
    return std::nullopt;
  for (auto dot : loop.getOps<tile::DotOp>())
    if (blocks.isOfBlock(dot.getResult(), 0)) // rows, which groups divide
      return std::nullopt;
  Folded variables = variablesOf(blocks);
  bool contracts = llvm::all_of(loop.getOps<tile::DotOp>(), [&](tile::DotOp dot) { return blocks.folds(dot); });
  if (variables == Folded::Nothing || (variables == Folded::Sums && !contracts))
    return std::nullopt;
  int64_t positions = preferred(blocks, variables, atLeast);
  if (positions == blocks.extent() || positions * blocks.step() % blocks.extent())
    return std::nullopt;
  std::optional<BlockEnd> end = endWith(blocks, positions);
  return end ? std::optional<Retiled>({blocks, positions, *end}) : std::nullopt;
}

bool retileLoops(tile::KernelOp kernel, int64_t positions) {
  // Dimensions are compared in a copy, where no use of positions has its tile from another.
  OpBuilder b(kernel);
  auto copy = cast<tile::KernelOp>(b.clone(*kernel));
  auto drop = llvm::scope_exit([&] { copy.erase(); });
  separatePositions(copy);
  tile::separateUses(copy);
  tile::DimensionClasses classes(copy);
  SmallVector<Retiled> loops;
  copy.walk([&](scf::ForOp loop) {
    if (std::optional<Retiled> found = retiled(loop, classes, positions))
      loops.push_back(std::move(*found));
  });
  if (loops.empty())
    return false;
  SmallVector<tile::SizedDimension> sized;
  for (Retiled &it : loops)
    for (auto [load, dim] : it.blocks.loads())
      sized.push_back({load.getResult(), dim, b.getStringAttr("a block"), it.positions});
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  if (failed(tile::resizeTiles(copy, sized)))
    return false;
  for (Retiled &it : loops) {
    it.end.narrow(it.blocks);
    scf::ForOp loop = it.blocks.forOp();
    b.setInsertionPoint(loop);
    IntegerAttr step = b.getIntegerAttr(loop.getInductionVar().getType(),
                                        it.positions * it.blocks.step() / it.blocks.extent());
    loop.setStep(arith::ConstantOp::create(b, loop.getLoc(), step));
  }
  if (failed(verify(copy)))
    return false;
  kernel.getBody().takeBody(copy.getBody());
  return true;
}

} // namespace heddle
