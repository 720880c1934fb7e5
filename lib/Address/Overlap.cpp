//===- Overlap.cpp - see Overlap.h -------------------------------------------===//
#include "heddle/Address/Overlap.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace heddle::address {

bool mayMeet(std::vector<Reach> dims) {
  std::sort(dims.begin(), dims.end(), [](const Reach &a, const Reach &b) {
    auto key = [](const Reach &dim) { return std::tuple(std::abs(dim.stride), !dim.span.has_value(), dim.moves); };
    return key(a) < key(b);
  });
  int64_t below = 0; // distance of the last element that shorter steps reach
  bool moved = false;
  for (const Reach &dim : dims) {
    if (dim.span && *dim.span <= 1)
      continue;
    if ((dim.moves || moved) && std::abs(dim.stride) <= below)
      return true;
    below += dim.span ? (*dim.span - 1) * std::abs(dim.stride) : 0;
    moved |= dim.moves;
  }
  return false;
}

} // namespace heddle::address
