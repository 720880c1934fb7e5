//===- AffineIndex.cpp - indices as sums of loop counters and unknowns ------===//
#include "AffineIndex.h"

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace heddle {

/// Larger numbers are no sizes of tensors; sums and products of smaller ones cannot overflow.
constexpr int64_t largest = int64_t(1) << 31;

static bool isSmall(const AffineIndex &index) {
  auto small = [](int64_t n) { return n >= -largest && n <= largest; };
  return small(index.constant) && llvm::all_of(index.terms, [&](const auto &term) { return small(term.second); });
}

/// x + factor * y.
static AffineIndex plus(const AffineIndex &x, const AffineIndex &y, int64_t factor) {
  AffineIndex sum = x;
  sum.constant += factor * y.constant;
  for (auto [atom, coefficient] : y.terms) {
    int64_t &entry = sum.terms[atom];
    entry += factor * coefficient;
    if (entry == 0)
      sum.terms.erase(atom);
  }
  return sum;
}

/// Loops around `op`, or around the block of an argument with the loop that the block belongs to.
static std::set<Operation *> loopsAround(Operation *op) {
  std::set<Operation *> loops;
  for (; op; op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      loops.insert(op);
  return loops;
}

AffineIndex AffineIndices::of(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  AffineIndex index = compute(value);
  return known[value] = isSmall(index) ? index : opaque(value);
}

unsigned AffineIndices::counter(scf::ForOp loop) {
  auto [it, inserted] = counters.insert({loop, static_cast<unsigned>(atoms.size())});
  if (inserted) {
    IndexAtom atom;
    atom.counts = loop;
    atom.varies = loopsAround(loop);
    atom.least = 0;
    atoms.push_back(atom);
    if (std::optional<int64_t> trips = tripCount(loop))
      atoms[it->second].most = std::max<int64_t>(0, *trips - 1);
  }
  return counters.lookup(loop);
}

std::optional<int64_t> AffineIndices::step(scf::ForOp loop) {
  APInt constant;
  if (matchPattern(loop.getStep(), m_ConstantInt(&constant)) && constant.isSignedIntN(32) && constant.sgt(0))
    return constant.getSExtValue();
  return std::nullopt;
}

std::optional<int64_t> AffineIndices::tripCount(scf::ForOp loop) {
  AffineIndex range = plus(of(loop.getUpperBound()), of(loop.getLowerBound()), -1);
  std::optional<int64_t> by = step(loop);
  if (!range.isConstant() || !by)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(range.constant, *by));
}

AffineIndex AffineIndices::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isSignedIntN(32) ? AffineIndex{constant.getSExtValue(), {}} : opaque(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar()) {
      AffineIndex lower = of(loop.getLowerBound());
      // by steps of an unknown size: some number, at least 0
      return plus(lower, single(counter(loop)), step(loop).value_or(1));
    }
    return opaque(value);
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return of(op->getOperand(0));
  if (isa<arith::AddIOp>(op))
    return plus(of(op->getOperand(0)), of(op->getOperand(1)), 1);
  if (isa<arith::SubIOp>(op))
    return plus(of(op->getOperand(0)), of(op->getOperand(1)), -1);
  if (isa<arith::MulIOp>(op)) {
    AffineIndex x = of(op->getOperand(0)), y = of(op->getOperand(1));
    if (x.isConstant())
      std::swap(x, y);
    if (y.isConstant())
      return plus(AffineIndex(), x, y.constant);
  }
  if (auto dim = dyn_cast<tile::DimOp>(op))
    if (int64_t size = dim.getView().getType().getShape()[dim.getDim()]; !ShapedType::isDynamic(size))
      return AffineIndex{size, {}};
  return opaque(value);
}

/// An atom for `value`; the same one for values that operations without effects compute alike.
AffineIndex AffineIndices::opaque(Value value) {
  Operation *op = value.getDefiningOp();
  bool pure = op && !op->getNumRegions() && isMemoryEffectFree(op) && op->getNumResults() == 1;
  std::string key;
  llvm::raw_string_ostream text(key);
  IndexAtom atom;
  if (!pure) {
    text << value.getAsOpaquePointer();
    atom.varies = loopsAround(op ? op : cast<BlockArgument>(value).getOwner()->getParentOp());
  } else {
    text << op->getName() << op->getAttrDictionary() << value.getType();
    for (Value operand : op->getOperands()) {
      if (!operand.getType().isIntOrIndex()) { // a view, which is an argument of the kernel
        text << " " << operand.getAsOpaquePointer();
        continue;
      }
      AffineIndex index = of(operand);
      text << " " << index.constant;
      for (auto [number, coefficient] : index.terms) {
        text << "+" << coefficient << "*" << number;
        atom.varies.insert(atoms[number].varies.begin(), atoms[number].varies.end());
      }
    }
    if (isa<tile::ProgramIdOp, tile::ClusterRankOp, tile::NumProgramsOp, tile::DimOp>(op))
      atom.least = 0;
    if (auto remainder = dyn_cast<arith::RemUIOp>(op))
      if (AffineIndex by = of(remainder.getRhs()); by.isConstant() && by.constant > 0) {
        atom.least = 0;
        atom.most = by.constant - 1;
      }
  }
  auto [it, inserted] = alike.insert({key, static_cast<unsigned>(atoms.size())});
  if (inserted)
    atoms.push_back(atom);
  return single(it->second);
}

} // namespace heddle
