//===- TileBuilder.cpp - Kernels, views, loops ----------------------------===//
#include "heddle/Builder/TileBuilder.h"

#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::builder;

BodyBuilder::BodyBuilder(MLIRContext &context, Where where) : builder(&context), current(UnknownLoc::get(&context)) {
  context
      .loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  setLocation(where);
  module = ModuleOp::create(current);
  builder.setInsertionPointToEnd(module->getBody());
}

BodyBuilder::~BodyBuilder() = default;

void BodyBuilder::enter(Block *block) {
  entry = block;
  lastConstant = nullptr;
  constants.clear();
  builder.setInsertionPointToEnd(block);
}

ProgramBuilder::ProgramBuilder(MLIRContext &context, const std::string &name, StringRef operation, Where where)
    : BodyBuilder(context, where) {
  OperationState state(current, operation);
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("function_type", TypeAttr::get(builder.getFunctionType({}, {})));
  Block *body = &state.addRegion()->emplaceBlock();
  program = builder.create(state);
  enter(body);
}

KernelBuilder::KernelBuilder(MLIRContext &context, const std::string &name, Where where)
    : ProgramBuilder(context, name, tile::KernelOp::getOperationName(), where) {}

void BodyBuilder::setLocation(Where where) {
  current = FileLineColLoc::get(builder.getContext(), where.file_name(), where.line(), where.column());
}

Type BodyBuilder::typeOf(Element element, ArrayRef<int64_t> shape) {
  Type type;
  switch (element) {
  case Element::F32: type = builder.getF32Type(); break;
  case Element::F16: type = builder.getF16Type(); break;
  case Element::BF16: type = builder.getBF16Type(); break;
  case Element::F8E4M3: type = Float8E4M3FNType::get(builder.getContext()); break;
  case Element::F8E5M2: type = Float8E5M2Type::get(builder.getContext()); break;
  case Element::F64: type = builder.getF64Type(); break;
  case Element::I32: type = builder.getI32Type(); break;
  case Element::I8: type = builder.getI8Type(); break;
  case Element::I16: type = builder.getI16Type(); break;
  case Element::I64: type = builder.getI64Type(); break;
  case Element::I1: type = builder.getI1Type(); break;
  case Element::Index: type = builder.getIndexType(); break;
  }
  return shape.empty() ? type : tileType(shape, type);
}

RankedTensorType BodyBuilder::tileType(ArrayRef<int64_t> shape, Type element) {
  SmallVector<int64_t> sizes(shape);
  for (int64_t &size : sizes)
    if (size < 1) {
      mlir::emitError(current) << "expected a positive size, got " << size;
      broken = true; // reported; a stand-in keeps the calls that follow harmless
      size = 1;
    }
  return RankedTensorType::get(sizes, element);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Type ProgramBuilder::viewType(Element element, ArrayRef<int64_t> shape) {
  auto emit = [&] { return mlir::emitError(current); };
  if (Type type = tile::ViewType::getChecked(emit, builder.getContext(), shape, typeOf(element)))
    return type;
  broken = true; // reported; a stand-in keeps the calls that follow harmless
  return tile::ViewType::get(builder.getContext(), ArrayRef<int64_t>{ShapedType::kDynamic}, typeOf(element));
}

View ProgramBuilder::view(const std::string &name, Element element, std::vector<Dim> dims, Where where) {
  setLocation(where);
  SmallVector<int64_t> shape;
  SmallVector<Attribute> names;
  for (const Dim &dim : dims) {
    shape.push_back(dim.size);
    names.push_back(builder.getStringAttr(dim.name));
  }
  Type type = viewType(element, shape);
  argumentAttributes.push_back(
      builder.getDictionaryAttr({builder.getNamedAttr("tile.name", builder.getStringAttr(name)),
                                 builder.getNamedAttr("tile.dims", builder.getArrayAttr(names))}));
  return View(this, entry->addArgument(type, current));
}

Expr ProgramBuilder::scalar(const std::string &name, Element element, std::optional<double> byDefault, Where where) {
  setLocation(where);
  Type type = typeOf(element);
  SmallVector<NamedAttribute> attributes = {builder.getNamedAttr("tile.name", builder.getStringAttr(name))};
  if (byDefault) {
    Attribute number = isa<FloatType>(type) ? Attribute(builder.getFloatAttr(type, *byDefault))
                                            : builder.getIntegerAttr(type, static_cast<int64_t>(*byDefault));
    attributes.push_back(builder.getNamedAttr("tile.default", number));
  }
  argumentAttributes.push_back(builder.getDictionaryAttr(attributes));
  return Expr(this, entry->addArgument(type, current));
}

void ProgramBuilder::defaultDims(const std::map<std::string, int64_t> &sizes) {
  SmallVector<NamedAttribute> attributes;
  for (const auto &[name, size] : sizes)
    attributes.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(size)));
  program->setAttr("tile.default_dims", builder.getDictionaryAttr(attributes));
}

