//===- Kernel.h - the tile.kernel that tasks become --------------------------===//
//
// What:   its signature, its grid, and its plan: what the mapping decides beyond the program, on the kernel and on its
//         loads.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TASKTOTILE_KERNEL_H
#define HEDDLE_LIB_CONVERSION_TASKTOTILE_KERNEL_H

#include "Instances.h"
#include "heddle/Conversion/TaskToTile/TaskToTile.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

class TaskKernel {
public:
  TaskKernel(mlir::OpBuilder &builder, const Machine &machine, InstanceLabels &labels)
      : b(builder), machine(machine), labels(labels) {}

  /// An empty kernel with the task's parameters; operations are then made at its end.
  mlir::OwningOpRef<mlir::ModuleOp> begin(task::TaskOp task);
  mlir::Value argument(unsigned parameter);

  /// A range over blocks: its variables. Ranges inside one another are dimensions of one grid, the innermost first.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> addGrid(llvm::ArrayRef<mlir::Value> sizes,
                                                          const TaskInstance &instance, task::PRangeOp range);
  /// The work of a block begins: the grid is complete.
  mlir::LogicalResult beginBlock(const TaskInstance &instance, mlir::Location loc);
  bool hasGrid() const { return static_cast<bool>(grid); }

  /// `tile` is copied into `memory` of the block, in a loop of `loopOf` (null: in none).
  void noteCopy(mlir::Value tile, llvm::StringRef memory, const TaskInstance *loopOf, std::string name);
  /// A decision on an operation.
  void pin(mlir::Operation *op, llvm::StringRef key, int64_t value);
  /// `dot` is the product of leaf `instance`.
  void noteProduct(tile::DotOp dot, const TaskInstance &instance);

  /// Ends the kernel: loads move out of loops that they do not depend on, equal ones become one, pipelines become
  /// rings. Errors: more shared memory than the mapping or the machine gives.
  mlir::LogicalResult finish(int64_t groups);

private:
  struct Copy {
    bool shared;
    const TaskInstance *loopOf;
    std::string name;
  };
  void hoistLoads();
  /// `op` is called after `name` in the plan; what that says of `op` is said of `instance` in the mapping.
  void label(mlir::Operation *op, llvm::StringRef name, llvm::StringRef instance);
  mlir::LogicalResult pinRings(const llvm::DenseMap<mlir::Operation *, Copy> &copies);
  mlir::LogicalResult simplify();

  mlir::OpBuilder &b;
  const Machine &machine;
  InstanceLabels &labels;
  tile::KernelOp kernel;
  tile::GridOp grid;
  struct GridLevel {
    llvm::SmallVector<mlir::Value> sizes;
    llvm::SmallVector<tile::ProgramIdOp> ids;
  };
  llvm::SmallVector<GridLevel, 2> levels;
  std::optional<int64_t> raster;
  std::optional<mlir::Location> rasterAt;
  const TaskInstance *block = nullptr;
  llvm::DenseMap<mlir::Operation *, Copy> copies;
  llvm::SmallVector<mlir::NamedAttribute> plan;
};

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TASKTOTILE_KERNEL_H
