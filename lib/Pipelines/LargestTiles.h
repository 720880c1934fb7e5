//===- LargestTiles.h - what takes the room that a loop lacks ----------------===//
#ifndef HEDDLE_LIB_PIPELINES_LARGESTTILES_H
#define HEDDLE_LIB_PIPELINES_LARGESTTILES_H

#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Support/Error.h"

namespace heddle {

/// Says, in notes to `diagnostic`, which tiles of `loop` take most of what `cause` names: registers of a thread, or
/// room in a memory. Nothing for other causes.
void noteLargestTiles(mlir::InFlightDiagnostic &diagnostic, const LoopProblem &loop, ErrorCause cause);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_LARGESTTILES_H
