//===- DifferenceSolver.h - Clauses over differences of times (private) ---===//
//
// What:   satisfiability of clauses and weighted sums over literals, some of which say how far two times are apart at
//         least. Nothing depends on how long the times are.
// How:    conflict-driven clause learning; differences by longest paths between all times, kept up to date, so that
//         every literal that the paths decide is implied at once (S. Cotton and O. Maler, "Fast and flexible difference
//         constraint propagation for DPLL(T)", SAT 2006).
// Ranges: a difference may be known within a range only ("at least w" for some w from `least` to `most`, the same w
//         wherever it is used). Then Unsat holds for every choice of them, and Sat says nothing.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_ORDER_DIFFERENCESOLVER_H
#define HEDDLE_LIB_SCHEDULING_ORDER_DIFFERENCESOLVER_H

#include "ActivityHeap.h"
#include "heddle/Scheduling/Solver/Sat.h"

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace heddle {

/// What a refutation rests on: cycles and sums that follow by themselves, and what was learned from them by unit
/// propagation.
struct RefutationLog {
  static constexpr int cycle = -1, learned = -2;
  struct Step {
    int sum; ///< its name, or one of the above
    std::vector<Lit> lits;
    std::vector<int> from; ///< earlier steps; what is given is none
  };
  std::vector<Step> steps;
  int64_t size = 0;

  int add(int sum, std::vector<Lit> lits, std::vector<int> from) {
    size += static_cast<int64_t>(lits.size() + from.size()) + 16;
    steps.push_back({sum, std::move(lits), std::move(from)});
    return static_cast<int>(steps.size()) - 1;
  }
};

class DifferenceSolver {
public:
  explicit DifferenceSolver(int times);

  static constexpr Lit yes = 1, no = -1;
  Lit newLit();
  /// time(v) - time(u) >= w. All requirements come before any literal, since they decide what is constant.
  void require(int u, int v, int64_t w);
  /// Whether what is required implies that time(v) - time(u) >= w.
  bool always(int u, int v, int64_t w) const { return path[cell(u, v)] >= w; }
  /// Whether time(v) - time(u) >= w, w from `least` to `most`: `yes`, `no` or another literal.
  Lit atLeast(int u, int v, int64_t least, int64_t most);
  void clause(std::vector<Lit> lits);
  /// The sum of the weights of true literals is at most `bound`. Weights are positive. `name`: for the log.
  void atMost(std::vector<std::pair<Lit, int64_t>> terms, int64_t bound, int name = 0);
  /// Writes down why, from now on, before any clause; after Unsat one of the steps is the empty clause. Searches end as
  /// at a limit when the log holds `most` literals.
  void write(RefutationLog *to, int64_t most) {
    log = to;
    mostLogged = most;
  }
  /// The value that is tried first wherever `lit` is decided.
  void prefer(Lit lit);
  /// `lit` is decided before others that no conflict has met.
  void first(Lit lit) { order.bump(lit < 0 ? -lit : lit); }
  /// Decides differences as these times have them, where they are decided.
  void prefer(const std::vector<int64_t> &times);

  /// Ends after `limits.conflicts` (below 0: none) or at the deadline, which counts the work.
  SatAnswer solve(const SearchLimits &limits);
  /// The earliest times after time 0, which is the time numbered 0; after Sat of what was decided.
  std::vector<int64_t> times() const;
  bool holds(Lit lit) const { return value(lit) > 0; }

private:
  static constexpr int64_t unreachable = INT64_MIN / 4;
  /// time(to) - time(from) >= weight once the literal is true; the literal is implied where paths give `implied`.
  struct Difference {
    int from, to;
    int64_t weight, implied;
  };
  struct Variable {
    signed char phase = -1;
    bool seen = false;
    int level = 0;
    int clause = -1;                ///< what implied it, or
    int64_t why = 0, whyEnd = 0;    ///< the true literals in `reasons`
    int difference = -1;            ///< of the positive literal; that of the negative one follows it
    int sum = RefutationLog::cycle; ///< what `reasons` are about
    int step = -1;                  ///< of the log: why, at level 0 with all that it follows from
  };
  struct Clause {
    std::vector<Lit> lits;
    int levels = 0; ///< different levels when it was learned; 0: given
    bool gone = false;
    int step = -1; ///< of the log, unless given
  };
  struct Watch {
    int clause;
    Lit other;
    bool pair; ///< there is no literal but these two
  };
  struct Sum {
    std::vector<std::pair<Lit, int64_t>> terms; ///< the greatest weights first
    int64_t bound;
    int name = 0;
    std::vector<Lit> always; ///< true literals that were left out
  };
  /// What most looks at a sum need, close together in memory: it implies something once `greatest` exceeds `room`.
  struct Room {
    int64_t room, greatest; ///< what true literals leave of the bound; the greatest weight
  };
  struct Arc {
    int from, to;
    Lit lit; ///< 0: required
  };
  /// What a cell had before.
  struct Change {
    int cell, via;
    int64_t path, nearest;
  };
  struct Threshold {
    int64_t implied;
    Lit lit;
    bool operator<(const Threshold &o) const { return implied < o.implied; }
  };
  struct Level {
    size_t trail, changes, arcs, reasons;
  };

  static size_t index(Lit lit) { return 2 * static_cast<size_t>(lit < 0 ? -lit : lit) + (lit < 0); }
  int value(Lit lit) const { return truth[index(lit)]; }
  Variable &of(Lit lit) { return vars[static_cast<size_t>(lit < 0 ? -lit : lit)]; }
  size_t cell(int u, int v) const { return static_cast<size_t>(u) * static_cast<size_t>(n) + static_cast<size_t>(v); }
  int level() const { return static_cast<int>(levels.size()); }

  void assign(Lit lit);
  bool imply(Lit lit, int sum);
  bool propagate();
  bool propagateClauses(Lit lit);
  bool propagateSums(Lit lit);
  bool assertArc(int u, int v, int64_t w, Lit lit);
  void explain(int u, int v, std::vector<Lit> &out) const;
  void backtrack(int to);
  void learn();
  void watch(int clause);
  Lit decide();
  void reduce();
  int lemma(int sum, std::vector<Lit> lits);
  int unit(Lit lit, std::vector<int> from, const std::vector<Lit> &others);
  int reasonOf(Lit lit);
  int logConflict(int sum);

  int n;
  bool dead = false; ///< unsatisfiable without any decision
  RefutationLog *log = nullptr;
  int64_t mostLogged = 0;
  int conflictStep = -1;
  std::vector<int64_t> path;    ///< longest from time to time
  std::vector<int> via;         ///< the last arc that made it longer; -1: none
  std::vector<int64_t> nearest; ///< the least threshold of each pair above its path, which few paths reach
  std::vector<Arc> arcs;
  std::vector<Change> changes;
  std::vector<Difference> differences;
  std::vector<std::vector<Threshold>> thresholds; ///< by pair of times, ascending

  std::vector<Variable> vars;
  std::vector<signed char> truth; ///< of each literal: 1, -1, or 0 where it is open
  std::vector<Clause> clauses;
  std::vector<std::vector<Watch>> watches;
  std::vector<Sum> sums;
  std::vector<Room> rooms;  ///< of each sum
  std::vector<char> summed; ///< whether any sum has the literal: seldom, and its list is far away in memory
  std::vector<std::vector<std::pair<int, int64_t>>> inSums; ///< sums of each literal
  std::vector<Lit> trail, reasons, conflict, scratch;
  std::vector<Level> levels;
  size_t clauseHead = 0, differenceHead = 0;
  ActivityHeap order;
  int64_t conflicts = 0, learned = 0, work = 0;
  std::vector<std::tuple<int, int, int64_t>> longer; ///< pairs whose path an arc made longer, and what it was
  std::vector<int> rows, columns;
};

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_ORDER_DIFFERENCESOLVER_H
