//===- ShareViews.cpp - single elements of tensors that tiles are part of ---===//
//
// What:   a scalar's address is a sum without sizes: a view of its own, of rank 1. Where the same argument is reached
//         through views of tiles, and written through one of the two, it becomes an element of such a view, as the tile
//         program's views are different tensors.
// Needed: the element lies inside the sizes of that view, as for an index that another access of the kernel masks (the
//         label of a loss). `heddle run` compares the addresses.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "heddle/Conversion/TritonToTile/Symbols.h"

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

/// Coordinates of the element `offset` of the argument; none: it is no element of the view, or may lie before it, or
/// lies behind it.
static std::optional<std::vector<Poly>> coordinatesIn(Algebra &algebra, const View &view, const Poly &offset) {
  std::vector<Poly> coordinates(view.dims.size());
  Poly rest = offset - view.offset;
  Poly *inRow = nullptr;
  for (auto [dim, coordinate] : llvm::zip_equal(view.dims, coordinates)) {
    if (dim.stride == Poly(1))
      inRow = &coordinate;
    if (dim.stride == Poly(1) || dim.stride.isZero())
      continue;
    Poly taken;
    for (const auto &[monomial, coefficient] : rest.terms())
      if (std::optional<Poly> share = Poly::term(monomial, coefficient).dividedBy(dim.stride)) {
        coordinate = coordinate + *share;
        taken = taken + Poly::term(monomial, coefficient);
      }
    rest = rest - taken;
  }
  if (inRow)
    *inRow = rest;
  else if (!rest.isZero())
    return std::nullopt;
  // Memory names no negative element (docs/Triton.md).
  auto ofMemory = [&](Symbol symbol) {
    return algebra.info(symbol).kind == SymbolKind::Opaque ? std::optional(algebra.lane(0)) : std::nullopt;
  };
  for (auto [dim, coordinate] : llvm::zip_equal(view.dims, coordinates)) {
    bool isBeyond = !dim.unbounded && !dim.size.isZero() && algebra.isNotNegative(coordinate - dim.size);
    if (isBeyond || !algebra.isNotNegative(algebra.substitute(coordinate, ofMemory)))
      return std::nullopt;
  }
  return coordinates;
}

/// Views without an access go.
static void dropUnused(Conversion &conversion) {
  std::vector<int> number(conversion.views.size(), -1);
  std::vector<View> kept;
  for (const Access &access : conversion.accesses)
    if (access.view >= 0)
      number[access.view] = 0;
  for (auto [i, view] : llvm::enumerate(conversion.views))
    if (number[i] == 0) {
      number[i] = static_cast<int>(kept.size());
      kept.push_back(view);
    }
  conversion.views = std::move(kept);
  for (Access &access : conversion.accesses)
    if (access.view >= 0)
      access.view = number[access.view];
}

void shareViews(Conversion &conversion) {
  auto isScalar = [](const Access &access) { return access.view >= 0 && access.box.kind == AccessKind::Scalar; };
  std::vector<bool> ofTiles(conversion.views.size());
  for (const Access &access : conversion.accesses)
    if (access.view >= 0 && !isScalar(access))
      ofTiles[access.view] = true;
  for (Access &access : conversion.accesses) {
    if (!isScalar(access) || ofTiles[access.view])
      continue;
    const View own = conversion.views[access.view];
    for (auto [i, view] : llvm::enumerate(conversion.views)) {
      bool same = ofTiles[i] && view.base == own.base && !view.isWindow && !own.isWindow && view.element == own.element;
      if (!same || !(view.isStored || own.isStored))
        continue;
      std::optional<std::vector<Poly>> coordinates =
          coordinatesIn(algebraOf(conversion), view, own.offset + access.box.coordinates[0]);
      if (!coordinates)
        continue;
      access.view = static_cast<int>(i);
      access.box.base = view.offset;
      access.box.dims = view.dims;
      access.box.coordinates = std::move(*coordinates);
      access.box.tileDims.assign(view.dims.size(), -1);
      view.isStored |= access.isStore;
      break;
    }
  }
  dropUnused(conversion);
}

} // namespace heddle::triton
