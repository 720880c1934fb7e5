//===- AlikeBranches.cpp - branches that compute the same --------------------===//
//
// What:   scf.if whose sides are the same operations without effects but for Triton's hints -> these operations, once.
// Where:  before integers are read as polynomials, which know nothing of what a branch gives.
// Why:    Inductor's templates of products whose sizes the launch knows give the rows of their operands so:
//         `tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)` where sizes are large enough, else `rm % M`.
//         Rows that a branch gives are gathered; those of a remainder are a box.
// Hints:  hold on one side alone, so that none stays.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace heddle::triton {
namespace {

/// tl.multiple_of, tl.max_contiguous and tl.max_constancy.
constexpr llvm::StringLiteral hints[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};

DictionaryAttr attributesBesideHints(Operation *op) {
  SmallVector<NamedAttribute> kept;
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (!llvm::is_contained(hints, attribute.getName().getValue()))
      kept.push_back(attribute);
  return DictionaryAttr::get(op->getContext(), kept);
}

/// Whether the blocks are the same operations, which have no effects.
bool areAlike(Block &one, Block &other) {
  if (one.getOperations().size() != other.getOperations().size())
    return false;
  IRMapping same; // value of `one` -> that of `other`
  for (auto [a, b] : llvm::zip(one, other)) {
    bool isLast = isa<scf::YieldOp>(a);
    if (a.getName() != b.getName() || a.getResultTypes() != b.getResultTypes() || a.getNumRegions() ||
        (!isLast && !isPure(&a)) || attributesBesideHints(&a) != attributesBesideHints(&b) ||
        a.getNumOperands() != b.getNumOperands())
      return false;
    for (auto [x, y] : llvm::zip(a.getOperands(), b.getOperands()))
      if (same.lookupOrDefault(x) != y)
        return false;
    same.map(a.getResults(), b.getResults());
  }
  return true;
}

} // namespace

void mergeAlikeBranches(FuncOp function) {
  SmallVector<scf::IfOp> branches;
  function.walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches) {
    if (!branch.getNumResults() || !areAlike(*branch.thenBlock(), *branch.elseBlock()))
      continue;
    for (Operation &op : llvm::make_early_inc_range(branch.thenBlock()->without_terminator())) {
      for (StringRef hint : hints)
        op.removeAttr(hint);
      op.moveBefore(branch);
    }
    branch.replaceAllUsesWith(branch.thenYield().getOperands());
    branch.erase();
  }
}

} // namespace heddle::triton
