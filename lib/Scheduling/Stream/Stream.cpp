//===- Stream.cpp - see Stream.h -------------------------------------------===//
#include "heddle/Scheduling/Stream/Stream.h"

#include "heddle/Support/Integers.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace heddle {

int64_t Stream::stages() const {
  int64_t most = 0;
  for (int64_t s : stage)
    most = std::max(most, s + 1);
  return most;
}

Stream cutStream(const StreamProgram &program, int64_t cut) {
  int n = static_cast<int>(program.operations.size());
  int64_t ii = program.ii, least = 0;
  Stream stream;
  stream.cut = cut;
  for (const StreamOperation &operation : program.operations) {
    stream.start.push_back(operation.start - cut);
    least = std::min(least, floorDiv(stream.start.back(), ii));
  }
  for (int64_t &start : stream.start) {
    start -= least * ii;
    stream.stage.push_back(start / ii);
  }
  stream.order.resize(n);
  std::iota(stream.order.begin(), stream.order.end(), 0);
  std::stable_sort(stream.order.begin(), stream.order.end(),
                   [&](int a, int b) { return stream.start[a] % ii < stream.start[b] % ii; });
  stream.position.resize(n);
  for (int i = 0; i < n; ++i)
    stream.position[stream.order[i]] = i;

  stream.lead = ii;
  for (int v = 0; v < n; ++v) {
    if (!program.operations[v].async)
      continue;
    stream.lead = std::min(stream.lead, stream.start[v] % ii);
    std::optional<int64_t> read; // stage of its first reader, where it is waited for
    for (const StreamUse &use : program.uses)
      if (int64_t stage = stream.stage[use.to] + use.distance;
          use.from == v && use.kind != StreamUse::Accumulates && (!read || stage < *read))
        read = stage;
    // The next operand, made behind this operation, waits for it and overwrites its registers: no further wait where a
    // reader waits for it in any case. Made before, it does not find them free.
    bool carried = false;
    for (const StreamUse &use : program.uses) {
      std::pair next(stream.stage[use.from] - use.distance + 1, stream.position[use.from]);
      carried |= use.to == v && use.kind == StreamUse::Holds && next.first <= stream.stage[v] &&
                 (!read || next < std::pair(stream.stage[v], stream.position[v]));
    }
    int64_t crossings = (read && *read > stream.stage[v]) + carried;
    stream.crossings += crossings;
    if (crossings)
      stream.retired.push_back(v);
  }
  return stream;
}

Stream cutStream(const StreamProgram &program) {
  std::optional<Stream> best;
  auto cost = [](const Stream &s) { return std::tuple(s.crossings, s.stages(), s.lead); };
  for (const StreamOperation &operation : program.operations) {
    Stream stream = cutStream(program, operation.start % program.ii);
    if (!best || cost(stream) < cost(*best))
      best = std::move(stream);
  }
  return best ? *best : cutStream(program, 0);
}

StreamExpansion expandStream(const std::vector<int64_t> &stages) {
  int64_t last = 0;
  for (int64_t stage : stages)
    last = std::max(last, stage);
  StreamExpansion expansion;
  expansion.prologue.resize(last);
  expansion.epilogue.resize(last);
  for (int i = 0; i < static_cast<int>(stages.size()); ++i) {
    expansion.steady.push_back({i, -stages[i]});
    for (int64_t k = stages[i]; k < last; ++k)
      expansion.prologue[k].push_back({i, k - stages[i]});
    for (int64_t k = 0; k < stages[i]; ++k) // iteration k of the emitted loop behind its last
      expansion.epilogue[k].push_back({i, k - stages[i]});
  }
  return expansion;
}

} // namespace heddle
