//===- Launches.cpp - instances, launches and scalars ---------------------===//
#include "Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
namespace heddle {

LogicalResult Converter::runVariant(Frame &frame) {
  return frame.variant.isLeaf() ? runLeaf(frame) : runBlock(frame, frame.variant.getBody().front());
}

LogicalResult Converter::runBlock(Frame &frame, Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOperation(frame, &op)))
      return failure();
  return success();
}

LogicalResult Converter::runOperation(Frame &frame, Operation *op) {
  if (auto launch = dyn_cast<task::LaunchOp>(op))
    return runLaunch(frame, launch);
  if (auto range = dyn_cast<task::PRangeOp>(op))
    return inBlock ? runProcessors(frame, range) : runGrid(frame, range);
  if (auto range = dyn_cast<task::SRangeOp>(op)) {
    if (!inBlock)
      return refuse(range, frame.instance.placeOf("proc"),
                    "expected task.prange at HOST, whose launches are one grid, got task.srange");
    return runLoop(frame, range);
  }
  if (auto tunable = dyn_cast<task::TunableOp>(op)) {
    auto chosen = frame.instance.tunables.find(tunable.getTunable().str());
    frame.scalars[tunable].constant =
        chosen == frame.instance.tunables.end() ? int64_t(tunable.getValue()) : chosen->second;
    return success();
  }
  if (auto dim = dyn_cast<task::DimOp>(op)) {
    const PartDim &asked = *frame.tensors[dim.getTensor()].visible()[dim.getDim()];
    frame.scalars[dim] = sizeOf(asked);
    return success();
  }
  if (auto make = dyn_cast<task::MakeTensorOp>(op))
    return makeTensor(frame, make);
  if (isa<task::BlocksOp, task::MmaOp>(op))
    return partition(frame, op);
  if (auto piece = dyn_cast<task::PieceOp>(op))
    return takePiece(frame, piece);
  if (auto count = dyn_cast<task::CountOp>(op))
    return countPieces(frame, count);
  return runScalar(frame, op);
}

LogicalResult Converter::runScalar(Frame &frame, Operation *op) {
  // Where a loop counts elements, a block's number times its size is the loop's variable, and the number after it is
  // the variable a block further.
  for (unsigned i : {0u, 1u}) {
    if (!isa<arith::MulIOp, arith::AddIOp>(op))
      break;
    Scalar a = frame.scalars[op->getOperand(i)], c = frame.scalars[op->getOperand(1 - i)];
    if (!a.strided || !c.constant)
      continue;
    Scalar &result = frame.scalars[op->getResult(0)];
    if (isa<arith::AddIOp>(op)) {
      result = a;
      result.strided =
          arith::AddIOp::create(b, op->getLoc(), a.strided, tensors.index(*c.constant * a.stride, op->getLoc()));
      result.bounds = boundsOf(frame, op);
      return success();
    }
    if (*c.constant == a.stride) {
      result.value = a.strided;
      result.bounds = boundsOf(frame, op);
      return success();
    }
  }
  // What differs from piece to piece is kept beside what is computed here.
  std::optional<PieceTerms> terms = linearTerms(
      op, [&](Value value) { return frame.scalars[value].pieceTerms(); },
      [&](Value value) { return frame.scalars[value].constant; });
  IRMapping map;
  for (Value operand : op->getOperands()) {
    const Scalar &scalar = frame.scalars[operand];
    Value value = tensors.materialise(terms ? scalar.commonPart() : scalar, op->getLoc());
    if (!value)
      return failure();
    map.map(operand, value);
  }
  Operation *made = b.clone(*op, map);
  SmallVector<OpFoldResult> folded;
  bool folds = succeeded(made->fold(folded)) && folded.size() == 1;
  auto number = folds ? dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(folded[0])) : IntegerAttr();
  if (auto constant = dyn_cast<arith::ConstantOp>(made))
    number = dyn_cast<IntegerAttr>(constant.getValue());
  Scalar &scalar = frame.scalars[op->getResult(0)];
  if (number && op->getResult(0).getType().isIndex()) {
    scalar.constant = number.getInt();
    made->erase();
  } else {
    scalar.value = made->getResult(0);
    scalar.bounds = terms && !terms->empty() ? std::nullopt : boundsOf(frame, op);
  }
  if (terms && !terms->empty()) {
    auto common = std::make_shared<Scalar>(scalar);
    scalar = Scalar();
    scalar.common = std::move(common);
    scalar.terms = std::move(*terms);
  }
  return success();
}

std::optional<ConstantIntRanges> Converter::boundsOf(Frame &frame, Operation *op) {
  auto inferable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferable)
    return std::nullopt;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    Scalar scalar = frame.scalars.lookup(operand);
    unsigned width = ConstantIntRanges::getStorageBitwidth(operand.getType());
    if (width == 0)
      return std::nullopt;
    operands.push_back(scalar.constant ? ConstantIntRanges::constant(APInt(width, *scalar.constant, true))
                       : scalar.bounds ? *scalar.bounds
                                       : ConstantIntRanges::maxRange(width));
  }
  std::optional<ConstantIntRanges> bounds;
  inferable.inferResultRanges(operands, [&](Value, const ConstantIntRanges &range) { bounds = range; });
  return bounds;
}

