//===- GroupBuilder.cpp - regions of the compute groups and the load group --===//
//
// What:      walks the tile kernel's body once per group and builds the group's region: its own operations in program
//            order outside scheduled loops, LoopStream for those, gets before the first reader, staging for stores.
// Where:     inside TileToWarp.
// Protocol:  a ring is got in the block of its loads (or of its stage), before the first reader there, and released
//            there behind the last; a loop or branch around readers is a reader. So every fill of a block finds the
//            slots of the block's iteration before released, whatever the loops inside do. Ring uses are numbered by an
//            explicit counter, which the loops and branches around a ring carry. Conditions are uniform and computed by
//            every group for itself: all groups go the same way, and a ring in a branch is filled and read by all that
//            use it or by none.
//
//===----------------------------------------------------------------------===//
#include "GroupBuilder.h"

#include "StoreStaging.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

using namespace mlir;
namespace heddle {

namespace {
Value constantIndex(OpBuilder &b, Location loc, int64_t v) { return arith::ConstantIndexOp::create(b, loc, v); }

/// Walks blocks of the tile kernel for one group.
class GroupWalker {
public:
  GroupWalker(KernelContext &context, int64_t group, StoreStaging *staging, int64_t turn = 0)
      : context(context), group(group), turn(turn), staging(staging) {}

  LogicalResult block(OpBuilder &b, Block &source, IRMapping &map) {
    SmallVector<Ring *> held;
    for (Operation &op : source.without_terminator()) {
      if (&op == turnBegins)
        takeTurn(b);
      if (failed(visit(b, &op, map, held)))
        return failure();
      if (&op == turnEnds)
        passTurn(b);
      release(b, &op, held);
    }
    assert(held.empty() && "a ring is held for its readers");
    return success();
  }

  UseCounters counters;

private:
  bool isLoad() const { return group < 0; }

  LogicalResult visit(OpBuilder &b, Operation *op, IRMapping &map, SmallVector<Ring *> &held) {
    if (isa<tile::GridOp, tile::ReturnOp>(op))
      return success();
    if (isBranchOrLoop(op)) {
      if (!isNeeded(op))
        return success();
      getForInside(b, op, map, held);
      if (auto branch = dyn_cast<scf::IfOp>(op))
        return ifBranch(b, branch, map);
      if (auto loop = dyn_cast<scf::WhileOp>(op))
        return whileLoop(b, loop, map);
      auto loop = cast<scf::ForOp>(op);
      if (loop->hasAttr(countedAttr))
        return countedPrograms(b, loop, map);
      if (!isLoad() && loop->hasAttr(turnsAttr))
        return programsInTurn(b, loop, map);
      return context.schedules.count(loop) ? scheduledLoop(b, loop, map) : outerLoop(b, loop, map);
    }
    if (auto element = dyn_cast<tile::ElementOp>(op)) // before what is inside loops, not once more in each
      return materialise(b, map, element), success();
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && isTmaLoad(load))
      return isLoad() ? fillAfter(b, load, map) : success();
    if (!isMine(op)) {
      // Free operations are computed on demand; scalars here, where the program does, and not in the loops that need
      // them.
      if (!touchesTiles(op) && isMemoryEffectFree(op) && !op->getNumRegions())
        for (Value scalar : op->getResults())
          materialise(b, map, scalar);
      return success();
    }
    getFor(b, op, op->getBlock(), map, held);
    for (Value operand : op->getOperands())
      if (isa<warp::DotOp>(op) && cast<warp::DotOp>(op).getAcc() == operand)
        materialise(b, map, operand);
      else
        complete(b, map, operand);
    if (auto store = dyn_cast<tile::StoreOp>(op); store && isTmaStore(store)) {
      SmallVector<Value> indices;
      for (Value i : store.getIndices())
        indices.push_back(materialise(b, map, i));
      staging->store(b, store, map.lookup(store.getValue()), map.lookup(store.getView()), indices,
                     isBranchOrLoop(op->getParentOp()) ? StoreStaging::Place::Loop : StoreStaging::Place::StraightLine);
      return success();
    }
    if (auto stage = dyn_cast<warp::StageOp>(op)) {
      Ring *ring = context.ringOf.lookup(op).first;
      Value use = useOf(b, ring);
      emitPut(b, *ring, map.lookup(stage.getValue()), use);
      if (!llvm::is_contained(ring->consumers, group)) {
        advance(b, ring, constantIndex(b, op->getLoc(), 1));
        return success();
      }
      emitGet(b, *ring, use, map);
      held.push_back(ring);
      return success();
    }
    emitMemoryWait(b, op);
    Operation *clone = b.clone(*op, map);
    clone->removeAttr(groupAttr);
    clone->removeAttr(waitMemoryAttr);
    inFlight |= isa<warp::DotOp>(op);
    return success();
  }

