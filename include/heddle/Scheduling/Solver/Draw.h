//===- Draw.h - Pictures of problems and schedules ------------------------===//
#ifndef HEDDLE_SCHEDULING_SOLVER_DRAW_H
#define HEDDLE_SCHEDULING_SOLVER_DRAW_H

#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

/// Most nodes and stages of a picture that anybody can look at. Boxes and lines, and so the text, grow with both.
inline constexpr int64_t mostDrawnNodes = 10000, mostDrawnStages = 1000;

/// Limit error: the pictures of `schedule` would have more than that.
Status checkDrawable(const Problem &problem, const Schedule &schedule);

/// One SVG: the modular reservation table (units by slots), the pipelined timeline of three iterations by warp group,
///          and
/// register and memory use over one interval.
std::string drawSchedule(const Problem &problem, const Schedule &schedule);

/// The dependence graph as SVG, coloured by warp group (Twill Figure 9); without a schedule all nodes are grey.
std::string drawGraph(const Problem &problem, const Schedule *schedule = nullptr);

/// One self-contained HTML page: both pictures, a table of the operations and `text` (an explanation), escaped.
std::string drawReport(const Problem &problem, const Schedule &schedule, const std::string &text);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_SOLVER_DRAW_H
