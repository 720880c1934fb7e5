//===- TritonInterpreter.cpp - see TritonInterpreter.h ----------------------===//
//
// Memory, programs and accesses; what computes: TritonCompute.cpp.
//
// Pointers are 64-bit numbers: (argument + 1) << 48, plus a bias so that addresses below the beginning stay with their
// argument, plus the distance in bytes. Numbers that the kernel loads from an argument and takes for addresses count
// bytes of a memory of their own: one for each argument that has addresses.
//
//===----------------------------------------------------------------------===//
#include "TritonProgram.h"

#include "heddle/Simulator/Functional/HostTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
namespace tt = heddle::triton;

namespace heddle::sim {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

double TritonMemory::initialFloat(int64_t position) const {
  if (isGiven(position))
    return given->floatAt(position);
  Random random(seed + 0x9e3779b97f4a7c15ull * static_cast<uint64_t>(position + 1));
  random.next();
  return roundTo(elementKind, random.normal());
}

int64_t TritonMemory::initialInt(int64_t position) const {
  if (isGiven(position))
    return given->intAt(position);
  Random random(seed + 0x9e3779b97f4a7c15ull * static_cast<uint64_t>(position + 1));
  random.next();
  return random.next() >> 60; // 0 to 15, as HostTensor fills
}

TritonMemory TritonRun::initial(unsigned argument, ElementKind kind) const {
  auto it = given.find(argument);
  return TritonMemory(kind, seed * 1000003 + 7919 * uint64_t(argument), it == given.end() ? nullptr : &it->second);
}

double TritonMemory::floatAt(int64_t position) const {
  auto it = elements.find(position);
  return it == elements.end() ? initialFloat(position) : it->second.number;
}

int64_t TritonMemory::intAt(int64_t position) const {
  auto it = elements.find(position);
  return it == elements.end() ? initialInt(position) : it->second.integer;
}

void TritonMemory::set(int64_t position, double number, int64_t integer) { elements[position] = {number, integer}; }

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {

constexpr int64_t bias = int64_t(1) << 46;
int64_t addressOf(unsigned argument) { return (int64_t(argument + 1) << 48) + bias; }

/// The address that `number`, loaded from what `argument` points to, means.
int64_t addressIn(unsigned argument, int64_t number) {
  return (int64_t(argument + pointedTo + 1) << 48) + bias + number;
}

} // namespace

LogicalResult TritonProgram::runBody() {
  Block &entry = run.function.getBody().front();
  for (BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    Type type = argument.getType();
    if (isa<tt::PointerType>(type)) {
      values[argument] = TileValue::index(addressOf(number));
    } else if (auto descriptor = dyn_cast<tt::TensorDescType>(type)) {
      size_t rank = descriptor.getShape().size();
      TritonDescriptor made;
      made.address = addressOf(number);
      for (size_t d = 0; d < 2 * rank && number + 1 + d < entry.getNumArguments(); ++d) {
        auto given = run.scalars.find(number + 1 + d);
        int64_t value = given == run.scalars.end() ? 0 : static_cast<int64_t>(given->second);
        (d < rank ? made.sizes : made.strides).push_back(value);
      }
      if (!made.strides.empty())
        made.strides.back() = 1;
      descriptors[argument] = made;
    } else if (std::optional<TileValue> value = zerosOf(type)) {
      auto given = run.scalars.find(number);
      double scalar = given == run.scalars.end() ? 0 : given->second;
      if (value->isFloat())
        value->setFloat(0, static_cast<double>(static_cast<float>(scalar)));
      else
        value->setInt(0, static_cast<int64_t>(scalar));
      values[argument] = *value;
    }
  }
  for (Block *block = &entry; block;) {
    if (failed(runBlock(*block)))
      return failure();
    block = follow(block->getTerminator());
  }
  return success();
}

Block *TritonProgram::follow(Operation *terminator) {
  Block *next = nullptr;
  ValueRange given;
  if (auto jump = dyn_cast<cf::BranchOp>(terminator)) {
    next = jump.getDest(), given = jump.getDestOperands();
  } else if (auto branch = dyn_cast<cf::CondBranchOp>(terminator)) {
    bool taken = values[branch.getCondition()].intAt(0) != 0;
    next = taken ? branch.getTrueDest() : branch.getFalseDest();
    given = taken ? branch.getTrueDestOperands() : branch.getFalseDestOperands();
  }
  if (next)
    define(next->getArguments(), valuesOf(given));
  return next;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// A number of type `from` as the number of type `to` that has its bits, as a float or an integer; floats of one type
/// stay as they are, unrounded.
static TritonMemory::Element bitsAs(ElementKind to, ElementKind from, double number, int64_t integer) {
  if (to == from)
    return {number, integer};
  HostTensor one("", from, {1}), other("", to, {1});
  if (isFloatKind(from))
    one.setFloat(0, number);
  else
    one.setInt(0, integer);
  llvm::copy(one.bytes().take_front(elementBytes(from)), other.bytes().begin());
  return isFloatKind(to) ? TritonMemory::Element{other.floatAt(0), 0} : TritonMemory::Element{0, other.intAt(0)};
}

static void setElement(TileValue &tile, int64_t i, const TritonMemory::Element &element) {
  if (tile.isFloat())
    tile.setFloat(i, element.number);
  else
    tile.setInt(i, element.integer);
}

LogicalResult TritonProgram::move(Operation *op, TritonAccess &access, Type element, const TileValue *stored,
                                  const TileValue *other, TileValue *loaded) {
  if (run.watch) {
    auto valueOf = [&](Value value) -> const TileValue * {
      auto it = values.find(value);
      return it == values.end() ? nullptr : &it->second;
    };
    if (std::optional<std::string> complaint = run.watch(access, valueOf, id))
      return op->emitError(*complaint);
  }
  std::optional<ElementKind> kind = elementKindOf(element);
  if (!kind)
    return op->emitOpError("expected elements that the simulator can hold, got ") << element;
  for (size_t i = 0; i < access.positions.size(); ++i) {
    if (!access.mask[i]) {
      if (loaded && other)
        copyElement(*loaded, i, *other, i);
      continue;
    }
    int64_t position = access.positions[i];
    if (access.argument[i] < 0 || position < 0 || position > elementLimit)
      return op->emitOpError("expected an address in what an argument points to, got element ")
             << position << " of argument " << access.argument[i];
    auto argument = static_cast<unsigned>(access.argument[i]);
    auto known = run.kinds.find(argument);
    TritonMemory &memory =
        run.memory.try_emplace(argument, run.initial(argument, known == run.kinds.end() ? *kind : known->second))
            .first->second;
    run.reach[argument] = std::max(run.reach[argument], position + 1);
    if (elementBytes(memory.kind()) != elementBytes(*kind))
      return op->emitOpError("expected elements of one size for each argument, got two");
    if (loaded)
      setElement(*loaded, i, bitsAs(*kind, memory.kind(), memory.floatAt(position), memory.intAt(position)));
    if (!stored)
      continue;
    bool isFloat = isFloatKind(memory.kind());
    bool givesFloat = isFloatKind(*kind);
    auto [number, integer] =
        bitsAs(memory.kind(), *kind, givesFloat ? stored->floatAt(i) : 0, givesFloat ? 0 : stored->intAt(i));
    if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op)) {
      if (atomic.getAtomicRmwOp() != tt::AtomicKind::FAdd && atomic.getAtomicRmwOp() != tt::AtomicKind::Add)
        return op->emitOpError("expected an addition");
      // Additions begin at zero where nobody says what is there.
      bool isFirst = !memory.written().count(position),
           isZero = !run.given.count(argument) && !run.loaded.count(argument);
      number += !isFloat || (isFirst && isZero) ? 0 : memory.floatAt(position);
      integer += isFloat || (isFirst && isZero) ? 0 : memory.intAt(position);
    }
    memory.set(position, number, integer);
  }
  return success();
}

