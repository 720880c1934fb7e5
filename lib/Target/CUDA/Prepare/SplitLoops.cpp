//===- SplitLoops.cpp - see SplitLoops.h -------------------------------------------===//
//
// What:      for %i = 0 to %n { ..., select(iota + 128 * %i < %limit, %x, -inf), ... }
//            ->  %k = (%limit - 128) / 128 + 1, at most %n;  for %i = 0 to %k { ..., %x, ... }
//                for %i = %k to %n { ..., select(iota + 128 * %i < %limit, %x, -inf), ... }
//            and with a loop that keeps its masks before these two where a mask is true from some iteration on.
// Where:     on the copy that is printed, behind the verifiers of the hw program: those of its operations see the copy
//            again (emitCUDA), and the emulator runs what is printed. What the loop carries, and so the pipeline, runs
//            on from one loop into the next: nothing drains. ptxas then sees one block of arithmetic where a branch
//            stood before (measured: docs/Emission.md, "Masks").
// Condition: the loop is the steady state of a pipeline; its counter goes up by one from a constant that is not
//            negative; the comparisons that make a mask true are linear in the counter; nothing that a product writes
//            is in flight where an iteration ends, since what is in flight must not be handed from loop to loop; and
//            registers are not so scarce that a mask stands under no branch (findUnbranched in Pressure.h): where two
//            loops meet, ptxas needs more of them than in one (docs/Emission.md, "Masks").
// Algorithm: each comparison is d + a * i >= 0 with d of what the loop does not change, in 64 bits. For a < 0 it holds
//            up to i = d / -a, for a > 0 from i = -d / a on, rounded up: the masks are true in an interval.
//
//===----------------------------------------------------------------------------===//
#include "SplitLoops.h"

#include "Pressure.h"
#include "Recompute.h"
#include "heddle/Dialect/HW/UniformMask.h"
#include "heddle/Dialect/Warp/Notes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include <limits>

using namespace mlir;
using namespace heddle;

namespace {

/// constant + counter * (counter of a loop) + sum of factor * scalar, in integers without bounds.
struct Linear {
  int64_t constant = 0, counter = 0;
  llvm::MapVector<Value, int64_t> terms;
  bool guards = false; ///< against numbers that wrap around: it fails in no iteration of a kernel that means anything
};

/// Adds factor * value; false: it is no such sum.
bool add(Value value, int64_t factor, scf::ForOp loop, Linear &sum) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    sum.constant += factor * number.getSExtValue();
    return true;
  }
  if (value == loop.getInductionVar()) {
    sum.counter += factor;
    return true;
  }
  Operation *def = value.getDefiningOp();
  auto cast = dyn_cast_or_null<arith::IndexCastOp>(def);
  if (cast && (cast.getIn().getType().isIndex() || cast.getIn().getType().isInteger(32))) // an index has 32 bits
    return add(cast.getIn(), factor, loop, sum);
  if (loop.isDefinedOutsideOfLoop(value)) {
    sum.terms[value] += factor;
    return true;
  }
  if (!def || !value.getType().isIndex()) // other integers may wrap around
    return false;
  if (isa<arith::AddIOp, arith::SubIOp>(def))
    return add(def->getOperand(0), factor, loop, sum) &&
           add(def->getOperand(1), isa<arith::AddIOp>(def) ? factor : -factor, loop, sum);
  if (isa<arith::MulIOp>(def))
    for (int side : {0, 1})
      if (matchPattern(def->getOperand(side), m_ConstantInt(&number)))
        return add(def->getOperand(1 - side), factor * number.getSExtValue(), loop, sum);
  return false;
}

/// `constant` + the scalars of `more` - those of `less`, if that is linear.
std::optional<Linear> difference(int64_t constant, const TileInterval *more, const TileInterval *less,
                                 scf::ForOp loop) {
  Linear sum;
  sum.constant = constant;
  sum.guards = !more || !less;
  for (auto [interval, sign] : {std::pair(more, 1), std::pair(less, -1)})
    if (interval)
      for (auto [scalar, own] : interval->scalars)
        if (!add(scalar, sign * own, loop, sum))
          return std::nullopt;
  return sum;
}

/// What has to be at least zero for the mask to be true everywhere; nothing: it is not known, or always the same.
std::optional<SmallVector<Linear>> conditionsOf(arith::SelectOp select, scf::ForOp loop) {
  std::optional<SmallVector<TileOrder>> orders = whereAllTrue(select.getCondition());
  SmallVector<std::optional<Linear>> sums;
  for (auto &[less, more, orEqual] : *orders) {
    sums.push_back(difference(more.low - less.high - (orEqual ? 0 : 1), &more, &less, loop));
    if (less.mayOverflow(less.low, /*above=*/false))
      sums.push_back(difference(less.low - std::numeric_limits<int32_t>::min(), &less, nullptr, loop));
    if (more.mayOverflow(more.high, /*above=*/true))
      sums.push_back(difference(std::numeric_limits<int32_t>::max() - more.high, nullptr, &more, loop));
  }
  SmallVector<Linear> conditions;
  bool changes = false;
  for (std::optional<Linear> &sum : sums) {
    if (!sum)
      return std::nullopt;
    changes |= sum->counter && !sum->guards;
    conditions.push_back(*sum);
  }
  return changes ? std::optional(conditions) : std::nullopt;
}

