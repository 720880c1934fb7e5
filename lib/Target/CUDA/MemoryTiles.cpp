//===- MemoryTiles.cpp - register tiles from and to shared and global memory ----===//
//
// Shared memory: as wide as planSmemAccess allows. The thread's own offset is swizzled once;
// every register then adds a constant and XORs at most address bits 0..6.
// Global memory (tiles that no TMA moves): one element at a time, each with its bounds test.
//
//===----------------------------------------------------------------------------===//
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {

/// The accesses of one tile as C++ address expressions.
class SharedAddress {
public:
  SharedAddress(EmitContext &ctx, const LinearLayout &layout, const SmemTile &tile, ArrayRef<SmemAccess::Entry> entries)
      : ctx(ctx), base(atom(tile.base)) {
    for (const SmemAccess::Entry &entry : entries)
      usesLow |= entry.low != 0;
    int inner = layout.rank() == 1 || tile.transposed ? 0 : 1;
    std::string row = layout.rank() < 2 ? "0" : threadCoordinate(ctx, layout, 1 - inner);
    std::string col = layout.rank() < 1 ? "0" : threadCoordinate(ctx, layout, inner);
    int64_t reach = 0;
    for (const auto *basis : {&layout.lane(), &layout.warp()})
      for (LinearLayout::Vector v : *basis)
        reach |= LinearLayout::component(v, inner);
    int64_t chunk = tile.chunked ? tile.swizzleBytes / tile.elemBytes : 0;
    std::string offset;
    auto add = [&](const std::string &text, int64_t factor) {
      if (text != "0")
        offset += (offset.empty() ? "" : " + ") + atom(text) + " * " + std::to_string(factor);
    };
    add(row, tile.pitchBytes);
    if (chunk && reach >= chunk && col != "0") {
      add(atom(col) + " / " + std::to_string(chunk), tile.rows * tile.swizzleBytes);
      add(atom(col) + " % " + std::to_string(chunk), tile.elemBytes);
    } else {
      add(col, tile.elemBytes);
    }
    if (offset.empty())
      offset = "0";
    if (tile.swizzleBytes)
      offset = "hd::swizzle<" + std::to_string(tile.swizzleBytes) + ">(" + offset + ")";
    name = ctx.fresh("at");
    ctx.line("const uint32_t " + name + " = " + (usesLow ? offset : base + " + " + offset) + ";");
  }

  /// Address of accesses[i] for loop trip i.
  std::string of(ArrayRef<const SmemAccess::Entry *> accesses) {
    SmallVector<int64_t> low, high;
    for (const SmemAccess::Entry *entry : accesses) {
      low.push_back(entry->low);
      high.push_back(entry->high);
    }
    std::string text = name, lowText = indexExpr(ctx, low), highText = indexExpr(ctx, high);
    if (usesLow)
      text = base + " + " + (lowText == "0" ? name : "(" + name + " ^ " + atom(lowText) + ")");
    return highText == "0" ? text : text + " + " + highText;
  }

private:
  EmitContext &ctx;
  std::string base, name;
  bool usesLow = false;
};

/// Accesses of whole array words, or of half words.
struct AccessPlan {
  SmemAccess access;
  int64_t words = 0;                             ///< array words per access; 0: half words
  std::vector<const SmemAccess::Entry *> halves; ///< with words == 0: by half word of the array
};

} // namespace

static FailureOr<AccessPlan> planAccess(Operation *op, RankedTensorType type, const SmemTile &tile) {
  LinearLayout layout = hw::layoutOf(type);
  SmemStorage storage{tile.rows,    tile.cols,       tile.elemBytes, tile.pitchBytes, tile.swizzleBytes,
                      tile.chunked, tile.transposed, tile.rowOffset, tile.colOffset};
  int64_t packing = registerArrayOf(type).packing;
  if (packing * tile.elemBytes != 4) {
    op->emitOpError("expected f32, i32, f16, bf16 or f8 elements in shared memory, got ") << type.getElementType();
    return failure();
  }
  for (int64_t maxBytes : {16, 2}) {
    AccessPlan plan;
    std::optional<SmemAccess> access = planSmemAccess(layout, storage, maxBytes);
    if (!access) {
      op->emitOpError("expected a tile whose corner is aligned to its extent in storage of ")
          << tile.rows << "x" << tile.cols << ", got corner " << tile.rowOffset << ", " << tile.colOffset;
      return failure();
    }
    plan.access = std::move(*access);
    plan.words = plan.access.vector / packing;
    int64_t unit = plan.words ? packing : plan.access.vector;
    bool whole = plan.words || plan.access.vector * tile.elemBytes == 2;
    for (const SmemAccess::Entry &entry : plan.access.entries)
      for (auto [i, r] : llvm::enumerate(entry.registers))
        whole &= i % unit ? r == entry.registers[i - 1] + 1 : r % unit == 0;
    if (!whole)
      continue;
    if (!plan.words) {
      plan.halves.resize(plan.access.entries.size());
      for (const SmemAccess::Entry &entry : plan.access.entries)
        plan.halves[entry.registers[0] / unit] = &entry;
    }
    return plan;
  }
  op->emitOpError("expected registers that pair up in shared memory, got layout ") << type.getEncoding();
  return failure();
}

