//===- ProtocolDryRun.cpp - see ProtocolDryRun.h ---------------------------===//
//
// Groups run in turn, each until it waits; a wait ends when the other side's publish or consumed has run. Slots are not
// modelled: use n of a ring of depth d may be acquired when every consumer has consumed use n - d (of a ring in turns:
// one part of them). Vector clocks of the groups tell whether a get in turns comes after a get of use n - d in every
// interleaving.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/ProtocolDryRun.h"

#include "ScalarProgram.h"
#include <numeric>

using namespace mlir;
namespace heddle {

namespace {
struct RingInfo {
  std::string name;
  int64_t depth = 1;
  SmallVector<int> consumers; ///< groups
  int64_t turns = 1;          ///< of the consumers, one part in so many takes a use
  size_t readers() const { return consumers.size() / turns; }
};

/// What a group knows of the others' progress.
using Clock = SmallVector<int64_t, 4>;

struct OrderInfo {
  std::string name;
  int64_t places = 0;
};

/// How far the groups of an order are: leaves of all rounds, in the one order that they can come in.
struct OrderState {
  int64_t left = 0;
  Clock clock; ///< of the last leave
};

/// Barriers of all groups: how many of them every group has passed, and who waits at the next one.
struct MeetingState {
  int64_t passed = 0;
  SmallVector<int> waiting;
  Clock gathering, clock; ///< of those that wait; of the last one
};

struct UseState {
  struct Reader {
    int group;
    int64_t time; ///< the group's own, at the get
    bool done;    ///< consumed
  };
  bool published = false;
  int64_t number = 0; ///< that was put
  Clock clock;        ///< of the publish
  Clock freed;        ///< of the consumed, joined
  SmallVector<Reader, 2> readers;

  Reader *reader(int group) {
    auto found = llvm::find_if(readers, [&](const Reader &reader) { return reader.group == group; });
    return found == readers.end() ? nullptr : found;
  }
  size_t consumed() const {
    return llvm::count_if(readers, [](const Reader &reader) { return reader.done; });
  }
};

/// The uses of one ring in one run.
struct RingState {
  std::vector<UseState> uses; ///< acquired ones
  std::vector<int64_t> next;  ///< by consumer: the use behind the last that it got
};

struct GroupState {
  size_t next = 0;
  int64_t fetched = 0; ///< numbers of programs
  int64_t met = 0;     ///< barriers of all groups
  std::vector<int64_t> values;
  Clock clock;
};

void join(Clock &into, const Clock &other) {
  for (size_t i = 0; i < other.size(); ++i)
    into[i] = std::max(into[i], other[i]);
}

enum class Outcome { Ends, Undefined, TooLong, Wrong };

class DryRun {
public:
  DryRun(warp::KernelOp kernel, const DryRunOptions &options)
      : kernel(kernel), stepsLeft(options.maxSteps), options(options) {}

  LogicalResult run() {
    if (!compile())
      return success();
    chooseCandidates();
    int64_t total = 1;
    for (const auto &values : candidates)
      total = std::min<int64_t>(total * values.size(), INT32_MAX);
    // An even sample where there are too many: steps of a length without common divisor reach every value of each
    // unknown.
    int64_t count = std::min(total, options.maxCombinations), stride = 1;
    if (count < total)
      for (stride = total * 5 / 8; std::gcd(stride, total) != 1;)
        ++stride;
    for (int64_t i = 0; i < count && stepsLeft > 0; ++i) {
      int64_t rest = i * stride % total;
      for (auto [value, values] : llvm::zip(chosen, candidates)) {
        value = values[rest % values.size()];
        rest /= values.size();
      }
      if (!insideGrid())
        continue;
      if (runOnce(std::max<int64_t>(stepsLeft / 8, 1)) == Outcome::Wrong)
        return failure();
    }
    return success();
  }

private:
  //===--- before the runs -----------------------------------------------===//

