//===- Coarse.cpp - Copies of a problem with fewer time units -------------===//
#include "heddle/Scheduling/Problem/Coarse.h"

namespace heddle {

Problem coarseCopy(const Problem &problem, int64_t factor, int64_t rounding) {
  Problem coarse = problem;
  auto divide = [&](int64_t &t) { t = t > 0 ? (t + rounding) / factor : t; }; // `never` and no pin stay
  forEachDuration(coarse, divide);
  for (Node &node : coarse.nodes)
    divide(node.pinStart);
  return coarse;
}

} // namespace heddle
