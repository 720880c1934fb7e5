//===- Cache.h - Solved problems on disk ----------------------------------===//
//
// What:   a directory of results, each in a file named by a hash of the loop's problem and the options. A file states
//         the problem and the options in full, so that no other one is taken for it.
// Trusts: nothing that it reads: schedules are verified, and certificates checked, against the problem as the source
//         makes it now. What fails is as if it were not there. (The bound of a result that is only feasible has no
//         certificate; it is taken as it was written.)
// Writes: whole files by renaming, so that several compilations may share a directory.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_POLICY_CACHE_H
#define HEDDLE_SCHEDULING_POLICY_CACHE_H

#include "heddle/Scheduling/Policy/Policy.h"

namespace heddle {

class PolicyCache {
public:
  /// The entry of `base`, the loop at the resolution asked for. Without a directory nothing is found or stored.
  PolicyCache(const PolicyOptions &options, const LoopInstance &base);

  std::optional<PolicyResult> find(const LoopSource &source) const;
  /// A result that the clock had a part in is not stored. Errors are not reported: the cache is an aid.
  void store(const PolicyResult &result) const;

private:
  const PolicyOptions &options;
  std::string key;  ///< version, options and problem in full
  std::string path; ///< empty: no cache
};

} // namespace heddle

#endif // HEDDLE_SCHEDULING_POLICY_CACHE_H
