//===- Values.cpp - see Values.h --------------------------------------------===//
//
// One walk over the kernel, operation by operation; loops are in LoopValues.cpp.
//
//===----------------------------------------------------------------------===//
#include "Values.h"

#include "Steps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using heddle::address::Atom;
using heddle::address::Poly;
using heddle::address::SymbolInfo;
using heddle::address::SymbolKind;

namespace heddle::triton {

static Type elementOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getElementType() : type;
}
static ArrayRef<int64_t> shapeOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}
bool isNumber(Type type) {
  Type element = elementOf(type);
  return element.isIndex() || (element.isInteger() && !element.isInteger(1));
}
bool isTruth(Type type) { return elementOf(type).isInteger(1); }
bool isPointer(Type type) { return isa<PointerType>(elementOf(type)); }
Type pointeeOf(Type type) {
  auto pointer = dyn_cast<PointerType>(elementOf(type));
  return pointer ? pointer.getPointeeType() : Type();
}

//===----------------------------------------------------------------------===//
// Symbols for what is not known
//===----------------------------------------------------------------------===//

int64_t Values::idOf(Value value) {
  auto [it, isNew] = ids.insert({value, static_cast<int64_t>(opaques.size())});
  if (isNew)
    opaques.push_back(value);
  return it->second;
}

Poly Values::unknown(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value.getType());
  if (!isa<RankedTensorType>(value.getType()))
    return algebra.make(SymbolKind::Opaque, idOf(value));
  std::vector<Poly> lanes;
  for (size_t d = 0; d < shape.size(); ++d)
    lanes.push_back(algebra.lane(d));
  return algebra.make(SymbolKind::Table, idOf(value), lanes);
}

Poly Values::counter(Value value) {
  auto [it, isNew] = counterIds.insert({value, static_cast<int64_t>(counters.size())});
  if (isNew)
    counters.push_back(value);
  return algebra.make(SymbolKind::Counter, it->second);
}

bool Values::isCounter(Value value) {
  bool isScalar = isNumber(value.getType()) && !isa<RankedTensorType>(value.getType());
  return isScalar && algebra.isNotNegative(number(value));
}

void Values::follow(Value value, bool counts) {
  forget(value);
  if (counts)
    numbers[value] = counter(value);
}

std::vector<Atom> Values::unknownTruth(Value value) {
  Atom atom;
  atom.opaque = true;
  atom.id = idOf(value);
  for (size_t d = 0; d < shapeOf(value.getType()).size(); ++d)
    atom.operands.push_back(algebra.lane(d));
  return {atom};
}

Poly Values::number(Value value) {
  if (auto it = numbers.find(value); it != numbers.end())
    return it->second;
  return unknown(value);
}

std::vector<Atom> Values::truth(Value value) {
  if (auto it = truths.find(value); it != truths.end())
    return it->second;
  return unknownTruth(value);
}

KnownPointer Values::pointer(Value value) {
  if (auto it = pointers.find(value); it != pointers.end())
    return it->second;
  return {};
}

