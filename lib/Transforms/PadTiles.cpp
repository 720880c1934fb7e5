//===- PadTiles.cpp - odd sizes of tiles -----------------------------------===//
//
// What:      see PrepareDots.h.
// Where:     before Partition and Subtile; the program stays sequential and executable.
// Algorithm: tile dimensions that must be equal (Dialect/Tile/Dimensions.h) grow together, so that all operations stay
//            well-typed. A dot needs the sizes of its form (Target/TargetInterface.h); without a dot, the last
//            dimension grows until lanes can share it (a power of two up to 128, multiples of 128 beyond). Dimensions
//            that other operations (parts, reshapes) keep stay: a dot of such a size becomes a part of a larger one.
// Keeps:     loads and stores touch what they touched (`extent`), unless the view ends there anyway or rows too many
//            are harmless; reductions of a grown dimension, scans from its end and operands of a grown contraction are
//            masked.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/Dimensions.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/PrepareDots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <map>
#include <numeric>

using namespace mlir;
namespace heddle {
namespace {

class Padder {
public:
  explicit Padder(tile::KernelOp kernel) : kernel(kernel), classes(kernel) {}

  void run() {
    collect();
    keepOthers();
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) { ops.push_back(op); });
    if (!grown.empty()) {
      for (Operation *op : ops)
        limitAccess(op);
      for (Operation *op : ops)
        grow(op);
      for (Operation *op : ops)
        mask(op);
    }
    for (Operation *op : ops)
      if (auto dot = dyn_cast<tile::DotOp>(op))
        enlarge(dot);
  }

private:
  /// Dimension `dim` of `tile` must become a multiple of `multiple`.
  void need(Value tile, int64_t dim, int64_t multiple) {
    unsigned dimension = classes.of(tile, dim);
    int64_t &all = multiples[dimension], size = cast<RankedTensorType>(tile.getType()).getDimSize(dim);
    all = all ? std::lcm(all, multiple) : multiple;
    if (int64_t now = llvm::alignTo(size, all); now != size)
      grown[dimension] = now;
  }

  void collect() {
    bool dots = hasDots(kernel);
    kernel.walk([&](Operation *op) {
      if (auto dot = dyn_cast<tile::DotOp>(op)) {
        bool across = !dot.getB().getDefiningOp<tile::TransposeOp>();
        std::optional<DotForm> form = targetOf(kernel).dotForm(dot.getA().getType().getElementType());
        if (!form) // refused by Subtile
          return;
        need(dot.getA(), 0, targetOf(kernel).dotRows());
        need(dot.getResult(), 1, across ? form->columnsAcross : form->columns);
        need(dot.getA(), 1, form->contraction);
      }
      if (auto load = dyn_cast<tile::LoadOp>(op); load && dots)
        needLines(load);
      for (Value result : op->getResults())
        if (auto tile = dyn_cast<RankedTensorType>(result.getType()); tile && !dots && tile.getRank())
          needLanes(result);
    });
  }

  /// Rows of up to 256 bytes that end where their view does become whole lines of shared memory where that is at most
  /// a quarter more: the copy engine brings lines of 32 bytes several times as slowly as those of 128. Attention with
  /// heads of 104 and 112 took 1.34 and 1.14 of the time; of 176 and 240, whose products hide the copies, 0.85, and
  /// of 72 with lines of 64 bytes 0.96 (bench/results/2026-11-29-h200-variations.json).
  void needLines(tile::LoadOp load) {
    constexpr int64_t line = 128, half = 64, most = 256;
    RankedTensorType tile = load.getType();
    int64_t last = tile.getRank() - 1, dim = load.getTileDims().back(), columns = tile.getDimSize(last),
            bytes = columns * tile.getElementTypeBitWidth() / 8, grown = llvm::alignTo(bytes, line);
    bool ends = load.getView().getType().getShape()[dim] == columns && matchPattern(load.getIndices()[dim], m_Zero());
    if (last > 0 && ends && bytes % half && grown <= most && 4 * grown <= 5 * bytes)
      need(load.getResult(), last, 8 * line / tile.getElementTypeBitWidth());
  }

  //===--- dots whose sizes other operations keep -----------------------------------------------===//

  static Value partOf(OpBuilder &b, Location loc, Value tile, Value whole, RankedTensorType type) {
    SmallVector<OpFoldResult> corner(2, b.getIndexAttr(0)), steps(2, b.getIndexAttr(1)),
        sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
    if (whole)
      return tensor::InsertSliceOp::create(b, loc, tile, whole, corner, sizes, steps);
    return tensor::ExtractSliceOp::create(b, loc, type, tile, corner, sizes, steps);
  }

