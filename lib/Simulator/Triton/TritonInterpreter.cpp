//===- TritonInterpreter.cpp - see TritonInterpreter.h ----------------------===//
//
// Pointers are 64-bit numbers: (argument + 1) << 48, plus a bias so that addresses below the beginning stay with their
// argument, plus the distance in bytes. Numbers that the kernel loads from an argument and takes for addresses count
// bytes of a memory of their own: one for each argument that has addresses.
//
//===----------------------------------------------------------------------===//
#include "heddle/Simulator/Triton/TritonInterpreter.h"

#include "heddle/Dialect/Triton/Libdevice.h"
#include "heddle/Simulator/Functional/BlockInterpreter.h"
#include "heddle/Simulator/Functional/Evaluate.h"
#include "heddle/Simulator/Functional/HostTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

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

struct Descriptor {
  int64_t address = 0;
  SmallVector<int64_t> sizes, strides;
};

Type pointeeOf(Type type) { return cast<tt::PointerType>(getElementTypeOrSelf(type)).getPointeeType(); }
int64_t bytesOf(Type element) { return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8); }
ArrayRef<int64_t> shapeOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

class Program : public BlockInterpreter {
public:
  Program(TritonRun &run, std::array<int64_t, 3> id) : run(run), id(id) {}

  LogicalResult runBody();

private:
  LogicalResult runOther(Operation *op) override;
  LogicalResult runAccess(Operation *op, Value pointers, Value mask);
  LogicalResult runDescriptor(Operation *op);
  /// tt.reduce, or tt.scan, which keeps every fold of a beginning or (`reverse`) of an end.
  LogicalResult runReduce(Operation *op, Block &combine, int64_t axis, bool keeps, bool reverse);
  /// Shape operations: element i of the result is element source(i) of the operand. False: none of them.
  bool runShape(Operation *op);
  bool runSimple(Operation *op);
  bool runProduct(tt::DotOp op);
  LogicalResult runBits(tt::BitcastOp op);
  LogicalResult runUpstream(Operation *op);
  bool runLibrary(tt::ExternElementwiseOp op);

  /// A value of zeros that can hold `type`; pointers as numbers.
  std::optional<TileValue> zerosOf(Type type) {
    if (isa<tt::PointerType>(getElementTypeOrSelf(type)))
      return TileValue::zeros(ElementKind::I64, shapeOf(type));
    return TileValue::zerosOf(type, /*wide=*/true);
  }
  void copyElement(TileValue &to, int64_t i, const TileValue &from, int64_t j) {
    if (to.isFloat())
      to.setFloat(i, from.floatAt(j));
    else
      to.setInt(i, from.intAt(j));
  }
  LogicalResult move(Operation *op, TritonAccess &access, Type element, const TileValue *stored, const TileValue *other,
                     TileValue *loaded);

  TritonRun &run;
  std::array<int64_t, 3> id;
  DenseMap<Value, Descriptor> descriptors;
  DenseMap<Value, int64_t> loadedFrom; ///< scalars: number of the argument
};

} // namespace

LogicalResult Program::runBody() {
  Block &entry = run.function.getBody().front();
  for (BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    Type type = argument.getType();
    if (isa<tt::PointerType>(type)) {
      values[argument] = TileValue::index(addressOf(number));
    } else if (auto descriptor = dyn_cast<tt::TensorDescType>(type)) {
      size_t rank = descriptor.getShape().size();
      Descriptor made;
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
  return failure(failed(runBlock(entry)));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

LogicalResult Program::move(Operation *op, TritonAccess &access, Type element, const TileValue *stored,
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
    TritonMemory &memory = run.memory.try_emplace(argument, run.initial(argument, *kind)).first->second;
    run.reach[argument] = std::max(run.reach[argument], position + 1);
    if (memory.kind() != *kind)
      return op->emitOpError("expected one element type for each argument, got two");
    bool isFloat = isFloatKind(*kind);
    if (loaded && isFloat)
      loaded->setFloat(i, memory.floatAt(position));
    else if (loaded)
      loaded->setInt(i, memory.intAt(position));
    if (!stored)
      continue;
    double number = isFloat ? stored->floatAt(i) : 0;
    int64_t integer = isFloat ? 0 : stored->intAt(i);
    if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op)) {
      if (atomic.getAtomicRmwOp() != tt::AtomicKind::FAdd && atomic.getAtomicRmwOp() != tt::AtomicKind::Add)
        return op->emitOpError("expected an addition");
      // Additions begin at zero: what else is in memory is not the kernel's.
      auto before = memory.written().find(position);
      bool isFirst = before == memory.written().end();
      number += isFirst ? 0 : before->second.number;
      integer += isFirst ? 0 : before->second.integer;
    }
    memory.set(position, number, integer);
  }
  return success();
}

