//===- Partition.cpp - which dimension of each tile the warp groups divide --===//
//
// What:      computes, for a sequential tile program, the dimension of every tile along which compute warp groups split it.
// Where:     before Subtile, which clones the program once per group.
// Algorithm: fixpoint of equalities between the axes of operands and results, seeded by dot rows. `none` (held whole by every
//            group) is a value of its own, forced by dot's right operand and by broadcasting along the divided dimension.
// Verifies:  no divided dimension is contracted, reduced or forced to two values (located user errors).
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Partition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace heddle {

bool isRematerialisable(Operation *op) {
  return op && isa<arith::ConstantOp, tensor::SplatOp, tile::IotaOp>(op);
}

namespace {
constexpr int64_t none = -1;

class Solver {
public:
  explicit Solver(tile::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run(DenseMap<Value, int64_t> &result) {
    do {
      changed = false;
      WalkResult walk = kernel.walk([&](Operation *op) {
        return failed(visit(op)) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return failure();
    } while (changed);
    for (auto &[value, axis] : axes)
      if (axis != none)
        result[value] = axis;
    return success();
  }

private:
  static bool isTile(Value v) { return isa<RankedTensorType>(v.getType()); }

  /// Records the axis of `value`. Rematerialisable values take a different axis at every use and are left out.
  LogicalResult set(Operation *at, Value value, int64_t axis) {
    if (!isTile(value) || isRematerialisable(value.getDefiningOp()))
      return success();
    auto [it, inserted] = axes.insert({value, axis});
    changed |= inserted;
    if (inserted || it->second == axis)
      return success();
    auto name = [](int64_t a) { return a == none ? std::string("no dimension") : "dimension " + std::to_string(a); };
    return at->emitError("cannot divide this program over warp groups: expected ")
           << name(it->second) << " of a tile to be divided, got " << name(axis) << " (ask for `groups = 1`)";
  }

  std::optional<int64_t> get(Value value) const {
    auto it = axes.find(value);
    return it == axes.end() ? std::nullopt : std::optional<int64_t>(it->second);
  }

  /// All tile values in `values` share one axis.
  LogicalResult equal(Operation *at, ArrayRef<Value> values) {
    for (Value v : values)
      if (std::optional<int64_t> axis = isTile(v) ? get(v) : std::nullopt) {
        for (Value w : values)
          if (failed(set(at, w, *axis)))
            return failure();
        return success();
      }
    return success();
  }

  LogicalResult visitFor(scf::ForOp loop) {
    for (auto [init, arg, yielded, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getResults()))
      if (failed(equal(loop, {arg, init, yielded, result})))
        return failure();
    return success();
  }

  LogicalResult visitReduce(tile::ReduceOp op) {
    int64_t axis = op.getAxis();
    if (auto s = get(op.getSource())) {
      if (*s == axis)
        return op.emitOpError("cannot divide this program over warp groups: it reduces the divided dimension ") << axis
               << " (ask for `groups = 1`)";
      return set(op, op.getResult(), *s == none ? none : *s - (*s > axis));
    }
    if (auto r = get(op.getResult()); r && *r != none)
      return set(op, op.getSource(), *r + (*r >= axis));
    return success();
  }

  LogicalResult visitBroadcast(tile::BroadcastOp op) {
    int64_t axis = op.getAxis();
    if (auto r = get(op.getResult()))
      return set(op, op.getSource(), *r == none || *r == axis ? none : *r - (*r > axis));
    if (auto s = get(op.getSource()); s && *s != none)
      return set(op, op.getResult(), *s + (*s >= axis));
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      if (failed(set(op, dot.getResult(), 0)) || failed(set(op, dot.getAcc(), 0)) || failed(set(op, dot.getA(), 0)))
        return failure();
      return set(op, dot.getB(), none);
    }
    if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
      auto flip = [](int64_t a) { return a == none ? none : 1 - a; };
      if (auto s = get(transpose.getSource()))
        return set(op, transpose.getResult(), flip(*s));
      if (auto r = get(transpose.getResult()))
        return set(op, transpose.getSource(), flip(*r));
      return success();
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      return visitReduce(reduce);
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
      return visitBroadcast(broadcast);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitFor(loop);
    if (op->getNumRegions() || isa<tile::LoadOp, tile::StoreOp, scf::YieldOp>(op) || isRematerialisable(op))
      return success();
    // Element-wise: operands and results have one shape.
    SmallVector<Value> values;
    llvm::append_range(values, op->getResults());
    llvm::append_range(values, op->getOperands());
    llvm::erase_if(values, [](Value v) { return !isTile(v); });
    return equal(op, values);
  }

  tile::KernelOp kernel;
  llvm::MapVector<Value, int64_t> axes;
  bool changed = false;
};
} // namespace

FailureOr<Partition> Partition::compute(tile::KernelOp kernel) {
  Partition result;
  if (failed(Solver(kernel).run(result.axes)))
    return failure();
  return result;
}

int64_t Partition::defaultGroups(tile::KernelOp kernel, int64_t limit) {
  int64_t groups = limit;
  bool any = false;
  kernel.walk([&](tile::DotOp dot) {
    any = true;
    int64_t rows = dot.getResult().getType().getDimSize(0);
    while (groups > 1 && rows % (64 * groups))
      --groups;
  });
  return any ? groups : 1;
}

} // namespace heddle
