//===- MemoryTiles.cpp - register tiles from and to shared and global memory ----===//
//
// Shared memory: as wide as planSmemAccess allows. The thread's own offset is swizzled once;
// every register then adds a constant and XORs at most address bits 0..6.
// Global memory (tiles that no TMA moves): up to 16 bytes at a time where the layout has neighbours in one thread and a
// run-time test finds addresses and sizes aligned to that; else one element at a time. Each access has its bounds test.
//
//===----------------------------------------------------------------------------===//
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/CacheHints.h"
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
    if (usesLow) {
      name = ctx.threadConstant("at", offset);
      return;
    }
    name = ctx.fresh("at");
    ctx.line("const uint32_t " + name + " = " + base + " + " + offset + ";");
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

/// Accesses of whole array words, or of parts of words: halves, or bytes.
struct AccessPlan {
  SmemAccess access;
  int64_t words = 0;                            ///< array words per access; 0: parts of words
  int64_t partBytes = 2;                        ///< with words == 0
  std::vector<const SmemAccess::Entry *> parts; ///< with words == 0: by part of the array

  std::string partType() const { return partBytes == 2 ? "uint16_t" : "uint8_t"; }
};

} // namespace

static FailureOr<AccessPlan> planAccess(Operation *op, RankedTensorType type, const SmemTile &tile) {
  LinearLayout layout = hw::layoutOf(type);
  SmemStorage storage{tile.rows,    tile.cols,       tile.elemBytes, tile.pitchBytes, tile.swizzleBytes,
                      tile.chunked, tile.transposed, tile.rowOffset, tile.colOffset};
  int64_t packing = registerArrayOf(type).packing;
  bool wide = packing == 1 && tile.elemBytes == 8;
  if (packing * tile.elemBytes != 4 && !wide) {
    op->emitOpError("expected numbers of 8 to 64 bits in shared memory, got ") << type.getElementType();
    return failure();
  }
  for (int64_t maxBytes : {wide ? 8 : 16, 2, 1}) {
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
    plan.partBytes = plan.access.vector * tile.elemBytes;
    bool whole = plan.words || plan.partBytes <= 2;
    for (const SmemAccess::Entry &entry : plan.access.entries)
      for (auto [i, r] : llvm::enumerate(entry.registers))
        whole &= i % unit ? r == entry.registers[i - 1] + 1 : r % unit == 0;
    if (!whole)
      continue;
    if (!plan.words) {
      plan.parts.resize(plan.access.entries.size());
      for (const SmemAccess::Entry &entry : plan.access.entries)
        plan.parts[entry.registers[0] / unit] = &entry;
    }
    return plan;
  }
  op->emitOpError("expected registers that pair up in shared memory, got layout ") << type.getEncoding();
  return failure();
}

static std::string vectorType(int64_t words, StringRef compute, int64_t bytes) {
  if (bytes == 8)
    return compute.str();
  bool isFloat = compute == "float" && bytes == 4;
  if (words == 1)
    return isFloat ? "float" : "uint32_t";
  return std::string(isFloat ? "hd::f32x" : "hd::u32x") + std::to_string(words);
}

/// Loops over array words, of `packing` elements each, with the accesses of their parts; calls lines(word index,
/// addresses of its parts).
static void forParts(EmitContext &ctx, const AccessPlan &plan, SharedAddress &address, const ArrayPart &array,
                     int64_t packing,
                     llvm::function_ref<std::vector<std::string>(std::string, ArrayRef<std::string>)> lines) {
  int64_t perWord = 4 / plan.partBytes, total = plan.parts.size();
  auto section = [&](int64_t first, int64_t count, int64_t parts) {
    SmallVector<int64_t> words = llvm::to_vector(llvm::seq<int64_t>(first, first + count));
    SmallVector<std::string> addresses;
    SmallVector<int64_t> places;
    for (int64_t w : words)
      places.push_back(array.at(packing * w) / packing);
    std::string word = indexExpr(ctx, places);
    for (int64_t p = 0; p < parts; ++p) {
      SmallVector<const SmemAccess::Entry *> entries;
      for (int64_t w : words)
        entries.push_back(plan.parts[perWord * w + p]);
      addresses.push_back(address.of(entries));
    }
    printLoop(ctx, count, lines(word, addresses));
  };
  if (int64_t whole = total / perWord)
    section(0, whole, perWord);
  if (int64_t rest = total % perWord)
    section(total / perWord, 1, rest);
}

