//===- AccessFacts.cpp - what a kernel says of its accesses -----------------===//
//
// What:   a load or store -> its pointers, mask and shape as heddle/Address takes them (accessOf), and of what
//         addresses and sizes are multiples (tt.divisibility, bounds and steps of loops).
// Where:  below Accesses.cpp, which finds the views, and below what asks whether the copy engine may load them.
// Trusts: Triton's hints, and that launchers choose sizes without a bound as the copy engine needs them.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include <numeric>

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

/// tt.divisibility of an argument: of a pointer's address in bytes, or of a number.
static int64_t divisibility(FuncOp source, int64_t number) {
  auto attribute = source.getArgAttrOfType<IntegerAttr>(static_cast<unsigned>(number), "tt.divisibility");
  return attribute ? std::max<int64_t>(attribute.getInt(), 1) : 1;
}

/// What a symbol is a multiple of: arguments as they say, counters as the bounds and steps of their loops are.
static std::function<int64_t(const SymbolInfo &)> divisorsOf(FuncOp source, Values &values) {
  return [source, &values](const SymbolInfo &symbol) -> int64_t {
    if (symbol.kind == SymbolKind::Argument)
      return divisibility(source, symbol.id);
    auto counter =
        dyn_cast_or_null<BlockArgument>(symbol.kind == SymbolKind::Counter ? values.counterOf(symbol.id) : Value());
    auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop)
      return 1;
    auto outside = divisorsOf(source, values);
    return std::gcd(values.algebra.divisor(values.number(loop.getLowerBound()), outside),
                    values.algebra.divisor(values.number(loop.getStep()), outside));
  };
}

/// Elements of 16 bytes.
static int64_t pieceOf(Type element) {
  return 16 / std::gcd<int64_t>(16, std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8));
}

Alignment alignmentOf(const Conversion &conversion, const View &view) {
  Alignment result;
  if (view.described || view.hinted) // whoever makes a descriptor promises as much
    return result;
  if (view.address) {
    result.needs = "the hint tl.multiple_of(pointers, [16, 16])";
    return result;
  }
  int64_t bytes = view.element.getIntOrFloatBitWidth() / 8, elements = pieceOf(view.element);
  const Algebra &algebra = conversion.values->algebra;
  auto need = [&](const Poly &poly, const std::string &name, int64_t multiple) {
    result.needs += (result.needs.empty() ? "" : ", ") + name + " a multiple of " + std::to_string(multiple);
    result.isImpossible |= poly.constant().has_value();
  };
  if (divisibility(conversion.source, view.base.getArgNumber()) % 16 != 0)
    need(Poly::of(0), "the address " + argumentName(view.base), 16);
  std::vector<Poly> distances{view.offset};
  for (const ViewDim &dim : llvm::drop_end(view.dims))
    distances.push_back(dim.stride);
  auto divisors = divisorsOf(conversion.source, *conversion.values);
  for (const Poly &distance : distances)
    if (algebra.divisor(distance, divisors) * bytes % 16)
      need(distance, algebra.text(distance), elements);
  return result;
}

int64_t lastSizeDivisor(const Conversion &conversion, const View &view) {
  const ViewDim &last = view.dims.back();
  int64_t most = pieceOf(view.element);
  if (last.unbounded)
    return most;
  return std::gcd(most,
                  conversion.values->algebra.divisor(last.size, divisorsOf(conversion.source, *conversion.values)));
}

/// Whether the distances between the lanes of `pointer` are computed in 64 bits, or may be.
static bool isWide(Value pointer) {
  while (isa<RankedTensorType>(pointer.getType())) {
    Operation *op = pointer.getDefiningOp();
    if (auto add = dyn_cast_or_null<AddPtrOp>(op)) {
      if (!cast<RankedTensorType>(add.getOffset().getType()).getElementType().isInteger(32))
        return true;
    } else if (!isa_and_nonnull<SplatOp, BroadcastOp, ExpandDimsOp, TransOp, ReshapeOp>(op)) {
      return true;
    }
    pointer = op->getOperand(0);
  }
  return false;
}

/// Whether other accesses are where `value` says: pages of a table. Each thread then needs the numbers of its own rows:
/// with pages of 16 in blocks of 128 keys, read once and repeated, attention ran at 0.89 of its speed.
static bool decidesAddresses(Value value) {
  SmallVector<Value> open{value};
  DenseSet<Value> seen{value};
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<AddPtrOp>(user))
        return true;
      bool passes = user->hasTrait<OpTrait::Elementwise>() || isa<BroadcastOp, ExpandDimsOp>(user);
      for (Value result : user->getResults())
        if (passes && seen.insert(result).second)
          open.push_back(result);
    }
  return false;
}

address::Access accessOf(Values &values, Operation *op) {
  address::Access access;
  Value pointer = op->getOperand(0), mask;
  KnownPointer known = values.pointer(pointer);
  access.offset = known.offset;
  if (known.base && loadedAddress(known.base))
    access.isKnown = knownToKernel(values);
  access.piece = pieceOf(pointeeOf(pointer.getType()));
  if (auto tile = dyn_cast<RankedTensorType>(pointer.getType()))
    access.shape.assign(tile.getShape().begin(), tile.getShape().end());
  access.isStore = !isa<LoadOp>(op);
  access.keepLanes = !access.isStore && decidesAddresses(op->getResult(0));
  access.divisorOf = divisorsOf(op->getParentOfType<FuncOp>(), values);
  access.isWide = isWide(pointer);
  if (auto load = dyn_cast<LoadOp>(op)) {
    mask = load.getMask();
    access.neverStored = [&values, op](int64_t dim, const Poly &limit) {
      return neverStoredBeyond(values, op, dim, limit);
    };
  } else if (auto store = dyn_cast<StoreOp>(op))
    mask = store.getMask();
  else if (auto atomic = dyn_cast<AtomicRMWOp>(op))
    mask = atomic.getMask();
  if (mask)
    access.mask = values.truth(mask);
  return access;
}

} // namespace heddle::triton
