//===- FormClusters.cpp - neighbouring programs as clusters -----------------===//
//
// What:      a tile.kernel and N programs along dimension d -> a kernel with `cluster = N` whose grid has ceil(g_d / N)
//            programs along d, each run by N blocks: the block of rank r does the work of program N * p_d + r.
// Where:     on the program as written, before programs are ordered and made persistent: clusters are what these order
//            and take in turn.
// Ragged:    where N does not divide g_d, blocks of the last clusters are left over. They must take part in what the
//            blocks of a cluster do together, so they do the work of the last program again, but store nothing: their
//            stores, and their accesses to whatever the kernel stores to, are moved outside the view.
// Why it may: programs of a grid are independent by definition (docs/TileDialect.md).
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/FormClusters.h"

#include "Arithmetic.h"
#include "heddle/Analysis/Cluster.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Transforms/Persist.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {

static tile::GridOp gridOf(tile::KernelOp kernel) { return *kernel.getBody().getOps<tile::GridOp>().begin(); }

/// Bytes that a cluster of `blocks` programs along `dim` loads once instead of once a block; a loop counts as many
/// iterations, its number being unknown.
static int64_t bytesShared(tile::KernelOp kernel, int64_t dim, int64_t blocks) {
  constexpr int64_t iterations = 16;
  int64_t bytes = 0;
  auto differs = [&](Operation *op) {
    auto id = dyn_cast<tile::ProgramIdOp>(op);
    return id && static_cast<int64_t>(id.getDim()) == dim;
  };
  for (tile::LoadOp load : sharedLoads(kernel, blocks, differs)) {
    RankedTensorType tile = load.getResult().getType();
    int64_t once = tile.getNumElements() * llvm::divideCeil(tile.getElementTypeBitWidth(), 8);
    for (Operation *around = load->getParentOp(); around != kernel; around = around->getParentOp())
      once *= isa<LoopLikeOpInterface>(around) ? iterations : 1;
    bytes += once;
  }
  return bytes;
}

