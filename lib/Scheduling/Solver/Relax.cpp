//===- Relax.cpp - Intervals refuted on a few cells -----------------------===//
//
// What:      the interval divided into a number of cells; starts are known by their cell only, and every constraint is
//            weakened to what follows from that. One such problem serves a whole range of intervals, since only its
//            delays depend on the width of a cell. If it has no schedule, no interval of the range has one.
// Verifies:  nothing; `unsatisfiable` is a proof, `satisfiable` only tells where to look.
// Algorithm: with cells of width w (w = ii / cells, a fraction), start(v) in [c w, (c + 1) w): a delay d becomes
//            floor(d / w) cells, also along every path, so that chains of short delays are not lost; a reservation [a,
//            a + l) certainly covers the ends of the cells from c + ceil(a / w) up to c + floor((a + l) / w) - 1;
//            lifetimes likewise; what executes certainly covers whole cells from the next one on. Each rounding takes
//            the end of the range of w that gives the weaker constraint.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

namespace heddle {

/// Cells that an interval is divided into, from few to many.
static constexpr int64_t cellCounts[] = {12, 24, 48, 96};
/// With more cells than this share of its slots an interval is as hard as it is.
static bool hasFewCells(int64_t cells, int64_t ii) { return cells * 3 <= ii * 2; }

namespace {

struct Relaxed {
  Problem problem;
  std::vector<int64_t> busy;
};

/// The longest delay between each pair along edges of distance 0; -1 where there is no path.
std::vector<std::vector<int64_t>> pathDelays(int n, const std::vector<Edge> &edges, const std::vector<int64_t> &delay) {
  std::vector<std::vector<int64_t>> out(n, std::vector<int64_t>(n, -1));
  for (size_t k = 0; k < edges.size(); ++k)
    if (edges[k].distance == 0 && edges[k].from != edges[k].to)
      out[edges[k].from][edges[k].to] = std::max(out[edges[k].from][edges[k].to], delay[k]);
  for (int m = 0; m < n; ++m)
    for (int u = 0; u < n; ++u)
      for (int v = 0; v < n && out[u][m] >= 0; ++v)
        if (out[m][v] >= 0)
          out[u][v] = std::max(out[u][v], out[u][m] + out[m][v]);
  return out;
}

Relaxed relaxedCopy(const Problem &p, ConstraintSet set, int64_t low, int64_t high, int64_t cells) {
  Relaxed out{p, {}};
  Problem &r = out.problem;
  int n = static_cast<int>(p.nodes.size());
  // Widths are low / cells to high / cells; times are exact products below 2^62.
  auto floorWide = [&](int64_t t) { return t * cells / high; };
  auto ceilWide = [&](int64_t t) { return (t * cells + high - 1) / high; };
  auto ceilNarrow = [&](int64_t t) { return (t * cells + low - 1) / low; };
  r.consumerCopies = false; // reading takes at least a cycle, not a cell
  for (Node &node : r.nodes) {
    int64_t busy = node.async ? std::max<int64_t>(1, node.issue) : std::max(node.issue, node.latency);
    out.busy.push_back(std::max<int64_t>(0, floorWide(busy) - 1));
    node.latency = ceilWide(node.latency);
    node.issue = floorWide(node.issue);
    node.minLive = floorWide(node.minLive);
    node.pinStart = node.pinStart < 0 || low != high ? -1 : floorWide(node.pinStart);
    std::vector<Reservation> kept;
    for (Reservation x : node.reservations) {
      int64_t first = ceilNarrow(x.start), length = floorWide(x.start + x.length) - first;
      if (length > 0)
        kept.push_back({x.unit, first, length, x.amount});
    }
    node.reservations = std::move(kept);
  }
  std::vector<int64_t> exact, rough;
  for (Edge &edge : r.edges) {
    exact.push_back(forcedDelay(p, edge, set));
    int64_t together = edge.transfer > 0 ? floorWide(edge.delay + edge.transfer) : 0;
    edge.delay = floorWide(edge.delay);
    edge.hold = floorWide(edge.hold);
    if (edge.transfer > 0)
      edge.transfer = together - edge.delay;
    rough.push_back(std::max(edge.delay, floorWide(exact.back())));
  }
  if (!set.has(Constraint::Dependence))
    return out;
  // Paths whose delays exceed the sum of the rounded ones become edges of their own.
  std::vector<std::vector<int64_t>> full = pathDelays(n, p.edges, exact), known = pathDelays(n, r.edges, rough);
  std::vector<std::tuple<int64_t, int, int>> order;
  for (int u = 0; u < n; ++u)
    for (int v = 0; v < n; ++v)
      if (u != v && full[u][v] >= 0 && floorWide(full[u][v]) > known[u][v])
        order.push_back({full[u][v], u, v});
  std::sort(order.begin(), order.end());
  for (auto [delay, u, v] : order) {
    for (int m = 0; m < n; ++m)
      if (known[u][m] >= 0 && known[m][v] >= 0)
        known[u][v] = std::max(known[u][v], known[u][m] + known[m][v]);
    if (floorWide(delay) <= known[u][v])
      continue;
    Edge edge;
    edge.from = u;
    edge.to = v;
    edge.delay = known[u][v] = floorWide(delay);
    edge.order = true;
    r.edges.push_back(edge);
  }
  return out;
}

} // namespace

SatAnswer Search::askRelaxed(int64_t low, int64_t high, int64_t cells, int64_t stages, const SearchLimits &given,
                             Schedule *rough) {
  double start = SearchLimits::cpu();
  doing("relaxation at interval ", low);
  Relaxed relaxed = relaxedCopy(p, set, low, high, cells);
  std::unique_ptr<SatSolver> sat = createSat(options.backend);
  Encoder::Options o;
  o.ii = cells;
  o.stages = stages;
  o.constraints = set;
  o.limits = given;
  o.busy = &relaxed.busy;
  Encoder encoder(relaxed.problem, *sat, o);
  encoder.encode();
  SatAnswer answer = encoder.aborted() ? SatAnswer::Unknown : sat->solve({}, given);
  for (int64_t ii = low; ii <= (answer == SatAnswer::Unsat ? high : low); ++ii)
    result.queries.push_back({ii, stages, answer == SatAnswer::Unsat ? 20 : 0,
                              ii == low ? SearchLimits::cpu() - start : 0, sat->numVars(), sat->numClauses()});
  say("ii " + std::to_string(low) + (high > low ? " to " + std::to_string(high) : "") + ", " + std::to_string(stages) +
      " stages, in " + std::to_string(cells) +
      (answer == SatAnswer::Unsat ? " cells: unsatisfiable, " : " cells: not refuted, ") +
      std::to_string(SearchLimits::cpu() - start) + " s");
  if (answer == SatAnswer::Sat && rough) {
    *rough = encoder.read();
    rough->ii = low;
    for (int64_t &t : rough->start)
      t = t * low / cells;
  }
  return answer;
}

bool Search::refutedOnCells(int64_t ii, const SearchLimits &given) {
  return hasFewCells(cellCounts[0], ii) &&
         askRelaxed(ii, ii, cellCounts[0], result.stages, fewer(given, relaxedConflicts), nullptr) == SatAnswer::Unsat;
}

/// Raises the bound from `ii` over ranges refuted on cells, from few cells to many. True when a schedule was found at
/// the bound reached, near what the cells allow there; otherwise `guesses` has the groups that they allow.
bool Search::climb(int64_t &ii, const SearchLimits &given, Guesses &guesses) {
  SearchLimits brief = fewer(given, relaxedConflicts);
  int64_t step = 1, stages = result.stages;
  for (; cellLevel < std::size(cellCounts) && ii <= result.maxII && !given.exceeded();) {
    int64_t count = cellCounts[cellLevel], high = std::min(result.maxII, ii + step - 1);
    if (!hasFewCells(count, ii) || (count > 48 && ii > fineIntervals))
      break; // hardly fewer than its slots, or too slow where coarse copies tell more
    Schedule rough;
    SatAnswer answer = askRelaxed(ii, high, count, stages, brief, &rough);
    if (answer == SatAnswer::Unsat) {
      result.bound = ii = high + 1;
      guesses.list.clear();
      step = std::min(step * 2, std::max<int64_t>(1, ii / 8));
      continue;
    }
    if (step > 1) {
      step = std::max<int64_t>(1, step / 4);
      continue;
    }
    if (answer == SatAnswer::Unknown)
      break;
    Guide guide{rough.start, rough.group, 2 * ii / count, rough.start, {}, 0};
    SearchLimits near = given;
    near.conflicts = 300;
    if ((ii <= fineIntervals || count >= 48) && ask(ii, stages, near, nullptr, &guide) == SatAnswer::Sat)
      return true;
    if (!result.message.empty())
      break;
    auto at = std::find_if(guesses.list.begin(), guesses.list.end(), [&](auto &g) { return g.group == rough.group; });
    if (at == guesses.list.end())
      guesses.list.insert(guesses.list.begin(), {rough.group, rough.start, 0, 0});
    else
      at->first = rough.start;
    ++cellLevel;
  }
  if (cellLevel)
    --cellLevel; // the next interval may be refuted with what this one just was not
  return false;
}

} // namespace heddle
