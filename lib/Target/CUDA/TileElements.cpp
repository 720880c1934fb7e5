//===- TileElements.cpp - elements and arrays of register tiles as CUDA -----===//
//
// What:   the expression of an element of a tile, its index in the array that holds it, and loops that fill or move an
//         array. Which element a register holds is in the tile's layout; movement inside a thread is an index map,
//         printed as bit fields of the loop variable.
// Where:  under the printers of operations (RegisterTiles, SharedTiles, GlobalTiles, Exchange).
//
//===----------------------------------------------------------------------------===//
#include "Prepare/UniformMask.h"
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/HW/Exchange.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

RegisterArray cuda::registerArrayOf(RankedTensorType type) {
  RegisterArray array;
  array.elements = hw::layoutOf(type).numRegisters();
  Type element = type.getElementType();
  array.packing = hw::elementsPerWord(element);
  array.type = array.packing > 1 ? "uint32_t" : computeTypeOf(element);
  array.size = llvm::divideCeil(array.elements, array.packing);
  return array;
}

int64_t cuda::registersOf(RankedTensorType type) {
  Type element = type.getElementType(); // an index has 32 bits
  return registerArrayOf(type).size * (!element.isIndex() && element.getIntOrFloatBitWidth() == 64 ? 2 : 1);
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

/// map[i] = map[0] + sum over bits of i; empty if it is not.
static std::optional<std::string> fieldExpr(ArrayRef<int64_t> map, StringRef var) {
  int bits = 0;
  while (int64_t(1) << bits < static_cast<int64_t>(map.size()))
    ++bits;
  SmallVector<int64_t> coefficient;
  for (int b = 0; b < bits; ++b)
    coefficient.push_back(map[int64_t(1) << b] - map[0]);
  for (size_t i = 0; i < map.size(); ++i) {
    int64_t sum = map[0];
    for (int b = 0; b < bits; ++b)
      sum += i >> b & 1 ? coefficient[b] : 0;
    if (sum != map[i])
      return std::nullopt;
  }
  std::string wrapped = var.contains(' ') ? ("(" + var + ")").str() : var.str(), text;
  auto append = [&](const std::string &term) { text += text.empty() ? term : " + " + term; };
  for (int first = 0; first < bits;) {
    int64_t c = coefficient[first];
    int last = first + 1;
    if (c == 0) {
      ++first;
      continue;
    }
    while (last < bits && coefficient[last] == c << (last - first))
      ++last;
    int64_t mask = (int64_t(1) << (last - first)) - 1;
    bool top = last == bits;
    if (first == 0 && top)
      append(c == 1 ? wrapped : std::to_string(c) + " * " + wrapped);
    else if (c == int64_t(1) << first && !top)
      append("(" + wrapped + " & " + std::to_string(mask << first) + ")");
    else {
      std::string field = first == 0 ? wrapped : wrapped + " >> " + std::to_string(first);
      field = "(" + (top ? field : field + " & " + std::to_string(mask)) + ")";
      append(c == 1 ? field : std::to_string(c) + " * " + field);
    }
    first = last;
  }
  if (text.empty())
    return std::to_string(map[0]);
  if (map[0])
    text += " + " + std::to_string(map[0]);
  return text;
}

std::string cuda::indexExpr(EmitContext &ctx, ArrayRef<int64_t> map, StringRef var) {
  int64_t size = map.size();
  if (auto text = fieldExpr(map, var))
    return *text;
  // Registers of several 64-row parts whose width is no power of two.
  for (int64_t block = size / 2; block > 1; --block) {
    if (size % block)
      continue;
    int64_t step = map[block] - map[0];
    bool fits = true;
    for (int64_t i = 0; i < size && fits; ++i)
      fits = map[i] == map[i % block] + step * (i / block);
    std::string inner = (var + " % " + Twine(block)).str(), outer = ("(" + var + " / " + Twine(block) + ")").str();
    if (!fits)
      continue;
    if (auto text = fieldExpr(map.take_front(block), inner))
      return !step ? *text : (*text == "0" ? "" : *text + " + ") + std::to_string(step) + " * " + outer;
  }
  std::string table = ctx.fresh("map"), values;
  for (int64_t v : map)
    values += (values.empty() ? "" : ", ") + std::to_string(v);
  ctx.line("constexpr int " + Twine(table) + "[" + Twine(size) + "] = {" + values + "};");
  return (table + "[" + var + "]").str();
}

/// Sum (XOR if they overlap) of the contributions of the bits of `var` along `dim`, one term per run of bits.
static void threadTerms(const std::string &var, ArrayRef<LinearLayout::Vector> basis, int dim,
                        SmallVectorImpl<std::string> &terms) {
  int bits = basis.size();
  auto at = [&](int b) { return LinearLayout::component(basis[b], dim); };
  for (int first = 0; first < bits;) {
    int64_t c = at(first);
    int last = first + 1;
    if (!c) {
      ++first;
      continue;
    }
    while (last < bits && at(last) == c << (last - first))
      ++last;
    int64_t mask = (int64_t(1) << (last - first)) - 1;
    std::string field = first ? var + " >> " + std::to_string(first) : var;
    if (last < bits)
      field += " & " + std::to_string(mask);
    field = atom(field);
    terms.push_back(c == 1 ? field : std::to_string(c) + " * " + field);
    first = last;
  }
}

std::string cuda::threadCoordinate(EmitContext &ctx, const LinearLayout &layout, int dim) {
  SmallVector<std::string> terms;
  threadTerms(atom(ctx.warp()), layout.warp(), dim, terms);
  threadTerms(atom(ctx.lane()), layout.lane(), dim, terms);
  int64_t seen = 0;
  bool overlap = false;
  for (const auto *basis : {&layout.lane(), &layout.warp()})
    for (LinearLayout::Vector v : *basis) {
      overlap |= (seen & LinearLayout::component(v, dim)) != 0;
      seen |= LinearLayout::component(v, dim);
    }
  if (terms.empty())
    return "0";
  std::string text;
  for (const std::string &term : terms)
    text += (text.empty() ? "" : overlap ? " ^ " : " + ") + (overlap ? atom(term) : term);
  return text;
}

std::string cuda::ownerCondition(EmitContext &ctx, const LinearLayout &layout) {
  auto mask = [](ArrayRef<LinearLayout::Vector> basis) {
    int mask = 0;
    for (auto [bit, v] : llvm::enumerate(basis))
      mask |= v ? 0 : 1 << bit;
    return mask;
  };
  std::string text;
  auto add = [&](const std::string &var, int mask, int all) {
    if (!mask)
      return;
    text += text.empty() ? "" : " && ";
    text += mask == all ? atom(var) + " == 0" : "(" + atom(var) + " & " + std::to_string(mask) + ") == 0";
  };
  add(ctx.warp(), mask(layout.warp()), layout.numWarps() - 1);
  add(ctx.lane(), mask(layout.lane()), 31);
  return text;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

void cuda::printLoop(EmitContext &ctx, int64_t trips, ArrayRef<std::string> body) {
  if (ctx.gather(trips, body))
    return;
  if (int64_t slices = ctx.slicesOf(trips)) {
    std::string first = trips == slices ? "slice" : std::to_string(trips / slices) + " * slice";
    ctx.line("#pragma unroll");
    ctx.line("for (int r = " + first + "; r < " + first + " + " + Twine(trips / slices) + "; ++r)" +
             (body.size() > 1 ? " {" : ""));
    ctx.indent();
  } else if (trips > 1) {
    ctx.line("#pragma unroll");
    ctx.line("for (int r = 0; r < " + Twine(trips) + "; ++r)" + (body.size() > 1 ? " {" : ""));
    ctx.indent();
  }
  for (const std::string &line : body)
    ctx.line(line);
  if (trips > 1) {
    ctx.unindent();
    if (body.size() > 1)
      ctx.line("}");
  }
}

std::string cuda::subscript(StringRef array, StringRef index) {
  StringRef inner = index;
  if (inner.consume_front("(") && inner.consume_back(")") && !inner.contains('('))
    index = inner;
  return (array + "[" + index + "]").str();
}

std::string cuda::elementAt(EmitContext &ctx, RankedTensorType type, StringRef array, ArrayRef<int64_t> elements) {
  std::string tag = packedTag(type.getElementType());
  bool integers = isNarrowInteger(type.getElementType());
  if (tag.empty() && !integers)
    return subscript(array, indexExpr(ctx, elements));
  int64_t packing = 32 / type.getElementTypeBitWidth(), part = elements[0] % packing;
  bool samePart = llvm::all_of(elements, [&](int64_t e) { return e % packing == part; });
  SmallVector<int64_t> words;
  for (int64_t e : elements)
    words.push_back(e / packing);
  std::string word = subscript(array, indexExpr(ctx, words));
  if (packing == 2 && samePart && !integers)
    return "hd::unpack" + std::string(part ? "Hi<" : "Lo<") + tag + ">(" + word + ")";
  SmallVector<int64_t> shifts;
  for (int64_t e : elements)
    shifts.push_back(e % packing * (32 / packing));
  std::string shift = indexExpr(ctx, shifts), bits = packing == 2 ? "uint16_t" : "uint8_t";
  if (integers)
    return "static_cast<int" + std::to_string(32 / packing) + "_t>(" + word +
           (shift == "0" ? "" : " >> " + atom(shift)) + ")";
  return "hd::toFloat(" + tag + "{static_cast<" + bits + ">(" + word + (shift == "0" ? "" : " >> " + atom(shift)) +
         ")})";
}

std::optional<std::vector<int64_t>> cuda::elementMap(Value value) {
  Operation *op = value.getDefiningOp();
  auto to = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !to || !hw::hasLayout(to))
    return std::nullopt;
  LinearLayout layout = hw::layoutOf(to);
  auto identity = [&] {
    std::vector<int64_t> map(layout.numRegisters());
    std::iota(map.begin(), map.end(), 0);
    return map;
  };
  if (std::optional<Rearrangement> moved = Rearrangement::of(op))
    return hw::registersOfSource(*moved);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (ShapedType::isDynamicShape(slice.getStaticOffsets()))
      return std::nullopt;
    auto window = planWindow(hw::layoutOf(slice.getSourceType()), slice.getStaticOffsets(), slice.getStaticSizes());
    if (!window || window->layout != layout)
      return std::nullopt;
    return std::vector<int64_t>(window->source.begin(), window->source.end());
  }
  if (std::optional<Reshape> reshape = Reshape::of(op)) {
    auto from = cast<RankedTensorType>(reshape->source.getType());
    if (hw::layoutAcross(*reshape, hw::layoutOf(from), /*ofSource=*/false) == layout)
      return identity();
    return std::nullopt;
  }
  if (auto convert = dyn_cast<hw::ConvertLayoutOp>(op)) {
    Conversion plan = planConversion(hw::layoutOf(convert.getSource().getType()), layout);
    if (plan.kind == ConversionKind::Identity)
      return identity();
    if (plan.kind == ConversionKind::Registers)
      return std::vector<int64_t>(plan.source.begin(), plan.source.end());
  }
  return std::nullopt;
}

