//===- RetileLoops.cpp - iterations over blocks of another size -----------------===//
//
// What:      scf.for %j = %a to %b step 64 { %k = tile.load %K[%j, 0] : 64x128; ... }
//            ->  scf.for %j = %a to %b step 128 { %k = tile.load %K[%j, 0] : 128x128; ... }
// Where:     on the whole program behind its parameters, before anything is decided: everything else sees ordinary
//            tiles.
// Why:       what an iteration does once (a product of the accumulator with its factor, folds over threads, waits) is
//            the same for a block of any size, and a slot of a ring holds a block: see `preferred` for figures.
// Condition: the loop goes over blocks that follow one another (BlockLoop.h), its variables fold any blocks alike
//            (RunningSums.cpp), it stores only what belongs to positions, and what lies behind the end of the loop
//            changes nothing (BlockEnds.cpp). Where it might, wider blocks are taken as long as they are whole, and a
//            loop with blocks as written takes the rest; parts of a block are taken up to the end of the last block.
//            Loops over parts expect that a row has seen nothing yet.
// Algorithm: the loads get tiles of the new size, and all dimensions that must be equal follow (Dialect/Tile/Resize.h).
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/RetileLoops.h"

#include "BlockLoop.h"
#include "heddle/Analysis/Differences.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/Partition.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Resize.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/SeparatePositions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace heddle {

/// The positions that an iteration should take. Online softmax: those of `sizes`; wider blocks stay, since a program
/// may have a reason, and 8-bit attention runs best with 224; but those of 16 bits up to 176 only, since 192 and 224
/// run at 0.71 and 0.81 of the speed of 128 (bench/results/2026-11-29-h200-variations.json). Sums of what other
/// products give (gradients of attention): `ofProducts` (bench/results/2026-11-27-h100-retiled-backward.json).
/// Contractions: 128 bytes, which a row of shared memory holds; products of 128 x 128 with blocks of 32 positions ran
/// at 0.75 of their speed with 64, products of 128 x 256 with 128 positions, of which two slots fit, at 0.66, of 128 x
/// 128 with three slots at 0.87; of 64 x 128 with four at 0.96 and 1.4 (bench/results/2026-11-27-h100-retiled.json).
/// So longer blocks stay where `leastSlots` of them fit. None stays that instructions do not contract whole: threads
/// would copy each, with zeros behind (72 positions of 16 bits: a fifth of the speed of 64).
static int64_t preferred(BlockLoop &blocks, bool contracts, Folded variables, const BlockSizes &sizes) {
  constexpr int64_t bytesOfContraction = 128, leastSlots = 4, ofProducts = 64, longestOfExtremes = 176;
  bool isWhole = llvm::all_of(blocks.forOp().getOps<tile::DotOp>(), [&](tile::DotOp dot) {
    std::optional<DotForm> form = targetOf(dot).dotForm(dot.getA().getType().getElementType());
    return !blocks.folds(dot) || !form || blocks.extent() % form->contraction == 0;
  });
  const int64_t extent = isWhole ? blocks.extent() : 0; // of a block that may stay
  if (sizes.narrow && sizes.positions < blocks.extent())
    return sizes.positions;
  if (variables == Folded::Extremes && blocks.extent() > longestOfExtremes &&
      llvm::all_of(blocks.loads(), [](auto load) { return load.first.getType().getElementTypeBitWidth() >= 16; }))
    return sizes.positions;
  if (variables == Folded::Extremes)
    return std::max(sizes.positions, extent);
  if (!contracts)
    return std::max(std::min(sizes.positions, ofProducts), extent);
  int64_t widest = 8, bytes = 0;
  for (auto [load, dim] : blocks.loads()) {
    if (load.getType().getRank() < 2)
      continue;
    widest = std::max<int64_t>(widest, load.getType().getElementTypeBitWidth());
    bytes += slotBytes(load.getType());
  }
  int64_t best = 8 * bytesOfContraction / widest;
  return best < extent && leastSlots * bytes <= sizes.sharedMemory ? extent : best;
}

namespace {

/// The loops of a kernel whose blocks change.
class Retiler {
public:
  Retiler(tile::KernelOp kernel, const BlockSizes &sizes) : kernel(kernel), sizes(sizes) {}

  /// Whether the kernel has changed.
  bool run() {
    separatePositions(kernel);
    find();
    if (!open.empty()) {
      for (auto [loop, step] : open)
        endEarly(loop, step);
      find();
    }
    return !found.empty() && open.empty() && succeeded(retile());
  }

private:
  struct Retiled {
    BlockLoop blocks;
    int64_t positions;
    BlockEnd end;
    bool cutsExtremes; ///< extremes are taken over parts of the blocks as written
  };

