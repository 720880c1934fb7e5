//===- Accesses.cpp - every access of memory as a box of a view -------------===//
//
// What:   loads and stores through pointers and descriptors -> Conversion::accesses and Conversion::views. Accesses of
//         one argument with equal sizes and strides share a view.
// Order:  what is stored through one view and also reached through another of the same argument is refused: the tile
//         program's views are different tensors.
//
//===----------------------------------------------------------------------===//
#include "Translator.h"

#include "heddle/Conversion/TritonToTile/Symbols.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

const char *const gridNames[3] = {"grid_x", "grid_y", "grid_z"};

/// The name that a location gives an argument, or nothing.
static std::string writtenName(BlockArgument argument) {
  auto given = dyn_cast<NameLoc>(argument.getLoc());
  if (!given)
    return "";
  std::string name = given.getName().str();
  llvm::replace(name, '.', '_'); // "a.shape.0", of a descriptor
  if (tile::isIdentifier(name) && !llvm::is_contained(gridNames, name))
    return name;
  return tile::isIdentifier(name + "_") ? name + "_" : ""; // a keyword of C++, or the grid's
}

/// C++ keeps names with two underscores in a row.
static std::string numberedName(StringRef name, StringRef suffix) { return (name.rtrim('_') + "_" + suffix).str(); }

std::string argumentName(BlockArgument argument) {
  std::string name = writtenName(argument), number = std::to_string(argument.getArgNumber());
  if (name.empty())
    return "arg" + number;
  // A descriptor, its sizes and its strides share one name.
  for (BlockArgument other : argument.getOwner()->getArguments().take_front(argument.getArgNumber()))
    if (writtenName(other) == name)
      return numberedName(name, number);
  return name;
}

Algebra &algebraOf(const Conversion &conversion) { return conversion.values->algebra; }

Value valueOf(const Conversion &conversion, SymbolKind kind, int64_t id) {
  return kind == SymbolKind::Counter ? conversion.values->counterOf(id) : conversion.values->opaqueOf(id);
}

namespace {

class Finder {
public:
  Finder(Conversion &result) : result(result), values(*result.values), rows(Translator::isRowKernel(result.source)) {}

  void run() {
    result.source.walk([&](Operation *op) {
      if (isa<StoreOp, AtomicRMWOp>(op))
        stored.insert(values.pointer(op->getOperand(0)).base);
      else if (auto make = isa<DescriptorStoreOp>(op) ? op->getOperand(0).getDefiningOp<MakeTensorDescOp>() : nullptr)
        stored.insert(values.pointer(make.getBase()).base);
    });
    find();
    // What is reached in several ways, and stored to, is reached element by element: that is one way.
    for (Access &access : result.accesses)
      if (access.view >= 0 && isInTheWay(access))
        byElement[result.views[access.view].base] =
            "the argument is stored to, and reached with other sizes or strides elsewhere";
    for (const View &view : result.views)
      if (!view.described && meetsByConstants(view))
        byElement[view.base] = "the argument is loaded and stored to in windows that overlap";
    if (!byElement.empty()) {
      result.accesses.clear();
      result.views.clear();
      find();
    }
    for (Access &access : result.accesses)
      if (access.view >= 0)
        checkOneView(access);
    nameViews();
  }

private:
  void find() {
    result.source.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<LoadOp, StoreOp, AtomicRMWOp>(op))
        throughPointer(op);
      else if (isa<DescriptorLoadOp, DescriptorStoreOp>(op))
        throughDescriptor(op);
    });
    shareViews(result);
    findReach(result);
  }
  void throughPointer(Operation *op);
  void throughDescriptor(Operation *op);
  /// The box of a window that is made in front of the loop around `op`, where that is what the copy engine loads.
  std::optional<Box> windowBox(Operation *op, Value base, Type element, address::Access access);
  /// Whether the kernel has the value of `symbol` without asking a tile for it.
  bool isScalar(const SymbolInfo &symbol) const;
  void refuse(Operation *op, bool isStore, const std::string &reason) {
    Access access;
    access.op = op;
    access.isStore = isStore;
    access.reason = reason;
    result.accesses.push_back(access);
  }
  void add(Operation *op, bool isStore, Value base, Type element, Box box, bool described = false,
           bool isWindow = false);
  bool isHinted(Operation *op);
  /// Whether what `access` reaches is stored to, and also reached through another view.
  bool isInTheWay(const Access &access) const;
  void checkOneView(Access &access);
  void nameViews();

  Conversion &result;
  Values &values;
  bool rows;
  DenseMap<Value, const char *> byElement; ///< arguments whose tiles are reached so, and why
  DenseSet<Value> stored;                  ///< what is stored to
};

