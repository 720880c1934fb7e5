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

std::optional<Result<PolicyResult>> SolvedLoops::use(const Entry &entry, const PolicyOptions &options,
                                                     const LoopSource &source) {
  const Deadline &deadline = options.solve.deadline;
  if (entry.emptied ? entry.emptied != deadline.inPurse() : deadline.hasPurse() && entry.steps >= deadline.inPurse())
    return std::nullopt;
  Result<PolicyResult> made = entry.made;
  if (!made) {
    if (entry.whyNot != options.whyNot)
      return std::nullopt;
    deadline.spend(entry.steps);
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
  deadline.spend(entry.steps);
  return made;
}

std::optional<Result<PolicyResult>> SolvedLoops::find(const std::string &key, const PolicyOptions &options,
                                                      const LoopSource &source) const {
  auto known = entries.find(key);
  if (known != entries.end())
    for (const Entry &entry : known->second)
      if (std::optional<Result<PolicyResult>> made = use(entry, options, source))
        return made;
  return std::nullopt;
}

void SolvedLoops::keep(const std::string &key, const PolicyOptions &options, const Result<PolicyResult> &made,
                       int64_t steps) {
  bool said = !made && made.error().message().empty(); // by the source, which has to say it again
  const Deadline &deadline = options.solve.deadline;
  const int64_t emptied = deadline.hasPurse() && deadline.inPurse() == 0 ? steps : 0;
  const bool byClock = emptied ? deadline.left() == 0 : deadline.passed();
  if (!said && !byClock && !(made && made->stoppedChoosing))
    entries[key].push_back({made, steps, options.whyNot, emptied});
}

} // namespace heddle
