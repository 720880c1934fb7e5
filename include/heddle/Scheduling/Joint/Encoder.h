//===- Encoder.h - The joint problem at one interval as clauses -----------===//
//
// What:    the shared vocabulary of the constraint encodings under lib/Scheduling/Joint: start times and lifetime ends
//          in order encoding, group literals, slot occupancies, live copies, pseudo-Boolean sums by BDD.
// Where:   one Encoder per query (ii, stages); the search in Solver/ builds it, solves and reads the schedule back.
// Meaning: start times of one iteration only, everything summed modulo ii. The
//          auxiliary literals are implied one way (a start forces its occupancy), which is enough because they occur in
//          upper bounds only.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_JOINT_ENCODER_H
#define HEDDLE_SCHEDULING_JOINT_ENCODER_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"
#include "heddle/Scheduling/Solver/Sat.h"

#include <initializer_list>
#include <map>
#include <tuple>

namespace heddle {

/// weight * lit in a pseudo-Boolean sum.
struct Term {
  Lit lit;
  int64_t weight;
};

/// Where to look for a schedule: starts within `slack` of `start` (empty: anywhere), groups as given.
struct Guide {
  std::vector<int64_t> start;
  std::vector<int> group;
  int64_t slack = 0;
  std::vector<int64_t> first; ///< starts to try first; empty: none
  std::vector<int> leader;    ///< a node with a leader (not -1) starts `shift` cycles after it; empty: none has
  int64_t shift = 0;
};

class Encoder {
public:
  struct Options {
    int64_t ii = 1;
    int64_t stages = 1;  ///< every node completes by stages * ii
    int64_t horizon = 0; ///< and by this time, when it is not 0
    ConstraintSet constraints;
    const std::vector<int64_t> *busy =
        nullptr;                  ///< of a relaxed copy: slots after its start in which a node certainly executes
    bool selectors = false;       ///< guard each constraint by an assumption literal (for unsat cores)
    const Guide *guide = nullptr; ///< restricts the search: only "satisfiable" is then an answer
    SearchLimits limits;          ///< encoding stops when they are exceeded (`aborted`)
    bool groupsFree = true;       ///< false: warp assignment is not decided (plain modulo scheduling)
  };

  Encoder(const Problem &problem, SatSolver &sat, const Options &options);

  /// Adds all enabled constraints.
  void encode();
  /// Steps that 4096 clauses count for.
  static constexpr int64_t encodingSteps = 1500;
  /// The limits were exceeded while encoding: the formula is incomplete and must not be solved.
  bool aborted() const { return stopped; }
  /// Looks at the clock now and then: long loops ask it and end.
  bool expired() {
    if (!stopped && ++ticks % 4096 == 0) {
      options.limits.deadline.spend(encodingSteps);
      stopped = options.limits.exceeded();
    }
    return stopped;
  }
  /// The same after `cells` of tables were filled, which are no steps.
  bool expiredAfter(size_t cells) {
    constexpr size_t between = 1 << 16;
    if (!stopped && (filled += cells) >= between) {
      filled = 0;
      stopped = options.limits.exceeded();
    }
    return stopped;
  }
  /// Assumptions that switch the guarded constraints on.
  std::vector<Lit> assumptions() const;
  /// After Unsat: constraints in the core.
  std::vector<Constraint> core();
  /// Tells the solver to try the starts and groups of this schedule first.
  void prefer(const Schedule &schedule);
  /// After Sat: the schedule (start and group; the rest is derived by finishSchedule).
  Schedule read() const;

  const Problem &problem;
  const Options options;
  const int64_t ii;