ArrayPart cuda::arrayOf(EmitContext &ctx, Value value) {
  if (!ctx.isRecomputed(value))
    return {ctx.nameOf(value), {}};
  return {ctx.nameOf(value.getDefiningOp()->getOperand(0)), *elementMap(value)};
}

std::pair<std::string, std::string> cuda::iotaParts(EmitContext &ctx, tile::IotaOp op, ArrayRef<int64_t> elements) {
  LinearLayout layout = hw::layoutOf(op.getResult().getType());
  std::vector<int64_t> registers = layout.registers();
  SmallVector<int64_t> starts, offsets;
  for (Value each : ctx.inEachGroup(op.getResult()))
    starts.push_back(static_cast<int64_t>(each.getDefiningOp<tile::IotaOp>().getStart()));
  bool alike = llvm::all_equal(starts);
  for (int64_t e : elements)
    offsets.push_back(LinearLayout::component(layout.at(registers[e], 0, 0), 0) + (alike ? starts[0] : 0));
  std::string offset = indexExpr(ctx, offsets);
  if (!alike)
    offset = (offset == "0" ? "" : offset + " + ") + ctx.number(starts);
  return {threadCoordinate(ctx, layout, 0), offset};
}

std::string cuda::iotaElement(EmitContext &ctx, tile::IotaOp op, ArrayRef<int64_t> elements) {
  auto [first, offset] = iotaParts(ctx, op, elements);
  return offset == "0" ? first : first == "0" ? offset : first + " + " + offset;
}

