//===- Blocks.h - see Blocks.cpp ----------------------------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_BLOCKS_H
#define HEDDLE_LIB_PIPELINES_BLOCKS_H

#include "heddle/Pipelines/Compiler.h"

namespace heddle {

/// Makes the kernel of `out` anew for thread blocks that share a multiprocessor of `machine`, where those overlap what
/// one warp group cannot: `compile` takes their number and whether iterations overlap. Takes what has the registers.
void shareMultiprocessor(llvm::function_ref<mlir::LogicalResult(int64_t blocks, bool overlap, Compilation &)> compile,
                         const Machine &machine, Compilation &out);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_BLOCKS_H
