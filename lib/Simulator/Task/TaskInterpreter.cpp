//===- TaskInterpreter.cpp - What a task program means ---------------------===//
//
// What:    see the header.
// Leaves:  run on the values of their arguments, resized to them (Dialect/Task/Leaf.h), by the interpreter of tile
//          programs' operations; what they return is written, or added, to the parts that they were launched with.
// Bounds:  with `options.bounds` every element carries the error of a run in the written types (ErrorBound.h), through
//          tensors as through values.
//
//===----------------------------------------------------------------------===//
#include "heddle/Simulator/Task/TaskInterpreter.h"

#include "Parts.h"

#include "heddle/Dialect/Task/Leaf.h"
#include "heddle/Dialect/Task/Program.h"
#include "heddle/Dialect/Task/Signature.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Simulator/Functional/BlockInterpreter.h"
#include "heddle/Simulator/Functional/ErrorBound.h"

#include <limits>
#include <map>

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;
using namespace heddle::task;

namespace {
/// What a launch is given for one parameter.
struct Argument {
  Part part;        ///< of a tensor
  TileValue scalar; ///< of a scalar
};

/// One run of a leaf.
class Leaf : public BlockInterpreter {
public:
  Leaf(const EvaluateOptions &options, bool &uncertain) : options(options), uncertain(uncertain) {}
  void define(Value argument, TileValue value) { values[argument] = std::move(value); }

private:
  LogicalResult runOther(Operation *op) override {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return runExtract(extract);
    SmallVector<TileValue> operands = valuesOf(op->getOperands()), results;
    if (failed(evaluate(op, operands, results, options)) ||
        (options.bounds && failed(boundError(op, operands, results[0]))))
      return failure();
    BlockInterpreter::define(op->getResults(), results);
    return success();
  }
  int64_t decide(const TileValue &value) override {
    uncertain |= value.error && value.error->floatAt(0) > 0;
    return value.toIndex();
  }

  const EvaluateOptions &options;
  bool &uncertain;
};

class Interpreter {
public:
  Interpreter(ModuleOp program, const TaskChoices &choices, const EvaluateOptions &options)
      : meanings(meaningsOf(program)), choices(choices), options(options) {}

  LogicalResult run(VariantOp variant, TaskOp task, MutableArrayRef<Argument> arguments, Operation *launch);
  bool isUncertain() const { return uncertain; }

private:
  LogicalResult runLeaf(VariantOp leaf, TaskOp task, MutableArrayRef<Argument> arguments, Operation *launch);
  FailureOr<VariantOp> sized(VariantOp leaf, TaskOp task, Shapes shapes);

  llvm::MapVector<TaskOp, VariantOp> meanings;
  const TaskChoices &choices;
  const EvaluateOptions &options;
  std::map<std::pair<Operation *, std::vector<SmallVector<int64_t>>>, OwningOpRef<VariantOp>> leaves;
  bool uncertain = false;

  friend class Inner;
};

/// One run of an inner variant.
class Inner {
public:
  Inner(Interpreter &program) : program(program) {}
  LogicalResult run(VariantOp variant, ArrayRef<Argument> arguments);

private:
  LogicalResult runBlock(Block &block);
  LogicalResult runOp(Operation *op);
  LogicalResult runRange(Operation *range);
  LogicalResult runPiece(PieceOp piece);
  LogicalResult takePieceOf(MmaOp mma, int64_t index, Part &part);
  LogicalResult runLaunch(LaunchOp launch);
  LogicalResult makeTensor(MakeTensorOp make);
  FailureOr<int64_t> count(Value partition, int64_t dim);
  FailureOr<int64_t> piecesOf(MmaOp mma);
  int64_t numberOf(Value value) { return scalars[value].toIndex(); }
  /// A list of numbers and values.
  SmallVector<int64_t> numbersOf(ArrayRef<int64_t> numbers, ValueRange values);
  void define(Value value, int64_t number) { scalars[value] = TileValue::index(number); }

  Interpreter &program;
  DenseMap<Value, TileValue> scalars;
  DenseMap<Value, Part> parts;
};
} // namespace

/// Most elements of a temporary, or of what a leaf works on.
static constexpr int64_t maxElements = int64_t(1) << 28;

static LogicalResult verifyElements(Operation *op, ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size > maxElements || (count *= size) > maxElements)
      return emitErrorOf(ErrorKind::Limit, op)
             << "expected tensors of at most " << maxElements << " elements, got more";
  return success();
}

//===----------------------------------------------------------------------===//
// Inner variants
//===----------------------------------------------------------------------===//

SmallVector<int64_t> Inner::numbersOf(ArrayRef<int64_t> numbers, ValueRange values) {
  SmallVector<int64_t> result(numbers);
  unsigned next = 0;
  for (int64_t &number : result)
    if (ShapedType::isDynamic(number))
      number = numberOf(values[next++]);
  return result;
}

