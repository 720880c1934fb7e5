//===- SharedTiles.cpp - register tiles from and to shared memory -----------===//
//
// As wide as planSmemAccess allows. The thread's own offset is swizzled once; every register then adds a constant and
// XORs at most address bits 0..6.
//
// Where the kernel asks for it (hw::matrixStoresAttr), a warp stores fragments of 16-bit elements by stmatrix: four
// registers of each lane an instruction, whose rows all lanes address.
//
// Left operands of 16-bit elements that lie across the contraction are read by ldmatrix, which transposes: a scaled one
// took 185 us of a product in place of 241 (bench/results/2026-11-29-h200-transposed-products.json).
//
// Beside products, whose operands come through the same banks, lanes may store and read their registers in two orders
// (planSplitOrder): attention's backward pass with heads of 64 stores its part of dQ in half of the passes, and ran at
// 1.04 of its speed on an H100.
//
//===----------------------------------------------------------------------------===//
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/HW/Limits.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>
#include <memory>

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

/// Whether this lane has the other order.
static std::string otherLanes(const SplitOrder &order) { return "(lane & " + std::to_string(1 << order.laneBit) + ")"; }

/// `offset` in the order of this lane, of its first or second access of two.
static std::string inOrder(const SplitOrder &order, bool second, const std::string &offset) {
  auto chosen = [&](int64_t value) {
    std::string text = std::to_string(value);
    return "(" + otherLanes(order) + " ? " + (second ? "0 : " + text : text + " : 0") + ")";
  };
  std::string text = offset + " ^ " + chosen(order.low);
  return order.high ? "(" + text + ") + " + chosen(order.high) : text;
}

