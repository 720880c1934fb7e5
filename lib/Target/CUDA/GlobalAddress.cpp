//===- GlobalAddress.cpp - see GlobalAddress.h -------------------------------------===//
#include "GlobalAddress.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/Divisibility.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

std::string cuda::memoryTypeOf(Type element) {
  if (!packedTag(element).empty() || isNarrowInteger(element))
    return element.getIntOrFloatBitWidth() == 16 ? "uint16_t" : "uint8_t";
  return element.isInteger(1) || element.isIndex() ? "" : computeTypeOf(element);
}

LogicalResult cuda::checkMemoryElement(Operation *op, Type element) {
  if (!memoryTypeOf(element).empty())
    return success();
  return op->emitOpError("expected f64, f32, f16, bf16, f8, i64, i32, i16 or i8 elements in global memory, got ")
         << element;
}

std::string cuda::inside(const std::string &index, const std::string &size) {
  return "uint32_t(" + index + ") < uint32_t(" + size + ")";
}
std::string cuda::scaled(const std::string &index, const std::string &stride) {
  return stride == "1" ? index : "int64_t(" + index + ") * " + atom(stride);
}

static std::string sum(const std::string &a, const std::string &b) {
  return a == "0" ? b : b == "0" ? a : atom(a) + " + " + b;
}

SmallVector<std::string> cuda::namesOf(EmitContext &ctx, ValueRange values) {
  SmallVector<std::string> result;
  for (Value v : values)
    result.push_back(ctx.nameOf(v));
  return result;
}

FailureOr<NamedRows> cuda::namedRows(Operation *op, Value numbers, RankedTensorType type, EmitContext &ctx) {
  LinearLayout from = hw::layoutOf(cast<RankedTensorType>(numbers.getType())), to = hw::layoutOf(type);
  NamedRows rows;
  rows.array = ctx.nameOf(numbers);
  if (to.rank() == 1 && from == to)
    rows.map = llvm::to_vector(llvm::seq<int64_t>(0, registerArrayOf(type).elements));
  else if (auto map = to.rank() == 1 ? std::nullopt : broadcastMap(from, to, 1))
    rows.map.assign(map->begin(), map->end());
  else
    return op->emitOpError("expected row numbers in the slice of the tile's layout, got ") << numbers.getType();
  return rows;
}

/// A tensor map is encoded of aligned memory alone, which the launcher checks.
static bool isAligned(Value view) {
  return tile::isMarkedAligned(view) || llvm::any_of(view.getUsers(), llvm::IsaPred<hw::TensorMapOp>);
}

static int64_t sizeDivisorOf(Value view, int64_t dim) {
  auto window = view.getDefiningOp<tile::WindowOp>();
  return window ? knownDivisor(window.getSizes()[dim]) : tile::sizeDivisor(view, dim);
}

