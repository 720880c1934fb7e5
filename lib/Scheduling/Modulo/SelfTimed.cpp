//===- SelfTimed.cpp - the interval that a schedule's order attains by itself ===//
//
// What:      replays the streams of a modulo schedule, cut as they are emitted, as in-order groups with asynchronous
//            units.
// Where:     Pipelines compares schedules of equal interval with it (solutions of one interval are arbitrary:
//            Scheduling.md, question 15).
// Algorithm: always the group with the smallest clock takes its next operation; a unit serves one request after the
//            other.
// Limits:    units serve whole operations (the multiprocessor interleaves instructions); loads are taken as always
//            ready.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Modulo/SelfTimed.h"
#include "heddle/Scheduling/Stream/Stream.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

struct Running {
  std::vector<int> nodes;    ///< of the group
  Stream stream;             ///< of their numbers in `nodes`
  StreamExpansion expansion; ///< of the stream's order
  int64_t clock = 0;
  int64_t kernel = 0; ///< kernel iteration
  size_t next = 0;    ///< index into the section of the expansion that runs
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
    for (auto &[group, nodes] : byGroup) {
      Stream stream = cutStream(describe(nodes));
      std::vector<int64_t> stages;
      for (int number : stream.order)
        stages.push_back(stream.stage[number]);
      streams.push_back({nodes, stream, expandStream(stages)});
    }
    unitFree.assign(p.units.size(), 0);
    done.resize(p.nodes.size());
    int64_t half = options.iterations / 2, middle = 0, end = 0;
    while (Running *stream = earliest()) {
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
  /// What the cut of a group depends on: transfers are no part of its stream.
  StreamProgram describe(const std::vector<int> &nodes) const {
    StreamProgram program;
    program.ii = s.ii;
    std::map<int, int> number;
    for (int v : nodes) {
      number[v] = static_cast<int>(program.operations.size());
      program.operations.push_back({s.start[v], p.nodes[v].async});
    }
    for (const Edge &e : p.edges) {
      if (e.order || !number.count(e.from) || !number.count(e.to))
        continue;
      bool chained = p.nodes[e.from].async && p.nodes[e.to].async && e.hold == 0,
           held = p.nodes[e.to].async && !p.nodes[e.from].async && e.hold > 0;
      program.uses.push_back({number[e.from], number[e.to], e.distance,
                              chained ? StreamUse::Accumulates
                              : held  ? StreamUse::Holds
                                      : StreamUse::Reads});
    }
    return program;
  }

  Running *earliest() {
    Running *best = nullptr;
    for (Running &stream : streams)
      if (stream.kernel < options.iterations && (!best || stream.clock < best->clock))
        best = &stream;
    return best;
  }

  int64_t doneAt(int v, int64_t iteration) const {
    return iteration < 0 || iteration >= static_cast<int64_t>(done[v].size()) ? 0 : done[v][iteration];
  }

  void step(Running &stream) {
    bool first = stream.kernel < static_cast<int64_t>(stream.expansion.prologue.size());
    const std::vector<StreamStep> &section = first ? stream.expansion.prologue[stream.kernel] : stream.expansion.steady;
    if (stream.next < section.size()) {
      auto [entry, iteration] = section[stream.next];
      execute(stream, stream.nodes[stream.stream.order[entry]], first ? iteration : stream.kernel + iteration);
    }
    if (++stream.next < section.size())
      return;
    for (int dot : stream.stream.retired)
      stream.clock = std::max(stream.clock, doneAt(stream.nodes[dot], stream.kernel - stream.stream.stage[dot]));
    stream.next = 0;
    ++stream.kernel;
  }

  void execute(Running &stream, int v, int64_t iteration) {
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
  std::vector<Running> streams;
  std::vector<int64_t> unitFree;
  std::vector<std::vector<int64_t>> done;
};
} // namespace

int64_t selfTimedInterval(const Problem &problem, const Schedule &schedule, const SelfTimedOptions &options) {
  return Replay(problem, schedule, options).run();
}

} // namespace heddle
