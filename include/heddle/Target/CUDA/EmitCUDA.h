//===- EmitCUDA.h - an hw.kernel as kernel.cu and kernel.json --------------------===//
//
// Last step of the compiler: preparation of a copy (lib/Target/CUDA/Prepare: everything that is decided about the
// text), a walk that prints one readable translation unit on device/include/heddle_device, and the manifest that a
// launcher needs (docs/Manifest.md). In: an hw.kernel whose register tiles have layouts.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_TARGET_CUDA_EMITCUDA_H
#define HEDDLE_TARGET_CUDA_EMITCUDA_H

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/Tile/Chain.h"

#include "mlir/Support/LogicalResult.h"
#include <string>

namespace heddle {

/// kernel.cu. `title` goes into the header comment. Its last line defines a variable whose name holds a hash of the
/// code above: the mark, which every cubin of this text holds too. Errors: located, at ops that cannot be printed.
mlir::FailureOr<std::string> emitCUDA(hw::KernelOp kernel, llvm::StringRef title = "");

/// Fails, with one located error, at the first element-wise operation or tile of `kernel`, of any level, that CUDA text
/// cannot be made of whatever the lowering makes of the rest: said before anything is scheduled.
mlir::LogicalResult verifyHasCUDA(mlir::Operation *kernel);

/// Registers that a thread has left over beside its tiles, where they take the most, and what it needs beside them
/// (`registersBesideTiles`), in the role with the fewest; below 0: so many are lacking. Errors: as
/// emitCUDA's.
mlir::FailureOr<int64_t> spareRegisters(hw::KernelOp kernel);

/// Blocks of `kernel` that its launch bounds ask for on a multiprocessor, at least 1.
int64_t residentBlocks(hw::KernelOp kernel);

/// kernel.json of docs/Manifest.md for the same kernel, with the mark of its text.
mlir::FailureOr<std::string> emitManifest(hw::KernelOp kernel, llvm::StringRef cuda);

/// chain.json of docs/Manifest.md. Errors: located, at views that no manifest can hold.
mlir::FailureOr<std::string> emitChainManifest(tile::ChainOp chain);

} // namespace heddle

#endif // HEDDLE_TARGET_CUDA_EMITCUDA_H
