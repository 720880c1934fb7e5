//===- KernelEmitter.h - prints an hw.kernel ------------------------------------===//
//
// KernelEmitter.cpp prints the frame (parameters, shared-memory map, barriers, roles), Statements.cpp control flow and
// notes, HWPrinter.cpp the hw ops, RegisterTiles.cpp register tiles and scalars, which ask back through EmitContext.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_KERNELEMITTER_H
#define HEDDLE_LIB_TARGET_CUDA_KERNELEMITTER_H

#include "EmitContext.h"
#include "Params.h"
#include "Prepare/Arrays.h"
#include "Prepare/Loops.h"
#include "Prepare/Pins.h"
#include "Prepare/Pressure.h"
#include "Prepare/Roles.h"

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
  /// Where the threads of all roles that have a barrier meet: at the number behind theirs.
  std::string barrierOfRoles();
  bool isRecomputed(mlir::Value value) override { return recomputed.contains(value); }
  bool isUnbranched(mlir::Operation *op) override { return unbranched.contains(op); }

private:
  // Frame.
  void header(llvm::StringRef title);
  void includes();
  void smemMap();
  void signature();
  std::string typeOf(const Param &param);
  void collectVariables(llvm::StringRef ids);
  mlir::LogicalResult programIds();
  void declareUnkept();
  void barrierInit();
  mlir::LogicalResult roles();
  bool runsOneCode(const RoleClass &shared);
  mlir::LogicalResult printFunction(RoleClass &shared, llvm::StringRef name);
  mlir::LogicalResult printRole(RoleClass &shared);
  mlir::FailureOr<std::string> captured(llvm::function_ref<mlir::LogicalResult()> print);
  void withCoordinates(llvm::function_ref<void()> print) override;
  /// The warp's number in the group, by an expression for that in the block.
  std::string warpInGroup(llvm::StringRef warp);
  /// `values`, one per member of the class that is printed, as an expression.
  std::string number(llvm::ArrayRef<int64_t> values, llvm::StringRef suffix = "") override;
  llvm::SmallVector<mlir::Value> inEachGroup(mlir::Value value) override;
  /// The same of a number that each member's twin of `op` has.
  template <typename Op> std::string numberOf(Op op, llvm::function_ref<int64_t(Op)> of) {
    llvm::SmallVector<int64_t> values;
    for (size_t member = 0; member < current->members.size(); ++member)
      values.push_back(of(mlir::cast<Op>(current->twin(op, member))));
    return number(values);
  }
  std::string byteOffset(mlir::Value tile);
  // Statements.
  mlir::LogicalResult printBlock(mlir::Block &block);
  mlir::LogicalResult printOp(mlir::Operation *op);
  bool isWrittenInPlace(mlir::Operation *op);
  mlir::LogicalResult printFor(mlir::scf::ForOp op);
  mlir::LogicalResult printIf(mlir::scf::IfOp op);
  mlir::LogicalResult printWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult declareScalars(mlir::Operation *op, mlir::ValueRange results, llvm::StringRef hint);
  void assign(llvm::ArrayRef<mlir::Value> to, llvm::ArrayRef<mlir::Value> from);
  void declareArrays(mlir::Operation *op);
  void comment(mlir::Operation *op);
  std::string threadConstant(llvm::StringRef hint, const std::string &text) override;
  bool gather(int64_t trips, llvm::ArrayRef<std::string> body) override;
  mlir::LogicalResult printSharedLoop(llvm::ArrayRef<mlir::Operation *> run);
  int64_t slicesOf(int64_t trips) override;
  void copyArray(llvm::StringRef to, llvm::StringRef from, int64_t size) override;
  mlir::LogicalResult printSlices(llvm::ArrayRef<mlir::Operation *> run);
  // hw ops (HWPrinter.cpp).
  mlir::LogicalResult printHW(mlir::Operation *op);
  void printTma(mlir::Operation *op, const std::string &call);
  void printMap(hw::TensorMapOp map);
  void beginMaps(hw::RoleOp op);
  std::string madeMapAt(hw::TensorMapOp map);
  std::string mapAt(mlir::Value map);
  void printWgmmaFence(hw::WgmmaFenceOp op);
  void printDescriptors(hw::WgmmaOp op);
  mlir::LogicalResult printWgmma(hw::WgmmaOp op);
  void printWgmmaWait(hw::WgmmaWaitOp op);
  std::string barAt(mlir::Value bars, mlir::Value slot);
  std::string perCluster() const;
  std::string coords(mlir::ValueRange values);
  void fenceOperands(mlir::ValueRange values);

  hw::KernelOp kernel;
  Params params;
  int64_t cluster; ///< blocks that run a program together
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringMap<int> used;
  llvm::DenseMap<mlir::Operation *, int64_t> madeMaps; ///< of windows -> number among what a block borrows
  llvm::StringMap<std::string> smemConstants;          ///< hw.smem name -> constexpr
  llvm::DenseMap<mlir::Operation *, std::pair<std::string, std::string>> descriptors; ///< wgmma -> names of a's and b's
  std::vector<std::pair<std::string, std::string>> variables;                         ///< type, name: outside the roles
  llvm::DenseMap<const RoleClass *, std::pair<std::string, std::string>> calls; ///< class -> function, its arguments
  std::vector<RoleClass> classes;
  RoleClass *current = nullptr; ///< that is printed
  hw::RoleOp role;              ///< its first member
  RecomputedTiles recomputed;
  ArrayAssignment arrays;
  SharedLoops sharedLoops, slices;
  Pins pins;
  llvm::DenseSet<mlir::Operation *> unbranched, blockEnds;
  std::vector<std::pair<std::string, std::string>> threadConstants; ///< text, name
  mlir::Operation *gathering = nullptr;                             ///< whose statement goes into a shared loop
  std::vector<std::string> gathered;                                ///< the statements of that loop
  int64_t slicing = 0;                                              ///< into how many slices loops are divided
  std::vector<int64_t> sliced;                                      ///< trips of the loops that were
  std::vector<std::string> arrayNames;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int>> declaredBefore;
  std::string lastComment;
};

/// What a variable or array is called: its note, its name in the program, what it computes, or what it is.
std::string hintFor(mlir::Value value);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_KERNELEMITTER_H
