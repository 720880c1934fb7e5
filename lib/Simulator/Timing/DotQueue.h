//===- DotQueue.h - The tensor core of one multiprocessor -------------------===//
//
// What:      dots as groups issue them -> when all their instructions have been issued, and when they end.
// Algorithm: a dot is several instructions. The unit has a queue of so many instructions for all groups; a group that
//            finds it full waits. A dot under way is not interrupted, and then comes the one that has waited longest
//            (measured on an H100 with two groups: docs/Calibration.md, "Two groups and one tensor core").
// Times:     what is asked may change as long as other groups may issue before it: ask again then.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SIMULATOR_TIMING_DOTQUEUE_H
#define HEDDLE_LIB_SIMULATOR_TIMING_DOTQUEUE_H

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace heddle::sim {

class DotQueue {
public:
  struct Dot {
    int64_t id = 0;
    int64_t arrival = 0; ///< cycle from which it can begin
    int64_t instructions = 1;
    int64_t cycles = 0; ///< of all of them
    int64_t tail = 0;   ///< cycles from its end to its result
    int64_t begin = 0;  ///< cycle of the first instruction
  };

  /// `depth` instructions; 0: no limit.
  explicit DotQueue(int64_t depth = 0) : depth(depth) {}
  void add(const Dot &dot) { state.waiting.push_back(dot); }
  /// All that begins before cycle `until`, before which nobody issues any more. Calls `ended` with each dot that ends
  /// and its last cycle.
  void run(int64_t until, const std::function<void(const Dot &, int64_t)> &ended = {});
  /// When the last instruction of a dot enters the queue, and when the result is there.
  int64_t issued(int64_t id) const;
  int64_t done(int64_t id) const;
  /// Nobody asks for this dot any more.
  void forget(int64_t id) { times.erase(id); }
  /// Whether the unit works at `time`.
  bool busy(int64_t time) const;
  /// The unit stands still for `cycles` from `time` on, where it works then.
  void hinder(int64_t time, int64_t cycles);

private:
  /// Of a dot that has begun; -1: not yet known.
  struct Times {
    int64_t issued = -1, done = -1;
  };
  using Stop = std::pair<int64_t, int64_t>; ///< from when, and for how long, the unit stands still
  struct State {
    std::vector<Dot> waiting; ///< in the order of issue
    Dot current;              ///< under way while taken < current.instructions
    int64_t taken = 1;        ///< instructions of `current`
    std::vector<Stop> stops;  ///< by time
    int64_t now = 0;
  };
  static void run(State &state, int64_t until, int64_t depth,
                  const std::function<void(const Dot &, const Times &)> &known);
  /// What is or will be known of a dot as things stand.
  Times timesOf(int64_t id) const;

  State state;
  int64_t depth;
  std::map<int64_t, Times> times;
};

} // namespace heddle::sim

#endif // HEDDLE_LIB_SIMULATOR_TIMING_DOTQUEUE_H
