//===- TritonProgram.h - one program of a Triton kernel, executed -----------===//
//
// What:   the state of one program: values, descriptors, and from which argument addresses were loaded. Accesses and
//         control flow are in TritonInterpreter.cpp, operations that compute in TritonCompute.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SIMULATOR_TRITON_TRITONPROGRAM_H
#define HEDDLE_LIB_SIMULATOR_TRITON_TRITONPROGRAM_H

#include "heddle/Simulator/Functional/BlockInterpreter.h"
#include "heddle/Simulator/Functional/Evaluate.h"
#include "heddle/Simulator/Triton/TritonInterpreter.h"
#include "mlir/IR/TypeUtilities.h"

namespace heddle::sim {

struct TritonDescriptor {
  int64_t address = 0;
  llvm::SmallVector<int64_t> sizes, strides;
};

inline mlir::Type pointeeOf(mlir::Type type) {
  return llvm::cast<triton::PointerType>(mlir::getElementTypeOrSelf(type)).getPointeeType();
}
inline int64_t bytesOf(mlir::Type element) { return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type type) {
  auto tile = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tile ? tile.getShape() : llvm::ArrayRef<int64_t>();
}

class TritonProgram : public BlockInterpreter {
public:
  TritonProgram(TritonRun &run, std::array<int64_t, 3> id) : run(run), id(id) {}

  mlir::LogicalResult runBody();

private:
  mlir::LogicalResult runOther(mlir::Operation *op) override;
  /// The block that comes behind `terminator`; null: the kernel has ended.
  mlir::Block *follow(mlir::Operation *terminator);
  mlir::LogicalResult runAccess(mlir::Operation *op, mlir::Value pointers, mlir::Value mask);
  mlir::LogicalResult runDescriptor(mlir::Operation *op);
  /// tt.reduce, or tt.scan, which keeps every fold of a beginning or (`reverse`) of an end.
  mlir::LogicalResult runReduce(mlir::Operation *op, mlir::Block &combine, int64_t axis, bool keeps, bool reverse);
  /// Shape operations: element i of the result is element source(i) of the operand. False: none of them.
  bool runShape(mlir::Operation *op);
  bool runSimple(mlir::Operation *op);
  bool runProduct(triton::DotOp op);
  mlir::LogicalResult runBits(triton::BitcastOp op);
  mlir::LogicalResult runUpstream(mlir::Operation *op);
  bool runLibrary(triton::ExternElementwiseOp op);
  bool runOtherLibrary(triton::ExternElementwiseOp op);

  /// A value of zeros that can hold `type`; pointers as numbers.
  std::optional<TileValue> zerosOf(mlir::Type type) {
    if (llvm::isa<triton::PointerType>(mlir::getElementTypeOrSelf(type)))
      return TileValue::zeros(ElementKind::I64, shapeOf(type));
    return TileValue::zerosOf(type, /*wide=*/true);
  }
  void copyElement(TileValue &to, int64_t i, const TileValue &from, int64_t j) {
    if (to.isFloat())
      to.setFloat(i, from.floatAt(j));
    else
      to.setInt(i, from.intAt(j));
  }
  mlir::LogicalResult move(mlir::Operation *op, TritonAccess &access, mlir::Type element, const TileValue *stored,
                           const TileValue *other, TileValue *loaded);

  TritonRun &run;
  std::array<int64_t, 3> id;
  llvm::DenseMap<mlir::Value, TritonDescriptor> descriptors;
  llvm::DenseMap<mlir::Value, int64_t> loadedFrom; ///< scalars: number of the argument
};

} // namespace heddle::sim

#endif // HEDDLE_LIB_SIMULATOR_TRITON_TRITONPROGRAM_H
