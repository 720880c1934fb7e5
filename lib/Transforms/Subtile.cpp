//===- Subtile.cpp - split a tile program over compute warp groups ---------===//
//
// What:      sequential tile program -> sequential tile program whose compute operations exist once per warp group, on
//            its rows.
// Where:     first; everything after works on operations that one warp group runs.
// Trusts:    Partition (which dimension is divided).
// Verifies:  that the target takes the types of dots; that the group count divides every divided dimension, and leaves
//            dots the rows of whole instructions. (Dots whose partial sums the groups add in memory keep all their
//            rows: each group contracts its part.)
// Algorithm: one walk that clones operations with a map (value, group) -> value. Scalars and whole loads are cloned
//            once.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/Subtile.h"

#include "ConstantParts.h"
#include "heddle/Analysis/GlobalMemory.h"
#include "heddle/Analysis/Partition.h"
#include "heddle/Analysis/VerifyInstructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/SeparateFolds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {

namespace {
class Subtiler {
public:
  Subtiler(tile::KernelOp kernel, Partition partition, int64_t groups)
      : kernel(kernel), partition(std::move(partition)), groups(groups), maps(groups) {}

  LogicalResult run() {
    Block &body = kernel.getBody().front();
    SmallVector<Operation *> old;
    for (Operation &op : body)
      old.push_back(&op);
    OpBuilder b(kernel.getContext());
    b.setInsertionPointToEnd(&body);
    for (Operation *op : old)
      if (failed(clone(b, op)))
        return failure();
    for (Operation *op : llvm::reverse(old))
      op->erase();
    return success();
  }

private:
  /// The part of a tile of `type` divided along `axis` that one group holds.
  FailureOr<RankedTensorType> part(Operation *op, RankedTensorType type, int64_t axis) {
    if (axis < 0)
      return type;
    if (int64_t size = type.getDimSize(axis); size % groups)
      return op->emitError("expected a tile size divisible by ") << groups << " warp groups, got " << size;
    return divided(type, axis);
  }

  Value lookup(OpBuilder &b, Value v, int64_t g, int64_t useAxis) {
    Operation *def = v.getDefiningOp();
    if (isa<RankedTensorType>(v.getType()) && isRematerialisable(def))
      return rematerialise(b, def, g, useAxis);
    if (isSharedView(v) && useAxis != partition.axis(v))
      return partOfView(b, v, g, useAxis);
    if (partition.isWhole(v) && useAxis >= 0)
      return slice(b, v.getLoc(), maps[g].lookup(v), useAxis, g, g);
    return maps[g].lookupOrDefault(v);
  }

  /// A constant, splat or iota as group `g` needs it at a use divided along `axis`.
  Value rematerialise(OpBuilder &b, Operation *def, int64_t g, int64_t axis) {
    auto type = cast<RankedTensorType>(def->getResult(0).getType());
    SmallVector<int64_t> shape(type.getShape());
    if (axis >= 0)
      shape[axis] /= groups;
    auto partType = RankedTensorType::get(shape, type.getElementType());
    Operation *clone = b.clone(*def, maps[g]);
    clone->getResult(0).setType(partType);
    setGroup(clone, g);
    if (auto constant = dyn_cast<arith::ConstantOp>(clone)) {
      constant.setValueAttr(partOfConstant(cast<DenseElementsAttr>(constant.getValue()), partType, g, axis));
    } else if (auto iota = dyn_cast<tile::IotaOp>(clone); iota && axis >= 0) {
      iota.setStart(iota.getStart() + g * shape[axis]);
    }
    return clone->getResult(0);
  }

