//===- Stream.h - one group's part of a schedule, cut into a loop ----------===//
//
// What:   the operations of one warp group in the order of a modulo schedule, cut open at the back edge of the loop
//         that is emitted: order, stages, prologue and epilogue, and which asynchronous operations the back edge has to
//         wait for.
// Where:  made from a problem where schedules are compared (Modulo/SelfTimed), from the program where code is made
//         (Conversion/TileToWarp): one rule for both (docs/decisions/0009-cut-of-the-kernel.md).
// Rule:   any rotation of a modulo schedule is the same schedule. Of all cuts at the start of an operation the one
//         with the fewest results in flight over the back edge that ordinary code touches, and operands of
//         asynchronous operations carried over it of which the next one is made before the operation begins or, where
//         nothing reads its result, is the only one that waits for it; then the fewest stages; then the shortest time
//         to the first asynchronous operation, since what is not in flight over the cut runs alone until then; then
//         the operation that comes first in the program, so that groups that run the same operations in the same
//         order, at whatever times, are cut alike.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_STREAM_STREAM_H
#define HEDDLE_SCHEDULING_STREAM_STREAM_H

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

/// An operation of a group, in the program's order.
struct StreamOperation {
  int64_t start = 0;  ///< of iteration 0
  bool async = false; ///< runs on after its issue, and is waited for
};

/// Operation `to` uses what `from` made `distance` iterations before.
struct StreamUse {
  int from = 0, to = 0;
  int64_t distance = 0;
  enum Kind {
    Reads,      ///< its registers, when `to` begins
    Holds,      ///< an asynchronous `to` reads the registers of `from` until it is done
    Accumulates ///< an asynchronous `to` continues `from`, which need not be done
  } kind = Reads;
};

/// What one group runs in an iteration.
struct StreamProgram {
  int64_t ii = 1;
  std::vector<StreamOperation> operations;
  std::vector<StreamUse> uses;
};

/// A program cut open.
struct Stream {
  int64_t cut = 0;               ///< where the back edge lies, from 0 to ii - 1
  std::vector<int> order;        ///< operations as the loop runs them
  std::vector<int64_t> position; ///< of each operation in `order`
  std::vector<int64_t> start;    ///< of each operation, counted from the cut; none before it
  std::vector<int64_t> stage;    ///< of each operation: start / ii
  std::vector<int> retired;      ///< asynchronous operations that the back edge waits for
  int64_t crossings = 0;         ///< results and operands that would be in flight over it
  int64_t lead = 0;              ///< from the cut to the first asynchronous operation; ii without one
  int64_t stages() const;
};

/// `program` with the back edge at `cut`.
Stream cutStream(const StreamProgram &program, int64_t cut);
/// `program` cut where the rule says.
Stream cutStream(const StreamProgram &program);

/// One entry of a stream, run for one iteration of the loop.
struct StreamStep {
  int entry = 0;
  int64_t iteration = 0;
};

/// A stream as it runs: iteration k of the emitted loop runs an entry of stage s for iteration k - s of the program's
/// loop. Before every entry has a first iteration come sections of the prologue; behind the last trip those of the
/// epilogue run what is left. Right where the program's loop has at least as many trips as the prologue has sections.
struct StreamExpansion {
  std::vector<std::vector<StreamStep>> prologue; ///< iterations of the program's loop
  std::vector<StreamStep> steady;                ///< iterations counted from the one of the emitted loop: 0 or below
  std::vector<std::vector<StreamStep>> epilogue; ///< iterations counted from the trip count: below 0
};

/// The expansion of entries in their order, each with its stage.
StreamExpansion expandStream(const std::vector<int64_t> &stages);

/// What stands around an operation in a stream: what it gets, what it waits for, the operation, what it releases.
enum class StreamSlot : int8_t { Get, Wait, Run, After };

/// A place in the stream of an iteration: around the operation at `position` of the loop that runs `stage` iterations
/// later. The back edge is at the position behind the last.
struct StreamPlace {
  int64_t stage = 0, position = 0;
  StreamSlot slot = StreamSlot::Run;

  StreamPlace at(StreamSlot other) const { return {stage, position, other}; }
  StreamPlace later(int64_t stages) const { return {stage + stages, position, slot}; }
  /// Whether it comes first in the loop's body, whatever the stage.
  bool isBeforeInLoop(const StreamPlace &other) const {
    return position < other.position || (position == other.position && slot < other.slot);
  }
  bool operator<(const StreamPlace &other) const {
    return stage < other.stage || (stage == other.stage && isBeforeInLoop(other));
  }
};

} // namespace heddle

#endif // HEDDLE_SCHEDULING_STREAM_STREAM_H