  /// An operation on tiles that this group runs. (Loops belong to nobody: each group runs the part it needs.)
  bool isMine(Operation *op) const { return !isLoad() && isComputed(op) && groupOf(op) == group; }

  /// True when the loop or branch does anything for this group, or passes on what something may need.
  bool isNeeded(Operation *control) const {
    SmallVector<PassedVariable> variables = passedVariables(control);
    for (unsigned i : ownedVariables(control, group))
      if (Value last = variables[i].names.back(); isa<OpResult>(last) && !last.use_empty())
        return true;
    return control
        ->walk([&](Operation *op) {
          auto load = dyn_cast<tile::LoadOp>(op);
          return isMine(op) || (isLoad() && load && isTmaLoad(load)) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  //===--- compute groups ------------------------------------------------===//

  /// `value` in this group, waited for if a dot that is in flight computes it.
  Value complete(OpBuilder &b, IRMapping &map, Value value) {
    Value v = materialise(b, map, value);
    if (!v.getDefiningOp<warp::DotOp>())
      return v;
    auto wait = warp::DotWaitOp::create(b, v.getLoc(), v, 0);
    map.map(value, wait.getResult(0));
    return wait.getResult(0);
  }

  /// Gets the rings of `block` that free operations lead from `user` to.
  void getFor(OpBuilder &b, Operation *user, Block *block, IRMapping &map, SmallVector<Ring *> &held) {
    for (Value operand : user->getOperands())
      getValue(b, operand, block, map, held);
  }

  void getValue(OpBuilder &b, Value v, Block *block, IRMapping &map, SmallVector<Ring *> &held) {
    Operation *def = v.getDefiningOp();
    if (!def || map.contains(v) || !(isFree(def) || isa<warp::StageOp>(def)))
      return;
    auto loaded = dyn_cast<warp::LoadedOp>(def);
    if (!loaded && !isa<warp::StageOp>(def)) {
      for (Value operand : def->getOperands())
        getValue(b, operand, block, map, held);
      return;
    }
    Ring *ring = context.ringOf.lookup(loaded ? loaded.getTile().getDefiningOp() : def).first;
    if (ring->source()->getBlock() != block)
      return;
    emitGet(b, *ring, useOf(b, ring), map);
    held.push_back(ring);
  }

  /// Gets what the inside of `control` reads from rings of the block that it is in, and waits for the dots that it
  /// takes results of.
  void getForInside(OpBuilder &b, Operation *control, IRMapping &map, SmallVector<Ring *> &held) {
    if (isLoad())
      return;
    control->walk([&](Operation *op) {
      if (isMine(op))
        getFor(b, op, control->getBlock(), map, held);
      else if (!isControlFlow(op))
        return;
      for (Value operand : op->getOperands())
        if (map.contains(operand))
          complete(b, map, operand);
    });
  }

  /// True when `op`, of the block of `ring`, is or holds the last reader of `ring` in this group.
  bool isLastReader(Operation *op, const Ring &ring) const {
    Operation *last = nullptr;
    for (Value tile : ring.tiles())
      for (Operation *user : usersThroughFree(tile)) {
        Operation *here = isMine(user) ? op->getBlock()->findAncestorOpInBlock(*user) : nullptr;
        if (here && (!last || last->isBeforeInBlock(here)))
          last = here;
      }
    return last == op;
  }

  /// Releases the rings of `held` that `op` is the last to read.
  void release(OpBuilder &b, Operation *op, SmallVector<Ring *> &held) {
    llvm::erase_if(held, [&](Ring *ring) {
      if (!isLastReader(op, *ring))
        return false;
      Location loc = ring->source()->getLoc();
      if (inFlight)
        warp::DotWaitOp::create(b, loc, ValueRange(), 0);
      inFlight = false;
      warp::ConsumedOp::create(b, loc, ring->aref, useOf(b, ring));
      advance(b, ring, constantIndex(b, loc, 1));
      return true;
    });
  }

  /// A compute group that fills or reads `ring`.
  bool uses(const Ring &ring) const { return ring.producer == group || llvm::is_contained(ring.consumers, group); }

  Value useOf(OpBuilder &b, Ring *ring) {
    Value use = counters.lookup(&ring->slots());
    return use ? use : constantIndex(b, ring->source()->getLoc(), 0);
  }

  void advance(OpBuilder &b, Ring *ring, Value by) {
    Value now = counters.lookup(&ring->slots());
    counters[&ring->slots()] = now ? arith::AddIOp::create(b, by.getLoc(), now, by).getResult() : by;
  }

  LogicalResult scheduledLoop(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
    if (isLoad())
      return fillLoop(b, loop, map);
    Value trip;
    if (failed(LoopStream(context, group, loop, map, counters, *staging).emit(b, trip)))
      return failure();
    for (Ring &ring : context.rings)
      if (ring.loop == loop.getOperation() && uses(ring))
        advance(b, &ring, trip);
    return success();
  }

  //===--- sequential control flow ---------------------------------------===//
  // Every loop and branch passes on what the group owns of its variables, then the use counters of the rings inside.

  SmallVector<Ring *> ringsInside(Operation *control) const {
    llvm::SetVector<Ring *> inside;
    for (Ring &ring : context.rings)
      if (control->isAncestor(ring.source()) && (isLoad() ? !ring.stage : uses(ring)))
        inside.insert(&ring.slots());
    return inside.takeVector();
  }

  /// Of `values`, those numbered in `owned`, complete; then the counters of `rings`.
  SmallVector<Value> passed(OpBuilder &b, IRMapping &map, ArrayRef<unsigned> owned, ValueRange values,
                            ArrayRef<Ring *> rings) {
    SmallVector<Value> result;
    for (unsigned i : owned)
      result.push_back(complete(b, map, values[i]));
    for (Ring *ring : rings)
      result.push_back(useOf(b, ring));
    return result;
  }

  /// Takes up on the other side what `passed` gave.
  void receive(IRMapping &map, ArrayRef<unsigned> owned, ValueRange values, ArrayRef<Ring *> rings, ValueRange got) {
    for (auto [n, i] : llvm::enumerate(owned))
      map.map(values[i], got[n]);
    for (auto [n, ring] : llvm::enumerate(rings))
      counters[ring] = got[owned.size() + n];
  }

  /// The operations of `source`; how many copies ran before it and in it is not known outside.
  LogicalResult body(OpBuilder &b, Block &source, IRMapping &map) {
    if (staging)
      staging->forgetCounts();
    LogicalResult result = block(b, source, map);
    if (staging)
      staging->forgetCounts();
    return result;
  }

  /// A loop around scheduled loops.
  LogicalResult outerLoop(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
    SmallVector<Ring *> inside = ringsInside(loop);
    SmallVector<unsigned> owned = ownedVariables(loop, group);
    SmallVector<Value> inits = passed(b, map, owned, loop.getInitArgs(), inside);
    auto [lb, ub, step] = boundsOf(b, map, loop);
    auto copy = scf::ForOp::create(b, loop.getLoc(), lb, ub, step, inits);
    for (StringRef mark :
         {programLoopAttr, independentAttr}) // the simulator judges what is independent by another rule
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
      arg.setLoc(NameLoc::get(b.getStringAttr(ring->name + "Uses"), loop.getLoc()));
    receive(inner, owned, loop.getRegionIterArgs(), inside, copy.getRegionIterArgs());
    OpBuilder at = OpBuilder::atBlockEnd(copy.getBody());
    if (failed(body(at, *loop.getBody(), inner)))
      return failure();
    scf::YieldOp::create(at, loop.getLoc(), passed(at, inner, owned, loop.getYieldedValues(), inside));
    receive(map, owned, loop.getResults(), inside, copy.getResults());
    return success();
  }

  //===--- programs in flight --------------------------------------------===//

  /// Uses of `ring` by program `number` of `loop`; `map` is that of around the loop.
  Value usesOf(OpBuilder &b, const Ring &ring, scf::ForOp loop, IRMapping map, Value number) {
    if (!ring.loop)
      return constantIndex(b, ring.source()->getLoc(), 1);
    map.map(loop.getInductionVar(), number);
    return tripCount(b, map, cast<scf::ForOp>(ring.loop));
  }

  /// Uses of rings that are used in turn, of which every program has as many; by the loop of the loads.
  DenseMap<Operation *, Value> usesOfEvery(OpBuilder &b, scf::ForOp loop, IRMapping &map, Value number) {
    DenseMap<Operation *, Value> same;
    for (Ring *ring : ringsInside(loop))
      if (ring->inTurn() && ring->loop && !tripsDependOn(cast<scf::ForOp>(ring->loop), loop) && !same.count(ring->loop))
        same[ring->loop] = usesOf(b, *ring, loop, map, number);
    return same;
  }

  /// The loop over programs where several are in flight: this group takes every so many-th, from that of its turn on.
  /// Rings in turn count the uses of all programs.
  LogicalResult programsInTurn(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
    Location loc = loop.getLoc();
    int64_t turns = context.turns;
    SmallVector<Ring *> inside = ringsInside(loop);
    Value lb = materialise(b, map, loop.getLowerBound()), ub = materialise(b, map, loop.getUpperBound()),
          step = materialise(b, map, loop.getStep());
    auto add = [&](OpBuilder &b, Value x, Value y) { return arith::AddIOp::create(b, loc, x, y).getResult(); };
    auto times = [&](OpBuilder &b, Value x, int64_t n) {
      return arith::MulIOp::create(b, loc, x, constantIndex(b, loc, n)).getResult();
    };
    DenseMap<Operation *, Value> same = usesOfEvery(b, loop, map, lb);
    SmallVector<Value> inits;
    for (Ring *ring : inside) {
      Value use = useOf(b, ring);
      if (ring->inTurn() && (!ring->loop || same.count(ring->loop)))
        use = add(b, use, ring->loop ? times(b, same[ring->loop], turn) : constantIndex(b, loc, turn));
      else if (ring->inTurn())
        for (int64_t before = 0; before < turn; ++before)
          use = add(b, use, usesOf(b, *ring, loop, map, add(b, lb, times(b, step, before))));
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
      arg.setLoc(NameLoc::get(b.getStringAttr(ring->name + "Uses"), loc));
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
      if (ring->inTurn() && (!ring->loop || same.count(ring->loop)))
        use = add(at, arg, ring->loop ? times(at, same[ring->loop], turns) : constantIndex(at, loc, turns));
      else if (ring->inTurn())
        for (int64_t other = 1; other < turns; ++other)
          use = add(at, use, usesOf(at, *ring, loop, map, add(at, number, times(at, step, other))));
      yields.push_back(use);
    }
    yields.push_back(add(at, passes, constantIndex(at, loc, 1)));
    scf::YieldOp::create(at, loc, yields);
    receive(map, {}, {}, inside, copy.getResults());
    return success();
  }

  /// A group's turn lasts from its first to its last use of a ring that is used in turn: then the gets of all groups
  /// are ordered, and the tensor core works on one program after the other.
  void findTurn(Block &body) {
    auto include = [&](Operation *op) {
      if (!turnBegins || op->isBeforeInBlock(turnBegins))
        turnBegins = op;
      if (!turnEnds || turnEnds->isBeforeInBlock(op))
        turnEnds = op;
    };
    for (Ring &ring : context.rings)
      if (ring.inTurn() && ring.loop)
        include(ring.loop);
      else if (ring.inTurn())
        for (Value tile : ring.tiles())
          for (Operation *user : usersThroughFree(tile))
            include(body.findAncestorOpInBlock(*user));
  }

  /// Waits until the program before has passed the turn on; none comes before the first.
  void takeTurn(OpBuilder &b) {
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

  /// Lets the next program begin, if there is one: before what only waits for products and releases slots at the end.
  void passTurn(OpBuilder b) {
    Block *block = b.getInsertionBlock();
    Operation *last = block->empty() ? nullptr : &block->back();
    if (last && last->hasTrait<OpTrait::IsTerminator>())
      last = last->getPrevNode();
    while (last &&
           (isa<warp::DotWaitOp, warp::ConsumedOp>(last) || (isMemoryEffectFree(last) && !last->getNumRegions())))
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

  //===--- programs from a counter ---------------------------------------===//

  /// Use `count` of the ring of numbers.
  Value takeNumber(OpBuilder &b, Location loc, Value count) {
    Location named = NameLoc::get(b.getStringAttr("next"), loc);
    auto get = warp::GetOp::create(b, named, b.getIndexType(), context.numbers, count);
    warp::ConsumedOp::create(b, loc, context.numbers, count);
    return get.getResult(0);
  }

  /// The loop over programs where blocks take them from a counter: the first is the block's own number, use n of the
  /// ring of numbers says which one comes behind the n-th. Every group takes every number. Where several programs are
  /// in flight, each compute group runs those of its turn and counts the uses that the others make of rings in turn; it
  /// takes the number early, since whether there is a next program decides whether the turn is passed on.
  LogicalResult countedPrograms(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
    Location loc = loop.getLoc();
    bool inTurn = !isLoad() && context.turns > 1;
    SmallVector<Ring *> inside = ringsInside(loop);
    Value first = materialise(b, map, loop.getLowerBound()), programs = materialise(b, map, loop.getUpperBound());
    DenseMap<Operation *, Value> same;
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
      locs.push_back(named(ring->name + "Uses"));
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

  struct CountedProgram {
    Value number, count, next, programs;
  };

  /// One program of a counted loop: the program itself in this group's turn, else its uses of rings.
  LogicalResult programOfTurn(OpBuilder &b, scf::ForOp loop, IRMapping &map, ArrayRef<Ring *> inside,
                              DenseMap<Operation *, Value> &same, const CountedProgram &program) {
    Location loc = loop.getLoc();
    Value turns = constantIndex(b, loc, context.turns);
    Value mine =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, arith::RemUIOp::create(b, loc, program.count, turns),
                              constantIndex(b, loc, turn));
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
        Value every = ring->loop ? same.lookup(ring->loop) : Value();
        advance(at, ring, every ? every : usesOf(at, *ring, loop, map, program.number));
      }
    scf::YieldOp::create(at, loc, passed(at, map, {}, {}, inside));
    receive(map, {}, {}, inside, branch.getResults());
    return success();
  }

  LogicalResult ifBranch(OpBuilder &b, scf::IfOp branch, IRMapping &map) {
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

  LogicalResult whileLoop(OpBuilder &b, scf::WhileOp loop, IRMapping &map) {
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

  //===--- load group ----------------------------------------------------===//

  void fill(OpBuilder &b, Ring &ring, IRMapping &map, Value use) {
    Location loc = ring.loads.front()->getLoc();
    SmallVector<SmallVector<Value>> indices;
    for (tile::LoadOp load : ring.loads) {
      indices.emplace_back();
      for (Value i : load.getIndices())
        indices.back().push_back(materialise(b, map, i));
    }
    warp::AcquireOp::create(b, loc, ring.aref, use);
    for (auto [field, load] : llvm::enumerate(ring.loads))
      warp::CopyOp::create(b, load.getLoc(), map.lookup(load.getView()), indices[field],
                           b.getDenseI64ArrayAttr(load.getTileDims()), ring.aref, use,
                           b.getI64IntegerAttr(ring.firstField + field),
                           context.multicast.contains(load) ? b.getUnitAttr() : UnitAttr());
    warp::PublishOp::create(b, loc, ring.aref, use);
  }

  LogicalResult fillAfter(OpBuilder &b, tile::LoadOp load, IRMapping &map) {
    Ring *ring = context.ringOf.lookup(load).first;
    if (ring->loads.back() != load)
      return success();
    Value use = useOf(b, ring);
    fill(b, *ring, map, use);
    advance(b, ring, constantIndex(b, load.getLoc(), 1));
    return success();
  }

  LogicalResult fillLoop(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
    Location loc = loop.getLoc();
    SmallVector<Ring *> rings;
    for (Ring &ring : context.rings)
      if (ring.loop == loop.getOperation() && !ring.stage)
        rings.push_back(&ring);
    llvm::stable_sort(rings, [](Ring *x, Ring *y) { return x->order < y->order; });
    Value trip = tripCount(b, map, loop);
    SmallVector<unsigned> owned = ownedVariables(loop, -1);
    SmallVector<Value> inits;
    for (unsigned i : owned)
      inits.push_back(materialise(b, map, loop.getInitArgs()[i]));
    auto copy = scf::ForOp::create(b, loc, constantIndex(b, loc, 0), trip, constantIndex(b, loc, 1), inits);
    if (inits.empty())
      copy.getBody()->getTerminator()->erase();
    OpBuilder inner = OpBuilder::atBlockEnd(copy.getBody());
    IRMapping local = map;
    for (auto [n, i] : llvm::enumerate(owned))
      local.map(loop.getRegionIterArg(i), copy.getRegionIterArg(n));
    for (auto [i, arg] : llvm::zip(owned, copy.getRegionIterArgs()))
      tile::keepName(loop.getRegionIterArg(i), arg);
    local.map(loop.getInductionVar(), inductionValue(inner, local, loop, copy.getInductionVar()));
    for (Ring *ring : rings)
      fill(inner, *ring, local, addUse(inner, loc, counters.lookup(&ring->slots()), copy.getInductionVar()));
    SmallVector<Value> yields;
    for (unsigned i : owned)
      yields.push_back(materialise(inner, local, loop.getYieldedValues()[i]));
    scf::YieldOp::create(inner, loc, yields);
    for (auto [n, i] : llvm::enumerate(owned))
      map.map(loop.getResult(i), copy.getResult(n));
    for (Ring *ring : rings)
      advance(b, ring, trip);
    return success();
  }

  KernelContext &context;
  int64_t group; ///< -1: the load group
  int64_t turn;  ///< of the programs in flight
  StoreStaging *staging;
  bool inFlight = false;
  Operation *turnBegins = nullptr, *turnEnds = nullptr; ///< in the program: first and last operation of the turn
  struct {
    std::function<Value(OpBuilder &)> isLater, hasNext; ///< than the first program of the block, another behind it
    Value passes;                                       ///< how often the group has passed its turn on
  } current;                                            ///< in the loop over programs
};
} // namespace

LogicalResult buildComputeGroup(KernelContext &context, warp::GroupOp op, int64_t g, int64_t turn, int64_t number,
                                int64_t &scratchBytes) {
  OpBuilder b = OpBuilder::atBlockEnd(&op.getBody().front());
  IRMapping map = context.arguments;
  StoreStaging staging(context, number);
  if (failed(GroupWalker(context, g, &staging, turn).block(b, context.source.getBody().front(), map)))
    return failure();
  staging.finish(b, op.getLoc());
  scratchBytes += staging.bytes();
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

LogicalResult buildLoadGroup(KernelContext &context, warp::GroupOp op) {
  OpBuilder b = OpBuilder::atBlockEnd(&op.getBody().front());
  IRMapping map = context.arguments;
  return GroupWalker(context, -1, nullptr).block(b, context.source.getBody().front(), map);
}

} // namespace heddle