void Finder::add(Operation *op, bool isStore, Value base, Type element, Box box, bool described, bool isWindow) {
  Value address;
  if (LoadOp load = base ? loadedAddress(base) : LoadOp()) {
    address = base;
    base = values.pointer(load.getPtr()).base;
  }
  auto argument = dyn_cast_or_null<BlockArgument>(base);
  if (!argument || argument.getOwner() != &result.source.getBody().front())
    return refuse(op, isStore, "the pointer comes from no argument of the kernel");
  if (rows && box.dims.size() == 1 && box.tileDims[0] >= 0) { // tiles of one row need a dimension for it
    box.dims.insert(box.dims.begin(), {Poly(1), false, Poly(0)});
    box.coordinates.insert(box.coordinates.begin(), Poly(0));
    box.tileDims.insert(box.tileDims.begin(), -1);
  }
  int view = -1;
  for (auto [i, known] : llvm::enumerate(result.views))
    if (known.base == argument && known.element == element && known.offset == box.base && known.dims == box.dims &&
        known.described == described && known.address == address && known.isWindow == (isWindow || address))
      view = i;
  if (view < 0) {
    view = result.views.size();
    View made;
    made.base = argument, made.address = address, made.element = element, made.offset = box.base, made.dims = box.dims;
    made.isWindow = isWindow || address;
    made.described = described;
    made.hinted = address != Value();
    result.views.push_back(std::move(made));
  }
  result.views[view].isStored |= isStore;
  result.views[view].byElement |= box.kind == AccessKind::Elements;
  result.views[view].hinted &= isHinted(op);
  Access access;
  access.op = op;
  access.isStore = isStore;
  access.view = view;
  access.box = std::move(box);
  result.accesses.push_back(std::move(access));
}

/// Whether tl.multiple_of says of the pointers of `op`, or of what they begin with in a loop, that runs along each
/// dimension begin at multiples of 16 bytes.
bool Finder::isHinted(Operation *op) {
  Value pointers = op->getOperand(0);
  DenseElementsAttr hint;
  if (Operation *def = pointers.getDefiningOp())
    hint = def->getAttrOfType<DenseElementsAttr>("tt.divisibility");
  else if (auto argument = cast<BlockArgument>(pointers); Operation *parent = argument.getOwner()->getParentOp())
    hint = parent->getAttrOfType<DenseElementsAttr>("tt.divisibility_arg" + std::to_string(argument.getArgNumber()));
  return hint && hint.getElementType().isInteger() &&
         llvm::all_of(hint.getValues<APInt>(), [](const APInt &bytes) { return bytes.getSExtValue() % 16 == 0; });
}

/// Sums and products of 64 bits keep their lower 32; what is divided or compared needs all of them. Of distances in 64
/// bits those are taken to have no more that are no products.
static bool isExactIn32Bits(const Algebra &algebra, const address::Access &access) {
  std::function<bool(const Poly &, bool)> isExact = [&](const Poly &poly, bool inFunction) {
    return llvm::all_of(poly.terms(), [&](const auto &term) {
      return !(inFunction && term.first.size() > 1) && llvm::all_of(term.first, [&](Symbol symbol) {
        const SymbolInfo &info = algebra.info(symbol);
        return info.kind < SymbolKind::Quotient ||
               llvm::all_of(info.operands, [&](const Poly &operand) { return isExact(operand, true); });
      });
    });
  };
  return !access.isWide || isExact(access.offset, false);
}

bool Finder::isScalar(const SymbolInfo &symbol) const {
  return symbol.kind != SymbolKind::Lane && symbol.kind != SymbolKind::Table &&
         !(symbol.kind == SymbolKind::Opaque && isOfTile(values.opaqueOf(symbol.id)));
}

