//===- HWLayout.cpp - text form of #hw.layout and its bridge to LinearLayout ----===//
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"

#include <numeric>
#include <utility>

using namespace mlir;
using namespace heddle;
using namespace heddle::hw;
using Vector = LinearLayout::Vector;

/// vector ::= `0` | term (`+` term)*    term ::= `d`DIM `:` VALUE
static ParseResult parseVector(AsmParser &parser, int64_t &packed) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  int64_t zero;
  OptionalParseResult number = parser.parseOptionalInteger(zero);
  if (number.has_value()) {
    if (failed(*number))
      return failure();
    if (zero)
      return parser.emitError(loc, "expected 0 or dDIM:VALUE, got ") << zero;
    packed = 0;
    return success();
  }
  Vector v = 0;
  do {
    StringRef name;
    int64_t value;
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseColon() || parser.parseInteger(value))
      return failure();
    unsigned dim;
    if (!name.consume_front("d") || name.getAsInteger(10, dim) || dim >= LinearLayout::kMaxRank)
      return parser.emitError(loc, "expected a dimension d0 to d3");
    if (value < 1 || value > LinearLayout::kMaxSize)
      return parser.emitError(loc, "expected a coordinate from 1 to 32768, got ") << value;
    v ^= LinearLayout::unit(dim, value);
  } while (succeeded(parser.parseOptionalPlus()));
  packed = static_cast<int64_t>(v);
  return success();
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> basis[3];
  if (parser.parseLess())
    return {};
  StringRef names[3] = {"reg", "lane", "warp"};
  for (int i = 0; i < 3; ++i)
    if (parser.parseKeyword(names[i]) || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parseVector(parser, basis[i].emplace_back());
        }))
      return {};
  if (parser.parseGreater())
    return {};
  return LayoutAttr::get(parser.getContext(), basis[0], basis[1], basis[2]);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  auto list = [&](StringRef name, ArrayRef<int64_t> basis) {
    printer << name << " [";
    llvm::interleaveComma(basis, printer, [&](int64_t v) { printer << vectorString(static_cast<Vector>(v)); });
    printer << "]";
  };
  printer << '<';
  list("reg", getReg());
  list(" lane", getLane());
  list(" warp", getWarp());
  printer << '>';
}

bool hw::hasLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<LayoutAttr>(tensor.getEncoding());
}

static std::vector<Vector> unpack(ArrayRef<int64_t> basis) { return {basis.begin(), basis.end()}; }

LinearLayout hw::layoutOf(RankedTensorType type) {
  auto attr = cast<LayoutAttr>(type.getEncoding());
  return LinearLayout(type.getShape().vec(), unpack(attr.getReg()), unpack(attr.getLane()), unpack(attr.getWarp()));
}

RankedTensorType hw::withLayout(RankedTensorType type, const LinearLayout &layout) {
  auto pack = [](const std::vector<Vector> &basis) { return SmallVector<int64_t>(basis.begin(), basis.end()); };
  auto attr = LayoutAttr::get(type.getContext(), pack(layout.reg()), pack(layout.lane()), pack(layout.warp()));
  return RankedTensorType::get(type.getShape(), type.getElementType(), attr);
}

void hw::setLayout(Value tile, const LinearLayout &layout) {
  RankedTensorType type = withLayout(cast<RankedTensorType>(tile.getType()), layout);
  tile.setType(type);
  if (auto constant = tile.getDefiningOp<arith::ConstantOp>())
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
}

LinearLayout hw::layoutAcross(const Reshape &reshape, const LinearLayout &layout, bool ofSource) {
  std::vector<std::vector<int64_t>> runs;
  for (const ReassociationIndices &run : reshape.groups)
    runs.emplace_back(run.begin(), run.end());
  auto to = cast<RankedTensorType>((ofSource ? reshape.source : reshape.result).getType());
  return reshapeLayout(layout, to.getShape().vec(), runs, reshape.expands != ofSource);
}

/// `layout` with dimension d where `dims[d]` says.
static LinearLayout permuted(const LinearLayout &layout, ArrayRef<int64_t> dims) {
  std::vector<int64_t> shape(dims.size());
  for (auto [d, to] : llvm::enumerate(dims))
    shape[to] = layout.shape()[d];
  auto permute = [&](const auto &basis) {
    auto moved = basis;
    for (auto &vector : moved) {
      auto from = std::exchange(vector, 0);
      for (auto [d, to] : llvm::enumerate(dims))
        vector |= LinearLayout::unit(to, LinearLayout::component(from, d));
    }
    return moved;
  };
  return LinearLayout(shape, permute(layout.reg()), permute(layout.lane()), permute(layout.warp()));
}

LinearLayout hw::layoutOfSource(const Rearrangement &moved, const LinearLayout &layout) {
  LinearLayout rest = layout;
  for (int64_t d = moved.dims.size() - 1; d >= 0; --d)
    if (moved.dims[d] == Rearrangement::repeated)
      rest = sliceLayout(rest, d);
  SmallVector<int64_t> dims(moved.dims.begin(), moved.dims.end());
  llvm::erase(dims, Rearrangement::repeated);
  return permuted(rest, dims);
}

LinearLayout hw::layoutOfResult(const Rearrangement &moved, const LinearLayout &layout) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < layout.rank(); ++d)
    dims.push_back(moved.inResult(d));
  return permuted(layout, dims);
}

std::optional<std::vector<int64_t>> hw::registersOfSource(const Rearrangement &moved) {
  LinearLayout to = layoutOf(cast<RankedTensorType>(moved.result.getType()));
  if (layoutOfSource(moved, to) != layoutOf(cast<RankedTensorType>(moved.source.getType())))
    return std::nullopt;
  std::vector<int64_t> registers(to.numRegisters());
  std::iota(registers.begin(), registers.end(), 0);
  for (int64_t d = moved.dims.size() - 1; d >= 0; --d)
    if (moved.dims[d] == Rearrangement::repeated) {
      LinearLayout less = sliceLayout(to, d);
      std::optional<std::vector<int64_t>> map = broadcastMap(less, to, d);
      if (!map)
        return std::nullopt;
      for (int64_t &r : registers)
        r = (*map)[r];
      to = less;
    }
  return registers; // exchanged dimensions leave registers in their order
}

RankedTensorType hw::withoutLayout(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}