void Values::forget(ValueRange values) {
  for (Value value : values) {
    if (isNumber(value.getType()))
      numbers[value] = unknown(value);
    else if (isTruth(value.getType()))
      truths[value] = unknownTruth(value);
    else
      pointers.erase(value);
  }
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Poly Values::renumbered(const Poly &poly, llvm::function_ref<std::optional<int64_t>(int64_t)> dimension) {
  return algebra.substitute(poly, [&](address::Symbol symbol) -> std::optional<Poly> {
    SymbolInfo info = algebra.info(symbol);
    if (info.kind != SymbolKind::Lane)
      return std::nullopt;
    std::optional<int64_t> other = dimension(info.id);
    return other ? algebra.lane(*other) : Poly(0);
  });
}

std::vector<Atom> Values::renumbered(std::vector<Atom> atoms,
                                     llvm::function_ref<std::optional<int64_t>(int64_t)> dimension) {
  for (Atom &atom : atoms) {
    atom.a = renumbered(atom.a, dimension);
    atom.b = renumbered(atom.b, dimension);
    for (Poly &operand : atom.operands)
      operand = renumbered(operand, dimension);
  }
  return atoms;
}

/// Where each dimension of the source of a shape operation goes; null function where it is no renumbering.
static std::function<std::optional<int64_t>(int64_t)> dimensionMap(Operation *op) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType()), to = shapeOf(op->getResult(0).getType());
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    int64_t axis = expand.getAxis();
    return [axis](int64_t d) { return std::optional<int64_t>(d < axis ? d : d + 1); };
  }
  if (isa<SplatOp>(op))
    return [](int64_t d) { return std::optional<int64_t>(d); };
  if (isa<UnsplatOp>(op))
    return [](int64_t) { return std::optional<int64_t>(); };
  if (isa<BroadcastOp>(op))
    return [from, to](int64_t d) { return from[d] == to[d] ? std::optional<int64_t>(d) : std::nullopt; };
  if (auto trans = dyn_cast<TransOp>(op)) {
    ArrayRef<int32_t> order = trans.getOrder();
    return [order](int64_t d) { return std::optional<int64_t>(llvm::find(order, d) - order.begin()); };
  }
  if (isa<ReshapeOp>(op)) { // adds and drops dimensions of extent one only
    SmallVector<int64_t> map(from.size(), -1);
    size_t next = 0;
    for (size_t d = 0; d < from.size(); ++d) {
      if (from[d] == 1)
        continue;
      while (next < to.size() && to[next] == 1)
        ++next;
      if (next == to.size() || to[next] != from[d])
        return nullptr;
      map[d] = next++;
    }
    return [map](int64_t d) { return map[d] < 0 ? std::nullopt : std::optional<int64_t>(map[d]); };
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Atom negated(const Atom &atom) {
  Atom result = atom;
  if (atom.opaque) {
    result.negated = !atom.negated;
    return result;
  }
  result.a = atom.b;
  result.b = atom.a + Poly(1);
  return result;
}

static std::optional<int64_t> constantOf(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getValue().trySExtValue();
  if (auto tile = dyn_cast<DenseIntElementsAttr>(attribute); tile && tile.isSplat())
    return tile.getSplatValue<APInt>().trySExtValue();
  return std::nullopt;
}

bool Values::noteOverflow(Operation *op, Value result, const Poly &value) {
  constexpr int64_t leastFactor = 1 << 29; // strides are less: eight of them are the memory that 32 bits address
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
    return false;
  Type type = elementOf(result.getType());
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 32;
  bool overflows =
      bits < 32 || llvm::any_of(op->getOperands(), [&](Value operand) { return overflowing.contains(operand); });
  for (const auto &[monomial, factor] : value.terms())
    overflows |= bits == 32 && !monomial.empty() && std::abs(factor) >= leastFactor;
  if (overflows)
    overflowing.insert(result);
  return overflows;
}

Poly Values::compute(Operation *op, Value result) {
  auto in = [&](unsigned i) { return number(op->getOperand(i)); };
  auto notNegative = [&] { return algebra.isNotNegative(in(0)) && algebra.isNotNegative(in(1)); };
  if (auto axis = dyn_cast<GetProgramIdOp>(op))
    return algebra.make(SymbolKind::Program, static_cast<int64_t>(axis.getAxis()));
  if (auto axis = dyn_cast<GetNumProgramsOp>(op))
    return algebra.make(SymbolKind::Programs, static_cast<int64_t>(axis.getAxis()));
  if (auto range = dyn_cast<MakeRangeOp>(op))
    return algebra.lane(0) + Poly(range.getStart());
  if (std::optional<int64_t> constant = constantOf(result))
    return Poly(*constant);
  if (auto map = op->getNumOperands() == 1 && op->getNumResults() == 1 ? dimensionMap(op) : nullptr)
    return renumbered(in(0), map);
  if (isa<arith::AddIOp>(op))
    return in(0) + in(1);
  if (isa<arith::SubIOp>(op))
    return algebra.withRemainders(in(0) - in(1));
  if (isa<arith::MulIOp>(op))
    return in(0) * in(1);
  if (isa<arith::DivSIOp>(op) || (isa<arith::DivUIOp, arith::FloorDivSIOp>(op) && notNegative()))
    return algebra.quotient(in(0), in(1));
  if (isa<arith::RemSIOp>(op) || (isa<arith::RemUIOp>(op) && notNegative()))
    return algebra.remainder(in(0), in(1));
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op) && notNegative())
    return algebra.quotient(in(0) + in(1) - Poly(1), in(1));
  if (isa<arith::MinSIOp>(op) || (isa<arith::MinUIOp>(op) && notNegative()))
    return algebra.minimum(in(0), in(1));
  if (isa<arith::MaxSIOp>(op) || (isa<arith::MaxUIOp>(op) && notNegative()))
    return algebra.maximum(in(0), in(1));
  if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op) && isNumber(op->getOperand(0).getType()))
    return in(0);
  if (isa<arith::ExtUIOp>(op) && isNumber(op->getOperand(0).getType()) && algebra.isNotNegative(in(0)))
    return in(0);
  if (isa<arith::TruncIOp>(op) && elementOf(result.getType()).getIntOrFloatBitWidth() >= 32)
    return in(0);
  if (isa<arith::ExtUIOp>(op) && isTruth(op->getOperand(0).getType()))
    if (std::vector<Atom> atoms = truth(op->getOperand(0)); atoms.size() == 1 && !atoms[0].opaque)
      return algebra.choice(atoms[0], Poly(1), Poly(0));
  if (isa<arith::SelectOp>(op))
    if (std::vector<Atom> atoms = truth(op->getOperand(0)); atoms.size() == 1 && !atoms[0].opaque)
      return algebra.choice(atoms[0], in(1), in(2));
  if (op->getNumOperands() == 2)
    if (std::optional<int64_t> constant = constantOf(op->getOperand(1)); constant && *constant >= 0) {
      bool small = *constant < 31;
      if (isa<arith::ShLIOp>(op) && small)
        return in(0) * Poly(int64_t(1) << *constant);
      if (isa<arith::ShRSIOp, arith::ShRUIOp>(op) && small && algebra.isNotNegative(in(0)))
        return algebra.quotient(in(0), Poly(int64_t(1) << *constant));
      if (isa<arith::AndIOp>(op) && (*constant & (*constant + 1)) == 0 && algebra.isNotNegative(in(0)))
        return algebra.remainder(in(0), Poly(*constant + 1));
    }
  return unknown(result);
}

