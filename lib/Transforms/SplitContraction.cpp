//===- SplitContraction.cpp - one contraction over several programs --------===//
//
// What:      a tile.kernel with one loop that sums tiles -> a tile.chain of kernels. NAME_parts runs `splits` programs
//            for each program of the grid as written: each the part of the loop that its number says, from zero, and
//            stores its sums to a workspace. NAME_add adds them in their order, in tiles of few rows, so that many
//            programs share it. NAME_rest has the grid as written: it takes the sums, adds what the loop begins with,
//            and does all that the program does outside of the loop. Sums that are added in memory need no NAME_add.
// Where:     on the program as written, with values for its parameters, before any kernel is compiled: what comes after
//            sees ordinary programs.
// A sum:     what the loop carries reaches its next value by the accumulators of dots and by additions only, and
//            nothing else in the loop reads it. So the value behind the loop is the one before it plus a sum over
//            iterations, which may be cut anywhere.
// Parts:     whole iterations, as equal as they can be: ceil(trips / splits) each, the last ones fewer or none. The
//            first iteration of a part is a number times the step: loads begin where the copy engine can.
// Workspace: whole tiles, one after the other, so that nothing of the view's sizes matters: [part, program] of the
//            sums that are added in order, [program] of those that are added in memory.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SplitContraction.h"

#include "Arithmetic.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/Constants.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Transforms/Persist.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include <functional>

using namespace mlir;
namespace heddle {
namespace {

constexpr int64_t gridDimensions = 3;
constexpr StringLiteral refusal = "cannot split the contraction: ";

tile::GridOp gridOf(tile::KernelOp kernel) { return *kernel.getBody().getOps<tile::GridOp>().begin(); }

bool stores(Operation *op) {
  return op->walk([](tile::StoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The one loop of the program's body that carries tiles.
FailureOr<scf::ForOp> contractionOf(tile::KernelOp kernel) {
  SmallVector<scf::ForOp> loops;
  for (auto loop : kernel.getBody().front().getOps<scf::ForOp>())
    if (llvm::any_of(loop.getResultTypes(), llvm::IsaPred<RankedTensorType>))
      loops.push_back(loop);
  if (loops.size() != 1)
    return kernel.emitOpError(refusal) << "expected one loop of the program's body that carries tiles, got "
                                       << loops.size(),
           failure();
  return loops.front();
}

/// Refuses a loop of which some result is not a sum over its iterations.
LogicalResult verifySums(scf::ForOp loop) {
  if (stores(loop))
    return loop.emitOpError(refusal) << "expected a loop that stores nothing";
  for (auto [argument, type] : llvm::zip(loop.getRegionIterArgs(), loop.getResultTypes())) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || !(tile.getElementType().isF32() || tile.getElementType().isInteger(32)))
      return loop.emitOpError(refusal) << "expected a loop that carries sums in f32 or i32, got " << type;
  }
  // What depends on a sum, from there on.
  llvm::SetVector<Value> summed(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  auto isSummed = [&](Value value) { return summed.contains(value); };
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool inside = op.walk([&](Operation *nested) {
                      return nested != &op && llvm::any_of(nested->getOperands(), isSummed) ? WalkResult::interrupt()
                                                                                            : WalkResult::advance();
                    }).wasInterrupted();
    int64_t sums = llvm::count_if(op.getOperands(), isSummed);
    if (!sums && !inside)
      continue;
    auto dot = dyn_cast<tile::DotOp>(op);
    bool adds = dot ? isSummed(dot.getAcc()) : isa<arith::AddFOp, arith::AddIOp>(op);
    if (inside || sums != 1 || !adds)
      return op.emitOpError(refusal) << "expected what the loop carries to be read by additions and as the accumulator "
                                        "of dots only";
    summed.insert(op.getResult(0));
  }
  for (Value value : summed)
    if (!value.hasOneUse())
      return emitError(value.getLoc(), refusal)
             << "expected a sum that is read once in the loop, got " << llvm::range_size(value.getUses()) << " readers";
  for (auto [argument, next] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Value value = next;
    while (isSummed(value) && !isa<BlockArgument>(value))
      value = *llvm::find_if(value.getDefiningOp()->getOperands(), isSummed);
    if (value != argument)
      return loop.emitOpError(refusal) << "expected every value that the loop carries to be the one before it and what "
                                          "an iteration adds";
  }
  return success();
}

/// Moves what `value` is computed from before `point`.
void hoist(Value value, Operation *point) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != point->getBlock() || def->isBeforeInBlock(point))
    return;
  def->moveBefore(point);
  for (Value operand : def->getOperands())
    hoist(operand, def);
}

/// A workspace of the chain, for each sum that is read behind the loop.
struct Space {
  tile::ViewType type;
  std::string name;
  Value value;
};

/// Where the tile of place `index` lies in a workspace.
SmallVector<Value> cornerOf(Arithmetic a, Value space, Value index) {
  SmallVector<Value> at(cast<tile::ViewType>(space.getType()).getRank(), a.constant(0));
  at.front() = index;
  return at;
}

Value loadOf(OpBuilder &b, Location loc, Value view, ValueRange at, Type tile) {
  return tile::LoadOp::create(b, loc, tile, view, at, DenseI64ArrayAttr(), DenseI64ArrayAttr());
}

Operation *storeTo(OpBuilder &b, Location loc, Value tile, Value view, ValueRange at, StringRef kind) {
  return tile::StoreOp::create(b, loc, tile, view, at, ValueRange(), Value(), DenseI64ArrayAttr(),
                               b.getStringAttr(kind), DenseI64ArrayAttr());
}

Value added(OpBuilder &b, Location loc, Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return arith::AddFOp::create(b, loc, x, y);
  return arith::AddIOp::create(b, loc, x, y);
}

/// A copy of the program, with a workspace for each sum that is read behind the loop.
struct Half {
  tile::KernelOp kernel;
  scf::ForOp loop;
  SmallVector<Value> sizes;          ///< of the grid as written
  SmallVector<unsigned> sums;        ///< results of the loop that are read behind it
  SmallVector<BlockArgument> spaces; ///< of each of them
  llvm::DenseSet<Operation *> kept;  ///< that nothing uses, and that has to stay

