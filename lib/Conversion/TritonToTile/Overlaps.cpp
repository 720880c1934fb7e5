//===- Overlaps.cpp - iterations that may reach one element of a view --------===//
//
// What:   for each view that is stored to and loaded, how many positions its accesses reach along each dimension, and
//         along which of them iterations and accesses differ (View::reach). Where constants say that different
//         positions are one element (windows that a loop moves by less than their length), the argument is reached
//         element by element instead. Where sizes and strides of the launch decide, the launch has to check
//         (`launchText`, heddle/Address/Overlap.h), since dependences between iterations are found by coordinates.
// Where:  behind the accesses are found, as a part of that step.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "heddle/Address/Overlap.h"
#include "heddle/Conversion/TritonToTile/Symbols.h"

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

/// Whether `coordinate` may change from one iteration of a loop to the next.
static bool changesInLoops(const Algebra &algebra, const Poly &coordinate) {
  return !algebra.allSymbols(coordinate, [](const SymbolInfo &info) {
    return info.kind != SymbolKind::Counter && info.kind != SymbolKind::Opaque && info.kind != SymbolKind::Table;
  });
}

static ArrayRef<int64_t> shapeOf(const Access &access) {
  Operation *op = access.op;
  Type type = op->getNumResults() && !access.isStore ? op->getResult(0).getType() : op->getOperand(1).getType();
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

/// Stores of one place are ordered as loads of it are only where something loads it; additions commute.
static bool isOrdered(const Conversion &conversion, int view) {
  bool stores = false, loads = false;
  for (const Access &access : conversion.accesses)
    if (access.view == view) {
      stores |= access.isStore;
      loads |= !access.isStore;
    }
  return stores && loads;
}

void findReach(Conversion &conversion) {
  const Algebra &algebra = algebraOf(conversion);
  for (auto [v, view] : llvm::enumerate(conversion.views)) {
    view.reach.clear();
    if (view.isWindow || view.address || view.byElement || view.dims.size() < 2 || !isOrdered(conversion, v))
      continue;
    view.reach.resize(view.dims.size());
    const Access *first = nullptr;
    for (const Access &access : conversion.accesses) {
      if (access.view != static_cast<int>(v))
        continue;
      std::vector<int64_t> lanes = lanesOf(access.box, shapeOf(access).vec());
      for (auto [d, reach] : llvm::enumerate(view.reach)) {
        int64_t dim = access.box.tileDims[d];
        const Poly &coordinate = access.box.coordinates[d];
        reach.extent = std::max(reach.extent, dim < 0 ? 1 : lanes[dim]);
        reach.moves |= changesInLoops(algebra, coordinate) || (dim >= 0 && dim == access.box.rowsDim) ||
                       (first && first->box.coordinates[d] != coordinate);
      }
      first = first ? first : &access;
    }
  }
}

/// Positions along dimension `d`, where `size` is its size or nothing.
static std::optional<int64_t> spanOf(const View &view, size_t d, std::optional<int64_t> size) {
  const ViewReach &reach = view.reach[d];
  if (reach.moves)
    return size;
  return size ? std::min(*size, reach.extent) : reach.extent;
}

bool mayMeetAtLaunch(const View &view, llvm::function_ref<std::optional<int64_t>(const Poly &)> valueOf) {
  std::vector<Reach> dims;
  for (size_t d = 0; d < view.reach.size(); ++d)
    if (std::optional<int64_t> stride = valueOf(view.dims[d].stride)) {
      std::optional<int64_t> size = view.dims[d].unbounded ? std::nullopt : valueOf(view.dims[d].size);
      dims.push_back({*stride, spanOf(view, d, size), view.reach[d].moves});
    }
  return mayMeet(std::move(dims));
}

bool meetsByConstants(const View &view) {
  if (mayMeetAtLaunch(view, [](const Poly &poly) { return poly.constant(); }))
    return true;
  // Steps of one length along two dimensions, whatever the length.
  for (size_t d = 0; d < view.reach.size(); ++d)
    for (size_t e = 0; e < d; ++e) {
      auto isOne = [&](size_t dim) {
        std::optional<int64_t> size = view.dims[dim].unbounded ? std::nullopt : view.dims[dim].size.constant();
        return spanOf(view, dim, size).value_or(2) <= 1;
      };
      if (view.dims[d].stride == view.dims[e].stride && (view.reach[d].moves || view.reach[e].moves) && !isOne(d) &&
          !isOne(e))
        return true;
    }
  return false;
}

} // namespace heddle::triton
