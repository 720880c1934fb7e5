//===- Occupancy.h - What a partial schedule takes, as intervals (private) --===//
//
// What:    times of placed nodes at one interval with fixed groups: windows by longest paths, units, issue and blocking
//          waits of groups, values in registers and memories. Values whose readers are not placed are counted as short
//          as they can be.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_MODULO_OCCUPANCY_H
#define HEDDLE_LIB_SCHEDULING_MODULO_OCCUPANCY_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle {

class OccupancyTable {
public:
  OccupancyTable(const Problem &p, const std::vector<int> &group, ConstraintSet set, int64_t ii, int64_t stages);

  /// Starts that dependences on placed nodes leave to `v`.
  std::pair<int64_t, int64_t> window(int v) const { return windows[v]; }
  /// Starts that `v` has at all.
  std::pair<int64_t, int64_t> outerWindow(int v) const { return {release[v], due[v]}; }
  /// Starts of `v` from `from` to `to` at which it touches something placed, and both ends: ascending.
  std::vector<int64_t> candidates(int v, int64_t from, int64_t to) const;
  /// The first start of `v` from `from` up, or from `to` down, where nothing that is alone on a unit or group is in the
  /// way; outside of both where there is none.
  int64_t firstFree(int v, int64_t from, int64_t to, bool backward) const;
  /// Whether units and groups are free for `v` at `t`.
  bool free(int v, int64_t t) const;
  /// Whether registers and memories hold what they would with `v` at `t`.
  bool roomFor(int v, int64_t t);
  /// Placed nodes that `v` at `t` cannot be beside, of those that could stay those with the greatest penalty kept.
  void inTheWay(int v, int64_t t, const std::vector<int64_t> &penalty, std::vector<int> &out) const;
  /// With `out` gone and `v` at `t`: further nodes into `out` until registers and memories have room. False: they never
  /// have.
  bool makeRoom(int v, int64_t t, const std::vector<int64_t> &penalty, std::vector<int> &out, uint64_t chance);
  void place(int v, int64_t t);
  void eject(int v);

  bool possible = true; ///< no dependence and no assignment forbids the interval by itself
  std::vector<int64_t> start;
  std::vector<int> group;
  std::vector<char> placed;
  std::vector<std::vector<int>> in, out; ///< edges of each node

private:
  /// [begin, begin + length) after the start of its node, `amount` of a resource, `whole` intervals before that.
  struct Use {
    int resource;
    int64_t begin, length, amount, whole;
  };
  struct Item {
    int node;
    int64_t begin, length, amount; ///< begin in one interval
  };
  struct Resource {
    int64_t capacity, base = 0;
    std::vector<Item> items;
  };
  /// A value in a store, or one that is read by another group (`read` > 0: for so long).
  struct Value {
    int node;
    int64_t amount, read;
  };
  struct Store {
    enum Kind { Registers, Modular, Ring } kind;
    int64_t capacity; ///< below 0: none of its own
    int group = -1;
    std::vector<Value> values;
    int64_t peak = 0;
  };

  bool findPaths();
  void findWindow(int v);
  void findStores();
  int64_t path(int u, int v) const { return paths[static_cast<size_t>(u) * static_cast<size_t>(n) + v]; }
  int64_t endOf(int u) const;
  int64_t ringUse(const Store &store) const;
  int64_t peakOf(const Store &store, int64_t *slot, std::vector<int> *held) const;
  int64_t capacityOf(const Store &store) const;
  int64_t budgetOf(int64_t peak) const;
  bool overlaps(int64_t a, int64_t la, int64_t b, int64_t lb) const {
    return la > 0 && lb > 0 && (wrap(b - a) < la || wrap(a - b) < lb);
  }
  int64_t wrap(int64_t t) const { return (t % ii + ii) % ii; }
  bool disturbs(int v, int64_t t, int other) const;
  void clash(const Use &use, int64_t t, const std::vector<int64_t> *penalty, std::vector<int> &out, bool &never) const;

  const Problem &p;
  ConstraintSet set;
  int64_t ii;
  int n;
  std::vector<int64_t> paths; ///< longest from node to node, `none` where there is none
  std::vector<int64_t> release, due, busy;
  std::vector<std::pair<int64_t, int64_t>> windows; ///< what placed nodes leave
  std::vector<char> blocks;
  std::vector<std::vector<Use>> uses;
  std::vector<Resource> resources;
  std::vector<Store> stores;
  std::vector<std::vector<int>> touched; ///< stores that change when a node is placed
  std::vector<std::vector<int>> members; ///< nodes of each group
  static constexpr int64_t none = INT64_MIN / 4;
};

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_MODULO_OCCUPANCY_H