  /// A dot of other sizes than its form has is the upper left part of one that is surrounded by zeros.
  void enlarge(tile::DotOp dot) {
    RankedTensorType a = dot.getA().getType(), result = dot.getResult().getType();
    bool across = !dot.getB().getDefiningOp<tile::TransposeOp>();
    std::optional<DotForm> form = targetOf(kernel).dotForm(a.getElementType());
    if (!form) // refused by Subtile
      return;
    int64_t rows = llvm::alignTo(a.getDimSize(0), targetOf(kernel).dotRows()),
            columns = llvm::alignTo(result.getDimSize(1), across ? form->columnsAcross : form->columns),
            contracted = llvm::alignTo(a.getDimSize(1), form->contraction);
    OpBuilder b(dot);
    auto amid = [&](Value tile, int64_t m, int64_t n) -> Value {
      auto type = cast<RankedTensorType>(tile.getType());
      auto whole = type.clone({m, n});
      if (whole == type)
        return tile;
      Value zeros = arith::ConstantOp::create(b, dot.getLoc(), cast<TypedAttr>(b.getZeroAttr(whole)));
      return partOf(b, dot.getLoc(), tile, zeros, type);
    };
    Value left = amid(dot.getA(), rows, contracted), right = amid(dot.getB(), contracted, columns),
          sum = amid(dot.getAcc(), rows, columns);
    if (left == dot.getA() && right == dot.getB() && sum == dot.getAcc())
      return;
    Value whole = tile::DotOp::create(b, dot.getLoc(), sum.getType(), left, right, sum);
    dot.replaceAllUsesWith(whole.getType() == result ? whole : partOf(b, dot.getLoc(), whole, Value(), result));
    dot.erase();
  }

  void needLanes(Value tile) {
    constexpr int64_t most = 4 * threadsPerWarp;
    auto type = cast<RankedTensorType>(tile.getType());
    if (int64_t columns = type.getShape().back(); (columns & -columns) < 32 && !llvm::isPowerOf2_64(columns))
      need(tile, type.getRank() - 1, std::min<int64_t>(most, llvm::PowerOf2Ceil(columns)));
  }

  bool isGrown(Value tile, int64_t dim) const { return grown.count(classes.of(tile, dim)); }

  /// Whether `op` is right with tiles of other sizes. What a gather reads beyond its tile nobody keeps; but it may not
  /// be what another program writes.
  bool canGrow(Operation *op) const {
    if (auto gather = dyn_cast<tile::GatherOp>(op))
      return !gather.getView().getDefiningOp<tile::WindowOp>() && !tile::isStored(gather.getView());
    return OpTrait::hasElementwiseMappableTraits(op) || op->hasTrait<OpTrait::IsTerminator>() ||
           Rearrangement::of(op) ||
           isa<tile::LoadOp, tile::StoreOp, tile::DotOp, tile::ReduceOp, tile::ScanOp, tile::IotaOp, tensor::SplatOp,
               tensor::ExtractOp, arith::ConstantOp, RegionBranchOpInterface>(op);
  }

  /// Dimensions of operations that this pass does not know how to keep stay: parts of tiles, for one.
  void keepOthers() {
    kernel.walk([&](Operation *op) {
      if (canGrow(op))
        return;
      for (ValueRange tiles : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
        for (Value tile : tiles)
          if (auto type = dyn_cast<RankedTensorType>(tile.getType()))
            for (int64_t d = 0; d < type.getRank(); ++d)
              grown.erase(classes.of(tile, d));
    });
  }

  RankedTensorType grownType(Value tile) const {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [d, size] : llvm::enumerate(shape))
      if (isGrown(tile, d))
        size = grown.at(classes.of(tile, d));
    return type.clone(shape);
  }

  //===--- loads and stores -------------------------------------------------------------------===//

  /// Dimension `dim` of `tile` is what some dot contracts, through rearrangements.
  static bool isContracted(Value tile, int64_t dim) {
    return llvm::any_of(tile.getUses(), [&](OpOperand &use) {
      if (isa<tile::DotOp>(use.getOwner()))
        return use.getOperandNumber() < 2 && dim == 1 - int64_t(use.getOperandNumber());
      std::optional<Rearrangement> moved = Rearrangement::of(use.getOwner());
      return moved && isContracted(moved->result, moved->inResult(dim));
    });
  }

  /// Whether what lies beyond a tile along `dim` of `view` may not be read: another program writes it, or it is no
  /// memory at all, in a window that has no bound there.
  static bool isClosed(Value view, int64_t dim) {
    auto window = view.getDefiningOp<tile::WindowOp>();
    bool bounded = !window || !isConstantIntValue(window.getSizes()[dim], std::numeric_limits<int32_t>::max());
    return !bounded || tile::isStored(view);
  }