  /// The loops, and those of them whose end has to be a whole number of blocks.
  void find() {
    found.clear();
    open.clear();
    // No use of positions has its tile from another, no loop from outside of it.
    kernel.walk([&](scf::ForOp loop) { ownPositions(loop); });
    tile::separateUses(kernel);
    classes = std::make_unique<tile::DimensionClasses>(kernel);
    kernel.walk([&](scf::ForOp loop) { consider(loop); });
  }

  /// Whether `value` is a tile of positions and numbers alone.
  bool isOfPositions(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<RankedTensorType>(value.getType()))
      return false;
    auto [it, isNew] = ofPositions.try_emplace(op, false);
    if (!isNew)
      return it->second;
    bool moves = op->hasTrait<OpTrait::Elementwise>() || Rearrangement::of(op);
    bool is = isRematerialisable(op) || (moves && llvm::all_of(op->getOperands(), [&](Value operand) {
                                           return !isa<RankedTensorType>(operand.getType()) || isOfPositions(operand);
                                         }));
    return ofPositions[op] = is;
  }

  /// Gives `loop` copies of its own of the tiles of positions that it reads.
  void ownPositions(scf::ForOp loop) {
    OpBuilder b(loop);
    IRMapping own;
    std::function<Value(Value)> copyOf = [&](Value value) {
      if (!isOfPositions(value))
        return value;
      if (!own.contains(value)) {
        for (Value operand : value.getDefiningOp()->getOperands())
          copyOf(operand);
        b.clone(*value.getDefiningOp(), own);
      }
      return own.lookup(value);
    };
    for (Operation &op : *loop.getBody())
      for (OpOperand &operand : op.getOpOperands())
        if (loop.isDefinedOutsideOfLoop(operand.get()))
          operand.set(copyOf(operand.get()));
  }

  void consider(scf::ForOp loop) {
    if (loop.getOps<tile::DotOp>().empty() || !loop.getOps<LoopLikeOpInterface>().empty() || rests.contains(loop))
      return;
    BlockLoop blocks(loop, *classes);
    if (!blocks.hasBlocks())
      return;
    for (auto dot : loop.getOps<tile::DotOp>())
      if (!sizes.narrow && blocks.isOfBlock(dot.getResult(), 0)) // rows, which groups divide as written
        return;
    for (auto gather : loop.getOps<tile::GatherOp>())
      if (blocks.blockDimensions(gather.getResult()))
        return;
    Folded variables = variablesOf(blocks);
    bool contracts = llvm::all_of(loop.getOps<tile::DotOp>(), [&](tile::DotOp dot) { return blocks.folds(dot); });
    if (variables == Folded::Nothing)
      return;
    if (llvm::any_of(loop.getOps<tile::DotOp>(), [&](tile::DotOp dot) { return roundsByBlock(dot, blocks); }))
      return;
    int64_t positions = preferred(blocks, contracts, variables, sizes),
            step = positions * blocks.step() / blocks.extent();
    if (positions == blocks.extent() || step * blocks.extent() != positions * blocks.step())
      return;
    if (positions > blocks.extent() && !loop.getOps<tile::StoreOp>().empty()) // not measured
      return;
    // Threads would copy each element of a wider block by code of its own.
    for (auto [load, dim] : blocks.loads())
      if (positions > blocks.extent() && load.getType().getRank() > 1 && !isTmaLoad(load))
        return;
    std::optional<int64_t> length = knownDifference(loop.getUpperBound(), loop.getLowerBound());
    if (length && *length % step) // known to be short: the last block would be filled up
      return;
    if (std::optional<BlockEnd> end = endWith(blocks, positions))
      found.push_back({blocks, positions, *end, variables == Folded::Extremes && positions < blocks.extent()});
    else if (positions % blocks.extent() == 0 && (contracts || variables == Folded::Extremes))
      open.push_back({loop, step});
  }

  /// Whether other blocks would round otherwise: where a sum is rounded to 16 bits for each block, or where the program
  /// adds up products of 8-bit floats itself, which the tensor core cuts (docs/Calibration.md, "Sums of 8-bit
  /// products").
  static bool roundsByBlock(tile::DotOp dot, const BlockLoop &blocks) {
    if (!blocks.folds(dot))
      return false;
    bool cut =
        dot.getA().getType().getElementTypeBitWidth() == 8 && isa<FloatType>(dot.getA().getType().getElementType());
    return dot.getType().getElementTypeBitWidth() < 32 || (cut && matchPattern(dot.getAcc(), m_AnyZeroFloat()));
  }

