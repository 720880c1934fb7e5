//===- Deadline.h - A point of the wall clock where work ends -------------===//
//
// What:   what a time limit becomes when a call begins: every search, encoding and bound below it asks the same
//         deadline.
// Rule:   a cut-off that is reported as a limit, never a budget: what a search tries is counted in conflicts, so that
//         results do not depend on how busy the machine is.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SUPPORT_DEADLINE_H
#define HEDDLE_SUPPORT_DEADLINE_H

#include <algorithm>
#include <chrono>

namespace heddle {

class Deadline {
public:
  /// Never.
  Deadline() = default;
  static Deadline in(double seconds) {
    Deadline deadline;
    deadline.at = std::min(deadline.at, now() + seconds);
    return deadline;
  }
  /// Seconds on a clock that only goes forward.
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  bool passed() const { return now() > at; }
  double left() const { return std::max(0.0, at - now()); }
  /// The earlier of both.
  Deadline with(Deadline other) const { return other.at < at ? other : *this; }
  Deadline within(double seconds) const { return with(in(seconds)); }
  /// After a part of what is left.
  Deadline part(double share) const { return within(share * left()); }

private:
  double at = 1e18;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_DEADLINE_H
