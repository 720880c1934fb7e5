//===- Deadline.h - Where work ends: a point of the wall clock, or a budget of steps ===//
//
// What:   what a time limit becomes when a call begins: every search, encoding and bound below it asks the same
//         deadline. A deadline may also carry a budget of steps, which those who work count down, and a purse, out of
//         which all searches that serve one purpose are paid, however many there are.
// Rule:   the clock is a cut-off that is reported as a limit, never a budget. What a search may try is counted in
//         steps (clauses written, rounds of the SAT solver), so that results do not depend on how busy or how fast the
//         machine is. A step is about a microsecond of a processor of 2024.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SUPPORT_DEADLINE_H
#define HEDDLE_SUPPORT_DEADLINE_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

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

  bool passed() const { return spent() || now() > at; }
  /// Whether the budget of steps, or the purse, is spent.
  bool spent() const { return (budget && budget->left <= 0) || (purse && *purse <= 0); }
  /// Counts `steps` of work.
  void spend(int64_t steps) const {
    for (Budget *b = budget.get(); b; b = b->whole.get())
      b->left -= steps;
    if (purse)
      *purse -= steps;
  }
  /// Steps left; INT64_MAX without a budget.
  int64_t steps() const { return budget ? std::max<int64_t>(0, budget->left) : INT64_MAX; }
  /// The same point of the clock with a budget of at most `steps`, which count against this one's as well.
  Deadline afterSteps(int64_t steps) const {
    Deadline out = *this;
    out.budget = std::make_shared<Budget>(Budget{std::min(steps, this->steps()), budget});
    return out;
  }
  /// The same with a purse of `steps`. Unlike a budget it is no share of anything: until it is spent, it changes
  /// nothing, so that what was found is the same whatever was left.
  Deadline withPurse(int64_t steps) const {
    Deadline out = *this;
    out.purse = std::make_shared<int64_t>(steps);
    return out;
  }
  Deadline withoutPurse() const {
    Deadline out = *this;
    out.purse = nullptr;
    return out;
  }
  bool hasPurse() const { return purse != nullptr; }
  /// What is left in the purse; 0 without one.
  int64_t inPurse() const { return purse ? std::max<int64_t>(0, *purse) : 0; }
  double left() const { return std::max(0.0, at - now()); }
  /// The earlier of both, with the smaller budget.
  Deadline with(Deadline other) const {
    Deadline out = *this;
    out.at = std::min(at, other.at);
    if (other.steps() < steps())
      out.budget = other.budget;
    if (!out.purse)
      out.purse = other.purse;
    return out;
  }
  Deadline within(double seconds) const { return with(in(seconds)); }
  /// After a part of what is left, of the time and of the steps.
  Deadline part(double share) const {
    Deadline out = within(share * left());
    return budget ? out.afterSteps(static_cast<int64_t>(share * static_cast<double>(steps()))) : out;
  }

private:
  struct Budget {
    int64_t left;
    std::shared_ptr<Budget> whole; ///< what this one is a part of
  };
  double at = 1e18;
  std::shared_ptr<Budget> budget; ///< null: no budget
  std::shared_ptr<int64_t> purse; ///< null: no purse
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_DEADLINE_H
