//===- ReadScalars.cpp - scalars of tiles become scalars of memory ---------===//
//
// What:      tensor.extract of a tile -> the same element computed from scalars: tile.element for what a tile.load
//            read, element-wise operations on scalars, a loop for a reduction.
// Where:     first, on the sequential program. Coordinates, bounds and conditions are needed by every warp group, the
//            one that loads included, which holds no tiles: each group computes them for itself, like all scalars.
// Order:     an element is read where the tile was loaded; where its place is not known there yet, only if the program
//            does not store to the view.
// Algorithm: recursion from the element to the operands' elements that it is made of.
// Kept:      a tile of one element in a program without products: one warp group does everything there, and its threads
//            all have that element. Loads then do not go by the copy engine, whose thread has no tiles.
// Verifies:  the tile is not carried by a loop or branch, not a product, and of no more than `mostRead` elements.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/ReadScalars.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {
namespace {

/// Elements that one scalar may be reduced from.
constexpr int64_t mostRead = 4096, mostReadBeside = 16; ///< the second where the group that has the tile may decide
/// Operations that one scalar may take: elements that several others are made of are computed for each.
constexpr int64_t mostSteps = 16384, mostStepsBeside = 256;

class Reader {
public:
  explicit Reader(tile::KernelOp kernel) : kernel(kernel), dominance(kernel) {}

  LogicalResult run() {
    SmallVector<tensor::ExtractOp> extracts;
    kernel.walk([&](tensor::ExtractOp op) { extracts.push_back(op); });
    bool alone = !hasDots(kernel);
    for (tensor::ExtractOp op : extracts) {
      extract = op;
      OpBuilder b(op);
      if (!op.use_empty()) {
        keeps = alone && op.getTensor().getType().getNumElements() == 1;
        steps = 0;
        Value scalar = element(b, op.getTensor(), SmallVector<Value>(op.getIndices()), 1);
        if (!scalar && keeps) {
          keepInRegisters();
          continue;
        }
        if (!scalar)
          return failure();
        op.replaceAllUsesWith(scalar);
      }
      op.erase();
    }
    return success();
  }

private:
  /// One group does everything then: no other one could decide by this scalar.
  void keepInRegisters() {
    kernel.walk([&](tile::LoadOp load) { load->setAttr(directAttr, UnitAttr::get(kernel.getContext())); });
    kernel->setAttr("groups", IntegerAttr::get(IntegerType::get(kernel.getContext(), 64), 1));
  }

  Value refuse(const Twine &got, Operation *made = nullptr) {
    if (keeps)
      return {};
    InFlightDiagnostic diag =
        extract->emitOpError("expected a scalar that memory, sizes and arguments decide (every warp group computes it "
                             "for itself), got ")
        << got << ": this is not supported yet";
    if (made)
      diag.attachNote(made->getLoc()) << "made here";
    return {};
  }