  /// Lets a loop end with the last whole step; one of its own takes the rest, in steps as written.
  void endEarly(scf::ForOp loop, int64_t step) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    Type type = loop.getInductionVar().getType();
    Value wide = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, step)), from = loop.getLowerBound();
    Value length = arith::SubIOp::create(b, loc, loop.getUpperBound(), from);
    Value whole = arith::MulIOp::create(b, loc, arith::DivSIOp::create(b, loc, length, wide), wide);
    Value middle = arith::AddIOp::create(b, loc, from, whole);
    auto first = cast<scf::ForOp>(b.clone(*loop));
    first.setUpperBound(middle);
    loop.setLowerBound(middle);
    loop.getInitArgsMutable().assign(first.getResults());
    rests.insert(loop);
  }

  /// Lets `loop` expect that a row has seen nothing: what is subtracted from scores, and from the maximum before, is 0
  /// as long as the maximum is -inf. All positions of a part may be masked where those of a block are not, and
  /// exp(-inf + inf) is no number.
  static void expectNothing(scf::ForOp loop) {
    OpBuilder b(loop);
    for (auto [init, yielded] : llvm::zip(loop.getInitArgs(), loop.getYieldedValues())) {
      Operation *extreme = yielded.getDefiningOp();
      bool isGreatest = isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(extreme);
      if ((!isGreatest && !isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp>(extreme)) ||
          extreme->getBlock() != loop.getBody())
        continue;
      auto isInfinite = [&, greatest = isGreatest](Value value) {
        return greatest ? matchPattern(value, m_NegInfFloat()) : matchPattern(value, m_PosInfFloat());
      };
      bool expects = llvm::any_of(yielded.getUsers(), [&](Operation *user) {
        return isa<arith::CmpFOp>(user) && llvm::any_of(user->getOperands(), isInfinite);
      });
      if (expects || (matchPattern(init, m_Constant()) && !isInfinite(init)))
        continue;
      Location loc = yielded.getLoc();
      Type type = yielded.getType(), element = getElementTypeOrSelf(type);
      APFloat infinity = APFloat::getInf(cast<FloatType>(element).getFloatSemantics(), /*Negative=*/isGreatest);
      TypedAttr number = b.getFloatAttr(element, infinity);
      if (auto shaped = dyn_cast<ShapedType>(type))
        number = DenseElementsAttr::get(shaped, infinity);
      b.setInsertionPointAfter(extreme);
      auto nothing = arith::ConstantOp::create(b, loc, number);
      auto zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
      auto isNothing = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, yielded, nothing);
      auto seen = arith::SelectOp::create(b, loc, isNothing, zero, yielded);
      yielded.replaceUsesWithIf(seen, [&](OpOperand &use) {
        Operation *user = use.getOwner();
        return user->getBlock() == loop.getBody() && user != isNothing && user != seen && !isa<scf::YieldOp>(user);
      });
    }
  }

  LogicalResult retile() {
    SmallVector<tile::SizedDimension> sized;
    OpBuilder b(kernel);
    for (Retiled &it : found)
      for (auto [load, dim] : it.blocks.loads())
        sized.push_back({load.getResult(), dim, b.getStringAttr("a block"), it.positions});
    ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
    if (failed(tile::resizeTiles(kernel, sized)))
      return failure();
    for (Retiled &it : found) {
      it.end.narrow(it.blocks);
      scf::ForOp loop = it.blocks.forOp();
      if (it.cutsExtremes)
        expectNothing(loop);
      b.setInsertionPoint(loop);
      IntegerAttr step =
          b.getIntegerAttr(loop.getInductionVar().getType(), it.positions * it.blocks.step() / it.blocks.extent());
      loop.setStep(arith::ConstantOp::create(b, loop.getLoc(), step));
    }
    return verify(kernel);
  }

  tile::KernelOp kernel;
  BlockSizes sizes;
  std::unique_ptr<tile::DimensionClasses> classes;
  SmallVector<Retiled> found;
  SmallVector<std::pair<scf::ForOp, int64_t>> open; ///< with their steps
  SmallPtrSet<Operation *, 2> rests;                ///< loops that take what others have left
  DenseMap<Operation *, bool> ofPositions;
};

} // namespace

int64_t bestBlock(tile::KernelOp kernel) {
  bool several = kernel
                     .walk([&](tile::DotOp dot) {
                       bool more = dot.getType().getDimSize(0) > targetOf(kernel).dotRows();
                       return more ? WalkResult::interrupt() : WalkResult::advance();
                     })
                     .wasInterrupted();
  return several ? bestBlocks.front() : bestBlocks.back();
}

bool retileLoops(tile::KernelOp kernel, const BlockSizes &sizes) {
  auto copy = cast<tile::KernelOp>(OpBuilder(kernel).clone(*kernel));
  bool retiled = Retiler(copy, sizes).run();
  if (retiled)
    kernel.getBody().takeBody(copy.getBody());
  copy.erase();
  return retiled;
}

} // namespace heddle
