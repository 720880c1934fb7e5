//===- WarpEngine.h - One CTA of the asynchronous interpreter ---------------===//
//
// What:   the state of one CTA (groups with their program counters, clocks and values; rings; units) and one step of
//         one group.
// How:    a group is an explicit stack of blocks, so a blocked op is simply tried again after some group has published
//         or consumed. The group with the smallest clock steps first (ties: program order), so units are granted in
//         time order and runs repeat exactly. The CTAs of a cluster run as one: their groups are chosen among together,
//         their clocks have a component for every group of the cluster, and a multicast copy reaches into the memory
//         of each.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SIMULATOR_TIMING_WARPENGINE_H
#define HEDDLE_LIB_SIMULATOR_TIMING_WARPENGINE_H

#include "DotQueue.h"
#include "WarpGlobal.h"
#include "WarpMemory.h"
#include "heddle/Dialect/Warp/Waits.h"
#include "heddle/Simulator/Functional/ProgramRaces.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include <unordered_map>

namespace heddle::sim {

/// What an SSA value holds.
struct WarpValue {
  TileValue tile;
  SmemView smem;
  int64_t dot = 0;   ///< the dot that makes it, 0: none
  int64_t ready = 0; ///< cycle from which it can be used
};

struct InFlight {
  int64_t id;
  int64_t done;
  mlir::Operation *op;
  std::vector<std::pair<int, int64_t>> slots; ///< ring and use that it reads
};

/// An operation on tiles in registers that its group has come to and that is not through its unit yet.
struct Arithmetic {
  mlir::Operation *op;
  const OpCost *cost;
  llvm::SmallVector<int, 4> after; ///< operations of the same stretch whose results it reads
  int64_t operands = 0;            ///< cycle from which its other operands are there
  int64_t parts = 1;
  std::vector<int64_t> through; ///< of each part that has run: cycle from which its result can be used
  bool done() const { return static_cast<int64_t>(through.size()) == parts; }
};

struct Frame {
  mlir::Block *block;
  mlir::Block::iterator next;
  mlir::Operation *control; ///< the loop or branch that the block belongs to; null for a group's own block
  int64_t iv = 0, end = 0, step = 1;
};

struct Group {
  warp::GroupOp op;
  std::string name;
  int index = 0; ///< in its block
  int id = 0;    ///< in the cluster: its component of clocks
  bool oneThread = false, done = false, blocked = false;
  int64_t clock = 0, waited = 0;
  VectorClock vector;
  std::vector<Frame> stack;
  llvm::DenseMap<mlir::Value, WarpValue> values;
  std::vector<InFlight> dots, copyOuts; ///< oldest first
  int64_t met = 0;                      ///< barriers of all groups that it has passed
  int64_t issuing = 0;                  ///< the dot that it is still issuing, 0: none
  std::vector<InFlight> underWay;       ///< copy_outs not known to be complete in global memory, oldest first
  std::vector<Arithmetic> stretch;      ///< since the last operation that is none, in program order
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int, 4>> making; ///< what of it makes a value
  std::string waitsFor;                                          ///< while blocked
  mlir::Operation *waitsAt = nullptr;
};

struct Use {
  bool acquired = false, published = false;
  int64_t ready = 0; ///< cycle from which a get succeeds
  VectorClock clock;
  std::vector<bool> fields;
  struct Consumer {
    bool got = false, consumed = false;
    int64_t time = 0;
    int64_t since = 0; ///< the group's own time at the get
    VectorClock clock;
    mlir::Operation *op = nullptr;
  };
  std::vector<Consumer> consumers; ///< of a ring in turns most of them stay out
  int64_t count(bool Consumer::*what) const;
  std::vector<int64_t> copies; ///< that fill it
  mlir::Operation *op = nullptr;
};

struct Ring {
  std::string name;
  int64_t depth;
  std::vector<int> consumers;   ///< groups
  bool multicast = false;       ///< filled by all blocks of the cluster, and free when all have consumed
  int64_t turns = 1;            ///< of the consumers, one part in so many takes a use
  std::vector<int64_t> nextGet; ///< per consumer
  int64_t nextAcquire = 0;
  std::vector<Use> uses;
  int firstTile = 0, fields = 0; ///< tile of (slot, field): firstTile + slot * fields + field
  int64_t readers() const { return consumers.size() / turns; }
  int consumerIndex(int group) const;
  Use &use(int64_t n);
  /// The first consumer of which `what` of use `n` is still to come; -1: none.
  int missing(int64_t n, bool Use::Consumer::*what);
};

/// An order of groups: leaves of all rounds so far, and when the last one is seen.
struct Order {
  std::string name;
  int64_t places = 0, left = 0, seen = 0;
};

/// Barriers of all groups of four warps or more: how many all of them have passed, and who waits at the next one.
struct Meeting {
  int64_t groups = 0, passed = 0, time = 0;
  std::vector<int> waiting;
  VectorClock gathering, clock; ///< of those that wait; of the last one
};

struct Unit {
  std::vector<int64_t> freeAt;
  int64_t busy = 0;
};

/// Costs depend on the op alone; shared by the CTAs. They stay where they are.
using CostCache = std::unordered_map<mlir::Operation *, OpCost>;

/// Which block: the program and the number in the cluster that runs it.
struct Place {
  std::array<int64_t, 3> program;
  int64_t rank = 0, blocks = 1;
};

class WarpEngine {
public:
  WarpEngine(warp::KernelOp kernel, Bindings &bindings, const Machine &machine, const SimOptions &options,
             CostCache &costs, const warp::WaitCounts &waits, ProgramRaces &races, const Place &place,
             SimResult &result, bool timeline);
  /// Runs the CTAs of a cluster together: to their end, the first fault (then the result is not ok), or until one of
  /// them asks for the next program. Decrements `steps`. Returns the cycle at which it asks.
  static std::optional<int64_t> run(llvm::ArrayRef<WarpEngine *> cluster, int64_t &steps);
  /// Answers that: the number that it gets.
  void give(int64_t program) { given = program; }

private:
  enum class Step { Ran, Blocked, Done, Fault };

