//===- CacheHints.h - what a cache may know of an access -------------------===//
#ifndef HEDDLE_DIALECT_TILE_CACHEHINTS_H
#define HEDDLE_DIALECT_TILE_CACHEHINTS_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// On a load by ordinary instructions: nobody reads these elements again, so that L2 gives their lines up first
/// (Transforms/StreamTiles.cpp says where). Changes no value.
inline constexpr llvm::StringLiteral onceAttr = "heddle.once";
/// On a store: only where a coordinate is negative, which programs seldom have. Its text is short rather than fast.
inline constexpr llvm::StringLiteral seldomAttr = "heddle.seldom";

} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_CACHEHINTS_H