/// Whether `pointer` is one that was cast to elements of another size.
static bool comesFromOtherSize(Value pointer) {
  while (Operation *def = pointer.getDefiningOp()) {
    if (!isa<AddPtrOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransOp, BitcastOp>(def))
      return false;
    pointer = def->getOperand(0);
    Type from = pointeeOf(pointer.getType()), to = pointeeOf(def->getResult(0).getType());
    if (from && to && from != to && from.isIntOrFloat() && to.isIntOrFloat() &&
        from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
      return true;
  }
  return false;
}

void Finder::throughPointer(Operation *op) {
  bool isStore = !isa<LoadOp>(op);
  if (auto atomic = dyn_cast<AtomicRMWOp>(op)) {
    Type pointee = pointeeOf(atomic.getPtr().getType());
    bool adds = atomic.getAtomicRmwOp() == AtomicKind::FAdd ||
                (atomic.getAtomicRmwOp() == AtomicKind::Add && (pointee.isInteger(32) || pointee.isInteger(64)));
    if (!atomic->use_empty() || !adds)
      return refuse(
          op, true,
          "of atomic operations only additions of floats and integers of 32 or 64 bits whose result is not used "
          "are known");
  }
  if (auto load = dyn_cast<LoadOp>(op); load && load.getIsVolatile())
    return refuse(op, false, "a volatile load waits for other programs, which tile programs cannot");
  Value pointer = op->getOperand(0);
  KnownPointer known = values.pointer(pointer);
  Type element = pointeeOf(pointer.getType());
  if (!known.base && comesFromOtherSize(pointer))
    return refuse(op, isStore,
                  "the pointer was cast to elements of another size, which not all accesses have, "
                  "or after it was moved: pass the tensor as one of that type (x.view(torch.int32))");
  if (!known.base)
    return refuse(op, isStore, "where the pointer points is not known: it comes from memory or from a choice");
  if (loadedAddress(known.base) && isa<PointerType>(pointer.getType()))
    return refuse(op, isStore, "a scalar at an address that the kernel loads");
  if (isa<PointerType>(element) && isa<PointerType>(pointer.getType()) && !isStore)
    element = IntegerType::get(op->getContext(), 64); // an address
  if (!element.isIntOrFloat() || element.isInteger(1))
    return refuse(op, isStore, "expected elements that are numbers of 8 bits or more");
  // Truth values are bytes in memory, and read as such.
  Type pointee = loadedAddress(known.base) ? element : pointeeOf(known.base.getType());
  if (pointee != element && !isa<PointerType>(pointee) && !(pointee.isInteger(1) && element.isInteger(8)))
    return refuse(op, isStore, "the pointer was cast to another element type");
  if (!known.offset.isValid())
    return refuse(op, isStore, "the address is too complicated");
  address::Access access = accessOf(values, op);
  AccessResult found;
  if (!values.algebra.allSymbols(access.offset, [&](const SymbolInfo &info) {
        return info.kind != SymbolKind::Opaque || !isOfTile(values.opaqueOf(info.id));
      })) {
    if (access.shape.empty())
      access.shape.push_back(1);
    found.reason = "a value of a tile decides the address";
  } else if (byElement.contains(known.base) && !access.shape.empty()) {
    found.reason = byElement.lookup(known.base);
  } else {
    found = viewOf(values.algebra, access);
    // An index that wraps may be a coordinate of its own (a pixel's column), no row that is taken from the beginning.
    address::Access asWritten = access;
    asWritten.keepWraps = true;
    if (AccessResult other = found.box ? AccessResult() : viewOf(values.algebra, asWritten); other.box) {
      access = std::move(asWritten);
      found = std::move(other);
    }
  }
  if (found.box && llvm::any_of(found.box->rowAtoms, [](const Atom &atom) { return atom.opaque; }))
    found = {std::nullopt, "the mask of rows that a tile names is no comparison of numbers"};
  if (found.box && !found.box->wraps.empty()) {
    // A box reads zeros where the program reads wrapped elements.
    bool harmless = !isStore;
    for (const Wrap &wrap : found.box->wraps)
      harmless &= !isStore && neverStoredBeyond(values, op, wrap.tileDim, wrap.limit);
    if (!harmless) {
      access.keepWraps = true;
      found = viewOf(values.algebra, access);
    }
  }
  // What is no box of a view is reached element by element: where the launch knows the beginning.
  if (!found.box && !access.isKnown && !access.shape.empty()) {
    if (!isExactIn32Bits(values.algebra, access))
      return refuse(op, isStore, found.reason + ", and what it divides has 64 bits");
    found.box = elementsOf(access);
  }
  if (!found.box)
    return refuse(op, isStore, found.reason);
  if (found.box->kind != AccessKind::Box)
    if (std::optional<Box> window = windowBox(op, known.base, element, access))
      return add(op, isStore, known.base, element, std::move(*window), /*described=*/false, /*isWindow=*/true);
  add(op, isStore, known.base, element, std::move(*found.box));
  result.accesses.back().reason = found.reason;
}

/// Rows are listed where only the kernel knows their bound. Where it knows all that there is to a view before the loop
/// begins, and a product reads it, the copy engine may load them all the same.
std::optional<Box> Finder::windowBox(Operation *op, Value base, Type element, address::Access access) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  auto argument = dyn_cast<BlockArgument>(base);
  if (!loop || !argument || access.isStore || access.isKnown || access.shape.size() < 2 || stored.contains(base) ||
      loop.getBody()->getOps<DotOp>().empty())
    return std::nullopt;
  access.isKnown = [&](const SymbolInfo &symbol) { return isScalar(symbol) && values.isOutside(symbol, loop); };
  std::optional<Box> box = viewOf(values.algebra, access).box;
  auto isKnown = [&](const Poly &poly) { return values.algebra.allSymbols(poly, access.isKnown); };
  if (!box || box->kind != AccessKind::Box || box->tileDims.back() < 0 || !isKnown(box->base) ||
      llvm::any_of(box->dims, [&](const ViewDim &dim) { return !isKnown(dim.size) || !isKnown(dim.stride); }))
    return std::nullopt;
  View view;
  view.base = argument, view.element = element, view.offset = box->base, view.dims = box->dims;
  return alignmentOf(result, view).needs.empty() ? box : std::nullopt;
}

