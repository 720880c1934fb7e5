//===- DotQueue.cpp - see DotQueue.h ----------------------------------------===//
#include "DotQueue.h"

#include <algorithm>
#include <limits>

using namespace heddle::sim;

constexpr int64_t never = std::numeric_limits<int64_t>::max();

void DotQueue::run(int64_t until, const std::function<void(const Dot &, int64_t)> &ended) {
  while (true) {
    if (taken == current.instructions) {
      auto next = std::min_element(waiting.begin(), waiting.end(),
                                   [](const Dot &a, const Dot &b) { return a.arrival < b.arrival; });
      if (next == waiting.end() || std::max(now, next->arrival) >= until)
        return;
      now = std::max(now, next->arrival);
      current = *next;
      current.begin = now;
      taken = 0;
      waiting.erase(next);
    }
    if (now >= until)
      return;
    if (!stops.empty() && stops.front().first <= now) {
      now += stops.front().second;
      stops.erase(stops.begin());
      continue;
    }
    // The last instruction enters when so many are left that the queue holds them.
    if (current.instructions - taken <= depth)
      entered.try_emplace(current.id, now);
    now += current.cycles * (taken + 1) / current.instructions - current.cycles * taken / current.instructions;
    if (++taken < current.instructions)
      continue;
    results[current.id] = now + current.tail;
    if (ended)
      ended(current, now);
  }
}

int64_t DotQueue::issued(int64_t id) const {
  if (!depth)
    return 0;
  if (auto known = entered.find(id); known != entered.end())
    return known->second;
  int64_t ahead = current.instructions - taken;
  for (const Dot &dot : waiting)
    ahead += dot.instructions;
  if (ahead <= depth)
    return 0;
  DotQueue later = *this;
  later.run(never);
  return later.entered[id];
}

int64_t DotQueue::done(int64_t id) const {
  if (auto known = results.find(id); known != results.end())
    return known->second;
  DotQueue later = *this;
  later.run(never);
  return later.results[id];
}

bool DotQueue::busy(int64_t time) const {
  DotQueue later = *this;
  later.run(time + 1);
  return later.now > time;
}

void DotQueue::hinder(int64_t time, int64_t cycles) {
  if (busy(time))
    stops.insert(std::upper_bound(stops.begin(), stops.end(), std::pair(time, cycles)), {time, cycles});
}
