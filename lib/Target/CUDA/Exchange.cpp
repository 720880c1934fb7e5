//===- Exchange.cpp - reductions and layout conversions -------------------------===//
//
// Reductions fold in the thread with several independent partial results (hd::fold), then by butterfly
// shuffles (hd::foldLanes), then (if warps share the dimension) through scratch in a fixed order; where a
// thread has many results, lanes and threads divide what is left to fold (hd::foldWarps). All replicas of a
// result are equal bit for bit. Conversions move registers, shuffle, or
// go through scratch, as planConversion finds. Scratch is free again when an op ends.
//
//===----------------------------------------------------------------------------===//
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/HW/Exchange.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/Fold.h"

#include <map>

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

/// What the text says for a kind of reduction.
namespace {
struct FoldText {
  std::string functor;      ///< of the device library
  StringRef infix;          ///< between two operands; empty: a function
  std::string floats, ints; ///< the functions
  bool narrows = false;     ///< results of narrow integers wrap
};
} // namespace

static FoldText textOf(tile::FoldKind kind) {
  switch (kind) {
  case tile::FoldKind::Add: return {"hd::Add()", " + ", "", "", true};
  case tile::FoldKind::Mul: return {"hd::Multiply()", " * ", "", "", true};
  case tile::FoldKind::Max: return {"hd::Maximum()", "", "hd::maximum", "hd::max"};
  case tile::FoldKind::Min: return {"hd::Minimum()", "", "hd::minimum", "hd::min"};
  case tile::FoldKind::And: return {"hd::And()", " & ", "", ""};
  case tile::FoldKind::Or: return {"hd::Or()", " | ", "", ""};
  case tile::FoldKind::Xor: return {"hd::Xor()", " ^ ", "", ""};
  }
  return {};
}

/// Balanced expression of parts[q], parts[q + stride], ...
static std::string foldTree(const FoldText &fold, bool isFloat, ArrayRef<std::string> parts) {
  if (parts.size() == 1)
    return parts[0];
  size_t half = (parts.size() + 1) / 2;
  std::string left = foldTree(fold, isFloat, parts.take_front(half)),
              right = foldTree(fold, isFloat, parts.drop_front(half));
  if (fold.infix.empty())
    return (isFloat ? fold.floats : fold.ints) + "(" + left + ", " + right + ")";
  return (half > 1 ? "(" + left + ")" : left) + fold.infix.str() +
         (parts.size() - half > 1 ? "(" + right + ")" : right);
}

/// Folds `values`, one per (lane, warp, result register), over the warps that differ in `bits`.
static void printWarpFold(const FoldText &fold, StringRef compute, StringRef values, int64_t count,
                          const LinearLayout &layout, ArrayRef<int> bits, const std::string &scratch,
                          EmitContext &ctx) {
  int mask = 0;
  for (int bit : bits)
    mask |= 1 << bit;
  bool isFloat = compute == "float" || compute == "double", asIs = compute != "int";
  std::string type = asIs ? compute.str() : "uint32_t";
  int64_t bytes = compute == "double" || compute == "int64_t" ? 8 : 4;
  auto address = [&](const std::string &warp, StringRef reg) {
    return atom(scratch) + " + ((" + warp + " * " + std::to_string(count) + " + " + reg.str() + ") * 32 + " +
           atom(ctx.lane()) + ") * " + std::to_string(bytes);
  };
  StringRef r = count > 1 ? "r" : "0";
  std::string value = (values + "[" + r + "]").str();
  printLoop(ctx, count,
            {"hd::stShared(" + address(atom(ctx.warp()), r) + ", " +
             (asIs ? value : "static_cast<uint32_t>(" + value + ")") + ");"});
  ctx.line(ctx.groupBarrier() + ";");
  std::vector<std::string> parts;
  int others = ~mask & (layout.numWarps() - 1);
  std::string first = others ? "(" + atom(ctx.warp()) + " & " + std::to_string(others) + ")" : "0";
  for (int w = 0; w < layout.numWarps(); ++w) {
    if (w & ~mask)
      continue;
    std::string load = "hd::ldShared<" + type + ">(" +
                       address(!w       ? first
                               : others ? "(" + first + " + " + std::to_string(w) + ")"
                                        : std::to_string(w),
                               r) +
                       ")";
    parts.push_back(asIs ? load : "static_cast<int>(" + load + ")");
  }
  printLoop(ctx, count, {value + " = " + foldTree(fold, isFloat, parts) + ";"});
  ctx.line(ctx.groupBarrier() + ";");
}

