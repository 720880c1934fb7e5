//===- SplitContraction.h - one contraction over several programs ----------===//
#ifndef HEDDLE_TRANSFORMS_SPLITCONTRACTION_H
#define HEDDLE_TRANSFORMS_SPLITCONTRACTION_H

#include "heddle/Dialect/Tile/Chain.h"

namespace heddle {

/// On the first kernel of a split program: i64, the programs that share a contraction.
inline constexpr llvm::StringLiteral splitAttr = "heddle.split_k";

/// Where the sums of the parts are added up.
enum class PartialSums {
  Ordered, ///< each has a place of its own, and the second kernel adds them in order: the result is the same every time
  InMemory ///< additions in memory, in whatever order they come
};

/// Divides the contraction of `kernel`, whose parameters have their values, over `splits` programs: a chain of its
/// name, behind two kernels, is put into `into`. It means what the kernel means, but for the order of its sums. Errors,
/// located: a program whose loop is not a sum.
mlir::FailureOr<tile::ChainOp> splitContraction(tile::KernelOp kernel, int64_t splits, PartialSums sums,
                                                mlir::ModuleOp into);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SPLITCONTRACTION_H
