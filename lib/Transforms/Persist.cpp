//===- Persist.cpp - programs that take tile after tile --------------------===//
//
// What:      a tile.kernel with the grid (g0, g1, g2) -> a grid of min(g0 * g1 * g2, multiprocessors) programs, each
//            with a loop over the numbers t = program, program + programs, ... of the programs as written. A number
//            becomes coordinates as the launch would have given them: dimension 0 fastest, or in bands where the grid
//            has a raster.
// Where:     on the program as written, before it is split over warp groups: everything after sees an ordinary loop
//            around loops. The rings of loads run on from one tile to the next, so that the loads of a tile begin under
//            the main loop and the stores of the tile before.
// Why a program may be wrapped: programs of a grid are independent by definition (docs/TileDialect.md); the mark on the
//            loop tells the analysis of global memory so.
// Source:    which block works on which numbers is a decision beside the loop (TileSource): the stride that it has, or
//            a counter in memory, by a mark on it that TileToWarp follows. The program means the same.
// Stays out: scalars and constants that do not depend on a coordinate.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/Persist.h"

#include "Arithmetic.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Transforms/OrderPrograms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace heddle {

/// The coordinates of program number `t` of a grid of `sizes`.
static SmallVector<Value, 3> coordinatesOf(Arithmetic a, Value t, ValueRange sizes, std::optional<int64_t> raster) {
  SmallVector<Value, 3> at;
  if (raster) {
    // Bands of `raster` programs along dimension 0, dimension 0 fastest inside a band; the last band may be lower.
    Value plane = a.mul(sizes[0], sizes[1]), inPlane = sizes.size() > 2 ? a.rem(t, plane) : t;
    Value height = a.constant(*raster), area = a.mul(height, sizes[1]), band = a.div(inPlane, area);
    Value first = a.mul(band, height), rows = a.min(height, a.sub(sizes[0], first)), inBand = a.rem(inPlane, area);
    at = {a.add(first, a.rem(inBand, rows)), a.div(inBand, rows)};
    if (sizes.size() > 2)
      at.push_back(a.div(t, plane));
    return at;
  }
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    bool last = dim + 1 == sizes.size();
    at.push_back(last ? t : a.rem(t, size));
    if (!last)
      t = a.div(t, size);
  }
  return at;
}

/// Operations of the kernel's body that each program does for itself: those that access memory or hold regions, and
/// those that depend on the program's coordinates or on such an operation.
static SmallVector<Operation *> workOf(Block &body) {
  SmallVector<Operation *> work;
  llvm::DenseSet<Operation *> inside;
  for (Operation &op : body.without_terminator()) {
    if (isa<tile::GridOp>(op))
      continue;
    bool own = isa<tile::ProgramIdOp, tile::LoadOp, tile::StoreOp>(op) || op.getNumRegions();
    for (Value operand : op.getOperands())
      own |= operand.getDefiningOp() && inside.contains(operand.getDefiningOp());
    if (!own)
      continue;
    inside.insert(&op);
    work.push_back(&op);
  }
  return work;
}

static bool dependsOnProgram(Value value) {
  SmallVector<Value> work{value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    Operation *def = v.getDefiningOp();
    if (!def || !seen.insert(v).second)
      continue;
    if (isa<tile::ProgramIdOp, tile::ClusterRankOp, tile::NumProgramsOp>(def) || def->getNumRegions())
      return true;
    work.append(def->operand_begin(), def->operand_end());
  }
  return false;
}

/// The branch at the end of `kernel` whose other side does nothing: programs that have no work leave; null: none.
static scf::IfOp guardOf(tile::KernelOp kernel) {
  auto guard = dyn_cast_or_null<scf::IfOp>(kernel.getBody().front().getTerminator()->getPrevNode());
  auto isEmpty = [](Block *block) { return !block || block->without_terminator().empty(); };
  return guard && !guard->getNumResults() && isEmpty(guard.thenBlock()) != isEmpty(guard.elseBlock()) ? guard
                                                                                                      : scf::IfOp();
}

bool gainsFromPersistence(tile::KernelOp kernel) {
  bool fed = false, behind = false, loaded = false; // behind a loop
  scf::IfOp guard = guardOf(kernel);
  auto isOutside = [&](Operation *op) { return op->getParentOp() == kernel || (guard && op->getParentOp() == guard); };
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto fine = [](bool yes) { return yes ? WalkResult::advance() : WalkResult::interrupt(); };
    behind |= isOutside(op) && op->getPrevNode() && isa<scf::ForOp>(op->getPrevNode());
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return fine(
          isOutside(op) && !loaded && isScheduledLoop(loop) &&
          llvm::none_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, dependsOnProgram));
    if (auto load = dyn_cast<tile::LoadOp>(op); load && isTmaLoad(load)) {
      fed = true;
      loaded |= isOutside(op);
      return fine(behind || !loaded);
    }
    return fine(op == kernel || op == guard ||
                (!op->getNumRegions() && !isa<tile::NumProgramsOp, tile::MultiprocessorsOp>(op)));
  });
  return fed && !walk.wasInterrupted();
}

