//===- Steps.h - the steps of the conversion; Analyse.cpp has their order ----===//
#ifndef HEDDLE_CONVERSION_TRITONTOTILE_STEPS_H
#define HEDDLE_CONVERSION_TRITONTOTILE_STEPS_H

#include "Values.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "heddle/Conversion/TritonToTile/TritonToTile.h"

namespace heddle::triton {

/// Early returns become branches. Failure: diagnosed.
mlir::LogicalResult structureReturns(FuncOp function);

/// Branches whose sides compute the same become what they compute.
void mergeAlikeBranches(FuncOp function);

/// Whether the scalar `value` is made of what a tile is folded to, by operations, loops and branches.
bool isOfTile(mlir::Value value);

/// Branches that a tile decides become choices between tiles, beside products.
void chooseByTiles(FuncOp function);
/// What keeps the sides of a branch from both being computed, and why; nothing where they may be.
std::optional<std::pair<mlir::Operation *, std::string>> whySidesStay(mlir::scf::IfOp branch);

/// Loops of scf.while that count become scf.for.
void countLoops(FuncOp function);

/// Loops that count the iterations of two at once become a loop around a loop.
void nestLoops(FuncOp function);

/// Whether an argument's pointer is null is decided, and branches on constants are the side that is taken.
void knowPointers(FuncOp function);

/// Branches that load the same, where the mask of one side serves the other as well.
void mergeSameLoads(FuncOp function);

/// What a loop computes anew in every iteration, as it was before the loop, is what it was.
void forgetCarried(FuncOp function);

/// Pointers that a branch or a choice gives: addresses of one argument by a chosen number, others by accesses of each.
void choosePointers(FuncOp function);

/// Inline assembly that computes with f32 becomes operations.
void readAssembly(FuncOp function);

/// What an argument points to has one element type; casts of pointers become casts of what is loaded and stored.
void castPointers(FuncOp function);

/// What loops move by different amounts becomes what it begins with plus a number that they carry.
void carryAmounts(FuncOp function);

/// Fills the accesses and views of what `conversion` has as its source and values.
void findAccesses(Conversion &conversion);

/// Whether lanes of `load`'s result at or beyond `limit` along `dim` never reach memory: what they are does not matter.
bool neverStoredBeyond(Values &values, mlir::Operation *load, int64_t dim, const address::Poly &limit);

/// Single elements of what is written, and is reached through views of tiles, become elements of these views.
void shareViews(Conversion &conversion);

/// Fills View::reach.
void findReach(Conversion &conversion);

/// Whether positions of the view that accesses tell apart are one element whatever the launch, or with whole tiles.
bool meetsByConstants(const View &view);

/// What the copy engine needs to hold of a view's address and strides beyond what is known; empty: nothing.
struct Alignment {
  std::string needs;
  bool isImpossible = false; ///< constants say that it does not hold; else the launch decides
};
Alignment alignmentOf(const Conversion &conversion, const View &view);

/// What the size of a view's last dimension is a multiple of, in elements, at most those of 16 bytes: by
/// tt.divisibility; without a bound those of 16 bytes, since launchers choose such sizes so.
int64_t lastSizeDivisor(const Conversion &conversion, const View &view);

/// The load of one number or pointer, under no mask, that `value` is; null: it is none.
LoadOp loadedAddress(mlir::Value value);

/// What sizes, strides and base of a view at a loaded address may depend on: arguments and loaded numbers.
std::function<bool(const address::SymbolInfo &)> knownToKernel(const Values &values);

/// The pointers, mask and shape of a load or store, for viewOf.
address::Access accessOf(Values &values, mlir::Operation *op);

} // namespace heddle::triton

#endif // HEDDLE_CONVERSION_TRITONTOTILE_STEPS_H