/// Array word j of each access.
static std::string wordIndex(EmitContext &ctx, const AccessPlan &plan, int64_t j, int64_t packing,
                             const ArrayPart &part = {}) {
  SmallVector<int64_t> words;
  for (const SmemAccess::Entry &entry : plan.access.entries)
    words.push_back(part.at(entry.registers[j * packing]) / packing);
  return indexExpr(ctx, words);
}

static SmallVector<const SmemAccess::Entry *> pointers(const AccessPlan &plan) {
  SmallVector<const SmemAccess::Entry *> result;
  for (const SmemAccess::Entry &entry : plan.access.entries)
    result.push_back(&entry);
  return result;
}

LogicalResult cuda::printTileToShared(Operation *op, RankedTensorType type, const ArrayPart &source,
                                      const SmemTile &tile, EmitContext &ctx) {
  StringRef array = source.array;
  FailureOr<AccessPlan> plan = planAccess(op, type, tile);
  if (failed(plan))
    return failure();
  LinearLayout layout = hw::layoutOf(type);
  std::string compute = computeTypeOf(type.getElementType()), owner = ownerCondition(ctx, layout);
  bool asIs = tile.elemBytes == 8 || compute == "float";
  int64_t packing = registerArrayOf(type).packing;
  SharedAddress address(ctx, layout, tile, plan->access.entries);
  if (!owner.empty()) {
    ctx.line("if (" + owner + ") {");
    ctx.indent();
  }
  if (plan->words == 0) {
    forParts(ctx, *plan, address, source, packing, [&](std::string word, ArrayRef<std::string> parts) {
      std::vector<std::string> body;
      for (auto [p, where] : llvm::enumerate(parts)) {
        std::string value = (array + "[" + word + "]").str();
        if (p)
          value += " >> " + std::to_string(8 * plan->partBytes * p);
        body.push_back("hd::stShared(" + where + ", static_cast<" + plan->partType() + ">(" + value + "));");
      }
      return body;
    });
  } else {
    std::string value, cast = asIs || packing > 1 ? "" : "static_cast<uint32_t>";
    for (int64_t j = 0; j < plan->words; ++j) {
      std::string word = (array + "[" + wordIndex(ctx, *plan, j, packing, source) + "]").str();
      value += (j ? ", " : "") + (cast.empty() ? word : cast + "(" + word + ")");
    }
    if (plan->words > 1)
      value = vectorType(plan->words, compute, tile.elemBytes) + "{{" + value + "}}";
    printLoop(ctx, plan->access.entries.size(), {"hd::stShared(" + address.of(pointers(*plan)) + ", " + value + ");"});
  }
  if (!owner.empty()) {
    ctx.unindent();
    ctx.line("}");
  }
  return success();
}

