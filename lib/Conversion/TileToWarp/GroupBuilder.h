//===- GroupBuilder.h - builds one compute group's region ------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TILETOWARP_GROUPBUILDER_H
#define HEDDLE_LIB_CONVERSION_TILETOWARP_GROUPBUILDER_H

#include "ModuloExpand.h"
#include "Rings.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace heddle {

/// Use number of the next fill of each ring (that whose slots are filled) at some point of a stream: an index value,
/// absent: 0.
using UseCounters = llvm::DenseMap<Ring *, mlir::Value>;

/// The order in which groups issue the dots of an iteration of a loop (docs/decisions/0032-orders-of-groups.md).
struct DotOrder {
  mlir::Value order;    ///< warp.order
  Ring *ring = nullptr; ///< of the loop, whose uses number the rounds
  int64_t stage = -1;   ///< of what each group orders; -1: no group is built yet
};

/// A store of a scheduled loop that a group of its own copies (StoreGroups.cpp): its chunks, in batches of which each
/// fills one slot of a ring.
struct HandedStore {
  using Corner = std::pair<int64_t, int64_t>; ///< row and column of a chunk
  HandedStore() = default;
  explicit HandedStore(tile::StoreOp store);
  mlir::Value aref;
  mlir::RankedTensorType chunk;
  llvm::SmallVector<llvm::SmallVector<Corner>> batches;
};

/// What every group's builder knows of the kernel.
struct KernelContext {
  tile::KernelOp source;
  const llvm::DenseMap<mlir::Operation *, LoopSchedule> &schedules;
  llvm::MutableArrayRef<Ring> rings;
  const TileToWarpOptions &options;
  llvm::DenseMap<mlir::Operation *, std::pair<Ring *, unsigned>> ringOf{}; ///< load or stage -> ring, field
  mlir::IRMapping arguments{};                         ///< kernel arguments of the tile kernel -> of the warp kernel
  llvm::DenseMap<mlir::Operation *, int64_t> stages{}; ///< of each scheduled loop: the most any group has
  llvm::DenseMap<mlir::Operation *, int64_t> mostStages{}; ///< the same, where groups hand tiles to each other
  /// Of each scheduled loop, by compute group: where the back edge lies, in units of the schedule.
  llvm::DenseMap<mlir::Operation *, std::map<int64_t, int64_t>> cuts{};
  std::vector<int64_t> registers{};            ///< budgets of the compute groups that run anything
  mlir::OpBuilder::InsertPoint declarations{}; ///< where arefs and scratches go
  bool storesTakeTooMuch = false;              ///< what fails: rings do not fit beside two buffers of each store
  bool ringsTakeTooMuch = false;               ///< what fails: no tile shares another's slots
  bool lacksSlots = false;                     ///< what fails: rings with more than one slot
  bool fillsTakeTooMuch = false;               ///< what fails: rings that compute groups fill in loops have `slots`
  int64_t slots = 0;
  int64_t turns = 1;                                          ///< programs in flight
  llvm::DenseSet<mlir::Operation *> multicast{};              ///< loads that the blocks of a cluster share
  std::map<int64_t, llvm::SmallVector<mlir::Value>> tokens{}; ///< by compute group: of each turn, the right to begin
  mlir::Value numbers{};                                ///< the ring of programs' numbers, where a counter gives them
  llvm::DenseMap<mlir::Operation *, DotOrder> orders{}; ///< of scheduled loops
  bool ordersDiffer = false; ///< what fails: groups whose dots are to be ordered run in different stages
  llvm::MapVector<mlir::Operation *, HandedStore> handed{}; ///< stores that groups of their own copy
};

