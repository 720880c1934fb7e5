//===- BlockInterpreter.cpp - see BlockInterpreter.h ----------------------===//
#include "heddle/Simulator/Functional/BlockInterpreter.h"

#include "heddle/Simulator/Functional/ErrorBound.h"

using namespace mlir;
namespace heddle::sim {

SmallVector<TileValue> BlockInterpreter::valuesOf(ValueRange range) {
  SmallVector<TileValue> result;
  for (Value value : range)
    result.push_back(values[value]);
  return result;
}

void BlockInterpreter::define(ValueRange range, ArrayRef<TileValue> results) {
  for (auto [value, result] : llvm::zip_equal(range, results))
    values[value] = result;
}

LogicalResult BlockInterpreter::runOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return runWhile(loop);
  return runOther(op);
}

FailureOr<SmallVector<TileValue>> BlockInterpreter::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOp(&op)))
      return failure();
  return valuesOf(block.getTerminator()->getOperands());
}

LogicalResult BlockInterpreter::runFor(scf::ForOp loop) {
  int64_t begin = decide(values[loop.getLowerBound()]), end = decide(values[loop.getUpperBound()]),
          step = decide(values[loop.getStep()]);
  if (step < 1)
    return loop.emitOpError("expected a step of at least 1, got ") << step;
  TileValue counter = values[loop.getLowerBound()];
  SmallVector<TileValue> carried = valuesOf(loop.getInitArgs());
  for (int64_t i = begin; i < end;) {
    counter.setInt(0, i);
    values[loop.getInductionVar()] = counter;
    define(loop.getRegionIterArgs(), carried);
    beginIteration(loop);
    FailureOr<SmallVector<TileValue>> yielded = runBlock(*loop.getBody());
    if (failed(yielded))
      return failure();
    carried = std::move(*yielded);
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  endLoop(loop);
  define(loop.getResults(), carried);
  return success();
}

LogicalResult BlockInterpreter::runIf(scf::IfOp branch) {
  Region &region = decide(values[branch.getCondition()]) ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty())
    return success();
  FailureOr<SmallVector<TileValue>> yielded = runBlock(region.front());
  if (failed(yielded))
    return failure();
  define(branch.getResults(), *yielded);
  return success();
}

LogicalResult BlockInterpreter::runWhile(scf::WhileOp loop) {
  SmallVector<TileValue> carried = valuesOf(loop.getInits());
  while (true) {
    define(loop.getBeforeArguments(), carried);
    FailureOr<SmallVector<TileValue>> condition = runBlock(*loop.getBeforeBody());
    if (failed(condition))
      return failure();
    ArrayRef<TileValue> passed = ArrayRef(*condition).drop_front();
    if (!decide(condition->front())) {
      endLoop(loop);
      define(loop.getResults(), passed);
      return success();
    }
    define(loop.getAfterArguments(), passed);
    beginIteration(loop);
    FailureOr<SmallVector<TileValue>> yielded = runBlock(*loop.getAfterBody());
    if (failed(yielded))
      return failure();
    carried = std::move(*yielded);
  }
}

SmallVector<int64_t> BlockInterpreter::indicesOf(ValueRange range) {
  SmallVector<int64_t> result;
  for (Value value : range)
    result.push_back(decide(values[value]));
  return result;
}

LogicalResult BlockInterpreter::runExtract(tensor::ExtractOp extract) {
  SmallVector<int64_t> at = indicesOf(extract.getIndices()), one(at.size(), 1);
  const TileValue tile = values[extract.getTensor()];
  for (auto [index, extent] : llvm::zip(at, tile.shape))
    if (index < 0 || index >= extent)
      return extract.emitOpError("expected an index from 0 to ") << extent - 1 << ", got " << index;
  auto scalarOf = [&](const TileValue &from) {
    TileValue scalar = at.empty() ? from : extractSlice(from, at, one);
    scalar.shape.clear();
    return scalar;
  };
  TileValue scalar = scalarOf(tile);
  scalar.error = tile.error ? errorRead(scalarOf(*tile.error)) : nullptr;
  values[extract] = std::move(scalar);
  return success();
}

} // namespace heddle::sim
