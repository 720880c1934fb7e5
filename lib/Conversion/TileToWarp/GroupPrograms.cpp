//===- GroupPrograms.cpp - the loop over programs ---------------------------===//
//
// Where several programs are in flight each compute group runs those of its turn; where blocks take programs from a
// counter, a group of its own brings the numbers to all others by a ring (docs/decisions/0026-counted-programs.md).
//
//===----------------------------------------------------------------------===//
#include "GroupWalker.h"

#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/SourceNames.h"

using namespace mlir;
namespace heddle {

Value GroupWalker::usesOf(OpBuilder &b, const Ring &ring, scf::ForOp loop, IRMapping map, Value number) {
  map.map(loop.getInductionVar(), number);
  Value uses;
  for (Ring &sharer : context.rings) {
    if (&sharer.slots() != &ring)
      continue;
    Location loc = ring.source()->getLoc();
    Value own = sharer.loop ? tripCount(b, map, cast<scf::ForOp>(sharer.loop)) : constantIndex(b, loc, 1);
    uses = uses ? arith::AddIOp::create(b, loc, uses, own).getResult() : own;
  }
  return uses;
}

DenseMap<const Ring *, Value> GroupWalker::usesOfEvery(OpBuilder &b, scf::ForOp loop, IRMapping &map, Value number) {
  DenseMap<const Ring *, Value> same;
  for (Ring *ring : ringsInside(loop))
    if (ring->inTurn() && llvm::none_of(context.rings, [&](Ring &sharer) {
          return &sharer.slots() == ring && sharer.loop && tripsDependOn(cast<scf::ForOp>(sharer.loop), loop);
        }))
      same[ring] = usesOf(b, *ring, loop, map, number);
  return same;
}

LogicalResult GroupWalker::programsInTurn(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
  Location loc = loop.getLoc();
  int64_t turns = context.turns;
  SmallVector<Ring *> inside = ringsInside(loop);
  Value lb = materialise(b, map, loop.getLowerBound()), ub = materialise(b, map, loop.getUpperBound()),
        step = materialise(b, map, loop.getStep());
  auto add = [&](OpBuilder &b, Value x, Value y) { return arith::AddIOp::create(b, loc, x, y).getResult(); };
  auto times = [&](OpBuilder &b, Value x, int64_t n) {
    return arith::MulIOp::create(b, loc, x, constantIndex(b, loc, n)).getResult();
  };
  DenseMap<const Ring *, Value> same = usesOfEvery(b, loop, map, lb);
  // What a program beyond the last one would use is not asked for: its coordinates divide by what may be zero.
  auto usesOfOther = [&](OpBuilder &b, const Ring &ring, Value first, int64_t behind) {
    Value last = arith::SubIOp::create(b, loc, ub, constantIndex(b, loc, 1));
    return usesOf(b, ring, loop, map, arith::MinSIOp::create(b, loc, add(b, first, times(b, step, behind)), last));
  };
  SmallVector<Value> inits;
  for (Ring *ring : inside) {
    Value use = useOf(b, ring);
    if (ring->inTurn() && same.count(ring))
      use = add(b, use, times(b, same[ring], turn));
    else if (ring->inTurn())
      for (int64_t before = 0; before < turn; ++before)
        use = add(b, use, usesOfOther(b, *ring, lb, before));
    inits.push_back(use);
  }
  inits.push_back(constantIndex(b, loc, 0));
  auto copy = scf::ForOp::create(b, loc, add(b, lb, times(b, step, turn)), ub, times(b, step, turns), inits);
  copy->setAttr(programLoopAttr, b.getUnitAttr());
  Value number = copy.getInductionVar();
  IRMapping inner = map;
  inner.map(loop.getInductionVar(), number);
  tile::keepName(loop.getInductionVar(), number);
  for (auto [ring, arg] : llvm::zip(inside, copy.getRegionIterArgs()))
    arg.setLoc(counterAt(*ring, loc));
  BlockArgument passes = copy.getRegionIterArgs().back();
  passes.setLoc(NameLoc::get(b.getStringAttr("turns"), loc));
  receive(inner, {}, {}, inside, copy.getRegionIterArgs());
  auto compare = [loc](OpBuilder &b, arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y).getResult();
  };
  current.passes = passes;
  current.isLater = [=](OpBuilder &b) { return compare(b, arith::CmpIPredicate::sgt, number, lb); };
  current.hasNext = [=](OpBuilder &b) {
    Value next = arith::AddIOp::create(b, loc, number, step);
    return compare(b, arith::CmpIPredicate::slt, next, ub);
  };
  findTurn(*loop.getBody());
  OpBuilder at = OpBuilder::atBlockEnd(copy.getBody());
  if (failed(body(at, *loop.getBody(), inner)))
    return failure();
  turnBegins = turnEnds = nullptr;
  SmallVector<Value> yields;
  for (auto [ring, arg] : llvm::zip(inside, copy.getRegionIterArgs())) {
    Value use = useOf(at, ring);
    if (ring->inTurn() && same.count(ring))
      use = add(at, arg, times(at, same[ring], turns));
    else if (ring->inTurn())
      for (int64_t other = 1; other < turns; ++other)
        use = add(at, use, usesOfOther(at, *ring, number, other));
    yields.push_back(use);
  }
  yields.push_back(add(at, passes, constantIndex(at, loc, 1)));
  scf::YieldOp::create(at, loc, yields);
  receive(map, {}, {}, inside, copy.getResults());
  return success();
}

