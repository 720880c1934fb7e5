//===- Barriers.cpp - named barriers, mbarriers, exchange between lanes -------------------------===//
//
// What: what threads wait for each other with. Verifies: counts (of named barriers: equal at every arrival and whole
//       warps), an mbarrier's arrivals and bytes, initialisation with its fence before use, lanes that meet at one
//       line.
//
//===--------------------------------------------------------------------------------------------===//
#include "Cta.h"

#include <bit>

namespace heddle::emulation {
namespace {

Warp &warp() { return cta->warps[current->index / 32]; }

void settle(uint32_t bar, Mbarrier &b, int line) {
  if (b.pending < 0)
    fault("more arrivals than the " + std::to_string(b.count) + " that the mbarrier at shared address " +
              std::to_string(bar) + " counts",
          line);
  if (b.pending == 0 && b.bytes < 0)
    fault("more bytes landed than the mbarrier at shared address " + std::to_string(bar) + " expects, by " +
              std::to_string(-b.bytes),
          line);
  if (b.pending == 0 && b.bytes == 0) {
    ++b.phase;
    b.pending = b.count;
    b.gathering.seen.resize(cta->threads[0].clock.seen.size());
    b.gathering.seen[b.agent] = static_cast<uint32_t>(b.phase);
    b.done = b.gathering;
  }
}

/// Arrives once; the last of `expected` opens the next generation.
void arrive(Meeting &meeting, int expected, int line, bool orders) {
  if (meeting.arrived > 0 && meeting.expected != expected)
    fault("expected the barrier's count " + std::to_string(meeting.expected) + " of line " +
              std::to_string(meeting.line) + ", got " + std::to_string(expected),
          line);
  meeting.expected = expected;
  meeting.line = line;
  if (orders)
    release(*current, meeting.gathering);
  if (++meeting.arrived == expected) {
    meeting.arrived = 0;
    ++meeting.generation;
    if (orders)
      std::swap(meeting.released[meeting.generation % 2], meeting.gathering);
    meeting.gathering = Clock();
  }
}

void meet(Meeting &meeting, int threads, int line, bool orders = true) {
  Thread &self = *current;
  self.wait = Thread::Wait::Meeting;
  self.meeting = &meeting;
  self.target = meeting.generation + 1;
  arrive(meeting, threads, line, orders);
  block();
  if (orders)
    self.clock.join(meeting.released[self.target % 2]);
}

} // namespace

void meetLanes(Meeting &meeting, int line, bool orders) {
  if (meeting.arrived > 0 && meeting.line != line)
    fault("the lanes of a warp meet at different instructions: lines " + std::to_string(meeting.line) + " and " +
              std::to_string(line),
          line);
  meet(meeting, 32, line, orders);
}

void checkRunning(int line) {
  if (!cta->running)
    fault("an access to the shared memory of CTA (" + std::to_string(cta->block.x) + ", " +
              std::to_string(cta->block.y) + ", " + std::to_string(cta->block.z) + "), which has ended",
          line);
}

Mbarrier &usableMbarrier(uint32_t bar, int line) {
  checkRunning(line);
  auto found = cta->mbarriers.find(bar);
  if (found == cta->mbarriers.end())
    fault("expected an initialised mbarrier at shared address " + std::to_string(bar) + ", got none", line);
  Mbarrier &b = found->second;
  if (current->component != b.initThread && (!b.fenced || current->clock.seen[b.initThread] < b.initNumber))
    fault("the mbarrier at shared address " + std::to_string(bar) +
              " is used by another thread than its initialiser's, without a fence after its "
              "initialisation and a barrier after the fence",
          line);
  return b;
}

void landed(uint32_t bar, int64_t bytes, int line) {
  auto found = cta->mbarriers.find(bar);
  if (found == cta->mbarriers.end())
    fault("expected an initialised mbarrier at shared address " + std::to_string(bar) + ", got none", line);
  found->second.bytes -= bytes;
  settle(bar, found->second, line);
}

void landedLast(uint32_t bar, int line) {
  Mbarrier &b = cta->mbarriers.at(bar);
  --b.pending;
  settle(bar, b, line);
}

PassedWait *passedByWarp(const Thread &thread) {
  Warp &warp = cta->warps[thread.index / 32];
  if (thread.barWaits < warp.firstPassed || thread.barWaits - warp.firstPassed >= warp.passed.size())
    return nullptr;
  PassedWait &passed = warp.passed[thread.barWaits - warp.firstPassed];
  bool same = passed.bar == thread.bar && passed.parity == thread.target && passed.line == thread.line;
  return same ? &passed : nullptr;
}

bool satisfied(const Thread &thread) {
  switch (thread.wait) {
  case Thread::Wait::None: return true;
  case Thread::Wait::Meeting: return thread.meeting->generation >= thread.target;
  case Thread::Wait::Mbarrier:
    return (cta->mbarriers.at(thread.bar).phase & 1) != thread.target || passedByWarp(thread);
  case Thread::Wait::Wgmma: return cta->warpgroups[thread.index / 128].complete >= thread.target;
  case Thread::Wait::Bulk: return (thread.readOnly ? thread.bulkRead : thread.bulkComplete) >= thread.target;
  case Thread::Wait::Registers: {
    const Warp &warp = cta->warps[thread.index / 32];
    return warp.asked <= warp.registers || cta->registerPool >= (warp.asked - warp.registers) * 32;
  }
  }
  return true;
}

std::string describeWait(const Thread &thread) {
  switch (thread.wait) {
  case Thread::Wait::None: return "runs";
  case Thread::Wait::Meeting:
    return "waits at a barrier of " + std::to_string(thread.meeting->expected) + " threads, " +
           std::to_string(thread.meeting->arrived) + " arrived";
  case Thread::Wait::Mbarrier: {
    const Mbarrier &b = cta->mbarriers.at(thread.bar);
    return "waits for parity " + std::to_string(thread.target) + " of the mbarrier at shared address " +
           std::to_string(thread.bar) + ": phase " + std::to_string(b.phase) + ", " + std::to_string(b.pending) +
           " of " + std::to_string(b.count) + " arrivals and " + std::to_string(b.bytes) + " bytes missing";
  }
  case Thread::Wait::Wgmma: return "waits for a wgmma group that not all threads of its warp group have committed";
  case Thread::Wait::Bulk: return "waits for copies to global memory";
  case Thread::Wait::Registers: return "waits for registers that no warp gives back";
  }
  return "";
}

} // namespace heddle::emulation

