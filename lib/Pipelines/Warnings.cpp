//===- Warnings.cpp - what a program loses by how it is written ---------------===//
//
// What:   accesses that the copy engine cannot take, products whose tiles have odd sizes, and loops that no schedule is
//         made for -> warnings at their place that say what the compiler expected.
// Where:  scheduleKernel; nothing is changed by them.
//
//===----------------------------------------------------------------------===//
#include "Warnings.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Target/TargetInterface.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>

using namespace mlir;
namespace heddle {

void warnOfAlignment(tile::KernelOp kernel) {
  kernel.walk([](Operation *op) {
    if (isKeptFromTmaByAlignment(op))
      op->emitWarning("the copy engine is not used: expected a column index that is known to be a multiple of 16 bytes "
                      "(multiply by the tile's "
                      "width last)");
  });
}

void warnOfPadding(tile::KernelOp whole, tile::KernelOp prepared) {
  using Sizes = std::array<int64_t, 3>; // rows, columns, contraction
  auto sizesOf = [](tile::DotOp dot) {
    return Sizes{dot.getType().getDimSize(0), dot.getType().getDimSize(1), dot.getA().getType().getDimSize(1)};
  };
  auto work = [](const Sizes &sizes) { return sizes[0] * sizes[1] * sizes[2]; };
  auto text = [](const Sizes &sizes) {
    return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " + std::to_string(sizes[2]);
  };
  // By places in the program's text. Products of one place (a loop that Triton unrolled) have one size, or none.
  DenseMap<Location, Sizes> asWritten;
  whole.walk([&](tile::DotOp dot) {
    auto [known, isNew] = asWritten.try_emplace(dot.getLoc(), sizesOf(dot));
    if (isa<UnknownLoc>(dot.getLoc()) || known->second != sizesOf(dot))
      known->second = Sizes{};
  });
  const int64_t rows = targetOf(prepared).dotRows();
  tile::DotOp worst;
  double most = 1.25;
  prepared.walk([&](tile::DotOp dot) {
    auto written = asWritten.find(dot.getLoc());
    if (written == asWritten.end() || written->second[0] < rows)
      return; // rows too few for a group are those of a decoder
    double share = static_cast<double>(work(sizesOf(dot))) / static_cast<double>(work(written->second));
    if (share >= most)
      most = share, worst = dot;
  });
  if (worst)
    worst.emitWarning("expected sizes of tiles that products have, since others are filled up: one of ")
        << text(sizesOf(worst)) << " (rows, columns, contraction) is computed for "
        << text(asWritten.at(worst.getLoc()));
}

void warnOfFilledBlocks(tile::KernelOp prepared) {
  prepared.walk([](tile::LoadOp load) {
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    RankedTensorType type = load.getType();
    if (!loop || loop.getOps<tile::DotOp>().empty() || !load.getExtent() || type.getRank() != 2 || isTmaLoad(load))
      return;
    for (auto [d, extent] : llvm::enumerate(*load.getExtent()))
      if (extent < type.getDimSize(d)) {
        load.emitWarning("threads copy this tile in the loop, not the copy engine: expected a size that products have, "
                         "got ")
            << extent << " in dimension " << d << ", where they take " << type.getDimSize(d);
        return;
      }
  });
}

void warnOfOrder(tile::KernelOp kernel) {
  auto isProduct = [](Operation *op) { return isa<tile::DotOp, warp::DotOp>(op); };
  kernel.walk([&](scf::WhileOp loop) {
    if (llvm::any_of(*loop.getAfterBody(), [&](Operation &op) { return isProduct(&op); }))
      loop.emitWarning("a loop with products is not scheduled, but runs in the program's order: expected scf.for, got "
                       "scf.while, whose end nobody knows before");
  });
  kernel.walk([&](scf::ForOp loop) {
    Operation *branch = nullptr;
    bool hasProducts = false, isInnermost = true;
    bool ownProducts = llvm::any_of(*loop.getBody(), [&](Operation &op) { return isProduct(&op); });
    for (Operation &op : *loop.getBody())
      op.walk([&](Operation *inner) {
        hasProducts |= isProduct(inner);
        // A scalar that is summed up of memory is read by a loop of its own.
        auto other = dyn_cast<scf::ForOp>(inner);
        bool reads =
            other && ownProducts && llvm::none_of(*other.getBody(), [&](Operation &o) { return isProduct(&o); });
        isInnermost &= !other || reads;
        if (reads && !branch)
          branch = inner;
        if (isa<scf::IfOp, scf::WhileOp>(inner) && !branch)
          branch = inner;
      });
    if (hasProducts && isInnermost && branch && !isScheduledLoop(loop))
      branch->emitWarning("a loop with products is not scheduled, but runs in the program's order: expected none of ")
          << branch->getName() << " in it";
  });
}

} // namespace heddle
