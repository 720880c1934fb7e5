//===- Partition.cpp - which dimension of each tile the warp groups divide --===//
//
// What:      computes, for a sequential tile program, the dimension of every tile along which compute warp groups split
//            it.
// Where:     before Subtile, which clones the program once per group.
// Algorithm: fixpoint of equalities between the axes of operands and results, seeded by dot rows. `none` (held whole by
//            every group) is a value of its own, forced by dot's right operand and by broadcasting along the divided
//            dimension.
//            A dot whose rows are too few for all groups, beside others that are divided, has its columns divided
//            where its users want parts of them (scores whose transpose is divided), else each group computes it whole.
// Columns:   where no dot has rows for all groups, and several are asked for, or one has no room for the sums (decoding
//            with latents of 512: 64 x 512), the larger sums are divided along their columns; all else every group
//            computes.
// Views:     of what the copy engine loads every use takes its own part (isSharedView), so that uses never disagree.
//            The first that wants a part offers it to the others; where that leads to two values, only those that
//            nothing else decides are offered one (a tile that is scaled by rows, and whose transpose is a left
//            operand).
// Exchange:  a dot that contracts a divided register tile keeps its rows divided where they are whole instructions in
//            every group: the groups then hand each other the parts through shared memory. Whether a right operand is
//            divided is asked when everything else has settled: one that threads make (weights that are unpacked, rows
//            that are gathered) is, so that each group makes its part, unless something else needs it otherwise. Groups
//            also exchange a right operand that is divided along its columns, as the transpose of a tile that is
//            divided along its rows is (X X^T): each multiplies its rows by the parts of all groups, one after the
//            other.
// Wholes:    a vector that is made of memory alone, without a product, is computed by every group where some use needs
//            all of it (a scan, a fold, the columns of a tile); uses that are divided take their part of it.
// Sums:      a dot that starts from zero and whose result only add-stores take (see isSummand) may contract the divided
//            dimension even where its rows cannot be divided: each group then holds a partial sum of the whole result
//            and adds its own. Such dots seed nothing until the others have settled. So does a reduction with "add" of
//            the divided dimension (sums of columns).
// Verifies:  no divided dimension is reduced or forced to two values otherwise (located user errors).
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Partition.h"
#include "DefaultGroups.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <utility>

using namespace mlir;
namespace heddle {

bool isRematerialisable(Operation *op) { return op && isa<arith::ConstantOp, tensor::SplatOp, tile::IotaOp>(op); }

bool isReadByDot(Value tile) {
  return llvm::any_of(tile.getUsers(), [](Operation *user) {
    return isa<tile::DotOp>(user) ||
           (isa<tile::TransposeOp, tensor::ExtractSliceOp>(user) && isReadByDot(user->getResult(0)));
  });
}

bool isSharedView(Value value) {
  Operation *def = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<tile::LoadOp>(def))
    return isTmaLoad(load);
  if (isa_and_nonnull<tensor::ExtractSliceOp>(def))
    return isSharedView(def->getOperand(0));
  return isa_and_nonnull<tile::TransposeOp>(def) && isSharedView(def->getOperand(0)) && isReadByDot(value);
}

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
constexpr int64_t none = -1, columnsOfInstruction = 8;

class Solver {
public:
  /// `offersLast`: what is loaded offers a dimension only where everything else has settled.
  Solver(tile::KernelOp kernel, int64_t groups, bool columns, bool offersLast)
      : kernel(kernel), groups(groups), largest(largestSum(kernel)), columns(columns), offersLast(offersLast) {}

  /// Fails without a word: `report` has it.
  LogicalResult run(DenseMap<Value, int64_t> &result, DenseSet<Value> &summed, DenseSet<Operation *> &exchanged,
                    DenseSet<Value> &whole) {
    kernel.walk([&](tile::DotOp dot) { dividesAnyRows |= dividesRows(dot); });
    kernel.walk([&](tile::DotOp dot) { dividesAnyColumns |= dividesColumns(dot); });
    while (failed(attempt()))
      if (!again)
        return failure();
    whole = wholes;
    for (auto &[value, axis] : axes)
      if (axis != none)
        result[value] = axis;
    for (Operation *dot : sums) {
      SmallVector<Value> values;
      Operation *user = nullptr;
      isSummand(cast<tile::DotOp>(dot), values, user);
      summed.insert(values.begin(), values.end());
    }
    for (Operation *fold : folds) {
      SmallVector<Value> values;
      Operation *user = nullptr;
      collectSummands(fold->getResult(0), values, user);
      summed.insert(values.begin(), values.end());
    }
    kernel.walk([&](tile::DotOp dot) {
      if (!sums.contains(dot) && (contractsDivided(dot) || takesColumnsInParts(dot)))
        exchanged.insert(dot);
    });
    return success();
  }

