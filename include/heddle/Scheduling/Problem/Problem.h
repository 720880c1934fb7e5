//===- Problem.h - The scheduling problem and its solution, as data -------===//
//
// What:    Problem (a loop body as a cyclic dependence graph over units, memories and warp groups) and Schedule
//          (initiation interval, start times, warp groups, ring depths).
// Where:   between extraction (or a `.sched` file) and every solver, bound, checker and picture.
// Meaning: instance i of node v runs at start(v) + i * ii. `check` below states validity of the input, the feasibility
//          conditions of a Schedule are numbered in docs/Scheduling.md and verified by Certificate/Verify.h.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_PROBLEM_PROBLEM_H
#define HEDDLE_SCHEDULING_PROBLEM_PROBLEM_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// The largest interval, depth and start that a schedule may have: readers, checkers and schedulers agree.
inline constexpr int64_t maxInterval = int64_t(1) << 22, maxDepth = int64_t(1) << 31, maxStart = (int64_t(1) << 31) - 1;

/// A functional unit; at most `capacity` is in use in any cycle.
struct Unit {
  std::string name;
  int64_t capacity = 1;
  SourceLoc pos;
};

/// How a memory is shared between values.
enum class MemoryKind {
  Modular, ///< space is taken only while a value is live (Twill Figure 5, counted modulo ii)
  Ring,    ///< every value owns a ring of `depth` slots for the whole loop; depth is a decision
};

struct Memory {
  std::string name;
  int64_t capacity = 0; ///< bytes, columns, ...
  MemoryKind kind = MemoryKind::Modular;
  SourceLoc pos;
};

/// A warp group: `warps` warps that run one instruction stream.
struct Group {
  std::string name;
  int64_t warps = 4;
  int64_t regs = 0;      ///< register limit per thread; 0: unlimited (then only the register file limits)
  bool variable = false; ///< the group of variable-latency operations (Twill's W_vl)
  SourceLoc pos;
};

/// `amount` of `unit` is busy during [start, start + length) after the node's own start.
struct Reservation {
  int unit = 0;
  int64_t start = 0;
  int64_t length = 1;
  int64_t amount = 1;
};

/// `amount` of `memory` holds the node's result while it is live.
struct Footprint {
  int memory = 0;
  int64_t amount = 0;
};

struct Node {
  std::string name;
  std::string loc; ///< where it comes from (kept, never interpreted)
  std::vector<Reservation> reservations;
  std::vector<Footprint> footprints;
  int64_t latency = 1;            ///< execution cycles: start until the result is complete
  int64_t issue = 0;              ///< cycles its group can issue nothing else; 0: not limited
  bool async = false;             ///< in flight after issue: does not keep its group busy (Twill's CONCURRENCY)
  bool variableLatency = false;   ///< runs on a `variable` group, and only such nodes do
  int64_t warps = 1;              ///< its group has at least this many warps
  int64_t regs = 0;               ///< registers per thread of its result
  int64_t minLive = 0;            ///< its result takes space at least this long after its start
  std::vector<Footprint> staging; ///< space its value takes only if some consumer runs on another group
  std::vector<int> groups;        ///< allowed groups; empty: any that fits. One entry is a pin
  int64_t pinStart = -1;          ///< -1: free
  int64_t pinStage = -1;          ///< start / ii; -1: free
  int64_t pinDepth = -1;          ///< ring depth; -1: free
  SourceLoc pos;
};

/// Most machine cycles that one time unit may stand for.
inline constexpr int64_t mostScale = 1 << 22;

/// start(to) + distance * ii >= start(from) + delay (+ transfer when the two run on different groups).
struct Edge {
  static constexpr int64_t never = -1;

  int from = 0;
  int to = 0;
  int64_t delay = 0;
  int64_t distance = 0;
  int64_t transfer = 0;  ///< extra delay between groups; `never`: both ends run on one group
  int64_t hold = 0;      ///< the consumer still reads the value this many cycles after its start
  bool blocking = false; ///< the consumer waits for it with blocking synchronisation
  bool order = false;    ///< orders only; carries no value, so it extends no lifetime
  SourceLoc pos;
};

class Problem {
public:
  std::string name = "problem";
  int64_t scale = 1; ///< machine cycles that one time unit stands for
  std::vector<Unit> units;
  std::vector<Memory> memories;
  std::vector<Group> groups; ///< empty: warp assignment is not part of the problem
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  SourceLoc registersPos;   ///< where a text states the following
  int64_t registerFile = 0; ///< registers of all groups together (32 lanes * warps * regs); 0: groups are not coupled
  int64_t regGranule = 8;   ///< per-thread register budgets are multiples of this
  int64_t regOverhead = 0;  ///< registers per thread every group needs besides the values
  int64_t minRegs = 24;     ///< smallest budget of a group
  bool consumerCopies = false; ///< a value that crosses groups also takes registers in the consuming group

  int addUnit(std::string name, int64_t capacity = 1);
  int addMemory(std::string name, int64_t capacity, MemoryKind kind = MemoryKind::Modular);
  int addGroup(Group group);
  int addNode(Node node);
  int addEdge(Edge edge);
  /// Index by name, or -1.
  int findUnit(const std::string &name) const;
  int findMemory(const std::string &name) const;
  int findGroup(const std::string &name) const;
  int findNode(const std::string &name) const;

  /// Valid input: names unique and non-empty, indices in range, capacities positive, times non-negative and below 2^31
  /// in sum, footprints below 2^40 in sum, no dependence cycle of distance zero, pins possible. The first violation,
  /// located.
  Status check() const;
  /// Whether anything in the problem is subject to `constraint`.
  bool states(Constraint constraint) const;
  /// Groups node `v` may run on by its pins, warps and variable latency, ascending. Empty when there are no groups.
  std::vector<int> allowedGroups(int v) const;
  /// Groups that compute: all but those of operations of variable latency.
  int64_t computeGroups() const;
};

/// A modulo schedule. Vectors are indexed by node, `groupRegs` by group.
struct Schedule {
  static constexpr int64_t noBudget = -1;

  int64_t ii = 0;
  std::vector<int64_t> start;
  std::vector<int> group;         ///< -1 when the problem has no groups
  std::vector<int64_t> depth;     ///< copies of the result that are alive at once, at least 1
  std::vector<int64_t> groupRegs; ///< register budget per thread; 0: the group runs nothing; noBudget: none is stated
  ConstraintSet constraints;      ///< the conditions it was made under, and is to be checked under

  /// max over nodes of start + latency.
  int64_t length(const Problem &problem) const;
  /// ceil(length / ii).
  int64_t stages(const Problem &problem) const;
};

/// The largest interval that a schedule of `problem` may have: maxInterval, or less where a pinned stage would begin
/// beyond maxStart.
int64_t mostInterval(const Problem &problem, ConstraintSet constraints);
/// Lifetime ends of the results of nodes v: max(start + minLive, start(w) + distance * ii + hold over value edges
/// v -> w).
std::vector<int64_t> lifetimeEnds(const Problem &problem, const Schedule &schedule);
/// Fills `depth` with the smallest legal values (copies alive at once, at least 1, pins respected).
void fillDepths(const Problem &problem, Schedule &schedule);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_PROBLEM_PROBLEM_H