/// What `number`, a choice of two constants, is chosen by: true where it is not zero, or (`bit`) odd. Nothing: it is no
/// such choice, or always one of both.
std::optional<std::vector<Atom>> Values::truthOfChoice(Value number, bool bit) {
  auto select = number.getDefiningOp<arith::SelectOp>();
  std::optional<int64_t> x = select ? constantOf(select.getTrueValue()) : std::nullopt;
  std::optional<int64_t> y = x ? constantOf(select.getFalseValue()) : std::nullopt;
  if (!y)
    return std::nullopt;
  bool first = bit ? *x & 1 : *x != 0, second = bit ? *y & 1 : *y != 0;
  std::vector<Atom> atoms = truth(select.getCondition());
  if (first && !second)
    return atoms;
  if (second && !first && atoms.size() == 1)
    return std::vector<Atom>{negated(atoms[0])};
  return std::nullopt;
}

std::vector<Atom> Values::computeTruth(Operation *op, Value result) {
  if (std::optional<int64_t> constant = constantOf(result)) {
    if (*constant != 0)
      return {};
    return {Atom()}; // 0 < 0
  }
  if (auto map = op->getNumOperands() == 1 && op->getNumResults() == 1 ? dimensionMap(op) : nullptr)
    return renumbered(truth(op->getOperand(0)), map);
  if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && isNumber(compare.getLhs().getType())) {
    Poly a = number(compare.getLhs()), b = number(compare.getRhs());
    auto less = [](const Poly &x, const Poly &y) {
      Atom atom;
      atom.a = x, atom.b = y;
      return atom;
    };
    arith::CmpIPredicate predicate = compare.getPredicate();
    bool isUnsigned = predicate >= arith::CmpIPredicate::ult;
    if (predicate == arith::CmpIPredicate::ne && constantOf(compare.getRhs()) == 0)
      if (std::optional<std::vector<Atom>> chosen = truthOfChoice(compare.getLhs(), /*bit=*/false))
        return *chosen;
    if (isUnsigned && !(algebra.isNotNegative(a, false) && algebra.isNotNegative(b)))
      return unknownTruth(result);
    if (!a.isValid() || !b.isValid())
      return unknownTruth(result);
    switch (predicate) {
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::ult: return {less(a, b)};
    case arith::CmpIPredicate::sle:
    case arith::CmpIPredicate::ule: return {less(a, b + Poly(1))};
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::ugt: return {less(b, a)};
    case arith::CmpIPredicate::sge:
    case arith::CmpIPredicate::uge: return {less(b, a + Poly(1))};
    case arith::CmpIPredicate::eq: return {less(a, b + Poly(1)), less(b, a + Poly(1))};
    default: return unknownTruth(result);
    }
  }
  if (auto narrowed = dyn_cast<arith::TruncIOp>(op))
    if (std::optional<std::vector<Atom>> chosen = truthOfChoice(narrowed.getIn(), /*bit=*/true))
      return *chosen;
  if (isa<arith::AndIOp, arith::MulIOp>(op)) { // masks are joined by either
    std::vector<Atom> all = truth(op->getOperand(0));
    for (const Atom &atom : truth(op->getOperand(1)))
      if (!llvm::is_contained(all, atom))
        all.push_back(atom);
    return all;
  }
  if (isa<arith::XOrIOp>(op) && constantOf(op->getOperand(1)).value_or(0) != 0)
    if (std::vector<Atom> atoms = truth(op->getOperand(0)); atoms.size() == 1)
      return {negated(atoms[0])};
  return unknownTruth(result);
}

