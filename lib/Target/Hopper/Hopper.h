//===- Hopper.h - sm_90a ------------------------------------------------------===//
//
// Dots:      wgmma (PTX ISA 9.7.15): 64 rows a warp group, 32 bytes of the contraction an instruction, columns in
//            eights (sixteens where the right operand is read across: a chunk of 32 bytes of it, and of integers);
//            sums in f32, of integers in i32. 16-bit operands lie along the contraction or across it, others along it
//            only; 32-bit ones are read from shared memory, since registers hold them untruncated, and integers of 8
//            bits, since registers hold one each.
// Registers: fragments spread a row over 4 lanes: a tile takes elements / 128 registers, a vector along the rows
//            elements / 32, one along the columns elements / 4; 16-bit elements pack, truth values do not.
// Copies:    boxes of cp.async.bulk.tensor: rank 2, rows of a multiple of 16 bytes, starting at one. In shared memory
//            a tile is chunks of columns, of whole groups of 8 rows (a swizzle's period) where there are several.
//            Rows of their own come by cp.async.bulk where their address is a multiple of 16 bytes.
//            The H100 ends a kernel with "illegal instruction" for a box that starts at another column, also for one
//            outside the tensor (measured with fp16 and boxes of 64 columns: 3, 164 fault; 8, 24, 56, 160 and -64 do
//            not).
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_HOPPER_HOPPER_H
#define HEDDLE_LIB_TARGET_HOPPER_HOPPER_H

#include "heddle/Dialect/HW/Limits.h"
#include "heddle/Target/TargetInterface.h"

namespace heddle {

class Hopper : public TargetInterface {
public:
  llvm::StringRef name() const override { return "sm_90a"; }
  bool emitsKernels() const override { return true; }

  int64_t dotRows() const override { return hw::dotRows; }
  std::optional<DotForm> dotForm(mlir::Type operand) const override;
  bool accumulatesIn(mlir::Type type) const override { return type.isF32() || type.isInteger(32); }
  bool keepsSumsInMemory() const override { return false; }
  int64_t memoryColumns(mlir::RankedTensorType tile) const override { return 0; }
  llvm::StringRef dotClass() const override { return "wgmma"; }

  bool holdsRowPerThread() const override { return false; }
  ColumnSharing columnSharing() const override;
  ColumnSharing readSharing(mlir::RankedTensorType tile) const override;
  int64_t warpsOf(mlir::RankedTensorType tile, const TileHolders &holders) const override { return holders.warps; }
  int64_t registersOf(mlir::RankedTensorType tile, const TileHolders &holders) const override;
  int64_t addressRegisters() const override { return 40; }
  bool hasFragment(llvm::ArrayRef<int64_t> shape) const override;
  LinearLayout accumulator(llvm::ArrayRef<int64_t> shape) const override;
  LinearLayout leftOperand(mlir::RankedTensorType tile) const override;

  bool hasBox(mlir::RankedTensorType tile) const override;
  bool copiesRow(mlir::RankedTensorType tile) const override;
  int64_t boxAlignment() const override { return hw::copyBytes; }
  int64_t mostSharedMemory() const override { return int64_t{227} * 1024; }
};

} // namespace heddle

#endif // HEDDLE_LIB_TARGET_HOPPER_HOPPER_H