  Step step(Group &group);
  Step execute(Group &group, mlir::Operation *op);
  Step executeRing(Group &group, mlir::Operation *op);
  Step executeMemory(Group &group, mlir::Operation *op);
  Step executeAccess(Group &group, mlir::Operation *op);
  Step executeTensorCore(Group &group, mlir::Operation *op);
  Step enterFor(Group &group, mlir::scf::ForOp loop);
  Step leaveBlock(Group &group, mlir::Operation *terminator);
  Step computePure(Group &group, mlir::Operation *op);
  /// Adds an operation on tiles to the stretch of the group.
  Step compute(Group &group, mlir::Operation *op, llvm::ArrayRef<TileValue> operands,
               llvm::ArrayRef<TileValue> results);
  /// Runs the part that can begin first of what the group's stretch must have run before `op`; false: there is none.
  bool advance(Group &group, mlir::Operation *op);
  /// Whether `unit` is at work.
  bool works(const std::string &unit, int64_t time);
  /// `unit` does nothing for `cycles` from `time` on.
  void hinder(const std::string &unit, int64_t time, int64_t cycles);
  /// All of `names` become what `values` are, at once.
  void define(Group &group, mlir::ValueRange names, mlir::ValueRange values);

  Step acquire(Group &group, warp::AcquireOp op);
  Step fill(Group &group, mlir::Operation *op, mlir::Value ringValue, mlir::Value useValue, int64_t field);
  Step publish(Group &group, warp::PublishOp op);
  Step get(Group &group, warp::GetOp op);
  Step consumed(Group &group, warp::ConsumedOp op);
  Step enter(Group &group, warp::EnterOp op);
  Step leave(Group &group, warp::LeaveOp op);
  /// The barrier of all groups of the block.
  Step meet(Group &group, warp::BarrierOp op);
  /// The rules of an access to global memory, before it is made; `stored`: the tile that it writes.
  Step accessGlobal(Group &group, mlir::Operation *op, mlir::Value view, llvm::ArrayRef<int64_t> at,
                    llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape, GlobalKind kind, int64_t id,
                    const TileValue *stored);
  Complaint orderGlobal(Group &group, mlir::Operation *op, unsigned argument, const HostTensor &tensor,
                        llvm::ArrayRef<int64_t> at, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape,
                        GlobalKind kind, int64_t id);
  /// A part of an argument or of a window into `tile`, and a tile into one, each with these rules.
  Step loadGlobal(Group &group, mlir::Operation *op, mlir::Value view, llvm::ArrayRef<int64_t> at,
                  llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape, TileValue &tile,
                  GlobalKind kind = GlobalKind::Load, int64_t id = 0);
  /// The same of rows at the first coordinate plus what `numbers` says.
  Step loadRows(Group &group, mlir::Operation *op, mlir::Value view, llvm::SmallVector<int64_t> at,
                llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape, mlir::Value numbers, TileValue &tile,
                GlobalKind kind = GlobalKind::Load, int64_t id = 0);
  Step storeGlobal(Group &group, mlir::Operation *op, mlir::Value view, llvm::ArrayRef<int64_t> at,
                   llvm::ArrayRef<int64_t> dims, const TileValue &tile, bool add, GlobalKind kind, int64_t id = 0);
  /// Calls fn(corner in the tile, first element of the memory, shape of that part of the tile) for each run of a tile
  /// in a window.
  Step forEachRun(Group &group, mlir::Operation *op, tile::WindowOp window, llvm::ArrayRef<int64_t> at,
                  llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<Step(llvm::ArrayRef<int64_t>, int64_t, llvm::ArrayRef<int64_t>)> fn);
  Step readView(Group &group, mlir::Operation *op, const SmemView &view, Access kind, int64_t id);