  static Value index(OpBuilder &b, Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  /// Element `at` of `tile`, computed at `b`; `read`: how often.
  Value element(OpBuilder &b, Value tile, ArrayRef<Value> at, int64_t read) {
    Operation *def = tile.getDefiningOp();
    if (int64_t most = keeps ? mostStepsBeside : mostSteps; ++steps > most)
      return refuse("one that takes more than " + Twine(most) + " operations");
    if (!def || isa<LoopLikeOpInterface, scf::IfOp>(def))
      return refuse("one of a tile that a loop or branch passes on", def);
    Location loc = def->getLoc();
    if (auto load = dyn_cast<tile::LoadOp>(def))
      return ofLoad(b, load, at);
    if (auto gather = dyn_cast<tile::GatherOp>(def))
      return ofGather(b, gather, at, read);
    if (auto constant = dyn_cast<arith::ConstantOp>(def))
      return ofConstant(b, constant, at);
    if (auto splat = dyn_cast<tensor::SplatOp>(def))
      return splat.getInput();
    if (auto iota = dyn_cast<tile::IotaOp>(def)) {
      Type type = iota.getType().getElementType();
      Value from = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, iota.getStart()));
      return arith::AddIOp::create(b, loc, arith::IndexCastOp::create(b, loc, type, at[0]), from);
    }
    if (std::optional<Rearrangement> moved = Rearrangement::of(def))
      return element(b, moved->source, moved->ofSource<Value>(at), read);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def);
        slice && slice.getSourceType().getRank() == static_cast<int64_t>(at.size()))
      return ofSlice(b, slice, at, read);
    if (std::optional<Reshape> reshape = Reshape::of(def))
      return element(b, reshape->source, otherSide(b, loc, *reshape, at), read);
    if (auto reduce = dyn_cast<tile::ReduceOp>(def))
      return ofReduction(b, reduce, at, read);
    if (OpTrait::hasElementwiseMappableTraits(def) && def->getNumResults() == 1 && !isa<tile::CallOp>(def))
      return ofElementwise(b, def, at, read);
    return refuse("one of a tile that " + def->getName().getStringRef() + " makes", def);
  }

  /// The coordinates in the source of a reshape of place `at` in its result.
  static SmallVector<Value> otherSide(OpBuilder &b, Location loc, const Reshape &reshape, ArrayRef<Value> at) {
    auto from = cast<RankedTensorType>(reshape.source.getType()), to = cast<RankedTensorType>(reshape.result.getType());
    SmallVector<Value> place(from.getRank());
    for (auto [one, run] : llvm::enumerate(reshape.groups)) {
      if (reshape.expands) {
        Value sum = index(b, loc, 0);
        for (int64_t d : run)
          sum = b.createOrFold<arith::AddIOp>(
              loc, b.createOrFold<arith::MulIOp>(loc, sum, index(b, loc, to.getDimSize(d))), at[d]);
        place[one] = sum;
        continue;
      }
      Value rest = at[one];
      for (int64_t d : llvm::reverse(run)) {
        Value size = index(b, loc, from.getDimSize(d));
        place[d] = d == run.front() ? rest : b.createOrFold<arith::RemUIOp>(loc, rest, size);
        rest = b.createOrFold<arith::DivUIOp>(loc, rest, size);
      }
    }
    // a tile of one element has other dimensions of one
    for (Value &coordinate : place)
      if (!coordinate)
        coordinate = index(b, loc, 0);
    return place;
  }

  Value ofLoad(OpBuilder &b, tile::LoadOp load, ArrayRef<Value> at) {
    bool knownThere = llvm::all_of(at, [&](Value i) { return matchPattern(i, m_Constant()) || dominates(i, load); });
    if (load.getView().getDefiningOp())
      return refuse("one of a window", load);
    if (!knownThere && tile::isStored(load.getView()))
      return refuse("one at a place that is not known at the load, of a view that the kernel stores to", load);
    OpBuilder there = knownThere ? OpBuilder(load) : b;
    SmallVector<Value> place(load.getIndices());
    for (auto [i, dim] : llvm::zip(at, load.getTileDims())) {
      APInt constant;
      Value offset =
          matchPattern(i, m_ConstantInt(&constant)) ? index(there, load.getLoc(), constant.getSExtValue()) : i;
      place[dim] = there.createOrFold<arith::AddIOp>(load.getLoc(), place[dim], offset);
    }
    return tile::ElementOp::create(there, load.getLoc(), load.getView().getType().getElementType(), load.getView(),
                                   place);
  }

  Value ofGather(OpBuilder &b, tile::GatherOp gather, ArrayRef<Value> at, int64_t read) {
    if (gather.getView().getDefiningOp())
      return refuse("one of a window", gather);
    if (tile::isStored(gather.getView()))
      return refuse("one of gathered rows of a view that the kernel stores to", gather);
    Location loc = gather.getLoc();
    Value row = element(b, gather.getRows(), at.take_front(), read);
    if (!row)
      return {};
    SmallVector<Value> place(gather.getIndices()), offsets(at);
    offsets[0] = arith::IndexCastOp::create(b, loc, b.getIndexType(), row);
    for (auto [offset, dim] : llvm::zip(offsets, gather.getTileDims()))
      place[dim] = b.createOrFold<arith::AddIOp>(loc, place[dim], offset);
    return tile::ElementOp::create(b, loc, gather.getType().getElementType(), gather.getView(), place);
  }

  bool dominates(Value value, Operation *op) { return dominance.properlyDominates(value, op); }

  Value ofConstant(OpBuilder &b, arith::ConstantOp constant, ArrayRef<Value> at) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense)
      return refuse("one of a constant that is not dense", constant);
    SmallVector<uint64_t> place;
    for (auto [i, extent] : llvm::zip(at, dense.getType().getShape())) {
      APInt known;
      if (!dense.isSplat() && (!matchPattern(i, m_ConstantInt(&known)) || known.uge(extent)))
        return refuse("one of different constants at a place that is not constant", constant);
      place.push_back(dense.isSplat() ? 0 : known.getZExtValue());
    }
    Attribute value = dense.isSplat() ? dense.getSplatValue<Attribute>() : dense.getValues<Attribute>()[place];
    return arith::ConstantOp::create(b, constant.getLoc(), cast<TypedAttr>(value));
  }

  Value ofSlice(OpBuilder &b, tensor::ExtractSliceOp slice, ArrayRef<Value> at, int64_t read) {
    SmallVector<Value> whole;
    for (auto [i, offset, stride] : llvm::zip(at, slice.getStaticOffsets(), slice.getStaticStrides())) {
      if (ShapedType::isDynamic(offset) || stride != 1)
        return refuse("one of a part with dynamic offsets or strides", slice);
      whole.push_back(b.createOrFold<arith::AddIOp>(slice.getLoc(), i, index(b, slice.getLoc(), offset)));
    }
    return element(b, slice.getSource(), whole, read);
  }

  Value ofElementwise(OpBuilder &b, Operation *op, ArrayRef<Value> at, int64_t read) {
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands()) {
      Value scalar = isa<RankedTensorType>(operand.getType()) ? element(b, operand, at, read) : operand;
      if (!scalar)
        return {};
      state.operands.push_back(scalar);
    }
    state.types.push_back(cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
    state.attributes = op->getAttrs();
    return b.create(state)->getResult(0);
  }

  /// Folds the elements along the reduced dimension, in a loop.
  Value ofReduction(OpBuilder &b, tile::ReduceOp reduce, ArrayRef<Value> at, int64_t read) {
    Location loc = reduce.getLoc();
    int64_t extent = reduce.getSource().getType().getDimSize(reduce.getAxis());
    SmallVector<Value> place(at);
    place.insert(place.begin() + reduce.getAxis(), index(b, loc, 0));
    if (read * extent > (keeps ? mostReadBeside : mostRead)) {
      if (!keeps && !element(b, reduce.getSource(), place, read))
        return {}; // fewer elements would not help
      return refuse("one that is reduced from more than " + Twine(mostRead) + " elements", reduce);
    }
    Value first = element(b, reduce.getSource(), place, read * extent);
    if (!first || extent == 1)
      return first;
    Value one = index(b, loc, 1);
    auto loop = scf::ForOp::create(b, loc, one, index(b, loc, extent), one, first);
    OpBuilder body = OpBuilder::atBlockEnd(loop.getBody());
    place[reduce.getAxis()] = loop.getInductionVar();
    Value next = element(body, reduce.getSource(), place, read * extent);
    if (!next) {
      loop.erase();
      return {};
    }
    scf::YieldOp::create(body, loc, tile::combine(body, loc, tile::foldOf(reduce), loop.getRegionIterArg(0), next));
    return loop.getResult(0);
  }

  tile::KernelOp kernel;
  DominanceInfo dominance;
  tensor::ExtractOp extract; ///< the one that is replaced
  int64_t steps = 0;         ///< of the present extract
  bool keeps = false;        ///< or left, where it cannot be
};
} // namespace

LogicalResult readScalars(tile::KernelOp kernel) { return Reader(kernel).run(); }

} // namespace heddle
