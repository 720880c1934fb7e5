//===- RegisterTiles.cpp - register-tile and scalar ops as CUDA -----------------===//
//
// Every op becomes loops over the registers of one thread; which element a register holds
// is in the operand's and result's layouts. Data movement inside a thread (broadcast,
// conversion) is an index map, printed as bit fields of the loop variable.
//
//===----------------------------------------------------------------------------===//
#include "Prepare/UniformMask.h"
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/HW/UniformMask.h"
#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

static RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

static LogicalResult checkElements(Operation *op, RankedTensorType tile) {
  if (computeTypeOf(tile.getElementType()).empty())
    return op->emitOpError("expected f64, f32, f16, bf16, f8, i1, i8, i16, i32, i64 or index elements, got ")
           << tile.getElementType();
  return success();
}

static LogicalResult checkTile(Operation *op, Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return success();
  if (!hw::hasLayout(tile))
    return op->emitOpError("expected a register layout on ") << tile;
  return checkElements(op, tile);
}

/// Writes a masked tile in place under a branch that the group takes only where its mask may be false, then moves it to
/// the result. In place, because two arrays that live across a branch cost registers that kernels do not have (C7512 in
/// attention).
static bool printSelectUnderBranch(arith::SelectOp op, EmitContext &ctx) {
  Value source = op.getTrueValue();
  if (ctx.isRecomputed(source) || ctx.isUnbranched(op) || !isGuarded(op))
    return false;
  std::string inside = allTrueCondition(op.getCondition(), ctx);
  RankedTensorType type = tileType(source);
  std::string array = ctx.nameOf(source);
  ctx.line("if (!(" + inside + ")) { // else every element passes the mask");
  ctx.indent();
  ctx.withCoordinates([&] {
    printFill(ctx, type, array, 1, [&](ArrayRef<int64_t> at) {
      auto element = [&](Value v) { return elementOf(ctx, v, at); };
      return scalarExpression(op, {element(op.getCondition()), element(source), element(op.getFalseValue())});
    });
  });
  ctx.unindent();
  ctx.line("}");
  if (array != ctx.nameOf(op.getResult()))
    ctx.copyArray(ctx.nameOf(op.getResult()), array, registerArrayOf(type).size);
  return true;
}

/// Whether coordinates equal other numbers, with what the thread contributes on the side of the others: there it is
/// subtracted once for all registers, and a constant is left on this side. Empty: this is no such comparison.
static std::string coordinateComparison(arith::CmpIOp op, EmitContext &ctx, ArrayRef<int64_t> at) {
  bool equal = op.getPredicate() == arith::CmpIPredicate::eq;
  if ((!equal && op.getPredicate() != arith::CmpIPredicate::ne) || !getElementTypeOrSelf(op.getLhs()).isInteger(32))
    return "";
  // What `value` moves elements of inside the thread; `elements` become that tile's.
  auto sourceOf = [&](Value value, SmallVectorImpl<int64_t> &elements) {
    while (ctx.isRecomputed(value)) {
      std::optional<std::vector<int64_t>> map = elementMap(value);
      if (!map)
        break;
      for (int64_t &e : elements)
        e = (*map)[e];
      value = value.getDefiningOp()->getOperand(0);
    }
    return value;
  };
  for (auto [coordinate, other] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
    SmallVector<int64_t> elements(at), otherElements(at);
    auto iota = sourceOf(coordinate, elements).getDefiningOp<tile::IotaOp>();
    if (!iota || ctx.isRecomputed(sourceOf(other, otherElements)))
      continue;
    auto [thread, offset] = iotaParts(ctx, iota, elements);
    std::string number = elementOf(ctx, other, at);
    if (thread != "0") // unsigned: it may wrap around
      number = "int(uint32_t(" + number + ") - " + atom(thread) + ")";
    return atom(offset) + (equal ? " == " : " != ") + number;
  }
  return "";
}

static LogicalResult printElementwise(Operation *op, EmitContext &ctx) {
  Value result = op->getResult(0);
  if (!isa<RankedTensorType>(result.getType())) {
    if (scalarTypeOf(result.getType()).empty())
      return op->emitOpError("expected a scalar of type f32, f16, bf16, i1, i32, i64 or index, got ")
             << result.getType();
    SmallVector<std::string> operands;
    for (Value v : op->getOperands())
      operands.push_back(ctx.nameOf(v));
    std::string value = scalarExpression(op, operands), tag = packedTag(result.getType());
    if (!tag.empty())
      value = "hd::toFloat(hd::convert<" + tag + ">(" + value + "))";
    ctx.line("const " + Twine(scalarTypeOf(result.getType())) + " " + ctx.nameOf(result) + " = " + value + ";");
    return success();
  }
  RankedTensorType type = tileType(result);
  int64_t group = registerArrayOf(type).packing;
  for (Value v : op->getOperands()) {
    auto operand = dyn_cast<RankedTensorType>(v.getType());
    if (!operand)
      continue;
    if (operand.getEncoding() != type.getEncoding())
      return op->emitOpError("expected operands in the result's layout, got ") << operand.getEncoding();
    group = std::max(group, registerArrayOf(operand).packing);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op); select && printSelectUnderBranch(select, ctx))
    return success();
  if (printPackedArithmetic(op, ctx) || printWidening(op, ctx))
    return success();
  printFill(ctx, type, ctx.nameOf(result), group, [&](ArrayRef<int64_t> at) {
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      if (std::string text = coordinateComparison(compare, ctx, at); !text.empty())
        return text;
    SmallVector<std::string> operands;
    for (Value v : op->getOperands())
      operands.push_back(isa<RankedTensorType>(v.getType()) ? elementOf(ctx, v, at) : ctx.nameOf(v));
    return scalarExpression(op, operands);
  });
  return success();
}