  Half(tile::KernelOp source, scf::ForOp contraction, ArrayRef<Space> given, const Twine &name) {
    IRMapping map;
    OpBuilder b(source->getContext());
    kernel = cast<tile::KernelOp>(b.clone(*source, map));
    kernel.setSymName((source.getSymName() + name).str());
    loop = cast<scf::ForOp>(map.lookup(contraction.getOperation()));
    llvm::append_range(sizes, gridOf(kernel).getSizes());
    for (Value size : sizes)
      hoist(size, loop);
    for (OpResult result : contraction.getResults())
      if (!result.use_empty())
        sums.push_back(result.getResultNumber());
    for (const Space &space : given) {
      auto attrs = b.getDictionaryAttr(b.getNamedAttr("tile.name", b.getStringAttr(space.name)));
      (void)cast<FunctionOpInterface>(*kernel).insertArgument(kernel.getNumArguments(), space.type, attrs,
                                                              source.getLoc());
      spaces.push_back(kernel.getArguments().back());
    }
  }

  /// The number of the program with these coordinates, dimension 0 fastest, and how many there are.
  std::pair<Value, Value> numberOf(Arithmetic a, ArrayRef<Value> ids) const {
    Value number = ids.back(), count = sizes.back();
    for (size_t d = ids.size() - 1; d-- > 0;) {
      number = a.add(a.mul(number, sizes[d]), ids[d]);
      count = a.mul(count, sizes[d]);
    }
    return {number, count};
  }

