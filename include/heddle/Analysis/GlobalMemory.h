//===- GlobalMemory.h - dependences through global memory ------------------===//
//
// What:   the pairs of accesses (tile.load, tile.gather, tile.element, tile.store) of one view that may touch one
//         element, of which at least one writes and that do not both add: in which iterations of the loops around
//         both, and in which order of the program.
// Where:  on tile programs, sub-tiled or not, before and after instructions are selected. Nothing is changed.
// Trusts: different views are different tensors (docs/TileDialect.md); loop steps are positive; index arithmetic does
//         not overflow. Elements outside a view are neither read nor written; the analysis counts them as elements like
//         all others.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_GLOBALMEMORY_H
#define HEDDLE_ANALYSIS_GLOBALMEMORY_H

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace heddle {

/// On stores of rows that a tile names: the number of the store whose rows warp groups have divided. One store names no
/// row of memory twice with different values (docs/TileDialect.md), so that its parts do not meet.
inline constexpr llvm::StringLiteral partsOfStoreAttr = "heddle.parts_of_store";

/// Two accesses that may meet and are not in different arms of one branch; `first` stands before `second` in the
/// program (or is the same operation, in different iterations).
struct MemoryDependence {
  /// Meetings in different iterations of `loop`, in the same iteration of every loop around it: the least distances in
  /// iterations.
  struct Carried {
    mlir::Operation *loop;           ///< an scf.for or scf.while
    std::optional<int64_t> forward;  ///< `second` that many iterations after `first`
    std::optional<int64_t> backward; ///< `first` that many iterations after `second`
  };

  mlir::Operation *first, *second;
  bool sameIteration = false;            ///< in one iteration of every loop around both (or outside loops)
  llvm::SmallVector<Carried, 2> carried; ///< by each loop around both in which they meet, outermost first

  /// `second` may touch what `first` touched before it.
  bool isForward() const;
  /// `first` may, in a later iteration, touch what `second` touched before it.
  bool isBackward() const;
};

/// Every dependence through global memory of `kernel`, in program order of the first, then the second access.
llvm::SmallVector<MemoryDependence> findMemoryDependences(tile::KernelOp kernel);

/// True when the value that `store` stores is computed from what `load` loaded, in the same iteration of the loops
/// around both. The load is then complete before the store begins, however operations are ordered in time.
bool isComputedFrom(tile::StoreOp store, tile::LoadOp load);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_GLOBALMEMORY_H
