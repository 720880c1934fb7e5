//===- Call.cpp - functions from outside ------------------------------------===//
//
// What:     the verifier of tile.call, and its body as it is written, kept and executed. An operation with a region
//           would be control flow to every pass, so the body is an attribute: operations by name.
// Verifies: a tile.call names a function and a header as C++ does, states a cost, and has a body of element-wise
//           operations on its operands' elements.
//
//===----------------------------------------------------------------------===//
#include "heddle/Dialect/Tile/Call.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace heddle::tile {

constexpr size_t mostOperands = 8;
constexpr int64_t mostCalls = 4096; ///< operations of one class for an element

ArrayRef<StringRef> callCostClasses() {
  static const StringRef classes[] = {"alu", "alu_half", "cvt", "exp", "sfu"};
  return classes;
}

/// "f", "::a::b".
static bool isQualifiedName(StringRef name) {
  name.consume_front("::");
  while (true) {
    auto [word, rest] = name.split("::");
    if (word.empty() || llvm::isDigit(word[0]) ||
        !llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      return false;
    if (word.size() == name.size())
      return true;
    name = rest;
  }
}

namespace {
/// One operation of a meaning.
struct Step {
  StringRef name;
  ArrayRef<int64_t> operands;
  DictionaryAttr attributes;
  Type type;

  static std::optional<Step> of(Attribute attr) {
    auto parts = dyn_cast<ArrayAttr>(attr);
    if (!parts || parts.size() != 4)
      return std::nullopt;
    auto name = dyn_cast<StringAttr>(parts[0]);
    auto operands = dyn_cast<DenseI64ArrayAttr>(parts[1]);
    auto attributes = dyn_cast<DictionaryAttr>(parts[2]);
    auto type = dyn_cast<TypeAttr>(parts[3]);
    bool isKnown = name && (name == "tile.yield" || OperationName(name.getValue(), attr.getContext()).isRegistered());
    if (!isKnown || !operands || !attributes || !type || !type.getValue().isIntOrIndexOrFloat() ||
        (name == "tile.yield" && operands.size() != 1))
      return std::nullopt;
    return Step{name, operands, attributes, type.getValue()};
  }
};

/// The types of the arguments stand in front.
ArrayRef<Attribute> stepsOf(CallOp call) { return call.getMeaning().getValue().drop_front(); }
} // namespace

LogicalResult CallOp::verify() {
  if (!isQualifiedName(getFunction()))
    return emitOpError("expected the name of a C++ function, got '") << getFunction() << "'";
  auto isPlain = [](char c) { return llvm::isAlnum(c) || StringRef("_-+./").contains(c); };
  if (getHeader().empty() || !llvm::all_of(getHeader(), isPlain))
    return emitOpError("expected a header as #include has it, got '") << getHeader() << "'";
  if (getCost().empty())
    return emitOpError("expected a cost of at least one operation, got none");
  for (NamedAttribute cost : getCost()) {
    if (!llvm::is_contained(callCostClasses(), cost.getName().getValue()))
      return emitOpError("expected a cost in ")
             << llvm::join(callCostClasses(), ", ") << ", got '" << cost.getName().getValue() << "'";
    auto number = dyn_cast<IntegerAttr>(cost.getValue());
    std::optional<int64_t> n = number ? number.getValue().trySExtValue() : std::nullopt;
    if (!n || *n < 1 || *n > mostCalls)
      return emitOpError("expected 1 to ")
             << mostCalls << " operations of class '" << cost.getName().getValue() << "', got " << cost.getValue();
  }
  if (getArguments().empty() || getArguments().size() > mostOperands ||
      !llvm::all_of(getArguments().getTypes(), llvm::IsaPred<RankedTensorType>))
    return emitOpError("expected 1 to ") << mostOperands << " operands, all of them tiles";
  size_t known = getArguments().size();
  SmallVector<Attribute> elements;
  for (Type type : getArguments().getTypes())
    elements.push_back(TypeAttr::get(getElementTypeOrSelf(type)));
  Attribute given = getMeaning().empty() ? Attribute() : getMeaning()[0];
  if (auto expected = ArrayAttr::get(getContext(), elements); given != expected)
    return emitOpError("expected a body on the elements of its operands, ") << expected << ", got one on " << given;
  for (Attribute attr : stepsOf(*this)) {
    std::optional<Step> step = Step::of(attr);
    if (!step || !llvm::all_of(step->operands, [&](int64_t i) { return i >= 0 && i < static_cast<int64_t>(known); }))
      return emitOpError("expected operations as [name, operands, attributes, type] that use earlier ones, got ")
             << attr;
    ++known;
  }
  Block block;
  Value result = getMeaning().size() < 2 ? Value() : bodyOnTiles(*this, block);
  for (Operation &op : block) {
    if (op.getNumResults() != 1 || (!isa<arith::ConstantOp>(op) && !OpTrait::hasElementwiseMappableTraits(&op)) ||
        isa<CallOp>(op))
      return emitOpError("expected element-wise operations in its body, got ") << op.getName();
    bool isWrong = false;
    {
      ScopedDiagnosticHandler quiet(getContext(), [](Diagnostic &) { return success(); });
      isWrong = failed(mlir::verify(&op));
    }
    if (isWrong)
      return emitOpError("expected operations on the elements of its operands, got a wrong ") << op.getName();
  }
  if (!result || getElementTypeOrSelf(result) != getResult().getType().getElementType())
    return emitOpError("expected a body that gives ") << getResult().getType().getElementType();
  return success();
}

static thread_local std::vector<std::unique_ptr<Region>> *parsedBodies = nullptr;

ParsedBodies::ParsedBodies() : around(parsedBodies) { parsedBodies = &bodies; }
ParsedBodies::~ParsedBodies() { parsedBodies = around; }

ParseResult parseMeaning(OpAsmParser &parser, ArrayAttr &meaning) {
  if (succeeded(parser.parseOptionalKeyword("means")))
    return parser.parseAttribute(meaning);
  auto parsed = std::make_unique<Region>();
  Region &body = *parsed;
  SMLoc at = parser.getCurrentLocation();
  ParseResult result = parser.parseRegion(body);
  if (parsedBodies)
    parsedBodies->push_back(std::move(parsed));
  if (result)
    return failure();
  if (!body.hasOneBlock() || !isa_and_nonnull<YieldOp>(body.front().empty() ? nullptr : &body.front().back()))
    return parser.emitError(at, "expected a body that ends with tile.yield");
  Builder b(parser.getContext());
  DenseMap<Value, int64_t> numbers;
  for (Value argument : body.front().getArguments())
    numbers.insert({argument, numbers.size()});
  SmallVector<Attribute> steps, types;
  for (Type type : body.front().getArgumentTypes())
    types.push_back(TypeAttr::get(type));
  steps.push_back(b.getArrayAttr(types));
  for (Operation &op : body.front()) {
    SmallVector<int64_t> operands;
    for (Value operand : op.getOperands()) {
      auto it = numbers.find(operand);
      if (it == numbers.end())
        return parser.emitError(at, "expected a body that uses nothing from outside");
      operands.push_back(it->second);
    }
    bool isEnd = isa<YieldOp>(op);
    // The last operation gives the result.
    if (isEnd && operands[0] == static_cast<int64_t>(numbers.size()) - 1 && steps.size() > 1)
      break;
    if (!isEnd && (op.getNumResults() != 1 || op.getNumRegions()))
      return parser.emitError(at, "expected element-wise operations in a body, got ") << op.getName();
    Type type = isEnd ? op.getOperand(0).getType() : op.getResult(0).getType();
    steps.push_back(b.getArrayAttr({b.getStringAttr(isEnd ? "tile.yield" : op.getName().getStringRef()),
                                    b.getDenseI64ArrayAttr(operands),
                                    isEnd ? b.getDictionaryAttr({}) : op.getAttrDictionary(), TypeAttr::get(type)}));
    if (!isEnd)
      numbers.insert({op.getResult(0), numbers.size()});
  }
  meaning = b.getArrayAttr(steps);
  return success();
}

void printMeaning(OpAsmPrinter &printer, Operation *, ArrayAttr meaning) { printer << "means " << meaning; }

Value bodyOnTiles(CallOp call, Block &block) {
  RankedTensorType shape = call.getResult().getType();
  SmallVector<Value> values;
  for (Value operand : call.getArguments())
    values.push_back(block.addArgument( // whatever its layout
        RankedTensorType::get(shape.getShape(), getElementTypeOrSelf(operand)), operand.getLoc()));
  OpBuilder b(call.getContext());
  b.setInsertionPointToEnd(&block);
  for (Attribute attr : stepsOf(call)) {
    Step step = *Step::of(attr);
    auto type = RankedTensorType::get(shape.getShape(), step.type);
    if (step.name == "tile.yield")
      return values[step.operands[0]];
    if (auto value = step.attributes.getAs<TypedAttr>("value"); value && step.name == "arith.constant") {
      auto all = DenseElementsAttr::get(type, ArrayRef<Attribute>(value));
      values.push_back(arith::ConstantOp::create(b, call.getLoc(), all));
      continue;
    }
    OperationState state(call.getLoc(), step.name);
    for (int64_t operand : step.operands)
      state.operands.push_back(values[operand]);
    state.addTypes(type);
    state.addAttributes(step.attributes.getValue());
    values.push_back(b.create(state)->getResult(0));
  }
  return values.back();
}

} // namespace heddle::tile