  /// Removes what nothing uses any more: `withStores`, stores as well.
  void removeUnused(bool withStores) {
    SmallVector<Operation *> all;
    for (Operation &op : kernel.getBody().front().without_terminator())
      all.push_back(&op);
    for (Operation *op : llvm::reverse(all))
      if (op->use_empty() && !isa<tile::GridOp>(op) && !kept.contains(op) && (withStores || !stores(op)))
        op->erase();
  }
};

/// The kernel that sums parts of the loop.
LogicalResult sumParts(Half &half, int64_t splits, PartialSums sums) {
  scf::ForOp loop = half.loop;
  Location loc = loop.getLoc();
  Block &body = half.kernel.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Arithmetic a(b, loc);
  SmallVector<Value> ids, sizes = half.sizes;
  SmallVector<tile::ProgramIdOp> written;
  half.kernel.walk([&](tile::ProgramIdOp id) { written.push_back(id); });
  int64_t rank = sizes.size();
  for (int64_t d = 0; d < rank; ++d)
    ids.push_back(tile::ProgramIdOp::create(b, loc, d));
  Value count = a.constant(splits), part;
  tile::GridOp grid = gridOf(half.kernel);
  if (rank < gridDimensions) {
    part = tile::ProgramIdOp::create(b, loc, rank);
    sizes.push_back(count);
  } else { // no dimension is left: the last one has the parts of each of its programs side by side
    part = a.rem(ids.back(), count);
    ids.back() = a.div(ids.back(), count);
    for (tile::ProgramIdOp id : written)
      if (static_cast<int64_t>(id.getDim()) + 1 == rank) {
        id.replaceAllUsesWith(ids.back());
        id.erase();
      }
    b.setInsertionPoint(grid);
    sizes.back() = a.mul(sizes.back(), count);
  }
  part.setLoc(NameLoc::get(b.getStringAttr("part"), loc));
  b.setInsertionPoint(grid);
  tile::GridOp::create(b, loc, sizes, grid.getRasterAttr());
  grid.erase();

  // The iterations of a part. A step that is not above 0 runs none.
  b.setInsertionPoint(loop);
  Type type = loop.getStep().getType();
  auto number = [&](int64_t n) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, n)).getResult(); };
  Value own = type.isIndex() ? part : arith::IndexCastOp::create(b, loc, type, part).getResult(), step = loop.getStep();
  APInt known;
  if (!matchPattern(step, m_ConstantInt(&known)) || !known.isStrictlyPositive())
    step = arith::MaxSIOp::create(b, loc, step, number(1));
  Value span = a.sub(loop.getUpperBound(), loop.getLowerBound());
  Value trips = arith::MaxSIOp::create(b, loc, arith::CeilDivSIOp::create(b, loc, span, step), number(0));
  Value each = arith::CeilDivUIOp::create(b, loc, trips, number(splits));
  Value from = a.add(loop.getLowerBound(), a.mul(a.mul(own, each), step));
  Value to = arith::MinSIOp::create(b, loc, a.add(from, a.mul(each, step)), loop.getUpperBound());
  loop.setLowerBound(from);
  loop.setUpperBound(to);
  for (OpOperand &init : loop.getInitArgsMutable()) {
    auto tile = cast<RankedTensorType>(init.get().getType());
    init.set(arith::ConstantOp::create(b, loc, DenseElementsAttr::get(tile, b.getZeroAttr(tile.getElementType()))));
  }

  b.setInsertionPoint(body.getTerminator());
  auto [program, programs] = half.numberOf(a, ids);
  bool ordered = sums == PartialSums::Ordered;
  Value place = ordered ? a.add(a.mul(part, programs), program) : program;
  for (auto [sum, space] : llvm::zip(half.sums, half.spaces))
    half.kept.insert(storeTo(b, loc, loop.getResult(sum), space, cornerOf(a, space, place), ordered ? "set" : "add"));
  half.removeUnused(/*withStores=*/true);
  WalkResult walk = half.kernel.walk([&](tile::StoreOp store) {
    if (half.kept.contains(store))
      return WalkResult::advance();
    store.emitOpError(refusal) << "expected a store that nothing of the loop depends on";
    return WalkResult::interrupt();
  });
  half.kernel->setAttr(splitAttr, b.getI64IntegerAttr(splits));
  return failure(walk.wasInterrupted());
}

/// Lets the program take what its loop sums up from the workspaces, and begin with what the loop begins with.
void takeSums(Half &half) {
  scf::ForOp loop = half.loop;
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  Arithmetic a(b, loc);
  SmallVector<Value> ids;
  for (int64_t d = 0, rank = half.sizes.size(); d < rank; ++d)
    ids.push_back(tile::ProgramIdOp::create(b, loc, d));
  Value program = half.numberOf(a, ids).first;
  for (auto [sum, space] : llvm::zip(half.sums, half.spaces)) {
    Value total = loadOf(b, loc, space, cornerOf(a, space, program), loop.getResult(sum).getType());
    if (Value first = loop.getInitArgs()[sum]; !tile::isZero(first))
      total = added(b, loc, first, total);
    loop.getResult(sum).replaceAllUsesWith(total);
  }
  loop.erase();
  half.removeUnused(/*withStores=*/false);
  half.kernel->removeAttr("groups"); // of what the first kernel does
  half.kernel->walk([](Operation *op) { op->removeDiscardableAttr(planAttr); });
}