LogicalResult cuda::printReduce(Operation *operation, EmitContext &ctx) {
  auto op = cast<tile::ReduceOp>(operation);
  RankedTensorType from = op.getSource().getType(), to = op.getResult().getType();
  LinearLayout layout = hw::layoutOf(from);
  std::optional<Reduction> plan = planReduction(layout, op.getAxis());
  if (!plan || plan->result != hw::layoutOf(to))
    return op.emitOpError("expected a result in the slice of the source's layout, got ") << to.getEncoding();
  std::string type = computeTypeOf(to.getElementType());
  if (type.empty() || type == "bool")
    return op.emitOpError("expected float or integer elements to reduce, got ") << to.getElementType();
  FoldText fold = textOf(tile::foldOf(op));
  if (Value direction = op.getDirection()) {
    bool isMax = tile::foldOf(op) == tile::FoldKind::Max;
    fold.functor = fold.floats = "hd::Extreme{" + atom(ctx.nameOf(direction)) + (isMax ? " >= 0.0f" : " < 0.0f") + "}";
  }
  RegisterArray result = registerArrayOf(to);
  std::string target = ctx.nameOf(op.getResult()), values = target;
  int64_t results = result.elements;
  if (result.packing > 1) {
    values = ctx.fresh("folded");
    ctx.line(type + " " + values + "[" + Twine(results) + "];");
  }

  // Sources in the order t = k * results + q: the k-th element folded into result q.
  std::vector<SmallVector<int64_t>> sources(results);
  for (auto [e, q] : llvm::enumerate(plan->resultOf))
    sources[q].push_back(e);
  int64_t folded = sources[0].size();
  SmallVector<int64_t> order;
  for (int64_t k = 0; k < folded; ++k)
    for (int64_t q = 0; q < results; ++q)
      order.push_back(sources[q][k]);
  std::string element = elementOf(ctx, op.getSource(), order);
  if (order.size() > 1)
    ctx.line("hd::fold<" + Twine(order.size()) + ">(" + values + ", [&](int r) { return " + element + "; }, " +
             fold.functor + ");");
  else
    ctx.line(values + "[0] = " + element + ";");
  std::string masks;
  for (int mask : plan->laneMasks)
    masks += (masks.empty() ? "" : ", ") + std::to_string(mask);
  std::optional<hw::WarpFold> overWarps = hw::warpFoldOf(op);
  if (overWarps && overWarps->divided) {
    int mask = 0;
    for (int bit : plan->warpBits)
      mask |= 1 << bit;
    ctx.line("hd::foldWarps<" + Twine(mask) + ", " + Twine(overWarps->pitch) + (masks.empty() ? "" : ", ") + masks +
             ">(" + values + ", " + ctx.scratchFor(op) + ", " + ctx.warp() + ", " + fold.functor + ", [&] { " +
             ctx.groupBarrier() + "; });");
  } else {
    if (!masks.empty())
      ctx.line("hd::foldLanes<" + masks + ">(" + values + ", " + fold.functor + ");");
    if (overWarps)
      printWarpFold(fold, type, values, results, layout, plan->warpBits, ctx.scratchFor(op), ctx);
  }
  std::string value = values + "[" + (results > 1 ? "r" : "0") + "]";
  if (int bits = to.getElementType().isInteger() ? to.getElementTypeBitWidth() : 32; bits < 32 && fold.narrows)
    printLoop(ctx, results, {value + " = static_cast<int" + std::to_string(bits) + "_t>(" + value + ");"});
  if (result.packing > 1)
    printFill(ctx, to, target, 1, [&](ArrayRef<int64_t> at) { return values + "[" + indexExpr(ctx, at) + "]"; });
  return success();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// `value` gets what the warps before hold; `total`, where positions go on behind, the folds of all of them.
static void printWarpScan(const hw::WarpScan &scan, bool goesOn, bool reverse, StringRef type, const std::string &value,
                          const std::string &total, StringRef functor, tile::ScanOp op, EmitContext &ctx) {
  int64_t count = static_cast<int64_t>(scan.blocks.size());
  std::string blocks = ctx.fresh("blocks"), each = count > 1 ? "[r]" : "[0]";
  ctx.line(type + " " + blocks + "[" + Twine(count) + "];");
  printLoop(ctx, count, {blocks + each + " = " + total + "[" + indexExpr(ctx, scan.blocks) + "];"});
  std::string blockOf = indexExpr(ctx, scan.blockOf);
  ctx.line("hd::scanWarps<" + Twine(scan.warpMask) + ", " + Twine(scan.laneMask) + ", " + Twine(scan.pitch) + ", " +
           (reverse ? "true" : "false") + ", " + (goesOn ? "true" : "false") + ">(" + value + ", " + blocks + ", " +
           ctx.scratchFor(op) + ", " + ctx.warp() + ", " + functor + ", [&](int r) { return " + blockOf +
           "; }, [&] { " + ctx.groupBarrier() + "; });");
  if (goesOn)
    printLoop(ctx, static_cast<int64_t>(scan.blockOf.size()), {total + "[r] = " + blocks + "[" + blockOf + "];"});
}

/// Positions along the axis in blocks of 1, 2, 4, ...: every element keeps the fold of its block and that of the part
/// of it up to itself. A step joins two neighbours, which one bit of the position tells apart, of the register's number
/// or the lane's; bits of the warp's number are joined as warpScansOf says.
static LogicalResult printScan(tile::ScanOp op, EmitContext &ctx) {
  RankedTensorType tile = op.getResult().getType();
  LinearLayout layout = hw::layoutOf(tile);
  if (layout != hw::layoutOf(op.getSource().getType()))
    return op.emitOpError("expected one layout, got that of ") << op.getSource().getType();
  std::string type = computeTypeOf(tile.getElementType());
  if (type.empty() || type == "bool")
    return op.emitOpError("expected float or integer elements to reduce, got ") << tile.getElementType();
  int axis = op.getAxis();
  bool reverse = op.getReverse();
  RegisterArray array = registerArrayOf(tile);
  tile::FoldKind kind = *tile::findFold(op.getKind());
  FoldText fold = textOf(kind);
  ctx.line("{");
  ctx.indent();
  std::string value = ctx.fresh("scanned"), total = ctx.fresh("total"), functor = fold.functor;
  std::string count = std::to_string(array.elements), each = array.elements > 1 ? "[r]" : "[0]";
  ctx.line(type + " " + value + "[" + count + "], " + total + "[" + count + "];");
  std::string element = elementOf(ctx, op.getSource(), llvm::to_vector(llvm::seq<int64_t>(0, array.elements)));
  printLoop(ctx, array.elements, {value + each + " = " + total + each + " = " + element + ";"});
  std::vector<int64_t> registers = layout.registers();
  auto bitOf = [&](const std::vector<LinearLayout::Vector> &basis, int64_t bit) {
    auto found = llvm::find(basis, LinearLayout::unit(axis, bit));
    return found == basis.end() ? -1 : static_cast<int>(found - basis.begin());
  };
  std::vector<hw::WarpScan> scans = hw::warpScansOf(tile, axis);
  int64_t lower = 0; // registers' bits of positions below `bit`
  for (int64_t bit = 1; bit < tile.getDimSize(axis); bit *= 2) {
    if (int place = bitOf(layout.reg(), bit); place >= 0) {
      // Of a block that ends early the first register stands for those that are missing: its total is the block's.
      SmallVector<int64_t> low, high, alone, first;
      for (auto [e, r] : llvm::enumerate(registers)) {
        if (r >> place & 1)
          continue;
        int64_t partner = r | int64_t(1) << place;
        if (auto other = llvm::find(registers, partner); other != registers.end()) {
          low.push_back(e);
          high.push_back(other - registers.begin());
        } else if (auto block = llvm::find(registers, partner & ~lower); reverse && block != registers.end()) {
          alone.push_back(e);
          first.push_back(block - registers.begin());
        }
      }
      lower |= int64_t(1) << place;
      if (!alone.empty()) { // before totals of the blocks change
        std::string l = "[" + indexExpr(ctx, alone) + "]", h = total + "[" + indexExpr(ctx, first) + "]";
        printLoop(ctx, alone.size(),
                  {value + l + " = " + functor + "(" + h + ", " + value + l + ");",
                   total + l + " = " + functor + "(" + total + l + ", " + h + ");"});
      }
      if (low.empty())
        continue;
      std::string l = "[" + indexExpr(ctx, low) + "]", h = "[" + indexExpr(ctx, high) + "]";
      std::string later = value + (reverse ? l : h), before = total + (reverse ? h : l);
      printLoop(ctx, low.size(),
                {later + " = " + functor + "(" + before + ", " + later + ");",
                 total + l + " = " + total + h + " = " + functor + "(" + total + l + ", " + total + h + ");"});
    } else if (int place = bitOf(layout.lane(), bit); place >= 0) {
      ctx.line("hd::scanLanes<" + Twine(1 << place) + ", " + (reverse ? "true" : "false") + ">(" + value + ", " +
               total + ", " + functor + ");");
    } else if (auto scan = llvm::find_if(scans, [&](const hw::WarpScan &s) { return s.firstBit == bit; });
               scan != scans.end()) {
      printWarpScan(*scan, scan->endBit < tile.getDimSize(axis), reverse, type, value, total, functor, op, ctx);
      bit = scan->endBit / 2;
    } else {
      return op.emitOpError("expected positions along dimension ")
             << axis << " of which registers, lanes and warps hold one bit each, got " << tile;
    }
  }
  int bits = tile.getElementType().isInteger() ? tile.getElementTypeBitWidth() : 32;
  printFill(ctx, tile, ctx.nameOf(op.getResult()), 1, [&](ArrayRef<int64_t> at) {
    std::string result = value + "[" + indexExpr(ctx, at) + "]";
    return bits < 32 && fold.narrows ? "static_cast<int" + std::to_string(bits) + "_t>(" + result + ")" : result;
  });
  ctx.unindent();
  ctx.line("}");
  return success();
}

LogicalResult cuda::printAlong(Operation *op, EmitContext &ctx) { return printScan(cast<tile::ScanOp>(op), ctx); }

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

LogicalResult cuda::printConversion(Operation *operation, EmitContext &ctx) {
  auto op = cast<hw::ConvertLayoutOp>(operation);
  RankedTensorType from = op.getSource().getType(), to = op.getResult().getType();
  std::string y = ctx.nameOf(op.getResult());
  if (ctx.isRecomputed(op.getSource())) { // of a constant, say: its elements, wherever they lie
    std::optional<std::vector<int64_t>> map = elementMap(op.getResult());
    printFill(ctx, to, y, 1, [&](ArrayRef<int64_t> at) {
      SmallVector<int64_t> moved;
      for (int64_t e : at)
        moved.push_back((*map)[e]);
      return elementOf(ctx, op.getSource(), moved);
    });
    return success();
  }
  std::string x = ctx.nameOf(op.getSource());
  Conversion plan = hw::planOf(from, to);
  switch (plan.kind) {
  case ConversionKind::Identity:
    if (x != y)
      printMove(ctx, to, y, from, x, llvm::to_vector(llvm::seq<int64_t>(0, registerArrayOf(to).elements)));
    return success();
  case ConversionKind::Registers: printMove(ctx, to, y, from, x, plan.source); return success();
  case ConversionKind::Shuffle: {
    // Source lane: XOR of the images of the set lane bits, one term per bit that moves.
    std::string lane;
    int kept = 0;
    for (auto [bit, image] : llvm::enumerate(plan.laneMap))
      if (image == 1 << bit)
        kept |= 1 << bit;
      else if (image)
        lane += " ^ (" + atom(ctx.lane()) + " >> " + std::to_string(bit) + " & 1) * " + std::to_string(image);
    lane = (kept == 31 ? atom(ctx.lane()) : "(" + atom(ctx.lane()) + " & " + std::to_string(kept) + ")") + lane;
    std::string name = ctx.fresh("sourceLane");
    ctx.line("const int " + name + " = " + lane + ";");
    bool isBool = computeTypeOf(to.getElementType()) == "bool";
    printMove(ctx, to, y, from, x, plan.source, [&](std::string value, ArrayRef<int64_t> at) {
      SmallVector<int64_t> masks;
      for (int64_t e : at)
        masks.push_back(plan.laneXor[e]);
      std::string mask = indexExpr(ctx, masks);
      std::string shuffled = "hd::shfl(" + (isBool ? "static_cast<int>(" + value + ")" : value) + ", " + name +
                             (mask == "0" ? "" : " ^ " + atom(mask)) + ")";
      return isBool ? shuffled + " != 0" : shuffled;
    });
    return success();
  }
  case ConversionKind::Exchange: {
    std::map<int, int> masks; // bits of the lane by how far they move
    for (auto [bit, image] : llvm::enumerate(plan.laneMap))
      if (image)
        masks[static_cast<int>(llvm::Log2_32(image)) - static_cast<int>(bit)] |= 1 << bit;
    std::string lane;
    for (auto [by, mask] : masks) {
      std::string part = "(" + atom(ctx.lane()) + " & " + std::to_string(mask) + ")";
      if (by)
        part += (by > 0 ? " << " : " >> ") + std::to_string(std::abs(by));
      lane += (lane.empty() ? "" : " | ") + part;
    }
    std::string selectors;
    if (Conversion whole; plan.firstSelector != whole.firstSelector || plan.secondSelector != whole.secondSelector)
      selectors = ", " + hexLiteral(plan.firstSelector) + ", " + hexLiteral(plan.secondSelector);
    std::string name = ctx.fresh("sourceLane");
    ctx.line("const int " + name + " = " + (lane.empty() ? "0" : lane) + ";");
    ctx.line("hd::exchangeLanes<" + Twine(plan.stride / registerArrayOf(to).packing) + ", " + Twine(plan.fromLane) +
             ", " + Twine(plan.toLane) + selectors + ">(" + y + ", " + x + ", " + name + ");");
    return success();
  }
  case ConversionKind::SharedMemory: break;
  }
  std::optional<RankedTensorType> fromRows = hw::inRows(from), toRows = hw::inRows(to);
  if (!fromRows)
    return op.emitOpError("expected a tile that is converted through shared memory to have sizes that are powers of "
                          "two between its first and last dimension, got ")
           << from;
  hw::ExchangeTile exchange = hw::exchangeTile(from, to);
  SmemTile tile;
  tile.rows = exchange.rows;
  tile.cols = exchange.cols;
  tile.elemBytes = exchange.elemBytes;
  tile.pitchBytes = exchange.pitchBytes;
  tile.base = ctx.scratchFor(op);
  if (failed(printTileToShared(op, *fromRows, {x, {}}, tile, ctx)))
    return failure();
  ctx.line(ctx.groupBarrier() + ";");
  if (failed(printTileFromShared(op, *toRows, y, tile, ctx)))
    return failure();
  ctx.line(ctx.groupBarrier() + ";");
  return success();
}
