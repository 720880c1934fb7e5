//===- WarpGlobal.h - The history of global memory in one CTA --------------===//
//
// What:   the accesses of a CTA's groups to tensors that the kernel writes, which a later access to the same elements
//         must be ordered after.
// Order:  as in shared memory (WarpMemory.h), by the groups' vector clocks. Complete are
//           - a copy to a slot (it reads the tensor): where a group has got its use;
//           - a copy_out (it writes the tensor): where its group has waited for it with `complete`, which one thread
//             does, then met at a barrier;
//           - ordinary loads and stores of a group's threads: where the group has met at a barrier.
//         Ordinary stores before a copy need a global fence by their group, then the barrier. Two additions need no
//         order. Nor do accesses of different programs that a persistent CTA runs one after the other: programs of a
//         grid are independent, and the sequential run compares what they touch (ProgramRaces.h).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SIMULATOR_TIMING_WARPGLOBAL_H
#define HEDDLE_LIB_SIMULATOR_TIMING_WARPGLOBAL_H

#include "WarpMemory.h"

#include <map>

namespace heddle::sim {

enum class GlobalKind { Load, Store, Add, Copy, CopyOut, CopyOutAdd };

/// The part of a tensor that an access touches: per dimension from `begin` to below `end`.
struct GlobalBox {
  llvm::SmallVector<int64_t, 5> begin, end;

  bool isEmpty() const;
  bool overlaps(const GlobalBox &other) const;
  bool contains(const GlobalBox &other) const;
};

class WarpGlobal {
public:
  std::vector<std::string> groupNames;
  int64_t orderedPairs = 0;

  /// Checks an access of `who` to argument `tensor` against the ones before it, and records it. `id` names copies and
  /// copy_outs.
  Complaint access(const Accessor &who, unsigned tensor, llvm::StringRef name, GlobalBox box, GlobalKind kind,
                   mlir::Operation *op, int64_t id);
  /// A group has got the use that this copy filled, at `epoch` of its clock.
  void got(int64_t id, int group, int64_t epoch);
  /// The thread that started this copy_out has seen it complete.
  void complete(int64_t id, int group, int64_t epoch, bool oneThread);
  void fence(int group, bool oneThread);
  void barrier(int group, int64_t epoch);

private:
  struct Record {
    GlobalKind kind;
    int group;
    GlobalBox box;
    mlir::Operation *op;
    int64_t id;
    int64_t program;
    bool done = false;                          ///< the thread that made it knows it to be complete
    std::vector<std::pair<int, int64_t>> known; ///< groups all of whose threads know it, and since when
    bool fenced = false, visible = false;       ///< Store, Add: a global fence since, and a barrier since the fence
  };

  Complaint ordered(const Accessor &who, const Record &old, GlobalKind now, llvm::StringRef name);

  std::map<unsigned, std::vector<Record>> history;
};

} // namespace heddle::sim

#endif // HEDDLE_LIB_SIMULATOR_TIMING_WARPGLOBAL_H