/// The value in a group of `value` of the tile kernel: mapped, or cloned on demand with all it needs (scalars and free
/// operations).
mlir::Value materialise(mlir::OpBuilder &b, mlir::IRMapping &map, mlir::Value value);
/// The bounds of `loop` in a group. A step that is not constant may be 0 or negative: then the loop runs no iteration,
/// instead of never ending.
struct LoopBounds {
  mlir::Value lower, upper, step;
};
LoopBounds boundsOf(mlir::OpBuilder &b, mlir::IRMapping &map, mlir::scf::ForOp loop);
/// ceil((ub - lb) / step), and 0 where the lower bound is above the upper one: rings count uses by it.
mlir::Value tripCount(mlir::OpBuilder &b, mlir::IRMapping &map, mlir::scf::ForOp loop);
/// Whether the trips of `loop` depend on the counter of `around`.
bool tripsDependOn(mlir::scf::ForOp loop, mlir::scf::ForOp around);
/// lb + it * step.
mlir::Value inductionValue(mlir::OpBuilder &b, mlir::IRMapping &map, mlir::scf::ForOp loop, mlir::Value it);
/// The ring protocol around a staged tile: acquire, put, fence, publish of use `use`.
void emitPut(mlir::OpBuilder &b, const Ring &ring, mlir::Value value, mlir::Value use);
/// The same around what threads copy: acquire, copy, publish. `map` has the operands of its load or gather.
void emitCopy(mlir::OpBuilder &b, const Ring &ring, const mlir::IRMapping &map, mlir::Value use);
/// The get of use `use`; maps the tiles of `ring` in `map` to its results.
warp::GetOp emitGet(mlir::OpBuilder &b, const Ring &ring, mlir::Value use, mlir::IRMapping &map);
/// The ring protocol around the copies of a use: acquire, a copy for each load at `indices`, publish. `map` has the
/// views.
void emitFill(mlir::OpBuilder &b, const KernelContext &context, Ring &ring, const mlir::IRMapping &map,
              llvm::ArrayRef<llvm::SmallVector<mlir::Value>> indices, mlir::Value use);
/// The waits of access `op` for its group's earlier accesses to global memory (see Transforms/OrderMemory.h). Returns
/// what was made.
llvm::SmallVector<mlir::Operation *> emitMemoryWait(mlir::OpBuilder &b, mlir::Operation *op);
/// The meeting of all compute groups before `op`, where it is marked with one.
void emitMeeting(mlir::OpBuilder &b, mlir::Operation *op);
/// Whether a coordinate of a copy depends on what `loop` carries: it is not known several iterations before.
bool dependsOnCarried(mlir::Value index, mlir::scf::ForOp loop);
/// base + it, where an absent base is 0.
mlir::Value addUse(mlir::OpBuilder &b, mlir::Location loc, mlir::Value base, mlir::Value it);

/// Builds the sequential program-order loop of group `g` with gets, waits and releases, and its stream (order and
/// stages by the schedule).
class StoreStaging;

class LoopStream {
public:
  LoopStream(KernelContext &context, int64_t group, mlir::scf::ForOp loop, mlir::IRMapping &outer,
             const UseCounters &bases, StoreStaging &staging);
  /// Emits the expanded loop at `b`; maps the loop's results in `outer`. `trip` receives the trip count.
  mlir::LogicalResult emit(mlir::OpBuilder &b, mlir::Value &trip);

private:
  struct Entry {
    StreamItem item;
    StreamPlace place;
  };

