//===- Pins.h - Decisions that a problem fixes, by name --------------------===//
//
// What:   a pin is one decision that somebody made for one or more nodes ("stage = 3 of S"). The values stand in the
//         nodes (Node::pinStart, pinStage, pinDepth, groups); the list names them, so that one can be taken back.
// Where:  made with the problem (from a plan); Solver/BlamePins.h finds those that leave no schedule.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_PROBLEM_PINS_H
#define HEDDLE_SCHEDULING_PROBLEM_PINS_H

#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

enum class PinKind { Start, Stage, Depth, Group, InFlight, Interval };

struct Pin {
  PinKind kind = PinKind::Stage;
  std::string label;                     ///< what the nodes, or the loop, are called
  std::vector<int> nodes;                ///< none: the loop
  std::vector<int64_t> values;           ///< one per node, in units of the problem; of the loop, one
  std::vector<std::vector<int>> without; ///< Group: the allowed groups of each node without the pin
  std::vector<int> edges;                ///< InFlight: the edge of each node
  std::vector<int> beside;               ///< Depth: nodes whose values lie in the same slots, with the first's depth
};

/// The key of a plan for `kind`: "stage", "ring", ...
const char *pinKindName(PinKind kind);
/// "stage = [3, 2] of S"; times are in machine cycles.
std::string describePin(const Problem &problem, const Pin &pin);
/// Takes the pin back. (The interval is no part of a problem.)
void relaxPin(Problem &problem, const Pin &pin);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_PROBLEM_PINS_H