/// Sizes and strides of a descriptor: operands of the operation that makes it, or the arguments behind it.
static bool shapeOfDescriptor(Values &values, Value descriptor, std::vector<Poly> &sizes, std::vector<Poly> &strides) {
  if (auto make = descriptor.getDefiningOp<MakeTensorDescOp>()) {
    for (Value size : make.getShape())
      sizes.push_back(values.number(size));
    for (Value stride : make.getStrides())
      strides.push_back(values.number(stride));
    return true;
  }
  auto argument = cast<BlockArgument>(descriptor);
  size_t rank = cast<TensorDescType>(descriptor.getType()).getShape().size(), first = argument.getArgNumber() + 1;
  Block *block = argument.getOwner();
  if (block->getNumArguments() < first + 2 * rank)
    return false;
  for (size_t d = 0; d < 2 * rank; ++d) {
    BlockArgument next = block->getArgument(first + d);
    if (!next.getType().isInteger(d < rank ? 32 : 64))
      return false;
    (d < rank ? sizes : strides).push_back(values.number(next));
  }
  strides.back() = Poly(1); // Triton's rule
  return true;
}

/// A descriptor whose tensor begins where the program says (a batch, a head): such steps are dimensions of their own,
/// without a bound. False: the launch does not know how far apart they are, or they may go back.
static bool beginByProgram(address::Algebra &algebra, Box &box) {
  Poly begin = box.base.part([&](const Poly::Monomial &m) { return algebra.isHost(Poly::term(m, 1)); });
  addProducts(box.base - begin, [&](address::Symbol symbol) { return algebra.isHost(Poly::of(symbol)); }, box);
  box.base = begin;
  return llvm::all_of(box.coordinates, [&](const Poly &coordinate) {
    return isNotNegativeOfMemory(algebra, coordinate, Poly(1), /*ofTiles=*/false);
  });
}

