//===- Reason.cpp - Why no schedule has an interval -------------------------===//
//
// What:      the sentence that says what binds: a bound; or a smallest set of constraints that contradict each other
//            and, where no schedule exists at all, which of their limits would have to be how large.
// Algorithm: constraints are dropped one at a time while the rest stays refuted, by orders or by slots. A limit is
//            raised, all others as they are, to the least amount that orders do not refute, by bisection.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "heddle/Scheduling/Order/OrderSearch.h"

namespace heddle {

/// No limit is raised to more than so many times what it is.
static constexpr int64_t mostRaised = 8;
/// Steps that may be taken to drop constraints.
static constexpr int64_t reasonSteps = 2000000;

bool Search::refutedByOrders(const Problem &problem, int64_t ii, int64_t stages, ConstraintSet constraints,
                             int64_t conflicts, Deadline deadline) const {
  OrderOptions o;
  o.ii = ii;
  o.stages = stages;
  o.constraints = constraints;
  o.limits = fewer(limits, conflicts);
  o.limits.deadline = deadline;
  return searchOrders(problem, o).answer == SatAnswer::Unsat;
}

/// A set of constraints that orders refute `ii` under, a smallest one where the steps suffice (`isLeast`). None: they
/// do not decide it.
std::optional<std::vector<Constraint>> Search::coreByOrders(int64_t ii, bool &isLeast) const {
  if (!refutedByOrders(p, ii, result.stages, set, moreOrderConflicts, limits.deadline))
    return std::nullopt;
  std::vector<Constraint> core;
  ConstraintSet rest = set;
  for (unsigned c = 0; c < static_cast<unsigned>(Constraint::Count); ++c)
    if (!p.states(static_cast<Constraint>(c)))
      rest = rest.without(static_cast<Constraint>(c));
  Deadline deadline = limits.deadline.afterSteps(reasonSteps);
  for (unsigned c = 0; c < static_cast<unsigned>(Constraint::Count); ++c) {
    auto constraint = static_cast<Constraint>(c);
    if (!rest.has(constraint))
      continue;
    if (refutedByOrders(p, ii, result.stages, rest.without(constraint), coreConflicts, deadline))
      rest = rest.without(constraint);
    else
      core.push_back(constraint);
  }
  isLeast = !deadline.passed();
  return core;
}

/// A smallest set of constraints that slots refute `ii` under. None: the limit was reached.
std::optional<std::vector<Constraint>> Search::coreBySlots(int64_t ii) const {
  Query query = make(ii, result.stages, true, limits);
  std::vector<Lit> active = query.encoder->assumptions();
  if (query.solve(active, limits) != SatAnswer::Unsat)
    return std::nullopt;
  std::vector<Constraint> core = query.encoder->core();
  std::vector<Lit> kept;
  for (Lit lit : active)
    if (query.sat->failed(lit))
      kept.push_back(lit);
  for (size_t i = 0; i < kept.size();) {
    std::vector<Lit> rest = kept;
    rest.erase(rest.begin() + static_cast<long>(i));
    if (query.solve(rest, fewer(limits, coreConflicts)) == SatAnswer::Unsat) {
      kept = rest;
      core.erase(core.begin() + static_cast<long>(i));
    } else {
      ++i;
    }
  }
  return core;
}

/// Limits of the constraints in `core`, each with the least amount of it alone that orders do not refute `ii` with; or
/// that none of them alone is enough.
std::string Search::lacking(int64_t ii, const std::vector<Constraint> &core) const {
  Problem raised = p;
  int64_t stages = result.stages;
  std::string out;
  std::string tooLittle;
  auto raise = [&](const std::string &what, int64_t &limit) {
    int64_t now = limit, low = now, high = now * mostRaised;
    auto refuted = [&](int64_t amount) {
      limit = amount;
      return refutedByOrders(raised, ii, stages, set, coreConflicts, limits.deadline);
    };
    if (now <= 0 || limits.exceeded())
      return;
    if (refuted(high)) {
      tooLittle += (tooLittle.empty() ? "" : ", ") + what + " " + std::to_string(now);
    } else {
      while (high - low > 1)
        if (int64_t middle = low + (high - low) / 2; refuted(middle))
          low = middle;
        else
          high = middle;
      out += (out.empty() ? "it needs " : ", or ") + what + " at least " + std::to_string(high) + " instead of " +
             std::to_string(now);
    }
    limit = now;
  };
  for (Constraint constraint : core) {
    for (Unit &unit : raised.units)
      if (constraint == Constraint::Capacity)
        raise("in unit '" + unit.name + "'", unit.capacity);
    for (Memory &memory : raised.memories)
      if (constraint == (memory.kind == MemoryKind::Ring ? Constraint::Rings : Constraint::Memory))
        raise("in memory '" + memory.name + "'", memory.capacity);
    for (Group &group : raised.groups)
      if (constraint == Constraint::Registers)
        raise("registers of group '" + group.name + "':", group.regs);
    if (constraint == Constraint::RegisterFile)
      raise("a register file of", raised.registerFile);
    if (constraint == Constraint::Dependence)
      raise("stages:", stages);
  }
  if (out.empty() && !tooLittle.empty())
    return "too little even if one of them were " + std::to_string(mostRaised) + " times as large: " + tooLittle;
  return out;
}

void Search::explainInterval(int64_t ii) {
  if (ii < result.mii) {
    for (const Bound &bound : result.bounds.bounds)
      if (bound.value > ii) {
        result.binding = bound.witness;
        return;
      }
    result.binding = "no interval is smaller than 1";
    return;
  }
  doing("reason against interval ", ii);
  std::optional<std::vector<Constraint>> found;
  bool isLeast = true;
  if (options.mode == SolveMode::Full && (options.insertion || options.onlyOrders))
    found = coreByOrders(ii, isLeast);
  if (!found && !options.onlyOrders)
    found = coreBySlots(ii);
  if (!found) {
    result.binding =
        "interval " + std::to_string(ii) + " is infeasible (the limit was reached before the reason was found)";
    return;
  }
  const std::vector<Constraint> &core = result.core = std::move(*found);
  result.binding = "interval " + std::to_string(ii) + " with at most " + std::to_string(result.stages) +
                   (result.stages == 1 ? " stage" : " stages") + " contradicts " +
                   (isLeast || core.size() < 2 ? "" : "some of ");
  if (core.empty())
    result.binding += "the length of the operations alone";
  for (size_t i = 0; i < core.size(); ++i)
    result.binding += (i ? i + 1 == core.size() ? " and " : ", " : "") + std::string(constraintName(core[i]));
  if (std::string lack = result.hasSchedule ? "" : lacking(ii, core); !lack.empty())
    result.binding += "; " + lack;
}

} // namespace heddle
