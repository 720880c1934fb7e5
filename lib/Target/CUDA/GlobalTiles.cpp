//===- GlobalTiles.cpp - register tiles from and to global memory -----------===//
//
// Tiles that the copy engine does not move: up to 16 bytes at a time where the layout has neighbours in one thread and
// a run-time test finds addresses and sizes aligned to that; else one element at a time. Each access has its bounds
// test. Rows that the loading thread brings to shared memory, and single elements.
//
//===----------------------------------------------------------------------------===//
#include "GlobalAddress.h"
#include "Prepare/Stores.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/CacheHints.h"
#include "heddle/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

/// Calls lines(elements per part of an array word) for all words, in loops.
static void forWords(EmitContext &ctx, RankedTensorType type,
                     llvm::function_ref<std::vector<std::string>(std::string, ArrayRef<SmallVector<int64_t>>)> lines) {
  RegisterArray info = registerArrayOf(type);
  auto section = [&](int64_t first, int64_t count, int64_t parts) {
    SmallVector<SmallVector<int64_t>> elements(parts);
    SmallVector<int64_t> words;
    for (int64_t w = first; w < first + count; ++w) {
      words.push_back(w);
      for (int64_t p = 0; p < parts; ++p)
        elements[p].push_back(w * info.packing + p);
    }
    printLoop(ctx, count, lines(indexExpr(ctx, words), elements));
  };
  if (int64_t whole = info.elements / info.packing)
    section(0, whole, info.packing);
  if (int64_t rest = info.elements % info.packing)
    section(info.elements / info.packing, 1, rest);
}

/// Calls lines(first element of each access, its array words) in a loop over accesses of `vector` elements.
static void forVectors(EmitContext &ctx, RankedTensorType type, int64_t vector,
                       llvm::function_ref<std::vector<std::string>(ArrayRef<int64_t>, ArrayRef<std::string>)> lines) {
  RegisterArray info = registerArrayOf(type);
  SmallVector<int64_t> first;
  for (int64_t e = 0; e < info.elements; e += vector)
    first.push_back(e);
  SmallVector<std::string> words;
  for (int64_t part = 0; part < vector; part += info.packing) {
    SmallVector<int64_t> at;
    for (int64_t e : first)
      at.push_back((e + part) / info.packing);
    words.push_back(indexExpr(ctx, at));
  }
  printLoop(ctx, first.size(), lines(first, words));
}

/// Prints `wide` under the condition that accesses of several elements are aligned, else `narrow`.
static void printAccesses(GlobalAddress &address, int64_t packing, EmitContext &ctx, llvm::function_ref<void()> wide,
                          llvm::function_ref<void()> narrow) {
  if (address.vector <= 1 || address.vector < packing)
    return narrow();
  std::string aligned = address.aligned();
  if (aligned.empty())
    return wide();
  ctx.line("if (" + aligned + ") {");
  ctx.indent();
  wide();
  ctx.unindent();
  ctx.line("} else {");
  ctx.indent();
  narrow();
  ctx.unindent();
  ctx.line("}");
}

/// The type of `vector` elements in memory, as array words where they are packed.
static std::string vectorTypeInMemory(const GlobalAddress &address, int64_t packing) {
  return "hd::Vector<" + (packing > 1 ? "uint32_t" : address.element) + ", " +
         std::to_string(address.vector / packing) + ">";
}

