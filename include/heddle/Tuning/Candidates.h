//===- Candidates.h - what the tuner may choose ----------------------------===//
//
// What:   axes (a decision of the plan about the kernel, with the values that are tried), candidates (a value for each
//         axis), and the order in which their space is searched. No MLIR.
// Search: axes of shape (sizes of tiles, groups) decide what a program computes and are tried in every combination; of
//         the best few, axes of order (persistence, raster, ring depth) are tried in every combination that is another
//         order.
// Add an axis: one line in `axesOf` (lib/Pipelines/Tune.cpp); its key must be one of the plan's (docs/Plan.md).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TUNING_CANDIDATES_H
#define HEDDLE_TUNING_CANDIDATES_H

#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct Axis {
  std::string key;                 ///< of the plan's kernel entry
  std::string parameter;           ///< the key is "parameters" and this is the name of one
  bool isShape = false;            ///< changes what a program computes
  std::vector<std::string> values; ///< as a plan writes them, the first is tried first; empty: left to the compiler
};

/// A value for each axis, in the order of the axes; empty: left to the compiler.
using Candidate = std::vector<std::string>;

/// The kernel entry of a plan: "{parameters = {BM = 128}, groups = 2}".
std::string planOf(const Candidate &candidate, const std::vector<Axis> &axes);

/// The values of the axes of shape: equal for candidates that differ in orders alone.
Candidate shapeOf(const Candidate &candidate, const std::vector<Axis> &axes);

/// Every combination of the axes of shape, the other axes at their first values.
std::vector<Candidate> shapesOf(const std::vector<Axis> &axes);

/// Every combination of the axes of order for the shape of `candidate`, but itself.
std::vector<Candidate> ordersOf(const Candidate &candidate, const std::vector<Axis> &axes);

} // namespace heddle

#endif // HEDDLE_TUNING_CANDIDATES_H