/// An operation like a function, with the arguments of `types`, in `b`.
template <typename Op> Op createProgram(OpBuilder &b, Location loc, StringRef name, TypeRange types) {
  OperationState state(loc, Op::getOperationName());
  state.addAttribute("sym_name", b.getStringAttr(name));
  state.addAttribute("function_type", TypeAttr::get(b.getFunctionType(types, {})));
  Block *block = new Block();
  state.addRegion()->push_back(block);
  for (Type type : types)
    block->addArgument(type, loc);
  return cast<Op>(b.create(state));
}

/// The kernel that adds the parts' sums in their order, a few rows of a tile in a program.
tile::KernelOp addParts(OpBuilder &b, Location loc, StringRef name, tile::ViewType type, int64_t splits) {
  constexpr int64_t elements = 4096; // of a program: many of them share the work
  auto kernel = createProgram<tile::KernelOp>(b, loc, name, {type, type});
  SmallVector<Attribute> attrs;
  for (const char *argument : {"parts", "total"})
    attrs.push_back(b.getDictionaryAttr(b.getNamedAttr("tile.name", b.getStringAttr(argument))));
  kernel->setAttr("arg_attrs", b.getArrayAttr(attrs));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Arithmetic a(b, loc);
  Value parts = kernel.getArgument(0), total = kernel.getArgument(1);
  SmallVector<int64_t> shape(type.getShape().drop_front());
  int64_t rows = shape.size() > 1 ? shape[0] : 1, height = rows;
  while (shape.size() > 1 && height % 2 == 0 && height * shape[1] > elements)
    height /= 2;
  if (shape.size() > 1)
    shape[0] = height;
  Value programs = tile::DimOp::create(b, loc, total, 0);
  tile::GridOp::create(b, loc, ValueRange{programs, a.constant(rows / height)}, IntegerAttr());
  Value program = tile::ProgramIdOp::create(b, loc, 0);
  Value row = a.mul(tile::ProgramIdOp::create(b, loc, 1), a.constant(height));
  auto tile = RankedTensorType::get(shape, type.getElementType());
  auto cornerAt = [&](Value place) {
    SmallVector<Value> at = cornerOf(a, parts, place);
    if (shape.size() > 1)
      at[1] = row;
    return at;
  };
  Value sum = loadOf(b, loc, parts, cornerAt(program), tile);
  for (int64_t part = 1; part < splits; ++part)
    sum = added(b, loc, sum, loadOf(b, loc, parts, cornerAt(a.add(a.mul(a.constant(part), programs), program)), tile));
  storeTo(b, loc, sum, total, cornerAt(program), "set");
  tile::ReturnOp::create(b, loc);
  return kernel;
}

/// The chain, with workspaces for all programs, `splits` times as large where each part has a place of its own.
tile::ChainOp beginChain(OpBuilder &b, tile::KernelOp source, MutableArrayRef<Space> sums,
                         MutableArrayRef<Space> totals, int64_t splits) {
  Location loc = source.getLoc();
  auto chain = createProgram<tile::ChainOp>(b, loc, source.getSymName(), source.getArgumentTypes());
  if (source.getArgAttrsAttr())
    chain.setArgAttrsAttr(source.getArgAttrsAttr());
  if (Attribute sizes = source->getAttr("tile.default_dims"))
    chain->setAttr("tile.default_dims", sizes);
  b.setInsertionPointToStart(&chain.getBody().front());
  Arithmetic a(b, loc);
  IRMapping map;
  map.map(source.getArguments(), chain.getArguments());
  std::function<Value(Value)> onHost = [&](Value value) -> Value {
    if (Value known = map.lookupOrNull(value))
      return known;
    for (Value operand : value.getDefiningOp()->getOperands())
      onHost(operand);
    b.clone(*value.getDefiningOp(), map);
    return map.lookup(value);
  };
  Value programs;
  for (Value size : gridOf(source).getSizes())
    programs = programs ? a.mul(programs, onHost(size)) : onHost(size);
  bool ordered = !totals.empty();
  Value places = ordered ? a.mul(programs, a.constant(splits)) : programs;
  for (Space &space : sums)
    space.value =
        tile::WorkspaceOp::create(b, loc, space.type, b.getStringAttr(space.name), /*zeroed=*/!ordered, places);
  for (Space &space : totals)
    space.value =
        tile::WorkspaceOp::create(b, loc, space.type, b.getStringAttr(space.name), /*zeroed=*/false, programs);
  return chain;
}
} // namespace

