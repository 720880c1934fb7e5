//===- Instances.h - the task tree that a mapping picks ----------------------===//
//
// What:     the variant of each instance of a mapping that the entry reaches, and the instance of each launch.
// Verifies: that the mapping fits the program: variants and tunables exist, there is an instance of the right task for
//           each launch and a memory for each tensor, levels only go inward, the tree ends, keys are of use where they
//           stand, and NONE is no memory of a leaf.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TASKTOTILE_INSTANCES_H
#define HEDDLE_LIB_CONVERSION_TASKTOTILE_INSTANCES_H

#include "heddle/Analysis/Mapping.h"
#include "heddle/Dialect/Task/Program.h"

namespace heddle {

/// Levels whose meaning the conversion knows; a machine file may state others, which no mapping can use yet.
inline constexpr llvm::StringLiteral hostLevel = "HOST", blockLevel = "BLOCK", warpGroupLevel = "WARPGROUP",
                                     warpLevel = "WARP", threadLevel = "THREAD";
inline constexpr llvm::StringLiteral globalMemory = "GLOBAL", sharedMemory = "SHARED", registerMemory = "REGISTER";

class Instances {
public:
  static mlir::FailureOr<Instances> check(mlir::ModuleOp program, const Mapping &mapping, const Machine &machine);

  task::VariantOp variantOf(const TaskInstance &instance) const { return variants.at(&instance); }
  /// The instance of a launch of the variant of `caller`.
  const TaskInstance &callee(const TaskInstance &caller, task::LaunchOp launch) const;
  /// 0: the outermost.
  unsigned depthOf(llvm::StringRef level) const;
  const Mapping &mapping() const { return *map; }
  const Machine &machine() const { return *own; }

private:
  mlir::LogicalResult visit(const TaskInstance &instance);
  mlir::LogicalResult checkKeys(const TaskInstance &instance, task::VariantOp variant);

  mlir::ModuleOp program;
  const Mapping *map = nullptr;
  const Machine *own = nullptr;
  std::map<const TaskInstance *, task::VariantOp> variants;
  std::vector<const TaskInstance *> path;
};

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TASKTOTILE_INSTANCES_H
