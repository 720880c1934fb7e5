//===- Divisibility.cpp - what an index is surely a multiple of ------------===//
//
// What:      a divisor of an index: of sums and choices the greatest common one, of products the product.
// Where:     Instructions.cpp asks whether the copy engine may start a box at a column.
// Algorithm: depth first with a memo. An index that a loop carries is first assumed to be a multiple of what its start
//            is; the value that it yields then confirms the assumption or lowers it, until nothing changes (each time
//            by a factor of at least two).
//
//===----------------------------------------------------------------------===//
#include "Divisibility.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include <numeric>

using namespace mlir;
namespace heddle {
namespace {

/// Products beyond this are cut to one factor: it is far more than any alignment, and no product of two overflows.
constexpr int64_t largest = int64_t(1) << 31;

class Divisors {
public:
  int64_t of(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    int64_t divisor = compute(value);
    return known[value] = divisor;
  }

private:
  int64_t compute(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.isSignedIntN(32) ? std::abs(constant.getSExtValue()) : 1;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ofArgument(argument);
    Operation *op = value.getDefiningOp();
    if (isa<arith::AddIOp, arith::SubIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op))
      return std::gcd(of(op->getOperand(0)), of(op->getOperand(1)));
    if (isa<arith::SelectOp>(op))
      return std::gcd(of(op->getOperand(1)), of(op->getOperand(2)));
    if (isa<arith::RemSIOp, arith::RemUIOp>(op)) // a - b * q
      return std::gcd(of(op->getOperand(0)), of(op->getOperand(1)));
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(op))
      return of(op->getOperand(0));
    if (isa<arith::MulIOp>(op)) {
      int64_t x = of(op->getOperand(0)), y = of(op->getOperand(1));
      return x * y <= largest ? x * y : std::max(x, y);
    }
    return 1;
  }

  int64_t ofArgument(BlockArgument argument) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return 1;
    if (argument == loop.getInductionVar())
      return std::gcd(of(loop.getLowerBound()), of(loop.getStep()));
    unsigned number = argument.getArgNumber() - 1;
    for (int64_t assumed = of(loop.getInitArgs()[number]);;) {
      Divisors inside(*this); // what follows from the assumption must not outlive it
      inside.known[argument] = assumed;
      int64_t both = std::gcd(assumed, inside.of(loop.getYieldedValues()[number]));
      if (both == assumed)
        return assumed;
      assumed = both;
    }
  }

  llvm::DenseMap<Value, int64_t> known;
};
} // namespace

int64_t knownDivisor(Value index) { return Divisors().of(index); }

} // namespace heddle
