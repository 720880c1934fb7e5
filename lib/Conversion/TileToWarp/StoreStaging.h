//===- StoreStaging.h - stores through shared memory and the copy engine ---===//
#ifndef HEDDLE_LIB_CONVERSION_TILETOWARP_STORESTAGING_H
#define HEDDLE_LIB_CONVERSION_TILETOWARP_STORESTAGING_H

#include "GroupBuilder.h"

namespace heddle {

/// Emits a group's tile stores: chunks go through alternating scratch buffers (chunksOf).
class StoreStaging {
public:
  StoreStaging(KernelContext &context, int64_t group) : context(context), group(group) {}

  enum class Place { StraightLine, Loop, ScheduledLoop };

  /// Stores `value` to `view` at `indices` as `op` says: in a loop of several groups all chunks at once where there are
  /// as many buffers, otherwise one after the other. In a scheduled loop, whose expansion moves the store, chunks go in
  /// batches of the buffers there are, and a batch waits for the one before it, whichever iteration that was of.
  void store(mlir::OpBuilder &b, tile::StoreOp op, mlir::Value value, mlir::Value view,
             llvm::ArrayRef<mlir::Value> indices, Place place);
  /// At the begin and the end of a loop's body, where how many copies ran is not known: later waits are for the last of
  /// them.
  void forgetCounts();
  /// Waits for the copies that still read scratch memory.
  void finish(mlir::OpBuilder &b, mlir::Location loc);
  /// Shared memory taken.
  int64_t bytes() const { return taken; }

private:
  struct Buffer {
    mlir::Value scratch;
    int64_t lastCopy; ///< number of the copy that last read it, or `never`
  };
  static constexpr int64_t never = INT64_MIN;
  void create(mlir::OpBuilder &b, mlir::Location loc, warp::SmemType type, int64_t lastCopy);
  llvm::SmallVector<mlir::Value> take(mlir::OpBuilder &b, mlir::Location loc, warp::SmemType type, Place place,
                                      size_t count);

  KernelContext &context;
  int64_t group;
  llvm::MapVector<mlir::Type, llvm::SmallVector<Buffer>> buffers;
  size_t alternating = 0; ///< buffers of one type
  int64_t copies = 0, taken = 0;
};

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TILETOWARP_STORESTAGING_H
