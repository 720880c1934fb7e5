//===- TileInterpreter.cpp - The reference meaning of a tile kernel -------===//
#include "heddle/Simulator/Functional/TileInterpreter.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Simulator/Functional/BlockInterpreter.h"
#include "heddle/Simulator/Functional/ErrorBound.h"
#include "heddle/Simulator/Functional/ProgramRaces.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>
#include <map>

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

namespace {
/// What the programs of a grid have added to a tensor so far, for bounds: by element the sum of magnitudes, and how
/// often.
struct Additions {
  explicit Additions(const HostTensor &bound)
      : sizes(bound.alike(ElementKind::F64)), counts(bound.alike(ElementKind::F64)) {}
  HostTensor sizes, counts;
};
using AdditionsByArgument = std::map<unsigned, Additions>;

/// One program of the grid.
class Program : public BlockInterpreter {
public:
  /// `uncertain` is set where roundings may decide which way a bounding run goes.
  /// `id`: of one block of the `blocks` that run a program, beside each other along dimension 0.
  Program(Bindings &bindings, const EvaluateOptions &options, ProgramRaces &races, AdditionsByArgument &additions,
          std::array<int64_t, 3> id, int64_t blocks, bool &uncertain)
      : bindings(bindings), options(options), races(races), additions(additions), id(id), blocks(blocks),
        uncertain(uncertain) {
    races.begin(id);
  }

  void bindArguments(Block &entry);

private:
  LogicalResult runOther(Operation *op) override;
  void beginIteration(Operation *loop) override {
    if (!loop->hasAttr(independentAttr))
      return;
    if (independent.empty() || independent.back().loop != loop)
      independent.push_back({loop, races.beginRun(), races.strand()});
    races.beginIteration(independent.back().run, independent.back().outside);
  }
  void endLoop(Operation *loop) override {
    if (independent.empty() || independent.back().loop != loop)
      return;
    races.resume(independent.pop_back_val().outside);
  }
  LogicalResult runLoad(tile::LoadOp load);
  LogicalResult runElement(tile::ElementOp element);
  LogicalResult runGather(tile::GatherOp gather);
  /// A part of an argument, after the check for races between programs.
  FailureOr<TileValue> readMemory(Operation *op, Value view, ArrayRef<int64_t> at, ArrayRef<int64_t> dims,
                                  ArrayRef<int64_t> shape);
  /// A part of an argument or of a window.
  FailureOr<TileValue> read(Operation *op, Value view, ArrayRef<int64_t> at, ArrayRef<int64_t> dims,
                            ArrayRef<int64_t> shape);
  LogicalResult runStore(tile::StoreOp store);
  LogicalResult writeMemory(tile::StoreOp store, const TileValue &value, ArrayRef<int64_t> at, ArrayRef<int64_t> dims);
  /// Stores the part of `value` at `corner` with `extent`.
  LogicalResult storePart(tile::StoreOp store, const TileValue &value, ArrayRef<int64_t> corner, ArrayRef<int64_t> at,
                          ArrayRef<int64_t> extent);

  static unsigned numberOf(Value view) { return cast<BlockArgument>(tile::memoryOf(view)).getArgNumber(); }
  Window windowOf(tile::WindowOp op) {
    return Window(values[op], op.getType().getRank(), op.getType().getElementType().getIntOrFloatBitWidth() / 8);
  }
  HostTensor &tensorOf(Value view) { return *bindings.tensorOf(numberOf(view)); }
  HostTensor &boundOf(Value view) { return bindings.bounds[bindings.arguments[numberOf(view)].tensor]; }
  /// A value that decides what happens next.
  int64_t decide(const TileValue &value) override {
    uncertain |= value.error && value.error->floatAt(0) > 0;
    return value.toIndex();
  }

  Bindings &bindings;
  const EvaluateOptions &options;
  ProgramRaces &races;
  AdditionsByArgument &additions;
  std::array<int64_t, 3> id;
  int64_t blocks;
  struct IndependentLoop {
    Operation *loop;
    uint32_t run, outside;
  };
  SmallVector<IndependentLoop, 2> independent; ///< those that run, the outermost first
  bool &uncertain;
};
} // namespace

