//===- Mapping.h - where the tasks of a program run --------------------------===//
//
// What:   a mapping file: task instances by name. An instance says which variant of a task it is, at which processor
//         level it runs, in which memory each of its tensors lies, the values of its tunables and the instances that
//         its launches go to. What it leaves out is decided by the compiler.
// Where:  read before a task program becomes a tile program. Knows no program: whether a variant exists
//         or a tunable divides is checked by the instantiation, where both places are known.
// Form:   a file of decisions (DecisionFile.h), as a plan is; docs/Mapping.md has the keys.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_MAPPING_H
#define HEDDLE_ANALYSIS_MAPPING_H

#include "heddle/Analysis/DecisionFile.h"
#include "heddle/Machine/Machine.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace heddle {

inline constexpr llvm::StringLiteral noMemory = "NONE"; ///< of a tensor that no memory may hold as a whole

/// One task of the tree, or several that are mapped alike.
struct TaskInstance {
  std::string name;
  mlir::Location loc;
  std::string variant;
  std::string proc;
  std::vector<std::string> mems; ///< of each tensor argument; empty: left open
  std::map<std::string, int64_t> tunables;
  std::vector<std::string> calls;
  bool entry = false;
  std::optional<int64_t> pipeline;              ///< iterations of its loops whose copies are in flight
  std::optional<bool> warpspecialize;           ///< copies run on warps of their own
  std::optional<int64_t> scale;                 ///< machine cycles of a time unit of its loops' schedules
  std::optional<int64_t> smem;                  ///< bytes of shared memory a block may use
  std::optional<bool> persistent;               ///< blocks take tile after tile
  std::optional<int64_t> raster;                ///< height of the bands in which blocks are numbered
  std::vector<int64_t> order;                   ///< variables of its range over blocks, the fastest first
  std::optional<int64_t> stage;                 ///< of the operations of a leaf
  mlir::DictionaryAttr plan;                    ///< further decisions about the kernel, as plans have them; null: none
  std::map<std::string, mlir::Location> places; ///< of the keys

  mlir::Location placeOf(const std::string &key) const {
    auto it = places.find(key);
    return it == places.end() ? loc : it->second;
  }
};

class Mapping {
public:
  /// Errors, located in `file`: what has another form, keys that no instance has, levels and memories that `machine`
  /// does not have, a memory that the level does not see, calls of an unknown instance, more or less than one entry.
  static mlir::FailureOr<Mapping> read(llvm::StringRef text, llvm::StringRef file, const Machine &machine,
                                       mlir::MLIRContext *context);

  /// In the order of the file.
  const std::vector<TaskInstance> &instances() const { return all; }
  const TaskInstance *find(llvm::StringRef name) const;
  const TaskInstance &entry() const;
  /// Whether instances have a key for this decision of plans: then `plan` of an instance does not take it.
  static bool statesOtherwise(llvm::StringRef decision);
  /// As `read` takes it, one instance a line.
  std::string str() const;

  /// For those who make mappings: an instance to change before it is printed.
  std::vector<TaskInstance> &instances() { return all; }

private:
  std::vector<TaskInstance> all;
};

} // namespace heddle

#endif // HEDDLE_ANALYSIS_MAPPING_H