  static bool namesRows(tile::LoadOp) { return false; }
  static bool namesRows(tile::StoreOp store) { return store.getRows() != nullptr; }

  /// Rows of a box of the copy engine begin and end with those of a swizzle's pattern.
  static constexpr int64_t rowsOfAtom = 8;

  /// Gives an access the extent that it had. Rows of a load beyond it may be anything where they only make rows and
  /// columns that nobody keeps; and nothing is beyond it where the view ends.
  template <typename Op> void limit(Op op, Value value, bool isLoad) {
    auto tile = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> extent(op.getExtent() ? SmallVector<int64_t>(*op.getExtent())
                                               : SmallVector<int64_t>(tile.getShape()));
    SmallVector<int64_t> dims = op.getTileDims();
    int64_t last = tile.getRank() - 1;
    bool wholeRows = tile.getElementTypeBitWidth() / 8 * tile.getDimSize(last) % 16 == 0;
    bool needed = op.getExtent().has_value(), anyBeyond = false;
    for (int64_t d = 0; d <= last; ++d) {
      if (!isGrown(value, d))
        continue;
      int64_t size = op.getView().getType().getShape()[dims[d]];
      bool ends = size == tile.getDimSize(d) && matchPattern(op.getIndices()[dims[d]], m_Zero()) && wholeRows &&
                  !(d == 0 && namesRows(op));
      bool harmless = isLoad && (d != last || wholeRows) && !isClosed(op.getView(), dims[d]) && tile.getRank() == 2 &&
                      hasDots(kernel) && !isContracted(op->getResult(0), d);
      int64_t rows = grown.at(classes.of(value, d));
      if (harmless && !needed && d == 0 && rows == targetOf(kernel).dotRows() && extent[d] % rowsOfAtom == 0)
        anyBeyond = true;
      else if (ends || harmless)
        extent[d] = rows;
      else
        needed = true;
    }
    if (needed || anyBeyond)
      op.setExtentAttr(Builder(op.getContext()).getDenseI64ArrayAttr(extent));
    if (anyBeyond && !needed)
      op->setAttr(anyBeyondAttr, UnitAttr::get(op.getContext()));
  }

  void limitAccess(Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      limit(load, load.getResult(), true);
    if (auto store = dyn_cast<tile::StoreOp>(op))
      limit(store, store.getValue(), false);
  }

  //===--- types --------------------------------------------------------------------------------===//

  void grow(Operation *op) {
    auto change = [&](Value value) {
      if (isa<RankedTensorType>(value.getType()))
        value.setType(grownType(value));
    };
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(grownConstant(dense, grownType(constant)));
    // what the masks below need of the old sizes
    if (auto reduce = dyn_cast<tile::ReduceOp>(op); reduce && isGrown(reduce.getSource(), reduce.getAxis()))
      sizes[op] = oldSize(reduce.getSource(), reduce.getAxis());
    if (auto scan = dyn_cast<tile::ScanOp>(op); scan && scan.getReverse() && isGrown(scan.getSource(), scan.getAxis()))
      sizes[op] = oldSize(scan.getSource(), scan.getAxis()); // what lies beyond comes first
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && isGrown(dot.getA(), 1))
      sizes[op] = oldSize(dot.getA(), 1);
    for (Value result : op->getResults())
      remember(result), change(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          remember(argument), change(argument);
  }

  void remember(Value value) {
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
      before.try_emplace(value, tile);
  }
  int64_t oldSize(Value value, int64_t dim) {
    auto it = before.find(value);
    return (it == before.end() ? cast<RankedTensorType>(value.getType()) : it->second).getDimSize(dim);
  }

  static DenseElementsAttr grownConstant(DenseElementsAttr dense, RankedTensorType to) {
    auto from = cast<RankedTensorType>(dense.getType());
    if (dense.isSplat() || from == to)
      return from == to ? dense : DenseElementsAttr::get(to, dense.getSplatValue<Attribute>());
    SmallVector<Attribute> old(dense.getValues<Attribute>()), values;
    Attribute zero = Builder(dense.getContext()).getZeroAttr(to.getElementType());
    for (int64_t i = 0, n = to.getNumElements(); i < n; ++i) {
      int64_t rest = i, index = 0, stride = 1;
      bool inside = true;
      for (int64_t d = to.getRank() - 1; d >= 0; --d) {
        int64_t at = rest % to.getDimSize(d);
        rest /= to.getDimSize(d);
        inside &= at < from.getDimSize(d);
        index += at * stride;
        stride *= from.getDimSize(d);
      }
      values.push_back(inside ? old[index] : zero);
    }
    return DenseElementsAttr::get(to, values);
  }

