//===- Overlap.h - whether steps along a view's dimensions may meet ---------===//
//
// What:   a view is a set of dimensions, of which nothing says that different coordinates are different elements: rows
//         may be longer than they are apart. What orders accesses of one view compares coordinates, so that it is wrong
//         where they are not. `mayMeet` says whether that can be.
// Rule:   dimensions by their strides: each step has to be longer than all that the dimensions with shorter ones reach.
//         It is asked only where accesses move along one of the two: elements that one access reaches at one place
//         are the program's own matter.
// Layer:  plain C++, no MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ADDRESS_OVERLAP_H
#define HEDDLE_ADDRESS_OVERLAP_H

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::address {

/// What the accesses of a view reach along one dimension.
struct Reach {
  int64_t stride = 0;          ///< in elements
  std::optional<int64_t> span; ///< positions from the first to the last one; null: not known
  bool moves = false;          ///< accesses, or the iterations of a loop around one, begin at different positions
};

/// Whether two positions that accesses tell apart may be one element. A dimension whose span is not known is taken to
/// end before the step of the next longer one.
bool mayMeet(std::vector<Reach> dims);

} // namespace heddle::address

#endif // HEDDLE_ADDRESS_OVERLAP_H
