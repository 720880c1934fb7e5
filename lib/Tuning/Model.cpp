//===- Model.cpp - how long a candidate kernel should take -----------------===//
//
// What:      see Model.h. Numbers of the machine are properties of its file; a property that a file lacks leaves its
//            term out.
//
//===----------------------------------------------------------------------===//
#include "heddle/Tuning/Model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle {

const char *timePartName(TimePart part) {
  switch (part) {
  case TimePart::Multiprocessors: return "multiprocessors";
  case TimePart::Memory: return "memory";
  }
  return "";
}

namespace {
/// How far multiprocessors drift apart in so many rounds, of 1. A rule between two points: products of 16 to 32 rounds
/// run by a counter at 0.93 to 1.00 of their speed by a stride (8-bit ones at 1.00 to 1.07), those of 135 and 271
/// rounds mostly faster (h100.json). No others were measured.
double driftOf(double rounds) {
  constexpr double noneUntil = 32;
  return std::max(0.0, 1 - noneUntil / std::max(rounds, 1.0));
}

/// `amount` at `rate` a cycle; 0 where the machine says no rate.
double cyclesOf(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

/// Demands on one time that are met side by side: the largest, and more where others are close to it.
double together(std::initializer_list<double> demands) {
  constexpr double power = 4;
  double sum = 0;
  for (double demand : demands)
    sum += std::pow(std::max(demand, 0.0), power);
  return std::pow(sum, 1 / power);
}
} // namespace

Prediction predict(const KernelWork &work, const Machine &machine) {
  auto property = [&](const char *name) { return static_cast<double>(machine.property(name, 0)); };
  double multiprocessors = std::max(1.0, property("sms"));
  Prediction out;
  out.rounds = std::ceil(work.programs / multiprocessors);

  // One program on its multiprocessor.
  double ramp = 0;
  for (const LoopWork &loop : work.loops) {
    double delivered = cyclesOf(1e3 * loop.loadLines, property("l2_lines_per_1000_cycles_sm"));
    double shared = cyclesOf(loop.smemBytes, property("smem_banks_bytes"));
    // A slot is filled again once the iteration behind its own has begun.
    double inTurn = loop.loadBytes > 0 ? (loop.loadLatency + loop.interval) / std::max(1.0, loop.depth - 1) : 0;
    double interval = loop.interval * (loop.multicast ? 1 + property("multicast_per_mille") / 1000 : 1);
    out.loopCycles += loop.trips * std::max({interval, delivered, shared, inTurn});
    if (loop.trips > 0)
      out.exposedCycles += loop.drain;
    ramp += loop.trips > 0 ? loop.loadLatency : 0;
  }
  out.exposedCycles += work.straight;
  if (work.persistent && work.inFlight == 1) // stores drain, and the products of the next one have to begin again
    out.exposedCycles += property("between_programs_cycles");
  double start = property("program_cycles") + ramp;
  double alone = out.loopCycles + out.exposedCycles; // of those in flight one is in its loops
  double cycles = out.rounds * work.uneven * std::max({out.loopCycles, alone / work.inFlight, work.busiest});
  cycles += work.inFlight > 1 ? out.exposedCycles : 0; // of the last one
  cycles += work.persistent ? start : out.rounds * start;
  if (!work.persistent)
    out.exposedCycles += start;

  // Beside it, device memory, which all share. By a stride multiprocessors drift apart, and what they read and write
  // lies farther and farther apart; a counter keeps them side by side.
  double memory = cyclesOf(work.memoryBytes, property("memory_bytes_per_cycle"));
  if (work.counted)
    memory /= 1 + property("counter_memory_per_mille") / 1000 * driftOf(out.rounds);
  double all = together({cycles, memory});
  out.part = cycles >= memory ? TimePart::Multiprocessors : TimePart::Memory;

  // Energy of the whole against what the limit allows in this time; a femtojoule in a nanosecond is a microwatt.
  double nanoseconds = all * 1e3 / static_cast<double>(machine.property("boost_mhz", machine.clockMHz()));
  if (double limit = property("power_watts"); limit > 0) {
    double femtojoules = work.programs * (work.flops * property("flop_femtojoules") +
                                          work.smemBytes * property("smem_byte_femtojoules") +
                                          work.l2Bytes * property("l2_byte_femtojoules")) +
                         work.memoryBytes * property("memory_byte_femtojoules");
    out.power = (femtojoules * 1e-6 / nanoseconds + property("idle_watts")) / limit;
    // The voltage goes with the clock, so that power goes with its third power.
    if (out.power > 1)
      nanoseconds *= std::cbrt(out.power);
  }
  out.milliseconds = nanoseconds * 1e-6 + property("launch_nanoseconds") * 1e-6;

  if (double flops = work.flops; flops > 0) {
    out.issuePerFlop = work.issue / flops;
    out.smemPerFlop = work.smemBytes / flops;
    out.l2PerFlop = work.l2Bytes / flops;
    out.memoryPerFlop = work.memoryBytes / (work.programs * flops);
  }
  return out;
}

bool gainsFromInOrder(const Prediction &prediction) {
  return prediction.part == TimePart::Memory && driftOf(prediction.rounds) > 0;
}

std::vector<size_t> rank(const std::vector<Prediction> &predictions) {
  std::vector<size_t> order(predictions.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return predictions[a].milliseconds < predictions[b].milliseconds; });
  // Runs of equal times, each measured from its first, by weight. (Equality within a share is no order by itself.)
  auto weight = [&](size_t i) {
    const Prediction &p = predictions[i];
    return p.power > 0 ? p.power * p.milliseconds : p.smemPerFlop + p.l2PerFlop + p.memoryPerFlop;
  };
  for (size_t begin = 0, end; begin < order.size(); begin = end) {
    double most = predictions[order[begin]].milliseconds * (1 + tieShare);
    for (end = begin + 1; end < order.size() && predictions[order[end]].milliseconds <= most;)
      ++end;
    std::stable_sort(order.begin() + static_cast<long>(begin), order.begin() + static_cast<long>(end),
                     [&](size_t a, size_t b) { return weight(a) < weight(b); });
  }
  return order;
}

} // namespace heddle
