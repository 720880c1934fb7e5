//===- Lowering.h - the lowering of one warp kernel to hw ------------------------===//
//
// WarpToHW.cpp: frame, warps, barriers and the walk; LowerRings.cpp: use numbers, slots, waits; LowerCopies.cpp: tensor
// maps and boxes; LowerDot.cpp: operands of wgmma.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_WARPTOHW_LOWERING_H
#define HEDDLE_LIB_CONVERSION_WARPTOHW_LOWERING_H

#include "SmemPlan.h"
#include "TmaBoxes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <string>

namespace heddle {

/// What one group does with one ring.
struct RingUse {
  bool copies = false;       ///< by the copy engine
  bool threadCopies = false; ///< by its own threads
  bool puts = false, publishes = false, consumes = false;
};

class Lowering {
public:
  Lowering(warp::KernelOp kernel, const WarpToHWOptions &options) : source(kernel), options(options) {}
  mlir::FailureOr<hw::KernelOp> run();

private:
  mlir::LogicalResult assignWarps();
  mlir::LogicalResult createBarriers(mlir::OpBuilder &builder);
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  /// True for a ring of single rows: what copies one arrives on its barrier (hw.row_load).
  /// Whether all lanes of a warp must have waited for a use of `aref` before one of them arrives, although no tile of
  /// it is read: those of a number, which each lane reads, and tokens behind it. A lane that is late by a phase would
  /// wait for ever. (Lanes that take programs by a stride have nothing that parts them; what parts them is the wait for
  /// a number.)
  bool meets(mlir::Value aref) const;
  bool isRowRing(mlir::Value aref);
  mlir::LogicalResult lowerCopy(warp::CopyOp op, mlir::OpBuilder &builder);
  void lowerThreadCopy(warp::CopyOp op, mlir::OpBuilder &builder);
  mlir::LogicalResult lowerCopyOut(warp::CopyOutOp op, mlir::OpBuilder &builder);
  mlir::LogicalResult lowerDot(warp::DotOp op, mlir::OpBuilder &builder);
  mlir::LogicalResult lowerAcquire(warp::AcquireOp op, mlir::OpBuilder &builder);
  void findReadsInFlight();

  mlir::Value tensorMap(mlir::Operation *op, mlir::Value view, const TmaCopy &copy, int64_t swizzle);
  llvm::SmallVector<mlir::Value> boxCoords(mlir::ValueRange indices, const TmaCopy &copy, const TmaBox &box,
                                           mlir::OpBuilder &builder, mlir::Location loc);
  mlir::Value fieldTile(mlir::Value aref, mlir::Value use, int64_t field, mlir::OpBuilder &builder, mlir::Location loc);
  mlir::Value constant(int64_t value);
  mlir::Value addConstant(mlir::Value value, int64_t offset, mlir::OpBuilder &builder, mlir::Location loc);
  mlir::Value slotOf(mlir::Value use, int64_t depth);
  mlir::Value parityOf(mlir::Value use, int64_t depth);
  mlir::OpBuilder atDefinition(mlir::Value value);

  struct Warps {
    int64_t warpgroup, warp;
  };
  struct Barriers {
    mlir::Value full, empty;
  };

  warp::KernelOp source;
  const WarpToHWOptions &options;
  SmemPlan plan;
  llvm::DenseMap<mlir::Operation *, Warps> warpsOf;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Value>, RingUse> useOf; // group, ring
  llvm::DenseMap<mlir::Value, Barriers> barriersOf;
  llvm::DenseMap<mlir::Value, mlir::Value> orderBarriers; ///< of each place, on which the place before arrives
  llvm::DenseSet<mlir::Value> copiedByThreads;            ///< rings that threads fill
  llvm::DenseSet<mlir::Value> multicast;                  ///< rings that the blocks of the cluster fill for each other
  int64_t warpgroups = 0;
  int64_t launchRegisters = 0; ///< that each thread begins with
  // Of the kernel under construction.
  hw::KernelOp kernel;
  mlir::Operation *firstRole = nullptr;
  llvm::MapVector<mlir::Value, llvm::SmallVector<hw::TensorMapOp>> maps;
  // Of the role under construction.
  hw::RoleOp role;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> groupOfRole;
  llvm::DenseMap<int64_t, mlir::Value> constants;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> slots, parities;
  bool hasCopyOut = false, drained = false;
  bool counted = false;                           ///< the kernel takes its programs from a counter
  llvm::DenseSet<mlir::Operation *> readInFlight; ///< releases before which loads of the slot may not have ended
  bool readsTiles = false; ///< with ordinary loads: all lanes must be done before one of them arrives
};

/// The value of a constant index, if it is one.
std::optional<int64_t> knownIndex(mlir::Value value);

/// Notes what the printed variable is called.
void noteName(mlir::Value value, llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_WARPTOHW_LOWERING_H
