//===- DotQueue.cpp - see DotQueue.h ----------------------------------------===//
#include "DotQueue.h"

#include <algorithm>
#include <limits>

using namespace heddle::sim;

void DotQueue::run(State &s, int64_t until, int64_t depth,
                   const std::function<void(const Dot &, const Times &)> &known) {
  while (true) {
    if (s.taken == s.current.instructions) {
      auto next = std::min_element(s.waiting.begin(), s.waiting.end(),
                                   [](const Dot &a, const Dot &b) { return a.arrival < b.arrival; });
      if (next == s.waiting.end() || std::max(s.now, next->arrival) >= until)
        return;
      s.now = std::max(s.now, next->arrival);
      s.current = *next;
      s.current.begin = s.now;
      s.taken = 0;
      s.waiting.erase(next);
    }
    if (s.now >= until)
      return;
    if (!s.stops.empty() && s.stops.front().first <= s.now) {
      s.now += s.stops.front().second;
      s.stops.erase(s.stops.begin());
      continue;
    }
    // The last instruction enters when so many are left that the queue holds them.
    int64_t left = s.current.instructions - s.taken;
    if (left == depth || (s.taken == 0 && left < depth))
      known(s.current, {s.now, -1});
    s.now +=
        s.current.cycles * (s.taken + 1) / s.current.instructions - s.current.cycles * s.taken / s.current.instructions;
    if (++s.taken == s.current.instructions)
      known(s.current, {-1, s.now});
  }
}

void DotQueue::run(int64_t until, const std::function<void(const Dot &, int64_t)> &ended) {
  run(state, until, depth, [&](const Dot &dot, const Times &now) {
    Times &of = times[dot.id];
    if (now.issued >= 0)
      of.issued = now.issued;
    if (now.done < 0)
      return;
    of.done = now.done + dot.tail;
    if (ended)
      ended(dot, now.done);
  });
}

DotQueue::Times DotQueue::timesOf(int64_t id) const {
  auto at = times.find(id);
  Times of = at == times.end() ? Times() : at->second;
  State later = state;
  if (of.done < 0)
    run(later, std::numeric_limits<int64_t>::max(), depth, [&](const Dot &dot, const Times &now) {
      if (dot.id != id)
        return;
      if (now.issued >= 0)
        of.issued = now.issued;
      if (now.done >= 0)
        of.done = now.done + dot.tail;
    });
  return of;
}

int64_t DotQueue::issued(int64_t id) const {
  int64_t all = state.current.instructions - state.taken;
  for (const Dot &dot : state.waiting)
    all += dot.instructions;
  return depth && all > depth ? timesOf(id).issued : 0;
}

int64_t DotQueue::done(int64_t id) const { return timesOf(id).done; }

bool DotQueue::busy(int64_t time) const {
  if (state.now > time)
    return true;
  State later = state;
  run(later, time + 1, depth, [](const Dot &, const Times &) {});
  return later.now > time;
}

void DotQueue::hinder(int64_t time, int64_t cycles) {
  if (busy(time))
    state.stops.insert(std::upper_bound(state.stops.begin(), state.stops.end(), Stop(time, cycles)), {time, cycles});
}