  /// Axis along which operand `v` of `user` is divided there (equals the user's result axis for rematerialisable
  /// values).
  int64_t useAxis(Operation *user, OpOperand &use) {
    Value v = use.get();
    if (!isa<RankedTensorType>(v.getType()))
      return -1;
    bool takesPart = isRematerialisable(v.getDefiningOp()) || isSharedView(v) || partition.isWhole(v);
    if (!takesPart || (isa<tile::StoreOp>(user) && !isRematerialisable(v.getDefiningOp())))
      return partition.axis(v);
    if (auto dot = dyn_cast<tile::DotOp>(user)) {
      if (partition.isPartialSum(dot.getResult()))
        return use.getOperandNumber() == 0 ? 1 : use.getOperandNumber() == 1 ? 0 : -1;
      int64_t divided = partition.axis(dot.getResult());
      return use.getOperandNumber() == 2 || use.getOperandNumber() == divided ? divided : -1;
    }
    if (std::optional<Rearrangement> moved = Rearrangement::of(user)) {
      int64_t r = partition.axis(moved->result);
      return r < 0 || moved->dims[r] == Rearrangement::repeated ? -1 : moved->dims[r];
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(user)) {
      int64_t r = partition.axis(reduce.getResult()), axis = reduce.getAxis();
      return r < 0 ? -1 : r + (r >= axis);
    }
    if (std::optional<Reshape> reshape = Reshape::of(user)) {
      int64_t r = partition.axis(reshape->result);
      return r < 0 ? -1 : reshape->axisOf(r, false).value_or(-1);
    }
    if (auto store = dyn_cast<tile::StoreOp>(user))
      return store.getValue().getType().getDimSize(0) % groups == 0 ? 0 : -1;
    // Element-wise and loop-carried: any tile result (or sibling operand) has the axis.
    for (Value r : user->getResults())
      if (isa<RankedTensorType>(r.getType()))
        return partition.axis(r);
    return -1;
  }

  //===--- control flow --------------------------------------------------===//

  static bool isTile(Value v) { return isa<RankedTensorType>(v.getType()); }

  /// What `values` are for the groups, a tile once for each group, where they become `variables`.
  SmallVector<Value> expand(OpBuilder &b, ValueRange values, ValueRange variables) {
    SmallVector<Value> result;
    for (auto [value, variable] : llvm::zip(values, variables))
      for (int64_t g = 0; g < (isTile(value) ? groups : 1); ++g)
        result.push_back(lookup(b, value, g, partition.axis(variable)));
    return result;
  }

  FailureOr<SmallVector<Type>> expandTypes(Operation *op, ValueRange variables) {
    SmallVector<Type> types;
    for (Value variable : variables) {
      auto tile = dyn_cast<RankedTensorType>(variable.getType());
      FailureOr<RankedTensorType> type = tile ? part(op, tile, partition.axis(variable)) : RankedTensorType();
      if (failed(type))
        return failure();
      types.append(tile ? groups : 1, tile ? Type(*type) : variable.getType());
    }
    return types;
  }

  void mapExpanded(ValueRange from, ValueRange to) {
    unsigned next = 0;
    for (Value value : from) {
      for (int64_t g = 0; g < groups; ++g) {
        maps[g].map(value, to[next + (isTile(value) ? g : 0)]);
        tile::keepName(value, maps[g].lookup(value));
      }
      next += isTile(value) ? groups : 1;
    }
  }

  /// Says which group owns each variable of `copy`, made of `op`.
  void setOwners(Operation *op, Operation *copy) {
    SmallVector<int64_t> owners;
    for (const PassedVariable &variable : passedVariables(op)) {
      if (!isTile(variable.names.front()))
        owners.push_back(-1);
      else
        for (int64_t g = 0; g < groups; ++g)
          owners.push_back(g);
    }
    copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    copy->setAttr(argGroupsAttr, OpBuilder(op).getDenseI64ArrayAttr(owners));
  }

  LogicalResult cloneBody(OpBuilder &b, Block &body) {
    for (Operation &op : body.without_terminator())
      if (failed(clone(b, &op)))
        return failure();
    return success();
  }