  bool compile() {
    llvm::DenseMap<Value, int> ringIds;
    for (auto aref : kernel.getBody().getOps<warp::ArefOp>()) {
      ringIds[aref.getResult()] = rings.size();
      rings.push_back({aref.getName().str(),
                       static_cast<int64_t>(aref.getType().getDepth()),
                       {},
                       static_cast<int64_t>(aref.getTurns())});
    }
    for (auto order : kernel.getBody().getOps<warp::OrderOp>()) {
      ringIds[order.getResult()] = orders.size();
      orders.push_back({order.getName().str(), static_cast<int64_t>(order.getType().getPlaces())});
    }
    for (auto group : kernel.getBody().getOps<warp::GroupOp>()) {
      std::optional<ScalarProgram> program = ScalarProgram::compile(group.getBody().front(), {}, ringIds, unknowns);
      if (!program)
        return false;
      meeting += group.getWarps() != 1;
      for (const ProgramStep &step : program->steps)
        if (step.kind == StepKind::Get || step.kind == StepKind::Consumed)
          if (auto &consumers = rings[step.imm].consumers;
              !llvm::is_contained(consumers, static_cast<int>(programs.size())))
            consumers.push_back(programs.size());
      names.push_back(group.getSymName().str());
      programs.push_back(std::move(*program));
    }
    auto grids = kernel.getBody().getOps<tile::GridOp>();
    bool numbered = llvm::any_of(unknowns.list, [](const Unknown &unknown) { return unknown.program >= 0; });
    if (numbered && !grids.empty())
      grid = ScalarProgram::compile(kernel.getBody().front(), (*grids.begin()).getSizes(), llvm::DenseMap<Value, int>(),
                                    unknowns);
    return true;
  }

  void chooseCandidates() {
    int64_t large = unknowns.largestCompared;
    for (const RingInfo &ring : rings)
      large = std::max(large, ring.depth);
    ++large;
    for (const Unknown &unknown : unknowns.list) {
      std::set<int64_t> values{unknown.least};
      std::set<int64_t> granules = unknown.granules;
      if (granules.empty())
        granules.insert(1);
      for (int64_t granule : granules)
        for (int64_t times : {int64_t(1), int64_t(2), large})
          values.insert(granule * times);
      candidates.emplace_back(values.begin(), values.end());
    }
    chosen.assign(candidates.size(), 0);
  }

  void setInputs(const ScalarProgram &program, GroupState &state) const {
    state.next = state.fetched = state.met = 0;
    state.values.assign(program.registers, 0);
    for (auto [reg, unknown] : program.inputs)
      state.values[reg] = chosen[unknown];
  }

  /// What the elements of unknown `view` are at `place`: its values in turn, from the chosen one on.
  int64_t elementAt(int64_t view, int64_t place) const {
    const std::vector<int64_t> &values = candidates[view];
    int64_t first = std::find(values.begin(), values.end(), chosen[view]) - values.begin(), count = values.size();
    return values[(first + (place % count + count) % count) % count];
  }

  bool insideGrid() {
    if (!grid)
      return true;
    GroupState state;
    setInputs(*grid, state);
    int64_t steps = 1 << 16;
    if (advance(*grid, state, -1, steps) != Outcome::Ends)
      return false;
    for (auto [i, unknown] : llvm::enumerate(unknowns.list))
      if (unknown.program >= 0 && unknown.program < static_cast<int>(grid->results.size()) &&
          chosen[i] >= state.values[grid->results[unknown.program]])
        return false;
    return true;
  }

  //===--- one run -------------------------------------------------------===//