  /// Says why there is no solution, and what to do then.
  LogicalResult report() const {
    InFlightDiagnostic undivided = refusal->op->emitOpError("cannot divide this program over warp groups: ")
                                   << refusal->why;
    if (fitsOneGroup(largest))
      undivided << " (ask for `groups = 1`)";
    else
      undivided << " (and one group has no room for a product of " << largest << " elements: use smaller tiles)";
    return about(ErrorCause::Division, std::move(undivided));
  }

private:
  /// isSharedView, which looks at a block: asked once for each value, since nothing changes here.
  bool isShared(Value value) const {
    auto [known, isNew] = shared.insert({value, false});
    if (isNew)
      known->second = isSharedView(value);
    return known->second;
  }

  /// Why the program cannot be divided, at an operation.
  struct Refusal {
    Operation *op;
    std::string why;
  };
  /// What is found behind the first refusal may take it back: a vector that is to be whole.
  LogicalResult refuse(Operation *op, const Twine &why) {
    if (!refusal)
      refusal = {op, why.str()};
    return failure();
  }
  /// One solution with the vectors that are known to be whole; `again` is set where it found another one, or where what
  /// it tried to divide is kept whole next time.
  LogicalResult attempt() {
    again = false;
    offers = !offersLast;
    tried = nullptr;
    refusal.reset();
    axes.clear();
    for (llvm::SetVector<Operation *> *ops : {&open, &sums, &folds, &unknown, &few})
      ops->clear();
    closed.clear();
    wide.clear();
    done.clear();
    kernel.walk([&](tile::DotOp dot) {
      SmallVector<Value> values;
      Operation *user = nullptr;
      if (isSummand(dot, values, user))
        open.insert(dot);
    });
    do {
      if (succeeded(settle()))
        continue;
      if (tried && !again)
        again = kept.insert(tried).second;
      return failure();
    } while (closeOne());
    return success();
  }

  /// Whether nothing but folds takes `value` and what element-wise operations make of it.
  static bool isOnlyFolded(Value value) {
    llvm::SetVector<Value> made;
    made.insert(value);
    for (size_t i = 0; i < made.size(); ++i)
      for (Operation *user : made[i].getUsers()) {
        if (isa<tile::ReduceOp>(user))
          continue;
        if (!user->hasTrait<OpTrait::Elementwise>())
          return false;
        made.insert(user->result_begin(), user->result_end());
      }
    return true;
  }

