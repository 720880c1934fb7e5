//===- Need.h - what values need of a store on average (private) -----------===//
//
// What:  least lifetimes and amounts of values -> the least interval at which a store holds them (Little's law: copies
//        alive on average are lifetime / ii).
// Where: bounds of memories (Bounds.cpp) and of registers (RegisterBounds.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_BOUNDS_NEED_H
#define HEDDLE_LIB_SCHEDULING_BOUNDS_NEED_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// What a set of values needs of a store: at interval ii at least sum of amount * max(least life, carried * ii) in
/// space x cycles, `carried` being the iterations a value survives by its own self-edges.
struct Need {
  struct Value {
    int64_t amount, life, carried;
  };
  std::vector<Value> values;
  int64_t always = 0; ///< alive in every slot at any interval
  int64_t area = 0;   ///< of the least lives alone

  void add(int64_t amount, int64_t life, int64_t carried) {
    values.push_back({amount, life, carried});
    always += amount * carried;
    area += amount * life;
  }
  int64_t at(int64_t ii) const {
    int64_t sum = 0;
    for (const Value &v : values)
      sum += v.amount * std::max(v.life, v.carried * ii);
    return sum;
  }
  /// The least interval at which `capacity` suffices on average; 0 when none does. (capacity * ii - at(ii) rises with
  /// ii while always <= capacity.)
  int64_t least(int64_t capacity) const {
    if (always > capacity || capacity <= 0)
      return area == 0 && always == 0 ? 1 : 0;
    int64_t low = 0, high = 1;
    for (; at(high) > capacity * high; high *= 2)
      if (low = high; high > (int64_t(1) << 44))
        return 0;
    while (high - low > 1) {
      int64_t middle = (low + high) / 2;
      (at(middle) > capacity * middle ? low : high) = middle;
    }
    return high;
  }
  /// In words, for values of `what`.
  std::string witness(const std::string &store, int64_t capacity, const std::string &what) const {
    std::string out = store + " has " + std::to_string(capacity) + ", and ";
    if (always > capacity)
      return out + "the values of " + what + " carried from one iteration to the next need " + std::to_string(always) +
             " at any interval";
    out += "the least lifetimes of " + what + " need " + std::to_string(area) + " in amount x cycles an iteration";
    return always ? out + ", of which " + std::to_string(always) + " in every cycle are carried between iterations"
                  : out;
  }
};

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_BOUNDS_NEED_H