  LogicalResult cloneFor(OpBuilder &b, scf::ForOp loop) {
    SmallVector<Value> inits = expand(b, loop.getInitArgs(), loop.getRegionIterArgs());
    Value lb = maps[0].lookupOrDefault(loop.getLowerBound()), ub = maps[0].lookupOrDefault(loop.getUpperBound()),
          step = maps[0].lookupOrDefault(loop.getStep());
    auto copy = scf::ForOp::create(b, loop.getLoc(), lb, ub, step, inits);
    if (inits.empty())
      copy.getBody()->getTerminator()->erase();
    mapAll(loop.getInductionVar(), copy.getInductionVar());
    tile::keepName(loop.getInductionVar(), copy.getInductionVar());
    mapExpanded(loop.getRegionIterArgs(), copy.getRegionIterArgs());
    OpBuilder inner = OpBuilder::atBlockEnd(copy.getBody());
    if (failed(cloneBody(inner, *loop.getBody())))
      return failure();
    Location end = loop.getBody()->getTerminator()->getLoc();
    scf::YieldOp::create(inner, end, expand(inner, loop.getYieldedValues(), loop.getRegionIterArgs()));
    setOwners(loop, copy);
    mapExpanded(loop.getResults(), copy.getResults());
    return success();
  }

  LogicalResult cloneIf(OpBuilder &b, scf::IfOp branch) {
    FailureOr<SmallVector<Type>> types = expandTypes(branch, branch.getResults());
    if (failed(types))
      return failure();
    auto copy = scf::IfOp::create(b, branch.getLoc(), *types, maps[0].lookupOrDefault(branch.getCondition()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/!branch.getElseRegion().empty());
    for (auto [from, to] : llvm::zip(branch->getRegions(), copy->getRegions())) {
      if (from.empty())
        continue;
      to.front().clear();
      OpBuilder inner = OpBuilder::atBlockEnd(&to.front());
      Operation *end = from.front().getTerminator();
      if (failed(cloneBody(inner, from.front())))
        return failure();
      scf::YieldOp::create(inner, end->getLoc(), expand(inner, end->getOperands(), branch.getResults()));
    }
    setOwners(branch, copy);
    mapExpanded(branch.getResults(), copy.getResults());
    return success();
  }

  LogicalResult cloneWhile(OpBuilder &b, scf::WhileOp loop) {
    FailureOr<SmallVector<Type>> entering = expandTypes(loop, loop.getBeforeArguments()),
                                 leaving = expandTypes(loop, loop.getResults());
    if (failed(entering) || failed(leaving))
      return failure();
    auto copy = scf::WhileOp::create(b, loop.getLoc(), *leaving, expand(b, loop.getInits(), loop.getBeforeArguments()));
    auto addBlock = [&](Region &region, TypeRange types) {
      Block &block = region.emplaceBlock();
      block.addArguments(types, SmallVector<Location>(types.size(), loop.getLoc()));
      return &block;
    };
    Block *before = addBlock(copy.getBefore(), *entering), *after = addBlock(copy.getAfter(), *leaving);
    mapExpanded(loop.getBeforeArguments(), before->getArguments());
    OpBuilder inner = OpBuilder::atBlockEnd(before);
    if (failed(cloneBody(inner, *loop.getBeforeBody())))
      return failure();
    scf::ConditionOp condition = loop.getConditionOp();
    SmallVector<Value> passed = expand(inner, condition.getArgs(), loop.getAfterArguments());
    scf::ConditionOp::create(inner, condition.getLoc(), maps[0].lookupOrDefault(condition.getCondition()), passed);
    mapExpanded(loop.getAfterArguments(), after->getArguments());
    inner = OpBuilder::atBlockEnd(after);
    if (failed(cloneBody(inner, *loop.getAfterBody())))
      return failure();
    scf::YieldOp yield = loop.getYieldOp();
    scf::YieldOp::create(inner, yield.getLoc(), expand(inner, yield.getOperands(), loop.getBeforeArguments()));
    setOwners(loop, copy);
    mapExpanded(loop.getResults(), copy.getResults());
    return success();
  }

  //===--- loads ---------------------------------------------------------===//

  LogicalResult cloneLoad(OpBuilder &b, tile::LoadOp load) {
    int64_t axis = partition.axis(load.getResult());
    FailureOr<RankedTensorType> type = part(load, load.getResult().getType(), axis);
    if (failed(type))
      return failure();
    if (isTmaLoad(load)) {
      wholes[load.getResult()] = b.clone(*load, maps[0])->getResult(0);
      cloneView(b, load.getResult());
      return success();
    }
    for (int64_t g = 0; g < groups; ++g) {
      auto copy = cast<tile::LoadOp>(b.clone(*load, maps[g]));
      setGroup(copy, g);
      copy.getResult().setType(*type);
      if (axis >= 0) {
        offsetIndex(copy, copy.getIndicesMutable()[copy.getTileDims()[axis]], g * type->getDimSize(axis));
        copy.setExtentAttr(partOfExtent(b, copy.getExtent(), axis, g, type->getDimSize(axis)));
      }
      maps[g].map(load.getResult(), copy.getResult());
    }
    return success();
  }

  /// The part of shared view `view` along `axis` (-1: all of it) for group `g`; `number` says which part, by default
  /// the group's own.
  Value partOfView(OpBuilder &b, Value view, int64_t g, int64_t axis, std::optional<int64_t> number = std::nullopt) {
    auto type = cast<RankedTensorType>(view.getType());
    int64_t part = number.value_or(g);
    Operation *def = view.getDefiningOp();
    if (isa<tile::LoadOp>(def)) {
      Value whole = wholes.lookup(view);
      return axis < 0 || groups == 1 ? whole : slice(b, view.getLoc(), whole, axis, part, g);
    }
    auto cut = dyn_cast<tensor::ExtractSliceOp>(def);
    bool inner = cut && axis >= 0 && cut.getStaticSizes()[axis] != cut.getSourceType().getDimSize(axis);
    int64_t sourceAxis = inner || axis < 0 ? -1 : cut ? axis : 1 - axis;
    IRMapping map;
    map.map(def->getOperand(0), partOfView(b, def->getOperand(0), g, sourceAxis, part));
    Operation *copy = b.clone(*def, map);
    setGroup(copy, g);
    if (inner)
      return slice(b, view.getLoc(), copy->getResult(0), axis, part, g);
    copy->getResult(0).setType(divided(type, axis));
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(copy))
      slice.setStaticSizes(slice.getType().getShape());
    return copy->getResult(0);
  }

