//===- SameLoads.cpp - branches that load the same, one with a weaker mask -----===//
//
// What:  `if start + B > n: x = tl.load(p, mask=start + lane < n)` with `else: x = tl.load(p)` -> the load with the
//        mask, once, where the condition says that the mask is true on the other side.
// Where: before accesses become views, in the kernel whose pointers can be followed. A branch in a loop with products
//        keeps it from being scheduled, and a mask costs nothing where it is the end of a view.
// Which: loads that become boxes. Else threads load and test every lane: vLLM's prefix attention, whose keys lie in
//        pieces of pages, runs at 1.17 (heads of 64) and 0.73 (128) of its speed without these branches
//        (bench/results/2026-11-28-h200-prefix-attention.json).
// Proof: a condition and an atom of a mask are differences of polynomials: `a < b` follows from `x < y` where b - a is
//        at least y - x, for every lane of the tile.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {
namespace {

class SameLoads {
public:
  SameLoads(scf::IfOp branch, Values &values) : branch(branch), values(values) {}

  bool run() {
    for (auto [x, y] : llvm::zip(branch.thenYield().getOperands(), branch.elseYield().getOperands()))
      if (!areAlike(x, y))
        return false;
    for (bool isThen : {true, false})
      if (isThen ? thenServes : elseServes) {
        Block &side = isThen ? *branch.thenBlock() : *branch.elseBlock();
        for (Operation &op : llvm::make_early_inc_range(side.without_terminator()))
          op.moveBefore(branch);
        branch.replaceAllUsesWith(side.getTerminator()->getOperands());
        branch.erase();
        return true;
      }
    return false;
  }

private:
  /// Whether `x` and `y` are computed alike, up to masks of loads, which are compared.
  bool areAlike(Value x, Value y) {
    if (x == y || alike.contains({x, y}))
      return true;
    Operation *a = x.getDefiningOp(), *b = y.getDefiningOp();
    if (!a || !b || a->getBlock() != branch.thenBlock() || b->getBlock() != branch.elseBlock() ||
        a->getName() != b->getName() || a->getResultTypes() != b->getResultTypes() || a->getNumRegions())
      return false;
    if (auto load = dyn_cast<LoadOp>(a))
      return areAlike(load, cast<LoadOp>(b)) && alike.insert({x, y}).second;
    if (!isPure(a) || a->getAttrDictionary() != b->getAttrDictionary() || a->getNumOperands() != b->getNumOperands())
      return false;
    for (auto [in, other] : llvm::zip(a->getOperands(), b->getOperands()))
      if (!areAlike(in, other))
        return false;
    alike.insert({x, y});
    return true;
  }

  bool areAlike(LoadOp a, LoadOp b) {
    if (a.getIsVolatile() || b.getIsVolatile() || !areAlike(a.getPtr(), b.getPtr()) ||
        (a.getOther() && b.getOther() && !areAlike(a.getOther(), b.getOther())))
      return false;
    thenServes &= holds(a, b, /*taken=*/false) && (a.getOther() || !b.getOther()) && isBox(a);
    elseServes &= holds(b, a, /*taken=*/true) && (b.getOther() || !a.getOther()) && isBox(b);
    return thenServes || elseServes;
  }

  /// Whether the load becomes a box of a view, with the mask as its end.
  bool isBox(LoadOp load) {
    AccessResult found = viewOf(values.algebra, accessOf(values, load));
    return found.box && found.box->kind == AccessKind::Box;
  }

  /// Whether where the condition is `taken` the mask of `load` is what that of `other` is.
  bool holds(LoadOp load, LoadOp other, bool taken) {
    std::vector<Atom> mask = masks(load), weaker = masks(other);
    for (const Atom &atom : weaker)
      if (!llvm::is_contained(mask, atom))
        return false;
    std::vector<Atom> known = values.truth(branch.getCondition());
    if (!taken)
      known = known.size() == 1 ? std::vector<Atom>{negated(known[0])} : std::vector<Atom>{};
    Atom always;
    always.b = Poly(1); // 0 < 1: what holds of all lanes
    known.push_back(always);
    auto tile = dyn_cast<RankedTensorType>(load.getType());
    return llvm::all_of(mask, [&](const Atom &atom) {
      return llvm::is_contained(weaker, atom) ||
             llvm::any_of(known, [&](const Atom &fact) { return follows(atom, fact, tile); });
    });
  }

  std::vector<Atom> masks(LoadOp load) { return load.getMask() ? values.truth(load.getMask()) : std::vector<Atom>{}; }

  bool follows(const Atom &atom, const Atom &fact, RankedTensorType tile) {
    if (atom.opaque || fact.opaque)
      return false;
    Poly more = (atom.b - atom.a) - (fact.b - fact.a), least;
    if (!more.isValid())
      return false;
    for (const auto &[monomial, coefficient] : more.terms()) {
      bool isLane = monomial.size() == 1 && values.algebra.info(monomial[0]).kind == SymbolKind::Lane;
      least = least + (isLane && tile && coefficient < 0
                           ? Poly(coefficient * (tile.getDimSize(values.algebra.info(monomial[0]).id) - 1))
                           : Poly::term(monomial, coefficient));
    }
    return values.algebra.isNotNegative(least);
  }

  scf::IfOp branch;
  Values &values;
  llvm::DenseSet<std::pair<Value, Value>> alike; ///< found so far: each pair is asked about once
  bool thenServes = true, elseServes = true;     ///< the loads of this side may stand for those of the other
};

bool mayBeAlike(scf::IfOp branch) {
  auto computes = [](Block *side) {
    int64_t loads = 0;
    for (Operation &op : side->without_terminator()) {
      loads += isa<LoadOp>(op);
      if (!isa<LoadOp>(op) && (!isPure(&op) || op.getNumRegions()))
        return false;
    }
    return loads > 0;
  };
  return branch.getNumResults() && computes(branch.thenBlock()) && computes(branch.elseBlock());
}

} // namespace

void mergeSameLoads(FuncOp function) {
  SmallVector<scf::IfOp> branches;
  function.walk([&](scf::IfOp branch) {
    if (mayBeAlike(branch))
      branches.push_back(branch);
  });
  if (branches.empty())
    return;
  Values values(function);
  for (scf::IfOp branch : branches)
    SameLoads(branch, values).run();
}

} // namespace heddle::triton