  /// Whether every group can compute all of `value`: a vector, or a tile that is only folded, that nothing divided goes
  /// into.
  bool canBeWhole(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() < 1)
      return false;
    auto [known, isNew] = replicable.insert({value, false});
    Operation *def = value.getDefiningOp();
    if (!isNew || !def || (type.getRank() > 1 && !isOnlyFolded(value)))
      return known->second;
    bool computes = isa<tile::LoadOp>(def) || (isMemoryEffectFree(def) && !def->getNumRegions());
    bool can = computes && llvm::all_of(def->getOperands(), [&](Value operand) {
                 return !isTile(operand) || isRematerialisable(operand.getDefiningOp()) || isShared(operand) ||
                        canBeWhole(operand);
               });
    return replicable[value] = can;
  }

  /// `value` is known better than before: what defines it and what uses it is looked at again.
  void note(Value value) {
    changed = true;
    if (Operation *def = value.getDefiningOp())
      done.erase(def);
    for (Operation *user : value.getUsers())
      done.erase(user);
  }

  /// Lets every group compute all of `value`, where that is possible and new.
  bool makeWhole(Value value) {
    if (isShared(value) || !canBeWhole(value) || !wholes.insert(value).second)
      return false;
    note(value);
    return true;
  }
  /// What followed from the division of a vector that is whole now is found anew.
  LogicalResult retry() {
    again = true;
    return failure();
  }

  LogicalResult settle() {
    do {
      changed = false;
      kernel.walk([&](Operation *op) {
        bool byItsTilesAlone = !isa<tile::DotOp>(op) && !op->getNumRegions();
        if (byItsTilesAlone && !done.insert(op).second)
          return WalkResult::advance();
        return failed(visit(op)) && again ? WalkResult::interrupt() : WalkResult::advance();
      });
    } while (changed && !again);
    return success(!again && !refusal);
  }

  /// Nobody takes parts of the columns of dots that have too few rows: the first of them is whole. Then nothing divides
  /// what the dots still open contract: the first right operand of unknown division is whole; then the
  /// first of the dots that could add in memory has its rows divided, like any dot. At last what is loaded offers what
  /// its uses take.
  bool closeOne() {
    if (unknown.empty() && open.empty() && few.empty()) {
      done.clear();
      return !std::exchange(offers, true);
    }
    if (!few.empty()) {
      wide.insert(few.front());
      few.erase(few.begin());
    } else if (unknown.empty()) {
      open.erase(open.begin());
    } else {
      auto dot = cast<tile::DotOp>(unknown.front());
      if (dividesRightOperand(dot)) {
        tried = dot;
        axes.insert({dot.getB(), 0});
        note(dot.getB());
      } else {
        closed.insert(dot);
      }
      unknown.erase(unknown.begin());
    }
    return true;
  }

  /// True where a register tile that `dot` contracts is known to be divided along the contraction.
  bool contractsDivided(tile::DotOp dot) const { return isDivided(dot.getA(), 1) || isDivided(dot.getB(), 0); }
  bool isDivided(Value operand, int64_t axis) const { return !isShared(operand) && get(operand) == axis; }
  /// True where the groups divide the columns of a right operand (the transpose of a tile whose rows they divide) and
  /// the rows of the result, whose columns a thread can put together of theirs.
  bool takesColumnsInParts(tile::DotOp dot) const {
    int64_t columns = dot.getB().getType().getDimSize(1), part = columns / groups;
    return isDivided(dot.getB(), 1) && get(dot.getResult()) == 0 && !isDivided(dot.getA(), 1) &&
           columns % (columnsOfInstruction * groups) == 0 && llvm::isPowerOf2_64(part);
  }

  /// Rows are whole instructions in every group.
  bool dividesRows(tile::DotOp dot) const {
    return dot.getResult().getType().getDimSize(0) % (targetOf(dot).dotRows() * groups) == 0;
  }
  /// Where no dot has rows for all groups, the larger ones may divide their columns.
  bool dividesColumns(tile::DotOp dot) const {
    constexpr int64_t columnsOfRow = 64; // of swizzled memory
    return columns && !dividesAnyRows && 2 * dot.getResult().getType().getNumElements() >= largest &&
           dot.getResult().getType().getDimSize(1) % (columnsOfRow * groups) == 0;
  }
  /// The right operand of a dot whose rows are divided may be computed in parts of the contraction, which are whole
  /// instructions.
  bool dividesRightOperand(tile::DotOp dot) {
    RankedTensorType type = dot.getB().getType();
    std::optional<DotForm> form = targetOf(dot).dotForm(type.getElementType());
    return !kept.contains(dot) && !get(dot.getB()) && get(dot.getResult()) == 0 && form &&
           type.getElementTypeBitWidth() == 16 && type.getDimSize(0) % (form->contraction * groups) == 0;
  }
  /// Decides an open dot as soon as its contracted dimension is known to be divided.
  void decide(tile::DotOp dot) {
    if (!open.contains(dot) || !contractsDivided(dot))
      return;
    open.remove(dot);
    if (!dividesRows(dot))
      sums.insert(dot);
    changed = true;
  }

  LogicalResult visitDot(tile::DotOp dot) {
    decide(dot);
    if (open.contains(dot))
      return success();
    Value a = dot.getA(), b = dot.getB();
    bool sum = sums.contains(dot), byColumns = !sum && dividesColumns(dot);
    bool whole = !sum && !byColumns && !dividesRows(dot) && (dividesAnyRows || dividesAnyColumns);
    if (whole) {
      std::optional<int64_t> asked = get(dot.getResult());
      if (!asked && !wide.contains(dot)) {
        few.insert(dot);
        return success();
      }
      few.remove(dot);
      byColumns = asked == 1 && dot.getResult().getType().getDimSize(1) % (columnsOfInstruction * groups) == 0;
      whole = !byColumns;
    }
    int64_t divided = byColumns ? 1 : sum || whole ? none : 0;
    if (failed(set(dot, dot.getResult(), divided)) || failed(set(dot, dot.getAcc(), divided)))
      return failure();
    if (byColumns)
      return failed(setWhole(dot, a)) ? failure() : set(dot, b, 1);
    if (sum)
      return failed(set(dot, a, 1)) ? failure() : set(dot, b, 0);
    if (!isDivided(a, 1) && failed(whole ? setWhole(dot, a) : set(dot, a, 0)))
      return failure();
    return isDivided(b, 0) || takesColumnsInParts(dot) ? success() : setWhole(dot, b);
  }

  /// No group holds a part of `operand` of `dot`, unless it turns out to be divided along the contraction.
  LogicalResult setWhole(tile::DotOp dot, Value operand) {
    if (isShared(operand) || get(operand) || closed.contains(dot) || isRematerialisable(operand.getDefiningOp()))
      return set(dot, operand, none);
    unknown.insert(dot);
    return success();
  }

  static bool isTile(Value v) { return isa<RankedTensorType>(v.getType()); }

  /// Records the axis of `value`. Rematerialisable values take a different axis at every use and are left out.
  LogicalResult set(Operation *at, Value value, int64_t axis) {
    if (!isTile(value) || isRematerialisable(value.getDefiningOp()) || wholes.contains(value))
      return success();
    if (axis == none && makeWhole(value))
      return axes.contains(value) ? retry() : success();
    auto [it, inserted] = axes.insert({value, axis});
    if (inserted)
      note(value);
    if (isShared(value)) { // the first use that wants a part says which the others are offered
      if (it->second == none && axis != none) {
        it->second = axis;
        note(value);
      }
      return success();
    }
    if (inserted || it->second == axis)
      return success();
    auto name = [](int64_t a) { return a == none ? std::string("no dimension") : "dimension " + std::to_string(a); };
    return refuse(at, "expected " + name(it->second) + " of a tile to be divided, got " + name(axis));
  }

  std::optional<int64_t> get(Value value) const {
    auto it = axes.find(value);
    if (it == axes.end() || ((it->second == none || !offers) && isShared(value)))
      return std::nullopt;
    return it->second;
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
    SmallVector<Value> alike;
    for (Value v : tiles) {
      auto a = get(v);
      bool cut = a && *a != none && cast<RankedTensorType>(whole.getType()).getDimSize(*a) != op.getStaticSizes()[*a];
      if (cut && makeWhole(v))
        return retry();
      if (cut && !isShared(v))
        return refuse(op, "it takes a part of the divided dimension " + Twine(*a));
      if (!cut)
        alike.push_back(v);
    }
    return equal(op, alike);
  }

  LogicalResult visitReshape(Operation *op, const Reshape &reshape) {
    for (bool ofSource : {true, false}) {
      std::optional<int64_t> axis = get(ofSource ? reshape.source : reshape.result);
      if (!axis)
        continue;
      std::optional<int64_t> other = *axis == none ? none : reshape.axisOf(*axis, ofSource);
      if (!other)
        return refuse(op,
                      "the divided dimension " + Twine(*axis) + " is not the first of those that it becomes one of");
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

  /// Whether each group may sum its own part, and add that in memory.
  static bool sumsParts(tile::ReduceOp op) {
    SmallVector<Value> values;
    Operation *user = nullptr;
    return op.getKind() == tile::nameOf(tile::FoldKind::Add) && !op.getResult().use_empty() &&
           collectSummands(op.getResult(), values, user);
  }

  LogicalResult visitReduce(tile::ReduceOp op) {
    int64_t axis = op.getAxis();
    if (auto s = get(op.getSource())) {
      if (*s == axis && sumsParts(op)) {
        folds.insert(op);
        return set(op, op.getResult(), none);
      }
      if (*s == axis && makeWhole(op.getSource()))
        return retry();
      if (*s == axis)
        return refuse(op, "it reduces the divided dimension " + Twine(axis));
      return set(op, op.getResult(), *s == none ? none : *s - (*s > axis));
    }
    if (auto r = get(op.getResult()); r && *r != none)
      return set(op, op.getSource(), *r + (*r >= axis));
    return success();
  }

  LogicalResult visitAlong(Operation *op, const AlongAxis &along) {
    for (Value value : {along.source, along.result})
      if (get(value) == along.axis && makeWhole(value))
        return retry();
    if (get(along.source) == along.axis || get(along.result) == along.axis)
      return refuse(op, "it folds along the divided dimension " + Twine(along.axis));
    return equal(op, {along.source, along.result});
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

  /// The numbers of rows are divided as the rows are.
  LogicalResult visitRows(Operation *op, Value tile, Value rows) {
    if (auto axis = get(tile))
      return set(op, rows, *axis == 0 ? 0 : none);
    if (get(rows) == 0)
      return set(op, tile, 0);
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (llvm::any_of(op->getResults(), [&](Value v) { return wholes.contains(v); })) {
      for (Value operand : op->getOperands())
        if (failed(set(op, operand, none)))
          return failure();
      return success();
    }
    if (auto dot = dyn_cast<tile::DotOp>(op))
      return visitDot(dot);
    if (std::optional<Rearrangement> moved = Rearrangement::of(op))
      return visitRearrangement(op, *moved);
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      return visitReduce(reduce);
    if (std::optional<AlongAxis> along = AlongAxis::of(op))
      return visitAlong(op, *along);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return visitPart(slice, slice.getSource(), {slice.getSource(), slice.getResult()});
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return visitPart(insert, insert.getDest(), {insert.getSource(), insert.getDest(), insert.getResult()});
    if (std::optional<Reshape> reshape = Reshape::of(op))
      return visitReshape(op, *reshape);
    if (auto gather = dyn_cast<tile::GatherOp>(op))
      return visitRows(op, gather.getResult(), gather.getRows());
    if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getRows())
      return visitRows(op, store.getValue(), store.getRows());
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
  int64_t groups, largest; ///< `largest`: elements of a sum
  bool columns;            ///< may be divided where no dot has rows for all groups
  bool offersLast, offers = true;
  llvm::MapVector<Value, int64_t> axes;
  llvm::SetVector<Operation *> open,
      sums; ///< dots whose partial sums may be stored: undecided, and those that contract a divided dimension
  llvm::SetVector<Operation *> folds;   ///< reductions of the divided dimension whose partial sums are stored
  llvm::SetVector<Operation *> few;     ///< dots with too few rows, whose columns may still turn out to be divided
  llvm::SetVector<Operation *> unknown; ///< dots whose right operand may still turn out to be divided
  DenseSet<Operation *> closed, wide;   ///< those of `unknown` and of `few` that wait for nothing any more
  DenseSet<Value> wholes;               ///< vectors that every group computes, whose uses take parts
  DenseSet<Operation *> done;           ///< what would add nothing, looked at again
  mutable DenseMap<Value, bool> shared; ///< what isShared found
  DenseMap<Value, bool> replicable;     ///< what canBeWhole found
  DenseSet<Operation *> kept;           ///< dots whose right operand something else needs whole
  std::optional<Refusal> refusal;       ///< the first of an attempt
  Operation *tried = nullptr;           ///< the last dot whose right operand was divided on trial
  bool changed = false, again = false;
  bool dividesAnyRows = false, dividesAnyColumns = false; ///< some dot has rows for all groups, or columns
};
} // namespace

FailureOr<Partition> Partition::compute(tile::KernelOp kernel, int64_t groups, bool columns) {
  Partition result;
  auto run = [&](Solver &solver) {
    return succeeded(solver.run(result.axes, result.summed, result.exchanges, result.wholes));
  };
  Solver asUsual(kernel, groups, columns, /*offersLast=*/false), other(kernel, groups, columns, /*offersLast=*/true);
  if (run(asUsual) || run(other))
    return result;
  return asUsual.report();
}

} // namespace heddle
