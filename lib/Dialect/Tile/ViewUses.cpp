//===- ViewUses.cpp - what a tile program does with a view ----------------------===//
#include "heddle/Dialect/Tile/ViewUses.h"

#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/Chain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseSet.h"

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

bool tile::isSizeOf(Value value, BlockArgument view, int64_t dim) {
  auto kernel = cast<FunctionOpInterface>(view.getOwner()->getParentOp());
  int64_t known = cast<tile::ViewType>(view.getType()).getShape()[dim];
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return !ShapedType::isDynamic(known) && *number >= known;
  auto size = value.getDefiningOp<tile::DimOp>();
  auto sized = size ? dyn_cast<BlockArgument>(size.getView()) : BlockArgument();
  return sized && tile::dimensionName(kernel, sized.getArgNumber(), static_cast<int64_t>(size.getDim())) ==
                      tile::dimensionName(kernel, view.getArgNumber(), dim);
}

/// Whether the programs of `grid` begin parts of `extent` elements at `index` that cover `view` along `dim`.
static bool covers(Value index, int64_t extent, tile::GridOp grid, BlockArgument view, int64_t dim) {
  int64_t known = cast<tile::ViewType>(view.getType()).getShape()[dim];
  if (std::optional<int64_t> begin = getConstantIntValue(index))
    return *begin == 0 && !ShapedType::isDynamic(known) && extent >= known;
  auto product = index.getDefiningOp<arith::MulIOp>();
  if (product && getConstantIntValue(product.getRhs()) != extent)
    return false;
  auto program = (product ? product.getLhs() : index).getDefiningOp<tile::ProgramIdOp>();
  if (!program || (!product && extent != 1) || program.getDim() >= grid.getSizes().size())
    return false;
  Value count = grid.getSizes()[program.getDim()];
  if (extent == 1 && tile::isSizeOf(count, view, dim))
    return true;
  Operation *parts = count.getDefiningOp();
  return isa_and_nonnull<arith::CeilDivUIOp, arith::CeilDivSIOp>(parts) &&
         getConstantIntValue(parts->getOperand(1)) == extent && tile::isSizeOf(parts->getOperand(0), view, dim);
}

/// Whether every element of `view`, a kernel's argument, is surely stored: by one store that no program leaves out, of
/// parts that programs take along each dimension, one after the other. False where it is not seen.
static bool isStoredWhole(BlockArgument view) {
  auto kernel = dyn_cast<tile::KernelOp>(view.getOwner()->getParentOp());
  if (!kernel)
    return false;
  auto grids = kernel.getBody().getOps<tile::GridOp>();
  return !grids.empty() && llvm::any_of(view.getUsers(), [&](Operation *user) {
    auto store = dyn_cast<tile::StoreOp>(user);
    if (!store || store.getKind() != "set" || store.getRows() || store.isBounded() || store.getExtent() ||
        store->getParentOp() != kernel)
      return false;
    SmallVector<int64_t> tileDims = store.getTileDims();
    llvm::SmallDenseSet<Value> programs; // one of them takes the parts of one dimension
    for (auto [dim, index] : llvm::enumerate(store.getIndices())) {
      auto ofTile = llvm::find(tileDims, static_cast<int64_t>(dim));
      int64_t extent = ofTile == tileDims.end()
                           ? 1
                           : cast<RankedTensorType>(store.getValue().getType()).getDimSize(ofTile - tileDims.begin());
      if (!covers(index, extent, *grids.begin(), view, static_cast<int64_t>(dim)) ||
          (!getConstantIntValue(index) && !programs.insert(index).second))
        return false;
    }
    return true;
  });
}

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
  // What a launch reads of an argument may be what was there before, though one before it writes: parts of it, maybe.
  bool isWorkspace = !isa<BlockArgument>(view), isSet = false, isWhole = isWorkspace; // by the launches so far
  for (auto launch : chain.getBody().getOps<LaunchOp>())
    for (auto [given, argument] : llvm::zip(launch.getGiven(), kernelOf(launch).getBody().getArguments())) {
      if (given != view)
        continue;
      ViewUses now = usesOf(argument);
      uses.read |= now.read && !(isSet && isWhole);
      uses.added |= now.added && !isSet;
      uses.written |= now.written;
      isSet |= now.written;
      isWhole |= isStoredWhole(argument);
    }
  return uses;
}
