//===- VerifyHW.cpp - rules of the hw level that span ops -----------------------===//
// Contract: WarpToHW.h. Arrivals of a phase are counted by role: a role that arrives on a barrier does so once per
// phase, or per so many phases as the barriers have turns.
#include "heddle/Conversion/WarpToHW/WarpToHW.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Machine/Occupancy.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace heddle;

static LogicalResult verifyStorage(hw::KernelOp kernel) {
  int64_t limit = kernel.getSmemBytes();
  struct Range {
    int64_t begin, end;
    Operation *op;
  };
  SmallVector<Range> barriers;
  for (auto bars : kernel.getBody().getOps<hw::MBarriersOp>())
    barriers.push_back({static_cast<int64_t>(bars.getOffset()),
                        static_cast<int64_t>(bars.getOffset()) + 8 * bars.getType().getSize(), bars});
  llvm::sort(barriers, [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (size_t i = 0; i < barriers.size(); ++i) {
    if (barriers[i].end > limit)
      return barriers[i].op->emitOpError("expected barriers below ") << limit << ", got an end of " << barriers[i].end;
    if (i && barriers[i - 1].end > barriers[i].begin)
      return barriers[i].op->emitOpError("expected barriers that do not overlap others, got offset ")
             << barriers[i].begin;
  }
  WalkResult walk = kernel.walk([&](hw::SmemOp op) {
    int64_t begin = op.getOffset(), end = begin + op.getType().getStorageBytes() + (op.getSlots() - 1) * op.getStride();
    if (!op.getSlot() && op.getSlots() != 1) {
      op.emitOpError("expected one slot without a slot operand, got ") << op.getSlots();
      return WalkResult::interrupt();
    }
    if (end > limit) {
      op.emitOpError("expected storage below ") << limit << ", got an end of " << end;
      return WalkResult::interrupt();
    }
    for (const Range &range : barriers)
      if (begin < range.end && range.begin < end) {
        op.emitOpError("expected storage apart from the barriers at ")
            << range.begin << ", got " << begin << " to " << end;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

static LogicalResult verifyArrivals(hw::KernelOp kernel) {
  for (auto bars : kernel.getBody().getOps<hw::MBarriersOp>()) {
    // Per role: how many blocks' warps arrive, does it arrive with bytes, do its threads for what they copied.
    struct Arrivals {
      int64_t blocks = 0;
      bool bytes = false, threads = false;
    };
    llvm::MapVector<Operation *, Arrivals> roles;
    Operation *waiter = nullptr;
    for (Operation *user : bars.getResult().getUsers()) {
      auto role = user->getParentOfType<hw::RoleOp>();
      auto arrive = dyn_cast<hw::ArriveOp>(user);
      if (arrive && arrive.getCopied())
        roles[role].threads = true;
      else if (arrive)
        roles[role].blocks = std::max(roles[role].blocks, arrive.getCluster() ? tile::clusterOf(kernel) : int64_t(1));
      else if (isa<hw::ExpectTxOp, hw::RowLoadOp>(user))
        roles[role].bytes = true;
      else if (isa<hw::WaitOp>(user))
        waiter = user;
    }
    int64_t arrivals = 0;
    for (auto &[op, arrives] : roles) {
      auto role = cast<hw::RoleOp>(op);
      int64_t warps = role.getSingle() ? 1 : role.getWarps();
      arrivals += arrives.blocks * warps + (arrives.bytes ? 1 : 0) + (arrives.threads ? warps * threadsPerWarp : 0);
    }
    if (!arrivals && waiter)
      return waiter->emitOpError("expected an arrival on barriers '") << bars.getName() << "', got none";
    int64_t turns = bars.getTurns(), phase = arrivals / turns;
    if (arrivals && (phase != static_cast<int64_t>(bars.getCount()) || phase * turns != arrivals))
      return bars.emitOpError("expected a count of ") << phase << " (the arrivals of a phase), got " << bars.getCount();
  }
  return success();
}

/// A name is one place, and two names share no byte, but alternatives of one ring: the printer makes one constant of
/// each name.
static LogicalResult verifyNames(hw::KernelOp kernel) {
  struct Storage {
    hw::SmemOp op;
    int64_t end = 0; ///< of the last slot
  };
  llvm::MapVector<StringRef, Storage> known;
  auto endOf = [](hw::SmemOp op) {
    return static_cast<int64_t>(op.getOffset() + op.getType().getStorageBytes() + (op.getSlots() - 1) * op.getStride());
  };
  WalkResult walk = kernel.walk([&](hw::SmemOp op) {
    auto [entry, fresh] = known.insert({op.getName(), {op, endOf(op)}});
    hw::SmemOp first = entry->second.op;
    if (fresh || (first.getOffset() == op.getOffset() && first.getStride() == op.getStride() &&
                  first.getSlots() == op.getSlots() && first.getType() == op.getType()))
      return WalkResult::advance();
    InFlightDiagnostic diag = op.emitOpError("expected one place and type for storage '")
                              << op.getName() << "', got offset " << op.getOffset() << " and before "
                              << first.getOffset();
    diag.attachNote(first.getLoc()) << "before";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  SmallVector<Storage> byOffset = llvm::to_vector(llvm::make_second_range(known));
  llvm::stable_sort(byOffset, [](const Storage &a, const Storage &b) {
    return const_cast<Storage &>(a).op.getOffset() < const_cast<Storage &>(b).op.getOffset();
  });
  for (size_t i = 1; i < byOffset.size(); ++i) {
    Storage &before = byOffset[i - 1], &after = byOffset[i];
    if (before.op.getShared() && before.op.getShared() == after.op.getShared()) {
      after.end = std::max(before.end, after.end);
      continue;
    }
    if (before.end <= static_cast<int64_t>(after.op.getOffset()))
      continue;
    InFlightDiagnostic diag = after.op.emitOpError("expected storage '")
                              << after.op.getName() << "' apart from '" << before.op.getName() << "', which ends at "
                              << before.end << ", got offset " << after.op.getOffset();
    diag.attachNote(before.op.getLoc()) << "'" << before.op.getName() << "'";
    return diag;
  }
  return success();
}

LogicalResult heddle::verifyHW(hw::KernelOp kernel) {
  bool isAlone = tile::clusterOf(kernel) == 1;
  WalkResult walk = kernel.walk([&](Operation *op) {
    auto arrive = dyn_cast<hw::ArriveOp>(op);
    auto load = dyn_cast<hw::TmaLoadOp>(op);
    if (isAlone && ((arrive && arrive.getCluster()) || (load && load.getMulticast()))) {
      op->emitOpError("expected a kernel with a cluster of at least 2 blocks for what reaches other blocks");
      return WalkResult::interrupt();
    }
    if (!isa_and_nonnull<warp::WarpDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitOpError("expected no warp op at the hw level");
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted() || failed(verifyStorage(kernel)) || failed(verifyNames(kernel)))
    return failure();
  return verifyArrivals(kernel);
}

namespace {

class LowerWarpToHWPass : public PassWrapper<LowerWarpToHWPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerWarpToHWPass)
  LowerWarpToHWPass() = default;
  LowerWarpToHWPass(const LowerWarpToHWPass &other) : PassWrapper(other) {}
  Option<int64_t> smem{*this, "smem", llvm::cl::desc("bytes of shared memory of a block (0: any number)"),
                       llvm::cl::init(0)};
  StringRef getArgument() const override { return "heddle-lower-warp-to-hw"; }
  StringRef getDescription() const override { return "rings to barriers, tiles to addresses, dots to wgmma groups"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<hw::HWDialect>(); }
  void runOnOperation() override {
    WarpToHWOptions options;
    options.smemLimit = smem;
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<warp::KernelOp>()))
      if (failed(lowerWarpToHW(kernel, options)))
        return signalPassFailure();
  }
};

class VerifyHWPass : public PassWrapper<VerifyHWPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyHWPass)
  StringRef getArgument() const override { return "heddle-verify-hw"; }
  StringRef getDescription() const override { return "checks the rules of the hw level that span ops"; }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<hw::KernelOp>())
      if (failed(verifyHW(kernel)))
        return signalPassFailure();
  }
};

} // namespace

void heddle::registerWarpToHWPasses() {
  PassRegistration<LowerWarpToHWPass>();
  PassRegistration<VerifyHWPass>();
}
