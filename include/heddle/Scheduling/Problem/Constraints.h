//===- Constraints.h - The numbered conditions of a legal schedule --------===//
//
// What:    names of the conditions of docs/Scheduling.md, so that solvers, checkers and explanations speak of the same
//          things and each can be switched off.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_PROBLEM_CONSTRAINTS_H
#define HEDDLE_SCHEDULING_PROBLEM_CONSTRAINTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Conditions of a legal schedule. Uniqueness (every node has one start >= 0 and one group) always holds.
enum class Constraint : unsigned {
  Dependence,      ///< C1 start(v) + distance * ii >= start(u) + delay                     (Figure 4, DEPENDENCE)
  Capacity,        ///< C2 units are never over-subscribed, modulo ii                       (Figure 4, CAPACITY)
  Memory,          ///< C3 live values fit their modular memories, modulo ii                (Figure 5)
  Rings,           ///< C4 rings of `depth` slots fit their memories; depth covers lifetimes
  WarpAssignment,  ///< C5 a node's group has enough warps and is one of its allowed groups (Figure 6, UNIQUENESS)
  VariableLatency, ///< C6 variable-latency nodes, and only they, run on variable groups    (Figure 6)
  Registers,       ///< C7 live values fit the registers of their group                     (Figure 6, REGISTER LIMIT)
  RegisterFile,    ///< C8 budgets of all groups fit the register file (setmaxnreg)
  Transfers,       ///< C9 edges between groups pay their transfer cost, or are forbidden   (Figure 6, SPILLS)
  Concurrency,     ///< C10 nothing else executes on a group when a blocking consumer starts (Figure 6)
  Issue,           ///< C11 issue cycles of nodes on one group do not overlap
  Pins,            ///< C12 pinned starts, stages, groups and depths
  Count
};

/// A short lower-case name: "dependence", "capacity", ...
const char *constraintName(Constraint constraint);
std::optional<Constraint> findConstraint(const std::string &name);

/// A set of constraints; all by default.
class ConstraintSet {
public:
  static ConstraintSet all() { return ConstraintSet((1u << static_cast<unsigned>(Constraint::Count)) - 1); }
  static ConstraintSet none() { return ConstraintSet(0); }
  /// Classical modulo scheduling: dependence, capacity and pinned times.
  static ConstraintSet modulo() {
    return none().with(Constraint::Dependence).with(Constraint::Capacity).with(Constraint::Pins);
  }
  ConstraintSet() : ConstraintSet(all()) {}
  bool has(Constraint c) const { return bits >> static_cast<unsigned>(c) & 1; }
  ConstraintSet with(Constraint c) const { return ConstraintSet(bits | 1u << static_cast<unsigned>(c)); }
  ConstraintSet without(Constraint c) const { return ConstraintSet(bits & ~(1u << static_cast<unsigned>(c))); }
  /// What is not in the set, in the order of their numbers.
  std::vector<Constraint> missing() const;
  /// "all constraints", or "all constraints but memory, rings".
  std::string describe() const;

private:
  explicit ConstraintSet(unsigned bits) : bits(bits) {}
  unsigned bits;
};

} // namespace heddle

#endif // HEDDLE_SCHEDULING_PROBLEM_CONSTRAINTS_H