LogicalResult cuda::printDirectLoad(Operation *operation, EmitContext &ctx) {
  auto load = dyn_cast<tile::LoadOp>(operation);
  auto gather = dyn_cast<tile::GatherOp>(operation);
  auto type = cast<RankedTensorType>(operation->getResult(0).getType());
  if (failed(checkMemoryElement(operation, type.getElementType())))
    return failure();
  FailureOr<NamedRows> rows = NamedRows();
  if (gather)
    rows = namedRows(gather, gather.getRows(), type, ctx);
  if (failed(rows))
    return failure();
  std::string array = ctx.nameOf(operation->getResult(0));
  int64_t packing = registerArrayOf(type).packing, bits = 32 / packing;
  ctx.line("{");
  ctx.indent();
  Value view = gather ? gather.getView() : load.getView();
  ValueRange indices = gather ? gather.getIndices() : load.getIndices();
  SmallVector<int64_t> dims = gather ? gather.getTileDims() : load.getTileDims();
  ArrayRef<int64_t> extent = load ? load.getExtent().value_or(ArrayRef<int64_t>()) : ArrayRef<int64_t>();
  GlobalAddress address(ctx, type, view, indices, dims, extent, true, *rows);
  auto wide = [&] {
    forVectors(ctx, type, address.vector, [&](ArrayRef<int64_t> first, ArrayRef<std::string> words) {
      std::string loaded = ctx.fresh("row");
      std::string function = operation->hasAttr(onceAttr) ? "hd::streamGlobalIf<" : "hd::loadGlobalIf<";
      std::vector<std::string> body = {"const auto " + loaded + " = " + function +
                                       vectorTypeInMemory(address, packing) + ">(" + address.address(first) + ", " +
                                       address.condition(first) + ");"};
      for (auto [i, word] : llvm::enumerate(words))
        body.push_back(array + "[" + word + "] = " + loaded + ".v[" + std::to_string(i) + "];");
      return body;
    });
  };
  auto narrow = [&] {
    forWords(ctx, type, [&](std::string word, ArrayRef<SmallVector<int64_t>> parts) {
      std::string value;
      for (auto [p, elements] : llvm::enumerate(parts)) {
        std::string load = address.condition(elements) + " ? " + address.access(elements) + " : ";
        if (packing == 1)
          value = load + (type.getElementType().isF32() ? "0.0f" : type.getElementType().isF64() ? "0.0" : "0");
        else
          value +=
              (p ? " | " : "") + std::string("uint32_t(") + load + "0)" + (p ? " << " + std::to_string(p * bits) : "");
      }
      return std::vector<std::string>{array + "[" + word + "] = " + value + ";"};
    });
  };
  printAccesses(address, packing, ctx, wide, narrow);
  ctx.unindent();
  ctx.line("}");
  return success();
}

namespace {
/// A condition that coordinates are inside, and an offset.
struct ElementPlace {
  std::string inside, offset;
};
} // namespace

/// Where the element at `indices` is; without the last `open` dimensions, where a part begins that spans them. The
/// load warp asks, which has few registers (`hd::scaled`); products with known strides are shifts and additions.
static ElementPlace placeIn(const ViewAccess &view, ArrayRef<std::string> indices, size_t open = 0) {
  ElementPlace place;
  for (auto [index, size, stride] : llvm::zip(indices.drop_back(open), view.sizes, view.strides)) {
    place.inside += (place.inside.empty() ? "" : " && ") + inside(index, size);
    bool isKnown = stride.find_first_not_of("0123456789") == std::string::npos;
    place.offset += (place.offset.empty() ? "" : " + ") +
                    (isKnown ? scaled(index, stride) : "hd::scaled(" + index + ", " + stride + ")");
  }
  return place;
}

std::string cuda::rowLoadCall(hw::RowLoadOp load, const std::string &barrier, EmitContext &ctx) {
  ViewAccess view = ctx.viewOf(load.getView());
  auto tile = cast<hw::TileType>(load.getDest().getType());
  SmallVector<std::string> indices = namesOf(ctx, load.getIndices());
  auto [inside, offset] = placeIn(view, indices, 1);
  std::string type = tile.getElementType().isInteger(32) ? "uint32_t" : memoryTypeOf(tile.getElementType()),
              row = "reinterpret_cast<const " + type + " *>(" + view.pointer + ")", size = view.sizes.back();
  if (!offset.empty())
    row += " + " + offset;
  if (!inside.empty())
    size = inside + " ? " + size + " : 0";
  return "hd::rowLoad<" + std::to_string(tile.getShape().back()) + ">(" + ctx.nameOf(load.getDest()) + ", " + row +
         ", " + indices.back() + ", " + size + ", " + barrier + ")";
}

