//===- Solved.cpp - see Solved.h -------------------------------------------===//
#include "heddle/Scheduling/Policy/Solved.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Problem/Text.h"

namespace heddle {

std::string policyKey(const PolicyOptions &options, const LoopInstance &base) {
  const SolveOptions &s = options.solve;
  std::string key;
  for (int64_t number :
       {static_cast<int64_t>(options.effort), static_cast<int64_t>(options.assignment), options.resolution,
        static_cast<int64_t>(options.nearby), options.tries, options.below, static_cast<int64_t>(options.refute),
        static_cast<int64_t>(options.overlap), static_cast<int64_t>(options.inTurn), static_cast<int64_t>(s.mode),
        s.maxStages, s.minII, s.maxII, s.conflictLimit, static_cast<int64_t>(s.lexicographic),
        static_cast<int64_t>(s.explain), s.deadline.steps(), static_cast<int64_t>(s.deadline.hasPurse())})
    key += std::to_string(number) + " ";
  key += s.constraints.describe() + "\n";
  for (int home : base.homes)
    key += std::to_string(home) + " ";
  return key + "\n" + writeProblem(base.problem);
}

std::optional<Result<PolicyResult>> SolvedLoops::find(const std::string &key, const PolicyOptions &options,
                                                      const LoopSource &source) const {
  auto it = entries.find(key);
  const Deadline &deadline = options.solve.deadline;
  if (it == entries.end() || (deadline.hasPurse() && it->second.steps >= deadline.inPurse()))
    return std::nullopt;
  Result<PolicyResult> made = it->second.made;
  if (!made) {
    if (it->second.whyNot != options.whyNot)
      return std::nullopt;
    deadline.spend(it->second.steps);
    return made;
  }
  Result<LoopInstance> loop = source.at(made->loop.resolution);
  if (!loop)
    return std::nullopt;
  if (made->loop.reserved && source.reserve && !loop->reserved)
    source.reserve(loop->problem);
  loop->reserved = made->loop.reserved;
  const Schedule &schedule = made->result.schedule;
  if (writeProblem(loop->problem) != writeProblem(made->loop.problem) ||
      !verifySchedule(loop->problem, schedule, schedule.constraints).empty())
    return std::nullopt;
  made->loop = std::move(*loop);
  deadline.spend(it->second.steps);
  return made;
}

void SolvedLoops::keep(const std::string &key, const PolicyOptions &options, const Result<PolicyResult> &made,
                       int64_t steps) {
  bool said = !made && made.error().message().empty(); // by the source, which has to say it again
  if (!said && !options.solve.deadline.passed() && !(made && made->stoppedChoosing))
    entries.insert_or_assign(key, Entry{made, steps, options.whyNot});
}

} // namespace heddle
