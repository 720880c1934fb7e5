//===- TaskOps.cpp - text and verifiers of single operations of tasks ------===//
//
// What depends on the task, and on other operations, is verified by TaskRules.cpp.
//
//===----------------------------------------------------------------------===//
#include "heddle/Dialect/Task/Task.h"

#include "heddle/Dialect/Tile/KernelRules.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace heddle::task;

//===----------------------------------------------------------------------===//
// Lists in the text
//===----------------------------------------------------------------------===//

using Unresolved = OpAsmParser::UnresolvedOperand;

/// A number or an index value; `numbers` has kDynamic where there is a value.
static ParseResult parseNumberOrValue(OpAsmParser &parser, SmallVectorImpl<Unresolved> &values,
                                      SmallVectorImpl<int64_t> &numbers) {
  Unresolved value;
  if (OptionalParseResult parsed = parser.parseOptionalOperand(value); parsed.has_value()) {
    values.push_back(value);
    numbers.push_back(ShapedType::kDynamic);
    return *parsed;
  }
  numbers.push_back(0);
  return parser.parseInteger(numbers.back());
}

/// [%u, full, 64]
static ParseResult parseBlockSizes(OpAsmParser &parser, SmallVectorImpl<Unresolved> &values,
                                   DenseI64ArrayAttr &numbers) {
  SmallVector<int64_t> list;
  auto parseOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("full"))) {
      list.push_back(BlocksOp::full);
      return success();
    }
    return parseNumberOrValue(parser, values, list);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  numbers = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

static void printBlockSizes(OpAsmPrinter &printer, Operation *, OperandRange values, DenseI64ArrayAttr numbers) {
  auto value = values.begin();
  printer << '[';
  llvm::interleaveComma(numbers.asArrayRef(), printer, [&](int64_t number) {
    if (ShapedType::isDynamic(number))
      printer << *value++;
    else if (number == BlocksOp::full)
      printer << "full";
    else
      printer << number;
  });
  printer << ']';
}

/// [m, n]
static ParseResult parseRoles(OpAsmParser &parser, ArrayAttr &roles) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    StringRef role;
    if (parser.parseKeyword(&role))
      return failure();
    list.push_back(parser.getBuilder().getStringAttr(role));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  roles = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printRoles(OpAsmPrinter &printer, Operation *, ArrayAttr roles) {
  printer << '[';
  llvm::interleaveComma(roles.getAsRange<StringAttr>(), printer, [&](StringAttr role) { printer << role.getValue(); });
  printer << ']';
}

