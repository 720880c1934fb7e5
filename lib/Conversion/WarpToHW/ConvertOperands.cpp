//===- ConvertOperands.cpp - see ConvertOperands.h --------------------------===//
#include "ConvertOperands.h"

#include "LayoutRules.h"
#include "heddle/Dialect/HW/Exchange.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/SharedFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace heddle;

/// Whether rows that are named are loaded or stored in the layout that `op` converts from or to.
static bool isOfAccess(hw::ConvertLayoutOp op) {
  return op.getSource().getDefiningOp<tile::GatherOp>() || llvm::any_of(op->getUsers(), [&](Operation *user) {
           return isa<tile::StoreOp>(user) && user->getOperand(0) == op.getResult();
         });
}

/// Conversions through shared memory become steps inside the warps where there are such; others write and read
/// whole words where threads hold what stands in them.
static void avoidSharedMemory(warp::GroupOp group) {
  SmallVector<hw::ConvertLayoutOp> conversions;
  group.walk([&](hw::ConvertLayoutOp op) { conversions.push_back(op); });
  for (hw::ConvertLayoutOp op : conversions) {
    RankedTensorType from = op.getSource().getType(), to = op.getResult().getType();
    if (!hw::isExchanged(from.getElementType()) || hw::planOf(from, to).kind != ConversionKind::SharedMemory)
      continue;
    OpBuilder builder(op);
    Value source = op.getSource();
    int64_t packing = hw::elementsPerWord(from.getElementType());
    std::vector<LinearLayout> steps = conversionSteps(hw::layoutOf(from), hw::layoutOf(to), packing);
    if (steps.empty() && isOfAccess(op))
      steps = exchangeSteps(hw::layoutOf(from), hw::layoutOf(to), packing);
    if (steps.empty())
      for (RankedTensorType side : {from, to})
        if (std::optional<LinearLayout> words = wordsOfRows(hw::layoutOf(side), packing))
          steps.push_back(*words);
    for (const LinearLayout &step : steps)
      source = hw::ConvertLayoutOp::create(builder, op.getLoc(), hw::withLayout(from, step), source, StringAttr());
    op.getSourceMutable().assign(source);
  }
}

/// Reads of columns take whole words where a thread holds as many neighbouring rows, which change places in registers.
static void readWords(warp::GroupOp group) {
  SmallVector<warp::ReadOp> reads;
  group.walk([&](warp::ReadOp read) {
    if (readsColumns(read) && hw::isExchanged(read.getResult().getType().getElementType()))
      reads.push_back(read);
  });
  for (warp::ReadOp read : reads) {
    RankedTensorType type = read.getResult().getType();
    std::optional<LinearLayout> words =
        wordsOfRows(hw::layoutOf(type), hw::elementsPerWord(type.getElementType()), /*dim=*/0);
    if (!words)
      continue;
    OpBuilder builder(read);
    builder.setInsertionPointAfter(read);
    read.getResult().setType(hw::withLayout(type, *words));
    auto converted = hw::ConvertLayoutOp::create(builder, read.getLoc(), type, read.getResult(), StringAttr());
    read.getResult().replaceAllUsesExcept(converted, converted);
  }
}

/// Gathers behind products, whose rows their readers share among lanes, access 16 bytes at once.
static void gatherPieces(warp::GroupOp group) {
  SmallVector<tile::GatherOp> gathers;
  group.walk([&](tile::GatherOp gather) { gathers.push_back(gather); });
  for (tile::GatherOp gather : gathers) {
    std::optional<LinearLayout> pieces = layoutOfAccess(gather, gather.getResult());
    if (!pieces)
      continue;
    RankedTensorType type = gather.getType();
    OpBuilder builder(gather);
    builder.setInsertionPointAfter(gather);
    gather.getResult().setType(hw::withLayout(type, *pieces));
    auto converted = hw::ConvertLayoutOp::create(builder, gather.getLoc(), type, gather.getResult(), StringAttr());
    gather.getResult().replaceAllUsesExcept(converted, converted);
  }
}

/// Where `operand` is converted for `op`: a vector from outside of the loops around `op` in front of these, once.
static Operation *placeOfConversion(Operation *op, Value operand) {
  Operation *place = op;
  if (cast<RankedTensorType>(operand.getType()).getRank() == 1)
    while (isa<scf::ForOp, scf::WhileOp>(place->getParentOp()) &&
           !place->getParentOp()->isAncestor(operand.getParentRegion()->getParentOp()))
      place = place->getParentOp();
  return place;
}