LogicalResult Program::runAccess(Operation *op, Value pointers, Value mask) {
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

LogicalResult Program::runDescriptor(Operation *op) {
  const Descriptor &descriptor = descriptors[op->getOperand(0)];
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

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult Program::runReduce(Operation *op, Block &combine, int64_t axis, bool keeps, bool reverse) {
  SmallVector<TileValue> in = valuesOf(op->getOperands()), out;
  ArrayRef<int64_t> shape = in[0].shape;
  int64_t inner = 1, along = shape[axis], total = in[0].size() / along;
  for (int64_t extent : shape.drop_front(axis + 1))
    inner *= extent;
  for (Value result : op->getResults()) {
    std::optional<TileValue> value = zerosOf(result.getType());
    if (!value)
      return op->emitOpError("expected elements that the simulator can hold, got ") << result.getType();
    out.push_back(*value);
  }
  size_t count = in.size();
  for (int64_t o = 0; o < total; ++o) {
    int64_t first = (o / inner) * along * inner + o % inner;
    SmallVector<TileValue> sum;
    for (int64_t step = 0; step < along; ++step) {
      int64_t k = reverse ? along - 1 - step : step;
      SmallVector<TileValue> next;
      for (size_t s = 0; s < count; ++s) {
        TileValue scalar = TileValue::zeros(in[s].kind, {});
        copyElement(scalar, 0, in[s], first + k * inner);
        next.push_back(std::move(scalar));
      }
      if (step == 0) {
        sum = std::move(next);
      } else {
        for (size_t s = 0; s < count; ++s) {
          values[combine.getArgument(s)] = sum[s];
          values[combine.getArgument(count + s)] = next[s];
        }
        FailureOr<SmallVector<TileValue>> combined = runBlock(combine);
        if (failed(combined))
          return failure();
        sum = std::move(*combined);
      }
      for (size_t s = 0; keeps && s < count; ++s)
        copyElement(out[s], first + k * inner, sum[s], 0);
    }
    for (size_t s = 0; !keeps && s < count; ++s)
      copyElement(out[s], o, sum[s], 0);
  }
  define(op->getResults(), out);
  return success();
}

/// Coordinates of element `i` of a tile of `shape`.
static SmallVector<int64_t> coordinatesOf(int64_t i, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> at(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    at[d] = i % shape[d];
    i /= shape[d];
  }
  return at;
}

static int64_t elementAt(ArrayRef<int64_t> at, ArrayRef<int64_t> shape) {
  int64_t i = 0;
  for (auto [a, extent] : llvm::zip_equal(at, shape))
    i = i * extent + a;
  return i;
}

bool Program::runShape(Operation *op) {
  std::function<int64_t(int64_t)> sourceOf;
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  Type type = op->getResult(0).getType();
  ArrayRef<int64_t> to = shapeOf(type), from = shapeOf(op->getOperand(0).getType());
  if (isa<tt::SplatOp, tt::UnsplatOp>(op))
    sourceOf = [](int64_t) { return 0; };
  else if (isa<tt::ExpandDimsOp, tt::ReshapeOp, tt::FpToFpOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>(op))
    sourceOf = [](int64_t i) { return i; };
  else if (isa<tt::BroadcastOp>(op))
    sourceOf = [&](int64_t i) {
      SmallVector<int64_t> at = coordinatesOf(i, to);
      for (auto [a, extent] : llvm::zip_equal(at, from))
        a = extent == 1 ? 0 : a;
      return elementAt(at, from);
    };
  else if (auto trans = dyn_cast<tt::TransOp>(op))
    sourceOf = [&, trans](int64_t i) mutable {
      SmallVector<int64_t> at = coordinatesOf(i, to), source(at.size());
      for (auto [d, s] : llvm::enumerate(trans.getOrder()))
        source[s] = at[d];
      return elementAt(source, from);
    };
  if (!sourceOf)
    return false;
  const TileValue source = values[op->getOperand(0)];
  std::optional<TileValue> result = zerosOf(type);
  bool bits = isa<tt::BitcastOp>(op) && result && source.isFloat() != result->isFloat();
  if (!result || bits)
    return false;
  for (int64_t i = 0, n = result->size(); i < n; ++i)
    copyElement(*result, i, source, sourceOf(i));
  values[op->getResult(0)] = std::move(*result);
  return true;
}

/// One product, or one for each of the first dimension.
bool Program::runProduct(tt::DotOp op) {
  if (run.addressesOnly || op.getType().getRank() > 3) {
    values[op] = *zerosOf(op.getType());
    return op.getType().getRank() <= 3;
  }
  if (op.getType().getRank() == 2) {
    values[op] = dot(values[op.getA()], values[op.getB()], values[op.getC()]);
    return true;
  }
  int64_t count = op.getType().getDimSize(0);
  auto part = [&](Value whole, int64_t number) {
    const TileValue &from = values[whole];
    TileValue one = TileValue::zeros(from.kind, ArrayRef(from.shape).drop_front());
    for (int64_t i = 0, n = one.size(); i < n; ++i)
      copyElement(one, i, from, number * n + i);
    return one;
  };
  TileValue result = *zerosOf(op.getType());
  for (int64_t number = 0; number < count; ++number) {
    TileValue one = dot(part(op.getA(), number), part(op.getB(), number), part(op.getC(), number));
    for (int64_t i = 0, n = one.size(); i < n; ++i)
      copyElement(result, number * n + i, one, i);
  }
  values[op] = std::move(result);
  return true;
}

/// Operations of tt that compute. False: not known.
bool Program::runSimple(Operation *op) {
  if (auto program = dyn_cast<tt::GetProgramIdOp>(op)) {
    values[program] = TileValue::scalar(ElementKind::I32, id[static_cast<size_t>(program.getAxis())]);
    return true;
  }
  if (auto count = dyn_cast<tt::GetNumProgramsOp>(op)) {
    values[count] = TileValue::scalar(ElementKind::I32, run.grid[static_cast<size_t>(count.getAxis())]);
    return true;
  }
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    TileValue result = TileValue::zeros(ElementKind::I32, shapeOf(range.getType()));
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      result.setInt(i, int64_t(range.getStart()) + i);
    values[range] = std::move(result);
    return true;
  }
  if (auto add = dyn_cast<tt::AddPtrOp>(op)) {
    const TileValue base = values[add.getPtr()], offset = values[add.getOffset()];
    TileValue result = base;
    int64_t size = bytesOf(pointeeOf(add.getType()));
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      result.setInt(i, base.intAt(i) + offset.intAt(i) * size);
    values[add] = std::move(result);
    return true;
  }
  if (auto make = dyn_cast<tt::MakeTensorDescOp>(op)) {
    Descriptor descriptor;
    descriptor.address = values[make.getBase()].intAt(0);
    for (Value size : make.getShape())
      descriptor.sizes.push_back(values[size].toIndex());
    for (Value stride : make.getStrides())
      descriptor.strides.push_back(values[stride].toIndex());
    descriptors[make] = descriptor;
    return true;
  }
  if (auto product = dyn_cast<tt::DotOp>(op))
    return runProduct(product);
  if (auto gather = dyn_cast<tt::GatherOp>(op)) {
    const TileValue source = values[gather.getSrc()], numbers = values[gather.getIndices()];
    ArrayRef<int64_t> from = shapeOf(gather.getSrc().getType()), to = shapeOf(gather.getType());
    TileValue result = *zerosOf(gather.getType());
    for (int64_t i = 0, n = result.size(); i < n; ++i) {
      SmallVector<int64_t> at = coordinatesOf(i, to);
      at[gather.getAxis()] = numbers.intAt(i);
      if (numbers.intAt(i) >= 0 && numbers.intAt(i) < from[gather.getAxis()])
        copyElement(result, i, source, elementAt(at, from));
    }
    values[gather] = std::move(result);
    return true;
  }
  if (auto histogram = dyn_cast<tt::HistogramOp>(op)) {
    const TileValue source = values[histogram.getSrc()];
    TileValue result = *zerosOf(histogram.getType());
    for (int64_t i = 0, n = source.size(); i < n; ++i)
      if (int64_t bin = source.intAt(i); bin >= 0 && bin < result.size())
        if (!histogram.getMask() || values[histogram.getMask()].intAt(i))
          result.setInt(bin, result.intAt(bin) + 1);
    values[histogram] = std::move(result);
    return true;
  }
  if (auto split = dyn_cast<tt::SplitOp>(op)) {
    const TileValue source = values[split.getSrc()];
    for (int64_t half : {0, 1}) {
      TileValue result = *zerosOf(split->getResult(half).getType());
      for (int64_t i = 0, n = result.size(); i < n; ++i)
        copyElement(result, i, source, 2 * i + half);
      values[split->getResult(half)] = std::move(result);
    }
    return true;
  }
  if (auto join = dyn_cast<tt::JoinOp>(op)) {
    TileValue result = *zerosOf(join.getType());
    const TileValue lhs = values[join.getLhs()], rhs = values[join.getRhs()];
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      copyElement(result, i, i % 2 ? rhs : lhs, i / 2);
    values[join] = std::move(result);
    return true;
  }
  if (auto external = dyn_cast<tt::ExternElementwiseOp>(op))
    return runLibrary(external);
  SmallVector<TileValue> in = valuesOf(op->getOperands());
  if (isa<tt::MulhiUIOp>(op) && in[0].kind == ElementKind::I32) {
    TileValue result = in[0];
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      result.setInt(
          i, static_cast<int64_t>((uint64_t(uint32_t(in[0].intAt(i))) * uint64_t(uint32_t(in[1].intAt(i)))) >> 32));
    values[op->getResult(0)] = std::move(result);
    return true;
  }
  std::function<double(int64_t)> number;
  auto at = [&](unsigned operand, int64_t i) { return in[operand].floatAt(i); };
  if (isa<tt::PreciseSqrtOp>(op))
    number = [&](int64_t i) { return std::sqrt(at(0, i)); };
  else if (isa<tt::PreciseDivFOp>(op))
    number = [&](int64_t i) { return at(0, i) / at(1, i); };
  else if (isa<tt::ClampFOp>(op))
    number = [&](int64_t i) { return std::fmin(std::fmax(at(0, i), at(1, i)), at(2, i)); };
  if (!number)
    return false;
  TileValue result = *zerosOf(op->getResult(0).getType());
  for (int64_t i = 0, n = result.size(); i < n; ++i)
    result.setFloat(i, number(i));
  values[op->getResult(0)] = std::move(result);
  return true;
}

/// A function of libdevice is evaluated as the upstream operation that it means.
bool Program::runLibrary(tt::ExternElementwiseOp op) {
  tt::UpstreamOperation upstream = tt::upstreamOperation(op);
  if (upstream.name.empty())
    return false;
  op.getContext()->getOrLoadDialect(upstream.name.split('.').first);
  OperationState state(op.getLoc(), upstream.name);
  state.addOperands(op.getSrcs());
  state.addTypes(upstream.typeFor(op.getType()));
  Operation *made = Operation::create(state);
  LogicalResult done = runUpstream(made);
  if (succeeded(done)) {
    TileValue given = values[made->getResult(0)], result = *zerosOf(op.getType());
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      copyElement(result, i, given, i);
    values[op] = std::move(result);
    values.erase(made->getResult(0));
  }
  made->destroy();
  return succeeded(done);
}

/// The bits of floats as integers, and back: on one of upstream's.
LogicalResult Program::runBits(tt::BitcastOp op) {
  OperationState state(op.getLoc(), "arith.bitcast", op->getOperands(), op->getResultTypes());
  OwningOpRef<Operation *> upstream = Operation::create(state);
  LogicalResult done = runUpstream(*upstream);
  TileValue result = values[upstream->getResult(0)];
  values.erase(upstream->getResult(0));
  values[op] = std::move(result);
  return done;
}

LogicalResult Program::runUpstream(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && isa<tt::PointerType>(getElementTypeOrSelf(select.getType()))) {
    const TileValue condition = values[select.getCondition()], yes = values[select.getTrueValue()],
                    no = values[select.getFalseValue()];
    TileValue result = yes;
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      copyElement(result, i, condition.intAt(condition.shape.empty() ? 0 : i) ? yes : no, i);
    values[select] = std::move(result);
    return success();
  }
  EvaluateOptions wide;
  wide.wide = true;
  SmallVector<TileValue> results;
  if (failed(evaluate(op, valuesOf(op->getOperands()), results, wide)))
    return failure();
  define(op->getResults(), results);
  return success();
}

LogicalResult Program::runOther(Operation *op) {
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
        if (failed(Program(run, {x, y, z}).runBody()))
          return failure();
  return success();
}

} // namespace heddle::sim