void Program::bindArguments(Block &entry) {
  for (BlockArgument argument : entry.getArguments())
    if (!isa<tile::ViewType>(argument.getType()))
      values[argument] = bindings.arguments[argument.getArgNumber()].scalar;
}

FailureOr<TileValue> Program::readMemory(Operation *op, Value view, ArrayRef<int64_t> at, ArrayRef<int64_t> dims,
                                         ArrayRef<int64_t> shape) {
  if (auto complaint = races.load(numberOf(view), at, dims, shape))
    return op->emitOpError("race between programs: ") << *complaint;
  TileValue tile = tensorOf(view).load(at, dims, shape);
  if (options.bounds)
    if (const HostTensor &bound = boundOf(view); !bound.sizes().empty())
      tile.error = errorRead(bound.load(at, dims, shape));
  return tile;
}

FailureOr<TileValue> Program::read(Operation *op, Value view, ArrayRef<int64_t> at, ArrayRef<int64_t> dims,
                                   ArrayRef<int64_t> shape) {
  auto window = view.getDefiningOp<tile::WindowOp>();
  if (!window)
    return readMemory(op, view, at, dims, shape);
  TileValue tile = TileValue::zeros(tensorOf(view).kind(), shape), errors = TileValue::zeros(ElementKind::F64, shape);
  bool inexact = false;
  LogicalResult result = success();
  windowOf(window).forEachRun(at, dims, shape, [&](ArrayRef<int64_t> corner, int64_t position, int64_t length) {
    if (failed(result))
      return;
    FailureOr<TileValue> run = failure();
    if (auto complaint = Window::complaint(tensorOf(view), position, length))
      op->emitOpError() << *complaint;
    else
      run = readMemory(op, view, {position}, {0}, {length});
    result = run;
    if (failed(run))
      return;
    SmallVector<int64_t> part(shape.size(), 1);
    part.back() = length;
    run->shape.assign(part.begin(), part.end());
    insertSlice(tile, *run, corner);
    if (!run->error)
      return;
    inexact = true;
    TileValue error = *run->error;
    error.shape = run->shape;
    insertSlice(errors, error, corner);
  });
  if (failed(result))
    return failure();
  tile.error = inexact ? errorRead(errors) : nullptr;
  return tile;
}

LogicalResult Program::runLoad(tile::LoadOp load) {
  ArrayRef<int64_t> whole = load.getResult().getType().getShape();
  FailureOr<TileValue> part =
      read(load, load.getView(), indicesOf(load.getIndices()), load.getTileDims(), load.getExtent().value_or(whole));
  if (failed(part))
    return failure();
  TileValue tile = padded(*part, whole);
  if (part->error)
    tile.error = errorRead(padded(*part->error, whole));
  values[load] = std::move(tile);
  return success();
}

LogicalResult Program::runGather(tile::GatherOp gather) {
  SmallVector<int64_t> at = indicesOf(gather.getIndices()), dims = gather.getTileDims();
  ArrayRef<int64_t> shape = gather.getResult().getType().getShape();
  SmallVector<int64_t> rowShape(shape), offset(shape.size(), 0), first(at);
  rowShape[0] = 1;
  const TileValue rows = values[gather.getRows()];
  uncertain |= rows.error != nullptr;
  TileValue tile, errors = TileValue::zeros(ElementKind::F64, shape);
  bool inexact = false;
  for (int64_t r = 0; r < shape[0]; ++r) {
    at[dims[0]] = first[dims[0]] + rows.intAt(r);
    FailureOr<TileValue> row = read(gather, gather.getView(), at, dims, rowShape);
    if (failed(row))
      return failure();
    if (r == 0)
      tile = TileValue::zeros(row->kind, shape);
    offset[0] = r;
    insertSlice(tile, *row, offset);
    inexact |= row->error != nullptr;
    if (row->error)
      insertSlice(errors, *row->error, offset);
  }
  tile.error = inexact ? errorRead(errors) : nullptr;
  values[gather] = std::move(tile);
  return success();
}

LogicalResult Program::runElement(tile::ElementOp element) {
  SmallVector<int64_t> at = indicesOf(element.getIndices());
  int64_t last = at.size() - 1;
  FailureOr<TileValue> value = read(element, element.getView(), at, {last}, {1});
  if (failed(value))
    return failure();
  value->shape.clear();
  values[element] = std::move(*value);
  return success();
}

