//===- StructureReturns.cpp - early returns become branches -----------------===//
//
// What:  `if (c) return; rest` in blocks -> scf.if with the blocks as its regions, one block and one return for the
//        whole kernel. A block that only returns, where several branches meet, becomes one for each of them; then
//        blocks form a tree: each has one predecessor and no arguments; anything else is refused.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace heddle::triton {

/// Replaces the terminator of `block`; what follows it moves inside.
static LogicalResult structure(Block &block) {
  Operation *terminator = block.getTerminator();
  if (isa<ReturnOp>(terminator))
    return success();
  OpBuilder builder(terminator);
  auto follow = [&](Block *next, Block *into) -> LogicalResult {
    if (!next->getSinglePredecessor() || next->getNumArguments())
      return terminator->emitError("expected blocks that branch as a tree, with returns at its ends, got another flow");
    if (failed(structure(*next)))
      return failure();
    next->getTerminator()->erase();
    into->getOperations().splice(into->begin(), next->getOperations());
    return success();
  };
  if (auto jump = dyn_cast<cf::BranchOp>(terminator)) {
    Block *next = jump.getDest();
    if (!next->getSinglePredecessor() || next->getNumArguments())
      return terminator->emitError("expected blocks that branch as a tree, with returns at its ends, got another flow");
    if (failed(structure(*next)))
      return failure();
    jump.erase();
    block.getOperations().splice(block.end(), next->getOperations());
    return success();
  }
  auto branch = dyn_cast<cf::CondBranchOp>(terminator);
  if (!branch)
    return terminator->emitError("expected blocks that branch as a tree, with returns at its ends, got another flow");
  auto choice = scf::IfOp::create(builder, branch.getLoc(), branch.getCondition(), /*withElseRegion=*/true);
  if (failed(follow(branch.getTrueDest(), choice.thenBlock())) ||
      failed(follow(branch.getFalseDest(), choice.elseBlock())))
    return failure();
  branch.erase();
  builder.setInsertionPointToEnd(&block);
  ReturnOp::create(builder, choice.getLoc(), ValueRange());
  return success();
}

/// Gives each branch to a block that only returns a block of its own.
static void separateReturns(Region &body) {
  for (Block &block : llvm::make_early_inc_range(body)) {
    if (block.use_empty() || block.getNumArguments() || !isa<ReturnOp>(block.front()))
      continue;
    for (BlockOperand &use : llvm::make_early_inc_range(llvm::drop_begin(block.getUses()))) {
      auto *own = new Block;
      body.push_back(own);
      OpBuilder::atBlockEnd(own).clone(block.front());
      use.set(own);
    }
  }
}

LogicalResult structureReturns(FuncOp function) {
  Region &body = function.getBody();
  if (body.hasOneBlock())
    return success();
  function.getContext()->loadDialect<scf::SCFDialect>();
  separateReturns(body);
  if (failed(structure(body.front())))
    return failure();
  while (!body.hasOneBlock())
    body.back().erase();
  return success();
}

} // namespace heddle::triton