void KernelBuilder::groups(int64_t count) { program->setAttr("groups", builder.getI64IntegerAttr(count)); }

//===----------------------------------------------------------------------===//
// Grid, constants, loops
//===----------------------------------------------------------------------===//

void KernelBuilder::grid(std::vector<Operand> sizes, int64_t raster, Where where) {
  setLocation(where);
  SmallVector<Value> values;
  for (const Operand &size : sizes)
    values.push_back(materialize(size, builder.getIndexType()));
  tile::GridOp::create(builder, current, values, raster ? builder.getI64IntegerAttr(raster) : IntegerAttr());
}

Expr KernelBuilder::programId(int64_t dimension, Where where) {
  setLocation(where);
  return Expr(this, tile::ProgramIdOp::create(builder, current, dimension));
}

Value BodyBuilder::constantOf(double value, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  TypedAttr attr = isa<FloatType>(element) ? TypedAttr(builder.getFloatAttr(element, value))
                                           : TypedAttr(builder.getIntegerAttr(element, static_cast<int64_t>(value)));
  if (tensor)
    attr = DenseElementsAttr::get(tensor, ArrayRef<Attribute>(attr));
  for (auto &[known, constant] : constants)
    if (known == attr)
      return constant;
  OpBuilder::InsertionGuard guard(builder);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(entry);
  auto constant = arith::ConstantOp::create(builder, current, attr);
  lastConstant = constant;
  constants.push_back({attr, constant});
  return constant;
}

Value BodyBuilder::materialize(const Operand &operand, Type like) {
  if (!operand.expr)
    return constantOf(operand.number, like);
  Value value = operand.expr->value();
  if (isa<RankedTensorType>(like) && !isa<RankedTensorType>(value.getType()))
    return tensor::SplatOp::create(builder, current, value, cast<RankedTensorType>(like).getShape());
  return value;
}

Expr BodyBuilder::constant(double value, Element element, std::vector<int64_t> shape, Where where) {
  setLocation(where);
  return Expr(this, constantOf(value, typeOf(element, shape)));
}

Expr BodyBuilder::iota(int64_t size, int64_t start, Where where) {
  setLocation(where);
  return Expr(this, tile::IotaOp::create(builder, current, typeOf(I32, {size}), builder.getI64IntegerAttr(start)));
}

std::vector<Expr> BodyBuilder::loop(Operand begin, Operand end, Operand step, std::vector<Expr> init, Body body,
                                    Where where) {
  setLocation(where);
  Type index = builder.getIndexType();
  SmallVector<Value> values;
  for (Expr expr : init)
    values.push_back(expr.value());
  auto loop = scf::ForOp::create(builder, current, materialize(begin, index), materialize(end, index),
                                 materialize(step, index), values);
  std::vector<Expr> carried, results;
  for (Value argument : loop.getRegionIterArgs())
    carried.emplace_back(this, argument);
  {
    OpBuilder::InsertionGuard guard(builder);
    // Without carried values scf.for makes its own terminator.
    if (!values.empty())
      builder.setInsertionPointToEnd(loop.getBody());
    else
      builder.setInsertionPoint(loop.getBody()->getTerminator());
    SmallVector<Value> yielded;
    for (Expr expr : body(Expr(this, loop.getInductionVar()), carried))
      yielded.push_back(expr.value());
    if (!values.empty())
      scf::YieldOp::create(builder, current, yielded);
  }
  for (Value result : loop.getResults())
    results.emplace_back(this, result);
  return results;
}

Expr BodyBuilder::loop(Operand begin, Operand end, Operand step, Expr init, llvm::function_ref<Expr(Expr, Expr)> body,
                       Where where) {
  auto one = [&](Expr i, const std::vector<Expr> &carried) { return std::vector<Expr>{body(i, carried[0])}; };
  return loop(begin, end, step, std::vector<Expr>{init}, one, where)[0];
}

static SmallVector<Value> valuesOf(const std::vector<Expr> &exprs) {
  SmallVector<Value> values;
  for (Expr expr : exprs)
    values.push_back(expr.value());
  return values;
}

static std::vector<Expr> exprsOf(BodyBuilder *body, ValueRange values) {
  std::vector<Expr> exprs;
  for (Value value : values)
    exprs.emplace_back(body, value);
  return exprs;
}

std::vector<Expr> BodyBuilder::branch(Expr condition, Arm then, Arm otherwise, Where where) {
  setLocation(where);
  auto build = [&](Arm arm) {
    return [this, arm](OpBuilder &inside, Location) {
      OpBuilder::InsertionGuard guard(builder);
      builder.restoreInsertionPoint(inside.saveInsertionPoint());
      SmallVector<Value> given = valuesOf(arm());
      scf::YieldOp::create(builder, current, given);
    };
  };
  auto op = scf::IfOp::create(builder, current, condition.value(), build(then), build(otherwise));
  return exprsOf(this, op.getResults());
}