  /// Gives a dot to its unit; false where the machine file lacks its cost.
  bool issueDot(Group &group, warp::DotOp dot, int64_t id, int64_t operandsReady);
  /// Occupies the unit of `cost`, or its pipe, from `begin` on or when it is free, for `hold` cycles, longer beside
  /// units at work. Returns when it begins and ends.
  std::pair<int64_t, int64_t> occupy(const OpCost &cost, mlir::Operation *op, int64_t begin, int64_t hold);
  Unit &unitOf(const OpCost &cost);
  /// Occupies the op's unit; returns the cycle at which its result is there. `group.clock` moves past the issue.
  int64_t issue(Group &group, mlir::Operation *op, int64_t operandsReady);
  void waitUntil(Group &group, mlir::Operation *op, int64_t time);
  Step fault(FaultKind kind, mlir::Operation *op, const std::string &message);
  Step block(Group &group, mlir::Operation *op, std::string why);
  void wakeAll();
  void checkEnd();
  static void reportDeadlock(llvm::ArrayRef<WarpEngine *> cluster);
  /// The blocks that fill and empty `ring` together.
  llvm::ArrayRef<WarpEngine *> sharing(const Ring &ring) const {
    return ring.multicast ? cluster : cluster.slice(place.rank, 1);
  }
  int64_t ready(Group &group, mlir::Operation *op);
  int64_t indexOf(Group &group, mlir::Value value) { return group.values[value].tile.toIndex(); }
  Ring &ringOf(mlir::Value value) { return rings[ringIds.lookup(value)]; }
  HostTensor &tensorOf(mlir::Value view);
  llvm::SmallVector<int64_t> coordinates(Group &group, mlir::ValueRange indices);
  /// Faults where no box of the copy engine can begin at element `at` of `view`.
  Step checkBoxStart(mlir::Operation *op, mlir::Value view, llvm::ArrayRef<int64_t> at);
  const OpCost *costFor(mlir::Operation *op);
  /// The same of arithmetic on `operands`, where factors of one are tested.
  const OpCost *costFor(mlir::Operation *op, llvm::ArrayRef<TileValue> operands);
  std::string nameOf(mlir::Operation *op);
  void record(const std::string &lane, mlir::Operation *op, int64_t begin, int64_t end, bool unit, bool wait);
  Accessor accessor(Group &g) { return {g.id, &g.vector, g.oneThread, programOf(g)}; }
  /// A number for the program that the group works on where the kernel is persistent, and for its iterations of
  /// independent loops; else noProgram.
  static int64_t programOf(const Group &group);
  std::string where(const Ring &ring, int64_t use) { return "ring \"" + ring.name + "\" use " + std::to_string(use); }

  warp::KernelOp kernel;
  Bindings &bindings;
  const Machine &machine;
  const SimOptions &options;
  CostCache &costs;
  std::map<std::pair<mlir::Operation *, int64_t>, OpCost> testedCosts; ///< by the percentage of warps that multiply
  const warp::WaitCounts &waits;
  ProgramRaces &races;
  Place place;
  std::array<int64_t, 3> cta;           ///< in the grid of blocks
  llvm::ArrayRef<WarpEngine *> cluster; ///< by rank
  SimResult &result;
  bool timeline;
  std::vector<Group> groups;
  std::vector<Ring> rings;
  llvm::DenseMap<mlir::Value, Order> orders;
  Meeting meeting;
  llvm::DenseMap<mlir::Value, int> ringIds, scratchIds;
  WarpMemory memory;
  WarpGlobal global;
  std::map<std::string, Unit> units;
  DotQueue dots;
  std::string dotUnit; ///< of dots
  int64_t nextId = 1, signalLatency = 0, barrierLatency = 0, passLatency = 0, fenceLatency = 0;
  std::optional<int64_t> given; ///< the answer to the next fetch of a program's number
};

/// Bytes of a number in a ring or in the counter of programs.
inline constexpr int64_t numberBytes = 4;

/// What an op of the warp level costs; free ops cost nothing.
Result<OpCost> warpOpCost(mlir::Operation *op, const Machine &machine);

} // namespace heddle::sim

#endif // HEDDLE_LIB_SIMULATOR_TIMING_WARPENGINE_H