static std::string vectorType(int64_t words, bool isFloat) {
  if (words == 1)
    return isFloat ? "float" : "uint32_t";
  return std::string(isFloat ? "hd::f32x" : "hd::u32x") + std::to_string(words);
}

/// Loops over array words w in steps of one with the accesses of both halves; calls line(wordIndex, lowHalf, highHalf
/// or empty).
static void forHalves(EmitContext &ctx, const AccessPlan &plan, SharedAddress &address,
                      llvm::function_ref<std::vector<std::string>(std::string, std::string, std::string)> lines) {
  ArrayRef<const SmemAccess::Entry *> halves(plan.halves);
  auto section = [&](int64_t first, int64_t count, bool both) {
    SmallVector<const SmemAccess::Entry *> low, high;
    SmallVector<int64_t> words;
    for (int64_t w = first; w < first + count; ++w) {
      words.push_back(w);
      low.push_back(halves[2 * w]);
      if (both)
        high.push_back(halves[2 * w + 1]);
    }
    printLoop(ctx, count, lines(indexExpr(ctx, words), address.of(low), both ? address.of(high) : ""));
  };
  int64_t pairs = halves.size() / 2;
  if (pairs)
    section(0, pairs, true);
  if (halves.size() % 2)
    section(pairs, 1, false);
}

/// Array word j of each access.
static std::string wordIndex(EmitContext &ctx, const AccessPlan &plan, int64_t j, int64_t packing) {
  SmallVector<int64_t> words;
  for (const SmemAccess::Entry &entry : plan.access.entries)
    words.push_back(entry.registers[j * packing] / packing);
  return indexExpr(ctx, words);
}

static SmallVector<const SmemAccess::Entry *> pointers(const AccessPlan &plan) {
  SmallVector<const SmemAccess::Entry *> result;
  for (const SmemAccess::Entry &entry : plan.access.entries)
    result.push_back(&entry);
  return result;
}

LogicalResult cuda::printTileToShared(Operation *op, RankedTensorType type, StringRef array, const SmemTile &tile,
                                      EmitContext &ctx) {
  FailureOr<AccessPlan> plan = planAccess(op, type, tile);
  if (failed(plan))
    return failure();
  LinearLayout layout = hw::layoutOf(type);
  bool isFloat = computeTypeOf(type.getElementType()) == "float" && tile.elemBytes == 4;
  std::string owner = ownerCondition(ctx, layout);
  ctx.line("{");
  ctx.indent();
  SharedAddress address(ctx, layout, tile, plan->access.entries);
  if (!owner.empty()) {
    ctx.line("if (" + owner + ") {");
    ctx.indent();
  }
  if (plan->words == 0) {
    forHalves(ctx, *plan, address, [&](std::string word, std::string low, std::string high) {
      std::string value = (array + "[" + word + "]").str();
      std::vector<std::string> body = {"hd::stShared(" + low + ", static_cast<uint16_t>(" + value + "));"};
      if (!high.empty())
        body.push_back("hd::stShared(" + high + ", static_cast<uint16_t>(" + value + " >> 16));");
      return body;
    });
  } else {
    int64_t packing = registerArrayOf(type).packing;
    std::string value, cast = isFloat || packing > 1 ? "" : "static_cast<uint32_t>";
    for (int64_t j = 0; j < plan->words; ++j) {
      std::string word = (array + "[" + wordIndex(ctx, *plan, j, packing) + "]").str();
      value += (j ? ", " : "") + (cast.empty() ? word : cast + "(" + word + ")");
    }
    if (plan->words > 1)
      value = vectorType(plan->words, isFloat) + "{{" + value + "}}";
    printLoop(ctx, plan->access.entries.size(), {"hd::stShared(" + address.of(pointers(*plan)) + ", " + value + ");"});
  }
  if (!owner.empty()) {
    ctx.unindent();
    ctx.line("}");
  }
  ctx.unindent();
  ctx.line("}");
  return success();
}

