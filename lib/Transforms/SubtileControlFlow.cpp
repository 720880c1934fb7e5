//===- SubtileControlFlow.cpp - loops and branches over compute warp groups ---===//
//
// What:      a loop or branch -> one whose variables of tiles exist once for each group. (TileToWarp gives each group
//            its own later.)
// Where:     part of the walk of Subtile.cpp. It notes which group owns each variable.
//
//===----------------------------------------------------------------------===//
#include "Subtiler.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/SourceNames.h"

using namespace mlir;
namespace heddle {

SmallVector<Value> Subtiler::expand(OpBuilder &b, ValueRange values, ValueRange variables) {
  SmallVector<Value> result;
  for (auto [value, variable] : llvm::zip(values, variables))
    for (int64_t g = 0; g < (isTile(value) ? groups : 1); ++g)
      result.push_back(lookup(b, value, g, partition.axis(variable)));
  return result;
}

FailureOr<SmallVector<Type>> Subtiler::expandTypes(Operation *op, ValueRange variables) {
  SmallVector<Type> types;
  for (Value variable : variables) {
    auto tile = dyn_cast<RankedTensorType>(variable.getType());
    FailureOr<RankedTensorType> type = tile ? part(op, tile, partition.axis(variable)) : RankedTensorType();
    if (failed(type))
      return failure();
    types.append(tile ? groups : 1, tile ? Type(*type) : variable.getType());
  }
  return types;
}

void Subtiler::mapExpanded(ValueRange from, ValueRange to) {
  unsigned next = 0;
  for (Value value : from) {
    for (int64_t g = 0; g < groups; ++g) {
      maps[g].map(value, to[next + (isTile(value) ? g : 0)]);
      tile::keepName(value, maps[g].lookup(value));
    }
    next += isTile(value) ? groups : 1;
  }
}

void Subtiler::setOwners(Operation *op, Operation *copy) {
  SmallVector<int64_t> owners;
  for (const PassedVariable &variable : passedVariables(op)) {
    if (!isTile(variable.names.front()))
      owners.push_back(-1);
    else
      for (int64_t g = 0; g < groups; ++g)
        owners.push_back(g);
  }
  copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  copy->setAttr(argGroupsAttr, OpBuilder(op).getDenseI64ArrayAttr(owners));
}

LogicalResult Subtiler::cloneBody(OpBuilder &b, Block &body) {
  for (Operation &op : body.without_terminator())
    if (failed(clone(b, &op)))
      return failure();
  return success();
}

LogicalResult Subtiler::cloneFor(OpBuilder &b, scf::ForOp loop) {
  SmallVector<Value> inits = expand(b, loop.getInitArgs(), loop.getRegionIterArgs());
  Value lb = maps[0].lookupOrDefault(loop.getLowerBound()), ub = maps[0].lookupOrDefault(loop.getUpperBound()),
        step = maps[0].lookupOrDefault(loop.getStep());
  auto copy = scf::ForOp::create(b, loop.getLoc(), lb, ub, step, inits);
  if (inits.empty())
    copy.getBody()->getTerminator()->erase();
  mapAll(loop.getInductionVar(), copy.getInductionVar());
  tile::keepName(loop.getInductionVar(), copy.getInductionVar());
  mapExpanded(loop.getRegionIterArgs(), copy.getRegionIterArgs());
  OpBuilder inner = OpBuilder::atBlockEnd(copy.getBody());
  if (failed(cloneBody(inner, *loop.getBody())))
    return failure();
  Location end = loop.getBody()->getTerminator()->getLoc();
  scf::YieldOp::create(inner, end, expand(inner, loop.getYieldedValues(), loop.getRegionIterArgs()));
  setOwners(loop, copy);
  mapExpanded(loop.getResults(), copy.getResults());
  return success();
}

LogicalResult Subtiler::cloneIf(OpBuilder &b, scf::IfOp branch) {
  FailureOr<SmallVector<Type>> types = expandTypes(branch, branch.getResults());
  if (failed(types))
    return failure();
  auto copy = scf::IfOp::create(b, branch.getLoc(), *types, maps[0].lookupOrDefault(branch.getCondition()),
                                /*addThenBlock=*/true, /*addElseBlock=*/!branch.getElseRegion().empty());
  for (auto [from, to] : llvm::zip(branch->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    to.front().clear();
    OpBuilder inner = OpBuilder::atBlockEnd(&to.front());
    Operation *end = from.front().getTerminator();
    if (failed(cloneBody(inner, from.front())))
      return failure();
    scf::YieldOp::create(inner, end->getLoc(), expand(inner, end->getOperands(), branch.getResults()));
  }
  setOwners(branch, copy);
  mapExpanded(branch.getResults(), copy.getResults());
  return success();
}

LogicalResult Subtiler::cloneWhile(OpBuilder &b, scf::WhileOp loop) {
  FailureOr<SmallVector<Type>> entering = expandTypes(loop, loop.getBeforeArguments()),
                               leaving = expandTypes(loop, loop.getResults());
  if (failed(entering) || failed(leaving))
    return failure();
  auto copy = scf::WhileOp::create(b, loop.getLoc(), *leaving, expand(b, loop.getInits(), loop.getBeforeArguments()));
  auto addBlock = [&](Region &region, TypeRange types) {
    Block &block = region.emplaceBlock();
    block.addArguments(types, SmallVector<Location>(types.size(), loop.getLoc()));
    return &block;
  };
  Block *before = addBlock(copy.getBefore(), *entering), *after = addBlock(copy.getAfter(), *leaving);
  mapExpanded(loop.getBeforeArguments(), before->getArguments());
  OpBuilder inner = OpBuilder::atBlockEnd(before);
  if (failed(cloneBody(inner, *loop.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = loop.getConditionOp();
  SmallVector<Value> passed = expand(inner, condition.getArgs(), loop.getAfterArguments());
  scf::ConditionOp::create(inner, condition.getLoc(), maps[0].lookupOrDefault(condition.getCondition()), passed);
  mapExpanded(loop.getAfterArguments(), after->getArguments());
  inner = OpBuilder::atBlockEnd(after);
  if (failed(cloneBody(inner, *loop.getAfterBody())))
    return failure();
  scf::YieldOp yield = loop.getYieldOp();
  scf::YieldOp::create(inner, yield.getLoc(), expand(inner, yield.getOperands(), loop.getBeforeArguments()));
  setOwners(loop, copy);
  mapExpanded(loop.getResults(), copy.getResults());
  return success();
}

} // namespace heddle
