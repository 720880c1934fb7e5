//===- Replay.cpp - see Replay.h --------------------------------------------===//
//
// Algorithm: one of the four schedulers of a multiprocessor, cycle by cycle, with one warp of each group that
//            computes; the other three run the same code beside it. A scheduler issues one instruction a cycle, of the
//            warp that has waited longest. What an instruction waits for is what the assembler wrote: cycles behind
//            the one before, and scoreboards. Pipes, the queue of the tensor core, barriers and the copy engine are
//            modelled:
//            - a pipe takes an instruction each so many cycles, more while the tensor core works; what the machine file
//              says of tiles (`hold`, `beside`) is taken for one instruction;
//            - arithmetic at the full rate takes cycles from the tensor core, in turn with it for each warp;
//            - products go through one queue in the order of issue; those of one group follow each other;
//            - loads of a ring go out in the order of the load group's loop, each when its slot is free.
// Limits:    the begin and the end of loops are not replayed. Waits take up to `unevenness` cycles longer, by a fixed
//            random sequence: what other multiprocessors do to L2, and warps of a group to each other, is not known,
//            and without it groups stay in step as they do on no card. docs/Truth.md says how far predictions are off.
//
//===----------------------------------------------------------------------===//
#include "heddle/Simulator/MachineCode/Replay.h"

#include "LoopCode.h"
#include "Rates.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <random>

namespace heddle::sim {

namespace {
constexpr double never = std::numeric_limits<double>::infinity();
constexpr double unitQueue = 8; // cycles ahead of which a unit takes an instruction
constexpr int64_t warmUp = 16, iterations = 96;

/// A group of products that is waited for as a whole.
struct ProductGroup {
  int64_t number = 0;
  int64_t left = 0; ///< instructions that have not ended
  bool closed = false;
  double done = never;
};

struct Warp {
  const GroupCode *code = nullptr;
  size_t at = 0; ///< next step
  double ready = 0, lastIssue = -1, lastFma = -never;
  double scoreboards[6] = {};
  std::deque<std::shared_ptr<ProductGroup>> groups;
  std::shared_ptr<ProductGroup> open; ///< not yet committed
  std::map<int64_t, int64_t> waited;  ///< by barrier
  std::vector<double> begins;         ///< of iterations
};

struct QueuedProduct {
  std::shared_ptr<ProductGroup> group;
  Warp *warp = nullptr;
  double left = 0, tail = 0;
  int readsOperands = -1; ///< scoreboard of its warp
  bool fromRegisters = false;
};

/// A wait that has been issued and whose phase is not known to end.
struct PendingWait {
  size_t warp = 0;
  int scoreboard = -1;
  int64_t barrier = 0, phase = 0;
  double issued = 0;
};

class Scheduler {
public:
  Scheduler(const LoopCode &code, const CodeKernel &kernel, const Rates &rates);
  ReplayedLoop run();

private:
  bool canIssue(Warp &warp, double &when);
  void issue(size_t index);
  void advanceTensorCore(double cycles, double from);
  bool tensorCoreWorks() const { return current.group || !queue.empty(); }
  std::optional<double> endOfPhase(int64_t barrier, int64_t phase, size_t warp);
  void load();
  void settleWaits();
  double unevenly(double time) { return time + rates.unevenness * random() / static_cast<double>(random.max()); }
  Pipe pipeOf(const Step &step) const;

