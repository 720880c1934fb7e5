//===- TaskBuilder.cpp - Tasks, variants, launches ------------------------===//
#include "heddle/Builder/TaskBuilder.h"

#include "heddle/Dialect/Task/Task.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::builder;

Parameter heddle::builder::read(const std::string &name, Element element, std::vector<Dim> dims) {
  return {name, "read", element, std::move(dims), std::nullopt};
}
Parameter heddle::builder::write(const std::string &name, Element element, std::vector<Dim> dims) {
  return {name, "write", element, std::move(dims), std::nullopt};
}
Parameter heddle::builder::readWrite(const std::string &name, Element element, std::vector<Dim> dims) {
  return {name, "read_write", element, std::move(dims), std::nullopt};
}
Parameter heddle::builder::reduce(const std::string &name, Element element, std::vector<Dim> dims) {
  return {name, "reduce", element, std::move(dims), std::nullopt};
}
Parameter heddle::builder::scalar(const std::string &name, Element element, std::optional<double> byDefault) {
  return {name, "", element, {}, byDefault};
}

TaskBuilder::TaskBuilder(MLIRContext &context, Where where) : BodyBuilder(context, where) {
  context.loadDialect<task::TaskDialect>();
}

//===----------------------------------------------------------------------===//
// Tasks and variants
//===----------------------------------------------------------------------===//

Task TaskBuilder::task(const std::string &name, std::vector<Parameter> parameters,
                       const std::map<std::string, int64_t> &defaultDims, Where where) {
  setLocation(where);
  SmallVector<Attribute> list;
  for (const Parameter &parameter : parameters) {
    Type type = typeOf(parameter.element);
    SmallVector<Attribute> dims;
    for (const Dim &dim : parameter.dims)
      dims.push_back(ShapedType::isDynamic(dim.size) ? Attribute(builder.getStringAttr(dim.name))
                                                     : builder.getI64IntegerAttr(dim.size));
    Attribute byDefault;
    if (parameter.byDefault)
      byDefault = isa<FloatType>(type) ? Attribute(builder.getFloatAttr(type, *parameter.byDefault))
                                       : builder.getIntegerAttr(type, static_cast<int64_t>(*parameter.byDefault));
    auto privilege = task::symbolizePrivilege(parameter.privilege);
    auto made = task::ParameterAttr::getChecked(
        [&] { return mlir::emitError(current); }, builder.getContext(), builder.getStringAttr(parameter.name), type,
        privilege ? builder.getArrayAttr(dims) : ArrayAttr(), privilege.value_or(task::Privilege::Read), byDefault);
    if (made)
      list.push_back(made);
    else
      broken = true;
  }
  auto op = task::TaskOp::create(builder, current, builder.getStringAttr(name), builder.getArrayAttr(list));
  SmallVector<NamedAttribute> sizes;
  for (const auto &[dim, size] : defaultDims)
    sizes.push_back(builder.getNamedAttr(dim, builder.getI64IntegerAttr(size)));
  if (!sizes.empty())
    op->setAttr("tile.default_dims", builder.getDictionaryAttr(sizes));
  return {name, std::move(parameters)};
}