  Outcome runOnce(int64_t steps) {
    states.assign(rings.size(), {});
    orderStates.assign(orders.size(), {});
    meetingState = {};
    meetingState.gathering.assign(programs.size(), 0);
    for (auto [ring, state] : llvm::zip(rings, states))
      state.next.assign(ring.consumers.size(), 0);
    std::vector<GroupState> groups(programs.size());
    for (auto [g, program] : llvm::enumerate(programs)) {
      setInputs(program, groups[g]);
      groups[g].clock.assign(programs.size(), 0);
      groups[g].clock[g] = 1;
    }
    int64_t granted = steps;
    Outcome outcome = Outcome::Ends;
    for (bool moved = true; moved && outcome == Outcome::Ends;) {
      moved = false;
      for (size_t g = 0; g < programs.size() && outcome == Outcome::Ends; ++g) {
        size_t before = groups[g].next;
        int64_t left = steps;
        outcome = advance(programs[g], groups[g], g, steps);
        moved |= groups[g].next != before || steps + 1 < left;
      }
    }
    stepsLeft -= granted - steps;
    if (outcome != Outcome::Ends)
      return outcome;
    if (llvm::any_of(llvm::zip(programs, groups),
                     [](auto pair) { return std::get<1>(pair).next < std::get<0>(pair).steps.size(); }))
      return reportDeadlock(groups);
    return checkEnd();
  }

  /// Runs group `g` until it ends or waits.
  Outcome advance(const ScalarProgram &program, GroupState &state, int g, int64_t &steps) {
    std::vector<int64_t> &v = state.values;
    while (state.next < program.steps.size()) {
      if (--steps < 0)
        return Outcome::TooLong;
      const ProgramStep &step = program.steps[state.next];
      size_t next = state.next + 1;
      switch (step.kind) {
      case StepKind::Set: v[step.dst] = step.imm; break;
      case StepKind::Move: v[step.dst] = v[step.a]; break;
      case StepKind::Scalar: {
        std::optional<int64_t> result =
            evaluate(step, v[step.a], step.b < 0 ? 0 : v[step.b], step.c < 0 ? 0 : v[step.c]);
        if (!result)
          return Outcome::Undefined;
        v[step.dst] = *result;
        break;
      }
      case StepKind::LoopHead:
        if (v[step.c] < 1)
          return Outcome::Undefined;
        v[step.dst] = v[step.a];
        if (v[step.a] >= v[step.b])
          next = step.imm;
        break;
      case StepKind::LoopNext:
        v[step.dst] += v[step.c];
        if (v[step.dst] < v[step.b])
          next = step.imm;
        break;
      case StepKind::BranchUnless:
        if (!v[step.a])
          next = step.imm;
        break;
      case StepKind::Jump: next = step.imm; break;
      case StepKind::Element: v[step.dst] = elementAt(step.imm, v[step.a]); break;
      case StepKind::Meet:
        if (!meet(g, state))
          return Outcome::Ends;
        break;
      // As if the blocks took turns: what any of them gets only rises.
      case StepKind::NextProgram: v[step.dst] = v[step.a] + ++state.fetched * v[step.b]; break;
      default: {
        bool waits = false, ordered = step.kind == StepKind::Enter || step.kind == StepKind::Leave;
        if (ordered ? !order(step, v[step.a], g, state.clock, waits) : !ring(step, v[step.a], g, state.clock, waits))
          return Outcome::Wrong;
        if (waits)
          return Outcome::Ends;
        if (step.kind == StepKind::Put)
          states[step.imm].uses[v[step.a]].number = v[step.b];
        else if (step.kind == StepKind::Get && step.dst >= 0)
          v[step.dst] = states[step.imm].uses[v[step.a]].number;
      }
      }
      state.next = next;
    }
    return Outcome::Ends;
  }

  /// Whether group `g` has met the others at its next barrier of all groups.
  bool meet(int g, GroupState &state) {
    MeetingState &all = meetingState;
    if (state.met == all.passed && !llvm::is_contained(all.waiting, g)) {
      all.waiting.push_back(g);
      join(all.gathering, state.clock);
      ++state.clock[g];
      if (all.waiting.size() == meeting) {
        ++all.passed;
        all.waiting.clear();
        all.clock = all.gathering;
      }
    }
    if (state.met == all.passed)
      return false;
    ++state.met;
    join(state.clock, all.clock);
    return true;
  }

