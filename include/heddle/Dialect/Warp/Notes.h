//===- Notes.h - where operations of a kernel come from ---------------------===//
//
// Attributes that the lowering to warp programs leaves on operations, for the levels below: comments and names of the
// CUDA text, the timeline, and which operations run ahead in a steady state.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_WARP_NOTES_H
#define HEDDLE_DIALECT_WARP_NOTES_H

#include "llvm/ADT/StringRef.h"

namespace heddle::warp {

/// The node of the schedule that an operation is, its stage, and the cycle of its iteration in which it starts.
inline constexpr llvm::StringLiteral nodeAttr = "heddle.node", stageAttr = "heddle.stage", cycleAttr = "heddle.cycle";
/// What a scalar is called in the CUDA text, where the program has no name for it.
inline constexpr llvm::StringLiteral scalarNameAttr = "heddle.name";

} // namespace heddle::warp

#endif // HEDDLE_DIALECT_WARP_NOTES_H