LogicalResult Program::runStore(tile::StoreOp store) {
  SmallVector<int64_t> at = indicesOf(store.getIndices()), dims = store.getTileDims(),
                       below = indicesOf(store.getBelow());
  const TileValue value = values[store.getValue()];
  SmallVector<int64_t> extent(store.getExtent().value_or(ArrayRef(value.shape))), corner(value.shape.size(), 0);
  if (!store.getRows())
    return storePart(store, value, corner, at, extentBelow(below, at, dims, extent));
  const TileValue rows = values[store.getRows()];
  uncertain |= rows.error != nullptr;
  bool isInWindow = store.getView().getDefiningOp<tile::WindowOp>() != nullptr;
  int64_t first = at[dims[0]], count = std::exchange(extent[0], 1);
  std::map<int64_t, int64_t> stored; // which row of the tile for which of the view
  for (int64_t &r = corner[0]; r < count; ++r) {
    at[dims[0]] = first + rows.intAt(r);
    SmallVector<int64_t> part = extentBelow(below, at, dims, extent);
    auto [before, isNew] = stored.try_emplace(at[dims[0]], r);
    bool isInside = !isInWindow && at[dims[0]] >= 0 && at[dims[0]] < tensorOf(store.getView()).sizes()[dims[0]];
    if (!isNew && isInside && store.getKind() != "add") {
      SmallVector<int64_t> other(corner);
      other[0] = before->second;
      if (!extractSlice(value, corner, part).identicalTo(extractSlice(value, other, part)))
        return store.emitOpError("expected one value for each element that it writes, got two for row ") << at[dims[0]];
    }
    if (failed(storePart(store, value, corner, at, part)))
      return failure();
  }
  return success();
}

LogicalResult Program::storePart(tile::StoreOp store, const TileValue &whole, ArrayRef<int64_t> corner,
                                 ArrayRef<int64_t> at, ArrayRef<int64_t> extent) {
  SmallVector<int64_t> dims = store.getTileDims();
  TileValue value = whole;
  if (extent != ArrayRef(whole.shape)) {
    value = extractSlice(whole, corner, extent);
    if (options.bounds)
      value.error = errorRead(extractSlice(errorOf(whole), corner, extent));
  }
  auto window = store.getView().getDefiningOp<tile::WindowOp>();
  if (!window)
    return writeMemory(store, value, at, dims);
  LogicalResult result = success();
  windowOf(window).forEachRun(at, dims, value.shape, [&](ArrayRef<int64_t> corner, int64_t position, int64_t length) {
    if (failed(result))
      return;
    SmallVector<int64_t> part(value.shape.size(), 1);
    part.back() = length;
    TileValue run = extractSlice(value, corner, part);
    run.shape.assign({length});
    if (value.error) {
      TileValue error = extractSlice(*value.error, corner, part);
      error.shape.assign({length});
      run.error = errorRead(std::move(error));
    }
    if (auto complaint = Window::complaint(tensorOf(store.getView()), position, length))
      result = store.emitOpError() << *complaint;
    else
      result = writeMemory(store, run, {position}, {0});
  });
  return result;
}

LogicalResult Program::writeMemory(tile::StoreOp store, const TileValue &value, ArrayRef<int64_t> at,
                                   ArrayRef<int64_t> dims) {
  HostTensor &tensor = tensorOf(store.getView());
  bool add = store.getKind() == "add";
  // Each addition has a rounding of its own: elements of one tile that are one element of memory come one by one.
  if (add && options.bounds && tensor.mayOverlap() && value.size() > 1) {
    SmallVector<int64_t> shape(value.shape.begin(), value.shape.end()), corner(shape.size()), part(shape.size(), 1);
    for (int64_t i = 0, n = value.size(); i < n; ++i) {
      SmallVector<int64_t> place(at);
      for (int64_t d = shape.size() - 1, rest = i; d >= 0; rest /= shape[d--]) {
        corner[d] = rest % shape[d];
        place[dims[d]] += corner[d];
      }
      TileValue one = extractSlice(value, corner, part);
      one.error = errorRead(extractSlice(errorOf(value), corner, part));
      if (failed(writeMemory(store, one, place, dims)))
        return failure();
    }
    return success();
  }
  if (auto complaint = races.store(numberOf(store.getView()), value, at, dims, add))
    return store.emitOpError("race between programs: ") << *complaint;
  if (options.bounds) {
    HostTensor &bound = boundOf(store.getView());
    TileValue error = errorOf(value);
    if (add) {
      TileValue old = tensor.load(at, dims, value.shape);
      old.error = errorRead(bound.load(at, dims, value.shape));
      Additions &sums = additions.try_emplace(numberOf(store.getView()), bound).first->second;
      TileValue size = sums.sizes.load(at, dims, value.shape), count = sums.counts.load(at, dims, value.shape);
      error = errorOfSum(old, value, *elementKindOf(store.getView().getType().getElementType()), size, count);
      sums.sizes.store(size, at, dims);
      sums.counts.store(count, at, dims);
    }
    bound.store(error, at, dims);
  }
  tensor.store(value, at, dims, add);
  return success();
}

