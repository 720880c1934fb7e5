//===- Solved.h - Loops that one compilation has solved -------------------===//
//
// What:   results of scheduleByPolicy by problem and options, errors included, for as long as the object lives: the
//         forms of a kernel that a compilation compares often differ in something else than a loop's problem.
// Rule:   what is found is what the search would find again: a result counts against the purse as the search did, and
//         is found only where the purse has as much left. So nothing but time changes.
// Trusts: nothing beyond the object: the schedule is verified against the problem as the source makes it now.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_POLICY_SOLVED_H
#define HEDDLE_SCHEDULING_POLICY_SOLVED_H

#include "heddle/Scheduling/Policy/Policy.h"

#include <map>

namespace heddle {

/// The options that a result depends on, and the problem: a text that no other pair has.
std::string policyKey(const PolicyOptions &options, const LoopInstance &base);

class SolvedLoops {
public:
  /// None: not solved before, or with more steps than the purse has left. What emptied the purse is found where as much
  /// is in it as then.
  std::optional<Result<PolicyResult>> find(const std::string &key, const PolicyOptions &options,
                                           const LoopSource &source) const;
  /// Keeps `made`, which took `steps` out of the purse, unless the clock had a part in it.
  void keep(const std::string &key, const PolicyOptions &options, const Result<PolicyResult> &made, int64_t steps);

private:
  struct Entry {
    Result<PolicyResult> made;
    int64_t steps;
    bool whyNot;     ///< what an error says depends on it
    int64_t emptied; ///< what was in the purse, if it emptied that; else 0
  };
  static std::optional<Result<PolicyResult>> use(const Entry &entry, const PolicyOptions &options,
                                                 const LoopSource &source);

  /// Loops that are one at the resolution asked for may differ at others.
  std::map<std::string, std::vector<Entry>> entries;
};

} // namespace heddle

#endif // HEDDLE_SCHEDULING_POLICY_SOLVED_H
