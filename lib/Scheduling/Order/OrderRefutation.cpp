//===- OrderRefutation.cpp - see OrderRefutation.h ------------------------===//
//
// Verifies:  nothing: the proof is for the checker.
// Algorithm: the checker's formula goes to DifferenceSolver with the checker's numbers of variables, next to which
//            stands one for its constant; of the steps that it writes down those are kept that the last one follows
//            from. Like parts are put into an order by exchanges, which the checker verifies.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Order/OrderRefutation.h"

#include "DifferenceSolver.h"
#include "heddle/Certificate/Orders.h"
#include "heddle/Scheduling/Order/LikeParts.h"

#include <algorithm>

namespace heddle {

/// Literals that a log may hold: 400 MB.
static constexpr int64_t mostLogged = 100'000'000;

/// Exchanges of neighbouring like parts, without those that move what an earlier one puts into order.
static std::vector<Exchange> exchangesOf(const Problem &problem) {
  std::vector<Exchange> out;
  std::vector<int> leading;
  for (const LikeParts &like : likeParts(problem))
    for (size_t k = 1; k < like.parts.size(); ++k) {
      Exchange exchange;
      bool moves = false;
      for (size_t i = 0; i < like.parts[k].size(); ++i) {
        std::pair<int, int> both = {like.parts[k - 1][i], like.parts[k][i]};
        for (int lead : leading)
          moves |= lead != like.parts[k - 1][like.place] && (both.first == lead || both.second == lead);
        exchange.insert(i == like.place ? exchange.begin() : exchange.end(), both);
      }
      if (moves)
        continue;
      leading.push_back(exchange[0].first);
      out.push_back(std::move(exchange));
    }
  return out;
}

/// Binary DRAT.
static void append(std::string &proof, const std::vector<Lit> &lits) {
  proof += 'a';
  for (Lit lit : lits) {
    uint32_t code = 2 * static_cast<uint32_t>(std::abs(lit)) + (lit < 0);
    for (; code > 127; code >>= 7)
      proof += static_cast<char>(128 | (code & 127));
    proof += static_cast<char>(code);
  }
  proof += '\0';
}

/// The steps that the empty clause follows from, with the checker's numbers.
static void keepNeeded(RefutationLog &log, OrderProof &out) {
  auto empty = [](const RefutationLog::Step &s) { return s.sum == RefutationLog::learned && s.lits.empty(); };
  auto last = std::find_if(log.steps.begin(), log.steps.end(), empty);
  if (last != log.steps.end())
    log.steps.erase(last + 1, log.steps.end());
  std::vector<char> needed(log.steps.size(), 0);
  needed.back() = 1;
  for (size_t k = log.steps.size(); k-- > 0;)
    for (int from : log.steps[k].from)
      if (needed[k] && from >= 0)
        needed[static_cast<size_t>(from)] = 1;
  for (size_t k = 0; k < log.steps.size(); ++k) {
    RefutationLog::Step &step = log.steps[k];
    for (Lit &lit : step.lits)
      lit += lit < 0 ? 1 : -1;
    if (needed[k] && step.sum == RefutationLog::learned)
      append(out.proof, step.lits);
    else if (needed[k])
      out.lemmas.push_back({step.sum, std::move(step.lits)});
  }
}

OrderRefutation refuteOrders(const Problem &problem, int64_t ii, int64_t stages, const SearchLimits &limits) {
  OrderRefutation out;
  OrderProof proof;
  proof.exchanges = exchangesOf(problem);
  Result<OrderFormula> formula = deriveOrders(problem, ii, stages, proof.exchanges);
  if (!formula)
    return out;
  out.variables = formula->clauses.variables;
  out.clauses = formula->clauses.clauses + static_cast<int64_t>(formula->sums.size());
  int64_t size = static_cast<int64_t>(formula->clauses.literals.size());
  for (const OrderFormula::Sum &sum : formula->sums)
    size += static_cast<int64_t>(sum.terms.size());
  limits.deadline.spend(size / 8);
  if (limits.exceeded())
    return out;
  DifferenceSolver solver(formula->times);
  RefutationLog log;
  solver.write(&log, mostLogged);
  for (const TimeDifference &d : formula->required)
    solver.require(d.from, d.to, d.least);
  for (size_t v = 1; v < formula->means.size(); ++v) {
    const TimeDifference &means = formula->means[v];
    Lit lit = means.from == means.to ? solver.newLit() : solver.atLeast(means.from, means.to, means.least, means.least);
    if (lit != static_cast<Lit>(v) + 1) // decided by what is required: the checker derives none of these
      return out;
  }
  auto own = [](int lit) { return lit + (lit < 0 ? -1 : 1); };
  std::vector<Lit> clause;
  bool empty = false;
  for (int lit : formula->clauses.literals) {
    if (lit) {
      clause.push_back(own(lit));
      continue;
    }
    empty |= clause.empty();
    if (!empty)
      solver.clause(std::move(clause));
    clause.clear();
  }
  if (empty) {
    out.answer = SatAnswer::Unsat;
    out.proof = writeOrderProof(proof);
    return out;
  }
  for (size_t s = 0; s < formula->sums.size(); ++s) {
    std::vector<std::pair<Lit, int64_t>> terms = formula->sums[s].terms;
    for (auto &term : terms)
      term.first = own(term.first);
    solver.atMost(std::move(terms), formula->sums[s].bound, static_cast<int>(s));
  }
  for (int lit : formula->groups)
    solver.first(own(lit));
  solver.prefer(solver.times()); // as early as may be
  out.answer = solver.solve(limits);
  if (out.answer == SatAnswer::Unsat && !log.steps.empty()) {
    keepNeeded(log, proof);
    out.proof = writeOrderProof(proof);
  }
  return out;
}

} // namespace heddle