/// Element-wise vectors that all readers have in another layout, in which threads hold fewer elements, are computed in
/// that one where it takes no more conversions: exponentials of a vector along columns, of which each thread has a
/// quarter and that scales rows, would be computed in all lanes of all warps before most of them are dropped.
static void computeAsRead(warp::GroupOp group) {
  SmallVector<Operation *> ops;
  group.walk([&](Operation *op) {
    if (isElementwise(op) && cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 1)
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops)) { // readers first, so that chains follow
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    std::optional<LinearLayout> read;
    bool isOne = !op->use_empty();
    for (OpOperand &use : op->getUses()) {
      std::optional<LinearLayout> needed = neededLayout(use);
      isOne &= needed && (!read || *needed == *read);
      read = needed;
    }
    if (!isOne || read->numRegisters() >= hw::layoutOf(type).numRegisters())
      continue;
    // What is cheap has a copy for each reader (CheapClones.h), which takes any layout.
    SmallVector<Value> cheap;
    SmallPtrSet<Value, 4> converted;
    for (Value operand : op->getOperands()) {
      auto tile = dyn_cast<RankedTensorType>(operand.getType());
      if (!tile || hw::layoutOf(tile) == *read)
        continue;
      if (operand.hasOneUse() &&
          isa_and_nonnull<arith::ConstantOp, tensor::SplatOp, tile::IotaOp>(operand.getDefiningOp()))
        cheap.push_back(operand);
      else
        converted.insert(operand);
    }
    if (converted.size() > 1)
      continue;
    for (Value value : cheap)
      hw::setLayout(value, *read);
    hw::setLayout(op->getResult(0), *read);
  }
}

/// `value` in `layout`, and what it alone is computed from, up to what is read.
static void spread(Value value, const LinearLayout &layout) {
  hw::setLayout(value, layout);
  Operation *op = value.getDefiningOp();
  if (!isElementwise(op))
    return;
  for (Value operand : op->getOperands())
    if (Operation *def = isa<RankedTensorType>(operand.getType()) ? operand.getDefiningOp() : nullptr;
        def && operand.hasOneUse() && def->getBlock() == op->getBlock() &&
        (isElementwise(def) || isa<warp::ReadOp, arith::ConstantOp, tensor::SplatOp, tile::IotaOp>(def)))
      spread(operand, layout);
}

/// Functions of vectors that threads share (SharedFunctions.h) are computed in the layout of a vector by itself.
static void shareFunctions(warp::GroupOp group) {
  SmallVector<Operation *> ops;
  group.walk([&](Operation *op) {
    if (isElementwise(op) && cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 1)
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    LinearLayout shared = defaultLayout(type, static_cast<int>(group.getWarps()));
    if (tile::isShared(op, hw::layoutOf(type).numRegisters(), shared.numRegisters()))
      spread(op->getResult(0), shared);
  }
}

void heddle::convertOperands(warp::GroupOp group) {
  computeAsRead(group);
  shareFunctions(group);
  gatherPieces(group);
  // Conversions already made, valid for later ops of the same block.
  DenseMap<std::pair<Value, Type>, SmallVector<Value>> made;
  SmallVector<Operation *> ops;
  group.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      RankedTensorType type = dyn_cast<RankedTensorType>(operand.get().getType());
      std::optional<LinearLayout> needed = type ? neededLayout(operand) : std::nullopt;
      if (!needed || *needed == hw::layoutOf(type))
        continue;
      RankedTensorType target = hw::withLayout(type, *needed);
      Operation *place = placeOfConversion(op, operand.get());
      SmallVector<Value> &known = made[{operand.get(), target}];
      auto *found = llvm::find_if(known, [&](Value v) { return v.getDefiningOp()->getBlock() == place->getBlock(); });
      if (found != known.end()) {
        operand.set(*found);
        continue;
      }
      OpBuilder builder(place);
      Value converted = hw::ConvertLayoutOp::create(builder, op->getLoc(), target, operand.get(), StringAttr());
      known.push_back(converted);
      operand.set(converted);
    }
  }
  avoidSharedMemory(group);
  readWords(group);
  // State what each conversion costs.
  group.walk([&](hw::ConvertLayoutOp op) {
    static constexpr const char *names[] = {"identity", "registers", "shuffle", "exchange", "shared"};
    Conversion plan = hw::planOf(op.getSource().getType(), op.getResult().getType());
    op.setCost(StringRef(names[static_cast<int>(plan.kind)]));
  });
}