LogicalResult cuda::printWindowOfMemory(Operation *operation, EmitContext &ctx) {
  auto op = cast<tile::WindowOp>(operation);
  ctx.line("char *const " + ctx.nameOf(op.getResult()) + " = reinterpret_cast<char *>(" +
           ctx.viewOf(op.getMemory()).pointer + ") + " + atom(ctx.nameOf(op.getAddress())) + ";");
  return success();
}

/// One element, which all threads read alike.
LogicalResult cuda::printElement(Operation *operation, EmitContext &ctx) {
  auto op = cast<tile::ElementOp>(operation);
  Type type = op.getResult().getType();
  if (failed(checkMemoryElement(op, type)))
    return failure();
  ViewAccess view = ctx.viewOf(op.getView());
  auto [inside, place] = placeIn(view, namesOf(ctx, op.getIndices()));
  std::string pointer = view.pointer, compute = computeTypeOf(type), zero = type.isF64() ? "0.0" : "0";
  if (isNarrowInteger(type)) // its sign is the number's
    pointer = "reinterpret_cast<const int" + std::to_string(type.getIntOrFloatBitWidth()) + "_t *>(" + pointer + ")";
  else if (!type.isF32() && !type.isInteger(32) && packedTag(type).empty())
    pointer = "reinterpret_cast<const " + memoryTypeOf(type) + " *>(" + pointer + ")";
  std::string element = pointer + "[" + place + "]";
  if (!packedTag(type).empty())
    element = "hd::toFloat(" + element + ")";
  ctx.line("const " + compute + " " + ctx.nameOf(op.getResult()) + " = " + inside + " ? " + element + " : " +
           (compute == "float" ? "0.0f" : zero) + ";");
  return success();
}

/// Threads that hold the same elements of `type` divide them: each keeps a part, which `array` names then.
static void shareReplicas(RankedTensorType &type, std::string &array, EmitContext &ctx) {
  LinearLayout layout = hw::layoutOf(type);
  std::vector<LinearLayout::Vector> reg = layout.reg(), lane = layout.lane(), warp = layout.warp();
  if (layout.numRegisters() != int64_t(1) << reg.size())
    return;
  std::string from = array, part;
  auto share = [&](std::vector<LinearLayout::Vector> &basis, const std::string &index) {
    for (auto [bit, v] : llvm::enumerate(basis)) {
      if (v || reg.empty())
        continue;
      int64_t half = int64_t(1) << (reg.size() - 1);
      v = reg.back();
      reg.pop_back();
      if (part.empty()) {
        part = ctx.fresh("part");
        ctx.line(computeTypeOf(type.getElementType()) + " " + part + "[" + Twine(half) + "];");
      }
      std::string r = half > 1 ? "r" : "0", upper = half > 1 ? std::to_string(half) + " + r" : "1";
      if (half > 1) { // of its own: one half is made of both
        ctx.line("#pragma unroll");
        ctx.line("for (int r = 0; r < " + Twine(half) + "; ++r)");
      }
      ctx.line((half > 1 ? "  " : "") + part + "[" + r + "] = " + atom(index) + " & " + std::to_string(1 << bit) +
               " ? " + from + "[" + upper + "] : " + from + "[" + r + "];");
      from = part;
    }
  };
  share(lane, ctx.lane());
  share(warp, ctx.warp());
  if (part.empty())
    return;
  array = part;
  type = hw::withLayout(type, LinearLayout(layout.shape(), reg, lane, warp));
}

