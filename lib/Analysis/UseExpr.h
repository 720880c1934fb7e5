//===- UseExpr.h - Use numbers as linear expressions ------------------------===//
//
// What:   an index value -> a linear combination of leaves (arguments, induction variables, opaque divisions), so that
//         two use numbers can be compared: equal, different by a known constant, or unknown.
// Where:  private to the protocol verifier, and to knownDifference (Differences.h).
// How:    a value seen `k` iterations ago is the same expression with the loop's variables moved back: iv - k*step, and
//         arg - k*inc for an iteration argument that every iteration increases by a constant.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_ANALYSIS_USEEXPR_H
#define HEDDLE_LIB_ANALYSIS_USEEXPR_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <string>

namespace heddle {

/// How many back-edges of each loop lie between the value's evaluation and now.
using LoopShifts = llvm::SmallVector<std::pair<mlir::Operation *, int64_t>, 2>;

struct LinearExpr {
  std::map<std::string, int64_t> terms;
  int64_t constant = 0;
};

class UseExprBuilder {
public:
  LinearExpr eval(mlir::Value value, llvm::ArrayRef<std::pair<mlir::Operation *, int64_t>> shifts = {});

private:
  LinearExpr leaf(mlir::Value value, llvm::ArrayRef<std::pair<mlir::Operation *, int64_t>> shifts);
  LinearExpr blockArgument(mlir::BlockArgument arg, llvm::ArrayRef<std::pair<mlir::Operation *, int64_t>> shifts);
  std::string nameOf(mlir::Value value);
  llvm::DenseMap<mlir::Value, unsigned> ids;
};

/// a - b when that is a constant.
std::optional<int64_t> constantDifference(const LinearExpr &a, const LinearExpr &b);
std::string toString(const LinearExpr &expr);

} // namespace heddle

#endif // HEDDLE_LIB_ANALYSIS_USEEXPR_H