  //===--- masks --------------------------------------------------------------------------------===//

  /// `tile` with `fill` where its coordinate along `dim` is `size` or more.
  static Value masked(OpBuilder &b, Location loc, Value tile, int64_t dim, int64_t size, Attribute fill) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto line = RankedTensorType::get({type.getDimSize(dim)}, b.getI32Type());
    Value at = tile::IotaOp::create(b, loc, line, 0);
    Value end = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(line, b.getI32IntegerAttr(size)));
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, end);
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim) {
        SmallVector<int64_t> shape(cast<RankedTensorType>(inside.getType()).getShape());
        shape.insert(shape.begin() + (d < dim ? d : static_cast<int64_t>(shape.size())), type.getDimSize(d));
        int64_t axis = d < dim ? d : static_cast<int64_t>(shape.size()) - 1;
        inside = tile::BroadcastOp::create(b, loc, RankedTensorType::get(shape, b.getI1Type()), inside, axis);
      }
    Value other = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, fill));
    return arith::SelectOp::create(b, loc, inside, tile, other);
  }

  /// Zero beyond the extent: a load, or the transpose of one, that has kept its extent.
  static bool isZeroBeyond(Value tile) {
    while (auto transpose = tile.getDefiningOp<tile::TransposeOp>())
      tile = transpose.getSource();
    return tile.getDefiningOp<tile::LoadOp>() != nullptr;
  }

  void mask(Operation *op) {
    OpBuilder b(op);
    auto known = sizes.find(op);
    if (known == sizes.end())
      return;
    int64_t size = known->second;
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      op->setOperand(0, masked(b, op->getLoc(), reduce.getSource(), reduce.getAxis(), size,
                               tile::neutralOf(tile::foldOf(reduce), reduce.getSource().getType().getElementType())));
    if (auto scan = dyn_cast<tile::ScanOp>(op))
      op->setOperand(0, masked(b, op->getLoc(), scan.getSource(), scan.getAxis(), size,
                               tile::neutralOf(*tile::findFold(scan.getKind()), scan.getType().getElementType())));
    if (isa<tile::DotOp>(op))
      for (unsigned operand : {0, 1})
        if (Value tile = op->getOperand(operand); !isZeroBeyond(tile))
          op->setOperand(operand, masked(b, op->getLoc(), tile, 1 - operand, size,
                                         b.getZeroAttr(cast<RankedTensorType>(tile.getType()).getElementType())));
  }

  tile::KernelOp kernel;
  tile::DimensionClasses classes;
  std::map<unsigned, int64_t> multiples, grown; ///< by class
  DenseMap<Value, RankedTensorType> before;
  DenseMap<Operation *, int64_t> sizes; ///< of a reduced or contracted dimension that has grown, before
};

/// What is the same everywhere, or a position, is written once for tiles of one size: the rows of queries and a block's
/// keys, 16 each. While tiles grow each use has its own, so that the rows of one do not grow with those of another.
class OwnForEachUse {
public:
  explicit OwnForEachUse(tile::KernelOp kernel) {
    SmallVector<Operation *> shared;
    kernel.walk([&](Operation *op) {
      auto constant = dyn_cast<arith::ConstantOp>(op);
      bool alike = constant && isa<SplatElementsAttr>(constant.getValue());
      if ((alike || isa<tile::IotaOp, tensor::SplatOp>(op)) && !op->use_empty() && !op->hasOneUse())
        shared.push_back(op);
    });
    for (Operation *op : shared)
      for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(op->getUses()))) {
        Operation *own = OpBuilder(op).clone(*op);
        use.set(own->getResult(0));
        copies.push_back({op, own});
      }
  }

  /// What has the same size again is one.
  ~OwnForEachUse() {
    DenseMap<Operation *, SmallVector<Operation *>> kept; // of each that was shared, of different sizes
    for (auto [op, own] : copies) {
      SmallVector<Operation *> &sizes = kept[op];
      if (sizes.empty())
        sizes.push_back(op);
      auto same = llvm::find_if(
          sizes, [own = own](Operation *other) { return other->getResultTypes() == own->getResultTypes(); });
      if (same == sizes.end()) {
        sizes.push_back(own);
        continue;
      }
      own->replaceAllUsesWith(*same);
      own->erase();
    }
  }

private:
  SmallVector<std::pair<Operation *, Operation *>> copies;
};
} // namespace

void padTiles(tile::KernelOp kernel) {
  OwnForEachUse own(kernel);
  Padder(kernel).run();
}

} // namespace heddle
