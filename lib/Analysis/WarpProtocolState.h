//===- WarpProtocolState.h - What one warp group has open at a program point ===//
//
// What:   the abstract state that the protocol verifier carries along a group's ops: uses acquired and got, dots in
//         flight, accesses to shared memory that some later access must be ordered after; and the join of two paths.
// Where:  private to the protocol verifier.
// Joins:  lists are united; of two versions of one entry the less ordered one stays, and of two counts of newer dots
//         the smaller one, so a rule that holds for the join holds on both paths.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_ANALYSIS_WARPPROTOCOLSTATE_H
#define HEDDLE_LIB_ANALYSIS_WARPPROTOCOLSTATE_H

#include "UseExpr.h"
#include "heddle/Dialect/Warp/Warp.h"

#include <set>
#include <vector>

namespace heddle {

/// A use number as it was some back-edges ago; `frozen` once its loop has ended, where nothing is known of its value
/// any more.
struct UseNumber {
  mlir::Value value;
  LoopShifts shifts;
  bool frozen = false;
};

/// A rectangle of a shared-memory tile in its root's coordinates; columns 0..1 for rank 1.
struct SmemPart {
  mlir::Value root; ///< result of warp.scratch or warp.get, or the aref for a put
  int64_t row = 0, col = 0, rows = 1, cols = 1;
  bool transposed = false;
  int instance = -1; ///< which visit of the get it came from; -1 for scratch
  bool overlaps(const SmemPart &o) const {
    return root == o.root && row < o.row + o.rows && o.row < row + rows && col < o.col + o.cols && o.col < col + cols;
  }
  bool contains(const SmemPart &o) const {
    return root == o.root && row <= o.row && col <= o.col && o.row + o.rows <= row + rows &&
           o.col + o.cols <= col + cols;
  }
  /// The part of this one (which may be a transposed view) that starts at (r, c) and has the given extents.
  SmemPart slice(int64_t r, int64_t c, int64_t extentR, int64_t extentC) const;
};

/// An acquired use that is not yet published, or a got use that is not yet consumed.
struct OpenUse {
  mlir::Value ring;
  UseNumber use;
  mlir::Operation *op = nullptr;
  int instance = 0;
  std::set<int64_t> fields; ///< written so far (acquired uses)
};

struct DotInFlight {
  int id = 0;
  mlir::Operation *op = nullptr;
  int64_t newer = 0;   ///< fewest dots issued after it on any path
  std::set<int> reads; ///< instances of the gets whose tiles it reads
};

enum class AccessKind { Write, Read, DotRead, CopyOut };

/// An access to shared memory by ordinary instructions or by the asynchronous proxy, until nothing can conflict with it
/// any more.
struct ProtocolAccess {
  AccessKind kind;
  SmemPart part;
  mlir::Operation *op = nullptr;
  int dot = 0;             ///< DotRead: the dot
  int64_t newer = 0;       ///< CopyOut: fewest copy_outs issued after it on any path
  bool retired = false;    ///< DotRead, CopyOut: waited for
  bool fenced = false;     ///< Write: fence since
  bool met = false;        ///< barrier since (and since retirement)
  bool asyncReady = false; ///< Write: barrier since the fence
};

struct GroupState {
  std::vector<OpenUse> acquired, got;
  std::vector<std::pair<mlir::Value, UseNumber>> lastAcquire, lastGet;
  std::vector<DotInFlight> dots;
  std::vector<ProtocolAccess> accesses;

  /// Unites with the state of another path to the same point.
  void join(const GroupState &other);
  /// One back-edge of `loop` passed.
  void shift(mlir::Operation *loop);
  /// `loop` has ended: use numbers computed in it are unknown from here on.
  void freeze(mlir::Operation *loop);
};

} // namespace heddle

#endif // HEDDLE_LIB_ANALYSIS_WARPPROTOCOLSTATE_H