LogicalResult cuda::printDirectStore(Operation *operation, EmitContext &ctx) {
  auto op = cast<tile::StoreOp>(operation);
  RankedTensorType type = op.getValue().getType();
  Type elementType = type.getElementType();
  if (failed(checkMemoryElement(op, elementType)))
    return failure();
  bool add = op.getKind() == "add";
  if (add && !elementType.isF32() && !elementType.isInteger(32) && !elementType.isInteger(64) && !elementType.isF64() &&
      !elementType.isF16() && !elementType.isBF16())
    return op.emitOpError("expected f64, f32, f16, bf16, i64 or i32 elements for kind \"add\", got ") << elementType;
  FailureOr<NamedRows> rows = NamedRows();
  if (op.getRows())
    rows = namedRows(op, op.getRows(), type, ctx);
  if (failed(rows))
    return failure();
  std::string array = ctx.nameOf(op.getValue());
  int64_t packing = registerArrayOf(type).packing, bits = 32 / packing;
  StoreWay way = wayOf(op);
  if (way == StoreWay::Parts)
    shareReplicas(type, array, ctx);
  std::string owner = ownerCondition(ctx, hw::layoutOf(type));
  ctx.line(owner.empty() ? "{" : "if (" + owner + ") {");
  ctx.indent();
  auto addressOf = [&](RankedTensorType tile, bool isTurned) {
    return GlobalAddress(ctx, tile, op.getView(), op.getIndices(), op.getTileDims(),
                         op.getExtent().value_or(ArrayRef<int64_t>()), false, *rows, op.getBelow(), isTurned);
  };
  auto storeWide = [&](GlobalAddress &address, RankedTensorType tile, const std::string &from) {
    forVectors(ctx, tile, address.vector, [&](ArrayRef<int64_t> first, ArrayRef<std::string> words) {
      std::string values;
      for (auto [i, word] : llvm::enumerate(words)) {
        values += (i ? ", " : "") + from + "[" + word + "]";
      }
      return std::vector<std::string>{"hd::storeGlobalIf(" + address.address(first) + ", " + address.condition(first) +
                                      ", " + vectorTypeInMemory(address, packing) + "{{" + values + "}});"};
    });
  };
  std::optional<Turned> turned = way == StoreWay::Turned ? turnedTile(type) : std::nullopt;
  auto storeTurned = [&](GlobalAddress &address) {
    std::string to = ctx.fresh("turned");
    ctx.line("uint32_t " + to + "[" + Twine(registerArrayOf(type).elements / packing) + "];");
    ctx.line("hd::turnQuads<" + Twine(turned->low) + ", " + Twine(turned->high) + ">(" + to + ", " + array + ");");
    storeWide(address, turned->type, to);
  };
  auto close = [&](StringRef line) {
    ctx.unindent();
    ctx.line(line);
  };
  if (turned) {
    GlobalAddress address = addressOf(turned->type, true);
    std::string aligned = address.aligned();
    if (!aligned.empty()) {
      ctx.line("if (" + aligned + ") {");
      ctx.indent();
    }
    storeTurned(address);
    if (aligned.empty()) {
      close("}");
      return success();
    }
    close("} else {");
    ctx.indent();
  }
  GlobalAddress address = addressOf(type, false);
  auto wide = [&] { storeWide(address, type, array); };
  auto narrow = [&] {
    forWords(ctx, type, [&](std::string word, ArrayRef<SmallVector<int64_t>> parts) {
      std::vector<std::string> body;
      for (auto [p, elements] : llvm::enumerate(parts)) {
        std::string value = array + "[" + word + "]", target = address.access(elements), tag = packedTag(elementType);
        if (packing > 1)
          value = "static_cast<" + address.element + ">(" + value + (p ? " >> " + std::to_string(p * bits) : "") + ")";
        if (add && packing > 1)
          body.push_back("if (" + address.condition(elements) + ") hd::addGlobal<" + tag + ">(&" + target + ", " +
                         value + ");");
        else
          body.push_back("if (" + address.condition(elements) + ") " +
                         (add ? "hd::addGlobal(&" + target + ", " + value + ");" : target + " = " + value + ";"));
      }
      return body;
    });
  };
  if (way == StoreWay::Elements || way == StoreWay::Parts || op->hasAttr(seldomAttr))
    narrow();
  else
    printAccesses(address, packing, ctx, wide, narrow);
  if (turned)
    close("}");
  close("}");
  return success();
}
