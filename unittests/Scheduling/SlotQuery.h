//===- SlotQuery.h - The complete query over slots at one interval, for tests ===//
#ifndef HEDDLE_UNITTESTS_SCHEDULING_SLOTQUERY_H
#define HEDDLE_UNITTESTS_SCHEDULING_SLOTQUERY_H

#include "heddle/Scheduling/Joint/Encoder.h"
#include "heddle/Scheduling/Solver/Sat.h"

#include <memory>

namespace heddle::test {

/// Whether `p` has a schedule of interval `ii` and at most `stages` stages, under all constraints.
inline SatAnswer askSlots(const Problem &p, int64_t ii, int64_t stages) {
  std::unique_ptr<SatSolver> sat = createSat();
  Encoder::Options o;
  o.ii = ii;
  o.stages = stages;
  Encoder encoder(p, *sat, o);
  encoder.encode();
  return sat->solve({}, {});
}

} // namespace heddle::test

#endif // HEDDLE_UNITTESTS_SCHEDULING_SLOTQUERY_H