FailureOr<tile::ChainOp> splitContraction(tile::KernelOp kernel, int64_t splits, PartialSums sums, ModuleOp into) {
  if (Operation *count = countOfPrograms(kernel))
    return count->emitOpError(refusal) << "expected a program that does not count programs", failure();
  if (tile::clusterOf(kernel) > 1)
    return kernel.emitOpError(refusal) << "expected a program without clusters, got " << tile::clusterOf(kernel)
                                       << " blocks",
           failure();
  FailureOr<scf::ForOp> loop = contractionOf(kernel);
  if (failed(loop) || failed(verifySums(*loop)))
    return failure();
  SmallVector<Space> sumSpaces, totalSpaces;
  llvm::StringSet<> taken;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    taken.insert(tile::argumentName(kernel, i));
  auto fresh = [&](const std::string &base) {
    std::string name = base;
    for (int64_t n = 1; !taken.insert(name).second; ++n)
      name = base + std::to_string(n);
    return name;
  };
  for (OpResult result : loop->getResults()) {
    if (result.use_empty())
      continue;
    auto tile = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    llvm::append_range(shape, tile.getShape());
    auto type = tile::ViewType::get(kernel.getContext(), shape, tile.getElementType());
    sumSpaces.push_back({type, fresh("sums"), {}});
    if (sums == PartialSums::Ordered)
      totalSpaces.push_back({type, fresh("totals"), {}});
  }
  if (sumSpaces.empty())
    return loop->emitOpError(refusal) << "expected a sum that is read behind the loop, got none", failure();
  Half parts(kernel, *loop, sumSpaces, "_parts"),
      rest(kernel, *loop, totalSpaces.empty() ? sumSpaces : totalSpaces, "");
  std::string name = kernel.getSymName().str();
  rest.kernel.setSymName(name + "_rest");
  into.push_back(parts.kernel);
  if (failed(sumParts(parts, splits, sums)))
    return failure();
  takeSums(rest);

  OpBuilder b = OpBuilder::atBlockEnd(into.getBody());
  Location loc = kernel.getLoc();
  SmallVector<tile::KernelOp> adding;
  for (auto [n, space] : llvm::enumerate(totalSpaces))
    adding.push_back(addParts(b, loc, name + "_add" + (n ? std::to_string(n) : ""), space.type, splits));
  into.push_back(rest.kernel);
  b.setInsertionPointToEnd(into.getBody());
  tile::ChainOp chain = beginChain(b, kernel, sumSpaces, totalSpaces, splits);
  auto launch = [&](tile::KernelOp launched, ValueRange given) {
    tile::LaunchOp::create(b, loc, FlatSymbolRefAttr::get(launched.getSymNameAttr()), given);
  };
  auto withSpaces = [&](ArrayRef<Space> spaces) {
    SmallVector<Value> given(chain.getArguments().begin(), chain.getArguments().end());
    for (const Space &space : spaces)
      given.push_back(space.value);
    return given;
  };
  launch(parts.kernel, withSpaces(sumSpaces));
  for (auto [adder, from, to] : llvm::zip(adding, sumSpaces, totalSpaces))
    launch(adder, {from.value, to.value});
  launch(rest.kernel, withSpaces(totalSpaces.empty() ? sumSpaces : totalSpaces));
  tile::ReturnOp::create(b, loc);
  if (failed(verify(into)))
    return failure();
  return chain;
}

} // namespace heddle