LogicalResult cuda::printTileFromShared(Operation *op, RankedTensorType type, StringRef array, const SmemTile &tile,
                                        EmitContext &ctx) {
  FailureOr<AccessPlan> plan = planAccess(op, type, tile);
  if (failed(plan))
    return failure();
  std::string compute = computeTypeOf(type.getElementType());
  int64_t packing = registerArrayOf(type).packing;
  SharedAddress address(ctx, hw::layoutOf(type), tile, plan->access.entries);
  if (plan->words == 0) {
    forParts(ctx, *plan, address, {}, packing, [&](std::string word, ArrayRef<std::string> parts) {
      std::string value;
      for (auto [p, where] : llvm::enumerate(parts))
        value += (p ? " | " : "") + ("static_cast<uint32_t>(hd::ldShared<" + plan->partType() + ">(" + where + "))") +
                 (p ? " << " + std::to_string(8 * plan->partBytes * p) : "");
      return std::vector<std::string>{(array + "[" + word + "] = " + value + ";").str()};
    });
  } else {
    std::string loaded =
        "hd::ldShared<" + vectorType(plan->words, compute, tile.elemBytes) + ">(" + address.of(pointers(*plan)) + ")";
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
  return success();
}

LogicalResult cuda::printSharedRead(Operation *op, EmitContext &ctx) {
  auto read = cast<hw::ReadOp>(op);
  return printTileFromShared(op, read.getResult().getType(), ctx.nameOf(read.getResult()),
                             ctx.smemTileOf(read.getSource()), ctx);
}

LogicalResult cuda::printSharedWrite(Operation *op, EmitContext &ctx) {
  auto write = cast<hw::WriteOp>(op);
  return printTileToShared(op, write.getValue().getType(), arrayOf(ctx, write.getValue()),
                           ctx.smemTileOf(write.getDest()), ctx);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// C++ type of an element in memory; empty: none.
static std::string memoryTypeOf(Type element) {
  if (!packedTag(element).empty() || isNarrowInteger(element))
    return element.getIntOrFloatBitWidth() == 16 ? "uint16_t" : "uint8_t";
  return element.isInteger(1) || element.isIndex() ? "" : computeTypeOf(element);
}

namespace {

/// Row numbers of a gather: an array, and which of its elements each register of the tile takes.
struct GatheredRows {
  std::string array;
  SmallVector<int64_t> map; ///< empty: no gather
};

/// Pointer, offset and bounds of a register tile in a view.
class GlobalAddress {
public:
  GlobalAddress(EmitContext &ctx, RankedTensorType type, const ViewAccess &view, ArrayRef<std::string> indices,
                ArrayRef<int64_t> tileDims, ArrayRef<int64_t> extent, bool isConst, GatheredRows rows = {},
                ArrayRef<std::string> below = {})
      : ctx(ctx), element(memoryTypeOf(type.getElementType())), elementBytes(type.getElementTypeBitWidth() / 8) {
    LinearLayout layout = hw::layoutOf(type);
    std::vector<int64_t> registers = layout.registers();
    std::string offset;
    vector = 16 / elementBytes;
    for (size_t k = 0; k < indices.size(); ++k) {
      Dim dim;
      dim.size = view.sizes[k];
      dim.stride = view.strides[k];
      auto found = llvm::find(tileDims, static_cast<int64_t>(k));
      std::string first = indices[k], thread = "0";
      bool moves = false;
      int64_t reach = 0; // bits of the coordinate that lanes and warps decide
      if (found == tileDims.begin() && !rows.map.empty()) {
        dim.array = rows.array;
        dim.offsets = rows.map;
        moves = true;
      } else if (found != tileDims.end()) {
        int d = found - tileDims.begin();
        thread = threadCoordinate(ctx, layout, d);
        first = first == "0" ? thread : thread == "0" ? first : atom(first) + " + " + thread;
        for (int64_t r : registers) {
          dim.offsets.push_back(LinearLayout::component(layout.at(r, 0, 0), d));
          moves |= dim.offsets.back() != 0;
        }
        for (const auto *basis : {&layout.lane(), &layout.warp()})
          for (LinearLayout::Vector v : *basis)
            reach |= LinearLayout::component(v, d);
      }
      dim.first = ctx.fresh("i");
      ctx.line("const int " + dim.first + " = " + first + ";");
      offset += " + " + scaled(dim.first, dim.stride);
      if (found != tileDims.end() && !extent.empty() &&
          extent[found - tileDims.begin()] < type.getDimSize(found - tileDims.begin())) {
        // Inside the view and inside the tile's extent: the nearer end decides.
        std::string end = ctx.fresh("end");
        std::string last =
            (indices[k] == "0" ? "" : atom(indices[k]) + " + ") + std::to_string(extent[found - tileDims.begin()]);
        ctx.line("const int " + end + " = hd::min(" + dim.size + ", " + last + ");");
        dim.size = end;
      }
      if (found != tileDims.end() && !below.empty()) {
        std::string end = ctx.fresh("end");
        ctx.line("const int " + end + " = hd::max(0, hd::min(" + dim.size + ", " + below[found - tileDims.begin()] +
                 "));");
        dim.size = end;
      }
      if (k + 1 == indices.size())
        limitVector(dim, found != tileDims.end() && dim.array.empty(), reach, registers.size());
      else if (moves)
        strides.push_back(dim.stride);
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
      std::string step = dim.step(ctx, elements);
      text += (text.empty() ? "" : " && ") + inside(step == "0" ? dim.first : dim.first + " + " + step, dim.size);
    }
    return text.empty() ? "true" : text;
  }

  std::string access(ArrayRef<int64_t> elements) {
    std::string text = offsetOf(elements);
    return pointer + "[" + (text.empty() ? "0" : text) + "]";
  }

  std::string address(ArrayRef<int64_t> elements) {
    std::string text = offsetOf(elements);
    return text.empty() ? pointer : pointer + " + " + text;
  }

  /// Condition under which accesses of `vector` elements are aligned, and inside the view where their first element is.
  std::string aligned() {
    std::string text = "hd::isAligned<" + std::to_string(vector * elementBytes) + ">(" + pointer + ")";
    std::string columns = inner.first;
    if (int64_t size; StringRef(inner.size).getAsInteger(10, size))
      columns = "(" + columns + " | " + inner.size + ")";
    text += " && " + columns + " % " + std::to_string(vector) + " == 0";
    for (const std::string &stride : strides)
      text += " && " + atom(stride) + " % " + std::to_string(vector) + " == 0";
    return text;
  }

  int64_t vector = 1;  ///< elements that one access may take
  std::string element; ///< C++ type in memory

private:
  struct Dim {
    std::string first, size, stride;
    std::string array;            ///< of row numbers, or empty
    SmallVector<int64_t> offsets; ///< per register: from `first`, or where `array` has that

    std::string step(EmitContext &ctx, ArrayRef<int64_t> elements) const {
      SmallVector<int64_t> result;
      for (int64_t e : elements)
        result.push_back(offsets[e]);
      std::string text = indexExpr(ctx, result);
      return array.empty() ? text : array + "[" + text + "]";
    }
  };

  /// `vector` neighbouring registers must be neighbours in the innermost dimension, each thread's first at a multiple,
  /// and a size that is known must be a multiple too.
  void limitVector(const Dim &dim, bool inTile, int64_t reach, int64_t registers) {
    inner = dim;
    auto fits = [&] {
      if (!inTile || registers % vector || reach % vector || dim.stride != "1")
        return false;
      if (int64_t size; !StringRef(dim.size).getAsInteger(10, size) && size % vector)
        return false;
      for (int64_t e = 0; e < registers; ++e)
        if (e % vector ? dim.offsets[e] != dim.offsets[e - 1] + 1 : dim.offsets[e] % vector != 0)
          return false;
      return true;
    };
    while (vector > 1 && !fits())
      vector /= 2;
  }

  std::string offsetOf(ArrayRef<int64_t> elements) {
    std::string text;
    for (const Dim &dim : moving) {
      std::string step = dim.step(ctx, elements);
      if (step != "0")
        text += (text.empty() ? "" : " + ") + scaled(step, dim.stride);
    }
    return text;
  }
  static std::string inside(const std::string &index, const std::string &size) {
    return "uint32_t(" + index + ") < uint32_t(" + size + ")";
  }
  static std::string scaled(const std::string &index, const std::string &stride) {
    return stride == "1" ? index : "int64_t(" + index + ") * " + atom(stride);
  }

  EmitContext &ctx;
  int64_t elementBytes;
  SmallVector<Dim> moving;
  Dim inner;
  SmallVector<std::string> strides; ///< of the other dimensions along which registers lie
  std::string fixed, pointer;
};

} // namespace

static LogicalResult checkMemoryElement(Operation *op, Type element) {
  if (!memoryTypeOf(element).empty())
    return success();
  return op->emitOpError("expected f64, f32, f16, bf16, f8, i64, i32, i16 or i8 elements in global memory, got ")
         << element;
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
  ctx.line("if (" + address.aligned() + ") {");
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
  GatheredRows rows;
  if (gather) {
    LinearLayout from = hw::layoutOf(gather.getRows().getType()), to = hw::layoutOf(type);
    rows.array = ctx.nameOf(gather.getRows());
    if (to.rank() == 1 && from == to)
      rows.map = llvm::to_vector(llvm::seq<int64_t>(0, registerArrayOf(type).elements));
    else if (auto map = to.rank() == 1 ? std::nullopt : broadcastMap(from, to, 1))
      rows.map.assign(map->begin(), map->end());
    else
      return gather.emitOpError("expected row numbers in the slice of the result's layout, got ")
             << gather.getRows().getType();
  }
  std::string array = ctx.nameOf(operation->getResult(0));
  int64_t packing = registerArrayOf(type).packing, bits = 32 / packing;
  ctx.line("{");
  ctx.indent();
  Value view = gather ? gather.getView() : load.getView();
  ValueRange indices = gather ? gather.getIndices() : load.getIndices();
  SmallVector<int64_t> dims = gather ? gather.getTileDims() : load.getTileDims();
  ArrayRef<int64_t> extent = load ? load.getExtent().value_or(ArrayRef<int64_t>()) : ArrayRef<int64_t>();
  GlobalAddress address(ctx, type, ctx.viewOf(view), names(ctx, indices), dims, extent, true, rows);
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

/// Where the element at `indices` is; without the last `open` dimensions, where a part begins that spans them.
static ElementPlace placeIn(const ViewAccess &view, ArrayRef<std::string> indices, size_t open = 0) {
  ElementPlace place;
  for (auto [index, size, stride] : llvm::zip(indices.drop_back(open), view.sizes, view.strides)) {
    place.inside += (place.inside.empty() ? "" : " && ") + ("uint32_t(" + index + ") < uint32_t(" + size + ")");
    std::string step = stride == "1" ? index : "int64_t(" + index + ") * " + atom(stride);
    place.offset += (place.offset.empty() ? "" : " + ") + step;
  }
  return place;
}

std::string cuda::rowLoadCall(hw::RowLoadOp load, const std::string &barrier, EmitContext &ctx) {
  ViewAccess view = ctx.viewOf(load.getView());
  auto tile = cast<hw::TileType>(load.getDest().getType());
  SmallVector<std::string> indices = names(ctx, load.getIndices());
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

/// One element, which all threads read alike.
LogicalResult cuda::printElement(Operation *operation, EmitContext &ctx) {
  auto op = cast<tile::ElementOp>(operation);
  Type type = op.getResult().getType();
  if (failed(checkMemoryElement(op, type)))
    return failure();
  ViewAccess view = ctx.viewOf(op.getView());
  auto [inside, place] = placeIn(view, names(ctx, op.getIndices()));
  std::string pointer = view.pointer, compute = computeTypeOf(type), zero = type.isF64() ? "0.0" : "0";
  if (!type.isF32() && !type.isInteger(32) && packedTag(type).empty())
    pointer = "reinterpret_cast<const " + memoryTypeOf(type) + " *>(" + pointer + ")";
  std::string element = pointer + "[" + place + "]";
  if (!packedTag(type).empty())
    element = "hd::toFloat(" + element + ")";
  ctx.line("const " + compute + " " + ctx.nameOf(op.getResult()) + " = " + inside + " ? " + element + " : " +
           (compute == "float" ? "0.0f" : zero) + ";");
  return success();
}

LogicalResult cuda::printDirectStore(Operation *operation, EmitContext &ctx) {
  auto op = cast<tile::StoreOp>(operation);
  RankedTensorType type = op.getValue().getType();
  Type elementType = type.getElementType();
  if (failed(checkMemoryElement(op, elementType)))
    return failure();
  bool add = op.getKind() == "add";
  if (add && !elementType.isF32() && !elementType.isInteger(32) && !elementType.isF64() && !elementType.isF16() &&
      !elementType.isBF16())
    return op.emitOpError("expected f64, f32, f16, bf16 or i32 elements for kind \"add\", got ") << elementType;
  std::string array = ctx.nameOf(op.getValue());
  int64_t packing = registerArrayOf(type).packing, bits = 32 / packing;
  std::string owner = ownerCondition(ctx, hw::layoutOf(type));
  ctx.line(owner.empty() ? "{" : "if (" + owner + ") {");
  ctx.indent();
  GlobalAddress address(ctx, type, ctx.viewOf(op.getView()), names(ctx, op.getIndices()), op.getTileDims(),
                        op.getExtent().value_or(ArrayRef<int64_t>()), false, {}, names(ctx, op.getBelow()));
  auto wide = [&] {
    forVectors(ctx, type, address.vector, [&](ArrayRef<int64_t> first, ArrayRef<std::string> words) {
      std::string values;
      for (auto [i, word] : llvm::enumerate(words)) {
        values += (i ? ", " : "") + array + "[" + word + "]";
      }
      return std::vector<std::string>{"hd::storeGlobalIf(" + address.address(first) + ", " + address.condition(first) +
                                      ", " + vectorTypeInMemory(address, packing) + "{{" + values + "}});"};
    });
  };
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
  if (add)
    narrow();
  else
    printAccesses(address, packing, ctx, wide, narrow);
  ctx.unindent();
  ctx.line("}");
  return success();
}