std::string cuda::elementOf(EmitContext &ctx, Value value, ArrayRef<int64_t> elements) {
  if (!ctx.isRecomputed(value))
    return elementAt(ctx, cast<RankedTensorType>(value.getType()), ctx.nameOf(value), elements);
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return literal(cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>());
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return ctx.nameOf(splat.getInput());
  if (auto iota = dyn_cast<tile::IotaOp>(op))
    return iotaElement(ctx, iota, elements);
  if (std::optional<std::vector<int64_t>> map = elementMap(value)) {
    SmallVector<int64_t> moved;
    for (int64_t e : elements)
      moved.push_back((*map)[e]);
    return elementOf(ctx, op->getOperand(0), moved);
  }
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType()) ? elementOf(ctx, operand, elements)
                                                                : ctx.nameOf(operand));
  return scalarExpression(op, operands);
}

std::string cuda::packWord(Type elementType, ArrayRef<std::string> parts) {
  if (isNarrowInteger(elementType)) {
    std::string text = "hd::packIntegers(";
    for (auto [i, part] : llvm::enumerate(parts))
      text += (i ? ", " : "") + part;
    return text + ")";
  }
  std::string text = (parts.size() == 2 ? "hd::pack<" : "hd::pack4x8<") + packedTag(elementType) + ">(";
  for (auto [i, part] : llvm::enumerate(parts))
    text += (i ? ", " : "") + part;
  return text + ")";
}