LogicalResult TritonProgram::runAccess(Operation *op, Value pointers, Value mask) {
  const TileValue base = values[pointers];
  Type element = pointeeOf(pointers.getType());
  TritonAccess access;
  access.op = op;
  access.isStore = !isa<tt::LoadOp>(op);
  access.shape.assign(base.shape.begin(), base.shape.end());
  int64_t size = bytesOf(element), count = base.size();
  for (int64_t i = 0; i < count; ++i) {
    int64_t address = base.intAt(i), argument = (address >> 48) - 1;
    access.argument.push_back(argument);
    int64_t distance = address - addressOf(static_cast<unsigned>(argument));
    access.positions.push_back(distance % size == 0 || distance >= 0 ? distance / size : -1);
    access.mask.push_back(mask ? values[mask].intAt(i) != 0 : 1);
  }
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    std::optional<TileValue> result = zerosOf(load.getType());
    if (!result)
      return op->emitOpError("expected elements that the simulator can hold, got ") << element;
    const TileValue *other = load.getOther() ? &values[load.getOther()] : nullptr;
    if (failed(move(op, access, element, nullptr, other, &*result)))
      return failure();
    if (isa<tt::PointerType>(load.getType()) && access.argument[0] >= 0)
      result->setInt(0, addressIn(static_cast<unsigned>(access.argument[0]), result->intAt(0)));
    if (!isa<RankedTensorType>(load.getType()))
      loadedFrom[load] = access.argument[0];
    values[load] = std::move(*result);
    return success();
  }
  const TileValue stored = values[op->getOperand(1)];
  return move(op, access, element, &stored, nullptr, nullptr);
}