LoadOp loadedAddress(Value value) {
  auto load = value.getDefiningOp<LoadOp>();
  bool isAddress = value.getType().isInteger(64) || isa<PointerType>(value.getType());
  return load && isAddress && !load.getMask() && !load.getIsVolatile() ? load : LoadOp();
}

std::function<bool(const SymbolInfo &)> knownToKernel(const Values &values) {
  return [&values](const SymbolInfo &info) {
    return info.kind == SymbolKind::Argument ||
           (info.kind == SymbolKind::Opaque && values.opaqueOf(info.id).getDefiningOp<LoadOp>());
  };
}

//===----------------------------------------------------------------------===//
// A kernel
//===----------------------------------------------------------------------===//

void Values::run(Block &block) {
  for (Operation &op : block)
    run(&op);
}

void Values::run(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    runLoop(loop);
    for (Value result : loop.getResults())
      if (isTruth(result.getType()))
        forget(result);
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return runLoop(loop);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      forget(block.getArguments());
      run(block);
    }
  if (auto add = dyn_cast<AddPtrOp>(op)) {
    KnownPointer from = pointer(add.getPtr());
    pointers[add] = {from.base, from.offset + number(add.getOffset())};
    return;
  }
  for (Value result : op->getResults()) {
    if (isPointer(result.getType())) {
      bool sameSize = isa<BitcastOp>(op) && isPointer(op->getOperand(0).getType());
      if (auto map = op->getNumOperands() == 1 ? dimensionMap(op) : nullptr) {
        KnownPointer from = pointer(op->getOperand(0));
        pointers[result] = {from.base, renumbered(from.offset, map)};
      } else if (sameSize) {
        auto bits = [](Type type) {
          Type pointee = cast<PointerType>(elementOf(type)).getPointeeType();
          return pointee.isIntOrFloat() ? std::max(pointee.getIntOrFloatBitWidth(), 8u) : 0;
        };
        if (bits(result.getType()) == bits(op->getOperand(0).getType()))
          pointers[result] = pointer(op->getOperand(0));
      } else if (LoadOp load = loadedAddress(isa<IntToPtrOp>(op) ? op->getOperand(0) : result)) {
        pointers[result] = {load.getResult(), Poly(0)};
      }
    } else if (op->getNumRegions()) {
      forget(result);
    } else if (isNumber(result.getType())) {
      Poly value = compute(op, result);
      numbers[result] = value.isValid() && !noteOverflow(op, result, value) ? value : unknown(result);
    } else if (isTruth(result.getType())) {
      truths[result] = computeTruth(op, result);
    }
  }
}

Values::Values(FuncOp function) {
  for (BlockArgument argument : function.getBody().front().getArguments()) {
    if (isNumber(argument.getType()))
      numbers[argument] = algebra.make(SymbolKind::Argument, argument.getArgNumber());
    else if (isPointer(argument.getType()))
      pointers[argument] = {argument, Poly(0)};
    else
      forget(argument);
  }
  algebra.nameOf = [this, function](const SymbolInfo &info) mutable -> std::string {
    auto nameOf = [](Value value) {
      std::string text;
      if (auto name = dyn_cast<NameLoc>(value.getLoc()))
        return name.getName().str();
      if (auto argument = dyn_cast<BlockArgument>(value))
        return "arg" + std::to_string(argument.getArgNumber());
      return std::string("a value computed by ") + value.getDefiningOp()->getName().getStringRef().str();
    };
    switch (info.kind) {
    case SymbolKind::Argument: return nameOf(function.getBody().getArgument(info.id));
    case SymbolKind::Counter: {
      Value counter = counters[info.id];
      Operation *loop = counter.getParentBlock()->getParentOp();
      return counter.getLoc() == loop->getLoc() ? "i" : nameOf(counter); // text has no name for it
    }
    default: return nameOf(opaques[info.id]);
    }
  };
  algebra.boundsOf = [this](const SymbolInfo &info) -> std::optional<std::pair<Poly, Poly>> {
    auto found = info.kind == SymbolKind::Counter ? bounds.find(info.id) : bounds.end();
    return found == bounds.end() ? std::nullopt : std::optional(found->second);
  };
  run(function.getBody().front());
}

} // namespace heddle::triton
