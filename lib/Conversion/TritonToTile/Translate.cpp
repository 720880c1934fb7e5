//===- Translate.cpp - the kernel, one operation after the other ------------===//
//
// What:   a Triton kernel -> the frame of a tile program: its types, arguments and grid, and each operation by the file
//         that knows it. See Translator.h.
//
//===----------------------------------------------------------------------===//
#include "Translator.h"

#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include <set>

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool Translator::isRowKernel(FuncOp function) {
  bool flat = true, reduces = false;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        flat &= llvm::count_if(tile.getShape(), [](int64_t extent) { return extent != 1; }) <= 1;
    reduces |= isa<ReduceOp>(op) && llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  });
  return flat && reduces;
}

SmallVector<int64_t> Translator::shapeOf(Type type) {
  SmallVector<int64_t> shape;
  for (int64_t extent : cast<RankedTensorType>(type).getShape())
    if (extent != 1)
      shape.push_back(extent);
  if (shape.size() > mostDimensions)
    shape = {ShapedType::getNumElements(shape)};
  if (shape.empty() || (rows && shape.size() == 1))
    shape.insert(shape.begin(), 1);
  return shape;
}

Type Translator::typeOf(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(shapeOf(type), tile.getElementType());
  return isNumber(type) ? builder.getIndexType() : type;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// A name that a tile kernel can have. Names of generated kernels, Inductor's among them, hold what C++ reserves.
static std::string identifierOf(StringRef symbol) {
  std::string name;
  for (char c : symbol)
    if (char valid = llvm::isAlnum(c) ? c : '_'; valid != '_' || name.empty() || name.back() != '_')
      name += valid;
  name.resize(std::min(name.size(), tile::maxNameLength - StringRef("kernel_").size()));
  if (tile::isIdentifier(name) && !tile::isDeclaredByCuda(name))
    return name;
  return "kernel_" + StringRef(name).ltrim('_').str();
}

/// The names of the arguments that the sizes of `view` are; null: none is one.
ArrayAttr Translator::sizeArgumentsOf(const View &view) {
  SmallVector<StringRef> names;
  SmallVector<std::string> kept;
  for (const ViewDim &dim : view.isWindow ? ArrayRef<ViewDim>() : ArrayRef<ViewDim>(view.dims)) {
    std::string name;
    if (const auto &terms = dim.size.terms();
        !dim.unbounded && terms.size() == 1 && terms.begin()->second == 1 && terms.begin()->first.size() == 1)
      if (const SymbolInfo &symbol = conversion.values->algebra.info(terms.begin()->first.front());
          symbol.kind == SymbolKind::Argument)
        name = argumentName(conversion.source.getArgument(static_cast<unsigned>(symbol.id)));
    kept.push_back(name);
  }
  if (llvm::all_of(kept, [](const std::string &name) { return name.empty(); }))
    return {};
  llvm::append_range(names, kept);
  return builder.getStrArrayAttr(names);
}

/// What the launch is known to give for `view`: tt.divisibility says so, or the size is the launcher's choice.
NamedAttrList Translator::promisesOf(const View &view) {
  NamedAttrList promises;
  if (view.isWindow) // all of an argument, of which the kernel makes views
    return promises;
  if (ArrayAttr names = sizeArgumentsOf(view))
    promises.set(tile::sizeArgumentsAttr, names);
  if (alignmentOf(conversion, view).needs.empty())
    promises.set(tile::alignedAttr, builder.getUnitAttr());
  SmallVector<int64_t> multiples(view.dims.size(), 1);
  multiples.back() = lastSizeDivisor(conversion, view);
  if (multiples.back() > 1)
    promises.set(tile::multiplesAttr, builder.getDenseI64ArrayAttr(multiples));
  return promises;
}

LogicalResult Translator::createKernel() {
  FuncOp source = conversion.source;
  Location loc = source.getLoc();
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  SmallVector<Location> places;
  auto add = [&](Type type, const std::string &name, Location place, NamedAttrList own = {}) {
    types.push_back(type);
    own.set("tile.name", builder.getStringAttr(name));
    attributes.push_back(own.getDictionary(builder.getContext()));
    places.push_back(place);
  };
  for (const View &view : conversion.views) {
    SmallVector<int64_t> shape(view.isWindow ? 1 : 0, ShapedType::kDynamic);
    for (const ViewDim &dim : view.isWindow ? std::vector<ViewDim>() : view.dims) {
      std::optional<int64_t> size = dim.unbounded ? std::nullopt : dim.size.constant();
      if (size && (*size < 1 || *size > std::numeric_limits<int32_t>::max()))
        return emitError(view.base.getLoc(), "expected sizes from 1 to 2147483647, got ") << *size;
      shape.push_back(size ? *size : ShapedType::kDynamic);
    }
    add(tile::ViewType::get(builder.getContext(), shape, view.element), view.name,
        NameLoc::get(builder.getStringAttr(view.name), view.base.getLoc()), promisesOf(view));
  }
  Block &body = source.getBody().front();
  conversion.scalars.clear();
  for (BlockArgument argument : body.getArguments()) {
    Type type = argument.getType();
    if (isa<RankedTensorType, TensorDescType, PointerType>(type) || argument.use_empty())
      continue;
    bool isInteger = isNumber(type) || type.isInteger(1);
    if (!isInteger && !type.isF32())
      continue; // refused where it is used
    conversion.scalars.push_back(argument.getArgNumber());
    add(isInteger ? Type(builder.getIndexType()) : type, argumentName(argument), argument.getLoc());
  }
  // Sizes of views may need arguments that only the launch uses: those are not the kernel's.
  for (unsigned axis = 0; axis < conversion.gridRank; ++axis)
    add(builder.getIndexType(), gridNames[axis], loc);
  std::string name = identifierOf(source.getSymName());
  kernel = tile::KernelOp::create(builder, loc, name, builder.getFunctionType(types, {}),
                                  builder.getArrayAttr(attributes), ArrayAttr());
  Block *entry = builder.createBlock(&kernel.getBody());
  for (auto [type, place] : llvm::zip_equal(types, places))
    entry->addArgument(type, place);
  unsigned next = conversion.views.size();
  for (unsigned number : conversion.scalars) {
    arguments[number] = entry->getArgument(next);
    map[body.getArgument(number)] = entry->getArgument(next++);
  }
  SmallVector<Value> sizes(entry->getArguments().drop_front(next));
  tile::GridOp::create(builder, loc, sizes, IntegerAttr());
  for (unsigned axis = 0; axis < conversion.gridRank; ++axis) {
    programs[axis] = tile::ProgramIdOp::create(builder, loc, builder.getIndexType(), builder.getI64IntegerAttr(axis));
    counts[axis] = tile::NumProgramsOp::create(builder, loc, builder.getIndexType(), builder.getI64IntegerAttr(axis));
  }
  for (unsigned number : conversion.scalars) // a truth value comes as a number
    if (BlockArgument argument = body.getArgument(number); argument.getType().isInteger(1))
      map[argument] = arith::CmpIOp::create(builder, argument.getLoc(), arith::CmpIPredicate::ne, arguments[number],
                                            index(0, argument.getLoc()));
  return success();
}

/// Erases what has no effect and no use, and loops' values with it.
static void eraseUnused(Operation *root) {
  for (bool again = true; again;) {
    again = false;
    SmallVector<Operation *> dead;
    root->walk([&](Operation *op) {
      if (op != root && isOpTriviallyDead(op))
        dead.push_back(op);
    });
    for (Operation *op : llvm::reverse(dead)) {
      if (!op->use_empty())
        continue;
      bool heldOthers = op->getNumRegions(); // which are gone with it, and may stand in `dead`
      op->erase();
      again = true;
      if (heldOthers)
        break;
    }
  }
}

/// Tensors at different addresses are different ones, and no two iterations of a loop store to one place of them:
/// Triton orders such stores no more than a grid's. So says a loop around loops that stores to windows alone, which
/// nothing reads.
static void markIndependent(tile::KernelOp kernel) {
  kernel.walk([&](LoopLikeOpInterface loop) {
    bool stores = false, others = false, inner = false;
    loop->walk([&](Operation *op) {
      inner |= op != loop && isa<LoopLikeOpInterface>(op);
      if (auto store = dyn_cast<tile::StoreOp>(op)) {
        stores = true;
        others |=
            !store.getView().getDefiningOp<tile::WindowOp>() || tile::usesOf(tile::memoryOf(store.getView())).read;
      }
    });
    if (stores && !others && inner)
      loop->setAttr(independentAttr, UnitAttr::get(kernel.getContext()));
  });
}

LogicalResult Translator::run() {
  builder.getContext()->loadDialect<tile::TileDialect>(); // and those it depends on
  rows = isRowKernel(conversion.source);
  bool refused = false;
  std::set<std::pair<const void *, std::string>> said; // at which place
  for (const Access &access : conversion.accesses) {
    accesses[access.op] = &access;
    if (access.view < 0) {
      // tl.atomic_max of a float is two operations at one place.
      if (said.insert({access.op->getLoc().getAsOpaquePointer(), access.reason}).second)
        access.op->emitError(access.reason);
      refused = true;
    }
  }
  if (refused)
    return failure();
  findScalarsOfTiles();
  conversion.module = ModuleOp::create(conversion.source.getLoc());
  builder.setInsertionPointToEnd(conversion.module->getBody());
  if (failed(createKernel()) || failed(translate(conversion.source.getBody().front())))
    return failure();
  tile::ReturnOp::create(builder, conversion.source.getLoc());
  bool windows = llvm::any_of(conversion.views, [](const View &view) { return view.isWindow; });
  if (!windows) // what the kernel divides before a loop need not be divided in it, where a window needs it
    eraseUnused(kernel);
  DominanceInfo dominance(kernel);
  IRRewriter rewriter(builder.getContext());
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  if (windows)
    kernel.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  eraseUnused(kernel);
  if (windows)
    markIndependent(kernel);
  conversion.kernel = kernel;
  return verify(*conversion.module);
}

LogicalResult convert(Conversion &conversion) { return Translator(conversion).run(); }

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The first operation without a translation among those that `value` is computed from; null: an argument.
Operation *Translator::firstUnknown(Value value) {
  for (;;) {
    Operation *definition = value.getDefiningOp();
    if (!definition || definition->getNumRegions())
      return definition;
    auto missing = llvm::find_if(definition->getOperands(), [&](Value operand) {
      return !isPointer(operand.getType()) && !isa<TensorDescType>(operand.getType()) && !map.count(operand);
    });
    if (missing == definition->getOperands().end())
      return definition;
    if (!(*missing).getDefiningOp())
      return nullptr;
    value = *missing;
  }
}

LogicalResult Translator::refuseOperation(Operation *op) {
  InFlightDiagnostic error = op->emitError("expected an operation that tile programs have, got ")
                             << op->getName().getStringRef();
  if (auto external = dyn_cast<ExternElementwiseOp>(op))
    error << " of '" << external.getSymbol() << "'";
  return error;
}

FailureOr<SmallVector<Value>> Translator::translated(Operation *user, ValueRange operands) {
  SmallVector<Value> result;
  for (Value operand : operands) {
    Value value = map.lookup(operand);
    if (!value) {
      if (Operation *definition = firstUnknown(operand))
        return refuseOperation(definition);
      return user->emitError("expected operands that tile programs have, got a ") << operand.getType();
    }
    result.push_back(value);
  }
  return result;
}

LogicalResult Translator::translate(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(translate(&op)))
      return failure();
  return success();
}

LogicalResult Translator::translate(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return translateFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return translateIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return translateWhile(loop);
  if (isa<LoadOp, DescriptorLoadOp>(op))
    return translateLoad(op);
  if (isa<StoreOp, DescriptorStoreOp, AtomicRMWOp>(op))
    return translateStore(op);
  if (isa<PrintOp>(op))
    op->emitWarning("tl.device_print prints nothing in a kernel that Heddle compiles");
  if (isMeaningless(op))
    return success();
  if (auto id = dyn_cast<GetProgramIdOp>(op)) {
    map[id] = programs[static_cast<int64_t>(id.getAxis())];
    return success();
  }
  if (auto count = dyn_cast<GetNumProgramsOp>(op)) {
    map[count] = counts[static_cast<int64_t>(count.getAxis())];
    return success();
  }
  // Pointers and descriptors are the accesses' (see Accesses.cpp).
  if (op->getNumResults() &&
      llvm::all_of(op->getResultTypes(), [](Type type) { return isPointer(type) || isa<TensorDescType>(type); }))
    return success();
  return translateComputation(op);
}

} // namespace heddle::triton
