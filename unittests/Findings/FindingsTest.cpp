//===- FindingsTest.cpp - What Twill found, on the compiler's instances ---===//
//
// What:    the findings of Twill section 6, asked of the instances in bench/sched by solving them; docs/Findings.md has
//          the numbers and says where and why ours differ. Each test states what we get, not what the paper says.
// Times:   normalised costs (Twill 5.2) with U = 300; refutations that take long there at U = 150 or 100, against the
//          same instance's own bound.
// Limits:  no test depends on a time limit: it is far above what any query needs.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Cost/Normalise.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

using namespace heddle;

namespace {

/// Instance `name` with costs that sum to at most `limit`; tests run in the source directory.
Problem instance(const std::string &name, int64_t limit = 300, const std::function<void(Problem &)> &change = {}) {
  Result<Problem> problem = loadProblem("bench/sched/" + name + ".sched");
  EXPECT_TRUE(problem) << problem.error().str();
  if (!problem)
    return {};
  if (change)
    change(*problem);
  Result<NormalisedProblem> normal = normaliseProblem(*problem, limit);
  EXPECT_TRUE(normal) << normal.error().str();
  return normal ? normal->problem : Problem();
}

SolveOptions quick(ConstraintSet set = ConstraintSet::all(), int64_t maxII = 0) {
  SolveOptions options;
  options.constraints = set;
  options.maxII = maxII;
  options.timeLimit = 600;
  options.lexicographic = options.explain = false;
  return options;
}

/// Twill's register limit is per warp; the register file that all warps share is ours (docs/Scheduling.md, point 9).
ConstraintSet registersPerWarp() { return ConstraintSet::all().without(Constraint::RegisterFile); }

int node(const Problem &p, const std::string &name) {
  int v = p.findNode(name);
  EXPECT_GE(v, 0) << name;
  return v;
}
int64_t startOf(const Problem &p, const SolveResult &r, const std::string &name) {
  return r.schedule.start[node(p, name)];
}
std::string groupOf(const Problem &p, const SolveResult &r, const std::string &name) {
  return p.groups[r.schedule.group[node(p, name)]].name;
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Every node of sub-tile `tile` on the group that `choose` names ("" leaves it free).
void pin(Problem &p, const std::function<std::string(const std::string &)> &choose) {
  for (Node &n : p.nodes)
    if (std::string group = choose(n.name); !group.empty() && !n.variableLatency)
      n.groups = {p.findGroup(group)};
}

void removeGroup(Problem &p, const std::string &name) {
  ASSERT_EQ(p.findGroup(name), static_cast<int>(p.groups.size()) - 1);
  p.groups.pop_back();
}

/// Some cycle modulo ii in which both units' reservations of the two nodes run.
bool together(const Problem &p, const SolveResult &r, const std::string &a, const std::string &b) {
  std::set<int64_t> slots;
  for (const Reservation &use : p.nodes[node(p, a)].reservations)
    for (int64_t t = 0; t < use.length; ++t)
      slots.insert((startOf(p, r, a) + use.start + t) % r.schedule.ii);
  for (const Reservation &use : p.nodes[node(p, b)].reservations)
    for (int64_t t = 0; t < use.length; ++t)
      if (slots.count((startOf(p, r, b) + use.start + t) % r.schedule.ii))
        return true;
  return false;
}

// FA3: the first GEMM of the next iteration goes ahead of the second of this one, and the two groups alternate between
//      tensor core and
// exponentials. Both at the tensor core's bound, so nothing is better.
TEST(Findings, HopperForwardIsFA3) {
  Problem p = instance("attention_d128_h100");
  SolveResult r = solve(p, quick());
  ASSERT_EQ(r.status, SolveStatus::Optimal);
  EXPECT_EQ(r.schedule.ii, r.mii);
  EXPECT_TRUE(contains(r.bounds.bounds.front().witness, "unit 'TC'")) << r.bounds.bounds.front().witness;
  int ahead = 0;
  for (std::string tile : {"g0", "g1"}) {
    std::string other = tile == "g0" ? "g1" : "g0";
    ahead += startOf(p, r, "dot_" + tile) + r.schedule.ii < startOf(p, r, "dot_" + tile + "_1");
    EXPECT_TRUE(together(p, r, "exp2_" + tile, "dot_" + other) || together(p, r, "exp2_" + tile, "dot_" + other + "_1"))
        << tile;
    EXPECT_EQ(groupOf(p, r, "exp2_" + tile), groupOf(p, r, "dot_" + tile + "_1"));
  }
  EXPECT_GE(ahead, 1); // Twill's solution does it for one group, too
  EXPECT_NE(groupOf(p, r, "exp2_g0"), groupOf(p, r, "exp2_g1"));
}

bool isDot(const std::string &name) { return name.rfind("dot", 0) == 0; }
bool isRescale(const std::string &name) {
  for (std::string tile : {"g0", "g1"})
    if (name == "tmem_load_" + tile + "_1" || name == "mulf_" + tile + "_4" || name == "tmem_store_" + tile + "_1")
      return true;
  return false;
}
/// FA4: a warp for loads, a warp for dots, a group for each sub-tile's softmax, a group for the rescaling of both.
std::string rolesOfFA4(const std::string &name) {
  return isDot(name) ? "mma" : isRescale(name) ? "compute0_extra0" : contains(name, "_g0") ? "compute0" : "compute1";
}

// The exponentials' bound is met; the sub-tiles' softmax on a group each, the rescaling of both on a third.
TEST(Findings, BlackwellForwardFindsTheRolesOfFA4) {
  Problem p = instance("attention_b200");
  SolveOptions options = quick(registersPerWarp());
  options.lexicographic = true; // fewest crossings: what need not change groups does not
  SolveResult r = solve(p, options);
  ASSERT_EQ(r.status, SolveStatus::Optimal);
  EXPECT_EQ(r.schedule.ii, 80);
  EXPECT_EQ(r.mii, 80); // tensor core and exponentials are both busy all the time
  std::string softmax0 = groupOf(p, r, "exp2_g0"), softmax1 = groupOf(p, r, "exp2_g1"),
              rescale = groupOf(p, r, "mulf_g0_4");
  EXPECT_NE(softmax0, softmax1);
  EXPECT_NE(rescale, softmax0);
  EXPECT_NE(rescale, softmax1);
  for (std::string name : {"tmem_load_g0_1", "tmem_store_g0_1", "tmem_load_g1_1", "mulf_g1_4", "tmem_store_g1_1"})
    EXPECT_EQ(groupOf(p, r, name), rescale) << name;
  for (std::string name : {"tmem_load_g0", "reduce_g0", "subf_g0", "truncf_g0"})
    EXPECT_EQ(groupOf(p, r, name), softmax0) << name;
  EXPECT_EQ(groupOf(p, r, "load"), "load");

  // A warp of their own for the dots costs nothing.
  pin(p, rolesOfFA4);
  SolveResult pinned = solve(p, quick(registersPerWarp()));
  ASSERT_EQ(pinned.status, SolveStatus::Optimal);
  EXPECT_EQ(pinned.schedule.ii, 80);
}

/// Whether `change`d instance `name` attains the interval of attention_b200.
SolveStatus blackwellAt80(const std::string &name, const std::function<void(Problem &)> &change,
                          ConstraintSet set = registersPerWarp()) {
  return solve(instance(name, 300, change), quick(set, 80)).status;
}

TEST(Findings, BlackwellForwardNeedsItsWarps) {
  EXPECT_EQ(blackwellAt80("attention_b200", {}), SolveStatus::Optimal);
  EXPECT_EQ(blackwellAt80("attention_b200", [](Problem &p) { removeGroup(p, "compute0_extra0"); }),
            SolveStatus::Infeasible);
}

TEST(Findings, BlackwellForwardNeedsSubTiles) {
  EXPECT_EQ(blackwellAt80("attention_whole_b200", {}), SolveStatus::Infeasible);
}

TEST(Findings, BlackwellForwardNeedsTransfers) {
  auto stay = [](Problem &p) {
    for (Edge &e : p.edges)
      if (p.nodes[e.from].regs)
        e.transfer = Edge::never;
  };
  EXPECT_EQ(blackwellAt80("attention_b200", stay), SolveStatus::Infeasible);
}

// FA4's roles with one register file: whole tiles of 128 columns do not fit three groups with 40 registers beside the
// values.
TEST(Findings, BlackwellForwardRolesDoNotFitOneRegisterFileByWholeTiles) {
  EXPECT_EQ(blackwellAt80(
                "attention_b200", [](Problem &p) { pin(p, rolesOfFA4); }, ConstraintSet::all()),
            SolveStatus::Infeasible);
}

std::string subTileGroup(const std::string &name) {
  return contains(name, "_g0") ? "compute0" : contains(name, "_g1") ? "compute1" : "";
}

// Unlike Twill: with dQ in halves the bound of the copy engine (atomic reduction) is met under the register limits, the
//               sub-tiles on a group each.
TEST(Findings, HopperBackwardMeetsItsUnitsBound) {
  Problem p = instance("attention_backward_h100", 300, [](Problem &q) { pin(q, subTileGroup); });
  SolveResult r = solve(p, quick());
  ASSERT_EQ(r.status, SolveStatus::Optimal);
  EXPECT_EQ(r.schedule.ii, r.mii);
  // The joint problem has the same bound, so the assignment is optimal for it, too.
  Problem joint = instance("attention_backward_h100");
  EXPECT_TRUE(verifySchedule(joint, r.schedule).empty());
  EXPECT_EQ(computeBounds(joint).mii, r.mii);
}

// As Twill: the first GEMM cannot go an iteration ahead of the others, and it is the registers that forbid it (FA3's
//           forward pipeline).
TEST(Findings, HopperBackwardHasNoRegistersForForwardsPipeline) {
  auto ahead = [](Problem &p) { pin(p, subTileGroup); };
  Problem whole = instance("attention_backward_h100", 100, ahead);
  const int64_t ii = computeBounds(whole).mii;
  // One group's half of the loop: registers are its own.
  Problem p = whole;
  p.nodes.clear();
  p.edges.clear();
  std::vector<int> index(whole.nodes.size(), -1);
  for (size_t v = 0; v < whole.nodes.size(); ++v)
    if (!contains(whole.nodes[v].name, "_g1"))
      index[v] = p.addNode(whole.nodes[v]);
  for (Edge e : whole.edges)
    if (index[e.from] >= 0 && index[e.to] >= 0) {
      e.from = index[e.from];
      e.to = index[e.to];
      p.addEdge(e);
    }
  SolveOptions options = quick(ConstraintSet::all(), ii);
  options.minII = ii;
  options.maxStages = 3;
  EXPECT_EQ(solve(p, options).status, SolveStatus::Optimal);
  Edge next; // scores of the next iteration before this one's dV
  next.from = node(p, "dot_g0");
  next.to = node(p, "dot_g0_1");
  next.delay = ii;
  next.order = true;
  p.addEdge(next);
  EXPECT_EQ(solve(p, options).status, SolveStatus::Infeasible);
  options.constraints = ConstraintSet::all().without(Constraint::Registers).without(Constraint::RegisterFile);
  EXPECT_EQ(solve(p, options).status, SolveStatus::Optimal);
}

/// Keeps only the first compute group.
void oneGroup(Problem &p) {
  removeGroup(p, "compute0_extra1");
  removeGroup(p, "compute0_extra0");
}
void reducedRegisters(Problem &p) {
  for (Group &g : p.groups)
    if (g.warps > 1)
      g.regs = 168;
}

// Bound by the atomic reduction (Twill 6.3.2); one group does all of it where registers allow, two with a reduced
// budget.
TEST(Findings, BlackwellBackwardUsesMoreGroupsWithFewerRegisters) {
  SolveOptions options = quick(registersPerWarp());
  Problem p = instance("attention_backward_b200", 300, oneGroup);
  SolveResult r = solve(p, options);
  ASSERT_EQ(r.status, SolveStatus::Optimal);
  EXPECT_EQ(r.schedule.ii, 102);
  EXPECT_TRUE(contains(r.bounds.bounds.front().witness, "unit 'TMA'")) << r.bounds.bounds.front().witness;
  Problem reduced = instance("attention_backward_b200", 300, [](Problem &q) {
    reducedRegisters(q);
    removeGroup(q, "compute0_extra1");
  });
  SolveResult two = solve(reduced, options);
  ASSERT_EQ(two.status, SolveStatus::Optimal);
  EXPECT_EQ(two.schedule.ii, 102);
  Problem small = instance("attention_backward_b200", 150, [](Problem &q) {
    reducedRegisters(q);
    oneGroup(q);
  });
  EXPECT_EQ(solve(small, quick(registersPerWarp(), computeBounds(small, registersPerWarp()).mii)).status,
            SolveStatus::Infeasible);
}

} // namespace