  /// Every group's part of `view`, as most of its uses want it.
  void cloneView(OpBuilder &b, Value view) {
    for (int64_t g = 0; g < groups; ++g)
      maps[g].map(view, partOfView(b, view, g, partition.axis(view)));
  }

  /// Every group gathers its rows, or its columns of all rows.
  LogicalResult cloneGather(OpBuilder &b, tile::GatherOp gather) {
    int64_t axis = partition.axis(gather.getResult());
    FailureOr<RankedTensorType> type = part(gather, gather.getResult().getType(), axis);
    if (failed(type))
      return failure();
    for (int64_t g = 0; g < groups; ++g) {
      IRMapping map = maps[g];
      map.map(gather.getRows(), lookup(b, gather.getRows(), g, axis == 0 ? 0 : -1));
      auto copy = cast<tile::GatherOp>(b.clone(*gather, map));
      setGroup(copy, g);
      copy.getResult().setType(*type);
      if (axis > 0)
        offsetIndex(copy, copy.getIndicesMutable()[copy.getTileDims()[axis]], g * type->getDimSize(axis));
      maps[g].map(gather.getResult(), copy.getResult());
    }
    return success();
  }

  RankedTensorType divided(RankedTensorType type, int64_t axis) const {
    SmallVector<int64_t> shape(type.getShape());
    if (axis >= 0)
      shape[axis] /= groups;
    return RankedTensorType::get(shape, type.getElementType());
  }

