//===- InFlight.h - what a stream has issued and not waited for ----------------===//
//
// The one model of asynchronous operations that waits are counted by: those of one kind and stream are done in the
// order in which they were issued, so that a wait which leaves `pending` of them retires all others. Whoever places
// waits (Conversion/TileToWarp/ModuloExpand.cpp) and whoever adapts them to an assembler (Target/Hopper/PtxasRules.cpp)
// runs a stream through it. The protocol verifier and the simulator, which check both, have models of their own.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_WARP_INFLIGHT_H
#define HEDDLE_DIALECT_WARP_INFLIGHT_H

#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cstdint>
#include <optional>

namespace heddle {

template <typename Entry> class InFlight {
public:
  void issue(Entry entry) { entries.push_back(entry); }
  int64_t size() const { return entries.size(); }
  /// Oldest first.
  llvm::ArrayRef<Entry> all() const { return entries; }
  llvm::MutableArrayRef<Entry> all() { return entries; }

  /// How many were issued after the youngest one that `matches`: what a wait for it may leave. None: no such one is in
  /// flight.
  template <typename Predicate> std::optional<int64_t> younger(Predicate matches) const {
    for (int64_t n = 0; n < size(); ++n)
      if (matches(entries[size() - 1 - n]))
        return n;
    return std::nullopt;
  }
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

#endif // HEDDLE_DIALECT_WARP_INFLIGHT_H
