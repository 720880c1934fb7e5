//===- GroupValues.cpp - scalars, loop bounds and ring operations of a group -===//
//
// What:   the values that a group needs of the tile kernel (cloned on demand), the bounds and trips of its loops, and
//         the operations around one use of a ring. Declared in GroupBuilder.h.
// Where:  inside TileToWarp, under GroupBuilder and LoopStream.
//
//===----------------------------------------------------------------------===//
#include "GroupBuilder.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Warp/Notes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {

Value materialise(OpBuilder &b, IRMapping &map, Value value) {
  if (Value v = map.lookupOrNull(value))
    return v;
  Operation *def = value.getDefiningOp();
  assert(def && "arguments are mapped from the start");
  for (Value operand : def->getOperands())
    materialise(b, map, operand);
  Operation *clone = b.clone(*def, map);
  clone->removeAttr(groupAttr);
  return map.lookup(value);
}

LoopBounds boundsOf(OpBuilder &b, IRMapping &map, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Value lb = materialise(b, map, loop.getLowerBound()), ub = materialise(b, map, loop.getUpperBound()),
        step = materialise(b, map, loop.getStep());
  if (matchPattern(step, m_Constant()) || step.getDefiningOp<tile::NumProgramsOp>())
    return {lb, ub, step}; // known to be at least 1
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, step, one);
  ub = arith::SelectOp::create(b, loc, none, lb, ub);
  return {lb, ub, arith::MaxSIOp::create(b, loc, step, one)};
}

Value tripCount(OpBuilder &b, IRMapping &map, scf::ForOp loop) {
  auto [lb, ub, step] = boundsOf(b, map, loop);
  bool fromZero = matchPattern(lb, m_Zero());
  if (!fromZero)
    ub = arith::SubIOp::create(b, loop.getLoc(), ub, lb);
  Value trip = arith::CeilDivSIOp::create(b, loop.getLoc(), ub, step);
  trip.getDefiningOp()->setDiscardableAttr(warp::scalarNameAttr, b.getStringAttr("trips"));
  if (fromZero && ub.getDefiningOp<tile::DimOp>())
    return trip;
  Value none = arith::ConstantIndexOp::create(b, loop.getLoc(), 0);
  Value least = arith::MaxSIOp::create(b, loop.getLoc(), trip, none);
  least.getDefiningOp()->setDiscardableAttr(warp::scalarNameAttr, b.getStringAttr("trips"));
  return least;
}

Value inductionValue(OpBuilder &b, IRMapping &map, scf::ForOp loop, Value it) {
  Location loc = loop.getInductionVar().getLoc(); // it is called what the counter is called
  Value v = arith::MulIOp::create(b, loc, it, materialise(b, map, loop.getStep()));
  return arith::AddIOp::create(b, loc, v, materialise(b, map, loop.getLowerBound()));
}

Value addUse(OpBuilder &b, Location loc, Value base, Value it) {
  return base ? arith::AddIOp::create(b, loc, base, it).getResult() : it;
}

void emitPut(OpBuilder &b, const Ring &ring, Value value, Value use) {
  Location loc = ring.source()->getLoc();
  warp::AcquireOp::create(b, loc, ring.aref, use);
  warp::PutOp::create(b, loc, value, ring.aref, use, b.getI64IntegerAttr(ring.firstField));
  warp::FenceOp::create(b, loc);
  warp::PublishOp::create(b, loc, ring.aref, use);
}

void emitCopy(OpBuilder &b, const Ring &ring, const IRMapping &map, Value use) {
  Location loc = ring.source()->getLoc();
  Operation *source = copiedSource(ring.stage);
  auto load = dyn_cast<tile::LoadOp>(source);
  auto gather = dyn_cast<tile::GatherOp>(source);
  SmallVector<Value> indices;
  for (Value index : load ? load.getIndices() : gather.getIndices())
    indices.push_back(map.lookup(index));
  warp::AcquireOp::create(b, loc, ring.aref, use);
  warp::CopyOp::create(b, loc, map.lookup(source->getOperand(0)), indices,
                       b.getDenseI64ArrayAttr(load ? load.getTileDims() : gather.getTileDims()), ring.aref, use,
                       b.getI64IntegerAttr(ring.firstField), /*multicast=*/UnitAttr(),
                       gather ? map.lookup(gather.getRows()) : Value(),
                       load ? load.getExtentAttr() : DenseI64ArrayAttr(), b.getUnitAttr());
  warp::PublishOp::create(b, loc, ring.aref, use);
}

warp::GetOp emitGet(OpBuilder &b, const Ring &ring, Value use, IRMapping &map) {
  SmallVector<Type> types;
  for (Type t : ring.payload())
    types.push_back(warp::SmemType::get(b.getContext(), cast<RankedTensorType>(t).getShape(),
                                        cast<RankedTensorType>(t).getElementType()));
  auto get = warp::GetOp::create(b, ring.source()->getLoc(), types, ring.aref, use);
  for (auto [from, tile] : llvm::zip_first(ring.tiles(), get.getTiles().drop_front(ring.firstField))) {
    if (ring.stage)
      map.map(from, tile);
    for (Operation *user : from.getUsers())
      if (isa<warp::LoadedOp>(user))
        map.map(user->getResult(0), tile);
  }
  return get;
}

bool tripsDependOn(scf::ForOp loop, scf::ForOp around) {
  SmallVector<Value> work{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    if (v == around.getInductionVar())
      return true;
    if (Operation *def = v.getDefiningOp(); def && around->isProperAncestor(def) && seen.insert(v).second)
      work.append(def->operand_begin(), def->operand_end());
  }
  return false;
}

} // namespace heddle
