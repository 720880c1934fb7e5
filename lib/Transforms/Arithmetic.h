//===- Arithmetic.h - integer arithmetic of coordinates --------------------===//
#ifndef HEDDLE_LIB_TRANSFORMS_ARITHMETIC_H
#define HEDDLE_LIB_TRANSFORMS_ARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// Integer arithmetic at a place of the program.
class Arithmetic {
public:
  Arithmetic(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}
  mlir::Value constant(int64_t n) { return mlir::arith::ConstantIndexOp::create(b, loc, n); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return mlir::arith::AddIOp::create(b, loc, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return mlir::arith::SubIOp::create(b, loc, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return mlir::arith::MulIOp::create(b, loc, x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return mlir::arith::DivUIOp::create(b, loc, x, y); }
  mlir::Value rem(mlir::Value x, mlir::Value y) { return mlir::arith::RemUIOp::create(b, loc, x, y); }
  mlir::Value max(mlir::Value x, mlir::Value y) { return mlir::arith::MaxUIOp::create(b, loc, x, y); }
  mlir::Value min(mlir::Value x, mlir::Value y) { return mlir::arith::MinUIOp::create(b, loc, x, y); }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace heddle

#endif // HEDDLE_LIB_TRANSFORMS_ARITHMETIC_H