void GroupWalker::findTurn(Block &body) {
  auto include = [&](Operation *op) {
    if (!turnBegins || op->isBeforeInBlock(turnBegins))
      turnBegins = op;
    if (!turnEnds || turnEnds->isBeforeInBlock(op))
      turnEnds = op;
  };
  for (Ring &ring : context.rings)
    if (ring.inTurn() && ring.loop)
      include(ring.loop);
    else if (ring.inTurn() && !ring.apart)
      for (Value tile : ring.tiles())
        for (Operation *user : usersThroughFree(tile))
          include(body.findAncestorOpInBlock(*user));
}

void GroupWalker::takeTurn(OpBuilder &b) {
  Location loc = current.passes.getLoc();
  Value later = current.isLater(b);
  // The first group takes one turn less than it passes on: nobody gives it the first.
  Value use = arith::AddIOp::create(b, loc, current.passes, constantIndex(b, loc, turn ? 0 : -1));
  auto branch = scf::IfOp::create(b, loc, later, /*withElseRegion=*/false);
  OpBuilder then = OpBuilder::atBlockBegin(branch.thenBlock());
  Value token = context.tokens[group][turn];
  warp::GetOp::create(then, loc, TypeRange(), token, use);
  warp::ConsumedOp::create(then, loc, token, use);
}

void GroupWalker::passTurn(OpBuilder b) {
  Block *block = b.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  if (last && last->hasTrait<OpTrait::IsTerminator>())
    last = last->getPrevNode();
  while (last && (isa<warp::DotWaitOp, warp::ConsumedOp>(last) || (isMemoryEffectFree(last) && !last->getNumRegions())))
    last = last->getPrevNode();
  if (auto branch = dyn_cast_or_null<scf::IfOp>(last); branch && branch.elseBlock()) {
    passTurn(OpBuilder::atBlockEnd(branch.thenBlock()));
    passTurn(OpBuilder::atBlockEnd(branch.elseBlock()));
    return;
  }
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(block);
  Location loc = current.passes.getLoc();
  auto branch = scf::IfOp::create(b, loc, current.hasNext(b), /*withElseRegion=*/false);
  OpBuilder then = OpBuilder::atBlockBegin(branch.thenBlock());
  Value token = context.tokens[group][(turn + 1) % context.turns];
  warp::AcquireOp::create(then, loc, token, current.passes);
  warp::PublishOp::create(then, loc, token, current.passes);
}

Value GroupWalker::takeNumber(OpBuilder &b, Location loc, Value count) {
  Location named = NameLoc::get(b.getStringAttr("next"), loc);
  auto get = warp::GetOp::create(b, named, b.getIndexType(), context.numbers, count);
  warp::ConsumedOp::create(b, loc, context.numbers, count);
  return get.getResult(0);
}

