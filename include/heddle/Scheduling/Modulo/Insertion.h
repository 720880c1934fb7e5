//===- Insertion.h - Schedules by inserting nodes and ejecting others -----===//
//
// What:    a schedule of a given interval for given warp groups, under all constraints, by a heuristic whose time does
//          not depend on the number of cycles.
// Where:   the exact search asks it before any query (Solver/Search.h), and where queries are too large.
// Exact:   no. A schedule returned is legal; that none is returned says nothing.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_MODULO_INSERTION_H
#define HEDDLE_SCHEDULING_MODULO_INSERTION_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"
#include "heddle/Support/Deadline.h"

#include <optional>

namespace heddle {

struct InsertionOptions {
  ConstraintSet constraints;
  int64_t ii = 1;
  int64_t stages = 0;     ///< every node completes by stages * ii; 0: no limit
  int64_t insertions = 0; ///< how many are tried at most
  uint64_t seed = 0;      ///< of the choices among equals. Modulo 3 it says what comes first: 0 what needs scarce units
                          ///< and has little slack, 1 what the program has first, 2 what has little slack
  const Schedule *follow = nullptr; ///< a schedule of another interval whose times, in proportion, are tried first
  Deadline deadline;
};

/// A legal schedule of `problem` at interval `options.ii` with the groups given (one for each node; -1 without groups),
/// or none; also where there are more than 4096 nodes. Deterministic. Requires problem.check().
std::optional<Schedule> scheduleByInsertion(const Problem &problem, const std::vector<int> &group,
                                            const InsertionOptions &options);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_MODULO_INSERTION_H
