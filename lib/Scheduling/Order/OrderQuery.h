//===- OrderQuery.h - A query over orders, as clauses and differences (private) ===//
//
// What: the query that searchOrders asks, part by part: OrderSearch.cpp writes times, groups and what crosses between
//       them, OrderStores.cpp what may be held at once: units, issue slots, registers and memories.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_ORDER_ORDERQUERY_H
#define HEDDLE_LIB_SCHEDULING_ORDER_ORDERQUERY_H

#include "heddle/Scheduling/Order/OrderSearch.h"

#include "DifferenceSolver.h"
#include "heddle/Scheduling/Modulo/Span.h"
#include "heddle/Scheduling/Order/LikeParts.h"
#include "heddle/Scheduling/Problem/Windows.h"
#include "heddle/Support/Integers.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace heddle {

class OrderQuery {
public:
  OrderQuery(const Problem &p, const OrderOptions &options)
      : p(p), options(options), set(options.constraints), low(options.ii), high(std::max(options.ii, options.last)),
        n(static_cast<int>(p.nodes.size())), reach(options.stages + 1), solver(n + 1) {
    for (const Edge &e : p.edges)
      reach = std::max(reach, options.stages + e.distance + 1);
    if (options.slots)
      reach = 2;
    far = !options.slots && options.stages > ordinaryStages;
  }

  OrderAnswer run();

private:
  static constexpr Lit yes = DifferenceSolver::yes, no = DifferenceSolver::no;
  /// A span that is taken only if `where` holds.
  struct Taken : Span {
    Lit where = yes;
    bool isValue = false; ///< the life of its node's result
  };

  /// The query is given up while it is set up: `run` asks once more before it looks for an answer.
  bool late() const { return options.limits.deadline.passed(); }
  /// The same for the instances of one span, asked now and then.
  bool lateAfter(int64_t instance) const { return instance % 1024 == 0 && instance && late(); }
  int groups() const { return static_cast<int>(p.groups.size()); }

  /// The least and the largest of c - k * ii.
  std::pair<int64_t, int64_t> range(int64_t c, int64_t k) const { return std::minmax({c - k * low, c - k * high}); }
  /// start(v) + k * ii >= start(u) + c; -1 is the beginning of all.
  Lit later(int u, int v, int64_t c, int64_t k) {
    auto [least, most] = range(c, k);
    return solver.atLeast(u + 1, v + 1, least, most);
  }
  void require(int u, int v, int64_t c, int64_t k) { solver.require(u + 1, v + 1, range(c, k).first); }

  // OrderSearch.cpp
  /// What holds whatever is decided.
  void addTimes();
  void addLeaders();
  /// Every node begins in one interval, which begins with the first node.
  void addSlots();
  /// Exchanging like parts on the same groups turns schedules into schedules, so that of each a node that no exchange
  /// inside it moves may begin no later than its counterpart in the next.
  void orderParts();
  /// The ends of each life that no other end of it always reaches.
  void addLives();
  /// Groups that the constraints asked for let a node run on.
  std::vector<int> allowed(int v) const;
  /// Whether an edge pays its transfer on any groups that its ends may have.
  bool crossesAnyway(const Edge &e) const;
  /// False: some node fits no group.
  bool addGroups();
  /// Groups that are alike are used in the order of their first nodes.
  void orderAfter(int g);
  /// Whether two nodes are on one group.
  Lit together(int u, int v);
  /// True where one of the literals is: implied by each.
  Lit any(const std::vector<Lit> &lits);
  /// True where both are: implied by both together.
  Lit both(Lit a, Lit b);
  void addTransfers();
  /// The times and groups that are tried first.
  void preferNear();

  // OrderStores.cpp
  /// The life of a node's result, of which `amount` is taken where `where` holds.
  Taken value(int v, int64_t amount, Lit where = yes) const;
  /// Unless one of two literals holds, every instance of `b` is before or behind `a`; both end with their own nodes, in
  /// the same iteration.
  void apart(const Span &a, const Span &b, Lit unless = no, Lit orElse = no);
  /// At most `capacity` is taken at once, or at most what `levels` say: each pair is a literal and the capacity as long
  /// as that literal is false.
  using Levels = std::vector<std::pair<Lit, int64_t>>;
  void limit(const std::vector<Taken> &spans, int64_t capacity, const Levels &levels = {});
  /// The least instance number for which `holds`, which holds of all greater ones; `reach` + 1: there is none.
  template <typename Holds> int64_t firstInstance(Holds holds) const {
    int64_t first = -reach, past = reach + 1;
    while (first < past)
      if (int64_t middle = floorDiv(first + past, 2); holds(middle))
        past = middle;
      else
        first = middle + 1;
    return first;
  }
  /// Whether what is required implies, or excludes, what `later` says.
  bool always(int u, int v, int64_t c, int64_t k) const { return solver.always(u + 1, v + 1, range(c, k).second); }
  bool never(int u, int v, int64_t c, int64_t k) const { return solver.always(v + 1, u + 1, 1 - range(c, k).first); }
  /// Literals for the instances of `y` that are there where `x` begins.
  std::vector<Lit> instances(const Taken &x, const Taken &y);
  /// What the store holds where span `a` begins.
  void countAt(const std::vector<Taken> &spans, size_t a, int64_t capacity, const Levels &levels);
  void addUnits();
  void addIssue();
  /// Values in registers of one group.
  std::vector<Taken> registersOf(int g);
  void addRegisters();
  void addMemories();
  /// Each value owns as many slots as its life has intervals.
  void addRings(const std::vector<Taken> &spans, int64_t capacity);

  const Problem &p;
  const OrderOptions &options;
  ConstraintSet set;
  int64_t low, high;
  int n;
  int64_t reach;    ///< instances further apart than this never meet
  bool far = false; ///< there are so many stages that only instances that may meet are looked at
  DifferenceSolver solver;
  std::vector<LikeParts> ordered;
  std::vector<Span> lives;
  std::vector<std::vector<Lit>> on, same;
  std::map<std::pair<int, int>, std::vector<Lit>> beside; ///< instances of a value where a node starts
};

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_ORDER_ORDERQUERY_H