std::vector<Value> TaskBuilder::begin(const std::string &name, const Task &task,
                                      const std::map<std::string, int64_t> *sizes, Where where) {
  setLocation(where);
  OperationState state(current, task::VariantOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("task", FlatSymbolRefAttr::get(builder.getContext(), task.name));
  if (sizes)
    state.addAttribute("leaf", builder.getUnitAttr());
  Block *body = &state.addRegion()->emplaceBlock();
  for (const Parameter &parameter : task.parameters) {
    SmallVector<int64_t> shape;
    for (const Dim &dim : parameter.dims) {
      auto known = sizes ? sizes->find(dim.name) : std::map<std::string, int64_t>::const_iterator();
      bool isNumber = !ShapedType::isDynamic(dim.size);
      if (sizes && !isNumber && known == sizes->end()) {
        mlir::emitError(current) << "expected a size for dimension '" << dim.name << "' of '" << parameter.name
                                 << "' in leaf '" << name << "', got none";
        broken = true;
      }
      shape.push_back(isNumber ? dim.size : sizes && known != sizes->end() ? known->second : 1);
    }
    bool isTensor = !parameter.privilege.empty();
    body->addArgument(isTensor && !sizes ? Type(task::TaskTensorType::get(builder.getContext()))
                                         : typeOf(parameter.element, shape),
                      current);
  }
  builder.setInsertionPointToEnd(module->getBody());
  builder.create(state);
  enter(body);
  return std::vector<Value>(body->args_begin(), body->args_end());
}

void TaskBuilder::end(const std::vector<Expr> &results) {
  SmallVector<Value> values;
  for (Expr result : results)
    values.push_back(result.value());
  task::ReturnOp::create(builder, current, values);
  builder.setInsertionPointToEnd(module->getBody());
}

void TaskBuilder::expectArguments(size_t wanted, size_t got) {
  if (wanted == got)
    return;
  mlir::emitError(current) << "expected a body with " << wanted << " arguments, got one with " << got;
  broken = true;
}

Value TaskBuilder::argument(const std::vector<Value> &values, size_t i, bool asTensor) {
  bool isKnown = i < values.size();
  if (isKnown && isa<task::TaskTensorType>(values[i].getType()) == asTensor)
    return values[i];
  if (isKnown) {
    mlir::emitError(current) << "expected argument " << i << " of the body to be "
                             << (asTensor ? "an Expr, got a Tensor" : "a Tensor, got an Expr");
    broken = true;
  }
  return asTensor ? makeTensor({1}, F32).value() : constant(0, Element::Index).value();
}

OwningOpRef<ModuleOp> TaskBuilder::finish() {
  if (broken || failed(verify(*module)))
    return nullptr;
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Bodies of inner variants
//===----------------------------------------------------------------------===//

namespace {
/// A list of numbers and values.
struct Mixed {
  Mixed(BodyBuilder &body, const std::vector<Operand> &operands) {
    for (const Operand &operand : operands) {
      numbers.push_back(operand.expr ? ShapedType::kDynamic : static_cast<int64_t>(operand.number));
      if (operand.expr)
        values.push_back(operand.expr->value());
    }
  }
  SmallVector<Value> values;
  SmallVector<int64_t> numbers;
};
} // namespace

static Type tensorType(BodyBuilder &body) { return task::TaskTensorType::get(body.ir().getContext()); }
static Type partitionType(BodyBuilder &body) { return task::PartitionType::get(body.ir().getContext()); }

Expr TaskBuilder::tunable(const std::string &name, int64_t value, std::vector<int64_t> choices, Where where) {
  setLocation(where);
  auto list = choices.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(choices);
  return Expr(this, task::TunableOp::create(builder, current, builder.getIndexType(), builder.getStringAttr(name),
                                            builder.getI64IntegerAttr(value), list));
}

Tensor TaskBuilder::makeTensor(std::vector<Operand> sizes, Element element, Where where) {
  setLocation(where);
  Mixed list(*this, sizes);
  return Tensor(this, task::MakeTensorOp::create(builder, current, tensorType(*this), list.values, list.numbers,
                                                 typeOf(element)));
}

std::vector<Value> TaskBuilder::beginRange(bool parallel, const std::vector<Operand> &bounds, Where where) {
  setLocation(where);
  SmallVector<Value> values;
  for (const Operand &bound : bounds)
    values.push_back(materialize(bound, builder.getIndexType()));
  Operation *range = parallel ? task::PRangeOp::create(builder, current, values).getOperation()
                              : task::SRangeOp::create(builder, current, values).getOperation();
  Block &body = range->getRegion(0).emplaceBlock();
  for (size_t i = 0; i < bounds.size(); ++i)
    body.addArgument(builder.getIndexType(), current);
  builder.setInsertionPointToEnd(&body);
  return std::vector<Value>(body.args_begin(), body.args_end());
}

void TaskBuilder::endRange() {
  Operation *range = builder.getInsertionBlock()->getParentOp();
  task::ReturnOp::create(builder, current, ValueRange());
  builder.setInsertionPointAfter(range);
}

void TaskBuilder::launch(const Task &task, std::vector<std::variant<Tensor, Operand>> arguments, Where where) {
  setLocation(where);
  SmallVector<Value> values;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Element like = i < task.parameters.size() ? task.parameters[i].element : Element::Index;
    auto *tensor = std::get_if<Tensor>(&argument);
    values.push_back(tensor ? tensor->value() : materialize(std::get<Operand>(argument), typeOf(like)));
  }
  task::LaunchOp::create(builder, current, FlatSymbolRefAttr::get(builder.getContext(), task.name), values);
}

Expr Tensor::dim(int64_t dimension, Where where) const {
  tasks->setLocation(where);
  return Expr(tasks, task::DimOp::create(tasks->ir(), tasks->loc(), tasks->ir().getIndexType(), val, dimension));
}

Expr Partition::count(int64_t dimension, Where where) const {
  tasks->setLocation(where);
  return Expr(tasks, task::CountOp::create(tasks->ir(), tasks->loc(), tasks->ir().getIndexType(), val, dimension));
}

Tensor Partition::piece(std::vector<Operand> indices) const {
  Mixed list(*tasks, indices);
  return Tensor(tasks,
                task::PieceOp::create(tasks->ir(), tasks->loc(), tensorType(*tasks), val, list.values, list.numbers));
}

Partition heddle::builder::blocks(Tensor tensor, std::vector<BlockSize> sizes, Where where) {
  TaskBuilder &tasks = tensor.owner();
  tasks.setLocation(where);
  std::vector<Operand> operands;
  for (const BlockSize &size : sizes)
    operands.push_back(std::holds_alternative<Full>(size) ? Operand(task::BlocksOp::full) : std::get<Operand>(size));
  Mixed list(tasks, operands);
  return Partition(&tasks, task::BlocksOp::create(tasks.ir(), tasks.loc(), partitionType(tasks), tensor.value(),
                                                  list.values, list.numbers));
}

Partition heddle::builder::mma(Tensor tensor, const std::string &roles, Operand pieces, Where where) {
  TaskBuilder &tasks = tensor.owner();
  tasks.setLocation(where);
  SmallVector<Attribute> names;
  for (char role : roles)
    names.push_back(tasks.ir().getStringAttr(std::string(1, role)));
  Mixed list(tasks, {pieces});
  return Partition(&tasks, task::MmaOp::create(tasks.ir(), tasks.loc(), partitionType(tasks), tensor.value(),
                                               tasks.ir().getArrayAttr(names), list.values, list.numbers));
}