static void printSplat(Value result, const std::string &value, EmitContext &ctx) {
  printFill(ctx, tileType(result), ctx.nameOf(result), 1, [&](ArrayRef<int64_t>) { return value; });
}

/// A constant of different elements: a table in memory, of which each thread reads its own.
static void printTable(arith::ConstantOp op, DenseElementsAttr dense, EmitContext &ctx) {
  RankedTensorType type = tileType(op.getResult());
  LinearLayout layout = hw::layoutOf(type);
  std::string table = ctx.fresh("table"), values;
  for (Attribute value : dense.getValues<Attribute>())
    values += (values.empty() ? "" : ", ") + literal(value);
  ctx.line("static constexpr " + Twine(computeTypeOf(type.getElementType())) + " " + table + "[] = {" + values + "};");
  // Row-major: the thread's own offset and each register's.
  SmallVector<int64_t> strides(type.getRank(), 1), offsets;
  for (int64_t d = type.getRank() - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * type.getDimSize(d + 1);
  std::string first;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (std::string thread = threadCoordinate(ctx, layout, d); thread != "0")
      first += (first.empty() ? "" : " + ") + atom(thread) + " * " + std::to_string(strides[d]);
  for (int64_t r : layout.registers()) {
    int64_t offset = 0;
    for (int64_t d = 0; d < type.getRank(); ++d)
      offset += LinearLayout::component(layout.at(r, 0, 0), d) * strides[d];
    offsets.push_back(offset);
  }
  printFill(ctx, type, ctx.nameOf(op.getResult()), 1, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> mapped;
    for (int64_t e : at)
      mapped.push_back(offsets[e]);
    std::string offset = indexExpr(ctx, mapped);
    return table + "[" + (first.empty() ? offset : offset == "0" ? first : first + " + " + offset) + "]";
  });
}

static LogicalResult printConstant(arith::ConstantOp op, EmitContext &ctx) {
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    if (!dense.isSplat())
      return printTable(op, dense, ctx), success();
    printSplat(op.getResult(), literal(dense.getSplatValue<Attribute>()), ctx);
    return success();
  }
  // What it divides alone is printed as a reciprocal (ScalarMath.cpp), without it.
  if (matchPattern(op.getOperation(), m_OneFloat()) && !op.getType().isF64() &&
      llvm::all_of(op->getUses(),
                   [](OpOperand &use) { return isa<arith::DivFOp>(use.getOwner()) && use.getOperandNumber() == 0; }))
    return success();
  std::string type = scalarTypeOf(op.getType()), value = literal(op.getValue());
  if (type.empty() || value.empty())
    return op.emitOpError("expected a scalar constant of type f32, f16, bf16, i1, i32, i64 or index, got ")
           << op.getType();
  ctx.line("const " + Twine(type) + " " + ctx.nameOf(op.getResult()) + " = " + value + ";");
  return success();
}

/// result[e] = source[map[e]], where the source may have no array.
static void printMoved(EmitContext &ctx, Value result, Value source, ArrayRef<int64_t> given) {
  RankedTensorType to = tileType(result);
  std::string array = ctx.nameOf(result);
  SmallVector<int64_t> map(given);
  while (ctx.isRecomputed(source)) { // of moves only the last one is made
    std::optional<std::vector<int64_t>> before = elementMap(source);
    if (!before)
      break;
    for (int64_t &e : map)
      e = (*before)[e];
    source = source.getDefiningOp()->getOperand(0);
  }
  if (!ctx.isRecomputed(source))
    return printMove(ctx, to, array, tileType(source), ctx.nameOf(source), map);
  printFill(ctx, to, array, 1, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> moved;
    for (int64_t e : at)
      moved.push_back(map[e]);
    return elementOf(ctx, source, moved);
  });
}

static LogicalResult printRearranged(const Rearrangement &moved, EmitContext &ctx) {
  std::optional<std::vector<int64_t>> map = hw::registersOfSource(moved);
  if (!map)
    return moved.result.getDefiningOp()->emitOpError("expected a source that each thread holds of the result, got ")
           << moved.source.getType();
  bool same = !moved.repeats() && !ctx.isRecomputed(moved.source);
  if (!same || ctx.nameOf(moved.source) != ctx.nameOf(moved.result)) // they may share an array
    printMoved(ctx, moved.result, moved.source, *map);
  return success();
}