LogicalResult TritonProgram::runDescriptor(Operation *op) {
  const TritonDescriptor &descriptor = descriptors[op->getOperand(0)];
  bool isStore = isa<tt::DescriptorStoreOp>(op);
  auto type = cast<tt::TensorDescType>(op->getOperand(0).getType());
  SmallVector<TileValue> indices =
      valuesOf(isStore ? cast<tt::DescriptorStoreOp>(op).getIndices() : cast<tt::DescriptorLoadOp>(op).getIndices());
  ArrayRef<int64_t> block = type.getShape();
  Type element = type.getElementType();
  TritonAccess access;
  access.op = op;
  access.isStore = isStore;
  // The value may leave out dimensions of extent one, which changes no element's number.
  ArrayRef<int64_t> shape = shapeOf(isStore ? op->getOperand(1).getType() : op->getResult(0).getType());
  access.shape.assign(shape.begin(), shape.end());
  int64_t count = 1, argument = (descriptor.address >> 48) - 1;
  for (int64_t extent : block)
    count *= extent;
  int64_t begin = (descriptor.address - addressOf(static_cast<unsigned>(argument))) / bytesOf(element);
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = begin;
    bool inside = true;
    for (int64_t d = block.size() - 1, rest = i; d >= 0; --d) {
      int64_t at = indices[d].toIndex() + rest % block[d];
      rest /= block[d];
      inside &= at >= 0 && at < descriptor.sizes[d];
      position += at * descriptor.strides[d];
    }
    access.argument.push_back(argument);
    access.positions.push_back(position);
    access.mask.push_back(inside);
  }
  if (isStore) {
    const TileValue stored = values[op->getOperand(1)];
    return move(op, access, element, &stored, nullptr, nullptr);
  }
  std::optional<TileValue> result = zerosOf(op->getResult(0).getType());
  if (!result)
    return op->emitOpError("expected elements that the simulator can hold, got ") << element;
  if (failed(move(op, access, element, nullptr, nullptr, &*result)))
    return failure();
  values[op->getResult(0)] = std::move(*result);
  return success();
}

LogicalResult TritonProgram::runOther(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return runAccess(op, load.getPtr(), load.getMask());
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return runAccess(op, store.getPtr(), store.getMask());
  if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op); atomic && op->use_empty())
    return runAccess(op, atomic.getPtr(), atomic.getMask());
  if (isa<tt::DescriptorLoadOp, tt::DescriptorStoreOp>(op))
    return runDescriptor(op);
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return runReduce(op, reduce.getCombineOp().front(), reduce.getAxis(), /*keeps=*/false, /*reverse=*/false);
  if (auto scan = dyn_cast<tt::ScanOp>(op))
    return runReduce(op, scan.getCombineOp().front(), scan.getAxis(), /*keeps=*/true, scan.getReverse());
  if (auto address = dyn_cast<tt::IntToPtrOp>(op); address && loadedFrom.count(address.getSrc())) {
    auto from = static_cast<unsigned>(loadedFrom.lookup(address.getSrc()));
    values[address] = TileValue::index(addressIn(from, values[address.getSrc()].intAt(0)));
    return success();
  }
  if (tt::isMeaningless(op) || runShape(op) || runSimple(op))
    return success();
  if (auto bits = dyn_cast<tt::BitcastOp>(op))
    return runBits(bits);
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return runUpstream(op);
  return op->emitOpError("is not an operation that the simulator can evaluate");
}

LogicalResult runTriton(TritonRun &run) {
  run.memory.clear();
  run.reach.clear();
  for (int64_t z = 0; z < run.grid[2]; ++z)
    for (int64_t y = 0; y < run.grid[1]; ++y)
      for (int64_t x = 0; x < run.grid[0]; ++x)
        if (failed(TritonProgram(run, {x, y, z}).runBody()))
          return failure();
  return success();
}

} // namespace heddle::sim
