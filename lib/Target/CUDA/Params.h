//===- Params.h - the parameters of a printed kernel ----------------------------===//
//
// One list, read by the printer (signature) and by the manifest: tensor maps, then pointers, sizes and strides of
// views, then scalars; only what the kernel uses. Dimensions that share a name (tile.dims) share one parameter.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PARAMS_H
#define HEDDLE_LIB_TARGET_CUDA_PARAMS_H

#include "heddle/Dialect/HW/HW.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

namespace heddle::cuda {

enum class ParamKind { TensorMap, Pointer, Size, Stride, Scalar, Counter };

struct Param {
  ParamKind kind;
  unsigned arg = 0; ///< argument of the kernel
  int64_t dim = 0;  ///< Size, Stride
  hw::TensorMapOp map;
  std::string name; ///< in the C++ text
};

class Params {
public:
  explicit Params(hw::KernelOp kernel);

  llvm::ArrayRef<Param> list() const { return params; }
  /// C++ names; a static size is its number.
  std::string sizeOf(mlir::Value view, int64_t dim) const;
  std::string strideOf(mlir::Value view, int64_t dim) const;
  std::string pointerOf(mlir::Value view) const;
  std::string scalarOf(mlir::Value arg) const;
  std::string mapOf(mlir::Value map) const;
  std::string counter() const; ///< of programs (hw.next_program)
  /// Names taken by the signature.
  const llvm::StringSet<> &names() const { return taken; }

  /// The source's name of an argument (tile.name), or argN.
  static std::string argName(hw::KernelOp kernel, unsigned arg);
  /// The name of a view's dimension (tile.dims), or empty.
  static std::string dimName(hw::KernelOp kernel, unsigned arg, int64_t dim);

private:
  void add(ParamKind kind, unsigned arg, int64_t dim, hw::TensorMapOp map, std::string hint);
  void addSize(mlir::Value view, int64_t dim);
  const Param *find(ParamKind kind, unsigned arg, int64_t dim) const;

  hw::KernelOp kernel;
  llvm::SmallVector<Param> params;
  llvm::StringSet<> taken;
};

/// `text` as a line comment can hold it: one line of printable ASCII without backslashes.
std::string commentText(llvm::StringRef text);
/// `text` as a C++ identifier.
std::string identifier(llvm::StringRef text);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PARAMS_H
