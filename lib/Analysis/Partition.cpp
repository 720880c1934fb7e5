//===- Partition.cpp - which dimension of each tile the warp groups divide --===//
//
// What:      computes, for a sequential tile program, the dimension of every tile along which compute warp groups split
//            it.
// Where:     before Subtile, which clones the program once per group.
// Algorithm: fixpoint (PartitionSolver.h) of equalities between the axes of operands and results, seeded by dot rows.
//            `none` (held whole by
//            every group) is a value of its own, forced by dot's right operand and by broadcasting along the divided
//            dimension.
//            A dot whose rows are too few for all groups, beside others that are divided, has its columns divided
//            where its users want parts of them (scores whose transpose is divided), else each group computes it whole.
// Columns:   where no dot has rows for all groups, and several are asked for, or one has no room for the sums (decoding
//            with latents of 512: 64 x 512), the larger sums are divided along their columns; all else every group
//            computes. So too where some dots have rows for all groups, but fewer products are computed by every group
//            then: a recurrence over chunks of 64 rows with a state of 128 x 128 (the delta rule) ran at 1.27 of its
//            speed (bench/results/2026-11-30-h200-recurrences.json).
// Views:     of what the copy engine loads every use takes its own part (isSharedView), so that uses never disagree.
//            The first that wants a part offers it to the others; where that leads to two values, only those that
//            nothing else decides are offered one (a tile that is scaled by rows, and whose transpose is a left
//            operand).
// Exchange:  a dot that contracts a divided register tile keeps its rows divided where they are whole instructions in
//            every group: the groups then hand each other the parts through shared memory. Whether a right operand is
//            divided is asked when everything else has settled: one that threads make (weights that are unpacked, rows
//            that are gathered) is, so that each group makes its part, unless something else needs it otherwise. Groups
//            also exchange a right operand that is divided along its columns, as the transpose of a tile that is
//            divided along its rows is (X X^T): each multiplies its rows by the parts of all groups, one after the
//            other.
// Wholes:    a vector that is made of memory alone, without a product, is computed by every group where some use needs
//            all of it (a scan, a fold, the columns of a tile); uses that are divided take their part of it.
// Sums:      a dot that starts from zero and whose result only add-stores take (see isSummand) may contract the divided
//            dimension even where its rows cannot be divided: each group then holds a partial sum of the whole result
//            and adds its own. Such dots seed nothing until the others have settled. So does a reduction with "add" of
//            the divided dimension (sums of columns).
// Folds:     of tiles that nothing else decides (the sum of the columns of a right operand, beside the product) are
//            divided along the dimension that they leave, on trial; else every group would compute all of them.
// Verifies:  no divided dimension is reduced or forced to two values otherwise (located user errors).
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Partition.h"

#include "PartitionSolver.h"
#include "heddle/Analysis/Instructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

bool isRematerialisable(Operation *op) { return op && isa<arith::ConstantOp, tensor::SplatOp, tile::IotaOp>(op); }

bool isReadByDot(Value tile) {
  return llvm::any_of(tile.getUsers(), [](Operation *user) {
    return isa<tile::DotOp>(user) ||
           (isa<tile::TransposeOp, tensor::ExtractSliceOp>(user) && isReadByDot(user->getResult(0)));
  });
}

bool isSharedView(Value value) {
  Operation *def = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<tile::LoadOp>(def))
    return isTmaLoad(load);
  if (isa_and_nonnull<tensor::ExtractSliceOp>(def))
    return isSharedView(def->getOperand(0));
  return isa_and_nonnull<tile::TransposeOp>(def) && isSharedView(def->getOperand(0)) && isReadByDot(value);
}

int64_t Partition::repeatedWork(tile::KernelOp kernel) const {
  int64_t work = 0;
  kernel.walk([&](tile::DotOp dot) {
    if (axis(dot.getResult()) < 0 && !isPartialSum(dot.getResult()))
      work += dot.getResult().getType().getNumElements() * dot.getA().getType().getDimSize(1);
  });
  return work;
}

FailureOr<Partition> Partition::compute(tile::KernelOp kernel, int64_t groups, bool columns) {
  Partition result, byColumns;
  auto run = [](PartitionSolver &solver, Partition &into) {
    return succeeded(solver.run(into.axes, into.summed, into.exchanges, into.wholes));
  };
  PartitionSolver asUsual(kernel, groups, columns, /*offersLast=*/false),
      other(kernel, groups, columns, /*offersLast=*/true),
      ofColumns(kernel, groups, columns, /*offersLast=*/false, /*columnsFirst=*/true);
  bool found = run(asUsual, result) || run(other, result);
  int64_t repeated = found ? result.repeatedWork(kernel) : 0;
  if (columns && (!found || repeated) && run(ofColumns, byColumns) &&
      (!found || byColumns.repeatedWork(kernel) < repeated))
    return byColumns;
  if (found)
    return result;
  return asUsual.report();
}

} // namespace heddle
