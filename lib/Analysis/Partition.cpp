//===- Partition.cpp - which dimension of each tile the warp groups divide --===//
//
// What:      computes, for a sequential tile program, the dimension of every tile along which compute warp groups split
//            it.
// Where:     before Subtile, which clones the program once per group.
// Algorithm: fixpoint of equalities between the axes of operands and results, seeded by dot rows. `none` (held whole by
//            every group) is a value of its own, forced by dot's right operand and by broadcasting along the divided
//            dimension.
// Sums:      a dot that starts from zero and whose result only add-stores take (see isSummand) may contract the divided
//            dimension: each group then holds a partial sum of the whole result and adds its own. Such dots seed
//            nothing until the others have settled.
// Verifies:  no divided dimension is contracted otherwise, reduced or forced to two values (located user errors).
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Partition.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {

bool isRematerialisable(Operation *op) { return op && isa<arith::ConstantOp, tensor::SplatOp, tile::IotaOp>(op); }

/// True where `op` applied to each part of a sum gives the parts of its result: conversions, signs, and products with
/// one value for all.
static bool isLinear(Operation *op) {
  if (isa<arith::TruncFOp, arith::ExtFOp, arith::NegFOp>(op))
    return true;
  return isa<arith::MulFOp>(op) && llvm::any_of(op->getOperands(), [](Value v) {
           Operation *def = v.getDefiningOp();
           DenseElementsAttr constant;
           return def && (isa<tensor::SplatOp>(def) || (matchPattern(v, m_Constant(&constant)) && constant.isSplat()));
         });
}

/// Collects `value` and what linear operations make of it; false where something else than an add-store takes one of
/// them (`user`).
static bool collectSummands(Value value, SmallVectorImpl<Value> &summands, Operation *&user) {
  summands.push_back(value);
  for (OpOperand &use : value.getUses()) {
    user = use.getOwner();
    if (auto store = dyn_cast<tile::StoreOp>(user); store && store.getKind() == "add")
      continue;
    if (!isLinear(user) || !collectSummands(user->getResult(0), summands, user))
      return false;
  }
  return true;
}

/// True where partial sums of `dot` may be added in memory instead of being summed before.
static bool isSummand(tile::DotOp dot, SmallVectorImpl<Value> &summands, Operation *&user) {
  user = nullptr;
  return matchPattern(dot.getAcc(), m_AnyZeroFloat()) && !dot.getResult().use_empty() &&
         collectSummands(dot.getResult(), summands, user);
}

namespace {
constexpr int64_t none = -1;

class Solver {
public:
  explicit Solver(tile::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run(DenseMap<Value, int64_t> &result, DenseSet<Value> &summed) {
    kernel.walk([&](tile::DotOp dot) {
      SmallVector<Value> values;
      Operation *user = nullptr;
      if (isSummand(dot, values, user))
        open.insert(dot);
    });
    do {
      if (failed(settle()))
        return failure();
    } while (closeOne());
    for (auto &[value, axis] : axes)
      if (axis != none)
        result[value] = axis;
    for (Operation *dot : sums) {
      SmallVector<Value> values;
      Operation *user = nullptr;
      isSummand(cast<tile::DotOp>(dot), values, user);
      summed.insert(values.begin(), values.end());
    }
    return success();
  }

private:
  LogicalResult settle() {
    do {
      changed = false;
      WalkResult walk = kernel.walk(
          [&](Operation *op) { return failed(visit(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
      if (walk.wasInterrupted())
        return failure();
    } while (changed);
    return success();
  }

  /// Nothing divides the contraction of the dots still open: the first of them has its rows divided, like any dot.
  bool closeOne() {
    if (open.empty())
      return false;
    open.erase(open.begin());
    return true;
  }

  /// Decides an open dot as soon as its contracted dimension is known to be divided.
  void decide(tile::DotOp dot) {
    if (!open.contains(dot) || (get(dot.getA()) != 1 && get(dot.getB()) != 0))
      return;
    open.remove(dot);
    sums.insert(dot);
    changed = true;
  }

  LogicalResult visitDot(tile::DotOp dot) {
    decide(dot);
    if (open.contains(dot))
      return success();
    bool sum = sums.contains(dot);
    if (!sum && get(dot.getA()) == 1) {
      InFlightDiagnostic diag =
          dot.emitOpError("cannot divide this program over warp groups: it contracts the divided dimension, and ");
      SmallVector<Value> values;
      Operation *user = nullptr;
      if (isSummand(dot, values, user) || !user) {
        diag << "partial sums need an accumulator of zero (ask for `groups = 1`)";
      } else {
        diag << "its partial sums are not only stored with kind \"add\" (ask for `groups = 1`)";
        diag.attachNote(user->getLoc()) << "used here";
      }
      return diag;
    }
    int64_t rows = sum ? none : 0;
    if (failed(set(dot, dot.getResult(), rows)) || failed(set(dot, dot.getAcc(), rows)) ||
        failed(set(dot, dot.getA(), sum ? 1 : 0)))
      return failure();
    return set(dot, dot.getB(), sum ? 0 : none);
  }

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

  /// `tiles`: the whole and the part, and what becomes of the whole.
  LogicalResult visitPart(OffsetSizeAndStrideOpInterface op, Value whole, ArrayRef<Value> tiles) {
    for (Value v : tiles)
      if (auto a = get(v);
          a && *a != none && cast<RankedTensorType>(whole.getType()).getDimSize(*a) != op.getStaticSizes()[*a])
        return op->emitOpError("cannot divide this program over warp groups: it takes a part of the divided dimension ")
               << *a << " (ask for `groups = 1`)";
    return equal(op, tiles);
  }

  LogicalResult visitReshape(Operation *op, const Reshape &reshape) {
    for (bool ofSource : {true, false}) {
      std::optional<int64_t> axis = get(ofSource ? reshape.source : reshape.result);
      if (!axis)
        continue;
      std::optional<int64_t> other = *axis == none ? none : reshape.axisOf(*axis, ofSource);
      if (!other)
        return op->emitOpError("cannot divide this program over warp groups: the divided dimension ")
               << *axis << " is not the first of those that it becomes one of (ask for `groups = 1`)";
      return set(op, ofSource ? reshape.result : reshape.source, *other);
    }
    return success();
  }

  LogicalResult visitControl(Operation *op) {
    for (const PassedVariable &variable : passedVariables(op)) {
      SmallVector<Value> values = llvm::to_vector_of<Value>(variable.names);
      for (OpOperand *given : variable.given)
        values.push_back(given->get());
      if (failed(equal(op, values)))
        return failure();
    }
    return success();
  }

  LogicalResult visitReduce(tile::ReduceOp op) {
    int64_t axis = op.getAxis();
    if (auto s = get(op.getSource())) {
      if (*s == axis)
        return op.emitOpError("cannot divide this program over warp groups: it reduces the divided dimension ")
               << axis << " (ask for `groups = 1`)";
      return set(op, op.getResult(), *s == none ? none : *s - (*s > axis));
    }
    if (auto r = get(op.getResult()); r && *r != none)
      return set(op, op.getSource(), *r + (*r >= axis));
    return success();
  }

  LogicalResult visitRearrangement(Operation *op, const Rearrangement &moved) {
    if (auto r = get(moved.result)) {
      bool divided = *r != none && moved.dims[*r] != Rearrangement::repeated;
      return set(op, moved.source, divided ? moved.dims[*r] : none);
    }
    if (auto s = get(moved.source); s && (*s != none || !moved.repeats()))
      return set(op, moved.result, *s == none ? none : moved.inResult(*s));
    return success();
  }

  LogicalResult visitGather(tile::GatherOp op) {
    if (auto r = get(op.getResult()))
      return set(op, op.getRows(), *r == 0 ? 0 : none);
    if (get(op.getRows()) == 0)
      return set(op, op.getResult(), 0);
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (auto dot = dyn_cast<tile::DotOp>(op))
      return visitDot(dot);
    if (std::optional<Rearrangement> moved = Rearrangement::of(op))
      return visitRearrangement(op, *moved);
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      return visitReduce(reduce);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return visitPart(slice, slice.getSource(), {slice.getSource(), slice.getResult()});
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return visitPart(insert, insert.getDest(), {insert.getSource(), insert.getDest(), insert.getResult()});
    if (std::optional<Reshape> reshape = Reshape::of(op))
      return visitReshape(op, *reshape);
    if (auto gather = dyn_cast<tile::GatherOp>(op))
      return visitGather(gather);
    if (isBranchOrLoop(op))
      return visitControl(op);
    if (op->getNumRegions() || isa<tile::LoadOp, tile::StoreOp>(op) || isControlFlow(op) || isRematerialisable(op))
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
  llvm::SetVector<Operation *> open,
      sums; ///< dots whose partial sums may be stored: undecided, and those that contract a divided dimension
  bool changed = false;
};
} // namespace

FailureOr<Partition> Partition::compute(tile::KernelOp kernel) {
  Partition result;
  if (failed(Solver(kernel).run(result.axes, result.summed)))
    return failure();
  return result;
}

/// Elements of a sum that one group may hold beside everything else: half of its registers.
constexpr int64_t mostOfOneGroup = 128 * 128;

int64_t Partition::defaultGroups(tile::KernelOp kernel, int64_t limit) {
  int64_t groups = limit;
  bool any = false;
  // compute() reports when it is asked for
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<Partition> partition = compute(kernel);
  int64_t largest = 0;
  kernel.walk([&](tile::DotOp dot) {
    if (succeeded(partition) && partition->isPartialSum(dot.getResult()))
      return;
    any = true;
    largest = std::max(largest, dot.getResult().getType().getNumElements());
    int64_t rows = dot.getResult().getType().getDimSize(0);
    while (groups > 1 && rows % (targetOf(dot).dotRows() * groups))
      --groups;
  });
  if (failed(partition) && largest <= mostOfOneGroup)
    return 1;
  return any ? groups : 1;
}

} // namespace heddle
