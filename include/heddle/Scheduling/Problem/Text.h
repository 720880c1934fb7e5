//===- Text.h - The `.sched` text form of problems and schedules ----------===//
//
// What:     Problem <-> text and Schedule <-> text. Grammar in docs/Scheduling.md. Reading locates every error
//           (file:line:col); writing is deterministic and read(write(x)) == x.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_PROBLEM_TEXT_H
#define HEDDLE_SCHEDULING_PROBLEM_TEXT_H

#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

/// Parses and checks (`Problem::check`) a problem; `file` is used in error places.
Result<Problem> parseProblem(const std::string &text, const std::string &file);
Result<Problem> loadProblem(const std::string &path);
std::string writeProblem(const Problem &problem);

/// Parses a solution of `problem`. Checks form (every node once, known names) and that both state the same scale;
/// legality under the constraints that the solution states is `verifySchedule`.
Result<Schedule> parseSchedule(const std::string &text, const std::string &file, const Problem &problem);
Result<Schedule> loadSchedule(const std::string &path, const Problem &problem);
/// States the scale of the problem, so that a replay can make the same one, and the constraints that the schedule
/// leaves out.
std::string writeSchedule(const Problem &problem, const Schedule &schedule);
/// The scale that the text of a solution states (1 when it states none). Errors: form.
Result<int64_t> parseScale(const std::string &text, const std::string &file);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_PROBLEM_TEXT_H