LogicalResult cuda::printTileFromShared(Operation *op, RankedTensorType type, StringRef array, const SmemTile &tile,
                                        EmitContext &ctx) {
  FailureOr<AccessPlan> plan = planAccess(op, type, tile);
  if (failed(plan))
    return failure();
  std::string compute = computeTypeOf(type.getElementType());
  bool isFloat = compute == "float" && tile.elemBytes == 4;
  ctx.line("{");
  ctx.indent();
  SharedAddress address(ctx, hw::layoutOf(type), tile, plan->access.entries);
  if (plan->words == 0) {
    forHalves(ctx, *plan, address, [&](std::string word, std::string low, std::string high) {
      auto load = [](const std::string &where) {
        return "static_cast<uint32_t>(hd::ldShared<uint16_t>(" + where + "))";
      };
      std::string value = load(low) + (high.empty() ? "" : " | " + load(high) + " << 16");
      return std::vector<std::string>{(array + "[" + word + "] = " + value + ";").str()};
    });
  } else {
    int64_t packing = registerArrayOf(type).packing;
    std::string loaded = "hd::ldShared<" + vectorType(plan->words, isFloat) + ">(" + address.of(pointers(*plan)) + ")";
    auto converted = [&](const std::string &word) {
      if (compute == "bool")
        return word + " != 0";
      return compute == "int" ? "static_cast<int>(" + word + ")" : word;
    };
    std::vector<std::string> body;
    if (plan->words == 1) {
      body.push_back((array + "[" + wordIndex(ctx, *plan, 0, packing) + "] = " + converted(loaded) + ";").str());
    } else {
      std::string name = ctx.fresh("row");
      body.push_back("const auto " + name + " = " + loaded + ";");
      for (int64_t j = 0; j < plan->words; ++j)
        body.push_back((array + "[" + wordIndex(ctx, *plan, j, packing) +
                        "] = " + converted(name + ".v[" + std::to_string(j) + "]") + ";")
                           .str());
    }
    printLoop(ctx, plan->access.entries.size(), body);
  }
  ctx.unindent();
  ctx.line("}");
  return success();
}

LogicalResult cuda::printSharedRead(Operation *op, EmitContext &ctx) {
  auto read = cast<hw::ReadOp>(op);
  return printTileFromShared(op, read.getResult().getType(), ctx.nameOf(read.getResult()),
                             ctx.smemTileOf(read.getSource()), ctx);
}

