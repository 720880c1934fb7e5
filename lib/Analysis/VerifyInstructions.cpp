//===- VerifyInstructions.cpp - see VerifyInstructions.h ---------------------===//
#include "heddle/Analysis/VerifyInstructions.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Target/TargetInterface.h"

using namespace mlir;
namespace heddle {

LogicalResult verifyDotTypes(Operation *dot, Type operand, RankedTensorType result) {
  const TargetInterface &target = targetOf(dot);
  if (!target.dotForm(operand))
    return dot->emitOpError("expected f16, bf16, f8, f32 or i8 operands, got ") << operand;
  if (!target.accumulatesIn(result.getElementType()))
    return dot->emitOpError("expected an accumulator of f32, f16 or bf16, or of i32 for i8 operands, got ")
           << result.getElementType();
  return success();
}

LogicalResult verifyDotForm(Operation *dot, Type operand, RankedTensorType result, int64_t contraction) {
  if (failed(verifyDotTypes(dot, operand, result)))
    return failure();
  std::optional<DotForm> form = targetOf(dot).dotForm(operand);
  if (contraction % form->contraction)
    return dot->emitOpError("expected a contraction size divisible by ")
           << form->contraction << ", got " << contraction;
  if (int64_t columns = result.getDimSize(1); columns % form->columns)
    return dot->emitOpError("expected a result width divisible by ") << form->columns << ", got " << columns;
  return success();
}

/// What says where a tile of the copy engine lies, and nothing else, uses the load.
static LogicalResult verifyLoad(tile::LoadOp load) {
  bool shared = isTmaLoad(load);
  for (Operation *user : load->getUsers())
    if (isa<warp::LoadedOp>(user) != shared) {
      InFlightDiagnostic diag = user->emitOpError()
                                << (shared ? "expected a tile in registers, got one that the copy engine brings to "
                                             "shared memory (take it by warp.loaded and warp.read)"
                                           : "expected a tile that the copy engine loads, got one of registers");
      diag.attachNote(load.getLoc()) << "loaded here";
      return failure();
    }
  return success();
}

/// The group that has register tile `tile`; none: every group makes it for itself.
static std::optional<int64_t> ownerOf(Value tile) {
  if (std::optional<VariableRef> variable = variableOf(tile)) {
    auto owners = variable->op->getAttrOfType<DenseI64ArrayAttr>(argGroupsAttr);
    int64_t owner = owners ? owners[variable->number] : 0;
    return owner < 0 ? std::nullopt : std::optional<int64_t>(owner);
  }
  Operation *def = tile.getDefiningOp();
  return def && isComputed(def) ? std::optional<int64_t>(groupOf(def)) : std::nullopt;
}

/// Register tiles that `op`, of `group`, takes directly or through free operations.
static LogicalResult verifyOwners(Operation *op, int64_t group, Operation *user) {
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    std::optional<int64_t> owner = ownerOf(operand);
    if (owner && *owner != group) {
      InFlightDiagnostic diag = user->emitOpError("expected register tiles of its own warp group ")
                                << group << ", got one of group " << *owner;
      diag.attachNote(operand.getLoc()) << "made here";
      return failure();
    }
    Operation *def = operand.getDefiningOp();
    if (!owner && def && isFree(def) && failed(verifyOwners(def, group, user)))
      return failure();
  }
  return success();
}

static LogicalResult verifyInstruction(Operation *op) {
  if (isa<tile::DotOp>(op))
    return op->emitOpError("expected warp.dot at the instruction level, got tile.dot");
  bool known = isa<warp::DotOp, warp::LoadedOp, warp::SliceOp, warp::TransposeOp, warp::ReadOp, warp::StageOp>(op);
  if (isa<warp::WarpDialect>(op->getDialect()) && !known)
    return op->emitOpError("expected no rings and no waits before a schedule says them, got one");
  if (auto load = dyn_cast<tile::LoadOp>(op); load && failed(verifyLoad(load)))
    return failure();
  if (auto dot = dyn_cast<warp::DotOp>(op)) {
    warp::SmemType right = dot.getB().getType();
    if (failed(verifyDotForm(dot, right.getElementType(), dot.getResult().getType(), right.getShape()[0])))
      return failure();
  }
  return isComputed(op) ? verifyOwners(op, groupOf(op), op) : success();
}

LogicalResult verifyInstructions(tile::KernelOp kernel) {
  auto check = [](Operation *op) { return WalkResult(verifyInstruction(op)); };
  return failure(kernel.walk(check).wasInterrupted());
}

} // namespace heddle
