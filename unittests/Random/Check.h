//===- Check.h - what becomes of one program ------------------------------===//
//
// What:   compiles a program with the tool, simulates it and executes its emitted CUDA on the CPU, each compared with
//         the sequential meaning.
// How:    one child process per step, with a time limit: a crash or a hang is a verdict, not the end of the test.
// Right:  every step gives the sequential meaning. Refused: the compiler says no, at a place of the program, as a user
//         error, infeasible or a limit reached. Failed: everything else, also a refusal without a place, an internal
//         error, or words about what the compiler made.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_UNITTESTS_RANDOM_CHECK_H
#define HEDDLE_UNITTESTS_RANDOM_CHECK_H

#include <functional>
#include <string>
#include <vector>

namespace heddle::random_programs {

struct CheckOptions {
  std::string heddle;               ///< the tool
  std::vector<std::string> compile; ///< its options
  bool emulate = true;
  double processorSeconds = 5; ///< that a compilation may take
  unsigned seconds = 60;       ///< after which a step has not ended: machines are busy with other things
};

enum class Outcome { Right, Refused, Failed };

struct Verdict {
  Outcome outcome;
  std::string step;    ///< compile, sim or emulate
  std::string message; ///< the first error, without place and numbers: equal ones are one kind of failure
  std::string output;  ///< all that the tool said
  bool operator==(const Verdict &other) const {
    return outcome == other.outcome && step == other.step && message == other.message;
  }
};

/// Checks the program in the file `path`.
Verdict checkProgram(const std::string &path, const CheckOptions &options);

/// How a seed is scheduled: heuristically, randomly, with random groups, or exactly with a small limit.
std::vector<std::string> scheduling(uint64_t seed);

/// Runs the program in the file `path` on its default sizes and writes inputs and results to `dir` (Meaning.cpp); false
/// after an error.
bool writeMeaning(const std::string &path, const std::string &dir);

/// The smallest program found by deleting operations, replacing values and unwrapping loops for which `interesting`
/// still holds.
std::string reduceProgram(const std::string &text, const std::function<bool(const std::string &)> &interesting);

} // namespace heddle::random_programs

#endif // HEDDLE_UNITTESTS_RANDOM_CHECK_H