LogicalResult cuda::printSharedWrite(Operation *op, EmitContext &ctx) {
  auto write = cast<hw::WriteOp>(op);
  return printTileToShared(op, write.getValue().getType(), ctx.nameOf(write.getValue()),
                           ctx.smemTileOf(write.getDest()), ctx);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

namespace {

/// Pointer, offset and bounds of a register tile in a view.
class GlobalAddress {
public:
  GlobalAddress(EmitContext &ctx, RankedTensorType type, const ViewAccess &view, ArrayRef<std::string> indices,
                ArrayRef<int64_t> tileDims, bool isConst)
      : ctx(ctx) {
    LinearLayout layout = hw::layoutOf(type);
    std::vector<int64_t> registers = layout.registers();
    int bits = type.getElementTypeBitWidth();
    element = type.getElementType().isF32() ? "float" : bits == 32 ? "int" : bits == 16 ? "uint16_t" : "uint8_t";
    std::string offset;
    for (size_t k = 0; k < indices.size(); ++k) {
      Dim dim;
      dim.size = view.sizes[k];
      dim.stride = view.strides[k];
      auto found = llvm::find(tileDims, static_cast<int64_t>(k));
      std::string first = indices[k];
      bool moves = false;
      if (found != tileDims.end()) {
        int d = found - tileDims.begin();
        std::string thread = threadCoordinate(ctx, layout, d);
        first = first == "0" ? thread : thread == "0" ? first : atom(first) + " + " + thread;
        for (int64_t r : registers) {
          dim.offsets.push_back(LinearLayout::component(layout.at(r, 0, 0), d));
          moves |= dim.offsets.back() != 0;
        }
      }
      dim.first = ctx.fresh("i");
      ctx.line("const int " + dim.first + " = " + first + ";");
      offset += " + " + scaled(dim.first, dim.stride);
      if (moves)
        moving.push_back(dim);
      else
        fixed += (fixed.empty() ? "" : " && ") + inside(dim.first, dim.size);
    }
    if (!fixed.empty()) {
      std::string name = ctx.fresh("inside");
      ctx.line("const bool " + name + " = " + fixed + ";");
      fixed = name;
    }
    pointer = ctx.fresh("p");
    std::string qualified = (isConst ? "const " : "") + element + " *";
    ctx.line(qualified + pointer + " = reinterpret_cast<" + qualified + ">(" + view.pointer + ")" + offset + ";");
  }

  std::string condition(ArrayRef<int64_t> elements) {
    std::string text = fixed;
    for (const Dim &dim : moving) {
      std::string step = indexExpr(ctx, at(dim, elements));
      text += (text.empty() ? "" : " && ") + inside(step == "0" ? dim.first : dim.first + " + " + step, dim.size);
    }
    return text.empty() ? "true" : text;
  }

  std::string access(ArrayRef<int64_t> elements) {
    std::string text;
    for (const Dim &dim : moving) {
      std::string step = indexExpr(ctx, at(dim, elements));
      if (step != "0")
        text += (text.empty() ? "" : " + ") + scaled(step, dim.stride);
    }
    return pointer + "[" + (text.empty() ? "0" : text) + "]";
  }

  std::string element; ///< C++ type in memory

private:
  struct Dim {
    std::string first, size, stride;
    SmallVector<int64_t> offsets; ///< per register
  };
  static SmallVector<int64_t> at(const Dim &dim, ArrayRef<int64_t> elements) {
    SmallVector<int64_t> result;
    for (int64_t e : elements)
      result.push_back(dim.offsets[e]);
    return result;
  }
  static std::string inside(const std::string &index, const std::string &size) {
    return "uint32_t(" + index + ") < uint32_t(" + size + ")";
  }
  static std::string scaled(const std::string &index, const std::string &stride) {
    return stride == "1" ? index : "int64_t(" + index + ") * " + atom(stride);
  }

  EmitContext &ctx;
  SmallVector<Dim> moving;
  std::string fixed, pointer;
};

} // namespace

static LogicalResult checkMemoryElement(Operation *op, Type element) {
  if (element.isF32() || element.isInteger(32) || !packedTag(element).empty())
    return success();
  return op->emitOpError("expected f32, i32, f16, bf16 or f8 elements in global memory, got ") << element;
}

static SmallVector<std::string> names(EmitContext &ctx, ValueRange values) {
  SmallVector<std::string> result;
  for (Value v : values)
    result.push_back(ctx.nameOf(v));
  return result;
}

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

LogicalResult cuda::printDirectLoad(Operation *operation, EmitContext &ctx) {
  auto op = cast<tile::LoadOp>(operation);
  RankedTensorType type = op.getResult().getType();
  if (failed(checkMemoryElement(op, type.getElementType())))
    return failure();
  std::string array = ctx.nameOf(op.getResult());
  int64_t packing = registerArrayOf(type).packing, bits = 32 / packing;
  ctx.line("{");
  ctx.indent();
  GlobalAddress address(ctx, type, ctx.viewOf(op.getView()), names(ctx, op.getIndices()), op.getTileDims(), true);
  forWords(ctx, type, [&](std::string word, ArrayRef<SmallVector<int64_t>> parts) {
    std::string value;
    for (auto [p, elements] : llvm::enumerate(parts)) {
      std::string load = address.condition(elements) + " ? " + address.access(elements) + " : ";
      if (packing == 1)
        value = load + (type.getElementType().isF32() ? "0.0f" : "0");
      else
        value +=
            (p ? " | " : "") + std::string("uint32_t(") + load + "0)" + (p ? " << " + std::to_string(p * bits) : "");
    }
    return std::vector<std::string>{array + "[" + word + "] = " + value + ";"};
  });
  ctx.unindent();
  ctx.line("}");
  return success();
}

LogicalResult cuda::printDirectStore(Operation *operation, EmitContext &ctx) {
  auto op = cast<tile::StoreOp>(operation);
  RankedTensorType type = op.getValue().getType();
  if (failed(checkMemoryElement(op, type.getElementType())))
    return failure();
  bool add = op.getKind() == "add";
  if (add && !type.getElementType().isF32())
    return op.emitOpError("expected f32 elements for kind \"add\" without TMA, got ") << type.getElementType();
  std::string array = ctx.nameOf(op.getValue());
  int64_t packing = registerArrayOf(type).packing, bits = 32 / packing;
  std::string owner = ownerCondition(ctx, hw::layoutOf(type));
  ctx.line(owner.empty() ? "{" : "if (" + owner + ") {");
  ctx.indent();
  GlobalAddress address(ctx, type, ctx.viewOf(op.getView()), names(ctx, op.getIndices()), op.getTileDims(), false);
  forWords(ctx, type, [&](std::string word, ArrayRef<SmallVector<int64_t>> parts) {
    std::vector<std::string> body;
    for (auto [p, elements] : llvm::enumerate(parts)) {
      std::string value = array + "[" + word + "]", target = address.access(elements);
      if (packing > 1)
        value = "static_cast<" + address.element + ">(" + value + (p ? " >> " + std::to_string(p * bits) : "") + ")";
      body.push_back("if (" + address.condition(elements) + ") " +
                     (add ? "hd::addGlobal(&" + target + ", " + value + ");" : target + " = " + value + ";"));
    }
    return body;
  });
  ctx.unindent();
  ctx.line("}");
  return success();
}
