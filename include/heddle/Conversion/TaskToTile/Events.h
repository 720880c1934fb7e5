//===- Events.h - which tasks and copies depend on which ---------------------===//
//
// What:   the task tree that a mapping picks, as a graph of copies, leaves and loops, each with the events that it
//         waits for; then as flattening parallel ranges, eliminating copies and placing shared memory leave it.
//         The form is that of Cypress (Yadav et al., PLDI 2025, sections 4.1 to 4.2.4). An event of a parallel range is
//         an array, one element for each processor; a wait takes one element of each dimension, or all: [:].
// Where:  beside the conversion to tile programs, for people: `heddle compile --emit=events`. The conversion makes
//         values, in which dependences are uses (docs/Mapping.md). That both move the same tensors to and from global
//         memory, a test checks for every mapping of examples/tasks.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CONVERSION_TASKTOTILE_EVENTS_H
#define HEDDLE_CONVERSION_TASKTOTILE_EVENTS_H

#include "heddle/Analysis/Mapping.h"
#include "heddle/Dialect/Task/Task.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace heddle {

enum class EventStage {
  Dependences, ///< each launch copies its tensors in and out
  Vectorised,  ///< ranges over warp groups, warps and threads are flattened
  Copies,      ///< copies that nothing needs are gone
  Memory       ///< tensors in shared memory have places
};

inline constexpr llvm::StringLiteral everyProcessor = ":";

/// One dimension of an event array: the processors of one parallel range.
struct EventDim {
  std::string level;
  std::string extent;
  std::string index; ///< what the number of the processor is called in the range
  bool operator==(const EventDim &) const = default;
};

/// A wait.
struct EventRef {
  int event = -1;
  std::vector<std::string> at; ///< an index, or `everyProcessor`, for each dimension
  int tensor = -1;             ///< for the sake of this one
  bool operator==(const EventRef &) const = default;
};

/// One piece of a partition.
struct EventStep {
  std::string division;        ///< "64 x full", "mma m n"
  std::vector<std::string> at; ///< the indices of the piece
  bool fragment = false;       ///< as the tensor core's instruction divides
  bool operator==(const EventStep &) const = default;
};

/// A tensor, a piece of it, a piece of this piece, ...
struct EventPart {
  int tensor = -1;
  std::vector<EventStep> steps;
  bool operator==(const EventPart &) const = default;
};

struct EventTensor {
  std::string name;
  std::vector<std::string> shape;
  std::string type;
  int64_t bytes = 0;          ///< 0: not known here
  std::string memory;         ///< empty: left open
  bool isGiven = false;       ///< the entry's
  std::vector<EventDim> dims; ///< there is one for each processor
};

enum class EventAccess { Read, Write, Reduce };

struct EventArgument {
  EventPart part;
  EventAccess access;
  bool reads; ///< also where it is written
};

struct EventOp {
  enum Kind { Make, Copy, Call, Loop, Range };
  Kind kind;
  int event = -1; ///< none: Make
  std::vector<EventDim> dims;
  std::vector<EventRef> after;
  int tensor = -1;                      ///< of Make
  EventPart from, to;                   ///< of Copy
  bool adds = false;                    ///< of Copy
  std::vector<EventRef> lastUses;       ///< of a copy into a task: of what it makes, by the task
  std::string instance;                 ///< of Call
  std::vector<EventArgument> arguments; ///< of Call
  std::string level;                    ///< of Range: of its processors; empty: one within a processor
  std::vector<std::string> variables;   ///< of Loop and Range
  std::vector<std::string> extents;     ///< of Loop and Range
  std::vector<EventOp> body;            ///< of Loop and Range
  std::vector<EventRef> yields;         ///< of Loop and Range: what their ends wait for, by tensors from outside
  int64_t slots = 1;                    ///< of Loop: iterations whose copies are in flight
};

struct EventGraph {
  std::vector<EventTensor> tensors;
  std::vector<EventOp> ops;
  int events = 0;
  int64_t sharedLimit = 0; ///< bytes of shared memory that a block may use
  struct Place {
    int tensor;
    int64_t begin, bytes, slots;
  };
  std::vector<Place> places;               ///< of tensors in shared memory
  std::vector<std::pair<int, int>> shared; ///< pairs that share bytes: the second is written after the first was read
  int64_t lacking = 0;                     ///< bytes over the limit, whatever shares

  std::string str() const;
  /// Two accesses of one part, one of which writes, that no chain of events orders, as text; empty: there are none.
  std::string race() const;
};

/// The graph of a program under a mapping. Errors, located in one of them: a mapping that does not fit the program.
mlir::FailureOr<EventGraph> eventsOf(mlir::ModuleOp program, const Mapping &mapping, const Machine &machine,
                                     EventStage stage);

} // namespace heddle

#endif // HEDDLE_CONVERSION_TASKTOTILE_EVENTS_H
