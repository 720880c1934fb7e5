//===- PlanText.h - the plan of a compilation as text -----------------------===//
#ifndef HEDDLE_LIB_PIPELINES_PLANTEXT_H
#define HEDDLE_LIB_PIPELINES_PLANTEXT_H

#include "FormOptions.h"

namespace heddle {

/// Every decision of `compilation`, which `options` asked for, one label a line with who made what behind it, in the
/// form that `Plan::read` takes. Compiled with it, the same program becomes the same kernel.
std::string describePlan(Compilation &compilation, const Plan &plan, const FormOptions &options, bool persistent,
                         const Machine &machine);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_PLANTEXT_H