void Finder::throughDescriptor(Operation *op) {
  bool isStore = isa<DescriptorStoreOp>(op);
  Value descriptor = op->getOperand(0);
  auto type = cast<TensorDescType>(descriptor.getType());
  OperandRange indices = isStore ? cast<DescriptorStoreOp>(op).getIndices() : cast<DescriptorLoadOp>(op).getIndices();
  auto make = descriptor.getDefiningOp<MakeTensorDescOp>();
  auto argument = dyn_cast<BlockArgument>(descriptor);
  if (!make && !(argument && argument.getOwner() == &result.source.getBody().front()))
    return refuse(op, isStore, "the descriptor comes neither from an argument nor from tt.make_tensor_descriptor");
  std::vector<Poly> sizes, strides;
  if (!shapeOfDescriptor(values, descriptor, sizes, strides))
    return refuse(op, isStore, "expected the descriptor's sizes and strides as the arguments behind it");
  Box box;
  Value base = descriptor;
  bool isWindow = false; // what the launch does not know the kernel does, where it makes the descriptor
  std::function<bool(const Poly &)> isKnown = [&](const Poly &poly) { return values.algebra.isHost(poly); };
  if (make) {
    KnownPointer pointer = values.pointer(make.getBase());
    base = pointer.base;
    box.base = pointer.offset;
    bool loaded = base && loadedAddress(base);
    isWindow = !loaded && isa_and_nonnull<BlockArgument>(base) && !stored.contains(base) && box.base.isValid() &&
               llvm::any_of(sizes, [&](const Poly &size) { return !values.algebra.isHost(size); });
    isKnown = [&, loaded, isWindow](const Poly &poly) {
      auto known = [&](const SymbolInfo &symbol) { return isScalar(symbol); };
      return values.algebra.isHost(poly) || (isWindow && poly.isValid() && values.algebra.allSymbols(poly, known)) ||
             (loaded && values.algebra.allSymbols(poly, knownToKernel(values)));
    };
    if (!isKnown(box.base) && (loaded || !beginByProgram(values.algebra, box)))
      return refuse(op, isStore, "where the descriptor's tensor begins is not known at the launch");
    if (make.getPadding() == Padding::Nan && !isStore)
      return refuse(op, isStore, "expected a descriptor that pads with zeros, got one that pads with NaN");
  }
  auto tile = cast<RankedTensorType>(isStore ? op->getOperand(1).getType() : op->getResult(0).getType());
  // The tile's dimensions of extent one may be left out of the value's type: match the others.
  SmallVector<int64_t> dims;
  for (auto [d, extent] : llvm::enumerate(tile.getShape()))
    if (extent != 1)
      dims.push_back(d);
  size_t next = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!isKnown(sizes[d]) || !isKnown(strides[d]))
      return refuse(op, isStore, "a size or stride of the descriptor is not known at the launch");
    box.dims.push_back({sizes[d], false, strides[d]});
    box.coordinates.push_back(values.number(indices[d]));
    box.tileDims.push_back(type.getShape()[d] != 1 && next < dims.size() ? dims[next++] : -1);
  }
  if (box.dims.back().stride != Poly(1))
    return refuse(op, isStore, "expected a descriptor whose last stride is 1");
  if (box.dims.size() > 5)
    return refuse(op, isStore,
                  "the address has " + std::to_string(box.dims.size()) + " dimensions, expected at most 5");
  add(op, isStore, base, type.getElementType(), std::move(box), /*described=*/true, isWindow);
}

bool Finder::isInTheWay(const Access &access) const {
  const View &view = result.views[access.view];
  return llvm::any_of(result.views, [&](const View &other) {
    return &other != &view && other.base == view.base && !other.address == !view.address &&
           (other.isStored || view.isStored);
  });
}

void Finder::checkOneView(Access &access) {
  const View &view = result.views[access.view];
  if (!isInTheWay(access))
    return;
  access.reason =
      (view.address ? "what '" + argumentName(view.base) + "' has addresses of" : "'" + argumentName(view.base) + "'") +
      " is stored to, and reached with other sizes or strides elsewhere in the kernel";
  access.view = -1;
}

void Finder::nameViews() {
  std::set<std::string> taken(std::begin(gridNames), std::end(gridNames));
  for (BlockArgument argument : result.source.getBody().front().getArguments())
    taken.insert(argumentName(argument));
  for (View &view : result.views) {
    std::string name = argumentName(view.base);
    if (view.address)
      name = numberedName(name, "memory");
    bool isFirst = llvm::none_of(result.views, [&](const View &other) { return other.name == name; });
    for (int i = 1; !isFirst && (taken.count(name) || name == argumentName(view.base)); ++i)
      name = numberedName(argumentName(view.base), std::to_string(i));
    taken.insert(name);
    view.name = name;
  }
}

} // namespace

void findAccesses(Conversion &conversion) { Finder(conversion).run(); }

} // namespace heddle::triton
