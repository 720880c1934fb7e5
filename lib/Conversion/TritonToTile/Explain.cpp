//===- Explain.cpp - what became of each access, and how to launch ----------===//
#include "Steps.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

static std::string shapeText(Operation *op) {
  Type type = op->getNumResults() ? op->getResult(0).getType() : op->getOperand(1).getType();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string placeText(Location loc) {
  if (auto place = loc->findInstanceOf<FileLineColLoc>())
    return std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn());
  return "?";
}

static const char *kindText(const Conversion &conversion, const Access &access) {
  if (access.box.kind == AccessKind::Scalar)
    return "scalar";
  if (access.box.kind == AccessKind::Rows)
    return "rows named by a tile";
  if (access.box.kind == AccessKind::Elements)
    return "element by element";
  bool contiguous = access.box.tileDims.back() >= 0;
  if (!contiguous)
    return "strided box";
  const View &view = conversion.views[access.view];
  Alignment alignment = alignmentOf(conversion, view);
  return alignment.needs.empty()                   ? "box"
         : alignment.isImpossible || view.isWindow ? "box without the copy engine"
                                                   : "box, if aligned at the launch";
}

/// Whether positions along dimension `d` of the view are those that the kernel names.
static bool isNamed(const Box &box, size_t d) {
  return box.kind == AccessKind::Elements || (box.rowsDim >= 0 && box.tileDims[d] == box.rowsDim);
}

