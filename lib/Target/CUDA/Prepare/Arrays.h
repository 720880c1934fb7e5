//===- Arrays.h - which register tiles share a C++ array -------------------------===//
//
// In:  a role (structured control flow) whose tensors have layouts. Out: a class per tensor that has an array
//      (Recompute.h); one array per class.
// Live ranges are sets of points of the role in textual order, two per op (operands are read at the first, results
// written at the second), extended over loops for values that enter them, and, for register operands of a wgmma, to the
// wait that retires it (around the back edge if need be). Classes are merged while no two live ranges meet, in this
// order:
//   1. required: wgmma_wait operand and result, loop argument and loop result;
//   2. wgmma accumulator and result; 3. loop argument with what is yielded and with its start; results of scf.if;
//   4. element-wise results with an operand (in place).
// Where 2 or 3 fails the printer copies; a copy of a tile that a wgmma is still writing is an error here.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_ARRAYS_H
#define HEDDLE_LIB_TARGET_CUDA_ARRAYS_H

#include "Recompute.h"
#include "heddle/Dialect/HW/HW.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace heddle::cuda {

struct ArrayClass {
  mlir::Type type;
  llvm::SmallVector<mlir::Value> members;   ///< in order of definition
  mlir::Operation *declareBefore = nullptr; ///< op in the innermost block that has all of the class's defs and uses
};

struct ArrayAssignment {
  std::vector<ArrayClass> classes;
  llvm::DenseMap<mlir::Value, int> classOf;
  /// Registers of a thread that the arrays take at each operation: those that it reads or that outlive it, and those
  /// that it writes or that outlive it.
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> registersAt;
  /// Register operands that a wgmma_wait retires.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> retired;

  bool shared(mlir::Value a, mlir::Value b) const { return classOf.lookup(a) == classOf.lookup(b); }
};

mlir::FailureOr<ArrayAssignment> assignArrays(hw::RoleOp role, const RecomputedTiles &recomputed);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_ARRAYS_H