static ParseResult parseNumber(OpAsmParser &parser, SmallVectorImpl<Unresolved> &values, DenseI64ArrayAttr &numbers) {
  SmallVector<int64_t> list;
  if (parseNumberOrValue(parser, values, list))
    return failure();
  numbers = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

static void printNumber(OpAsmPrinter &printer, Operation *, OperandRange values, DenseI64ArrayAttr numbers) {
  if (values.empty())
    printer << numbers[0];
  else
    printer << values.front();
}

/// %c, %scale : f32
static ParseResult parseLaunchArguments(OpAsmParser &parser, SmallVectorImpl<Unresolved> &values,
                                        SmallVectorImpl<Type> &types) {
  // The parentheses are literals of the format.
  Unresolved value;
  OptionalParseResult first = parser.parseOptionalOperand(value);
  if (!first.has_value())
    return success();
  if (failed(*first))
    return failure();
  while (true) {
    values.push_back(value);
    types.push_back(TaskTensorType::get(parser.getContext()));
    if (succeeded(parser.parseOptionalColon()) && parser.parseType(types.back()))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
    if (parser.parseOperand(value))
      return failure();
  }
}

static void printLaunchArguments(OpAsmPrinter &printer, Operation *, OperandRange values, TypeRange) {
  llvm::interleaveComma(values, printer, [&](Value value) {
    printer << value;
    if (!isa<TaskTensorType>(value.getType()))
      printer << " : " << value.getType();
  });
}

#define GET_OP_CLASSES
#include "heddle/Dialect/Task/TaskOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// (%i, %j) to (%m, %n) {...}
static ParseResult parseRange(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> variables;
  SmallVector<Unresolved> bounds;
  Type index = parser.getBuilder().getIndexType();
  Region *body = result.addRegion();
  if (parser.parseArgumentList(variables, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("to") ||
      parser.parseOperandList(bounds, OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(bounds, index, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (OpAsmParser::Argument &variable : variables)
    variable.type = index;
  return parser.parseRegion(*body, variables);
}

static void printRange(OpAsmPrinter &printer, Operation *op) {
  Region &body = op->getRegion(0);
  printer << " (";
  llvm::interleaveComma(body.getArguments(), printer, [&](BlockArgument variable) { printer << variable; });
  printer << ") to (" << op->getOperands() << ')';
  printer.printOptionalAttrDictWithKeyword(op->getAttrs());
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

static LogicalResult verifyRange(Operation *op) {
  Region &body = op->getRegion(0);
  if (body.getNumArguments() != op->getNumOperands() || op->getNumOperands() == 0 || op->getNumOperands() > 3)
    return op->emitOpError("expected one to three variables, each with a bound, got ")
           << body.getNumArguments() << " and " << op->getNumOperands();
  for (BlockArgument variable : body.getArguments())
    if (!variable.getType().isIndex())
      return op->emitOpError("expected variables of type index, got ") << variable.getType();
  return success();
}

ParseResult PRangeOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseRange(parser, result))
    return failure();
  ensureTerminator(*result.regions.front(), parser.getBuilder(), result.location);
  return success();
}
ParseResult SRangeOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parseRange(parser, result))
    return failure();
  ensureTerminator(*result.regions.front(), parser.getBuilder(), result.location);
  return success();
}
void PRangeOp::print(OpAsmPrinter &printer) { printRange(printer, *this); }
void SRangeOp::print(OpAsmPrinter &printer) { printRange(printer, *this); }
LogicalResult PRangeOp::verify() { return verifyRange(*this); }
LogicalResult SRangeOp::verify() { return verifyRange(*this); }

//===----------------------------------------------------------------------===//
// Single operations
//===----------------------------------------------------------------------===//

/// As many values as `numbers` has places for, and numbers of at least `least`.
static LogicalResult verifyNumbers(Operation *op, ValueRange values, ArrayRef<int64_t> numbers, int64_t least) {
  int64_t places = llvm::count_if(numbers, ShapedType::isDynamic);
  if (places != static_cast<int64_t>(values.size()))
    return op->emitOpError("expected ") << places << " values in its list, got " << values.size();
  for (int64_t number : numbers)
    if (!ShapedType::isDynamic(number) && (number < least || number > std::numeric_limits<int32_t>::max()))
      return op->emitOpError("expected numbers from ") << least << " to 2147483647, got " << number;
  return success();
}

LogicalResult MakeTensorOp::verify() {
  if (getStaticSizes().empty() || getStaticSizes().size() > 5)
    return emitOpError("expected a tensor of rank 1 to 5, got rank ") << getStaticSizes().size();
  if (!getElementType().isIntOrFloat())
    return emitOpError("expected a tensor of integers or floats, got ") << getElementType();
  return verifyNumbers(*this, getSizes(), getStaticSizes(), 1);
}

LogicalResult BlocksOp::verify() {
  if (pieceRank() == 0)
    return emitOpError("expected a dimension whose size is not the literal 1, got none");
  return verifyNumbers(*this, getSizes(), getStaticSizes(), full);
}

unsigned BlocksOp::sourceDim(unsigned dim) {
  for (unsigned source = 0;; ++source)
    if (!isDropped(source) && dim-- == 0)
      return source;
}

unsigned BlocksOp::pieceRank() {
  return llvm::count_if(getStaticSizes(), [](int64_t size) { return size != 1; });
}

LogicalResult PieceOp::verify() { return verifyNumbers(*this, getIndices(), getStaticIndices(), 0); }

bool MmaOp::hasRole(StringRef role) {
  return llvm::any_of(getRoles(), [&](Attribute attr) {
    auto name = dyn_cast<StringAttr>(attr);
    return name && name == role;
  });
}

LogicalResult MmaOp::verify() {
  SmallVector<StringRef> seen;
  for (Attribute attr : getRoles()) {
    auto role = dyn_cast<StringAttr>(attr);
    if (!role || !llvm::is_contained({"m", "n", "k"}, role.getValue()) || llvm::is_contained(seen, role.getValue()))
      return emitOpError("expected each dimension to be m, n or k, and no two the same, got ") << attr;
    seen.push_back(role);
  }
  if (getStaticPieces().size() != 1)
    return emitOpError("expected one number of pieces, got ") << getStaticPieces().size();
  int64_t pieces = getStaticPieces()[0];
  if (!ShapedType::isDynamic(pieces) && pieces != 4 && pieces != 32)
    return emitOpError("expected 4 pieces (the warps of a warp group) or 32 (the threads of a warp), got ") << pieces;
  return verifyNumbers(*this, getPieces(), getStaticPieces(), 1);
}

LogicalResult TunableOp::verify() {
  if (!tile::isIdentifier(getTunable()))
    return emitOpError("expected a name that is a C identifier and no keyword, got '") << getTunable() << "'";
  auto verifyOne = [&](int64_t value) -> LogicalResult {
    if (value < 1 || value > tile::maxTileElements)
      return emitOpError("expected a value from 1 to ") << tile::maxTileElements << ", got " << value;
    return success();
  };
  if (failed(verifyOne(getValue())))
    return failure();
  std::optional<ArrayRef<int64_t>> choices = getChoices();
  if (!choices)
    return success();
  for (int64_t choice : *choices)
    if (failed(verifyOne(choice)))
      return failure();
  if (!llvm::is_contained(*choices, static_cast<int64_t>(getValue())))
    return emitOpError("expected its own value ") << getValue() << " among the choices, got none like it";
  return success();
}

LogicalResult TaskOp::verify() {
  llvm::SmallVector<StringRef> names;
  for (Attribute attr : getParameters()) {
    StringRef name = cast<ParameterAttr>(attr).getName();
    if (llvm::is_contained(names, name))
      return emitOpError("expected distinct names of parameters, got '") << name << "' twice";
    names.push_back(name);
  }
  return success();
}
