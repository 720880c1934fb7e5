//===- ViewUses.cpp - what a tile program does with a view ----------------------===//
#include "heddle/Dialect/Tile/ViewUses.h"

#include "heddle/Dialect/Tile/Chain.h"

using namespace mlir;
using namespace heddle;

Value tile::memoryOf(Value view) {
  auto window = view.getDefiningOp<WindowOp>();
  return window ? window.getMemory() : view;
}

bool tile::isMarkedAligned(Value view) {
  if (Operation *window = view.getDefiningOp())
    return window->hasAttr(alignedAttr);
  auto argument = cast<BlockArgument>(view);
  auto kernel = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return kernel && kernel.getArgAttr(argument.getArgNumber(), alignedAttr);
}

int64_t tile::sizeDivisor(Value view, int64_t dim) {
  if (int64_t size = cast<ViewType>(view.getType()).getShape()[dim]; !ShapedType::isDynamic(size))
    return size;
  auto argument = dyn_cast<BlockArgument>(view);
  auto kernel = argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : FunctionOpInterface();
  auto multiples =
      kernel ? kernel.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), multiplesAttr) : DenseI64ArrayAttr();
  return multiples ? multiples[dim] : 1;
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
