//===- CarriedAgain.cpp - what a loop computes anew, as it was before ----------===//
//
// What:  a variable of a loop whose every iteration computes again what it begins with -> what it begins with. Python's
//        variables that are assigned in a loop are carried by it (`rows = tl.arange(0, 64)` before and in it).
// Where: before pointers are followed: a tile that is carried has a place of its own in the program.
// Which: equal operations without effects, of operands that are equal, or the same values, in turn.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace heddle::triton {

/// Whether `one` and `other` are the same number or tile by what computes them; `depth` operations are looked at.
static bool areEqual(Value one, Value other, int depth) {
  if (one == other)
    return true;
  Operation *a = one.getDefiningOp(), *b = other.getDefiningOp();
  if (!depth || !a || !b || a->getNumRegions() || !isPure(a) || a->getName() != b->getName() ||
      a->getAttrDictionary() != b->getAttrDictionary() || a->getResultTypes() != b->getResultTypes() ||
      a->getNumOperands() != b->getNumOperands() ||
      cast<OpResult>(one).getResultNumber() != cast<OpResult>(other).getResultNumber())
    return false;
  for (auto [x, y] : llvm::zip(a->getOperands(), b->getOperands()))
    if (!areEqual(x, y, depth - 1))
      return false;
  return true;
}

void forgetCarried(FuncOp function) {
  constexpr int depth = 8;
  function.walk([&](scf::ForOp loop) {
    for (BlockArgument variable : loop.getRegionIterArgs()) {
      Value begin = loop.getTiedLoopInit(variable)->get();
      OpOperand *yielded = loop.getTiedLoopYieldedValue(variable);
      if (yielded->get() != variable && !areEqual(begin, yielded->get(), depth))
        continue;
      variable.replaceAllUsesWith(begin);
      loop.getTiedLoopResult(variable).replaceAllUsesWith(begin);
      yielded->set(variable); // carried by name alone
    }
  });
}

} // namespace heddle::triton