LogicalResult Program::runOther(Operation *op) {
  if (isa<tile::GridOp>(op))
    return success();
  if (auto programId = dyn_cast<tile::ProgramIdOp>(op)) {
    values[programId] = TileValue::index(id[programId.getDim()] / (programId.getDim() == 0 ? blocks : 1));
    return success();
  }
  if (isa<tile::ClusterRankOp>(op)) {
    values[op->getResult(0)] = TileValue::index(id[0] % blocks);
    return success();
  }
  if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
    values[count] = TileValue::index(races.programs()[count.getDim()] / (count.getDim() == 0 ? blocks : 1));
    return success();
  }
  if (isa<tile::MultiprocessorsOp>(op)) {
    values[op->getResult(0)] = TileValue::index(simulatedMultiprocessors);
    return success();
  }
  if (auto param = dyn_cast<tile::ParamOp>(op)) {
    values[param] = TileValue::index(param.getValue());
    return success();
  }
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    values[dim] = TileValue::index(tensorOf(dim.getView()).sizes()[dim.getDim()]);
    return success();
  }
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return runLoad(load);
  if (auto element = dyn_cast<tile::ElementOp>(op))
    return runElement(element);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return runGather(gather);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return runExtract(extract);
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return runStore(store);
  SmallVector<TileValue> operands = valuesOf(op->getOperands()), results;
  if (failed(evaluate(op, operands, results, options)))
    return failure();
  if (options.bounds && failed(boundError(op, operands, results[0])))
    return failure();
  define(op->getResults(), results);
  return success();
}

LogicalResult heddle::sim::runTileKernel(tile::KernelOp kernel, Bindings &bindings, const EvaluateOptions &options) {
  auto function = cast<FunctionOpInterface>(kernel.getOperation());
  FailureOr<std::array<int64_t, 3>> grid = evaluateGrid(function, bindings);
  if (failed(grid))
    return failure();
  Block &entry = kernel.getBody().front();
  int64_t blocks = tile::clusterOf(kernel);
  (*grid)[0] *= blocks;
  ProgramRaces races(bindings, *grid);
  bool uncertain = false;
  AdditionsByArgument additions;
  for (int64_t z = 0; z < (*grid)[2]; ++z)
    for (int64_t y = 0; y < (*grid)[1]; ++y)
      for (int64_t x = 0; x < (*grid)[0]; ++x) {
        Program program(bindings, options, races, additions, {x, y, z}, blocks, uncertain);
        program.bindArguments(entry);
        if (failed(program.runBlock(entry)))
          return failure();
      }
  if (uncertain)
    for (unsigned i : bindings.bounds.empty() ? std::vector<unsigned>() : bindings.outputs()) {
      HostTensor &bound = bindings.bounds[bindings.arguments[i].tensor];
      for (int64_t e = 0, count = bound.numElements(); e < count; ++e)
        if (int64_t at = bound.positionOf(e); bound.floatAt(at) >= 0)
          bound.setFloat(at, std::numeric_limits<double>::infinity());
    }
  return success();
}

std::vector<double> heddle::sim::compareOutputs(const Bindings &got, const Bindings &reference) {
  std::vector<double> errors;
  for (unsigned output : reference.outputs())
    errors.push_back(relativeError(*got.tensorOf(output), *reference.tensorOf(output)));
  return errors;
}