LogicalResult Converter::runLaunch(Frame &caller, task::LaunchOp launch) {
  const TaskInstance &instance = tree.callee(caller.instance, launch);
  if (inBlock)
    return runInstance(caller, instance, launch);
  if (instance.proc == hostLevel)
    return runInstance(caller, instance, launch);
  if (failed(beginBlock(instance, launch, launch.getLoc())))
    return failure();
  inBlock = true;
  LogicalResult result = runInstance(caller, instance, launch);
  inBlock = false;
  return result;
}

LogicalResult Converter::beginBlock(const TaskInstance &instance, task::LaunchOp launch, Location loc) {
  if (instance.proc != blockLevel)
    return refuse(launch, instance.placeOf("proc"), "expected level BLOCK inside HOST, got " + instance.proc);
  inBlock = !launch;
  return kernel.beginBlock(instance, loc);
}

LogicalResult Converter::runInstance(Frame &caller, const TaskInstance &instance, task::LaunchOp launch) {
  Frame frame{instance, tree.variantOf(instance)};
  task::TaskOp task = task::taskOf(frame.variant);
  struct CopyOut {
    TensorPart from, to;
    bool sum;
  };
  SmallVector<CopyOut, 2> copies;
  InstancePlaces launched{instance.name, {}};
  unsigned tensor = 0;
  for (auto [i, argument] : llvm::enumerate(frame.variant.getBody().getArguments())) {
    task::ParameterAttr parameter = task.getParameter(i);
    Value given = launch.getArguments()[i];
    if (!parameter.isTensor()) {
      frame.scalars[argument] = caller.scalars[given];
      continue;
    }
    TensorPart part = caller.tensors[given];
    std::string memory = instance.mems.empty() ? "" : instance.mems[tensor];
    ++tensor;
    if (memory == globalMemory && !part.store->view)
      return refuse(launch, instance.placeOf("mems"),
                    "expected '" + part.store->name + "', which a block makes, in another memory, got GLOBAL");
    if (memory == sharedMemory && !part.store->view && !part.store->isCopy)
      return refuse(launch, instance.placeOf("mems"),
                    "expected '" + part.store->name +
                        "', which a block computes, in REGISTER or NONE, got SHARED, where no kernel keeps it: what an "
                        "operation needs there is put there for it");
    bool isCopied = part.store->view && !memory.empty() && memory != globalMemory && memory != noMemory;
    launched.tensors.push_back({parameter.getName().str(), memory, isCopied && parameter.isRead(),
                                isCopied && parameter.isWritten(), part.store->view ? "" : part.store->name});
    if (isCopied) {
      FailureOr<TensorPart> copy = copyIn(part, parameter, memory, instance, launch);
      if (failed(copy))
        return failure();
      if (parameter.isWritten())
        copies.push_back({*copy, part, parameter.getPrivilege() == task::Privilege::Reduce});
      part = *copy;
    }
    if (!memory.empty() && memory != noMemory)
      part.memory = memory;
    if (memory == noMemory && !part.store->view)
      nones.push_back({part.store, &instance});
    frame.tensors[argument] = part;
  }
  if (!llvm::is_contained(places, launched))
    places.push_back(std::move(launched));
  levels.push_back(&instance);
  llvm::scope_exit leave([&] { levels.pop_back(); });
  if (failed(runVariant(frame)))
    return failure();
  for (CopyOut &copy : copies) {
    FailureOr<Value> value = tensors.read(copy.from, launch.getLoc());
    if (failed(value) || failed(tensors.write(copy.to, *value, copy.sum, launch.getLoc())))
      return failure();
  }
  return success();
}

FailureOr<TensorPart> Converter::copyIn(const TensorPart &part, task::ParameterAttr parameter,
                                        const std::string &memory, const TaskInstance &instance,
                                        task::LaunchOp launch) {
  FailureOr<RankedTensorType> type = failure();
  {
    NoteAt note(*this, instance.placeOf("mems"), "copied into " + memory + " for instance '" + instance.name + "'");
    type = tensors.typeOf(part, launch.getLoc());
  }
  if (failed(type))
    return failure();
  TensorStore &store = tensors.makeTemporary(*type, parameter.getName().getValue(), launch.getLoc());
  store.isCopy = true;
  if (parameter.isRead()) {
    FailureOr<Value> value = tensors.read(part, launch.getLoc());
    if (failed(value))
      return failure();
    kernel.noteCopy(*value, memory, pipelines.empty() ? nullptr : pipelines.back(),
                    instance.name + "_" + parameter.getName().getValue().str());
    store.current = *value;
  } else if (parameter.getPrivilege() == task::Privilege::Reduce) {
    store.current = arith::ConstantOp::create(b, launch.getLoc(), cast<TypedAttr>(b.getZeroAttr(*type)));
  }
  return tensors.all(store);
}

} // namespace heddle
