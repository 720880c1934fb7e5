//===- Divisibility.cpp - what an index is surely a multiple of ------------===//
//
// What:      a divisor of an index: of sums and choices the greatest common one, of products the product.
// Where:     Instructions.cpp (Analysis) asks whether the copy engine may start a box at a column, the CUDA target
//            whether an access of several elements needs a test.
// Algorithm: depth first with a memo. An index that a loop or branch passes on is first assumed to be a multiple of
//            what its first source is; the others then confirm the assumption or lower it, until nothing changes (each
//            time by a factor of at least two).
//
//===----------------------------------------------------------------------===//
#include "heddle/Dialect/Tile/Divisibility.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
    if (std::optional<VariableRef> variable = variableOf(value))
      return ofVariable(passedVariables(variable->op)[variable->number]);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop ? std::gcd(of(loop.getLowerBound()), of(loop.getStep())) : 1;
    }
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast<tile::DimOp>(op))
      return tile::sizeDivisor(dim.getView(), dim.getDim());
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
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      if (APInt by; matchPattern(op->getOperand(1), m_ConstantInt(&by)) && by.isSignedIntN(32)) {
        int64_t number = by.getSExtValue(), x = of(op->getOperand(0));
        return number > 0 && x % number == 0 ? x / number : 1; // without a remainder
      }
    return 1;
  }

  int64_t ofVariable(const PassedVariable &variable) {
    // What enters comes first: it does not depend on the variable, except through an scf.while's condition.
    for (Value name : variable.names)
      known[name] = 0; // a multiple of everything
    for (int64_t assumed = Divisors(*this).of(variable.given.front()->get());;) {
      Divisors inside(*this); // what follows from the assumption must not outlive it
      for (Value name : variable.names)
        inside.known[name] = assumed;
      int64_t all = assumed;
      for (OpOperand *given : variable.given)
        all = std::gcd(all, inside.of(given->get()));
      if (all == assumed) {
        for (Value name : variable.names)
          known[name] = assumed;
        return assumed;
      }
      assumed = all;
    }
  }

  llvm::DenseMap<Value, int64_t> known;
};
} // namespace

int64_t knownDivisor(Value index) { return Divisors().of(index); }

} // namespace heddle