LogicalResult Inner::makeTensor(MakeTensorOp make) {
  SmallVector<int64_t> sizes = numbersOf(make.getStaticSizes(), make.getSizes());
  for (int64_t size : sizes)
    if (size < 0)
      return make.emitOpError("expected sizes of at least 0, got ") << size;
  if (failed(verifyElements(make, sizes)))
    return failure();
  const EvaluateOptions &options = program.options;
  auto values = TileValue::zerosOf(RankedTensorType::get(sizes, make.getElementType()), options.wide);
  if (!values)
    return make.emitOpError("expected a tensor of a supported element type, got ") << make.getElementType();
  parts[make] = Part::whole(std::make_shared<Tensor>(std::move(*values), options.bounds, /*isDefined=*/false));
  return success();
}

FailureOr<int64_t> Inner::piecesOf(MmaOp mma) {
  int64_t pieces = numbersOf(mma.getStaticPieces(), mma.getPieces())[0];
  if (pieces != 4 && pieces != 32)
    return mma.emitOpError("expected 4 pieces (the warps of a warp group) or 32 (the threads of a warp), got ")
           << pieces;
  return pieces;
}

FailureOr<int64_t> Inner::count(Value partition, int64_t dim) {
  if (auto mma = partition.getDefiningOp<MmaOp>())
    return piecesOf(mma);
  auto blocks = partition.getDefiningOp<BlocksOp>();
  int64_t size = numbersOf(blocks.getStaticSizes(), blocks.getSizes())[dim];
  if (blocks.getStaticSizes()[dim] == BlocksOp::full)
    return 1;
  if (size < 1)
    return blocks.emitOpError("expected sizes of at least 1, got ") << size;
  return llvm::divideCeil(parts[blocks.getTensor()].extent(dim), size);
}

/// The rows or columns of `extent` that piece `index` of `pieces` has, as TaskOps.td says.
static std::vector<int64_t> placesOf(StringRef role, int64_t extent, int64_t pieces, int64_t index) {
  auto isIn = [&](int64_t place) {
    if (pieces == 4)
      return role != "m" || place % 64 / 16 == index;
    if (role == "m")
      return place % 8 == index / 4;
    return role != "n" || place % 8 / 2 == index % 4;
  };
  std::vector<int64_t> places;
  for (int64_t place = 0; place < extent; ++place)
    if (isIn(place))
      places.push_back(place);
  return places;
}

LogicalResult Inner::takePieceOf(MmaOp mma, int64_t index, Part &part) {
  FailureOr<int64_t> pieces = piecesOf(mma);
  if (failed(pieces))
    return failure();
  if (index < 0 || index >= *pieces)
    return mma.emitOpError("expected the index of a piece from 0 to ") << *pieces - 1 << ", got " << index;
  for (auto [dim, role] : llvm::enumerate(mma.getRoles().getAsRange<StringAttr>())) {
    int64_t extent = part.extent(dim), whole = *pieces == 4 ? 64 : 16;
    int64_t multiple = role == "m" ? whole : role == "n" ? 8 : 1;
    if (extent % multiple)
      return mma.emitOpError("expected a multiple of ")
             << multiple << " along " << role.getValue() << " for " << *pieces << " pieces, got " << extent;
    part.take(dim, placesOf(role, extent, *pieces, index));
  }
  return success();
}

LogicalResult Inner::runPiece(PieceOp piece) {
  SmallVector<int64_t> indices = numbersOf(piece.getStaticIndices(), piece.getIndices());
  Part part = parts[partitioned(piece.getPartition())];
  if (auto mma = piece.getPartition().getDefiningOp<MmaOp>()) {
    if (failed(takePieceOf(mma, indices[0], part)))
      return failure();
    parts[piece] = std::move(part);
    return success();
  }
  auto blocks = piece.getPartition().getDefiningOp<BlocksOp>();
  SmallVector<int64_t> sizes = numbersOf(blocks.getStaticSizes(), blocks.getSizes());
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    if (blocks.getStaticSizes()[dim] == BlocksOp::full)
      sizes[dim] = part.extent(dim);
    else if (sizes[dim] < 1)
      return blocks.emitOpError("expected sizes of at least 1, got ") << sizes[dim];
  }
  if (failed(verifyElements(piece, sizes)))
    return failure();
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    int64_t first = 0;
    bool isOutside = __builtin_mul_overflow(indices[dim], sizes[dim], &first) || first >= part.extent(dim);
    std::vector<int64_t> places(sizes[dim], Part::outside);
    for (int64_t i = 0; i < sizes[dim] && !isOutside; ++i)
      places[i] = first + i;
    part.take(dim, places);
  }
  SmallVector<unsigned, 2> kept;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (!blocks.isDropped(dim))
      kept.push_back(part.dims[dim]);
  part.dims = kept;
  parts[piece] = std::move(part);
  return success();
}