  /// Part `number` of `whole` along `axis`, for group `g`.
  Value slice(OpBuilder &b, Location loc, Value whole, int64_t axis, int64_t number, int64_t g) {
    RankedTensorType type = divided(cast<RankedTensorType>(whole.getType()), axis);
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1)),
        sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
    offsets[axis] = b.getIndexAttr(number * type.getDimSize(axis));
    OpBuilder::InsertionGuard guard(b); // what a loop does not change threads exchange once, in front of it
    if (Operation *def = whole.getDefiningOp(); def && def->getBlock() != b.getInsertionBlock())
      b.setInsertionPointAfter(def);
    auto op = tensor::ExtractSliceOp::create(b, loc, type, whole, offsets, sizes, strides);
    setGroup(op, g);
    return op.getResult();
  }

  /// What of `extent` lies in part `g`, of `size` elements along `axis`.
  static DenseI64ArrayAttr partOfExtent(OpBuilder &b, std::optional<ArrayRef<int64_t>> extent, int64_t axis, int64_t g,
                                        int64_t size) {
    if (!extent)
      return {};
    SmallVector<int64_t> part(*extent);
    part[axis] = std::clamp<int64_t>(part[axis] - g * size, 0, size);
    return b.getDenseI64ArrayAttr(part);
  }

  /// Adds a constant to one index operand of a per-group access. (The first group adds 0: all stay alike.)
  void offsetIndex(Operation *op, OpOperand &index, int64_t offset) {
    if (groups == 1)
      return;
    OpBuilder b(op);
    Value c = arith::ConstantIndexOp::create(b, op->getLoc(), offset);
    index.set(arith::AddIOp::create(b, op->getLoc(), index.get(), c));
  }

  LogicalResult clone(OpBuilder &b, Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return cloneFor(b, loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return cloneIf(b, branch);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return cloneWhile(b, loop);
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return cloneLoad(b, load);
    if (auto gather = dyn_cast<tile::GatherOp>(op))
      return cloneGather(b, gather);
    bool tiled = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
                 llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (!tiled) {
      b.clone(*op, maps[0]);
      for (int64_t g = 1; g < groups; ++g)
        for (Value r : op->getResults())
          maps[g].map(r, maps[0].lookup(r));
      return success();
    }
    if (isRematerialisable(op)) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && !isa<DenseElementsAttr>(constant.getValue()))
        return op->emitError("expected a constant whose elements are written out, got ") << constant.getValue();
      return success(); // cloned at its uses
    }
    if (op->getNumResults() == 1 && isSharedView(op->getResult(0))) {
      if (failed(part(op, cast<RankedTensorType>(op->getResult(0).getType()), partition.axis(op->getResult(0)))))
        return failure();
      cloneView(b, op->getResult(0));
      return success();
    }
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && partition.isExchange(dot)) {
      for (int64_t g = 0; g < groups; ++g)
        exchange(b, dot, g);
      return success();
    }
    for (int64_t g = 0; g < groups; ++g)
      if (failed(cloneForGroup(b, op, g)))
        return failure();
    return success();
  }

  /// Part `number` along `axis` of `tile`, which group `g` has whole or as a view.
  Value partOf(OpBuilder &b, Value tile, int64_t axis, int64_t number, int64_t g) {
    if (isRematerialisable(tile.getDefiningOp()))
      return rematerialise(b, tile.getDefiningOp(), number, axis);
    if (isSharedView(tile))
      return partOfView(b, tile, g, axis, number);
    return slice(b, tile.getLoc(), maps[g].lookup(tile), axis, number, g);
  }

  /// Group `g`'s rows of `dot`, or all where no group has its own, one product for each part of the contraction. The
  /// parts of a divided operand are those of the other groups; SelectInstructions lets them go through shared memory.
  void exchange(OpBuilder &b, tile::DotOp dot, int64_t g) {
    Value a = dot.getA(), right = dot.getB();
    auto isParts = [&](Value tile, int64_t axis) {
      return !isSharedView(tile) && !isRematerialisable(tile.getDefiningOp()) && partition.axis(tile) == axis;
    };
    int64_t axis = partition.axis(dot.getResult());
    if (isParts(right, 1) && axis == 0)
      return exchangeColumns(b, dot, g);
    Value rows = isParts(a, 1) ? Value() : lookup(b, a, g, axis), sum = lookup(b, dot.getAcc(), g, axis);
    for (int64_t p = 0; p < groups; ++p) {
      Value left = rows       ? slice(b, a.getLoc(), rows, 1, p, g)
                   : axis < 0 ? maps[p].lookup(a)
                              : slice(b, a.getLoc(), maps[p].lookup(a), 0, g, g);
      Value part = isParts(right, 0) ? maps[p].lookup(right) : partOf(b, right, 0, p, g);
      Operation *copy = b.clone(*dot);
      copy->setOperands({left, part, sum}); // one tile may be both operands
      copy->getResult(0).setType(divided(dot.getResult().getType(), axis));
      setGroup(copy, g);
      if (p > 0)
        copy->removeAttr(planAttr);
      sum = copy->getResult(0);
    }
    maps[g].map(dot.getResult(), sum);
  }

  /// Group `g`'s rows of `dot`, whose right operand the groups divide along its columns: one product for each group's
  /// columns, put side by side.
  void exchangeColumns(OpBuilder &b, tile::DotOp dot, int64_t g) {
    Location loc = dot.getLoc();
    RankedTensorType type = divided(dot.getResult().getType(), 0);
    Value rows = lookup(b, dot.getA(), g, 0), acc = lookup(b, dot.getAcc(), g, 0), result = zeros(b, loc, type, g);
    bool fromZero = matchPattern(acc, m_AnyZeroFloat()) || matchPattern(acc, m_Zero());
    for (int64_t p = 0; p < groups; ++p) {
      Value begin = fromZero ? zeros(b, loc, divided(type, 1), g) : slice(b, loc, acc, 1, p, g);
      Operation *copy = b.clone(*dot);
      copy->setOperands({rows, maps[p].lookup(dot.getB()), begin});
      copy->getResult(0).setType(divided(type, 1));
      setGroup(copy, g);
      if (p > 0)
        copy->removeAttr(planAttr);
      result = insertColumns(b, loc, copy->getResult(0), result, p, g);
    }
    maps[g].map(dot.getResult(), result);
  }

  static Value zeros(OpBuilder &b, Location loc, RankedTensorType type, int64_t g) {
    auto op = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
    setGroup(op, g);
    return op;
  }

  /// `whole` with `part` as its columns number `number`.
  static Value insertColumns(OpBuilder &b, Location loc, Value part, Value whole, int64_t number, int64_t g) {
    auto type = cast<RankedTensorType>(part.getType());
    SmallVector<OpFoldResult> offsets{b.getIndexAttr(0), b.getIndexAttr(number * type.getDimSize(1))}, sizes,
        strides(2, b.getIndexAttr(1));
    for (int64_t size : type.getShape())
      sizes.push_back(b.getIndexAttr(size));
    auto op = tensor::InsertSliceOp::create(b, loc, part, whole, offsets, sizes, strides);
    setGroup(op, g);
    return op.getResult();
  }

  LogicalResult cloneForGroup(OpBuilder &b, Operation *op, int64_t g) {
    SmallVector<Value> operands; // a tile may be several of them, divided in several ways
    int64_t storeAxis = -1;
    for (OpOperand &use : op->getOpOperands()) {
      int64_t axis = useAxis(op, use);
      if (auto store = dyn_cast<tile::StoreOp>(op)) {
        if (use.getOperandNumber() == 0)
          storeAxis = axis;
        else if (use.get() == store.getRows())
          axis = storeAxis == 0 ? 0 : -1;
      }
      bool isTiled = isa<RankedTensorType>(use.get().getType());
      operands.push_back(isTiled ? lookup(b, use.get(), g, axis) : maps[g].lookupOrDefault(use.get()));
    }
    // A tile that every group holds whole is stored once; partial sums are added by each.
    if (auto store = dyn_cast<tile::StoreOp>(op);
        store && storeAxis < 0 && g > 0 && !partition.isPartialSum(store.getValue()))
      return success();
    Operation *copy = b.clone(*op, maps[g]);
    copy->setOperands(operands);
    setGroup(copy, g);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
      if (auto type = dyn_cast<RankedTensorType>(from.getType())) {
        FailureOr<RankedTensorType> partType = part(op, type, partition.axis(from));
        if (failed(partType))
          return failure();
        to.setType(*partType);
      }
      maps[g].map(from, to);
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(copy))
      slice.setStaticSizes(cast<RankedTensorType>(slice.getResult().getType()).getShape());
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(copy))
      insert.setStaticSizes(insert.getSourceType().getShape());
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(copy))
      expand.setStaticOutputShape(expand.getResultType().getShape());
    if (auto store = dyn_cast<tile::StoreOp>(copy); store && storeAxis >= 0) {
      int64_t size = store.getValue().getType().getDimSize(storeAxis);
      if (store.getRows()) {
        namedStores += g == 0;
        store->setAttr(partsOfStoreAttr, b.getI64IntegerAttr(namedStores));
      }
      if (storeAxis > 0 || !store.getRows())
        offsetIndex(store, store.getIndicesMutable()[store.getTileDims()[storeAxis]], g * size);
      store.setExtentAttr(partOfExtent(b, store.getExtent(), storeAxis, g, size));
    }
    return success();
  }

  void mapAll(Value from, Value to) {
    for (IRMapping &map : maps)
      map.map(from, to);
  }

  tile::KernelOp kernel;
  Partition partition;
  int64_t groups;
  SmallVector<IRMapping> maps;
  int64_t namedStores = 0;       ///< divided stores of rows that a tile names
  DenseMap<Value, Value> wholes; ///< loads by the copy engine
};
} // namespace

