//===- ReplayPass.cpp - heddle-opt's face of the replay of machine code -----===//
//
// --heddle-replay-code="listing=kernel.sass": of every kernel of the hw level, whose machine code `listing` is
// (nvdisasm -hex -c kernel.cubin), prints the cycles of an iteration of its main loop. Option: machine (default h100).
//
//===----------------------------------------------------------------------===//
#include "PrintingPasses.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Simulator/MachineCode/Replay.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

static int64_t boxBytes(Value map) {
  auto op = map.getDefiningOp<hw::TensorMapOp>();
  int64_t bits = op ? cast<tile::ViewType>(op.getView().getType()).getElementType().getIntOrFloatBitWidth() : 0;
  for (int64_t size : op ? op.getBox() : ArrayRef<int64_t>())
    bits *= size;
  return bits / 8;
}

/// What the replay must know of a kernel.
static CodeKernel codeKernelOf(hw::KernelOp kernel) {
  CodeKernel out;
  DenseMap<Value, size_t> indices;
  kernel.walk([&](hw::MBarriersOp op) {
    indices[op.getResult()] = out.barriers.size();
    CodeBarrier barrier;
    barrier.name = op.getName().str();
    barrier.offset = op.getOffset();
    barrier.slots = cast<hw::BarsType>(op.getResult().getType()).getSize();
    barrier.turns = op.getTurns();
    out.barriers.push_back(barrier);
  });
  kernel.walk([&](hw::ExpectTxOp op) {
    if (auto known = indices.find(op.getBars()); known != indices.end()) {
      int64_t &bytes = out.barriers[known->second].bytes;
      bytes = std::max<int64_t>(bytes, op.getBytes());
    }
  });
  kernel.walk([&](hw::TmaLoadOp op) {
    auto known = indices.find(op.getBars());
    int64_t bytes = boxBytes(op.getMap());
    if (known == indices.end() || !bytes)
      return;
    CodeBarrier &barrier = out.barriers[known->second];
    barrier.copies = std::max(barrier.copies, barrier.bytes / bytes);
  });
  kernel.walk([&](hw::TmaStoreOp op) {
    if (!op->getParentOfType<scf::ForOp>())
      return;
    out.storeBytes = std::max(out.storeBytes, boxBytes(op.getMap()));
    out.storesAdd |= op.getAdd();
  });
  out.groups = 0;
  kernel.walk([&](hw::RoleOp role) { out.groups += !role.getSingle(); });
  // Groups that take turns at a ring run one after the other.
  bool turns = llvm::any_of(out.barriers, [](const CodeBarrier &barrier) {
    return barrier.turns > 1 && StringRef(barrier.name).ends_with(".empty");
  });
  if (turns || !out.groups)
    out.groups = 1;
  return out;
}

namespace {
struct ReplayCodePass : PassWrapper<ReplayCodePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReplayCodePass)
  ReplayCodePass() = default;
  ReplayCodePass(const ReplayCodePass &other) : PassWrapper<ReplayCodePass, OperationPass<>>(other) {}
  Pass::Option<std::string> listingPath{*this, "listing", llvm::cl::desc("what nvdisasm -hex -c prints")};
  Pass::Option<std::string> machineName{*this, "machine", llvm::cl::desc("machine file or its name"),
                                        llvm::cl::init("h100")};
  StringRef getArgument() const final { return "heddle-replay-code"; }
  StringRef getDescription() const final { return "run the main loop of a kernel's machine code; print its time"; }

  void runOnOperation() final {
    getOperation()->walk([&](hw::KernelOp kernel) {
      if (failed(replay(kernel)))
        signalPassFailure();
    });
    markAllAnalysesPreserved();
  }

  LogicalResult replay(hw::KernelOp kernel) {
    auto fail = [&](const Error &error) { return kernel.emitError(error.message()); };
    Result<Machine> machine = Machine::find(machineName);
    if (!machine)
      return fail(machine.error());
    Result<std::string> text = readFile(listingPath);
    if (!text)
      return fail(text.error());
    Result<CodeListing> listing = parseListing(*text);
    if (!listing)
      return fail(listing.error());
    Result<ReplayedLoop> loop = replayMainLoop(*listing, codeKernelOf(kernel), *machine);
    if (!loop)
      return fail(loop.error());
    llvm::errs() << kernel.getSymName() << ": " << llvm::format("%.0f", loop->cycles) << " cycles an iteration, "
                 << loop->instructions << " instructions of a warp, tensor core at work "
                 << llvm::format("%.0f", 100 * loop->products) << " %\n";
    return success();
  }
};
} // namespace

void heddle::registerReplayPass() { PassRegistration<ReplayCodePass>(); }
