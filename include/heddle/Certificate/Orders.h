//===- Orders.h - "No schedule at this interval", by orders ---------------===//
//
// What:    deriveOrders turns (problem, ii, stages) into a formula over differences of starts, clauses and weighted
//          sums, whose size does not grow with the number of cycles; checkOrders checks a proof that it has no model: a
//          list of lemmas, each of which follows from one cycle of differences or from one sum, and a proof by reverse
//          unit propagation from the clauses and these lemmas.
// Where:   beside Refutation.h, for intervals of thousands of cycles. Shares no code with the search over orders
//          (lib/Scheduling/Order), which is asked to refute the formula derived here.
// Trusts:  Problem::check. Tested against enumeration of all schedules of small instances. Decision 0031.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CERTIFICATE_ORDERS_H
#define HEDDLE_CERTIFICATE_ORDERS_H

#include "heddle/Certificate/Refutation.h"
#include "heddle/Scheduling/Problem/Problem.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// time(to) - time(from) >= least. Time 0 is the beginning of all, time v + 1 the start of node v.
struct TimeDifference {
  int from = 0, to = 0;
  int64_t least = 0;
};

struct OrderFormula {
  struct Sum {
    std::vector<std::pair<int, int64_t>> terms; ///< the weights of those literals that are true, together
    int64_t bound = 0;                          ///< are at most this
  };
  int times = 1;
  std::vector<TimeDifference> required; ///< what holds whatever is decided
  std::vector<int64_t> path;            ///< [from * times + to]: the least difference that these imply
  std::vector<TimeDifference> means;    ///< of each variable when it is true, from number 1; from == to: no difference
  Cnf clauses;
  std::vector<Sum> sums;
  std::vector<int> groups; ///< variables that say on which group a node runs
};

/// Pairs of nodes that change their places. The first pair of an exchange is put into order: the start of its first
/// node is no later than that of the second.
using Exchange = std::vector<std::pair<int, int>>;

/// Whether each exchange keeps the problem, and moves nothing that an earlier one puts into order: then of every legal
/// schedule the exchanges make one that is in order. User error otherwise.
Status checkExchanges(const Problem &problem, const std::vector<Exchange> &exchanges);

/// The formula "there is a legal schedule of at most `stages` stages at interval `ii`", all conditions of
/// docs/Scheduling.md. Errors: user (exchanges), limit (too large).
Result<OrderFormula> deriveOrders(const Problem &problem, int64_t ii, int64_t stages,
                                  const std::vector<Exchange> &exchanges);

/// A refutation of such a formula.
struct OrderProof {
  struct Lemma {
    int sum = -1; ///< that is exceeded where every literal is false; -1: their differences then close a positive cycle
    std::vector<int> literals;
  };
  std::vector<Exchange> exchanges;
  std::vector<Lemma> lemmas;
  std::string proof; ///< DRAT, of the clauses and lemmas
};
std::string writeOrderProof(const OrderProof &proof);
Result<OrderProof> parseOrderProof(const std::string &text);

/// Accepts iff every lemma follows as it says and the proof refutes the derived formula with the lemmas. `visits`: as
/// in checkRefutation.
Status checkOrders(const Problem &problem, int64_t ii, int64_t stages, const std::string &proof,
                   RefutationStats *stats = nullptr, int64_t visits = mostVisits);

/// Whether a schedule of any interval from `least` on, with idle cycles at the end of each interval, is legal at every
/// larger interval; then one refuted interval refutes the smaller ones.
bool idleCyclesKeepLegal(const Problem &problem, int64_t least);

} // namespace heddle

#endif // HEDDLE_CERTIFICATE_ORDERS_H