  /// Enter or leave of round `n`; false: reported. `waits`: not now.
  bool order(const ProgramStep &step, int64_t n, int g, Clock &clock, bool &waits) {
    const OrderInfo &info = orders[step.imm];
    OrderState &state = orderStates[step.imm];
    int64_t mine = n * info.places + step.b;
    waits = step.kind == StepKind::Enter && state.left < mine;
    if (waits)
      return true;
    if (state.left != mine) {
      step.op->emitError("expected rounds of order \"")
          << info.name << "\" one after the other by @" << names[g] << when() << ", got round " << n << " where "
          << state.left / info.places << " is open";
      return false;
    }
    if (step.kind == StepKind::Enter) {
      join(clock, state.clock);
      return true;
    }
    ++state.left;
    state.clock = clock;
    ++clock[g];
    return true;
  }

  /// One ring operation with use `n`; false: reported. `waits`: not now.
  bool ring(const ProgramStep &step, int64_t n, int g, Clock &clock, bool &waits) {
    const RingInfo &info = rings[step.imm];
    RingState &state = states[step.imm];
    int64_t acquired = state.uses.size();
    auto consumer = std::find(info.consumers.begin(), info.consumers.end(), g) - info.consumers.begin();
    auto wrong = [&](const Twine &expected) {
      step.op->emitError("expected ") << expected << " by @" << names[g] << when() << ", got use " << n;
      return false;
    };
    auto use = [&](int64_t number) { return "use " + std::to_string(number) + " of ring \"" + info.name + "\""; };
    switch (step.kind) {
    case StepKind::Acquire:
      if (n != acquired)
        return wrong("acquire of " + use(acquired));
      waits = isTaken(info, state, n);
      if (waits)
        return true;
      if (n >= info.depth)
        join(clock, state.uses[n - info.depth].freed);
      state.uses.emplace_back();
      return true;
    case StepKind::Put:
      return n >= 0 && n < acquired && !state.uses[n].published
                 ? true
                 : wrong("put to an acquired use of ring \"" + info.name + "\"");
    case StepKind::Publish:
      if (n < 0 || n >= acquired || state.uses[n].published)
        return wrong("publish of an acquired use of ring \"" + info.name + "\"");
      state.uses[n].published = true;
      state.uses[n].clock = clock;
      ++clock[g];
      return true;
    case StepKind::Get: {
      int64_t &next = state.next[consumer];
      if (n != next && (info.turns == 1 || n < next))
        return wrong("get of " + use(next) + (info.turns == 1 ? "" : " or a later one"));
      waits = n >= acquired || !state.uses[n].published;
      if (waits)
        return true;
      if (state.uses[n].readers.size() == info.readers())
        return wrong("get of a use of ring \"" + info.name + "\" that is left");
      auto known = [&](const UseState::Reader &reader) { return reader.time <= clock[reader.group]; };
      if (info.turns > 1 && n >= info.depth && llvm::none_of(state.uses[n - info.depth].readers, known))
        return wrong("get of ring \"" + info.name + "\" after a get of use " + Twine(n - info.depth) +
                     " in every interleaving");
      next = n + 1;
      state.uses[n].readers.push_back({g, clock[g], false});
      join(clock, state.uses[n].clock);
      return true;
    }
    default:
      UseState::Reader *reader = n < 0 || n >= acquired ? nullptr : state.uses[n].reader(g);
      if (!reader || reader->done)
        return wrong("consumed of a use of ring \"" + info.name + "\" that was got");
      reader->done = true;
      state.uses[n].freed.resize(clock.size(), 0);
      join(state.uses[n].freed, clock);
      ++clock[g];
      return true;
    }
  }

  /// True where acquire of `n` has to wait.
  static bool isTaken(const RingInfo &info, const RingState &state, int64_t n) {
    return n >= info.depth && state.uses[n - info.depth].consumed() < info.readers();
  }

  /// The groups that may still read the use that acquire of `n` waits for.
  static SmallVector<int> blockers(const RingInfo &info, RingState &state, int64_t n) {
    return unfinished(info, state.uses[n - info.depth]);
  }

  /// The groups that may still get or consume `use`.
  static SmallVector<int> unfinished(const RingInfo &info, UseState &use) {
    SmallVector<int> groups;
    bool taken = use.readers.size() == info.readers(); // its readers are known
    for (int group : info.consumers)
      if (UseState::Reader *reader = use.reader(group); reader ? !reader->done : !taken)
        groups.push_back(group);
    return groups;
  }

