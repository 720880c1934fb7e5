//===- Options.h - The command line of heddle-sched, parsed ---------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_SCHED_OPTIONS_H
#define HEDDLE_TOOLS_HEDDLE_SCHED_OPTIONS_H

#include "heddle/Scheduling/Cost/FreeGroups.h"
#include "heddle/Scheduling/Cost/Normalise.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <string>
#include <vector>

namespace heddle::sched {

struct Arguments {
  std::vector<std::string> files, given; ///< `given`: names of options
  std::string output, certificate, report, machine, format;
  FreeGroupsOptions freeGroups;
  SolveOptions solve;
  int64_t seed = 0;
  int64_t normalise = 0; ///< U of Twill 5.2; 0: real cycles
  int64_t ii = 0;        ///< of export; 0: the lower bound
  int64_t budget = 0;    ///< steps of work; 0: no limit but the time
  bool timed = false;    ///< whether --time-limit was given
  NormalisedCosts costs; ///< filled when the problem is normalised
  bool json = false, graph = false, streaming = false;
};

extern const char *const help;

/// Options and files after the command. User error for what is unknown or malformed.
Result<Arguments> parseArguments(int argc, char **argv);

} // namespace heddle::sched

#endif // HEDDLE_TOOLS_HEDDLE_SCHED_OPTIONS_H