std::vector<Expr> BodyBuilder::loopWhile(std::vector<Expr> init,
                                         llvm::function_ref<Expr(const std::vector<Expr> &)> more,
                                         llvm::function_ref<std::vector<Expr>(const std::vector<Expr> &)> body,
                                         Where where) {
  setLocation(where);
  SmallVector<Value> inits = valuesOf(init);
  auto before = [&](OpBuilder &inside, Location, ValueRange carried) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(inside.saveInsertionPoint());
    Expr holds = more(exprsOf(this, carried));
    scf::ConditionOp::create(builder, current, holds.value(), carried);
  };
  auto after = [&](OpBuilder &inside, Location, ValueRange carried) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(inside.saveInsertionPoint());
    SmallVector<Value> next = valuesOf(body(exprsOf(this, carried)));
    scf::YieldOp::create(builder, current, next);
  };
  auto op = scf::WhileOp::create(builder, current, ValueRange(inits).getTypes(), inits, before, after);
  return exprsOf(this, op.getResults());
}

OwningOpRef<ModuleOp> ProgramBuilder::finish() {
  builder.setInsertionPointToEnd(entry);
  tile::ReturnOp::create(builder, current);
  auto op = cast<FunctionOpInterface>(program);
  op.setFunctionTypeAttr(TypeAttr::get(builder.getFunctionType(entry->getArgumentTypes(), {})));
  op.setArgAttrsAttr(builder.getArrayAttr(argumentAttributes));
  if (broken || failed(verify(*module)))
    return nullptr;
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

Expr View::dim(int64_t dimension, Where where) const {
  kernel->setLocation(where);
  return Expr(kernel, tile::DimOp::create(kernel->ir(), kernel->loc(), val, dimension));
}

static SmallVector<Value> coordinates(BodyBuilder &kernel, const std::vector<Operand> &at) {
  SmallVector<Value> values;
  for (const Operand &coordinate : at)
    values.push_back(kernel.materialize(coordinate, kernel.ir().getIndexType()));
  return values;
}

static DenseI64ArrayAttr dimsAttr(BodyBuilder &kernel, const std::vector<int64_t> &dims) {
  return dims.empty() ? DenseI64ArrayAttr() : kernel.ir().getDenseI64ArrayAttr(dims);
}

Expr View::gather(std::vector<Operand> at, Expr rows, std::vector<int64_t> shape, std::vector<int64_t> dims,
                  Where where) const {
  kernel->setLocation(where);
  auto type = kernel->tileType(shape, cast<tile::ViewType>(val.getType()).getElementType());
  return Expr(kernel, tile::GatherOp::create(kernel->ir(), kernel->loc(), type, val, coordinates(*kernel, at),
                                             rows.value(), dimsAttr(*kernel, dims)));
}

Expr View::element(std::vector<Operand> at, Where where) const {
  kernel->setLocation(where);
  Type type = cast<tile::ViewType>(val.getType()).getElementType();
  return Expr(kernel, tile::ElementOp::create(kernel->ir(), kernel->loc(), type, val, coordinates(*kernel, at)));
}

Expr View::load(std::vector<Operand> at, std::vector<int64_t> shape, std::vector<int64_t> dims, Where where) const {
  kernel->setLocation(where);
  auto type = kernel->tileType(shape, cast<tile::ViewType>(val.getType()).getElementType());
  return Expr(kernel, tile::LoadOp::create(kernel->ir(), kernel->loc(), type, val, coordinates(*kernel, at),
                                           dimsAttr(*kernel, dims), DenseI64ArrayAttr()));
}

static void createStore(BodyBuilder &kernel, Value view, Expr tile, std::vector<Operand> &at, Value rows,
                        const std::vector<int64_t> &dims, bool add) {
  tile::StoreOp::create(kernel.ir(), kernel.loc(), tile.value(), view, coordinates(kernel, at), ValueRange(), rows,
                        dimsAttr(kernel, dims), kernel.ir().getStringAttr(add ? "add" : "set"), DenseI64ArrayAttr());
}

void View::store(Expr tile, std::vector<Operand> at, std::vector<int64_t> dims, bool add, Where where) const {
  kernel->setLocation(where);
  createStore(*kernel, val, tile, at, Value(), dims, add);
}

void View::scatter(Expr tile, std::vector<Operand> at, Expr rows, std::vector<int64_t> dims, bool add,
                   Where where) const {
  kernel->setLocation(where);
  createStore(*kernel, val, tile, at, rows.value(), dims, add);
}
