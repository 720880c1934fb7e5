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
//            stored tile and of the rows in 32 bits, against a thread's registers. Stores to different memory that
//            share such operations are split together: an activation and what its gradient needs, say. Not where an
//            operation other than a constant has another reader, or where a view is loaded that the kernel stores to,
//            since their order would matter; but an update of what the store stores to has parts that concern each
//            other alone.
// Part:      a row of the widest swizzle, which is what one staged store takes.
// Asked for: parts of so many columns, whatever the registers, of epilogues that load tiles of two dimensions too. What
//            they load is copied ahead. A whole tile would take a slot of its size in each turn for all of the program,
//            which the loop's rings lack; its parts take few small slots: as many parts as there are slots are copied
//            before the loop, each later one when the part that had its slot has been read. The group that reads them
//            issues them (partRingAttr): a load group, which fills in the program's order, would hold back the next
//            program's loop until this one's epilogue is under way. Rows are copied whole (copiedRowAttr), by the load
//            group: loads by threads behind the loop would be waited for there.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SplitEpilogues.h"

#include "Arithmetic.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Machine/Occupancy.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {

namespace {
/// What leads to one store, or to several of one block that share some of it, and whether it can be split.
class Epilogue {
public:
  explicit Epilogue(ArrayRef<tile::StoreOp> stores) : stores(stores), last(stores.back()) {}

  /// With tiles that are loaded, in parts of `asked` columns. False: it stays whole.
  bool findLoaded(int64_t asked, int64_t ahead) {
    part = asked;
    slots = ahead;
    auto loop = dyn_cast<scf::ForOp>(last->getParentOp());
    if (loop && isScheduledLoop(loop)) // which brings what it loads itself
      return false;
    bool found = find();
    for (tile::LoadOp row : copied)
      if (!found)
        row->removeAttr(copiedRowAttr);
    return found;
  }

  /// False: it stays whole.
  bool find() {
    ArrayRef<int64_t> shape = last.getValue().getType().getShape();
    if (shape.size() != 2)
      return false;
    columns = shape[1];
    unsigned widest = 0; // element, in bits
    for (tile::StoreOp store : stores) {
      RankedTensorType tile = store.getValue().getType();
      if (tile.getShape() != shape || store.isBounded() || store.getRows() || store.getExtent() ||
          store.getKind() != "set")
        return false;
      widest = std::max(widest, tile.getElementTypeBitWidth());
    }
    if (!slots)
      part = chunkRowBytes * 8 / widest;
    auto isTaken = [&](tile::StoreOp store) { return take(store.getValue(), Of::Elements); };
    auto isOwn = [&](Operation *user) { return operations.contains(user) || llvm::is_contained(stores, user); };
    return part < columns && columns % part == 0 && llvm::all_of(stores, isTaken) && loads && !whole.empty() &&
           llvm::all_of(
               operations,
               [&](Operation *op) { return isa<arith::ConstantOp>(op) || llvm::all_of(op->getUsers(), isOwn); });
  }

  /// Registers of a thread for the tile and what is loaded for it, all columns at once.
  int64_t registers(int64_t groups) {
    int64_t rows = last.getValue().getType().getShape()[0], threads = groups * threadsPerGroup;
    int64_t sum = static_cast<int64_t>(stores.size()) * rows * columns / threads;
    for (Operation *op : operations)
      if (isa<tile::LoadOp>(op))
        sum += columns / 4; // two neighbouring columns of eight in each thread
    return sum;
  }

