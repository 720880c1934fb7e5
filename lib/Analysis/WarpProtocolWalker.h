//===- WarpProtocolWalker.h - The abstract interpreter of one warp group -----===//
//
// What:   follows a group's ops with a GroupState and reports the first broken rule at its op.
// Where:  private to the protocol verifier. WarpProtocolWalker.cpp: control flow and rings; WarpProtocolMemory.cpp:
//         shared memory and dots.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_ANALYSIS_WARPPROTOCOLWALKER_H
#define HEDDLE_LIB_ANALYSIS_WARPPROTOCOLWALKER_H

#include "WarpProtocolState.h"
#include "heddle/Analysis/WarpProtocol.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// The ring's name in quotes.
std::string ringName(mlir::Value ring);

/// Which fields of which rings some group reads by a dot or a copy_out, that is: through the asynchronous proxy.
using AsyncFields = llvm::DenseMap<mlir::Value, std::set<int64_t>>;

class ProtocolWalker {
public:
  ProtocolWalker(warp::GroupOp group, const AsyncFields &asyncFields)
      : group(group), asyncFields(asyncFields), oneThread(group.getWarps() == 1) {}

  mlir::LogicalResult run();
  /// Waits, fences and barriers that changed the state on some path.
  llvm::DenseSet<mlir::Operation *> effective;
  /// The dots that a wait was the first to retire, on some path.
  RetiredDots retired;

private:
  mlir::LogicalResult walk(mlir::Block &block);
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitFor(mlir::scf::ForOp loop);
  mlir::LogicalResult visitIf(mlir::scf::IfOp branch);
  mlir::LogicalResult visitWhile(mlir::scf::WhileOp loop);
  /// All of `names` stand for what `values` stand for now, at once.
  void pass(mlir::ValueRange values, mlir::ValueRange names);
  mlir::LogicalResult checkBalance(mlir::Operation *op, const GroupState &before, llvm::StringRef what);

  mlir::LogicalResult visitAcquire(warp::AcquireOp op);
  mlir::LogicalResult visitField(mlir::Operation *op, mlir::Value ring, mlir::Value use, int64_t field, SmemPart *put);
  mlir::LogicalResult visitPublish(warp::PublishOp op);
  mlir::LogicalResult visitGet(warp::GetOp op);
  mlir::LogicalResult visitConsumed(warp::ConsumedOp op);
  mlir::LogicalResult visitDot(warp::DotOp op);
  mlir::LogicalResult visitDotWait(warp::DotWaitOp op);
  mlir::LogicalResult visitWrite(warp::WriteOp op);
  mlir::LogicalResult visitRead(warp::ReadOp op);
  mlir::LogicalResult visitCopyOut(warp::CopyOutOp op);
  void visitCopyOutWait(warp::CopyOutWaitOp op);
  void visitFence(warp::FenceOp op);
  void visitBarrier(warp::BarrierOp op);

  mlir::LogicalResult checkNoPending(mlir::Operation *op);
  mlir::LogicalResult checkHeld(mlir::Operation *op, llvm::ArrayRef<SmemPart> source);
  mlir::LogicalResult checkAsyncSource(mlir::Operation *op, const SmemPart &part, llvm::StringRef reader);
  mlir::LogicalResult checkConsecutive(mlir::Operation *op, std::vector<std::pair<mlir::Value, UseNumber>> &last,
                                       mlir::Value ring, mlir::Value use);
  /// Index of the open use that `use` names, or -1 with a diagnostic.
  int find(mlir::Operation *op, std::vector<OpenUse> &open, mlir::Value ring, mlir::Value use, llvm::StringRef opener);
  std::optional<int64_t> difference(const UseNumber &older, mlir::Value use);
  llvm::ArrayRef<SmemPart> partsOf(mlir::Value value);
  SmemPart whole(mlir::Value tile, int instance);
  void carry(mlir::Value from, mlir::Value to, bool unite);
  void prune();

  warp::GroupOp group;
  const AsyncFields &asyncFields;
  bool oneThread;
  UseExprBuilder exprs;
  GroupState state;
  int nextInstance = 1;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<SmemPart, 1>> parts;
  llvm::DenseMap<mlir::Value, std::set<int>> pending; ///< register tile or token -> dots that it stands for
};

} // namespace heddle

#endif // HEDDLE_LIB_ANALYSIS_WARPPROTOCOLWALKER_H
