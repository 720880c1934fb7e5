//===- ViewUses.cpp - what a tile program does with a view ----------------------===//
#include "heddle/Dialect/Tile/ViewUses.h"

#include "heddle/Dialect/Tile/Chain.h"

using namespace mlir;
using namespace heddle;

Value tile::memoryOf(Value view) {
  auto window = view.getDefiningOp<WindowOp>();
  return window ? window.getMemory() : view;
}

SmallVector<Operation *> tile::accessesOf(Value view) {
  SmallVector<Operation *> accesses;
  for (Operation *user : memoryOf(view).getUsers()) {
    if (auto window = dyn_cast<WindowOp>(user))
      llvm::append_range(accesses, window.getResult().getUsers());
    else if (isa<LoadOp, ElementOp, GatherOp, StoreOp>(user))
      accesses.push_back(user);
  }
  return accesses;
}

bool tile::isStored(Value view) { return llvm::any_of(accessesOf(view), llvm::IsaPred<StoreOp>); }

ViewUses tile::usesOf(Value view) {
  ViewUses uses;
  for (Operation *user : accessesOf(view)) {
    if (isa<LoadOp, ElementOp, GatherOp>(user))
      uses.read = true;
    if (auto store = dyn_cast<StoreOp>(user)) {
      uses.written = true;
      uses.added |= store.getKind() == "add";
    }
  }
  auto chain = dyn_cast_or_null<ChainOp>(view.getParentBlock()->getParentOp());
  if (!chain)
    return uses;
  bool isSet = false; // by the launches so far
  for (auto launch : chain.getBody().getOps<LaunchOp>())
    for (auto [given, argument] : llvm::zip(launch.getGiven(), kernelOf(launch).getBody().getArguments())) {
      if (given != view)
        continue;
      ViewUses now = usesOf(argument);
      uses.read |= now.read && !isSet;
      uses.added |= now.added && !isSet;
      uses.written |= now.written;
      isSet |= now.written;
    }
  return uses;
}
