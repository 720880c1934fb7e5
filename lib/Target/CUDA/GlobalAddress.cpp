//===- GlobalAddress.cpp - see GlobalAddress.h -------------------------------------===//
#include "GlobalAddress.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "llvm/ADT/SetVector.h"

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

GlobalAddress::GlobalAddress(EmitContext &ctx, RankedTensorType type, const ViewAccess &view,
                             ArrayRef<std::string> indices, ArrayRef<int64_t> tileDims, ArrayRef<int64_t> extent,
                             bool isConst, NamedRows rows, ArrayRef<std::string> below, bool turned)
    : element(memoryTypeOf(type.getElementType())), ctx(ctx), elementBytes(type.getElementTypeBitWidth() / 8),
      turned(turned) {
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
    if (found != tileDims.end() && !named && !extent.empty() &&
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
    text += (text.empty() ? "" : " && ") + inside(step == "0" ? dim.first : dim.first + " + " + step, dim.size);
  }
  return text.empty() ? "true" : text;
}

std::pair<std::string, std::string> GlobalAddress::columns(ArrayRef<int64_t> elements) {
  std::string step = inner.step(ctx, elements), rows = condition(elements, /*ofRows=*/true);
  return {step == "0" ? inner.first : inner.first + " + " + step,
          rows == "true" ? inner.size : rows + " ? " + inner.size + " : 0"};
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
  std::string text = "hd::isAligned<" + std::to_string(vector * elementBytes) + ">(" + pointer + ")";
  std::string columns = inner.first;
  if (int64_t size; StringRef(inner.size).getAsInteger(10, size))
    columns = "(" + columns + " | " + inner.size + ")";
  text += " && " + columns + " % " + std::to_string(vector) + " == 0";
  for (const std::string &stride : strides)
    text += " && " + atom(stride) + " % " + std::to_string(vector) + " == 0";
  if (!rowsBegin.stride.empty())
    text += " && (" + atom(rowsBegin.stride) + " % " + std::to_string(vector) + " == 0 || (" + rowsBegin.numbers +
            ") * " + atom(rowsBegin.stride) + " % " + std::to_string(vector) + " == 0)";
  return text;
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