  /// The tiles that it loads get rings from number `ring` on, which counts them.
  void split(int64_t &ring) {
    DenseMap<Operation *, SmallVector<Operation *>> tiles; // the parts of each, in order
    for (int64_t first = 0; first < columns; first += part) {
      OpBuilder b(last);
      IRMapping map;
      for (Value value : whole)
        map.map(value, sliceOf(b, value, first));
      for (Operation *op : operations) { // operands first
        OpBuilder at = b;
        bool isTile = isa<tile::LoadOp>(op) && slots && cast<tile::LoadOp>(op).getType().getRank() == 2;
        SmallVector<Operation *> *parts = isTile ? &tiles[op] : nullptr;
        if (isTile && parts->empty())
          setBehindOperands(at, op);
        else if (isTile && static_cast<int64_t>(parts->size()) < slots)
          at.setInsertionPointAfter(parts->back());
        else if (isTile) // when the part whose slot it gets has been read
          at.setInsertionPointAfter(lastUser((*parts)[parts->size() - slots]));
        Operation *copy = cloneFor(at, op, first, map);
        if (!isTile)
          continue;
        int64_t number = parts->empty() ? ring++ : parts->back()->getAttrOfType<DenseI64ArrayAttr>(partRingAttr)[0];
        copy->setAttr(partRingAttr, b.getDenseI64ArrayAttr({number, slots}));
        parts->push_back(copy);
      }
      for (tile::StoreOp store : stores) {
        Operation *stored = cloneFor(b, store, first, map);
        if (slots)
          stored->setAttr(partStoreAttr, b.getUnitAttr());
      }
    }
    for (tile::StoreOp store : stores)
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
    if (!op || op->getBlock() != last->getBlock() || op->getNumResults() != 1)
      return addWhole(value, of);
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      if (load.getExtent() || meetsStores(load))
        return false;
      if (of == Of::Elements && (!slots || !isTmaLoad(load)))
        return false;
      ++loads;
      if (slots && of == Of::Columns && copyRow(load))
        return whole.insert(value) || true;
      return operations.insert(op);
    }
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
      if (broadcast.getSource().getType().getRank() != 1)
        return false;
      if (auto load = broadcast.getSource().getDefiningOp<tile::LoadOp>();
          load && slots && broadcast.getAxis() == 1 && load->getBlock() == last->getBlock() && !meetsStores(load))
        (void)copyRow(load);
      return (broadcast.getAxis() == 1 || take(broadcast.getSource(), Of::Columns)) && operations.insert(op);
    }
    if (!OpTrait::hasElementwiseMappableTraits(op) || !isMemoryEffectFree(op))
      return addWhole(value, of);
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !take(operand, of))
        return false;
    return operations.insert(op);
  }

  /// Lets the copy engine load a row, if it can: it is there before the loop ends, and waits for nothing.
  bool copyRow(tile::LoadOp row) {
    if (row->hasAttr(copiedRowAttr))
      return true;
    row->setAttr(copiedRowAttr, UnitAttr::get(row.getContext()));
    if (isTmaLoad(row)) {
      copied.push_back(row);
      return true;
    }
    row->removeAttr(copiedRowAttr);
    return false;
  }

  /// A row of registers lies in other threads than a part of it.
  bool addWhole(Value value, Of of) { return of == Of::Elements && (whole.insert(value) || true); }

  /// Would a store come before `load` that it stood behind?
  bool meetsStores(tile::LoadOp load) {
    WalkResult walk = last->getParentOfType<tile::KernelOp>().walk([&](tile::StoreOp other) {
      bool meets = tile::memoryOf(other.getView()) == tile::memoryOf(load.getView());
      return meets && !(llvm::is_contained(stores, other) && isUpdated(load, other)) ? WalkResult::interrupt()
                                                                                     : WalkResult::advance();
    });
    return walk.wasInterrupted();
  }

  /// Whether `store` is an update of what `load` loads: each part of one is that of the other, and none of others.
  static bool isUpdated(tile::LoadOp load, tile::StoreOp store) {
    return load.getView() == store.getView() && load.getType().getShape() == store.getValue().getType().getShape() &&
           llvm::equal(load.getIndices(), store.getIndices()) && load.getTileDims() == store.getTileDims();
  }

  Value sliceOf(OpBuilder &b, Value value, int64_t first) const {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
        sizes = tensor::getMixedSizes(b, value.getLoc(), value), strides(type.getRank(), b.getIndexAttr(1));
    offsets.back() = b.getIndexAttr(first);
    sizes.back() = b.getIndexAttr(part);
    return tensor::ExtractSliceOp::create(b, value.getLoc(), value, offsets, sizes, strides);
  }

  /// Of users in one block.
  static Operation *lastUser(Operation *op) {
    return *llvm::max_element(op->getUsers(), [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  }

  /// To where all operands of `op` are known: before the loop, as a rule.
  static void setBehindOperands(OpBuilder &b, Operation *op) {
    b.setInsertionPointToStart(op->getBlock());
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == op->getBlock())
        if (b.getInsertionPoint() == op->getBlock()->begin() || !def->isBeforeInBlock(&*b.getInsertionPoint()))
          b.setInsertionPointAfter(def);
  }

  /// A copy of `op` for the columns from `first` on.
  Operation *cloneFor(OpBuilder &b, Operation *op, int64_t first, IRMapping &map) {
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
    return copy;
  }

  RankedTensorType partOf(RankedTensorType type) const {
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = part;
    return RankedTensorType::get(shape, type.getElementType());
  }

  SmallVector<tile::StoreOp> stores; ///< in the order of the program
  tile::StoreOp last;
  int64_t columns = 0, part = 0, loads = 0;
  int64_t slots = 0;                       ///< of parts of tiles that are copied ahead; 0: nothing is
  llvm::SetVector<Operation *> operations; ///< that are split
  llvm::SetVector<Value> whole;            ///< what they take of the whole tile
  SmallVector<tile::LoadOp> copied;        ///< loads of rows that are copied ahead
};

