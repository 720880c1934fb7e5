//===- TargetInterface.h - what the compiler asks of a GPU architecture --------===//
//
// What:   the facts of an architecture that are no costs (those stand in machine files): which forms a dot has, how
//         the tensor core spreads tiles over threads, what the copy engine can move, where sums are kept, and which
//         class of the machine file a dot belongs to.
// Where:  below Analysis, Transforms, Conversion and Simulator, which name no instruction and no size of one.
//         lib/Target/Hopper is the architecture that kernels are emitted for; lib/Target/Blackwell answers for
//         schedules only. Launch registers and budgets follow from the machine file (Machine/Occupancy.h).
// Choice: a kernel says its target in an attribute; without it, it is for the one that kernels are emitted for.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_TARGET_TARGETINTERFACE_H
#define HEDDLE_TARGET_TARGETINTERFACE_H

#include "heddle/Layout/LinearLayout.h"
#include "heddle/Machine/Occupancy.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace heddle {

/// The form that a dot has with operands of one type. Sizes of tiles are multiples of these.
struct DotForm {
  int64_t columns = 1;          ///< of the result
  int64_t mostColumns = 1;      ///< of one instruction; more of the result are several
  int64_t columnsAcross = 1;    ///< the same, where the right operand lies across the contraction in memory
  int64_t contraction = 1;      ///< elements
  int64_t rowBytes = 1;         ///< of a row of an operand in shared memory
  bool leftInRegisters = false; ///< the left operand may come from registers
  bool across = false;          ///< operands may lie across the contraction in shared memory
};

/// Which threads hold a tile in registers.
struct TileHolders {
  int64_t warps = warpsPerGroup; ///< of the group
  bool alongColumns = false;     ///< a vector that runs along the columns of other tiles
  bool coalesced = false;        ///< no dot decides: lanes lie along columns, warps along rows
  bool alone = false;            ///< a vector that meets no tile of higher rank
  int64_t rows = 0;              ///< most rows of the tiles whose columns a vector runs along; 0: not known
};

/// Threads take runs of neighbouring columns in turn: column c lies in thread (c / run) % (period / run) of its row.
struct ColumnSharing {
  int64_t run = 1, period = 1;

  int64_t threads() const { return period / run; }
  /// Whether some of `size` columns that are `apart` from each other lie in different threads.
  bool crosses(int64_t size, int64_t apart) const { return apart < period && apart * size > run; }
};

class TargetInterface {
public:
  virtual ~TargetInterface() = default;

  /// As `--target` and the attribute of a kernel name it: "sm_90a".
  virtual llvm::StringRef name() const = 0;
  /// Kernels are emitted for it; else it serves schedules.
  virtual bool emitsKernels() const = 0;

  //===--- dots --------------------------------------------------------------===//

  /// Rows of a dot's result in each warp group are a multiple of this.
  virtual int64_t dotRows() const = 0;
  /// None: the tensor core takes no operands of this type.
  virtual std::optional<DotForm> dotForm(mlir::Type operand) const = 0;
  /// Dots add in this type.
  virtual bool accumulatesIn(mlir::Type type) const = 0;
  /// Sums stay in a memory of the tensor core, from where they are loaded into registers, not in registers.
  virtual bool keepsSumsInMemory() const = 0;
  /// Columns of that memory that a tile takes.
  virtual int64_t memoryColumns(mlir::RankedTensorType tile) const = 0;
  /// The class of a dot in machine files.
  virtual llvm::StringRef dotClass() const = 0;

  //===--- registers ---------------------------------------------------------===//

  /// A tile of rank 2 is spread so that a thread holds whole rows.
  virtual bool holdsRowPerThread() const = 0;
  /// How the threads share a row of a dot's result.
  virtual ColumnSharing columnSharing() const = 0;
  /// How the threads share a row of `tile` where it is read from memory.
  virtual ColumnSharing readSharing(mlir::RankedTensorType tile) const = 0;
  /// Warps that hold `tile`: its group's, or as many as its rows take.
  virtual int64_t warpsOf(mlir::RankedTensorType tile, const TileHolders &holders) const = 0;
  /// Registers of each of their threads.
  virtual int64_t registersOf(mlir::RankedTensorType tile, const TileHolders &holders) const = 0;
  /// Registers of a thread for addresses, loop state, barriers and statistics of rows.
  virtual int64_t addressRegisters() const = 0;
  /// Tiles of these sizes have an accumulator fragment.
  virtual bool hasFragment(llvm::ArrayRef<int64_t> shape) const = 0;
  /// Of a dot's result, and of a left operand in registers.
  virtual LinearLayout accumulator(llvm::ArrayRef<int64_t> shape) const = 0;
  virtual LinearLayout leftOperand(mlir::RankedTensorType tile) const = 0;

  //===--- memory ------------------------------------------------------------===//

  /// Bytes of shared memory that a block can have, whatever a machine file says (CUDA programming guide, compute
  /// capabilities).
  virtual int64_t mostSharedMemory() const = 0;

  //===--- copy engine -------------------------------------------------------===//

  /// Some box of the copy engine has the shape of `tile` in shared memory.
  virtual bool hasBox(mlir::RankedTensorType tile) const = 0;
  /// The copy engine brings a row of `tile`'s shape and type from memory that is contiguous.
  virtual bool copiesRow(mlir::RankedTensorType tile) const = 0;
  /// Bytes that the first column of a box is a multiple of.
  virtual int64_t boxAlignment() const = 0;
};

/// The target of the kernel that `op` is, or is in.
const TargetInterface &targetOf(mlir::Operation *op);
/// The target of a machine file: a memory of the tensor core tells.
const TargetInterface &targetOf(const Machine &machine);
/// The target that kernels without a name for one are for.
const TargetInterface &defaultTarget();
/// By name; null: there is none.
const TargetInterface *findTarget(llvm::StringRef name);
/// Names the target of `kernel`.
void setTarget(mlir::Operation *kernel, const TargetInterface &target);

/// The targets there are: one line for each in lib/Target/Targets.cpp.
const TargetInterface &hopperTarget();
const TargetInterface &blackwellTarget();

} // namespace heddle

#endif // HEDDLE_TARGET_TARGETINTERFACE_H
