//===- SmemPlan.h - where everything lies in shared memory ----------------------===//
//
// One offset per ring field, scratch tile, barrier array and group exchange area. Storage is swizzled with the widest
// of 128, 64 and 32 bytes that divides its rows, as wgmma descriptors and TMA boxes want it. Only the alternatives of a
// ring share bytes, slot by slot. Nothing else is aliased: a scratch may be written while another group still reads a
// ring, and nothing in a warp program proves the contrary.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_WARPTOHW_SMEMPLAN_H
#define HEDDLE_LIB_CONVERSION_WARPTOHW_SMEMPLAN_H

#include "heddle/Conversion/WarpToHW/WarpToHW.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace heddle {

struct SmemField {
  std::string name;       ///< no other storage of the kernel has it
  hw::TileType type;      ///< the whole storage of one slot
  int64_t offset = 0;     ///< of slot 0
  int64_t slotStride = 0; ///< bytes
};

struct RingPlan {
  llvm::SmallVector<SmemField, 2> fields;
  std::string shared;          ///< of a ring with alternatives: the name of what they share
  int64_t full = 0, empty = 0; ///< offsets of the barrier arrays
};

struct SmemPlan {
  llvm::DenseMap<mlir::Value, RingPlan> rings;
  llvm::DenseMap<mlir::Value, SmemField> scratches;
  llvm::DenseMap<mlir::Operation *, int64_t> exchanges; ///< group -> offset
  llvm::DenseMap<mlir::Value, int64_t> orders;          ///< offsets of their barrier arrays
  int64_t bytes = 0;
  llvm::SmallVector<TakenBytes> takers; ///< rings, scratches and exchanges
};

/// Storage type of a tile: widest swizzle that divides its rows.
hw::TileType storageFor(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

/// Places everything: the one count of what a kernel takes, also asked for how deep rings may be (sharedMemoryOf).
SmemPlan planSharedMemory(warp::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_WARPTOHW_SMEMPLAN_H