FailureOr<ClusterShape> chooseCluster(tile::KernelOp kernel, ArrayRef<int64_t> asked, Location loc) {
  int64_t rank = gridOf(kernel).getSizes().size();
  int64_t blocks = 1, divided = 0;
  for (int64_t size : asked) {
    divided += size > 1;
    blocks *= size;
  }
  if (asked.size() != 1 && static_cast<int64_t>(asked.size()) != rank)
    return emitError(loc) << "cluster: expected one number, or one for each of the " << rank
                          << " dimensions of the grid, got " << asked.size(),
           failure();
  if (divided > 1)
    return emitError(loc) << "cluster: expected more than one program along one dimension of the grid only, got "
                          << divided << " dimensions",
           failure();
  if (blocks == 1)
    return ClusterShape();
  if (kernel->hasAttr(tile::clusterAttr))
    return kernel.emitOpError("cannot form clusters: the program has them already"), failure();
  WalkResult walk = kernel.walk([](tile::WindowOp window) {
    window.emitOpError("cannot form clusters of programs that make views themselves");
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  if (Operation *count = countOfPrograms(kernel))
    return count->emitOpError("cannot form clusters of these programs: the program counts them itself"), failure();
  ClusterShape shape(asked);
  int64_t most = 0;
  if (asked.size() == 1) {
    shape.assign(rank, 1);
    int64_t best = 0;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (int64_t bytes = bytesShared(kernel, dim, blocks); bytes > most) {
        most = bytes;
        best = dim;
      }
    shape[best] = blocks;
  } else {
    for (auto [dim, size] : llvm::enumerate(asked))
      if (size > 1)
        most = bytesShared(kernel, dim, blocks);
  }
  if (!most)
    return emitError(loc) << "cluster: expected a tile that " << blocks
                          << " neighbouring programs load in common, by the copy engine and in parts of a multiple of "
                             "8 rows, got none",
           failure();
  return shape;
}

/// Moves what `value` is computed from to the beginning of `body`. Returns where what uses it can stand.
static void setAfterHoisted(OpBuilder &b, Block &body, Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) { return op->getBlock() == &body; };
  if (Operation *op = value.getDefiningOp())
    (void)getBackwardSlice(op, &slice, options);
  b.setInsertionPointToStart(&body);
  for (Operation &op : llvm::make_early_inc_range(body))
    if (slice.contains(&op)) {
      op.moveBefore(&body, b.getInsertionPoint());
      b.setInsertionPointAfter(&op);
    }
}

/// The first coordinate behind the end of `view` along dimension 0, where a box of the copy engine can begin: in a view
/// of rank 1 that is a column, which has to be a multiple of 16 bytes. (Not one before its beginning, see SplitStores.)
static Value behind(Value view, OpBuilder &b, Location loc) {
  Value end = tile::DimOp::create(b, loc, view, 0);
  if (cast<tile::ViewType>(view.getType()).getRank() > 1)
    return end;
  Value unit = arith::ConstantIndexOp::create(b, loc, 16);
  return arith::MulIOp::create(b, loc, arith::CeilDivUIOp::create(b, loc, end, unit), unit);
}

/// The accesses of a block that is left over go to coordinates where their views have no elements.
static void moveOutside(tile::KernelOp kernel, Value isInside) {
  auto isStored = [](Value view) { return tile::isStored(view); };
  auto move = [&](Operation *op, Value view, OpOperand &first) {
    OpBuilder b(op);
    Value outside = behind(view, b, op->getLoc());
    first.set(arith::SelectOp::create(b, op->getLoc(), isInside, first.get(), outside));
  };
  kernel.walk([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      move(op, store.getView(), store.getIndicesMutable()[0]);
    else if (auto load = dyn_cast<tile::LoadOp>(op); load && isStored(load.getView()))
      move(op, load.getView(), load.getIndicesMutable()[0]);
    else if (auto gather = dyn_cast<tile::GatherOp>(op); gather && isStored(gather.getView()))
      move(op, gather.getView(), gather.getIndicesMutable()[0]);
    else if (auto element = dyn_cast<tile::ElementOp>(op); element && isStored(element.getView()))
      move(op, element.getView(), element.getIndicesMutable()[0]);
  });
}

void formClusters(tile::KernelOp kernel, const ClusterShape &shape) {
  auto divided = llvm::find_if(shape, [](int64_t size) { return size > 1; });
  int64_t dim = divided - shape.begin(), blocks = *divided;

  Block &body = kernel.getBody().front();
  tile::GridOp grid = gridOf(kernel);
  SmallVector<Value> sizes(grid.getSizes());
  Location loc = grid.getLoc();
  SmallVector<tile::ProgramIdOp> ids;
  kernel.walk([&](tile::ProgramIdOp id) {
    if (static_cast<int64_t>(id.getDim()) == dim)
      ids.push_back(id);
  });
  OpBuilder b(kernel.getContext());
  setAfterHoisted(b, body, sizes[dim]);
  Arithmetic a(b, loc);
  Value count = a.constant(blocks), own = tile::ProgramIdOp::create(b, loc, dim);
  Value number = a.add(a.mul(own, count), tile::ClusterRankOp::create(b, loc));
  Value program = number;
  APInt known;
  bool ragged = !matchPattern(sizes[dim], m_ConstantInt(&known)) || known.getSExtValue() % blocks;
  if (ragged) {
    program = a.min(number, a.sub(sizes[dim], a.constant(1)));
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, sizes[dim]);
    moveOutside(kernel, isInside);
  }
  program.getDefiningOp()->setLoc(NameLoc::get(b.getStringAttr("program" + Twine(dim)), loc));
  for (tile::ProgramIdOp id : ids) {
    id.replaceAllUsesWith(program);
    id.erase();
  }
  b.setInsertionPoint(grid);
  sizes[dim] = arith::CeilDivUIOp::create(b, loc, sizes[dim], a.constant(blocks));
  IntegerAttr raster = grid.getRasterAttr();
  if (raster && dim == 0) // bands of as many programs
    raster = b.getI64IntegerAttr(llvm::divideCeil(raster.getInt(), blocks));
  tile::GridOp::create(b, loc, sizes, raster);
  grid.erase();
  kernel->setAttr(tile::clusterAttr, b.getI64IntegerAttr(blocks));
}

} // namespace heddle