GlobalAddress::GlobalAddress(EmitContext &ctx, RankedTensorType type, Value memory, ValueRange coordinates,
                             ArrayRef<int64_t> tileDims, ArrayRef<int64_t> extent, bool isConst, NamedRows rows,
                             ValueRange ends, bool turned)
    : element(memoryTypeOf(type.getElementType())), ctx(ctx), elementBytes(type.getElementTypeBitWidth() / 8),
      turned(turned), promised(isAligned(memory)) {
  ViewAccess view = ctx.viewOf(memory);
  SmallVector<std::string> indices = namesOf(ctx, coordinates), below = namesOf(ctx, ends);
  LinearLayout layout = hw::layoutOf(type);
  std::vector<int64_t> registers = layout.registers();
  std::string offset;
  vector = 16 / elementBytes;
  for (size_t k = 0; k < indices.size(); ++k) {
    Dim dim;
    dim.size = view.sizes[k];
    dim.stride = view.strides[k];
    dim.divisor = knownDivisor(coordinates[k]);
    dim.sizeDivisor = sizeDivisorOf(memory, k);
    auto found = llvm::find(tileDims, static_cast<int64_t>(k));
    std::string first = indices[k], thread = "0";
    bool moves = false, named = found == tileDims.begin() && !rows.map.empty();
    int64_t reach = 0; // bits of the coordinate that lanes and warps decide
    if (named) {
      dim.array = rows.array;
      dim.offsets = rows.map;
      moves = true;
      if (!extent.empty() && extent[0] < type.getDimSize(0))
        limitRows(layout, extent[0]);
    } else if (found != tileDims.end()) {
      int d = found - tileDims.begin();
      thread = threadCoordinate(ctx, layout, d);
      first = sum(first, thread);
      for (int64_t r : registers) {
        dim.offsets.push_back(LinearLayout::component(layout.at(r, 0, 0), d));
        moves |= dim.offsets.back() != 0;
      }
      for (const auto *basis : {&layout.lane(), &layout.warp()})
        for (LinearLayout::Vector v : *basis)
          reach |= LinearLayout::component(v, d);
    }
    dim.first = named && first == "0" ? first : ctx.fresh("i");
    if (dim.first != "0") {
      ctx.line("const int " + dim.first + " = " + first + ";");
      offset += " + " + scaled(dim.first, dim.stride);
    }
    if (found != tileDims.end() && !named && !extent.empty() &&
        extent[found - tileDims.begin()] < type.getDimSize(found - tileDims.begin())) {
      // Inside the view and inside the tile's extent: the nearer end decides.
      std::string end = ctx.fresh("end");
      std::string last =
          (indices[k] == "0" ? "" : atom(indices[k]) + " + ") + std::to_string(extent[found - tileDims.begin()]);
      ctx.line("const int " + end + " = hd::min(" + dim.size + ", " + last + ");");
      dim.size = end;
      dim.sizeDivisor = std::gcd(dim.sizeDivisor, std::gcd(dim.divisor, extent[found - tileDims.begin()]));
    }
    if (found != tileDims.end() && !below.empty()) {
      std::string end = ctx.fresh("end");
      ctx.line("const int " + end + " = hd::max(0, hd::min(" + dim.size + ", " + below[found - tileDims.begin()] +
               "));");
      dim.size = end;
      dim.sizeDivisor = std::gcd(dim.sizeDivisor, knownDivisor(ends[found - tileDims.begin()]));
    }
    if (k + 1 == indices.size())
      limitVector(dim, found != tileDims.end() && dim.array.empty(), reach, registers.size());
    else if (named)
      rowsBegin = atMultiples(dim);
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

std::string GlobalAddress::condition(ArrayRef<int64_t> elements, bool ofRows) {
  std::string text = fixed;
  for (const Dim &dim : llvm::concat<const Dim>(moving, limits)) {
    if (ofRows && dim.first == inner.first)
      continue;
    std::string step = dim.step(ctx, elements);
    text += (text.empty() ? "" : " && ") + inside(sum(dim.first, step), dim.size);
  }
  return text.empty() ? "true" : text;
}

std::pair<std::string, std::string> GlobalAddress::columns(ArrayRef<int64_t> elements) {
  std::string step = inner.step(ctx, elements), rows = condition(elements, /*ofRows=*/true);
  return {sum(inner.first, step), rows == "true" ? inner.size : rows + " ? " + inner.size + " : 0"};
}

std::string GlobalAddress::access(ArrayRef<int64_t> elements) {
  std::string text = offsetOf(elements);
  return pointer + "[" + (text.empty() ? "0" : text) + "]";
}

std::string GlobalAddress::address(ArrayRef<int64_t> elements) {
  std::string text = offsetOf(elements);
  return text.empty() ? pointer : pointer + " + " + text;
}

std::string GlobalAddress::aligned() {
  std::vector<std::string> tests;
  std::string isMultiple = " % " + std::to_string(vector) + " == 0";
  if (!promised)
    tests.push_back("hd::isAligned<" + std::to_string(vector * elementBytes) + ">(" + pointer + ")");
  // Where threads begin in the tile is a multiple, and so is a size that is a number (limitVector).
  int64_t number;
  bool column = inner.divisor % vector == 0;
  bool size = inner.sizeDivisor % vector == 0 || !StringRef(inner.size).getAsInteger(10, number);
  if (!column && !size)
    tests.push_back("(" + inner.first + " | " + inner.size + ")" + isMultiple);
  else if (!column || !size)
    tests.push_back((column ? atom(inner.size) : inner.first) + isMultiple);
  for (const std::string &stride : promised ? ArrayRef<std::string>() : ArrayRef<std::string>(strides))
    tests.push_back(atom(stride) + isMultiple);
  if (!promised && !rowsBegin.stride.empty())
    tests.push_back("(" + atom(rowsBegin.stride) + isMultiple + " || (" + rowsBegin.numbers + ") * " +
                    atom(rowsBegin.stride) + isMultiple + ")");
  return llvm::join(tests, " && ");
}

std::string GlobalAddress::Dim::step(EmitContext &ctx, ArrayRef<int64_t> elements) const {
  SmallVector<int64_t> result;
  for (int64_t e : elements)
    result.push_back(offsets[e]);
  std::string text = indexExpr(ctx, result);
  return array.empty() ? text : array + "[" + text + "]";
}

GlobalAddress::RowsBegin GlobalAddress::atMultiples(const Dim &dim) {
  RowsBegin begin{"", dim.stride};
  llvm::SmallSetVector<int64_t, 16> used(dim.offsets.begin(), dim.offsets.end());
  for (int64_t element : used)
    begin.numbers +=
        (begin.numbers.empty() ? "" : " | ") + ("hd::max(0, " + dim.array + "[" + std::to_string(element) + "])");
  return begin;
}

void GlobalAddress::limitRows(const LinearLayout &layout, int64_t count) {
  Dim limit;
  limit.size = std::to_string(count);
  limit.first = ctx.fresh("row");
  ctx.line("const int " + limit.first + " = " + threadCoordinate(ctx, layout, 0) + ";");
  for (int64_t r : layout.registers())
    limit.offsets.push_back(LinearLayout::component(layout.at(r, 0, 0), 0));
  limits.push_back(limit);
}

void GlobalAddress::limitVector(const Dim &dim, bool inTile, int64_t reach, int64_t registers) {
  inner = dim;
  auto fits = [&] {
    if (!inTile || registers % vector || reach % vector || dim.stride != "1")
      return false;
    if (int64_t size; !StringRef(dim.size).getAsInteger(10, size) && size % vector && !(turned && size == unbounded))
      return false;
    for (int64_t e = 0; e < registers; ++e)
      if (e % vector ? dim.offsets[e] != dim.offsets[e - 1] + 1 : dim.offsets[e] % vector != 0)
        return false;
    return true;
  };
  while (vector > 1 && !fits())
    vector /= 2;
}

std::string GlobalAddress::offsetOf(ArrayRef<int64_t> elements) {
  std::string text;
  for (const Dim &dim : moving) {
    std::string step = dim.step(ctx, elements);
    if (step != "0")
      text += (text.empty() ? "" : " + ") + scaled(step, dim.stride);
  }
  return text;
}