using namespace heddle::emulation;

namespace hdemu {

int electedLane(Line line) {
  at(line);
  return 0;
}

uint32_t exchange(uint32_t value, int lane, Line line) {
  Thread &self = at(line, value, lane);
  Warp &w = warp();
  // Two sets of slots: a lane can be one exchange ahead of another, not two.
  uint32_t *values = w.values[w.exchange.generation % 2];
  values[self.index % 32] = value;
  meetLanes(w.exchange, line.number, false);
  return values[lane];
}

void warpSync(Line line) {
  at(line);
  meetLanes(warp().sync, line.number, true);
}

void namedBarrier(int id, int threads, bool waits, Line line) {
  at(line, id, threads, waits);
  if (id < 0 || id > 15)
    fault("expected a barrier 0 to 15, got " + std::to_string(id), line.number);
  if (threads <= 0 || threads % 32 || threads > static_cast<int>(blockDim.x))
    fault("expected a barrier's count to be a multiple of 32 up to " + std::to_string(blockDim.x) + ", got " +
              std::to_string(threads),
          line.number);
  if (waits)
    meet(cta->barriers[id], threads, line.number);
  else
    arrive(cta->barriers[id], threads, line.number, true);
}

void mbarrierInit(uint32_t bar, uint32_t count, Line line) {
  at(line, bar, count);
  shared(bar, 8, line.number);
  if (bar % 8)
    fault("expected an mbarrier at a multiple of 8, got shared address " + std::to_string(bar), line.number);
  if (count < 1 || count > 0xfffff)
    fault("expected an mbarrier's count to be 1 to 2^20 - 1, got " + std::to_string(count), line.number);
  if (cta->mbarriers.count(bar))
    fault("the mbarrier at shared address " + std::to_string(bar) + " is initialised twice", line.number);
  cta->shadow.reserve(bar, 8, line.number);
  Mbarrier &b = cta->mbarriers[bar];
  b.count = b.pending = static_cast<int>(count);
  b.initThread = current->component;
  b.agent = newAgent(1);
}

void mbarrierFenceInit(Line line) {
  Thread &self = at(line);
  for (auto &[bar, b] : cta->mbarriers)
    if (b.initThread == self.component && !b.fenced) {
      b.fenced = true;
      b.initNumber = self.clock.seen[self.component];
    }
  ++self.clock.seen[self.component];
}

void mbarrierArrive(uint32_t bar, uint32_t expectedBytes, Line line) {
  at(line, bar, expectedBytes);
  Mbarrier &b = usableMbarrier(bar, line.number);
  b.bytes += expectedBytes;
  if (b.bytes >= 1 << 20)
    fault("expected fewer than 2^20 bytes at an mbarrier, got " + std::to_string(b.bytes), line.number);
  --b.pending;
  release(*current, b.gathering);
  settle(bar, b, line.number);
}

bool mbarrierTest(uint32_t bar, uint32_t parity, Line line) {
  Thread &self = at(line, bar, parity);
  const Mbarrier &b = usableMbarrier(bar, line.number);
  if ((b.phase & 1) == parity)
    return false;
  self.clock.join(b.done);
  return true;
}

void mbarrierWait(uint32_t bar, uint32_t parity, Line line) {
  Thread &self = at(line, bar, parity);
  usableMbarrier(bar, line.number);
  if (parity > 1)
    fault("expected a parity of 0 or 1, got " + std::to_string(parity), line.number);
  self.wait = Thread::Wait::Mbarrier;
  self.bar = bar;
  self.target = parity;
  block();
  Warp &warp = cta->warps[self.index / 32];
  if (PassedWait *passed = passedByWarp(self)) {
    self.clock.join(passed->done);
    ++passed->lanes;
  } else {
    const Clock &done = cta->mbarriers.at(bar).done;
    self.clock.join(done);
    if (self.barWaits == warp.firstPassed + warp.passed.size()) // where lanes part, each asks by itself
      warp.passed.push_back({bar, parity, self.line, 1, done});
  }
  ++self.barWaits;
  constexpr size_t most = 64; // of a lane that runs alone
  while (!warp.passed.empty() && (warp.passed.front().lanes == 32 || warp.passed.size() > most)) {
    warp.passed.pop_front();
    ++warp.firstPassed;
  }
}

void clusterArrive(Line line) {
  Thread &self = at(line);
  if (self.clusterTarget)
    fault("a thread arrives at the cluster's barrier twice without a wait between", line.number);
  self.clusterTarget = clusterMeeting.generation + 1;
  arrive(clusterMeeting, static_cast<int>(cluster.size() * cta->threads.size()), line.number, true);
}

void clusterWait(Line line) {
  Thread &self = at(line);
  if (!self.clusterTarget)
    fault("a wait at the cluster's barrier without an arrival before it", line.number);
  self.wait = Thread::Wait::Meeting;
  self.meeting = &clusterMeeting;
  self.target = self.clusterTarget;
  block();
  self.clock.join(clusterMeeting.released[self.target % 2]);
  self.clusterTarget = 0;
}

uint32_t clusterRank() { return static_cast<uint32_t>(cta->rank); }
uint32_t clusterSize() { return static_cast<uint32_t>(cluster.size()); }

void mbarrierArriveAt(uint32_t bar, uint32_t rank, Line line) {
  if (rank >= cluster.size())
    fault("expected a rank below the cluster's " + std::to_string(cluster.size()) + ", got " + std::to_string(rank),
          line.number);
  note(rank);
  InCta there(static_cast<int>(rank));
  mbarrierArrive(bar, 0, line);
}

void fenceProxyAsync(Line line) {
  Thread &self = at(line);
  self.clock.fenced[self.component] = self.clock.seen[self.component];
  for (const auto &[bar, b] : cta->mbarriers)
    if (b.copied) { // what threads copied, and this one has waited for
      self.clock.fenced.resize(self.clock.seen.size());
      self.clock.fenced[b.agent] = self.clock.seen[b.agent];
    }
  ++self.clock.seen[self.component]; // later writes are not behind this fence
}

void setRegisters(int count, bool increase, Line line) {
  Thread &self = at(line, count, increase);
  Warp &w = warp();
  meetLanes(w.sync, line.number, true);
  // The first lane that goes on acts for its warp.
  if (increase ? count < w.registers : count > w.registers)
    fault(std::string("expected setmaxnreg to ") + (increase ? "raise" : "lower") + " a warp's " +
              std::to_string(w.registers) + " registers, got " + std::to_string(count),
          line.number);
  w.asked = count;
  self.wait = Thread::Wait::Registers;
  block();
  if (w.registers != count) {
    cta->registerPool -= (count - w.registers) * 32;
    w.registers = count;
  }
}

void unsupported(const char *what, Line line) {
  fault(std::string("expected instructions that are emulated, got a ") + what, line.number);
}

} // namespace hdemu
