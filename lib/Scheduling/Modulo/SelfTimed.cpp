//===- SelfTimed.cpp - the interval that a schedule's order attains by itself ===//
//
// What:      replays the streams of a modulo schedule as in-order groups with asynchronous units.
// Where:     Pipelines compares schedules of equal interval with it (solutions of one interval are arbitrary:
//            Scheduling.md, question 15).
// Algorithm: always the group with the smallest clock takes its next operation; a unit serves one request after the
//            other.
// Limits:    units serve whole operations (the multiprocessor interleaves instructions); loads are taken as always
//            ready.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Modulo/SelfTimed.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

struct Stream {
  std::vector<int> order;        ///< nodes in kernel order
  std::map<int, int64_t> stage;  ///< of each node, counted from the cut
  std::vector<int> retiredAtCut; ///< asynchronous nodes that the back edge waits for
  int64_t clock = 0;
  int64_t kernel = 0; ///< kernel iteration
  size_t next = 0;    ///< index into `order`
};

class Replay {
public:
  Replay(const Problem &problem, const Schedule &schedule, const SelfTimedOptions &options)
      : p(problem), s(schedule), options(options) {}

  int64_t run() {
    std::map<int, std::vector<int>> byGroup;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      if (!p.nodes[v].variableLatency)
        byGroup[s.group.empty() ? 0 : s.group[v]].push_back(v);
    for (auto &[group, nodes] : byGroup)
      streams.push_back(bestCut(nodes));
    unitFree.assign(p.units.size(), 0);
    done.resize(p.nodes.size());
    int64_t half = options.iterations / 2, middle = 0, end = 0;
    while (Stream *stream = earliest()) {
      step(*stream);
      if (stream->next != 0)
        continue;
      if (stream->kernel == half)
        middle = std::max(middle, stream->clock);
      end = std::max(end, stream->clock);
    }
    return std::max(s.ii, (end - middle) / std::max<int64_t>(1, options.iterations - half));
  }

private:
  /// In flight over the back edge and read by ordinary code, or a register operand carried over it: see
  /// TileToWarp/LoopStream.cpp.
  std::vector<int> badAt(const std::vector<int> &nodes, int64_t offset, Stream &stream) const {
    int64_t least = 0;
    auto shifted = [&](int v) { return s.start[v] - offset; };
    auto floorDiv = [&](int64_t a) { return a >= 0 ? a / s.ii : -((-a + s.ii - 1) / s.ii); };
    for (int v : nodes)
      least = std::min(least, floorDiv(shifted(v)));
    stream.order = nodes;
    for (int v : nodes)
      stream.stage[v] = floorDiv(shifted(v)) - least;
    std::stable_sort(stream.order.begin(), stream.order.end(), [&](int a, int b) {
      return shifted(a) - floorDiv(shifted(a)) * s.ii < shifted(b) - floorDiv(shifted(b)) * s.ii;
    });
    std::vector<int> bad;
    for (int v : nodes) {
      if (!p.nodes[v].async)
        continue;
      bool crosses = false;
      for (const Edge &e : p.edges) {
        if (e.from == v && !e.order && !p.nodes[e.to].async && stream.stage.count(e.to))
          crosses |= stream.stage.at(e.to) + e.distance > stream.stage.at(v);
        if (e.to == v && e.hold > 0 && !p.nodes[e.from].async && !p.nodes[e.from].variableLatency &&
            stream.stage.count(e.from))
          crosses |= stream.stage.at(e.from) < stream.stage.at(v) + e.distance;
      }
      if (crosses)
        bad.push_back(v);
    }
    return bad;
  }

  /// Fewest asynchronous operations waited for at the cut; then the shortest time that nothing is in flight after it.
  Stream bestCut(const std::vector<int> &nodes) const {
    Stream best;
    std::pair<size_t, int64_t> least;
    for (int head : nodes) {
      Stream stream;
      int64_t offset = s.start[head] % s.ii, lead = s.ii;
      stream.retiredAtCut = badAt(nodes, offset, stream);
      for (int v : nodes)
        if (p.nodes[v].async)
          lead = std::min(lead, ((s.start[v] - offset) % s.ii + s.ii) % s.ii);
      if (std::pair<size_t, int64_t> cost{stream.retiredAtCut.size(), lead}; best.order.empty() || cost < least) {
        best = stream;
        least = cost;
      }
    }
    return best;
  }

  Stream *earliest() {
    Stream *best = nullptr;
    for (Stream &stream : streams)
      if (stream.kernel < options.iterations && (!best || stream.clock < best->clock))
        best = &stream;
    return best;
  }

  int64_t doneAt(int v, int64_t iteration) const {
    return iteration < 0 || iteration >= static_cast<int64_t>(done[v].size()) ? 0 : done[v][iteration];
  }

  void step(Stream &stream) {
    int v = stream.order[stream.next];
    int64_t iteration = stream.kernel - stream.stage[v];
    if (iteration >= 0)
      execute(stream, v, iteration);
    if (++stream.next < stream.order.size())
      return;
    for (int dot : stream.retiredAtCut)
      stream.clock = std::max(stream.clock, doneAt(dot, stream.kernel - stream.stage[dot]));
    stream.next = 0;
    ++stream.kernel;
  }

  void execute(Stream &stream, int v, int64_t iteration) {
    const Node &node = p.nodes[v];
    int64_t slow = node.async ? 100 : 100 + options.slowdownPercent;
    int64_t begin = stream.clock;
    for (const Edge &e : p.edges)
      if (e.to == v && !p.nodes[e.from].variableLatency) {
        // Accumulation into a dot in flight needs no wait: its unit keeps the order.
        bool chained = node.async && p.nodes[e.from].async && e.hold == 0;
        if (!chained)
          begin = std::max(begin, doneAt(e.from, iteration - e.distance));
      }
    int64_t served = begin, busy = 0;
    for (const Reservation &r : node.reservations)
      served = std::max(served, unitFree[r.unit]);
    for (const Reservation &r : node.reservations) {
      int64_t length = r.length * slow / 100;
      unitFree[r.unit] = served + length;
      busy = std::max(busy, length);
    }
    int64_t finish = served + std::max(node.latency, busy);
    if (iteration >= static_cast<int64_t>(done[v].size()))
      done[v].resize(iteration + 1, 0);
    done[v][iteration] = finish;
    stream.clock = (node.async ? begin : served) + std::max<int64_t>(1, node.issue * slow / 100);
  }

  const Problem &p;
  const Schedule &s;
  const SelfTimedOptions &options;
  std::vector<Stream> streams;
  std::vector<int64_t> unitFree;
  std::vector<std::vector<int64_t>> done;
};
} // namespace

int64_t selfTimedInterval(const Problem &problem, const Schedule &schedule, const SelfTimedOptions &options) {
  return Replay(problem, schedule, options).run();
}

} // namespace heddle