  // Vocabulary.
  Lit yes() const { return 1; }
  Lit no() const { return -1; }
  Lit newLit() { return sat.newVar(); }
  void clause(std::initializer_list<Lit> lits) { clause(std::vector<Lit>(lits)); }
  void clause(std::vector<Lit> lits);
  int64_t low(int v) const { return window[v].first; }
  int64_t high(int v) const { return window[v].second; }
  /// start(v) <= t.
  Lit startAtMost(int v, int64_t t) const;
  Lit startsAfter(int v, int64_t t) const { return -startAtMost(v, t); }
  /// Upper bound of the lifetime end; equal to low when the value never takes space.
  int64_t endHigh(int v) const { return ends[v].high; }
  /// end(v) <= t, end(v) being some value at least the lifetime end.
  Lit endAtMost(int v, int64_t t);
  bool hasLifetime(int v) const { return !ends[v].sources.empty(); }
  Lit onGroup(int v, int g) const { return groupLits.empty() ? no() : groupLits[v][g]; }
  /// u and v run on different groups (equivalence).
  Lit differ(int u, int v);
  /// Some value edge of v goes to another group.
  Lit leaves(int v);
  /// Per slot: [start + offset, start + offset + length % ii) covers the slot. Whole intervals are the caller's.
  const std::vector<Lit> &occupancy(int v, int64_t offset, int64_t length);
  /// copies(v)[c][slot]: more than c copies of v's result are alive in the slot.
  const std::vector<std::vector<Lit>> &copies(int v);
  /// deeper(v)[c]: the lifetime of v exceeds (c + 1) intervals.
  const std::vector<Lit> &deeper(int v);
  /// a and b; constants are folded, otherwise a literal implied by (a and b).
  Lit both(Lit a, Lit b);
  /// sum of weight * lit <= bound.
  void atMost(std::vector<Term> terms, int64_t bound);
  /// For each (lit, bound): lit, or sum <= bound. Bounds rise, and each lit implies the ones before it.
  void atMostUnless(std::vector<Term> terms, const std::vector<std::pair<Lit, int64_t>> &bounds);
  /// Clauses added until the next call are guarded by this constraint's selector.
  void begin(Constraint constraint);
  void endConstraint() { guard = 0; }
  /// Group g runs something.
  Lit used(int g);
  /// The register budget of g exceeds minRegs + k * granule, k = 0, 1, ... (only with a register file).
  const std::vector<Lit> &budgetSteps(int g);
  int64_t maxBudget(int g) const;

private:
  void computeWindows();
  void createStarts();
  void createGroups();
  void collectEnds();

  struct Ends {
    /// end >= start(node) + shift.
    struct Source {
      int node;
      int64_t shift;
    };
    std::vector<Source> sources;
    int64_t low = 0, high = 0;
    std::vector<Lit> lits;
    bool built = false;
  };

  SatSolver &sat;
  int64_t ticks = 0;
  size_t filled = 0;
  bool stopped = false;
  Lit guard = 0;
  std::map<unsigned, Lit> selectors;
  std::vector<std::pair<int64_t, int64_t>> window;
  std::vector<std::vector<Lit>> startLits;
  std::vector<std::vector<Lit>> groupLits;
  std::vector<Ends> ends;
  std::map<std::pair<int, int>, Lit> differLits;
  std::map<int, Lit> leaveLits, usedLits;
  std::map<std::tuple<int, int64_t, int64_t>, std::vector<Lit>> occupancies;
  std::map<int, std::vector<std::vector<Lit>>> copyLits;
  std::map<int, std::vector<Lit>> deeperLits, budgets;
  std::map<std::pair<Lit, Lit>, Lit> ands;
};

/// Per slot, the registers that the values of group g take (Registers.cpp).
std::vector<std::vector<Term>> registerTerms(Encoder &e, int g);
/// Whether the register file limits the budgets of the groups (C8 beyond C7).
bool budgetsCoupled(Encoder &e);
/// Budget steps, tied to what the values of each group take (part of C8 where budgets are coupled).
void encodeBudgets(Encoder &e);
/// Nothing runs on g.
void leaveEmpty(Encoder &e, int g);

// One file each under lib/Scheduling/Joint.
void encodeDependence(Encoder &e);
void encodeCapacity(Encoder &e);
void encodeMemory(Encoder &e);
void encodeRings(Encoder &e);
void encodeWarpAssignment(Encoder &e);
void encodeVariableLatency(Encoder &e);
void encodeRegisters(Encoder &e);
void encodeRegisterFile(Encoder &e);
void encodeTransfers(Encoder &e);
void encodeConcurrency(Encoder &e);
void encodeIssue(Encoder &e);
void encodePins(Encoder &e);
/// Interchangeable groups are used in order of their first node (not a constraint: removes symmetric solutions).
void breakGroupSymmetry(Encoder &e);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_JOINT_ENCODER_H
