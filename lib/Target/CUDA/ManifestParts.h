//===- ManifestParts.h - what kernel.json and chain.json have in common ------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_MANIFESTPARTS_H
#define HEDDLE_LIB_TARGET_CUDA_MANIFESTPARTS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

namespace heddle::cuda {

/// An integer that the host computes, as an expression.
mlir::FailureOr<llvm::json::Value> manifestExpression(mlir::Value value);
/// The operation `op` on two such integers.
mlir::FailureOr<llvm::json::Value> manifestExpression(llvm::StringRef op, mlir::Value a, mlir::Value b);

/// The element type of `view`; an error of `op`, which calls it `name`, where the manifest has none.
mlir::FailureOr<llvm::StringRef> manifestElement(mlir::Operation *op, llvm::StringRef name, mlir::Type view);

/// "f32", "i32", "index".
llvm::StringRef manifestScalar(mlir::Type type);

/// `views` and, where there are some, `scalars` of a kernel or a chain.
mlir::LogicalResult addManifestArguments(mlir::FunctionOpInterface kernel, llvm::json::Object &manifest);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_MANIFESTPARTS_H
