//===- RowSharing.h - which threads share the rows of a tile ---------------===//
#ifndef HEDDLE_ANALYSIS_ROWSHARING_H
#define HEDDLE_ANALYSIS_ROWSHARING_H

#include "heddle/Target/TargetInterface.h"

namespace heddle {

/// How threads share a row of `tile`, a value of rank 2 or more: as memory is read where it is computed from what is
/// loaded alone, else as a dot's result. Layouts follow the same rule later (Conversion/WarpToHW/AssignLayouts.cpp).
ColumnSharing sharingOf(mlir::Value tile);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_ROWSHARING_H