/// The accesses of one tile as C++ address expressions.
class SharedAddress {
public:
  /// `second`: of what lanes access after what the order exchanges it with.
  SharedAddress(EmitContext &ctx, const LinearLayout &layout, const SmemTile &tile, ArrayRef<SmemAccess::Entry> entries,
                std::optional<SplitOrder> order = std::nullopt, bool second = false)
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
    if (order)
      offset = inOrder(*order, second, offset);
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

/// Array word j of each access, or of access e ^ `other`.
static std::string wordIndex(EmitContext &ctx, const AccessPlan &plan, int64_t j, int64_t packing,
                             const ArrayPart &part = {}, int64_t other = 0) {
  SmallVector<int64_t> words;
  for (size_t e = 0; e < plan.access.entries.size(); ++e)
    words.push_back(part.at(plan.access.entries[e ^ other].registers[j * packing]) / packing);
  return indexExpr(ctx, words);
}

/// The order in which a tile is stored or read beside products, so many words at a time; nothing: every lane's is the
/// same.
static std::optional<SplitOrder> orderBesideProducts(Operation *op, RankedTensorType type, const SmemTile &tile,
                                                     const AccessPlan &plan, int64_t words) {
  if (plan.words != words || tile.elemBytes != 4 || !isa<scf::ForOp>(op->getParentOp()) ||
      op->getBlock()->getOps<hw::WgmmaOp>().empty())
    return std::nullopt;
  return planSplitOrder(hw::layoutOf(type),
                        {tile.rows, tile.cols, tile.elemBytes, tile.pitchBytes, tile.swizzleBytes, tile.chunked,
                         tile.transposed, tile.rowOffset, tile.colOffset},
                        plan.access);
}

static SmallVector<const SmemAccess::Entry *> pointers(const AccessPlan &plan) {
  SmallVector<const SmemAccess::Entry *> result;
  for (const SmemAccess::Entry &entry : plan.access.entries)
    result.push_back(&entry);
  return result;
}

/// Where the lane's row of the first four matrices of a fragment of 16-bit elements lies, before what registers add;
/// empty: the tile is no such fragment, or stands otherwise in shared memory.
static std::string matrixRow(const LinearLayout &layout, const SmemTile &tile, const AccessPlan &plan) {
  if (layout.rank() != 2 || tile.transposed || tile.elemBytes != 2 || !tile.swizzleBytes || plan.words != 1)
    return "";
  auto row = [](int64_t n) { return LinearLayout::unit(0, n); };
  auto column = [](int64_t n) { return LinearLayout::unit(1, n); };
  std::vector<LinearLayout::Vector> lanes{column(2), column(4), row(1), row(2), row(4)}, warps{row(16), row(32)};
  const std::vector<SmemAccess::Entry> &entries = plan.access.entries;
  if (layout.lane() != lanes || layout.warp() != warps || entries.size() % 4)
    return "";
  for (size_t e = 0; e < entries.size(); ++e) { // rows 8 to 15 behind rows 0 to 7, then the next 8 columns
    const SmemAccess::Entry &first = entries[e & ~size_t(3)];
    if (entries[e].registers[0] != static_cast<int64_t>(2 * e) || entries[e].low != (first.low ^ (e & 2 ? 16 : 0)) ||
        entries[e].high != first.high + (e & 1 ? 8 * tile.pitchBytes : 0))
      return "";
  }
  return "hd::swizzle<" + std::to_string(tile.swizzleBytes) + ">((16 * warp + (lane & 15)) * " +
         std::to_string(tile.pitchBytes) + " + (lane >> 4) * 16)";
}

/// Reads a left operand of 16-bit elements that lies across the contraction by ldmatrix, which transposes; false: it is
/// none. Rows and columns 8 further come from other lanes: with them four matrices are an instruction.
static bool printReadOfMatrices(const LinearLayout &layout, StringRef array, const SmemTile &tile,
                                const AccessPlan &plan, EmitContext &ctx) {
  constexpr int64_t matrices = 4, swizzle = 128;
  auto row = [](int64_t n) { return LinearLayout::unit(0, n); };
  auto column = [](int64_t n) { return LinearLayout::unit(1, n); };
  std::vector<LinearLayout::Vector> lanes{column(2), column(4), row(1), row(2), row(4)}, warps{row(16), row(32)},
      registers{column(1), row(8), column(8)};
  const size_t parts = plan.parts.size();
  if (layout.rank() != 2 || !tile.transposed || tile.elemBytes != 2 || tile.swizzleBytes != swizzle || plan.words ||
      parts % (2 * matrices) || layout.lane() != lanes || layout.warp() != warps || layout.reg().size() < 3 ||
      !std::equal(registers.begin(), registers.end(), layout.reg().begin()))
    return false;
  std::string at = ctx.threadConstant("at", "hd::swizzle<128>(((lane & 7) + 8 * (lane >> 4)) * " +
                                                std::to_string(tile.pitchBytes) + " + (16 * warp + (lane & 8)) * 2)");
  SmallVector<int64_t> low, high;
  for (size_t first = 0; first < parts; first += 2 * matrices) {
    low.push_back(plan.parts[first]->low);
    high.push_back(plan.parts[first]->high);
  }
  std::string lowText = indexExpr(ctx, low), highText = indexExpr(ctx, high);
  std::string call = "hd::ldmatrix4Trans(" + atom(tile.base) + " + ";
  call += lowText == "0" ? at : "(" + at + " ^ " + atom(lowText) + ")";
  if (highText != "0")
    call += " + " + highText;
  for (int64_t i = 0; i < matrices; ++i) {
    SmallVector<int64_t> words;
    for (size_t first = 0; first < parts; first += 2 * matrices)
      words.push_back(static_cast<int64_t>(first / 2) + i);
    call += ", " + array.str() + "[" + indexExpr(ctx, words) + "]";
  }
  printLoop(ctx, low.size(), {call + ");"});
  return true;
}

/// Stores a fragment by stmatrix; false: it is none.
static bool printMatrices(Operation *op, const LinearLayout &layout, const ArrayPart &source, const SmemTile &tile,
                          const AccessPlan &plan, EmitContext &ctx) {
  std::string row =
      op->getParentOfType<hw::KernelOp>()->hasAttr(hw::matrixStoresAttr) ? matrixRow(layout, tile, plan) : "";
  if (row.empty())
    return false;
  std::string at = ctx.threadConstant("at", row);
  SmallVector<int64_t> low, high;
  SmallVector<SmallVector<int64_t>, 4> words(4);
  for (size_t e = 0; e < plan.access.entries.size(); e += 4) {
    low.push_back(plan.access.entries[e].low);
    high.push_back(plan.access.entries[e].high);
    for (size_t i = 0; i < 4; ++i)
      words[i].push_back(source.at(plan.access.entries[e + i].registers[0]) / 2);
  }
  std::string lowText = indexExpr(ctx, low), highText = indexExpr(ctx, high), call = "hd::stmatrix4(";
  call += atom(tile.base) + " + " + (lowText == "0" ? at : "(" + at + " ^ " + atom(lowText) + ")");
  if (highText != "0")
    call += " + " + highText;
  for (ArrayRef<int64_t> word : words)
    call += ", " + source.array + "[" + indexExpr(ctx, word) + "]";
  printLoop(ctx, low.size(), {call + ");"});
  return true;
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
  if (owner.empty() && packing == 2 && printMatrices(op, layout, source, tile, *plan, ctx))
    return success();
  std::optional<SplitOrder> order = orderBesideProducts(op, type, tile, *plan, 2);
  if (order && order->high)
    order.reset();
  SharedAddress address(ctx, layout, tile, plan->access.entries, order);
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
      if (order)
        word = otherLanes(*order) + " ? " + array.str() + "[" +
               wordIndex(ctx, *plan, j, packing, source, order->entries) + "] : " + word;
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

/// Reads words in the order of each lane: the two that some lanes exchange, then each to its place.
static void printReadInPairs(EmitContext &ctx, const AccessPlan &plan, const SplitOrder &order,
                             const LinearLayout &layout, const SmemTile &tile, StringRef array, int64_t packing,
                             const std::string &word) {
  SharedAddress first(ctx, layout, tile, plan.access.entries, order),
      second(ctx, layout, tile, plan.access.entries, order, /*second=*/true);
  SmallVector<const SmemAccess::Entry *> accesses;
  SmallVector<int64_t> early, late;
  for (size_t e = 0; e < plan.access.entries.size(); ++e) {
    if (e & order.entries)
      continue;
    accesses.push_back(&plan.access.entries[e]);
    early.push_back(plan.access.entries[e].registers[0] / packing);
    late.push_back(plan.access.entries[e ^ order.entries].registers[0] / packing);
  }
  std::string x = ctx.fresh("first"), y = ctx.fresh("second"), other = otherLanes(order);
  auto load = [&](const std::string &name, SharedAddress &address) {
    return "const " + word + " " + name + " = hd::ldShared<" + word + ">(" + address.of(accesses) + ");";
  };
  auto keep = [&](ArrayRef<int64_t> places, const std::string &ofOthers, const std::string &ofThese) {
    return (array + "[" + indexExpr(ctx, places) + "] = " + other + " ? " + ofOthers + " : " + ofThese + ";").str();
  };
  printLoop(ctx, accesses.size(), {load(x, first), load(y, second), keep(early, y, x), keep(late, x, y)});
}

LogicalResult cuda::printTileFromShared(Operation *op, RankedTensorType type, StringRef array, const SmemTile &tile,
                                        EmitContext &ctx) {
  FailureOr<AccessPlan> plan = planAccess(op, type, tile);
  if (failed(plan))
    return failure();
  std::string compute = computeTypeOf(type.getElementType());
  int64_t packing = registerArrayOf(type).packing;
  if (packing == 2 && printReadOfMatrices(hw::layoutOf(type), array, tile, *plan, ctx))
    return success();
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
    if (std::optional<SplitOrder> order = orderBesideProducts(op, type, tile, *plan, 1)) {
      printReadInPairs(ctx, *plan, *order, hw::layoutOf(type), tile, array, packing, vectorType(1, compute, 4));
      return success();
    }
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

FailureOr<std::function<std::string(ArrayRef<int64_t>)>> cuda::piecesInShared(Operation *op, RankedTensorType type,
                                                                              const SmemTile &tile, EmitContext &ctx) {
  FailureOr<AccessPlan> plan = planAccess(op, type, tile);
  if (failed(plan))
    return failure();
  std::map<int64_t, SmemAccess::Entry> entries; // by first register
  for (const SmemAccess::Entry &entry : plan->access.entries)
    if (static_cast<int64_t>(entry.registers.size()) * tile.elemBytes == hw::copyBytes)
      entries[entry.registers.front()] = entry;
  if (entries.size() != plan->access.entries.size())
    return emitErrorOf(ErrorKind::Internal, op)
               << "pieces of " << hw::copyBytes << " bytes do not stay together in shared memory: " << type,
           failure();
  auto address = std::make_shared<SharedAddress>(ctx, hw::layoutOf(type), tile, plan->access.entries);
  return std::function([address, entries](ArrayRef<int64_t> first) {
    SmallVector<const SmemAccess::Entry *> accesses;
    for (int64_t r : first)
      accesses.push_back(&entries.at(r));
    return address->of(accesses);
  });
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