/// Whether `loop` is the steady state of a pipeline, and every product of an iteration is waited for in it. A loop that
/// runs where there are too few iterations for the pipeline has operations of stages that it does not begin with.
bool isSteady(scf::ForOp loop, int64_t first) {
  bool products = false, waited = false;
  for (Operation &op : *loop.getBody()) {
    if (auto stage = op.getAttrOfType<IntegerAttr>(warp::stageAttr); stage && stage.getInt() > first)
      return false;
    if (isa<hw::WgmmaOp, hw::WgmmaCommitOp>(op)) {
      products = true;
      waited = false;
    }
    if (auto wait = dyn_cast<hw::WgmmaWaitOp>(op))
      waited |= wait.getPending() == 0;
    if (op.getNumRegions())
      return false;
  }
  return products && waited;
}

void split(scf::ForOp loop, const DenseSet<Operation *> &unbranched) {
  APInt lower, step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne() ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) || lower.isNegative() ||
      !isSteady(loop, lower.getSExtValue()))
    return;
  SmallVector<arith::SelectOp> masked;
  SmallVector<Linear> conditions;
  for (auto select : loop.getBody()->getOps<arith::SelectOp>()) {
    if (unbranched.contains(select))
      return;
    if (isGuarded(select))
      if (std::optional<SmallVector<Linear>> own = conditionsOf(select, loop)) {
        masked.push_back(select);
        conditions.append(*own);
      }
  }
  if (masked.empty())
    return;

  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Type wide = b.getI64Type();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, loc, wide, value); };
  auto widened = [&](Value value) -> Value {
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, wide, value);
    return value.getType() == wide ? value : arith::ExtSIOp::create(b, loc, wide, value);
  };
  auto sumOf = [&](const Linear &linear, int64_t sign, int64_t more) {
    Value sum = constant(sign * linear.constant + more);
    for (auto [value, factor] : linear.terms) {
      if (!factor)
        continue;
      Value term = widened(value);
      if (std::abs(factor) != 1)
        term = arith::MulIOp::create(b, loc, term, constant(std::abs(factor)));
      if (sign * factor < 0)
        sum = arith::SubIOp::create(b, loc, sum, term);
      else
        sum = matchPattern(sum, m_Zero()) ? term : Value(arith::AddIOp::create(b, loc, sum, term));
    }
    return sum;
  };
  Value first = constant(lower.getSExtValue()), last = widened(loop.getUpperBound()), begin = first, end = last;
  bool begins = false, ends = false;
  Value always; // what has to hold in every iteration
  for (const Linear &condition : conditions) {
    int64_t slope = std::abs(condition.counter); // divisions cut towards zero: what is below is below `first`
    if (condition.guards || !slope) {
      bool falls = condition.counter < 0; // the least is in the last iteration, else in the first
      Value least = sumOf(condition, 1, falls ? slope : slope * lower.getSExtValue());
      if (falls)
        least = arith::SubIOp::create(b, loc, least, arith::MulIOp::create(b, loc, last, constant(slope)));
      Value holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, least, constant(0));
      always = always ? Value(arith::AndIOp::create(b, loc, always, holds)) : holds;
    } else if (condition.counter > 0) {
      Value from = arith::DivSIOp::create(b, loc, sumOf(condition, -1, slope - 1), constant(slope));
      begin = arith::MaxSIOp::create(b, loc, begin, from);
      begins = true;
    } else {
      Value to = arith::DivSIOp::create(b, loc, sumOf(condition, 1, slope), constant(slope));
      end = arith::MinSIOp::create(b, loc, end, to);
      ends = true;
    }
  }
  if (always && ends)
    end = arith::SelectOp::create(b, loc, always, end, first);
  else if (always)
    begin = arith::SelectOp::create(b, loc, always, begin, last);
  auto narrowed = [&](Value value) { return arith::IndexCastOp::create(b, loc, b.getIndexType(), value).getResult(); };
  if (begins) {
    begin = arith::MinSIOp::create(b, loc, begin, last);
    Value at = narrowed(begin);
    auto before = cast<scf::ForOp>(b.clone(*loop));
    before.setUpperBound(at);
    loop.setLowerBound(at);
    loop.getInitArgsMutable().assign(before.getResults());
  }
  if (ends) {
    Value at = narrowed(arith::MaxSIOp::create(b, loc, end, begin));
    auto after = cast<scf::ForOp>(OpBuilder(loop->getNextNode()).clone(*loop));
    loop.replaceAllUsesWith(after.getResults());
    loop.setUpperBound(at);
    after.setLowerBound(at);
    after.getInitArgsMutable().assign(loop.getResults());
  }
  for (arith::SelectOp select : masked) {
    select.replaceAllUsesWith(select.getTrueValue());
    select.erase();
  }
}

} // namespace

void cuda::splitAtMasks(hw::KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  for (auto role : kernel.getBody().getOps<hw::RoleOp>()) {
    SmallVector<scf::ForOp> loops;
    role.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); }); // said where it is printed
    FailureOr<ArrayAssignment> arrays = assignArrays(role, findRecomputed(role));
    if (failed(arrays))
      return;
    llvm::DenseSet<Operation *> unbranched = findUnbranched(role, *arrays);
    for (scf::ForOp loop : loops)
      split(loop, unbranched);
  }
}