  const LoopCode &code;
  const CodeKernel &kernel;
  const Rates &rates;
  std::vector<Warp> warps;
  std::map<StepKind, double> pipes;                                  ///< free from
  std::map<int64_t, std::map<size_t, std::vector<double>>> arrivals; ///< by barrier and warp
  std::map<int64_t, std::vector<double>> landings;                   ///< by barrier
  std::vector<PendingWait> pending;
  std::deque<QueuedProduct> queue;
  QueuedProduct current;
  int64_t last = 0, groupsBegun = 0; ///< group of the product that was executed last
  double now = 0, progress = 0, busy = 0, storesDone = 0;
  bool tookCycle = false; ///< arithmetic has taken this cycle from the tensor core
  size_t copies = 0;      ///< issued
  double loaderFree = 0, engineFree = 0;
  std::minstd_rand random{1};
};
} // namespace

Scheduler::Scheduler(const LoopCode &code, const CodeKernel &kernel, const Rates &rates)
    : code(code), kernel(kernel), rates(rates), warps(code.groups.size()) {
  for (size_t w = 0; w < warps.size(); ++w) {
    warps[w].code = &code.groups[w];
    warps[w].waited = code.groups[w].waited;
    for (const Step &step : code.groups[w].steps)
      if (step.kind == StepKind::BarrierArrive && step.barrier >= 0 && !arrivals[step.barrier].count(w)) {
        auto before = code.groups[w].arrived.find(step.barrier);
        arrivals[step.barrier][w].assign(before == code.groups[w].arrived.end() ? 0 : before->second, 0.0);
      }
  }
}

/// The load group, as far as it is known when slots become free.
void Scheduler::load() {
  while (!code.copies.empty() && copies < code.copies.size() * 4 * (warmUp + iterations)) {
    int64_t full = code.copies[copies % code.copies.size()], empty = emptyOf(kernel, full);
    auto use = static_cast<int64_t>(copies / code.copies.size());
    double free = 0;
    int64_t before = use - kernel.barriers[full].slots;
    for (auto &[warp, times] : arrivals[empty]) {
      if (before >= static_cast<int64_t>(times.size()))
        return;
      if (before >= 0)
        free = std::max(free, times[before] + rates.arrive);
    }
    auto bytes = static_cast<double>(std::max<int64_t>(kernel.barriers[full].bytes, 512));
    loaderFree = std::max(loaderFree, free) + rates.issueOfLoad;
    engineFree = std::max(engineFree, loaderFree) + bytes / rates.loadBytes;
    // Copies of one phase land one after the other.
    double each = bytes / static_cast<double>(kernel.barriers[full].copies);
    double latency = rates.loadLatency + each * rates.loadLatencyOfByte + (bytes - each) / rates.copyBytes;
    double landed = std::max(engineFree, loaderFree + latency);
    landings[full].push_back(before < 0 ? 0 : landed); // the first ones are there when the loop begins
    ++copies;
  }
}

/// When phase `phase` (from 0) that `warp` waits for has ended; none: not yet known.
std::optional<double> Scheduler::endOfPhase(int64_t barrier, int64_t phase, size_t warp) {
  if (barrier < 0)
    return 0;
  if (std::find(code.copies.begin(), code.copies.end(), barrier) != code.copies.end()) {
    load();
    const std::vector<double> &known = landings[barrier];
    return phase < static_cast<int64_t>(known.size()) ? std::optional<double>(known[phase]) : std::nullopt;
  }
  auto found = arrivals.find(barrier);
  if (found == arrivals.end())
    return 0;
  const CodeBarrier &of = kernel.barriers[barrier];
  if (isOrder(of)) { // behind the group before, or the last one's round before
    size_t before = (warp + warps.size() - 1) % warps.size();
    int64_t round = warp == 0 ? phase - 1 : phase;
    const std::vector<double> &left = found->second[before];
    if (round < 0)
      return 0;
    return round < static_cast<int64_t>(left.size()) ? std::optional<double>(left[round] + rates.arrive) : std::nullopt;
  }
  bool frees = of.name.ends_with(".empty");
  int64_t wanted = phase - (frees ? of.slots : 0);
  double end = 0;
  for (auto &[other, times] : found->second) {
    if (wanted >= static_cast<int64_t>(times.size()))
      return std::nullopt;
    if (wanted >= 0)
      end = std::max(end, times[wanted] + rates.arrive);
  }
  return end;
}

void Scheduler::settleWaits() {
  auto settled = [&](const PendingWait &wait) {
    std::optional<double> end = endOfPhase(wait.barrier, wait.phase, wait.warp);
    if (end && wait.scoreboard >= 0)
      warps[wait.warp].scoreboards[wait.scoreboard] = unevenly(std::max(*end + rates.wake, wait.issued + rates.pass));
    return end.has_value();
  };
  pending.erase(std::remove_if(pending.begin(), pending.end(), settled), pending.end());
}

Pipe Scheduler::pipeOf(const Step &step) const {
  switch (step.kind) {
  case StepKind::Alu:
  case StepKind::Multiply: return rates.alu;
  case StepKind::Special: return rates.special;
  case StepKind::Exchange: return rates.exchange;
  case StepKind::SharedRead: return rates.reads.at(step.bits);
  case StepKind::SharedWrite:
    return (current.group && current.fromRegisters ? rates.writesBesideRegisters : rates.writes).at(step.bits);
  default: return {};
  }
}

/// Exchanges and accesses of shared memory are one pipe.
static StepKind pipeKind(StepKind kind) {
  return kind == StepKind::SharedRead || kind == StepKind::SharedWrite ? StepKind::Exchange : kind;
}

/// Whether `warp` can issue now; else `when` is not later than the first time worth asking again.
bool Scheduler::canIssue(Warp &warp, double &when) {
  const Step &step = warp.code->steps[warp.at];
  double from = warp.ready;
  for (int i = 0; i < 6; ++i)
    if (step.waits >> i & 1)
      from = std::max(from, warp.scoreboards[i]);
  switch (step.kind) {
  case StepKind::Alu:
  case StepKind::Multiply: from = std::max(from, pipes[step.kind]); break;
  case StepKind::Special:
  case StepKind::Exchange:
  case StepKind::SharedRead:
  case StepKind::SharedWrite: from = std::max(from, pipes[pipeKind(step.kind)] - unitQueue); break;
  case StepKind::Fma:
    if (from <= now && tensorCoreWorks() && progress - warp.lastFma < 1)
      from = now + 1;
    break;
  case StepKind::Product:
    if (from <= now && static_cast<int64_t>(queue.size()) + (current.group ? 1 : 0) >= rates.queue)
      from = now + 1;
    break;
  case StepKind::ProductWait:
    for (size_t i = 0; i + step.pending < warp.groups.size(); ++i)
      from = std::max(from, warp.groups[i]->done == never ? now + 1 : warp.groups[i]->done);
    break;
  case StepKind::BulkWait: from = std::max(from, storesDone); break;
  default: break;
  }
  when = std::min(when, from);
  return from <= now;
}

void Scheduler::issue(size_t index) {
  Warp &warp = warps[index];
  const Step &step = warp.code->steps[warp.at];
  bool works = tensorCoreWorks();
  double result = 25, operands = 10;
  warp.lastIssue = now;
  warp.ready = now + step.stall;
  switch (step.kind) {
  case StepKind::Fma:
    warp.lastFma = progress;
    tookCycle = works;
    break;
  case StepKind::Alu:
  case StepKind::Multiply:
  case StepKind::Special:
  case StepKind::Exchange:
  case StepKind::SharedRead:
  case StepKind::SharedWrite: {
    Pipe pipe = pipeOf(step);
    double &free = pipes[pipeKind(step.kind)];
    free = std::max(free, now) + (works ? pipe.beside : pipe.alone);
    operands = free - now + 8;
    result = free - now +
             (step.kind == StepKind::Special    ? rates.specialLatency
              : step.kind == StepKind::Exchange ? rates.exchangeLatency
                                                : rates.readLatency);
    break;
  }
  case StepKind::GlobalRead: result = rates.globalLatency; break;
  case StepKind::Product: {
    auto [cycles, tail] = rates.products.at({step.columns, step.fromRegisters});
    if (!warp.open) {
      warp.open = std::make_shared<ProductGroup>();
      warp.open->number = ++groupsBegun;
    }
    ++warp.open->left;
    queue.push_back({warp.open, &warp, cycles, tail, step.setsOnOperands, step.fromRegisters});
    if (step.endsGroup) {
      warp.open->closed = true;
      warp.groups.push_back(std::move(warp.open));
      warp.open.reset();
    }
    warp.ready = now + std::max<double>(step.stall, cycles / 4);
    operands = never;
    break;
  }
  case StepKind::ProductWait:
    while (static_cast<int64_t>(warp.groups.size()) > step.pending)
      warp.groups.pop_front();
    break;
  case StepKind::BarrierWait:
    pending.push_back({index, step.setsOnResult, step.barrier, warp.waited[step.barrier]++, now});
    result = never;
    break;
  case StepKind::BarrierArrive:
    if (step.barrier >= 0)
      arrivals[step.barrier][index].push_back(now);
    break;
  case StepKind::GroupBarrier: warp.ready = now + rates.groupBarrier; break;
  case StepKind::Fence:
    warp.ready = std::max(now, pipes[StepKind::Exchange]) + rates.fence; // behind the accesses before it
    break;
  case StepKind::BulkStore:
    storesDone =
        std::max(storesDone, now + rates.storeLatency) + static_cast<double>(kernel.storeBytes) / rates.storeBytes;
    break;
  case StepKind::Branch:
    if (warp.at + 1 == warp.code->steps.size())
      warp.ready = now + rates.branch;
    break;
  default: break;
  }
  if (step.setsOnResult >= 0)
    warp.scoreboards[step.setsOnResult] = now + std::max(12.0, result);
  if (step.setsOnOperands >= 0)
    warp.scoreboards[step.setsOnOperands] = now + operands;
  if (step.kind == StepKind::BarrierWait || step.kind == StepKind::BarrierArrive)
    settleWaits();
  if (++warp.at == warp.code->steps.size()) {
    warp.at = 0;
    warp.begins.push_back(now);
  }
}

/// Products for so many cycles from `from` on.
void Scheduler::advanceTensorCore(double cycles, double from) {
  while (cycles > 0 && tensorCoreWorks()) {
    if (!current.group) {
      auto next =
          std::find_if(queue.begin(), queue.end(), [&](const QueuedProduct &one) { return one.group->number == last; });
      next = next == queue.end() ? queue.begin() : next;
      current = std::move(*next);
      queue.erase(next);
      last = current.group->number;
      if (current.readsOperands >= 0)
        current.warp->scoreboards[current.readsOperands] = from + 10;
    }
    double taken = std::min(cycles, current.left);
    current.left -= taken;
    cycles -= taken;
    from += taken;
    busy += taken;
    if (current.left > 1e-9)
      continue;
    --current.group->left;
    if (current.group->closed && current.group->left == 0)
      current.group->done = unevenly(from + current.tail);
    current.group.reset();
  }
}

ReplayedLoop Scheduler::run() {
  constexpr double limit = 4e6; // cycles; a loop that waits for what nobody does would not end
  auto done = [&] {
    return std::all_of(warps.begin(), warps.end(),
                       [](const Warp &warp) { return warp.begins.size() > warmUp + iterations; });
  };
  std::vector<size_t> byAge(warps.size());
  for (size_t i = 0; i < byAge.size(); ++i)
    byAge[i] = i;
  while (!done() && now < limit) {
    std::stable_sort(byAge.begin(), byAge.end(),
                     [&](size_t a, size_t b) { return warps[a].lastIssue < warps[b].lastIssue; });
    double when = never, step = 1;
    tookCycle = false;
    auto next = std::find_if(byAge.begin(), byAge.end(), [&](size_t w) { return canIssue(warps[w], when); });
    if (next != byAge.end())
      issue(*next);
    else
      step = std::ceil(std::clamp(when - now, 1.0, 64.0));
    double given = step - (tookCycle ? 1 : 0);
    progress += given;
    advanceTensorCore(given, now + step - given);
    now += step;
  }
  ReplayedLoop out;
  for (const Warp &warp : warps)
    if (warp.begins.size() > warmUp + 1)
      out.cycles = std::max(out.cycles, (warp.begins.back() - warp.begins[warmUp]) /
                                            static_cast<double>(warp.begins.size() - 1 - warmUp));
  if (!done())
    out.cycles = 0;
  out.products = now > 0 ? busy / now : 0;
  out.instructions = static_cast<int64_t>(warps.front().code->steps.size());
  return out;
}

Result<ReplayedLoop> replayMainLoop(const CodeListing &listing, const CodeKernel &kernel, const Machine &machine) {
  Result<Rates> rates = Rates::of(machine, kernel);
  if (!rates)
    return rates.error();
  Result<LoopCode> code = readMainLoop(listing, kernel);
  if (!code)
    return code.error();
  ReplayedLoop out = Scheduler(*code, kernel, *rates).run();
  if (out.cycles == 0)
    return userError("expected a listing of the kernel's own cubin, whose main loop goes on, got one whose waits never "
                     "end");
  return out;
}

} // namespace heddle::sim
