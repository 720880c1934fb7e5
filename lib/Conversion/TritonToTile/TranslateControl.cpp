//===- TranslateControl.cpp - loops and branches, and what they carry -------===//
//
// What:     scf.for, scf.if and scf.while of a Triton kernel -> those of a tile program. What a polynomial gives is not
//           carried, but computed again inside and behind (Values.h); scalars that tiles give are carried as tiles.
//           See Translator.h.
// Verifies: that what decides where a program goes is known to every warp group (located user errors).
//
//===----------------------------------------------------------------------===//
#include "Steps.h"
#include "Translator.h"

#include "heddle/Dialect/Triton/Libdevice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

//===----------------------------------------------------------------------===//
// What is carried
//===----------------------------------------------------------------------===//

void Translator::findScalarsOfTiles() {
  auto isScalar = [](Value value) { return value.getType().isIntOrIndexOrFloat(); };
  auto given = [&](Value value) { return scalarsOfTiles.contains(value); };
  bool more = true;
  auto pass = [&](Value from, Value to) { more |= given(from) && isScalar(to) && scalarsOfTiles.insert(to).second; };
  auto passAll = [&](ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip_equal(from, to))
      pass(source, target);
  };
  while (std::exchange(more, false))
    conversion.source.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        passAll(loop.getInitArgs(), loop.getRegionIterArgs());
        passAll(loop.getYieldedValues(), loop.getRegionIterArgs());
        passAll(loop.getRegionIterArgs(), loop.getResults());
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region *region : branch.getRegions())
          if (!region->empty())
            passAll(region->front().getTerminator()->getOperands(), branch.getResults());
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        passAll(loop.getInits(), loop.getBeforeArguments());
        passAll(loop.getYieldedValues(), loop.getBeforeArguments());
        passAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
        passAll(loop.getConditionOp().getArgs(), loop.getResults());
      } else if (auto load = dyn_cast<LoadOp>(op)) {
        const Access &access = *accesses.lookup(op);
        bool isElement = (isa<FloatType>(load.getType()) && conversion.views[access.view].isStored) ||
                         (access.box.kind == AccessKind::Elements && isScalar(load));
        more |= isElement && scalarsOfTiles.insert(load).second;
      } else if (!op->getNumRegions() || isa<ReduceOp>(op)) {
        auto external = dyn_cast<ExternElementwiseOp>(op);
        bool isCall = external && libraryFunction(external) != LibraryFunction::None;
        for (Value result : op->getResults())
          if (isScalar(result) && (isCall || isa<ReduceOp>(op) || llvm::any_of(op->getOperands(), given)))
            more |= scalarsOfTiles.insert(result).second;
      }
    });
}

bool Translator::isScalarOfTile(Value value) {
  return (rows && isa<FloatType>(value.getType())) || scalarsOfTiles.contains(value);
}

Type Translator::carriedType(Value value) {
  if (isScalarOfTile(value))
    return scalarTile(value.getType());
  return value.getType().isInteger(64) ? value.getType() : typeOf(value.getType()); // indices have 32 bits
}

Value Translator::asIndex(Value value, Location loc) {
  return value.getType().isIndex() ? value
                                   : arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value).getOut();
}

Value Translator::asWritten(Value value, Type type, Location loc) {
  if (!value.getType().isIndex())
    return value;
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  return cast && cast.getIn().getType() == type ? cast.getIn()
                                                : arith::IndexCastOp::create(builder, loc, type, value).getOut();
}

Value Translator::fromCarried(Value made, Value value) {
  return made.getType().isInteger(64) && isNumber(value.getType()) ? asIndex(made, made.getLoc()) : made;
}

Value Translator::asCarried(Value made, Value value) {
  Type type = value.getType();
  if (!isScalarOfTile(value))
    return type.isInteger(64) ? asWritten(made, type, made.getLoc()) : made;
  return asTile(type.isIndex() ? made : asWritten(made, type, made.getLoc()), made.getLoc());
}

bool Translator::isPassed(Value value) {
  if (isPointer(value.getType()) || isa<TensorDescType>(value.getType()))
    return false;
  auto argument = dyn_cast<BlockArgument>(value);
  return !argument || !values.isResolved(argument);
}