LogicalResult GroupWalker::countedPrograms(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
  Location loc = loop.getLoc();
  bool inTurn = !isLoad() && context.turns > 1;
  SmallVector<Ring *> inside = ringsInside(loop);
  Value first = materialise(b, map, loop.getLowerBound()), programs = materialise(b, map, loop.getUpperBound());
  DenseMap<const Ring *, Value> same;
  if (inTurn)
    same = usesOfEvery(b, loop, map, first);
  SmallVector<Value> inits{first, constantIndex(b, loc, 0)};
  llvm::append_range(inits, passed(b, map, {}, {}, inside));
  SmallVector<Type> types(inits.size(), b.getIndexType());
  auto copy = scf::WhileOp::create(b, loc, types, inits);
  copy->setAttr(programLoopAttr, b.getUnitAttr());
  auto named = [&](const Twine &name) { return NameLoc::get(b.getStringAttr(name), loc); };
  SmallVector<Location> locs{loop.getInductionVar().getLoc(), named("taken")};
  for (Ring *ring : inside)
    locs.push_back(counterAt(*ring, loc));
  OpBuilder before = OpBuilder::atBlockBegin(&copy.getBefore().emplaceBlock());
  copy.getBeforeBody()->addArguments(types, locs);
  Value more = arith::CmpIOp::create(before, loc, arith::CmpIPredicate::slt, copy.getBeforeArguments()[0], programs);
  scf::ConditionOp::create(before, loc, more, copy.getBeforeArguments());

  OpBuilder at = OpBuilder::atBlockBegin(&copy.getAfter().emplaceBlock());
  copy.getAfterBody()->addArguments(types, locs);
  Value number = copy.getAfterArguments()[0], count = copy.getAfterArguments()[1];
  IRMapping inner = map;
  inner.map(loop.getInductionVar(), number);
  receive(inner, {}, {}, inside, copy.getAfterArguments().drop_front(2));
  Value next;
  if (inTurn) {
    next = takeNumber(at, loc, count);
    if (failed(programOfTurn(at, loop, inner, inside, same, {number, count, next, programs})))
      return failure();
  } else {
    if (failed(body(at, *loop.getBody(), inner)))
      return failure();
    next = takeNumber(at, loc, count);
  }
  SmallVector<Value> yields{next, arith::AddIOp::create(at, loc, count, constantIndex(at, loc, 1))};
  llvm::append_range(yields, passed(at, inner, {}, {}, inside));
  scf::YieldOp::create(at, loc, yields);
  receive(map, {}, {}, inside, copy.getResults().drop_front(2));
  return success();
}

LogicalResult GroupWalker::programOfTurn(OpBuilder &b, scf::ForOp loop, IRMapping &map, ArrayRef<Ring *> inside,
                                         DenseMap<const Ring *, Value> &same, const CountedProgram &program) {
  Location loc = loop.getLoc();
  Value turns = constantIndex(b, loc, context.turns);
  Value mine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     arith::RemUIOp::create(b, loc, program.count, turns), constantIndex(b, loc, turn));
  auto branch = scf::IfOp::create(b, loc, SmallVector<Type>(inside.size(), b.getIndexType()), mine,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
    region->front().clear();
  UseCounters before = counters;
  OpBuilder at = OpBuilder::atBlockEnd(branch.thenBlock());
  current.passes = arith::DivUIOp::create(at, loc, program.count, turns);
  current.isLater = [=](OpBuilder &b) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, program.count, constantIndex(b, loc, 0));
  };
  current.hasNext = [=](OpBuilder &b) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, program.next, program.programs);
  };
  findTurn(*loop.getBody());
  IRMapping inner = map;
  if (failed(body(at, *loop.getBody(), inner)))
    return failure();
  turnBegins = turnEnds = nullptr;
  scf::YieldOp::create(at, loc, passed(at, inner, {}, {}, inside));

  counters = before;
  at = OpBuilder::atBlockEnd(branch.elseBlock());
  for (Ring *ring : inside)
    if (ring->inTurn()) {
      Value every = same.lookup(ring);
      advance(at, ring, every ? every : usesOf(at, *ring, loop, map, program.number));
    }
  scf::YieldOp::create(at, loc, passed(at, map, {}, {}, inside));
  receive(map, {}, {}, inside, branch.getResults());
  return success();
}

void buildSourceGroup(KernelContext &context, warp::GroupOp op) {
  OpBuilder b = OpBuilder::atBlockEnd(&op.getBody().front());
  IRMapping map = context.arguments;
  scf::ForOp loop = programLoop(context.source);
  Location loc = loop.getLoc();
  Value programs = materialise(b, map, loop.getUpperBound()), none = constantIndex(b, loc, 0);
  auto numbers = scf::WhileOp::create(b, loc, b.getIndexType(), none);
  auto addBlock = [&](Region &region) {
    Block &block = region.emplaceBlock();
    block.addArgument(b.getIndexType(), NameLoc::get(b.getStringAttr("taken"), loc));
    return OpBuilder::atBlockEnd(&block);
  };
  OpBuilder at = addBlock(numbers.getBefore());
  Value count = numbers.getBeforeArguments()[0];
  warp::AcquireOp::create(at, loc, context.numbers, count);
  Value next = warp::NextProgramOp::create(at, NameLoc::get(b.getStringAttr("next"), loc), programs);
  warp::PutOp::create(at, loc, next, context.numbers, count, at.getI64IntegerAttr(0));
  warp::PublishOp::create(at, loc, context.numbers, count);
  Value more = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::slt, next, programs);
  Value later = arith::AddIOp::create(at, loc, count, constantIndex(at, loc, 1));
  scf::ConditionOp::create(at, loc, more, later);
  at = addBlock(numbers.getAfter());
  scf::YieldOp::create(at, loc, numbers.getAfterArguments());
}

} // namespace heddle
