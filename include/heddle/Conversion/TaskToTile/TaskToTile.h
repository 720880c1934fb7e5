//===- TaskToTile.h - a task program and its mapping as a tile program ------===//
//
// What:   the tree of tasks that a mapping picks from a program -> one tile.kernel, sequential again: what a block
//         does. What the mapping decides beyond that is the kernel's plan (docs/Plan.md).
// Where:  in front of the compiler; everything after sees a tile program.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CONVERSION_TASKTOTILE_TASKTOTILE_H
#define HEDDLE_CONVERSION_TASKTOTILE_TASKTOTILE_H

#include "heddle/Analysis/Mapping.h"
#include "heddle/Dialect/Task/Task.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// What became of a tensor that an instance is launched with.
struct TensorPlace {
  std::string parameter;
  std::string memory; ///< in the mapping; empty: left open
  bool isLoaded = false, isStored = false;
  std::string value; ///< of the block, whose part it is; empty: a part of a tensor in global memory

  bool operator==(const TensorPlace &) const = default;
};
struct InstancePlaces {
  std::string instance;
  std::vector<TensorPlace> tensors;

  bool operator==(const InstancePlaces &) const = default;
};

/// Labels of the kernel's plan (Analysis/Plan.h) that stand for instances of the mapping: loads in a block's loops, by
/// the instance whose `pipeline` is their ring; products, by their leaf.
using InstanceLabels = std::map<std::string, std::string>;

/// The kernel of the task tree that `mapping` picks from `program`, in a module of its own. Errors, located in the
/// program with a note in the mapping or the other way round: a mapping that does not fit the program, a division that
/// the machine's processors do not have, a memory that cannot hold a tensor. `places`: of the tensors of each launch,
/// in their order; launches of one instance that are alike are one.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> convertTasks(mlir::ModuleOp program, const Mapping &mapping,
                                                                const Machine &machine,
                                                                std::vector<InstancePlaces> *places = nullptr,
                                                                InstanceLabels *labels = nullptr);

/// `mapping` with what the plan `text` (of this name) of its kernel says and a mapping can say: `pipeline`, `stage`,
/// `scale`, `smem`, `persistent`, `raster`, `warpspecialize`. Decisions that differ where a mapping has one for all are
/// left as they are. Errors, located: a plan that does not parse.
mlir::FailureOr<Mapping> mappingOf(const Mapping &mapping, const InstanceLabels &labels, llvm::StringRef text,
                                   llvm::StringRef file, const Machine &machine, mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_CONVERSION_TASKTOTILE_TASKTOTILE_H