  void orderNodes();
  void findLongChains(llvm::ArrayRef<mlir::Operation *> program);
  StreamProgram describe(llvm::ArrayRef<mlir::Operation *> program) const;
  mlir::Operation *registerOperand(warp::DotOp dot) const;
  std::optional<StreamPlace> dataWait(mlir::Operation *dot) const;
  std::optional<StreamPlace> takenFrom(mlir::Operation *dot) const;
  std::optional<StreamPlace> operandWait(mlir::Operation *dot) const;
  void emitOperandWaits(mlir::OpBuilder &b);
  bool mine(mlir::Operation *op) const;
  StreamPlace placeOf(mlir::Operation *node) const;
  StreamPlace backEdge(int64_t stage) const;
  int64_t timeOf(StreamPlace place) const;
  std::optional<StreamPlace> earliest(llvm::ArrayRef<mlir::Operation *> users, int64_t addStage) const;
  mlir::Value valueFor(mlir::OpBuilder &b, mlir::Value value, StreamItem &item, mlir::IRMapping &local);
  void emitFills(mlir::OpBuilder &b);
  void placeFills();
  void emitGets(mlir::OpBuilder &b);
  void emitIterWaits(mlir::OpBuilder &b);
  bool isMovedByLoop(mlir::Operation *dot) const;
  bool isCopiedInChain(mlir::Operation *dot) const;
  llvm::SmallVector<mlir::Operation *> chainOf(mlir::Operation *op) const;
  StreamPlace rowsPlace(mlir::Operation *first) const;
  bool holdsRowsReadAgain(const Ring &ring) const;
  void emitNode(mlir::OpBuilder &b, mlir::Operation *op);
  void emitStage(mlir::OpBuilder &b, warp::StageOp op);
  void emitStore(mlir::OpBuilder &b, tile::StoreOp op);
  void emitGet(mlir::OpBuilder &b, Ring &ring);
  mlir::Value useOf(mlir::OpBuilder &b, Ring &ring);
  void addSince(mlir::OpBuilder &b, mlir::Operation *last, StreamPlace place);
  void emitReleases(mlir::OpBuilder &b);
  void emitOrder(mlir::OpBuilder &b);
  void emitYield(mlir::OpBuilder &b);
  void takeFromOutside(mlir::OpBuilder &b, mlir::Value value, llvm::SmallPtrSetImpl<mlir::Operation *> &seen);
  StreamPlace releasePlace(mlir::Operation *dot) const;
  StreamPlace releasePlace(const Ring &ring, bool early, llvm::SetVector<mlir::Value> &tokens) const;
  bool hasTooFewSlots(const Ring &ring, StreamPlace released) const;
  llvm::SmallVector<mlir::Operation *> nonAccUsers(mlir::Value value) const;
  llvm::SmallVector<mlir::Operation *> accUsers(mlir::Value value) const;
  mlir::Value addWait(mlir::OpBuilder &b, mlir::Value value, mlir::Location loc, StreamPlace place);
  void add(llvm::ArrayRef<mlir::Operation *> ops, StreamPlace place);

  KernelContext &context;
  int64_t group;
  mlir::scf::ForOp loop, copy;
  mlir::IRMapping &outer;
  const UseCounters &bases;
  StoreStaging &staging;
  const LoopSchedule &schedule;
  std::map<int64_t, mlir::IRMapping> recomputed;       ///< chain -> scalars and free operations it computes
  mlir::IRMapping body;                                ///< node results, iter_args, slot tiles
  llvm::SmallVector<mlir::Operation *> nodes;          ///< of this group, in kernel order
  llvm::DenseMap<mlir::Operation *, int64_t> position; ///< node -> rank in kernel order
  llvm::DenseMap<mlir::Operation *, int64_t> stage;    ///< node -> iterations of the kernel that it runs later
  llvm::DenseSet<mlir::Operation *> longChains;        ///< dots whose chain of accumulation outlives an interval
  Stream stream;
  llvm::DenseMap<mlir::Operation *, StreamPlace> waitPlace;    ///< dot -> where its result is waited for
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> copies; ///< dot -> its clone
  llvm::SmallVector<Ring *> used;
  llvm::SmallVector<std::pair<Ring *, llvm::SmallVector<mlir::Operation *>>> fills; ///< of those that this group fills
  llvm::SmallVector<Entry> entries;
};

/// Builds the region of compute group `g` of `turn` from the whole kernel body. `number` tells it from all others.
mlir::LogicalResult buildComputeGroup(KernelContext &context, warp::GroupOp op, int64_t g, int64_t turn, int64_t number,
                                      int64_t &scratchBytes);
/// Builds the region of the group that takes numbers for the others from the counter of programs.
void buildSourceGroup(KernelContext &context, warp::GroupOp op);
/// Builds the region of the load group.
mlir::LogicalResult buildLoadGroup(KernelContext &context, warp::GroupOp op);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TILETOWARP_GROUPBUILDER_H
