//===- Rearrangement.cpp - see Rearrangement.h -----------------------------------===//
#include "heddle/Dialect/Tile/Rearrangement.h"

#include "heddle/Dialect/Tile/Tile.h"

using namespace mlir;
namespace heddle {

std::optional<Rearrangement> Rearrangement::of(Operation *op) {
  if (auto transpose = dyn_cast_or_null<tile::TransposeOp>(op))
    return Rearrangement{transpose.getSource(), transpose.getResult(), {1, 0}};
  if (auto broadcast = dyn_cast_or_null<tile::BroadcastOp>(op)) {
    Rearrangement made{broadcast.getSource(), broadcast.getResult(), {}};
    int64_t axis = broadcast.getAxis();
    for (int64_t d = 0; d < broadcast.getResult().getType().getRank(); ++d)
      made.dims.push_back(d == axis ? repeated : d - (d > axis));
    return made;
  }
  return std::nullopt;
}

bool Rearrangement::keepsOrder() const {
  int64_t next = 0;
  return llvm::all_of(dims, [&](int64_t d) { return d == repeated || d == next++; });
}

} // namespace heddle
