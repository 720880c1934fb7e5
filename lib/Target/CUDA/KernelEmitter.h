//===- KernelEmitter.h - prints an hw.kernel ------------------------------------===//
//
// KernelEmitter.cpp prints the frame (parameters, shared-memory map, barriers, roles) and control flow; HWPrinter.cpp
// the hw ops; RegisterTiles.cpp register tiles and scalars, which ask back through EmitContext.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_KERNELEMITTER_H
#define HEDDLE_LIB_TARGET_CUDA_KERNELEMITTER_H

#include "Arrays.h"
#include "EmitContext.h"
#include "Params.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace heddle::cuda {

/// The variable that holds a text's mark begins with this.
inline constexpr llvm::StringLiteral markPrefix = "heddle_text_";

class KernelEmitter : public EmitContext {
public:
  KernelEmitter(hw::KernelOp kernel, llvm::raw_ostream &os);
  mlir::LogicalResult run(llvm::StringRef title);

  std::string nameOf(mlir::Value value) override;
  std::string fresh(llvm::StringRef hint) override;
  SmemTile smemTileOf(mlir::Value value) override;
  ViewAccess viewOf(mlir::Value view) override;
  std::string scratchFor(mlir::Operation *op) override;
  std::string groupBarrier() override;

private:
  // Frame.
  void header(llvm::StringRef title);
  void includes();
  void smemMap();
  void signature();
  mlir::LogicalResult programIds();
  void barrierInit();
  mlir::LogicalResult roles();
  mlir::LogicalResult printRole(hw::RoleOp op);
  // Statements.
  mlir::LogicalResult printBlock(mlir::Block &block);
  mlir::LogicalResult printOp(mlir::Operation *op);
  mlir::LogicalResult printFor(mlir::scf::ForOp op);
  mlir::LogicalResult printIf(mlir::scf::IfOp op);
  mlir::LogicalResult printWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult declareScalars(mlir::Operation *op, mlir::ValueRange results, llvm::StringRef hint);
  void assign(llvm::ArrayRef<mlir::Value> to, llvm::ArrayRef<mlir::Value> from);
  void declareArrays(mlir::Operation *op);
  void comment(mlir::Operation *op);
  // hw ops (HWPrinter.cpp).
  mlir::LogicalResult printHW(mlir::Operation *op);
  void printTma(mlir::Operation *op, const std::string &call);
  void printWgmmaFence(hw::WgmmaFenceOp op);
  void printDescriptors(hw::WgmmaOp op);
  mlir::LogicalResult printWgmma(hw::WgmmaOp op);
  void printWgmmaWait(hw::WgmmaWaitOp op);
  std::string barAt(mlir::Value bars, mlir::Value slot);
  std::string coords(mlir::ValueRange values);
  void fenceOperands(mlir::ValueRange values);

  hw::KernelOp kernel;
  Params params;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringMap<int> used;
  llvm::StringMap<std::string> smemConstants;                                         ///< hw.smem name -> constexpr
  llvm::DenseMap<mlir::Operation *, std::pair<std::string, std::string>> descriptors; ///< wgmma -> names of a's and b's
  hw::RoleOp role;
  ArrayAssignment arrays;
  std::vector<std::string> arrayNames;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int>> declaredBefore;
  std::string lastComment;
};

/// "hd::f16" for f16; the tag of an element type in the device library.
std::string elementTag(mlir::Type type);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_KERNELEMITTER_H
