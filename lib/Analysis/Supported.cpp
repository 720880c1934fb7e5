//===- Supported.cpp - see Supported.h -------------------------------------===//
//
// The list:
//   control flow     scf.for, scf.if, scf.while; steps are at least 1
//   tiles            operations of the tile dialect, element-wise ones, constants, tensor.splat; parts and shapes
//                    (Transforms/NormaliseShapes.cpp says which)
//   attributes       those of the operations, and dialects' own
//   scalars of tiles that memory or scalars decide (Transforms/ReadScalars.cpp says which)
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Supported.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace heddle {

static LogicalResult verifyLoop(scf::ForOp loop) {
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.getSExtValue() < 1)
    return loop.emitOpError("expected a step of at least 1, got ") << step.getSExtValue();
  return success();
}

static LogicalResult verifyTiles(Operation *op) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  if (llvm::none_of(op->getOperandTypes(), isTile) && llvm::none_of(op->getResultTypes(), isTile))
    return success();
  if (isa<tile::TileDialect, scf::SCFDialect>(op->getDialect()) || OpTrait::hasElementwiseMappableTraits(op) ||
      isa<arith::ConstantOp, tensor::SplatOp, tensor::ExtractOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
          tensor::ConcatOp, tensor::ReshapeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::EmptyOp>(op))
    return success();
  return op->emitError("expected an operation on tiles that has a lowering, got ") << op->getName();
}

/// Misspelt names would change the meaning without a word. Those of a dialect's (heddle.non_negative) are a step's.
static LogicalResult verifyAttributes(Operation *op) {
  SmallVector<StringRef> also{planAttr};
  if (isa<tile::KernelOp>(op))
    also.append({"groups", tile::clusterAttr});
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.contains('.') || llvm::is_contained(also, name))
      continue;
    std::string known = llvm::join(also, ", ");
    for (StringAttr inherent : op->getRegisteredInfo()->getAttributeNames())
      known += ", " + inherent.str();
    return op->emitOpError("expected an attribute that it has (") << known << "), got '" << name << "'";
  }
  return success();
}

LogicalResult verifySupported(tile::KernelOp kernel) {
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    LogicalResult fine = success();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      fine = verifyLoop(loop);
    else if (op->getNumRegions() && op != kernel.getOperation() && !isBranchOrLoop(op))
      fine = op->emitError("expected scf.for, scf.if or scf.while as control flow, got ") << op->getName();
    else if (!isa<tile::TileDialect, scf::SCFDialect>(op->getDialect()) && !isMemoryEffectFree(op))
      fine = op->emitError("expected an operation that tile programs have, got ") << op->getName();
    else
      fine = verifyTiles(op);
    if (succeeded(fine))
      fine = verifyAttributes(op);
    return failed(fine) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace heddle
