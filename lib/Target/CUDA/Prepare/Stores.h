//===- Stores.h - which way threads store their tiles ---------------------------===//
//
// What threads write to global memory themselves goes one of four ways, which an attribute says before anything is
// printed:
//   wide      up to 16 bytes at a time where a run-time test finds addresses and sizes aligned, else as below
//   turned    of an accumulator in 16 bits: lanes of a quad exchange words first, so that each has 16 bytes of a row,
//             where a run-time test finds rows aligned; else wide
//   elements  one by one: additions, and stores beside the copy engine's, which seldom run
//   parts     additions of what several threads hold: each of them adds a part, since four lanes that add 32 elements
//             each, one after the other, are slow (sums of columns: docs/Findings.md)
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_STORES_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_STORES_H

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/Tile/Tile.h"

#include <optional>

namespace heddle::cuda {

enum class StoreWay { Wide, Turned, Elements, Parts };

/// Marks the stores by threads of `kernel`.
void chooseStores(hw::KernelOp kernel);

StoreWay wayOf(tile::StoreOp store);

/// How lanes of a quad exchange words of 16-bit elements, so that each has 16 bytes of a row. All lanes do or none: the
/// condition is about the first row and the pitch.
struct Turned {
  mlir::RankedTensorType type; ///< in the layout afterwards
  int64_t low, high;           ///< the word's number has these bits, which lanes take over
};

/// Of an accumulator's layout: a thread has two columns, its neighbours the next ones, up to eight. None: of another.
std::optional<Turned> turnedTile(mlir::RankedTensorType type);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_STORES_H
