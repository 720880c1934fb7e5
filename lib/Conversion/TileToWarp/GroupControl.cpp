//===- GroupControl.cpp - loops and branches in the program's order ---------===//
//
// Every loop and branch passes on what the group owns of its variables, then the use counters of the rings inside.
//
//===----------------------------------------------------------------------===//
#include "GroupWalker.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {

/// Whether both are used once an iteration of one scheduled loop or once a run of one block, in turn or not.
static bool areUsedTogether(Ring &one, Ring &other) {
  return one.loop == other.loop && one.source()->getBlock() == other.source()->getBlock() &&
         one.inTurn() == other.inTurn();
}

SmallVector<Ring *> GroupWalker::usedTogether(Ring &ring) const {
  auto counted = [&](Ring &other) { return isLoad() ? !other.stage : uses(other); };
  auto shares = [&](Ring &other) {
    return llvm::any_of(context.rings, [&](Ring &sharer) { return &sharer != &other && &sharer.slots() == &other; });
  };
  SmallVector<Ring *> together;
  for (Ring &other : context.rings)
    if (&other == &ring || (counted(other) && !other.home && !ring.home && areUsedTogether(ring, other) &&
                            !shares(ring) && !shares(other)))
      together.push_back(&other);
  return together;
}

Location GroupWalker::counterAt(Ring &ring, Location loc) const {
  std::string name;
  for (Ring *other : usedTogether(ring))
    name += (name.empty() ? "" : "_") + other->name;
  return NameLoc::get(StringAttr::get(loc.getContext(), name + "Uses"), loc);
}

SmallVector<Ring *> GroupWalker::ringsInside(Operation *control) const {
  llvm::SetVector<Ring *> inside;
  for (Ring &ring : context.rings)
    if (control->isAncestor(ring.source()) && (isLoad() ? !ring.stage : uses(ring)))
      inside.insert(usedTogether(ring.slots()).front());
  return inside.takeVector();
}

SmallVector<Value> GroupWalker::passed(OpBuilder &b, IRMapping &map, ArrayRef<unsigned> owned, ValueRange values,
                                       ArrayRef<Ring *> rings) {
  SmallVector<Value> result;
  for (unsigned i : owned)
    result.push_back(complete(b, map, values[i]));
  for (Ring *ring : rings)
    result.push_back(useOf(b, ring));
  return result;
}

void GroupWalker::receive(IRMapping &map, ArrayRef<unsigned> owned, ValueRange values, ArrayRef<Ring *> rings,
                          ValueRange got) {
  for (auto [n, i] : llvm::enumerate(owned))
    map.map(values[i], got[n]);
  for (auto [n, ring] : llvm::enumerate(rings))
    for (Ring *other : usedTogether(*ring))
      counters[other] = got[owned.size() + n];
}

LogicalResult GroupWalker::body(OpBuilder &b, Block &source, IRMapping &map) {
  if (staging)
    staging->forgetCounts();
  LogicalResult result = block(b, source, map);
  if (staging)
    staging->forgetCounts();
  return result;
}

LogicalResult GroupWalker::outerLoop(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
  SmallVector<Ring *> inside = ringsInside(loop);
  SmallVector<unsigned> owned = ownedVariables(loop, group);
  SmallVector<Value> inits = passed(b, map, owned, loop.getInitArgs(), inside);
  auto [lb, ub, step] = boundsOf(b, map, loop);
  auto copy = scf::ForOp::create(b, loop.getLoc(), lb, ub, step, inits);
  for (StringRef mark : {programLoopAttr, independentAttr}) // the simulator judges what is independent by another rule
    if (loop->hasAttr(mark))
      copy->setAttr(mark, b.getUnitAttr());
  if (inits.empty())
    copy.getBody()->getTerminator()->erase();
  IRMapping inner = map;
  inner.map(loop.getInductionVar(), copy.getInductionVar());
  tile::keepName(loop.getInductionVar(), copy.getInductionVar());
  for (auto [i, arg] : llvm::zip(owned, copy.getRegionIterArgs()))
    tile::keepName(loop.getRegionIterArg(i), arg);
  for (auto [ring, arg] : llvm::zip(inside, copy.getRegionIterArgs().drop_front(owned.size())))
    arg.setLoc(counterAt(*ring, loop.getLoc()));
  receive(inner, owned, loop.getRegionIterArgs(), inside, copy.getRegionIterArgs());
  OpBuilder at = OpBuilder::atBlockEnd(copy.getBody());
  if (failed(body(at, *loop.getBody(), inner)))
    return failure();
  scf::YieldOp::create(at, loop.getLoc(), passed(at, inner, owned, loop.getYieldedValues(), inside));
  receive(map, owned, loop.getResults(), inside, copy.getResults());
  return success();
}

