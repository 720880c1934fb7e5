//===- InFlight.h - what a stream has issued and not waited for ----------------===//
//
// Asynchronous operations of one kind and stream are done in the order in which they were issued, so that a wait which
// leaves `pending` of them retires all others. This is the longest path's list of them, by which waits are adapted to
// ptxas (lib/Target/Hopper/PtxasRules.cpp). The counts themselves come from the fewest on any path
// (Dialect/Warp/Waits.h); the protocol verifier, which checks them, has a model of its own.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_TARGET_HOPPER_INFLIGHT_H
#define HEDDLE_TARGET_HOPPER_INFLIGHT_H

#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cstdint>

namespace heddle {

template <typename Entry> class InFlight {
public:
  void issue(Entry entry) { entries.push_back(entry); }
  int64_t size() const { return entries.size(); }
  /// Oldest first.
  llvm::ArrayRef<Entry> all() const { return entries; }
  llvm::MutableArrayRef<Entry> all() { return entries; }

  /// Those that a wait which leaves `pending` retires.
  llvm::ArrayRef<Entry> retiredBy(int64_t pending) const {
    return llvm::ArrayRef<Entry>(entries).drop_back(std::min(pending, size()));
  }
  void retire(int64_t pending) { entries.erase(entries.begin(), entries.begin() + retiredBy(pending).size()); }
  /// Of two paths that meet the one with more in flight.
  void join(const InFlight &other) {
    if (other.size() > size())
      entries = other.entries;
  }

private:
  llvm::SmallVector<Entry, 8> entries;
};

} // namespace heddle

#endif // HEDDLE_TARGET_HOPPER_INFLIGHT_H
