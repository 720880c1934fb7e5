//===- Search.h - The state of one exact search (private) -----------------===//
//
// What:   the class behind `solve`: Solve.cpp walks the intervals, Coarse.cpp handles large ones, Goals.cpp the lexicographic
//         goals after the interval.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_SOLVER_SEARCH_H
#define HEDDLE_LIB_SCHEDULING_SOLVER_SEARCH_H

#include "heddle/Scheduling/Joint/Encoder.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <algorithm>

namespace heddle {

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Above this interval a coarse copy of the problem is solved first.
inline constexpr int64_t fineIntervals = 400;

/// One encoded query that can be tightened and solved again.
struct Query {
  std::unique_ptr<SatSolver> sat;
  std::unique_ptr<Encoder> encoder;
};

class Search {
public:
  Search(const Problem &problem, const SolveOptions &options) : p(problem), options(options) {
    begin = SearchLimits::now();
    limits.deadline = begin + options.timeLimit;
    limits.memoryMB = options.memoryLimitMB;
    limits.conflicts = options.conflictLimit;
    guidance = options.anytime; // not again inside a coarse copy
    set = options.mode == SolveMode::Modulo ? ConstraintSet::modulo() : options.constraints;
  }

  SolveResult run();

private:
  Query make(int64_t ii, int64_t stages, bool selectors, const SearchLimits &given, const Guide *guide = nullptr) const {
    Query query;
    query.sat = createCadical();
    Encoder::Options o;
    o.ii = ii;
    o.stages = stages;
    o.constraints = set;
    o.selectors = selectors;
    o.guide = guide;
    o.limits = given;
    o.groupsFree = options.mode != SolveMode::Modulo;
    query.encoder = std::make_unique<Encoder>(p, *query.sat, o);
    query.encoder->encode();
    return query;
  }
  SatAnswer ask(int64_t ii, int64_t stages, const SearchLimits &given, Query *keep = nullptr, const Guide *guide = nullptr);
  bool askGuided(int64_t ii, int64_t stages, const SearchLimits &given, Query *keep);
  void fallBack(int64_t ii);
  bool wanted(int64_t ii, int64_t stages) const;
  Problem coarseCopy(int64_t factor, int64_t rounding) const;
  bool accept(const Query &query) { return keepIfLegal(query.encoder->read()); }
  bool keepIfLegal(Schedule schedule);
  bool atInterval(int64_t ii, const SearchLimits &given, SatAnswer &answer, Query *keep);
  int64_t paperStages(int64_t ii, bool &feasible, bool &limit);
  void improve(Query &query);
  void minimise(Query &query, const std::string &what, std::vector<Term> terms, int64_t value,
                const std::function<int64_t(const Schedule &)> &measure);
  void shorten(Query &query);
  void explainInterval(int64_t ii);
  void say(const std::string &text) {
    if (options.progress)
      options.progress(text);
  }

  const Problem &p;
  const SolveOptions &options;
  ConstraintSet set;
  SearchLimits limits;
  bool guidance = true; ///< coarse copies also at small intervals where groups are free
  double begin;
  SolveResult result;
};

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_SOLVER_SEARCH_H
