//===- LowerRings.cpp - use numbers, slots, parities and waits of rings ---===//
// See Lowering.h.
#include "Lowering.h"

#include "heddle/Dialect/Warp/Notes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

std::optional<int64_t> heddle::knownIndex(Value value) {
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return known.getSExtValue();
  return std::nullopt;
}

void heddle::noteName(Value value, StringRef text) {
  value.getDefiningOp()->setDiscardableAttr(warp::scalarNameAttr, StringAttr::get(value.getContext(), text));
}

OpBuilder Lowering::atDefinition(Value value) {
  if (Operation *def = value.getDefiningOp()) {
    OpBuilder builder(def->getContext());
    builder.setInsertionPointAfter(def);
    return builder;
  }
  return OpBuilder::atBlockBegin(value.getParentBlock());
}

Value Lowering::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    known = arith::ConstantIndexOp::create(builder, role.getLoc(), value);
  }
  return known;
}

Value Lowering::addConstant(Value value, int64_t offset, OpBuilder &builder, Location loc) {
  if (!offset)
    return value;
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return constant(known.getSExtValue() + offset);
  return arith::AddIOp::create(builder, loc, value, constant(offset));
}

Value Lowering::slotOf(Value use, int64_t depth) {
  APInt known;
  if (depth == 1)
    return constant(0);
  if (matchPattern(use, m_ConstantInt(&known)))
    return constant(known.getSExtValue() % depth);
  Value &slot = slots[{use, depth}];
  if (!slot) {
    Value divisor = constant(depth);
    OpBuilder builder = atDefinition(use);
    slot = arith::RemUIOp::create(builder, use.getLoc(), use, divisor);
    noteName(slot, "slot");
  }
  return slot;
}

Value Lowering::parityOf(Value use, int64_t depth) {
  APInt known;
  if (matchPattern(use, m_ConstantInt(&known)))
    return constant(known.getSExtValue() / depth & 1);
  Value &parity = parities[{use, depth}];
  if (!parity) {
    Value divisor = constant(depth), one = constant(1);
    OpBuilder builder = atDefinition(use);
    Value turn = depth == 1 ? use : arith::DivUIOp::create(builder, use.getLoc(), use, divisor);
    parity = arith::AndIOp::create(builder, use.getLoc(), turn, one);
    noteName(parity, "parity");
    if (turn != use)
      noteName(turn, "turn");
  }
  return parity;
}

Value Lowering::fieldTile(Value aref, Value use, int64_t field, OpBuilder &builder, Location loc) {
  int64_t depth = cast<warp::ArefType>(aref.getType()).getDepth();
  const SmemField &place = plan.rings[aref].fields[field];
  Value slot = depth == 1 ? Value() : slotOf(use, depth);
  const std::string &shared = plan.rings[aref].shared;
  return hw::SmemOp::create(builder, loc, place.type, place.name, place.offset, slot, slot ? place.slotStride : 0,
                            slot ? depth : 1, shared.empty() ? StringAttr() : builder.getStringAttr(shared));
}

/// Whether what `read` gives has arrived before its block ends, or `end` (null: the block's end), whichever is first:
/// something that stays in its place and that all warps execute, a dot or the write of a tile to shared memory, needs
/// all of it. (Vectors are written by the warps that own them, and stores to memory may be branched around.)
static bool arrivesBefore(warp::ReadOp read, Operation *end) {
  DenseSet<Value> parts{read.getResult()};
  for (Operation *op = read->getNextNode(); op && op != end; op = op->getNextNode()) {
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return parts.contains(operand); }))
      continue;
    auto written = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (isa<warp::DotOp>(op) || (isa<warp::WriteOp, warp::PutOp>(op) && written && written.getRank() == 2))
      return true;
    // A part of it says nothing of the rest.
    if (isMemoryEffectFree(op) && !op->getNumRegions() && !isa<tensor::ExtractSliceOp>(op))
      parts.insert(op->result_begin(), op->result_end());
  }
  return false;
}

/// The copy engine fills a slot anew as soon as it is given back. Loads of it by threads may still be under way then:
/// an arrival does not wait for them (docs/Emission.md, "Rings"). A fence between the proxies does (PTX ISA, "Async
/// proxy"), and is not needed where a dot or a write has used what was loaded.
void Lowering::findReadsInFlight() {
  readInFlight.clear();
  SmallVector<warp::ReadOp> reads;
  role.walk([&](warp::ReadOp read) { reads.push_back(read); });
  auto isRead = [&](warp::ReadOp read, Value aref) {
    Value view = read.getSource();
    while (isa_and_nonnull<warp::SliceOp, warp::TransposeOp>(view.getDefiningOp()))
      view = view.getDefiningOp()->getOperand(0);
    auto get = view.getDefiningOp<warp::GetOp>();
    return !get || get.getAref() == aref;
  };
  role.walk([&](warp::ConsumedOp consumed) {
    bool copied = llvm::any_of(
        useOf, [&](const auto &use) { return use.first.second == consumed.getAref() && use.second.copies; });
    for (warp::ReadOp read : copied ? reads : ArrayRef<warp::ReadOp>())
      if (isRead(read, consumed.getAref())) {
        bool together = read->getBlock() == consumed->getBlock();
        bool follows = together && read->isBeforeInBlock(consumed);
        if (!together || !arrivesBefore(read, follows ? consumed.getOperation() : nullptr))
          readInFlight.insert(consumed);
      }
  });
}

LogicalResult Lowering::lowerAcquire(warp::AcquireOp op, OpBuilder &builder) {
  Value aref = op.getAref(), use = op.getUse();
  int64_t depth = cast<warp::ArefType>(aref.getType()).getDepth();
  // A fresh slot counts as consumed: the producer waits for the other parity.
  Value parity = parityOf(use, depth), opposite;
  if (std::optional<int64_t> known = knownIndex(parity))
    opposite = constant(1 - *known);
  else
    noteName(opposite = arith::XOrIOp::create(builder, op.getLoc(), parity, constant(1)), "freeParity");
  Value slot = slotOf(use, depth);
  hw::WaitOp::create(builder, op.getLoc(), barriersOf[aref].empty, slot, opposite);

  if (isRowRing(aref)) // the copy of the row arrives
    return success();
  // The bytes of this use's copies must be expected before the first of them is issued.
  if (!useOf.lookup({groupOfRole[role], aref}).copies)
    return success();
  SmallVector<warp::CopyOp> copies;
  warp::PublishOp publish;
  for (Operation *next = op->getNextNode(); next && !publish; next = next->getNextNode()) {
    if (auto copy = dyn_cast<warp::CopyOp>(next); copy && copy.getAref() == aref && copy.getUse() == use)
      copies.push_back(copy);
    else if (auto end = dyn_cast<warp::PublishOp>(next); end && end.getAref() == aref && end.getUse() == use)
      publish = end;
  }
  if (!publish || copies.empty())
    return op.emitOpError("expected the copies and the publish of this use after it in the same block");
  int64_t bytes = 0;
  for (warp::CopyOp copy : copies) {
    hw::TileType type = plan.rings[aref].fields[copy.getField()].type;
    bytes +=
        copy.getExtent() ? type.getStorageBytes() / type.getRows() * copy.getExtent()->front() : type.getStorageBytes();
  }
  hw::ExpectTxOp::create(builder, op.getLoc(), barriersOf[aref].full, slot, bytes);
  return success();
}