using ElementValue = llvm::function_ref<std::string(ArrayRef<int64_t>)>;

/// Fills `trips` groups of `group` registers from `begin` in a loop, of each group the first `count`.
static void printSection(EmitContext &ctx, RankedTensorType type, StringRef array, ElementValue value, int64_t begin,
                         int64_t trips, int64_t group, int64_t count) {
  RegisterArray info = registerArrayOf(type);
  std::vector<std::string> body;
  SmallVector<std::string> parts;
  for (int64_t s = 0; s < count; ++s) {
    SmallVector<int64_t> elements;
    for (int64_t t = 0; t < trips; ++t)
      elements.push_back(begin + t * group + s);
    parts.push_back(value(elements));
    bool wordDone = (s + 1) % info.packing == 0 || s + 1 == count;
    if (!wordDone)
      continue;
    parts.resize(info.packing, info.packing > 1 && isNarrowInteger(type.getElementType()) ? "0" : "0.0f");
    SmallVector<int64_t> words;
    for (int64_t e : elements)
      words.push_back(e / info.packing);
    std::string rhs = info.packing == 1 ? parts[0] : packWord(type.getElementType(), parts);
    body.push_back((array + "[" + indexExpr(ctx, words) + "] = " + rhs + ";").str());
    parts.clear();
  }
  printLoop(ctx, trips, body);
}

void cuda::printFill(EmitContext &ctx, RankedTensorType type, StringRef array, int64_t group, ElementValue value) {
  RegisterArray info = registerArrayOf(type);
  group = std::max(group, info.packing);
  // Whole groups in a loop, then what is left.
  if (int64_t trips = info.elements / group)
    printSection(ctx, type, array, value, 0, trips, group, group);
  if (int64_t rest = info.elements % group)
    printSection(ctx, type, array, value, info.elements - rest, 1, rest, rest);
}

void cuda::printFillInRuns(EmitContext &ctx, RankedTensorType type, StringRef array,
                           llvm::function_ref<bool(int64_t)> kind, ElementValue value) {
  RegisterArray info = registerArrayOf(type);
  auto sameMix = [&](int64_t a, int64_t b) {
    for (int64_t s = 0; s < info.packing; ++s)
      if (b + s >= info.elements || kind(a + s) != kind(b + s))
        return false;
    return true;
  };
  for (int64_t begin = 0; begin < info.elements;) {
    int64_t end = begin + info.packing;
    while (end < info.elements && sameMix(begin, end))
      end += info.packing;
    printSection(ctx, type, array, value, begin, (end - begin) / info.packing, info.packing,
                 std::min(info.packing, info.elements - begin));
    begin = end;
  }
}

std::string cuda::hexLiteral(int64_t value) { return "0x" + llvm::utohexstr(value, /*LowerCase=*/true, /*Width=*/4); }

/// selectors[r], of permuteBytes.
static std::string selectorText(EmitContext &ctx, ArrayRef<int64_t> selectors) {
  if (llvm::all_equal(selectors))
    return hexLiteral(selectors[0]);
  for (size_t bit = 1; bit < selectors.size(); bit *= 2)
    if (llvm::all_of(llvm::enumerate(selectors), [&](auto s) { return s.value() == selectors[s.index() & bit]; }))
      return "r & " + std::to_string(bit) + " ? " + hexLiteral(selectors[bit]) + " : " + hexLiteral(selectors[0]);
  return indexExpr(ctx, selectors);
}

