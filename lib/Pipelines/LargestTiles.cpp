//===- LargestTiles.cpp - see LargestTiles.h --------------------------------===//
#include "LargestTiles.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
namespace heddle {

void noteLargestTiles(InFlightDiagnostic &diagnostic, const LoopProblem &loop, ErrorCause cause) {
  constexpr size_t most = 3;
  const bool registers = cause == ErrorCause::Registers;
  if (!registers && cause != ErrorCause::Memory)
    return;
  struct Tile {
    int64_t takes;
    std::string of;
    Location loc;
    RankedTensorType type;
  };
  SmallVector<Tile> tiles;
  for (auto [node, ops] : llvm::zip(loop.problem.nodes, loop.ops)) {
    if (!registers && node.footprints.empty())
      continue;
    int64_t takes = registers ? node.regs : node.footprints.front().amount;
    std::string of = registers
                         ? "registers of each thread"
                         : "of memory '" + loop.problem.memories[node.footprints.front().memory].name + "' a slot";
    Operation *op = ops.empty() ? nullptr : ops.back();
    auto type = op && op->getNumResults() ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
    // Groups have a part each of what the program says once.
    if (takes && type && llvm::none_of(tiles, [&](const Tile &tile) { return tile.loc == op->getLoc(); }))
      tiles.push_back({takes, of, op->getLoc(), type});
  }
  llvm::stable_sort(tiles, [](const Tile &a, const Tile &b) { return a.takes > b.takes; });
  for (const Tile &tile : ArrayRef<Tile>(tiles).take_front(most))
    diagnostic.attachNote(tile.loc) << "a tile " << tile.type << " takes " << tile.takes << " " << tile.of;
}

} // namespace heddle
