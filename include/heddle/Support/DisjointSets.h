//===- DisjointSets.h - numbers in sets that are joined ---------------------===//
#ifndef HEDDLE_SUPPORT_DISJOINTSETS_H
#define HEDDLE_SUPPORT_DISJOINTSETS_H

#include <cstddef>
#include <numeric>
#include <vector>

namespace heddle {

/// 0 to size - 1, each in a set of its own until sets are joined. (Where LLVM is linked, llvm::IntEqClasses does it.)
class DisjointSets {
public:
  explicit DisjointSets(size_t size) : above(size) { std::iota(above.begin(), above.end(), 0); }

  /// The leader of the set that `v` is in.
  int find(int v) {
    while (above[v] != v)
      v = above[v] = above[above[v]];
    return v;
  }
  /// Puts the set of `from` into that of `to`, whose leader stays.
  void join(int from, int to) { above[find(from)] = find(to); }
  /// Makes `v` a set of its own again; to be done to all numbers of a set.
  void leave(int v) { above[v] = v; }

private:
  std::vector<int> above;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_DISJOINTSETS_H
