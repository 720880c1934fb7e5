//===- KernelRules.h - what holds for the kernels of every level -----------===//
//
// What:   rules that the tile, the warp and the hw kernel share, verified by each kernel operation before the
//         operations in it: names that the CUDA text, the manifest and the command line can hold, and types whose sizes
//         everything after may multiply without overflow.
// Where:  the verifiers of tile.kernel, warp.kernel and hw.kernel, so that no printer and no reader of names has to
//         escape or to doubt.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_KERNELRULES_H
#define HEDDLE_DIALECT_TILE_KERNELRULES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringRef.h"

namespace heddle::tile {

/// Most elements of a tile: far more than shared memory and the registers of a CTA hold together.
inline constexpr int64_t maxTileElements = 1 << 20;
/// On an operation that makes a tile: the parameter that each dimension follows, or a number (see tile.param).
inline constexpr llvm::StringLiteral sizesAttr = "tile.sizes";
/// Most compute warp groups, and programs side by side along dimension 0, that a kernel may ask for.
inline constexpr int64_t mostGroups = 3, mostRaster = 1024;
/// On a kernel of any level: the thread blocks of a cluster that run each program of the grid together (an i64).
inline constexpr llvm::StringLiteral clusterAttr = "cluster";
/// Most blocks of a cluster that every device of the architecture can run.
inline constexpr int64_t mostClusterBlocks = 8;
/// Most bytes of a name.
inline constexpr size_t maxNameLength = 255;

/// Is `name` a C identifier and no keyword of C++ or CUDA?
bool isIdentifier(llvm::StringRef name);
/// Would an `extern "C"` function of this name collide with what every CUDA file declares (the C library, built-in
/// variables, hd)?
bool isDeclaredByCuda(llvm::StringRef name);

/// Blocks that run a program of the kernel that `op` is or is in; 1 without a cluster.
int64_t clusterOf(mlir::Operation *op);
/// Whether each of `blocks` blocks can copy an equal part of the rows of `tile`: whole groups of the 8 rows in which
/// shared memory is swizzled.
bool dividesOverCluster(mlir::RankedTensorType tile, int64_t blocks);

/// Dimensions of at least 1 and at most `maxTileElements` elements in all.
mlir::LogicalResult verifyTileShape(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                    llvm::ArrayRef<int64_t> shape);

/// Names: the kernel's, its arguments' (`tile.name`, distinct; `tile.dims`). Types: every value in it; `encodings`:
///        tiles may have layouts.
/// Integer notes that the compiler sets (`heddle.*`) are i64.
mlir::LogicalResult verifyKernelRules(mlir::FunctionOpInterface kernel, bool encodings = false);

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_KERNELRULES_H