void Translator::defineResolved(ValueRange range) {
  for (Value value : range)
    if (isNumber(value.getType())) {
      Poly poly = values.number(value);
      auto tile = dyn_cast<RankedTensorType>(value.getType());
      Value made = tile ? tileOf(poly, tile.getShape(), value.getLoc()) : scalarOf(poly, value.getLoc());
      if (made && tile && made.getType() != typeOf(tile))
        made = arith::ExtSIOp::create(builder, value.getLoc(), typeOf(tile), made);
      if (made)
        map[value] = made;
    }
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// `value` as a scalar that decides where the program goes: of a tile only where one warp group has all of them. Null:
/// other groups would have to know it.
Value Translator::decided(Value value, Type type) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  if (!tile)
    return value;
  if (conversion.source.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return {};
  SmallVector<Value> place(tile.getRank(), index(0, value.getLoc()));
  Value scalar = tensor::ExtractOp::create(builder, value.getLoc(), value, place);
  if (isNumber(type))
    scalar = asIndex(scalar, value.getLoc());
  return scalar;
}

/// Every warp group decides for itself how often a loop runs, that which only loads tiles among them.
static LogicalResult refuseTile(Operation *loop, StringRef what) {
  return loop->emitError("expected ")
         << what
         << " beside products to follow from arguments, program numbers and numbers in memory, which every warp "
            "group reads for itself, got what follows from a tile";
}

LogicalResult Translator::translateFor(scf::ForOp loop) {
  SmallVector<Value> inits;
  SmallVector<unsigned> passed, resolved;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    (isPassed(argument) ? passed : resolved).push_back(i);
  for (unsigned i : passed)
    inits.push_back(loop.getInitArgs()[i]);
  FailureOr<SmallVector<Value>> bounds = translated(loop, {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  FailureOr<SmallVector<Value>> in = translated(loop, inits);
  if (failed(bounds) || failed(in))
    return failure();
  for (auto [bound, source] :
       llvm::zip_equal(*bounds, ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
    bound = decided(bound, source.getType());
  if (!llvm::all_of(*bounds, [](Value bound) { return bound && bound.getType().isIndex(); }))
    return refuseTile(loop, "bounds of a loop");
  for (auto [value, i] : llvm::zip_equal(*in, passed))
    value = asCarried(value, loop.getRegionIterArg(i));
  auto made = scf::ForOp::create(builder, loop.getLoc(), (*bounds)[0], (*bounds)[1], (*bounds)[2], *in);
  map[loop.getInductionVar()] = made.getInductionVar();
  made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  for (auto [k, i] : llvm::enumerate(passed))
    made.getRegionIterArg(k).setLoc(loop.getRegionIterArg(i).getLoc());
  auto define = [&](Value source, Value value) { map[source] = fromCarried(value, source); };
  {
    OpBuilder::InsertionGuard guard(builder);
    if (!made.getBody()->empty()) // without carried values MLIR makes the terminator
      made.getBody()->back().erase();
    builder.setInsertionPointToEnd(made.getBody());
    for (auto [k, i] : llvm::enumerate(passed))
      define(loop.getRegionIterArg(i), made.getRegionIterArg(k));
    for (unsigned i : resolved)
      defineResolved(ValueRange{loop.getRegionIterArg(i)});
    if (failed(translate(*loop.getBody())))
      return failure();
    SmallVector<Value> yields;
    for (unsigned i : passed)
      yields.push_back(loop.getBody()->getTerminator()->getOperand(i));
    FailureOr<SmallVector<Value>> out = translated(loop.getBody()->getTerminator(), yields);
    if (failed(out))
      return failure();
    for (auto [value, i] : llvm::zip_equal(*out, passed))
      value = asCarried(value, loop.getRegionIterArg(i));
    scf::YieldOp::create(builder, loop.getLoc(), *out);
  }
  for (auto [k, i] : llvm::enumerate(passed))
    define(loop.getResult(i), made.getResult(k));
  for (unsigned i : resolved)
    defineResolved(ValueRange{loop.getResult(i)});
  return success();
}

LogicalResult Translator::translateIf(scf::IfOp branch) {
  FailureOr<SmallVector<Value>> condition = translated(branch, {branch.getCondition()});
  if (failed(condition))
    return failure();
  SmallVector<unsigned> passed;
  SmallVector<Type> types;
  for (auto [i, result] : llvm::enumerate(branch.getResults()))
    if (isPassed(result)) {
      passed.push_back(i);
      types.push_back(carriedType(result));
    }
  (*condition)[0] = decided((*condition)[0], branch.getCondition().getType());
  if (!(*condition)[0]) {
    InFlightDiagnostic diag = branch.emitError("a branch that a tile decides is not known beside products");
    if (auto why = whySidesStay(branch))
      diag.attachNote(why->first->getLoc()) << "its sides are not both computed, with a choice behind: " << why->second;
    return diag;
  }
  bool hasElse = !branch.getElseRegion().empty();
  auto made = scf::IfOp::create(builder, branch.getLoc(), types, (*condition)[0], hasElse);
  auto fill = [&](Region &from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    if (!to->empty())
      to->back().erase();
    builder.setInsertionPointToEnd(to);
    if (failed(translate(from.front())))
      return failure();
    SmallVector<Value> yields;
    Operation *terminator = from.front().getTerminator();
    for (unsigned i : passed)
      yields.push_back(terminator->getOperand(i));
    FailureOr<SmallVector<Value>> out = translated(terminator, yields);
    if (failed(out))
      return failure();
    for (auto [value, i] : llvm::zip_equal(*out, passed))
      value = asCarried(value, branch.getResult(i));
    scf::YieldOp::create(builder, branch.getLoc(), *out);
    return success();
  };
  if (failed(fill(branch.getThenRegion(), made.thenBlock())) ||
      (hasElse && failed(fill(branch.getElseRegion(), made.elseBlock()))))
    return failure();
  for (auto [k, i] : llvm::enumerate(passed))
    map[branch.getResult(i)] = fromCarried(made.getResult(k), branch.getResult(i));
  return success();
}

LogicalResult Translator::translateWhile(scf::WhileOp loop) {
  for (Type type : llvm::concat<const Type>(loop.getOperandTypes(), loop.getResultTypes()))
    if (isPointer(type))
      return loop.emitError("an scf.while that carries pointers is not known");
  FailureOr<SmallVector<Value>> inits = translated(loop, loop.getInits());
  if (failed(inits))
    return failure();
  for (auto [value, argument] : llvm::zip_equal(*inits, loop.getBeforeArguments()))
    value = asCarried(value, argument);
  SmallVector<Type> results;
  for (Value result : loop.getResults())
    results.push_back(carriedType(result));
  auto made = scf::WhileOp::create(builder, loop.getLoc(), results, *inits);
  auto fill = [&](Block &from, Region &to, TypeRange types, ValueRange targets, auto finish) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&to);
    for (auto [argument, type] : llvm::zip_equal(from.getArguments(), types))
      map[argument] = fromCarried(block->addArgument(type, argument.getLoc()), argument);
    if (failed(translate(from)))
      return failure();
    FailureOr<SmallVector<Value>> out = translated(from.getTerminator(), from.getTerminator()->getOperands());
    if (failed(out))
      return failure();
    bool decides = isa<scf::ConditionOp>(from.getTerminator());
    if (decides)
      (*out)[0] = decided((*out)[0], builder.getI1Type());
    if (decides && !(*out)[0])
      return refuseTile(loop, "the condition of a loop");
    for (auto [value, target] : llvm::zip_equal(llvm::drop_begin(*out, decides), targets))
      value = asCarried(value, target);
    finish(*out);
    return success();
  };
  SmallVector<Type> before(ValueRange(*inits).getTypes());
  if (failed(fill(
          *loop.getBeforeBody(), made.getBefore(), before, loop.getResults(),
          [&](ArrayRef<Value> out) { scf::ConditionOp::create(builder, loop.getLoc(), out[0], out.drop_front()); })) ||
      failed(fill(*loop.getAfterBody(), made.getAfter(), results, loop.getBeforeArguments(),
                  [&](ArrayRef<Value> out) { scf::YieldOp::create(builder, loop.getLoc(), out); })))
    return failure();
  for (auto [from, to] : llvm::zip_equal(loop.getResults(), made.getResults()))
    map[from] = fromCarried(to, from);
  return success();
}

} // namespace heddle::triton