/// Whether `groups` warp groups can divide `kernel`; nothing is said where they cannot.
static bool divides(tile::KernelOp kernel, int64_t groups) {
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  return succeeded(Partition::compute(kernel, groups));
}

LogicalResult subtile(tile::KernelOp kernel, int64_t groups, int64_t most) {
  // What no size of a tile would change is said first.
  WalkResult types = kernel.walk([](tile::DotOp dot) {
    return WalkResult(verifyDotTypes(dot, dot.getA().getType().getElementType(), dot.getResult().getType()));
  });
  if (types.wasInterrupted())
    return failure();
  if (groups == 0)
    if (auto attr = kernel->getAttrOfType<IntegerAttr>("groups"))
      groups = attr.getInt();
  const bool open = groups == 0;
  if (open)
    groups = Partition::defaultGroups(kernel, most);
  if (groups == 1 ? open && most > 1 : !divides(kernel, groups))
    if (OwningOpRef<tile::KernelOp> copy = kernel.clone(); separateFolds(*copy)) {
      int64_t other = open ? Partition::defaultGroups(*copy, most) : groups;
      if (other > 1 && divides(*copy, other)) {
        separateFolds(kernel);
        groups = other;
      }
    }
  // One group holds everything whole.
  FailureOr<Partition> partition = groups == 1 ? Partition() : Partition::compute(kernel, groups);
  if (failed(partition))
    return failure();
  WalkResult rows = kernel.walk([&](tile::DotOp dot) {
    int64_t m = dot.getResult().getType().getDimSize(0), parts = partition->axis(dot.getResult()) == 0 ? groups : 1;
    int64_t rows = targetOf(dot).dotRows();
    if (m % (rows * parts) == 0)
      return WalkResult::advance();
    dot.emitOpError("expected rows divisible by ") << rows << " times " << parts << " warp groups, got " << m;
    return WalkResult::interrupt();
  });
  if (rows.wasInterrupted())
    return failure();
  kernel->setAttr("groups", Builder(kernel.getContext()).getI64IntegerAttr(groups));
  return Subtiler(kernel, std::move(*partition), groups).run();
}

} // namespace heddle