LogicalResult Inner::runLaunch(LaunchOp launch) {
  TaskOp task = taskOf(launch);
  SmallVector<Argument> arguments;
  for (Value value : launch.getArguments()) {
    if (isa<TaskTensorType>(value.getType()))
      arguments.push_back({parts[value], {}});
    else
      arguments.push_back({{}, scalars[value]});
  }
  VariantOp variant = program.choices.variant ? program.choices.variant(launch) : program.meanings.lookup(task);
  return program.run(variant, task, arguments, launch);
}

LogicalResult Inner::runRange(Operation *range) {
  SmallVector<int64_t> bounds, at;
  for (Value bound : range->getOperands()) {
    bounds.push_back(numberOf(bound));
    if (bounds.back() <= 0)
      return success();
  }
  at.assign(bounds.size(), 0);
  Block &body = range->getRegion(0).front();
  while (true) {
    for (auto [variable, value] : llvm::zip(body.getArguments(), at))
      define(variable, value);
    if (failed(runBlock(body)))
      return failure();
    unsigned dim = at.size();
    while (dim && ++at[dim - 1] == bounds[dim - 1])
      at[--dim] = 0;
    if (dim == 0)
      return success();
  }
}

LogicalResult Inner::runOp(Operation *op) {
  if (auto tunable = dyn_cast<TunableOp>(op)) {
    define(tunable, program.choices.tunable ? program.choices.tunable(tunable) : tunable.getValue());
    return success();
  }
  if (auto dim = dyn_cast<DimOp>(op)) {
    define(dim, parts[dim.getTensor()].extent(dim.getDim()));
    return success();
  }
  if (auto countOp = dyn_cast<CountOp>(op)) {
    FailureOr<int64_t> result = count(countOp.getPartition(), countOp.getDim());
    if (succeeded(result))
      define(countOp, *result);
    return result;
  }
  if (isa<BlocksOp, MmaOp>(op)) // pieces and counts ask them
    return success();
  if (auto piece = dyn_cast<PieceOp>(op))
    return runPiece(piece);
  if (auto make = dyn_cast<MakeTensorOp>(op))
    return makeTensor(make);
  if (auto launch = dyn_cast<LaunchOp>(op))
    return runLaunch(launch);
  if (isa<PRangeOp, SRangeOp>(op))
    return runRange(op);
  SmallVector<TileValue> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(scalars[operand]);
  if (failed(evaluate(op, operands, results, program.options)) ||
      (program.options.bounds && failed(boundError(op, operands, results[0]))))
    return failure();
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    scalars[result] = value;
  return success();
}

LogicalResult Inner::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOp(&op)))
      return failure();
  return success();
}

LogicalResult Inner::run(VariantOp variant, ArrayRef<Argument> arguments) {
  for (auto [value, given] : llvm::zip_equal(variant.getBody().getArguments(), arguments)) {
    if (isa<TaskTensorType>(value.getType()))
      parts[value] = given.part;
    else
      scalars[value] = given.scalar;
  }
  return runBlock(variant.getBody().front());
}

//===----------------------------------------------------------------------===//
// Leaves and launches
//===----------------------------------------------------------------------===//

FailureOr<VariantOp> Interpreter::sized(VariantOp leaf, TaskOp task, Shapes shapes) {
  std::vector<SmallVector<int64_t>> key(shapes.begin(), shapes.end());
  OwningOpRef<VariantOp> &made = leaves[{leaf.getOperation(), key}];
  if (made)
    return *made;
  OwningOpRef<VariantOp> clone(leaf.clone());
  if (failed(resizeLeaf(*clone, task, shapes)))
    return failure();
  made = std::move(clone);
  return *made;
}

LogicalResult Interpreter::runLeaf(VariantOp leaf, TaskOp task, MutableArrayRef<Argument> arguments,
                                   Operation *launch) {
  SmallVector<SmallVector<int64_t>> shapes;
  for (Argument &argument : arguments) {
    shapes.push_back(argument.part.shape());
    if (failed(verifyElements(launch, shapes.back())))
      return failure();
  }
  FailureOr<VariantOp> fitting = sized(leaf, task, shapes);
  if (failed(fitting))
    return failure();
  Leaf run(options, uncertain);
  Block &body = fitting->getBody().front();
  for (auto [value, argument, attr] : llvm::zip_equal(body.getArguments(), arguments, task.getParameters())) {
    auto parameter = cast<ParameterAttr>(attr);
    TileValue given = argument.scalar;
    if (parameter.isTensor() && parameter.isRead() && !argument.part.read(given))
      return launch->emitOpError("expected ") << parameter.getName() << " to be written before it is read";
    if (!parameter.isTensor() || parameter.isRead())
      run.define(value, std::move(given));
  }
  FailureOr<SmallVector<TileValue>> results = run.runBlock(body);
  if (failed(results))
    return failure();
  auto result = results->begin();
  for (auto [argument, attr] : llvm::zip_equal(arguments, task.getParameters())) {
    auto parameter = cast<ParameterAttr>(attr);
    if (parameter.isTensor() && parameter.isWritten() &&
        !argument.part.write(*result++, parameter.getPrivilege() == Privilege::Reduce))
      return launch->emitOpError("expected ") << parameter.getName() << " to be written before it is added to";
  }
  return success();
}

