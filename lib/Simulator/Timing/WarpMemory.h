//===- WarpMemory.h - Shared memory with its history ------------------------===//
//
// What:   the tiles of shared memory (one per scratch, one per slot and field of a ring) with their numbers and the
//         accesses that a later access must be ordered after.
// Order:  every group has a vector clock. An access of group g carries g's own component at the time it was complete;
//         it is ordered before a point of group h when h's clock has reached it, which only publish -> get and consumed
//         -> acquire bring about. Inside a group, ordinary accesses of different threads need a barrier between them,
//         ordinary writes before asynchronous reads need fence and barrier, and asynchronous reads end with their wait.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SIMULATOR_TIMING_WARPMEMORY_H
#define HEDDLE_LIB_SIMULATOR_TIMING_WARPMEMORY_H

#include "heddle/Simulator/Functional/TileValue.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::sim {

using VectorClock = std::vector<int64_t>;

struct Rect {
  int64_t row = 0, col = 0, rows = 1, cols = 1;
  bool overlaps(const Rect &o) const {
    return row < o.row + o.rows && o.row < row + rows && col < o.col + o.cols && o.col < col + cols;
  }
  bool contains(const Rect &o) const {
    return row <= o.row && col <= o.col && o.row + o.rows <= row + rows && o.col + o.cols <= col + cols;
  }
};

enum class Access {
  Write,     ///< ordinary stores of a group's threads
  CopyWrite, ///< TMA into a slot
  Read,      ///< ordinary loads
  DotRead,   ///< by a dot, until dot_wait
  CopyRead   ///< by a copy_out, until copy_out_wait
};

struct AccessRecord {
  Access kind;
  int group;
  Rect rect;
  mlir::Operation *op;
  int64_t id;              ///< the dot or copy_out, for asynchronous reads
  int64_t epoch = -1;      ///< -1: still going on
  bool fenced = false;     ///< Write: fence since
  bool met = false;        ///< barrier since it was complete
  bool asyncReady = false; ///< Write: barrier (or publish) since the fence
  bool published = false;  ///< Write in a slot: fences from here on come too late
};

/// A tile of shared memory.
struct SmemTile {
  std::string name;
  int ring = -1; ///< -1: scratch
  int64_t slot = 0, field = 0;
  int64_t use = -1; ///< the use whose data the slot holds
  Rect extent;
  TileValue data;
  std::vector<uint8_t> written;
  struct Landing {
    int64_t time, row; ///< first row
    TileValue value;
  };
  std::vector<Landing> landings; ///< copies on their way
  std::vector<AccessRecord> history;
};

/// A view of a tile, as a `!warp.smem` value holds it.
struct SmemView {
  int tile = -1;
  Rect rect;
  bool transposed = false;
  int64_t use = -1; ///< of the get it came from; -1: scratch
};

/// Outside of loops over programs and of independent loops.
inline constexpr int64_t noProgram = -1;

/// Who accesses: a group with its clock, and for which program of a persistent kernel.
struct Accessor {
  int group;
  const VectorClock *clock;
  bool oneThread;
  int64_t program;
};

/// A broken rule in words, or nothing.
using Complaint = std::optional<std::string>;

class WarpMemory {
public:
  std::vector<SmemTile> tiles;
  int64_t orderedPairs = 0;
  std::vector<std::string> groupNames;

  int addTile(std::string name, mlir::Type element, llvm::ArrayRef<int64_t> shape);

  /// Checks and records a write or the start of a copy. `id` as in AccessRecord.
  Complaint write(const Accessor &who, int tile, const Rect &rect, Access kind, mlir::Operation *op);
  /// Checks and records a read; asynchronous ones stay open until `retire`.
  Complaint read(const Accessor &who, const SmemView &view, Access kind, mlir::Operation *op, int64_t id);
  /// The asynchronous reads of `group` with this id are over.
  void retire(int group, Access kind, int64_t id, int64_t epoch, bool oneThread);
  void fence(int group, bool oneThread);
  void barrier(int group);
  /// Everything that the group wrote to this tile is published at `epoch`.
  void publish(int group, int tile, int64_t epoch);

  /// `value` will be in the rows of `tile` from `row` on at `time`.
  void land(int tile, int64_t row, int64_t time, const TileValue &value);
  /// The numbers that a view shows at `time`.
  TileValue load(const SmemView &view, int64_t time);
  void store(const SmemView &view, const TileValue &value);

private:
  Complaint ordered(const Accessor &who, const AccessRecord &old, bool oldIsWrite, Access now, const SmemTile &tile);
  void settle(SmemTile &tile, int64_t time);
};

} // namespace heddle::sim

#endif // HEDDLE_LIB_SIMULATOR_TIMING_WARPMEMORY_H