/// Each word of the result from the bytes of at most two words of the source; false: some word takes more.
static bool printBytePermutation(EmitContext &ctx, StringRef array, StringRef source, ArrayRef<int64_t> map,
                                 int64_t packing) {
  SmallVector<int64_t> first, second, selectors;
  int64_t bytes = 4 / packing;
  for (size_t word = 0; word < map.size() / packing; ++word) {
    ArrayRef<int64_t> part = map.slice(word * packing, packing);
    int64_t low = part[0] / packing, high = low, selector = 0;
    for (auto [i, e] : llvm::enumerate(part)) {
      if (e / packing != low && high != low && e / packing != high)
        return false;
      if (e / packing != low)
        high = e / packing;
      for (int64_t byte = 0; byte < bytes; ++byte)
        selector |= (e % packing * bytes + byte + (e / packing == low ? 0 : 4)) << (4 * (i * bytes + byte));
    }
    first.push_back(low);
    second.push_back(high);
    selectors.push_back(selector);
  }
  auto word = [&](ArrayRef<int64_t> words) { return (source + "[" + indexExpr(ctx, words) + "]").str(); };
  std::string selector = selectorText(ctx, selectors);
  SmallVector<int64_t> identity = llvm::to_vector(llvm::seq<int64_t>(0, first.size()));
  printLoop(ctx, first.size(),
            {(array + "[" + indexExpr(ctx, identity) + "] = hd::permuteBytes(" + word(first) + ", " + word(second) +
              ", " + selector + ");")
                 .str()});
  return true;
}

/// Each word of the result from a byte each of four words of the source. Bytes 0 and 1 (2 and 3) of one pair of words
/// are asked for together: two results share what joins the pair.
static void printByteGather(EmitContext &ctx, StringRef array, StringRef source, ArrayRef<int64_t> map) {
  constexpr int64_t packing = 4;
  SmallVector<SmallVector<int64_t>, packing> words(packing);
  SmallVector<int64_t> pairs[2], both;
  for (size_t word = 0; word < map.size() / packing; ++word) {
    ArrayRef<int64_t> part = map.slice(word * packing, packing);
    int64_t joined = 0;
    for (int64_t half = 0; half < 2; ++half) {
      int64_t low = part[2 * half] % packing, high = part[2 * half + 1] % packing, odd = low & 1;
      bool alike = odd == (high & 1);
      int64_t one = alike ? low - odd : low, other = 4 + (alike ? high - odd : high);
      pairs[half].push_back(one | other << 4 | (one | 1) << 8 | (other | 1) << 12);
      joined |= ((4 * half + (alike ? 2 * odd : 0)) * 0x11 + 0x10) << (8 * half);
    }
    both.push_back(joined);
    for (auto [i, e] : llvm::enumerate(part))
      words[i].push_back(e / packing);
  }
  SmallVector<int64_t> identity = llvm::to_vector(llvm::seq<int64_t>(0, both.size()));
  std::string text = (array + "[" + indexExpr(ctx, identity) + "] = hd::permuteBytes(").str();
  for (ArrayRef<int64_t> each : words)
    text += (source + "[" + indexExpr(ctx, each) + "], ").str();
  text += selectorText(ctx, pairs[0]) + ", " + selectorText(ctx, pairs[1]) + ", " + selectorText(ctx, both) + ");";
  printLoop(ctx, both.size(), {text});
}

void cuda::printMove(EmitContext &ctx, RankedTensorType to, StringRef array, RankedTensorType from, StringRef source,
                     ArrayRef<int64_t> map, llvm::function_ref<std::string(std::string, ArrayRef<int64_t>)> through) {
  int64_t packing = registerArrayOf(to).packing, elements = map.size();
  auto wrap = [&](std::string value, ArrayRef<int64_t> moved) { return through ? through(value, moved) : value; };
  bool words = packing > 1 && elements % packing == 0;
  for (int64_t e = 0; e < elements && words; ++e)
    words = e % packing == 0 ? map[e] % packing == 0 : map[e] == map[e - 1] + 1;
  if (packing > 1 && words) {
    SmallVector<int64_t> wordMap, moved;
    for (int64_t e = 0; e < elements; e += packing) {
      wordMap.push_back(map[e] / packing);
      moved.push_back(e);
    }
    SmallVector<int64_t> identity = llvm::to_vector(llvm::seq<int64_t>(0, wordMap.size()));
    std::string value = (source + "[" + indexExpr(ctx, wordMap) + "]").str();
    printLoop(ctx, wordMap.size(),
              {(array + "[" + indexExpr(ctx, identity) + "] = " + wrap(value, moved) + ";").str()});
    return;
  }
  if (packing > 1 && elements % packing == 0 && !through) {
    if (printBytePermutation(ctx, array, source, map, packing))
      return;
    if (packing == 4)
      return printByteGather(ctx, array, source, map);
  }
  printFill(ctx, to, array, packing, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> mapped;
    for (int64_t e : at)
      mapped.push_back(map[e]);
    return wrap(elementAt(ctx, from, source, mapped), at);
  });
}