LogicalResult GroupWalker::ifBranch(OpBuilder &b, scf::IfOp branch, IRMapping &map) {
  SmallVector<Ring *> inside = ringsInside(branch);
  SmallVector<unsigned> owned = ownedVariables(branch, group);
  SmallVector<Type> types;
  for (unsigned i : owned)
    types.push_back(branch.getResult(i).getType());
  types.append(inside.size(), b.getIndexType());
  bool otherwise = !branch.getElseRegion().empty() || !types.empty();
  auto copy = scf::IfOp::create(b, branch.getLoc(), types, materialise(b, map, branch.getCondition()),
                                /*addThenBlock=*/true, otherwise);
  UseCounters before = counters;
  bool flying = inFlight, flew = false;
  for (auto [from, to] : llvm::zip(branch->getRegions(), copy->getRegions())) {
    if (to.empty())
      continue;
    to.front().clear();
    counters = before;
    inFlight = flying;
    IRMapping inner = map;
    OpBuilder at = OpBuilder::atBlockEnd(&to.front());
    if (!from.empty() && failed(body(at, from.front(), inner)))
      return failure();
    ValueRange yielded = from.empty() ? ValueRange() : ValueRange(from.front().getTerminator()->getOperands());
    scf::YieldOp::create(at, branch.getLoc(), passed(at, inner, owned, yielded, inside));
    flew |= inFlight;
  }
  inFlight = flew || (flying && !otherwise);
  counters = before;
  receive(map, owned, branch.getResults(), inside, copy.getResults());
  return success();
}

LogicalResult GroupWalker::whileLoop(OpBuilder &b, scf::WhileOp loop, IRMapping &map) {
  SmallVector<Ring *> inside = ringsInside(loop);
  unsigned entering = loop.getInits().size();
  SmallVector<unsigned> in, out; // numbers among the inits, among the results
  for (unsigned i : ownedVariables(loop, group))
    (i < entering ? in : out).push_back(i < entering ? i : i - entering);
  SmallVector<Value> inits = passed(b, map, in, loop.getInits(), inside);
  SmallVector<Type> types;
  for (unsigned i : out)
    types.push_back(loop.getResult(i).getType());
  types.append(inside.size(), b.getIndexType());
  auto copy = scf::WhileOp::create(b, loop.getLoc(), types, inits);
  if (loop->hasAttr(independentAttr))
    copy->setAttr(independentAttr, b.getUnitAttr());
  auto addBlock = [&](Region &region, TypeRange arguments) {
    Block &block = region.emplaceBlock();
    block.addArguments(arguments, SmallVector<Location>(arguments.size(), loop.getLoc()));
    return OpBuilder::atBlockEnd(&block);
  };
  IRMapping inner = map;
  OpBuilder at = addBlock(copy.getBefore(), ValueRange(inits).getTypes());
  receive(inner, in, loop.getBeforeArguments(), inside, copy.getBeforeArguments());
  if (failed(body(at, *loop.getBeforeBody(), inner)))
    return failure();
  scf::ConditionOp condition = loop.getConditionOp();
  Value holds = materialise(at, inner, condition.getCondition());
  scf::ConditionOp::create(at, condition.getLoc(), holds, passed(at, inner, out, condition.getArgs(), inside));
  inner = map;
  at = addBlock(copy.getAfter(), types);
  receive(inner, out, loop.getAfterArguments(), inside, copy.getAfterArguments());
  if (failed(body(at, *loop.getAfterBody(), inner)))
    return failure();
  scf::YieldOp::create(at, loop.getLoc(), passed(at, inner, in, loop.getYieldOp().getOperands(), inside));
  receive(map, out, loop.getResults(), inside, copy.getResults());
  return success();
}

} // namespace heddle