bool gainsFromCounter(tile::KernelOp kernel) {
  if (countOfPrograms(kernel) || !hasDots(kernel))
    return false;
  if (scf::IfOp guard = guardOf(kernel);
      guard && dependsOnProgram(guard.getCondition()) && gainsFromPersistence(kernel))
    return true; // programs that leave at once take less than others
  bool equal = true, fed = false;
  int64_t before = 0;             // bits that are loaded before the loops
  SmallVector<int64_t, 2> inside; // by an iteration of each loop
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto fine = [](bool yes) { return yes ? WalkResult::advance() : WalkResult::interrupt(); };
    bool outside = op->getParentOp() == kernel;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      equal &= llvm::none_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, dependsOnProgram);
      inside.push_back(0);
      return fine(outside && isScheduledLoop(loop));
    }
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      RankedTensorType tile = load.getType();
      bool box = isTmaLoad(load) && tile.getRank() > 1;
      if (box && (!outside || !fed))
        (outside ? before : inside.back()) += tile.getNumElements() * tile.getElementTypeBitWidth();
      fed |= !outside;
      return fine(outside || isTmaLoad(load));
    }
    return fine(op == kernel || (!op->getNumRegions() && (outside || !isa<tile::StoreOp>(op))));
  });
  bool helps = growsWithFirstCoordinate(kernel) || (equal && before && inside.size() == 1);
  return fed && !walk.wasInterrupted() && helps && before <= *llvm::min_element(inside);
}

Operation *countOfPrograms(tile::KernelOp kernel) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    if (isa<tile::NumProgramsOp, tile::MultiprocessorsOp>(op) && !found)
      found = op;
  });
  return found;
}

LogicalResult makePersistent(tile::KernelOp kernel, TileSource source) {
  if (Operation *count = countOfPrograms(kernel))
    return count->emitOpError("cannot make this program persistent: it counts programs itself");
  if (int64_t blocks = tile::clusterOf(kernel); source == TileSource::Counter && blocks > 1)
    return kernel.emitOpError("cannot take programs from a counter: expected a kernel without clusters, whose blocks "
                              "take their programs together, got clusters of ")
           << blocks;
  Block &body = kernel.getBody().front();
  auto grid = *body.getOps<tile::GridOp>().begin();
  Location loc = grid.getLoc();
  SmallVector<Value> sizes(grid.getSizes());
  std::optional<int64_t> raster = grid.getRaster();
  SmallVector<Operation *> work = workOf(body);

  // Sizes may be computed behind the first operation of the work, but not from it.
  OpBuilder b(body.getTerminator());
  Arithmetic a(b, loc);
  Value programs = sizes[0];
  for (Value size : ArrayRef(sizes).drop_front())
    programs = a.mul(programs, size);
  Value most = tile::MultiprocessorsOp::create(b, loc);
  if (int64_t blocks = tile::clusterOf(kernel); blocks > 1) // each program has so many multiprocessors
    most = a.max(a.div(most, a.constant(blocks)), a.constant(1));
  Value launched = a.min(programs, most);
  tile::GridOp::create(b, loc, ValueRange{launched}, IntegerAttr());
  grid.erase();
  Value first = tile::ProgramIdOp::create(b, loc, 0), step = tile::NumProgramsOp::create(b, loc, 0);
  auto loop = scf::ForOp::create(b, loc, first, programs, step);
  loop->setAttr(programLoopAttr, b.getUnitAttr());
  if (source == TileSource::Counter)
    loop->setAttr(countedAttr, b.getUnitAttr());
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value, 3> at = coordinatesOf(a, loop.getInductionVar(), sizes, raster);
  auto named = [&](const Twine &name) { return NameLoc::get(b.getStringAttr(name), loc); };
  loop.getInductionVar().setLoc(named("program"));
  for (auto [dim, coordinate] : llvm::enumerate(at))
    if (Operation *op = coordinate.getDefiningOp())
      op->setLoc(named("program" + Twine(dim)));
  Operation *end = loop.getBody()->getTerminator();
  for (Operation *op : work) {
    auto id = dyn_cast<tile::ProgramIdOp>(op);
    if (!id) {
      op->moveBefore(end);
      continue;
    }
    Value coordinate = id.getDim() < at.size() ? at[id.getDim()] : Value();
    if (!coordinate) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(end);
      coordinate = a.constant(0); // a dimension that the grid does not state
    }
    id.replaceAllUsesWith(coordinate);
    id.erase();
  }
  return success();
}

} // namespace heddle