static LogicalResult printWindow(tensor::ExtractSliceOp op, EmitContext &ctx) {
  RankedTensorType from = op.getSourceType(), to = op.getType();
  auto window = planWindow(hw::layoutOf(from), op.getStaticOffsets(), op.getStaticSizes());
  if (!window || window->layout != hw::layoutOf(to))
    return op.emitOpError("expected a part that each thread holds of the whole, got ") << to;
  printMoved(ctx, op.getResult(), op.getSource(), window->source);
  return success();
}

static LogicalResult printIota(tile::IotaOp op, EmitContext &ctx) {
  printFill(ctx, op.getResult().getType(), ctx.nameOf(op.getResult()), 1,
            [&](ArrayRef<int64_t> at) { return iotaElement(ctx, op, at); });
  return success();
}

static LogicalResult printReshape(Operation *op, EmitContext &ctx) {
  std::optional<std::vector<int64_t>> map = elementMap(op->getResult(0));
  if (!map)
    return op->emitOpError("expected a layout that holds what the source's holds, got ") << op->getResult(0).getType();
  printMoved(ctx, op->getResult(0), op->getOperand(0), *map);
  return success();
}

/// The whole with a part replaced: runs of words that have the same mix of both, so that each is one loop.
static LogicalResult printInsertion(tensor::InsertSliceOp op, EmitContext &ctx) {
  RankedTensorType type = op.getType();
  std::optional<Window> window = planWindow(hw::layoutOf(type), op.getStaticOffsets(), op.getStaticSizes());
  if (!window || window->layout != hw::layoutOf(op.getSourceType()))
    return op.emitOpError("expected a part that each thread holds of the whole, got ") << op.getSourceType();
  RegisterArray info = registerArrayOf(type);
  SmallVector<int64_t> partOf(info.elements, -1); // element of the part per element of the whole
  for (auto [part, whole] : llvm::enumerate(window->source))
    partOf[whole] = part;
  printFillInRuns(
      ctx, type, ctx.nameOf(op.getResult()), [&](int64_t e) { return partOf[e] >= 0; },
      [&](ArrayRef<int64_t> at) {
        if (partOf[at.front()] < 0)
          return elementOf(ctx, op.getDest(), at);
        SmallVector<int64_t> moved;
        for (int64_t e : at)
          moved.push_back(partOf[e]);
        return elementOf(ctx, op.getSource(), moved);
      });
  return success();
}

bool cuda::isRegisterTileOp(Operation *op) {
  return isa<arith::ConstantOp, tensor::SplatOp, tensor::ExtractOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tile::ReduceOp, tile::IotaOp, tile::LoadOp, tile::GatherOp,
             tile::WindowOp, tile::ElementOp, tile::StoreOp, hw::ReadOp, hw::WriteOp, hw::ConvertLayoutOp>(op) ||
         Rearrangement::of(op) || AlongAxis::of(op) || hasScalarExpression(op);
}

LogicalResult heddle::verifyHasCUDA(Operation *kernel) {
  WalkResult walk = kernel->walk([](Operation *op) {
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Type type : values.getTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type); tile && failed(checkElements(op, tile)))
          return WalkResult::interrupt();
    if (!op->hasTrait<OpTrait::Elementwise>() || op->use_empty() || hasScalarExpression(op))
      return WalkResult::advance();
    op->emitError("expected an operation on tiles that has a lowering, got ") << op->getName();
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult cuda::printRegisterTileOp(Operation *op, EmitContext &ctx) {
  for (Type type : op->getOperandTypes())
    if (failed(checkTile(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkTile(op, type)))
      return failure();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return printConstant(constant, ctx);
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    printSplat(splat.getResult(), ctx.nameOf(splat.getInput()), ctx);
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) { // of a tile of one element, which all threads have
    ctx.line("const " + computeTypeOf(extract.getType()) + " " + ctx.nameOf(extract.getResult()) + " = " +
             elementOf(ctx, extract.getTensor(), {0}) + ";");
    return success();
  }
  if (std::optional<Rearrangement> moved = Rearrangement::of(op))
    return printRearranged(*moved, ctx);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return printWindow(slice, ctx);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return printInsertion(insert, ctx);
  if (Reshape::of(op))
    return printReshape(op, ctx);
  if (auto iota = dyn_cast<tile::IotaOp>(op))
    return printIota(iota, ctx);
  if (isa<tile::ReduceOp>(op))
    return printReduce(op, ctx);
  if (AlongAxis::of(op))
    return printAlong(op, ctx);
  if (isa<tile::WindowOp>(op))
    return printWindowOfMemory(op, ctx);
  if (isa<hw::ConvertLayoutOp>(op))
    return printConversion(op, ctx);
  if (isa<hw::ReadOp>(op))
    return printSharedRead(op, ctx);
  if (isa<hw::WriteOp>(op))
    return printSharedWrite(op, ctx);
  if (isa<tile::LoadOp, tile::GatherOp>(op))
    return printDirectLoad(op, ctx);
  if (isa<tile::ElementOp>(op))
    return printElement(op, ctx);
  if (isa<tile::StoreOp>(op))
    return printDirectStore(op, ctx);
  if (hasScalarExpression(op))
    return printElementwise(op, ctx);
  return op->emitOpError("expected an op on register tiles or scalars");
}