LogicalResult Interpreter::run(VariantOp variant, TaskOp task, MutableArrayRef<Argument> arguments, Operation *launch) {
  SmallVector<SmallVector<int64_t>> shapes;
  for (Argument &argument : arguments)
    shapes.push_back(argument.part.shape());
  if (failed(verifyShapes(launch, task, shapes)))
    return failure();
  if (variant.isLeaf())
    return runLeaf(variant, task, arguments, launch);
  for (auto [argument, attr] : llvm::zip_equal(arguments, task.getParameters()))
    if (auto parameter = cast<ParameterAttr>(attr);
        parameter.isTensor() && parameter.getPrivilege() == Privilege::Write)
      argument.part.forget();
  return Inner(*this).run(variant, arguments);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

Result<Bindings> heddle::sim::bindTask(TaskOp task, const BindingRequest &request) {
  OwningOpRef<ModuleOp> module = signatureKernel(task);
  return bindKernel(cast<FunctionOpInterface>(*module->getOps().begin()), request);
}

/// All of a tensor of the host.
static TileValue loadAll(const HostTensor &tensor) {
  SmallVector<int64_t> corner(tensor.sizes().size(), 0),
      dims = llvm::to_vector(llvm::seq<int64_t>(0, tensor.sizes().size()));
  return tensor.load(corner, dims, tensor.sizes());
}

/// Writes what was written to the tensor and to its bound.
static void storeBack(const Tensor &from, HostTensor &to, HostTensor *bound) {
  for (int64_t i = 0, count = from.values.size(); i < count; ++i) {
    if (!from.written[i])
      continue;
    int64_t at = to.positionOf(i);
    from.values.isFloat() ? to.setFloat(at, from.values.floatAt(i)) : to.setInt(at, from.values.intAt(i));
    if (bound)
      bound->setFloat(bound->positionOf(i), from.errors.floatAt(i));
  }
}

LogicalResult heddle::sim::runVariant(VariantOp variant, Bindings &bindings, const TaskChoices &choices,
                                      const EvaluateOptions &options) {
  TaskOp task = taskOf(variant);
  Interpreter program(variant->getParentOfType<ModuleOp>(), choices, options);
  SmallVector<Argument> arguments;
  for (auto [bound, attr] : llvm::zip_equal(bindings.arguments, task.getParameters())) {
    auto parameter = cast<ParameterAttr>(attr);
    if (!parameter.isTensor()) {
      arguments.push_back({{}, bound.scalar});
      continue;
    }
    auto tensor = std::make_shared<Tensor>(loadAll(bindings.tensors[bound.tensor]), options.bounds,
                                           parameter.getPrivilege() != Privilege::Write);
    arguments.push_back({Part::whole(std::move(tensor)), {}});
  }
  if (failed(program.run(variant, task, arguments, variant)))
    return failure();
  for (auto [argument, bound] : llvm::zip_equal(arguments, bindings.arguments))
    if (bound.tensor >= 0 && bound.isWritten)
      storeBack(*argument.part.tensor, bindings.tensors[bound.tensor],
                options.bounds ? &bindings.bounds[bound.tensor] : nullptr);
  if (program.isUncertain())
    for (HostTensor &bound : bindings.bounds)
      for (int64_t e = 0, count = bound.sizes().empty() ? 0 : bound.numElements(); e < count; ++e)
        if (int64_t at = bound.positionOf(e); bound.floatAt(at) >= 0)
          bound.setFloat(at, std::numeric_limits<double>::infinity());
  return success();
}

FailureOr<Meaning> heddle::sim::meaningOf(TaskOp task, const Bindings &bound) {
  VariantOp variant = meaningsOf(task->getParentOfType<ModuleOp>()).lookup(task);
  Meaning meaning{bound, bound.widened()};
  meaning.exact.startBounds();
  EvaluateOptions wide;
  wide.wide = wide.bounds = true;
  if (failed(runVariant(variant, meaning.reference)) || failed(runVariant(variant, meaning.exact, {}, wide)))
    return failure();
  return meaning;
}
