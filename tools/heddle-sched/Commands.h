//===- Commands.h - The commands of heddle-sched --------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_SCHED_COMMANDS_H
#define HEDDLE_TOOLS_HEDDLE_SCHED_COMMANDS_H

#include "Options.h"

namespace heddle::sched {

struct Command {
  const char *name;
  size_t leastFiles, mostFiles;
  /// Exit status; the problem is read, normalised and freed of groups as the options say.
  int (*run)(const Problem &problem, const Arguments &args);
  /// Options beside those that change the problem or end the work, which all commands have.
  std::vector<std::string> options;
};

/// User error: an option that `command` does not have.
Status checkOptions(const Command &command, const Arguments &args);

/// All commands, in the order of the help text.
const std::vector<Command> &commands();

/// Exit statuses, those of `heddle`.
enum ExitCode { ExitUser = 1, ExitInfeasible = 2, ExitLimit = 3, ExitInternal = 4 };

/// Prints `text` to stderr and returns `code`.
int fail(const std::string &text, int code = ExitUser);
/// The same with the exit status of the error's kind.
int fail(const Error &error);

} // namespace heddle::sched

#endif // HEDDLE_TOOLS_HEDDLE_SCHED_COMMANDS_H
