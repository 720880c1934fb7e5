//===- StructureReturns.cpp - early returns become branches -----------------===//
//
// What:  `if (c) return; rest` in blocks -> scf.if with the blocks as its regions, one block and one return for the
//        whole kernel. Where several branches meet, each gets what follows as its own; then blocks form a tree.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace heddle::triton {

/// Replaces the terminator of `block`; what follows it moves inside.
static LogicalResult structure(Block &block) {
  Operation *terminator = block.getTerminator();
  if (isa<ReturnOp>(terminator))
    return success();
  OpBuilder builder(terminator);
  auto follow = [&](Block *next, ValueRange given) -> LogicalResult {
    for (auto [argument, value] : llvm::zip_equal(next->getArguments(), given))
      argument.replaceAllUsesWith(value);
    return structure(*next);
  };
  if (auto jump = dyn_cast<cf::BranchOp>(terminator)) {
    Block *next = jump.getDest();
    if (failed(follow(next, jump.getDestOperands())))
      return failure();
    jump.erase();
    block.getOperations().splice(block.end(), next->getOperations());
    return success();
  }
  auto branch = dyn_cast<cf::CondBranchOp>(terminator);
  if (!branch)
    return terminator->emitError("expected a branch or a return, got another end of a block");
  auto choice = scf::IfOp::create(builder, branch.getLoc(), branch.getCondition(), /*withElseRegion=*/true);
  auto moveInto = [&](Block *into, Block *next, ValueRange given) -> LogicalResult {
    if (failed(follow(next, given)))
      return failure();
    next->getTerminator()->erase();
    into->getOperations().splice(into->begin(), next->getOperations());
    return success();
  };
  if (failed(moveInto(choice.thenBlock(), branch.getTrueDest(), branch.getTrueDestOperands())) ||
      failed(moveInto(choice.elseBlock(), branch.getFalseDest(), branch.getFalseDestOperands())))
    return failure();
  branch.erase();
  builder.setInsertionPointToEnd(&block);
  ReturnOp::create(builder, choice.getLoc(), ValueRange());
  return success();
}

/// Operations that a kernel may have more of, where several branches meet and go on together.
constexpr int64_t mostCopied = 4096;

/// The blocks that `first` leads to, itself included, in some order.
static SmallVector<Block *> reachedFrom(Block *first) {
  SmallVector<Block *> blocks{first};
  DenseSet<Block *> seen{first};
  for (size_t i = 0; i < blocks.size(); ++i)
    for (Block *next : blocks[i]->getSuccessors())
      if (seen.insert(next).second)
        blocks.push_back(next);
  return blocks;
}

/// `edge` leads to a copy of what it leads to, with all that follows; how many operations that takes.
static int64_t copyBehind(BlockOperand &edge, Region &body) {
  SmallVector<Block *> blocks = reachedFrom(edge.get());
  IRMapping map;
  int64_t count = 0;
  for (Block *block : blocks) {
    auto *own = new Block;
    body.push_back(own);
    map.map(block, own);
    for (BlockArgument argument : block->getArguments())
      map.map(argument, own->addArgument(argument.getType(), argument.getLoc()));
  }
  for (Block *block : blocks)
    for (Operation &op : *block) {
      OpBuilder::atBlockEnd(map.lookup(block)).clone(op, map);
      op.walk([&](Operation *) { ++count; });
    }
  // Blocks come in no order: what was cloned before what it uses is joined to it now.
  for (Block *block : blocks)
    map.lookup(block)->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(map.lookupOrDefault(operand.get()));
    });
  edge.set(map.lookup(edge.get()));
  return count;
}

/// Lets each branch lead to blocks of its own, so that blocks form a tree. Fails where that takes too many operations.
static LogicalResult separate(FuncOp function) {
  Region &body = function.getBody();
  int64_t copied = 0;
  for (bool again = true; again;) {
    again = false;
    for (Block &block : llvm::make_early_inc_range(body)) {
      if (&block == &body.front() || block.use_empty())
        continue;
      for (BlockOperand &use : llvm::make_early_inc_range(llvm::drop_begin(block.getUses()))) {
        copied += copyBehind(use, body);
        again = true;
        if (copied > mostCopied)
          return function.emitError("expected branches that meet with at most ")
                 << mostCopied << " operations behind them altogether, got more";
      }
    }
  }
  return success();
}

LogicalResult structureReturns(FuncOp function) {
  Region &body = function.getBody();
  if (body.hasOneBlock())
    return success();
  for (Block &block : body)
    for (Block *next : block.getSuccessors())
      if (llvm::is_contained(reachedFrom(next), &block))
        return block.getTerminator()->emitError("expected loops of scf, got blocks that lead back to each other");
  function.getContext()->loadDialect<scf::SCFDialect>();
  if (failed(separate(function)) || failed(structure(body.front())))
    return failure();
  while (!body.hasOneBlock())
    body.back().erase();
  return success();
}

} // namespace heddle::triton