std::string explainAccesses(const Conversion &conversion) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const Algebra &algebra = conversion.values->algebra;
  for (const Access &access : conversion.accesses) {
    os << placeText(access.op->getLoc()) << ": " << (access.isStore ? "store" : "load") << " of "
       << shapeText(access.op) << ": ";
    if (access.view < 0) {
      os << "refused: " << access.reason << "\n";
      continue;
    }
    const View &view = conversion.views[access.view];
    os << kindText(conversion, access) << (view.isWindow ? " of a window of '" : " of view '") << view.name << "'\n";
    if (view.address)
      os << "  at the address that is loaded at " << placeText(view.address.getLoc()) << "\n";
    else if (view.isWindow)
      os << "  made by the kernel, which knows its sizes: from element " << algebra.text(view.offset) << " on\n";
    for (auto [i, dim] : llvm::enumerate(view.dims)) {
      os << "  dimension " << i << ": size " << (dim.unbounded ? "unbounded" : algebra.text(dim.size)) << ", stride "
         << algebra.text(dim.stride) << ", at "
         << algebra.text(isNamed(access.box, i) ? access.box.rows : access.box.coordinates[i]);
      if (access.box.tileDims[i] >= 0)
        os << ", along dimension " << access.box.tileDims[i] << " of the tile";
      if (auto spread = access.box.spread.find(access.box.tileDims[i]); spread != access.box.spread.end())
        os << ", where " << spread->second << " neighbours are one element";
      os << "\n";
    }
    if (!access.reason.empty())
      os << "  no box: " << access.reason << "\n";
    for (const Atom &guard : access.box.guards)
      os << "  only if " << algebra.text(guard) << "\n";
    for (const auto &[dim, limit] : access.box.below)
      os << "  only below lane " << algebra.text(limit) << " of dimension " << dim << "\n";
    for (const Wrap &wrap : access.box.wraps)
      os << "  wrapped beyond lane " << algebra.text(wrap.limit) << " of dimension " << wrap.tileDim
         << ": such lanes are never stored\n";
    for (const Wrap &bound : access.box.dropped)
      os << "  anything beyond lane " << algebra.text(bound.limit) << " of dimension " << bound.tileDim
         << ": such lanes are never stored\n";
    auto moves = [](const ViewReach &reach) { return reach.moves; };
    if (llvm::any_of(view.reach, moves) && !llvm::all_of(view.dims, [](const ViewDim &dim) {
          return dim.stride.constant() && !dim.unbounded && dim.size.constant();
        }))
      os << "  the launch has to see that different positions are different elements\n";
    bool copies = access.box.kind != AccessKind::Elements;
    if (std::string needs = copies ? alignmentOf(conversion, view).needs : ""; !needs.empty())
      os << "  the copy engine needs " << needs << "\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

static BlockArgument argumentOf(const Conversion &conversion, unsigned number) {
  FuncOp source = conversion.source;
  return source.getBody().getArgument(number);
}

/// A polynomial of arguments in the manifest's form of expressions.
static llvm::json::Value expressionOf(const Conversion &conversion, const Poly &poly) {
  Algebra &algebra = conversion.values->algebra;
  auto binary = [](const char *op, llvm::json::Value a, llvm::json::Value b) {
    return llvm::json::Value(llvm::json::Object{{"op", op}, {"a", std::move(a)}, {"b", std::move(b)}});
  };
  auto constant = [](int64_t value) { return llvm::json::Value(llvm::json::Object{{"const", value}}); };
  std::function<llvm::json::Value(Symbol)> ofSymbol = [&](Symbol symbol) -> llvm::json::Value {
    const SymbolInfo &info = algebra.info(symbol);
    if (info.kind == SymbolKind::Argument)
      return llvm::json::Object{{"arg", argumentName(argumentOf(conversion, static_cast<unsigned>(info.id)))}};
    if (info.kind == SymbolKind::Programs)
      return llvm::json::Object{{"arg", gridNames[info.id]}};
    llvm::json::Array in;
    for (const Poly &operand : info.operands)
      in.push_back(expressionOf(conversion, operand));
    switch (info.kind) {
    case SymbolKind::Quotient: return binary("floordiv", in[0], in[1]);
    case SymbolKind::Remainder: return binary("mod", in[0], in[1]);
    case SymbolKind::Minimum: return binary("min", in[0], in[1]);
    case SymbolKind::Maximum: return binary("max", in[0], in[1]);
    default: return llvm::json::Object{{"op", "choose"}, {"a", in[0]}, {"b", in[1]}, {"then", in[2]}, {"else", in[3]}};
    }
  };
  std::optional<llvm::json::Value> sum;
  for (const auto &[monomial, coefficient] : poly.terms()) {
    llvm::json::Value product = constant(coefficient);
    for (Symbol symbol : monomial)
      product = coefficient == 1 && symbol == monomial.front() ? ofSymbol(symbol)
                                                               : binary("mul", std::move(product), ofSymbol(symbol));
    sum = sum ? binary("add", std::move(*sum), std::move(product)) : std::move(product);
  }
  return sum ? std::move(*sum) : constant(0);
}

/// How many positions along dimension `d` of view number `number` accesses reach, where each reaches one, at a known
/// place: rows whose elements are apart have a dimension of neighbours beside.
static std::optional<int64_t> spanOf(const Conversion &conversion, size_t number, size_t d) {
  int64_t span = 0;
  for (const Access &access : conversion.accesses) {
    if (access.view != static_cast<int64_t>(number))
      continue;
    std::optional<int64_t> begin = access.box.coordinates[d].constant();
    if (!begin || access.box.tileDims[d] >= 0 || isNamed(access.box, d))
      return std::nullopt;
    span = std::max(span, *begin + 1);
  }
  return span > 0 ? std::optional(span) : std::nullopt;
}

std::string launchText(const Conversion &conversion) {
  llvm::json::Array arguments, views, scalars, grid;
  FuncOp source = conversion.source;
  const std::vector<ViewDim> memory{{Poly(), /*unbounded=*/true, Poly(1)}}; // of which windows are parts
  for (BlockArgument argument : source.getBody().getArguments())
    arguments.push_back(argumentName(argument));
  for (auto [number, view] : llvm::enumerate(conversion.views)) {
    llvm::json::Array sizes, strides, spans;
    if (view.address) { // the memory of the machine
      views.push_back(llvm::json::Object{{"name", view.name},
                                         {"of", argumentName(view.base)},
                                         {"argument", view.base.getArgNumber()},
                                         {"memory", true},
                                         {"stored", view.isStored}});
      continue;
    }
    for (auto [d, dim] : llvm::enumerate(view.isWindow ? memory : view.dims)) {
      std::optional<int64_t> span = view.isWindow || !dim.unbounded ? std::nullopt : spanOf(conversion, number, d);
      spans.push_back(span ? llvm::json::Value(*span) : llvm::json::Value(nullptr));
      sizes.push_back(dim.unbounded ? llvm::json::Value(nullptr) : expressionOf(conversion, dim.size));
      strides.push_back(expressionOf(conversion, dim.stride));
    }
    llvm::json::Object made{{"name", view.name},
                            {"of", argumentName(view.base)},
                            {"argument", view.base.getArgNumber()},
                            {"offset", expressionOf(conversion, view.isWindow ? Poly() : view.offset)},
                            {"sizes", std::move(sizes)},
                            {"strides", std::move(strides)},
                            {"stored", view.isStored}};
    if (llvm::any_of(spans, [](const llvm::json::Value &span) { return span.getAsInteger().has_value(); }))
      made["spans"] = std::move(spans);
    if (view.isWindow) // of which the kernel takes parts by distances of 64 bits
      made["window"] = true;
    if (!view.reach.empty()) { // iterations have to reach elements of their own
      llvm::json::Array extents, moves;
      for (const ViewReach &reach : view.reach) {
        extents.push_back(reach.extent);
        moves.push_back(reach.moves);
      }
      made["extents"] = std::move(extents);
      made["moves"] = std::move(moves);
    }
    if (view.byElement) // the launch has to know that 32 bits hold every position
      made["whole"] = true;
    views.push_back(std::move(made));
  }
  for (unsigned number : conversion.scalars)
    scalars.push_back(llvm::json::Object{{"name", argumentName(argumentOf(conversion, number))}, {"argument", number}});
  for (unsigned axis = 0; axis < conversion.gridRank; ++axis)
    grid.push_back(gridNames[axis]);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv(
      "{0:2}\n", llvm::json::Value(llvm::json::Object{{"arguments", std::move(arguments)},
                                                      {"views", std::move(views)},
                                                      {"scalars", std::move(scalars)},
                                                      {"grid", std::move(grid)}}));
  return text;
}

} // namespace heddle::triton
