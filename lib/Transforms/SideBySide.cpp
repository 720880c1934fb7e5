//===- SideBySide.cpp - programs whose loops read what L2 holds ------------===//
//
// What:      loads of scheduled loops -> what the programs of one coordinate along dimension 1 read in common (the keys
//            and values of a head), and from that the number of coordinates whose reads together are so many bytes.
// Where:     asked for by orderPrograms, on the program as written.
// How:       a coordinate of a load that a loop computes runs over the whole extent of its view; the others say whose
//            it is: what depends on dimension 0 is read by one program alone and stays out, what does not depend on
//            dimension 1 is the same for all and stays out, too. A quotient of program_id 1 is shared by as many
//            programs as its divisor says (grouped heads).
//
//===----------------------------------------------------------------------===//
#include "SideBySide.h"

#include "Arithmetic.h"
#include "heddle/Analysis/LoopProblem.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace heddle {

/// Whether `value`, which no loop computes, follows the program's coordinate along `dim`.
static bool follows(Value value, unsigned dim) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  if (Operation *op = value.getDefiningOp())
    (void)getBackwardSlice(op, &slice, options);
  return llvm::any_of(slice, [&](Operation *op) {
    auto id = dyn_cast<tile::ProgramIdOp>(op);
    return id && id.getDim() == dim;
  });
}

/// What programs along dimension 1 share `coordinate`: the divisor of their number. Null: none that is known.
static Value sharersOf(Value coordinate) {
  auto quotient = coordinate.getDefiningOp<arith::DivUIOp>();
  auto id = quotient ? quotient.getLhs().getDefiningOp<tile::ProgramIdOp>() : tile::ProgramIdOp();
  return id && id.getDim() == 1 && !follows(quotient.getRhs(), 0) && !follows(quotient.getRhs(), 1) ? quotient.getRhs()
                                                                                                    : Value();
}

namespace {
enum class Reader { Section, Other, Unknown };
}

/// Who reads what `load` in `loop` reads; `read` becomes what that is where it is the programs of a section.
static Reader readerOf(tile::LoadOp load, scf::ForOp loop, SharedRead &read) {
  Value view = load.getView();
  auto type = cast<tile::ViewType>(view.getType());
  if (!isa<BlockArgument>(view))
    return Reader::Unknown;
  read.bytes = llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  bool own = false;
  SmallVector<int64_t> dims = load.getTileDims();
  for (auto [i, coordinate] : llvm::enumerate(load.getIndices())) {
    int64_t dim = i;
    if (!loop.isDefinedOutsideOfLoop(coordinate)) {
      if (type.getShape()[dim] == ShapedType::kDynamic)
        read.extents.push_back({view, dim});
      else
        read.bytes = llvm::SaturatingMultiply<uint64_t>(read.bytes, type.getShape()[dim]);
      continue;
    }
    if (follows(coordinate, 0))
      return Reader::Other;
    if (follows(coordinate, 1)) {
      own = true;
      read.sharers = sharersOf(coordinate);
    }
    if (const int64_t *at = llvm::find(dims, dim); at != dims.end())
      read.bytes *= load.getType().getShape()[at - dims.begin()];
  }
  return own ? Reader::Section : Reader::Other;
}

SmallVector<SharedRead> sharedReads(tile::KernelOp kernel) {
  SmallVector<SharedRead> reads;
  bool known = true;
  kernel.walk([&](scf::ForOp loop) {
    if (!isScheduledLoop(loop))
      return;
    scf::ForOp outermost = loop;
    while (auto around = outermost->getParentOfType<scf::ForOp>())
      outermost = around;
    loop.walk([&](tile::LoadOp load) {
      SharedRead read;
      Reader reader = readerOf(load, outermost, read);
      known &= reader != Reader::Unknown;
      if (reader == Reader::Section)
        reads.push_back(std::move(read));
    });
  });
  if (!known)
    reads.clear();
  return reads;
}

Value mostSideBySide(OpBuilder &b, Location loc, ArrayRef<SharedRead> reads, int64_t bytes) {
  Arithmetic a(b, loc);
  Value sum;
  for (const SharedRead &read : reads) {
    // No product exceeds twice `bytes`: each factor is cut to what reaches them.
    int64_t unit = std::min(read.bytes, bytes);
    Value of = a.constant(unit), most = a.constant(bytes);
    for (auto [i, extent] : llvm::enumerate(read.extents)) {
      Value size = tile::DimOp::create(b, loc, extent.first, extent.second);
      Value enough =
          i == 0 ? a.constant(bytes / unit + 1) : a.add(a.div(most, a.max(of, a.constant(1))), a.constant(1));
      of = a.mul(of, a.min(size, enough));
    }
    if (read.sharers)
      of = a.div(of, a.max(read.sharers, a.constant(1)));
    of = a.min(of, most);
    sum = sum ? a.add(sum, of) : of;
  }
  return a.div(a.constant(bytes), a.max(sum, a.constant(1)));
}

} // namespace heddle