  //===--- reports -------------------------------------------------------===//

  /// " when M = 128, program 0 = 1"; nothing where all is known.
  std::string when() const {
    std::string text;
    for (auto [unknown, value] : llvm::zip(unknowns.list, chosen))
      text += (text.empty() ? " when " : ", ") + unknown.name + " = " + std::to_string(value);
    return text;
  }

  std::string waitOf(const ProgramStep &step, int64_t n, int g) {
    if (step.kind == StepKind::Meet)
      return "@" + names[g] + " waiting at a barrier of all groups";
    if (step.kind == StepKind::Enter)
      return "@" + names[g] + " waiting to enter round " + std::to_string(n) + " of order \"" + orders[step.imm].name +
             "\" at place " + std::to_string(step.b);
    const RingInfo &info = rings[step.imm];
    std::string use = "use " + std::to_string(n) + " of ring \"" + info.name + "\"";
    if (step.kind == StepKind::Get)
      return "@" + names[g] + " waiting to get " + use + " (not published)";
    std::string text = "@" + names[g] + " waiting to acquire " + use + " (use " + std::to_string(n - info.depth) +
                       " is not consumed by";
    for (int group : blockers(info, states[step.imm], n))
      text += (text.back() == 'y' ? " @" : ", @") + names[group];
    return text + ")";
  }

  Outcome reportDeadlock(const std::vector<GroupState> &groups) {
    std::string waits;
    SmallVector<std::pair<Operation *, std::string>> stuck;
    for (auto [g, state] : llvm::enumerate(groups)) {
      if (state.next == programs[g].steps.size())
        continue;
      const ProgramStep &step = programs[g].steps[state.next];
      stuck.push_back({step.op, waitOf(step, step.a < 0 ? 0 : state.values[step.a], g)});
      waits += (waits.empty() ? " " : "; ") + stuck.back().second;
    }
    InFlightDiagnostic diag = stuck.front().first->emitError("deadlock: expected some group to go on")
                              << when() << ", got" << waits;
    for (auto &[op, text] : llvm::drop_begin(stuck))
      diag.attachNote(op->getLoc()) << text;
    return Outcome::Wrong;
  }

  /// Nothing may be open at the end.
  Outcome checkEnd() {
    for (auto [info, state] : llvm::zip(rings, states)) {
      auto wrong = [&](int64_t use, const Twine &what) {
        kernel.emitError("expected use ")
            << use << " of ring \"" << info.name << "\" to be " << what << when() << ", got the end";
        return Outcome::Wrong;
      };
      for (auto [n, use] : llvm::enumerate(state.uses)) {
        if (!use.published)
          return wrong(n, "published");
        for (int group : unfinished(info, use))
          return wrong(n, Twine(use.reader(group) ? "consumed" : "got") + " by @" + names[group]);
      }
    }
    for (auto [info, state] : llvm::zip(orders, orderStates))
      if (state.left % info.places) {
        kernel.emitError("expected every place of order \"")
            << info.name << "\" to leave round " << state.left / info.places << when() << ", got the end";
        return Outcome::Wrong;
      }
    return Outcome::Ends;
  }

  warp::KernelOp kernel;
  std::vector<RingInfo> rings;
  std::vector<OrderInfo> orders;
  std::vector<OrderState> orderStates;
  size_t meeting = 0; ///< groups at a barrier of all groups
  MeetingState meetingState;
  std::vector<std::string> names; ///< of groups
  std::vector<ScalarProgram> programs;
  std::optional<ScalarProgram> grid;
  Unknowns unknowns;
  std::vector<std::vector<int64_t>> candidates;
  std::vector<int64_t> chosen; ///< by unknown
  std::vector<RingState> states;
  int64_t stepsLeft;
  const DryRunOptions &options;
};
} // namespace

LogicalResult dryRunProtocol(warp::KernelOp kernel, const DryRunOptions &options) {
  return DryRun(kernel, options).run();
}

} // namespace heddle
