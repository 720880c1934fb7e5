//===- Libdevice.h - functions of libdevice as operations of MLIR ------------------===//
//
// What:  a kernel calls a function of CUDA's library by its symbol (tt.extern_elementwise). Here is the one table that
//        says which upstream operation computes the same: the translation to tile programs makes that operation, the
//        interpreter of Triton's kernels evaluates it.
// Names: a function f of doubles is __nv_f, the one of floats __nv_ff; approximations (__nv_fast_ff) mean the function.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TRITON_LIBDEVICE_H
#define HEDDLE_DIALECT_TRITON_LIBDEVICE_H

#include "heddle/Dialect/Triton/Triton.h"

namespace heddle::triton {

struct UpstreamOperation {
  llvm::StringRef name; ///< empty: there is none for this function or these types
  bool givesBits;       ///< where the function gives integers that are 0 or 1

  /// What it gives where the function gives `result`.
  mlir::Type typeFor(mlir::Type result) const;
};
UpstreamOperation upstreamOperation(ExternElementwiseOp op);

/// The upstream operation that rounds as `op` does, which gives the rounded number as an integer (llrint,
/// float2int_rn, ...); empty: it does not.
llvm::StringRef roundingToInteger(ExternElementwiseOp op);

/// Functions of floats that no upstream operation gives: the tile program calls CUDA's own (tile.call).
enum class LibraryFunction { None, Hypot, Lgamma, Erfinv, NextAfter, BesselI0 };
LibraryFunction libraryFunction(ExternElementwiseOp op);
/// The name that CUDA gives it for doubles; for floats "f" follows.
llvm::StringRef nameOf(LibraryFunction function);

/// Functions of the bits of an integer of 32 or 64 bits, each of which gives 32 bits: how many are set, how many are
/// zero in front of the first that is set, and the place of the last that is set, counted from one (zero: none).
enum class BitFunction { None, Count, LeadingZeros, LastSet };
BitFunction bitFunction(ExternElementwiseOp op);

/// Whether `op` asks for the sign of a number, which no single upstream operation gives.
bool isSignBit(ExternElementwiseOp op);

} // namespace heddle::triton

#endif // HEDDLE_DIALECT_TRITON_LIBDEVICE_H
