//===- Roles.cpp - see Roles.h --------------------------------------------------===//
#include "Roles.h"

#include "heddle/Machine/Occupancy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

Operation *RoleClass::twin(Operation *op, size_t member) const {
  auto known = twins.find(op);
  return known == twins.end() ? op : known->second[member];
}

bool cuda::isCornerInAddress(hw::TileType type) {
  constexpr int64_t period = 8; // rows after which the pattern of a swizzle repeats
  if (!type.getSwizzle())
    return type.getByteOffset(type.getRowOffset(), type.getColOffset()) % smemAlignment == 0;
  return type.getRowOffset() % period == 0 && type.getColOffset() % type.getChunkCols() == 0;
}

bool heddle::cuda::isNumber(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && constant.getType().isIntOrIndex() && !constant.getType().isInteger(1);
}

bool heddle::cuda::isKnownTruth(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && constant.getType().isInteger(1);
}

namespace {

std::optional<int64_t> constantOf(Value value) {
  Operation *def = value.getDefiningOp();
  if (def && isNumber(def))
    return cast<IntegerAttr>(cast<arith::ConstantOp>(def).getValue()).getValue().getSExtValue();
  return std::nullopt;
}

bool differs(const RoleClass &known, Value constant) {
  auto numbers = known.numbers.find(constant);
  return numbers != known.numbers.end() &&
         llvm::any_of(numbers->second, [&](int64_t n) { return n != numbers->second.front(); });
}

/// Walks two roles in step.
class Comparison {
public:
  bool run(hw::RoleOp a, hw::RoleOp b) {
    return !a.getSingle() && !b.getSingle() && a.getWarps() == b.getWarps() &&
           sameBlock(a.getBody().front(), b.getBody().front());
  }

  SmallVector<std::pair<Operation *, Operation *>> pairs;
  SmallVector<std::pair<Value, std::pair<int64_t, int64_t>>> numbers;

private:
  static bool isPrinted(Operation &op) { return !(isa<arith::ConstantOp>(op) && constantOf(op.getResult(0))); }

  bool sameBlock(Block &a, Block &b) {
    if (a.getNumArguments() != b.getNumArguments())
      return false;
    for (auto [x, y] : llvm::zip_equal(a.getArguments(), b.getArguments()))
      if (!match(x, y))
        return false;
    auto ops = [](Block &block) { return llvm::make_filter_range(block, isPrinted); };
    auto one = ops(a), other = ops(b);
    auto i = one.begin(), j = other.begin();
    for (; i != one.end() && j != other.end(); ++i, ++j)
      if (!sameOp(&*i, &*j))
        return false;
    return i == one.end() && j == other.end();
  }

  bool sameOp(Operation *a, Operation *b) {
    if (a->getName() != b->getName() || a->getNumOperands() != b->getNumOperands() ||
        a->getNumResults() != b->getNumResults() || a->getNumRegions() != b->getNumRegions() || !sameAttributes(a, b))
      return false;
    for (auto [x, y] : llvm::zip_equal(a->getOperands(), b->getOperands()))
      if (!sameOperand(x, y))
        return false;
    for (auto [x, y] : llvm::zip_equal(a->getResults(), b->getResults()))
      if (!match(x, y))
        return false;
    pairs.push_back({a, b});
    for (auto [x, y] : llvm::zip_equal(a->getRegions(), b->getRegions())) {
      if (x.empty() != y.empty())
        return false;
      if (!x.empty() && !sameBlock(x.front(), y.front()))
        return false;
    }
    return true;
  }

  bool sameOperand(Value a, Value b) {
    std::optional<int64_t> x = constantOf(a), y = constantOf(b);
    if (x && y && a.getType() == b.getType()) {
      numbers.push_back({a, {*x, *y}});
      return true;
    }
    if (auto bars = a.getDefiningOp<hw::MBarriersOp>(), others = b.getDefiningOp<hw::MBarriersOp>(); bars && others) {
      bool fresh = values.try_emplace(a, b).second;
      if (fresh)
        numbers.push_back({a, {static_cast<int64_t>(bars.getOffset()), static_cast<int64_t>(others.getOffset())}});
      return values.lookup(a) == b && a.getType() == b.getType();
    }
    auto known = values.find(a);
    return known == values.end() ? a == b : known->second == b;
  }

  bool match(Value a, Value b) {
    values[a] = b;
    if (a.getType() == b.getType())
      return true;
    auto x = dyn_cast<hw::TileType>(a.getType()), y = dyn_cast<hw::TileType>(b.getType());
    return x && y && x.getShape() == y.getShape() && x.getElementType() == y.getElementType() &&
           x.getRows() == y.getRows() && x.getCols() == y.getCols() && x.getSwizzle() == y.getSwizzle() &&
           x.getTransposed() == y.getTransposed() && isCornerInAddress(x) && isCornerInAddress(y);
  }

  static bool sameAttributes(Operation *a, Operation *b) {
    auto relevant = [](Operation *op) {
      SmallVector<NamedAttribute> list;
      for (NamedAttribute attribute : op->getAttrs()) {
        StringRef name = attribute.getName().getValue();
        bool place = isa<hw::SmemOp>(op) && (name == "name" || name == "offset");
        bool coordinate = isa<tile::IotaOp>(op) && name == "start";
        if (!name.starts_with("heddle.") && !place && !coordinate)
          list.push_back(attribute);
      }
      return list;
    };
    return relevant(a) == relevant(b);
  }

  DenseMap<Value, Value> values;
};

} // namespace

/// Additions of 0 in every member: only now is it known that no member adds something else.
static void removeZeroAdditions(RoleClass &known) {
  SmallVector<Operation *> additions;
  known.members.front().walk([&](Operation *op) {
    if (isa<arith::AddIOp, arith::SubIOp>(op) && op->getResult(0).getType().isIntOrIndex() &&
        constantOf(op->getOperand(1)) == 0 && !differs(known, op->getOperand(1)))
      additions.push_back(op);
  });
  for (Operation *op : additions) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    known.twins.erase(op);
    op->erase();
  }
}

std::vector<RoleClass> cuda::classifyRoles(hw::KernelOp kernel) {
  std::vector<RoleClass> classes;
  for (auto role : kernel.getBody().getOps<hw::RoleOp>()) {
    bool joined = false;
    for (RoleClass &known : classes) {
      Comparison comparison;
      if (!comparison.run(known.members.front(), role))
        continue;
      known.members.push_back(role);
      for (auto [a, b] : comparison.pairs) {
        SmallVector<Operation *> &twins = known.twins[a];
        if (twins.empty())
          twins.push_back(a);
        twins.push_back(b);
      }
      for (auto &[value, pair] : comparison.numbers) {
        SmallVector<int64_t> &numbers = known.numbers[value];
        if (numbers.empty())
          numbers.push_back(pair.first);
        numbers.push_back(pair.second);
      }
      joined = true;
      break;
    }
    if (!joined)
      classes.emplace_back().members.push_back(role);
  }
  for (RoleClass &known : classes)
    removeZeroAdditions(known);
  return classes;
}
