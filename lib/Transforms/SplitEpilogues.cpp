//===- SplitEpilogues.cpp - what stands behind products, in parts ----------===//
//
// What:      tile.store f(%acc, rows), %v[%i, %j]  ->  for each part of the columns, one after the other:
//              %p = tensor.extract_slice %acc; tile.store f(%p, rows of the part), %v[%i, %j + part]
//            A row is loaded and has a value for each column (a bias, a scale). A slice of a product's accumulator
//            costs nothing (other registers of the same threads), so that a thread holds one part of the rows beside
//            the accumulator, not all of it.
// Where:     on the whole tile, before it is divided over groups: what comes after sees ordinary slices and stores.
// Which:     the operations of a store's block that lead to it element by element, from what they take whole (results
//            of loops and products) and from rows. They are split when the whole would not fit: the values of the
//            stored tile and of the rows in 32 bits, against a thread's registers. Not where tiles of two dimensions
//            are loaded, which bring memory of their own; where an operation other than a constant has another reader;
//            or where a view is loaded that the kernel stores to, since their order would matter.
// Part:      a row of the widest swizzle, which is what one staged store takes.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SplitEpilogues.h"

#include "Arithmetic.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Machine/Occupancy.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {

namespace {
/// What leads to one store, and whether it can be split.
class Epilogue {
public:
  explicit Epilogue(tile::StoreOp store) : store(store) {}

  /// False: it stays whole.
  bool find() {
    RankedTensorType tile = store.getValue().getType();
    if (tile.getRank() != 2 || store.isBounded() || store.getRows() || store.getExtent() || store.getKind() != "set")
      return false;
    columns = tile.getShape()[1];
    part = chunkRowBytes * 8 / tile.getElementTypeBitWidth();
    return part < columns && columns % part == 0 && take(store.getValue(), Of::Elements) && loads && !whole.empty() &&
           llvm::all_of(
               operations,
               [&](Operation *op) {
                 return isa<arith::ConstantOp>(op) || llvm::all_of(op->getUsers(), [&](Operation *user) {
                          return user == store.getOperation() || operations.contains(user);
                        });
               });
  }

  /// Registers of a thread for the tile and what is loaded for it, all columns at once.
  int64_t registers(int64_t groups) {
    int64_t rows = store.getValue().getType().getShape()[0], threads = groups * threadsPerGroup;
    int64_t sum = rows * columns / threads;
    for (Operation *op : operations)
      if (isa<tile::LoadOp>(op))
        sum += columns / 4; // two neighbouring columns of eight in each thread
    return sum;
  }

  void split() {
    for (int64_t first = 0; first < columns; first += part) {
      OpBuilder b(store);
      IRMapping map;
      for (Value value : whole)
        map.map(value, sliceOf(b, value, first));
      for (Operation *op : operations) // operands first
        cloneFor(b, op, first, map);
      cloneFor(b, store, first, map);
    }
    store.erase();
    for (Operation *op : llvm::reverse(operations))
      if (op->use_empty()) // constants may have other readers
        op->erase();
  }

private:
  /// Which dimensions a value has: those of the tile, or its columns alone.
  enum class Of { Elements, Columns };

  /// Adds what leads to `value`. False: something cannot be split.
  bool take(Value value, Of of) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() != (of == Of::Elements ? 2 : 1) || type.getShape().back() != columns)
      return false;
    Operation *op = value.getDefiningOp();
    if (op && operations.contains(op))
      return true;                                               // of the same dimensions: it has the same type
    if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op)) // wherever it stands: a part of it is a constant
      return isa<SplatElementsAttr>(constant.getValue()) && operations.insert(op);
    if (!op || op->getBlock() != store->getBlock() || op->getNumResults() != 1)
      return addWhole(value, of);
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      if (of == Of::Elements || load.getExtent() || meetsStores(load))
        return false;
      ++loads;
      return operations.insert(op);
    }
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
      if (broadcast.getSource().getType().getRank() != 1)
        return false;
      return (broadcast.getAxis() == 1 || take(broadcast.getSource(), Of::Columns)) && operations.insert(op);
    }
    if (!OpTrait::hasElementwiseMappableTraits(op) || !isMemoryEffectFree(op))
      return addWhole(value, of);
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !take(operand, of))
        return false;
    return operations.insert(op);
  }

  /// A row of registers lies in other threads than a part of it.
  bool addWhole(Value value, Of of) { return of == Of::Elements && (whole.insert(value) || true); }

  /// Would a store come before `load` that it stood behind?
  bool meetsStores(tile::LoadOp load) {
    WalkResult walk = store->getParentOfType<tile::KernelOp>().walk([&](tile::StoreOp other) {
      bool meets = tile::memoryOf(other.getView()) == tile::memoryOf(load.getView());
      return meets ? WalkResult::interrupt() : WalkResult::advance();
    });
    return walk.wasInterrupted();
  }

  Value sliceOf(OpBuilder &b, Value value, int64_t first) const {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<OpFoldResult> offsets{b.getIndexAttr(0), b.getIndexAttr(first)},
        sizes{b.getIndexAttr(type.getShape()[0]), b.getIndexAttr(part)}, strides(2, b.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(b, value.getLoc(), value, offsets, sizes, strides);
  }

  /// A copy of `op` for the columns from `first` on.
  void cloneFor(OpBuilder &b, Operation *op, int64_t first, IRMapping &map) {
    Operation *copy = b.clone(*op, map);
    for (Value result : copy->getResults())
      result.setType(partOf(cast<RankedTensorType>(result.getType())));
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      constant.setValueAttr(
          cast<SplatElementsAttr>(constant.getValue()).resizeSplat(cast<ShapedType>(constant.getType())));
    auto move = [&](auto access) {
      MutableOperandRange indices = access.getIndicesMutable();
      OpOperand &column = indices[access.getTileDims().back()];
      OpBuilder before(copy);
      Arithmetic a(before, copy->getLoc());
      if (first)
        column.set(a.add(column.get(), a.constant(first)));
    };
    if (auto load = dyn_cast<tile::LoadOp>(copy))
      move(load);
    else if (auto own = dyn_cast<tile::StoreOp>(copy))
      move(own);
  }

  RankedTensorType partOf(RankedTensorType type) const {
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = part;
    return RankedTensorType::get(shape, type.getElementType());
  }

  tile::StoreOp store;
  int64_t columns = 0, part = 0, loads = 0;
  llvm::SetVector<Operation *> operations; ///< that are split
  llvm::SetVector<Value> whole;            ///< what they take of the whole tile
};
} // namespace

bool splitEpilogues(tile::KernelOp kernel, int64_t groups, int64_t registers) {
  SmallVector<tile::StoreOp> stores;
  kernel.walk([&](tile::StoreOp store) { stores.push_back(store); });
  bool any = false;
  for (tile::StoreOp store : stores)
    if (Epilogue epilogue(store); epilogue.find() && epilogue.registers(groups) > registers) {
      epilogue.split();
      any = true;
    }
  return any;
}

} // namespace heddle