/// Whether an epilogue may have `op` in parts.
bool runsInParts(Operation *op) {
  return isa<tile::BroadcastOp, tile::LoadOp>(op) ||
         (OpTrait::hasElementwiseMappableTraits(op) && isMemoryEffectFree(op) && !isa<arith::ConstantOp>(op));
}

/// Whether `op` has a column for each row, which all parts take whole.
bool spreadsRows(Operation *op) {
  auto broadcast = dyn_cast<tile::BroadcastOp>(op);
  return broadcast && broadcast.getAxis() == 1;
}

/// The stores of the block of `store` that share what leads to it, in order, itself among them. Alone: none does, or
/// their parts would change places with each other's or with what else concerns memory.
SmallVector<tile::StoreOp> storesTogether(tile::StoreOp store) {
  Block *block = store->getBlock();
  llvm::SetVector<Operation *> reached;
  reached.insert(store);
  SmallVector<tile::StoreOp> together;
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i];
    if (auto other = dyn_cast<tile::StoreOp>(op))
      together.push_back(other);
    auto reach = [&](Operation *other) {
      if (other && other->getBlock() == block && (isa<tile::StoreOp>(other) || runsInParts(other)))
        reached.insert(other);
    };
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !spreadsRows(op))
        reach(operand.getDefiningOp());
    for (Operation *user : op->getUsers())
      if (!spreadsRows(user))
        reach(user);
  }
  llvm::sort(together, [](tile::StoreOp a, tile::StoreOp b) { return a->isBeforeInBlock(b); });
  llvm::SmallDenseSet<Value> memories;
  bool apart =
      llvm::all_of(together, [&](tile::StoreOp s) { return memories.insert(tile::memoryOf(s.getView())).second; });
  for (Operation *op = together.front(); op != together.back(); op = op->getNextNode())
    apart &= reached.contains(op) || isMemoryEffectFree(op);
  return apart ? together : SmallVector<tile::StoreOp>{store};
}

/// Splits what `find` says of the stores of `kernel`.
bool splitWhere(tile::KernelOp kernel, llvm::function_ref<bool(Epilogue &)> find) {
  SmallVector<SmallVector<tile::StoreOp>> groups;
  llvm::DenseSet<Operation *> known;
  kernel.walk([&](tile::StoreOp store) {
    if (known.contains(store))
      return;
    groups.push_back(storesTogether(store));
    known.insert_range(groups.back());
  });
  bool any = false;
  int64_t ring = 0;
  for (ArrayRef<tile::StoreOp> group : groups)
    if (Epilogue epilogue(group); find(epilogue)) {
      epilogue.split(ring);
      any = true;
    }
  return any;
}
} // namespace

bool splitEpilogues(tile::KernelOp kernel, int64_t groups, int64_t registers) {
  return splitWhere(kernel,
                    [&](Epilogue &epilogue) { return epilogue.find() && epilogue.registers(groups) > registers; });
}

bool splitLoadedEpilogues(tile::KernelOp kernel, int64_t columns, int64_t slots) {
  return splitWhere(kernel, [&](Epilogue &epilogue) { return epilogue.findLoaded(columns, slots); });
}

} // namespace heddle
