//===- BlockInterpreter.h - blocks, loops and branches by value -----------===//
//
// What:   the part of an interpreter that does not depend on its operations: the values of a program, blocks in order,
//         and scf.for, scf.while and scf.if.
// Where:  under the interpreters of tile programs (TileInterpreter), of Triton's kernels (Triton/TritonInterpreter) and
//         of the leaves of tasks (Task/TaskInterpreter).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_BLOCKINTERPRETER_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_BLOCKINTERPRETER_H

#include "heddle/Simulator/Functional/TileValue.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle::sim {

class BlockInterpreter {
public:
  virtual ~BlockInterpreter() = default;

  /// Executes a block up to its terminator, whose operands it returns.
  llvm::FailureOr<llvm::SmallVector<TileValue>> runBlock(mlir::Block &block);

protected:
  /// Every operation but those of control flow.
  virtual mlir::LogicalResult runOther(mlir::Operation *op) = 0;
  /// Says that an iteration of `loop` begins, or that its last has ended.
  virtual void beginIteration(mlir::Operation *) {}
  virtual void endLoop(mlir::Operation *) {}
  /// A number that decides what happens next: a condition or a bound.
  virtual int64_t decide(const TileValue &value) { return value.toIndex(); }

  llvm::SmallVector<TileValue> valuesOf(mlir::ValueRange range);
  void define(mlir::ValueRange range, llvm::ArrayRef<TileValue> results);
  /// Indices, each a number that decides.
  llvm::SmallVector<int64_t> indicesOf(mlir::ValueRange range);
  /// An element of a tile, in a run with error bounds with its own.
  mlir::LogicalResult runExtract(mlir::tensor::ExtractOp extract);

  llvm::DenseMap<mlir::Value, TileValue> values;

private:
  mlir::LogicalResult runOp(mlir::Operation *op);
  mlir::LogicalResult runFor(mlir::scf::ForOp loop);
  mlir::LogicalResult runIf(mlir::scf::IfOp branch);
  mlir::LogicalResult runWhile(mlir::scf::WhileOp loop);
};

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_BLOCKINTERPRETER_H
