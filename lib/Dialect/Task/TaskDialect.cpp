//===- TaskDialect.cpp - registration, signatures and variants as text -----===//
#include "heddle/Dialect/Task/Task.h"

#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::task;

#include "heddle/Dialect/Task/TaskDialect.cpp.inc"
#include "heddle/Dialect/Task/TaskEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "heddle/Dialect/Task/TaskAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/Task/TaskTypes.cpp.inc"

void TaskDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "heddle/Dialect/Task/TaskAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "heddle/Dialect/Task/TaskTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "heddle/Dialect/Task/TaskOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #task.parameter
//===----------------------------------------------------------------------===//

/// A dimension: a name or a number.
static ParseResult parseDim(AsmParser &parser, SmallVectorImpl<Attribute> &dims) {
  int64_t number;
  if (OptionalParseResult parsed = parser.parseOptionalInteger(number); parsed.has_value()) {
    dims.push_back(parser.getBuilder().getI64IntegerAttr(number));
    return *parsed;
  }
  std::string name;
  if (parser.parseKeywordOrString(&name))
    return failure();
  dims.push_back(parser.getBuilder().getStringAttr(name));
  return success();
}

FailureOr<ParameterAttr> ParameterAttr::parseSignature(AsmParser &parser) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string name;
  StringRef keyword;
  Type type;
  if (parser.parseKeywordOrString(&name) || parser.parseColon())
    return failure();
  Privilege privilege = Privilege::Read;
  bool isTensor = succeeded(parser.parseOptionalKeyword(&keyword, {"read", "write", "read_write", "reduce"}));
  if (isTensor)
    privilege = *symbolizePrivilege(keyword);
  llvm::SMLoc place = parser.getCurrentLocation();
  OptionalParseResult parsed = parser.parseOptionalType(type);
  if (!parsed.has_value())
    return parser.emitError(place, isTensor ? "expected the type of a tensor's elements"
                                            : "expected read, write, read_write or reduce and the type of a tensor's "
                                              "elements, or the type of a scalar");
  if (failed(*parsed))
    return failure();
  ArrayAttr dims;
  Attribute byDefault;
  if (isTensor) {
    SmallVector<Attribute> list;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parseDim(parser, list); }))
      return failure();
    dims = parser.getBuilder().getArrayAttr(list);
  } else if (succeeded(parser.parseOptionalEqual()) && parser.parseAttribute(byDefault, type)) {
    return failure();
  }
  auto made = ParameterAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                                        parser.getBuilder().getStringAttr(name), type, dims, privilege, byDefault);
  if (!made)
    return failure();
  return made;
}

void ParameterAttr::printSignature(AsmPrinter &printer) const {
  printer.printKeywordOrString(getName());
  printer << ": ";
  if (isTensor())
    printer << stringifyPrivilege(getPrivilege()) << ' ';
  printer << getType();
  if (isTensor()) {
    printer << '[';
    llvm::interleaveComma(getDims(), printer, [&](Attribute dim) {
      if (auto name = dyn_cast<StringAttr>(dim))
        printer.printKeywordOrString(name);
      else
        printer << cast<IntegerAttr>(dim).getInt();
    });
    printer << ']';
  } else if (getByDefault()) {
    printer << " = ";
    printer.printAttributeWithoutType(getByDefault());
  }
}

Attribute ParameterAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<ParameterAttr> made = parseSignature(parser);
  return failed(made) || parser.parseGreater() ? Attribute() : Attribute(*made);
}

void ParameterAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printSignature(printer);
  printer << '>';
}

LogicalResult ParameterAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name, Type type,
                                    ArrayAttr dims, Privilege privilege, Attribute byDefault) {
  if (!tile::isIdentifier(name))
    return emitError() << "expected a parameter's name that is a C identifier and no keyword, got " << name;
  if (!dims) {
    if (!type.isF32() && !type.isInteger(32) && !type.isIndex())
      return emitError() << "expected a scalar of type f32, i32 or index, or a privilege before a tensor's type, got "
                         << type;
    auto typed = dyn_cast_or_null<TypedAttr>(byDefault);
    if (byDefault && (!isa<FloatAttr, IntegerAttr>(byDefault) || typed.getType() != type))
      return emitError() << "expected a default that is a number of type " << type << ", got " << byDefault;
    return success();
  }
  if (!type.isIntOrFloat())
    return emitError() << "expected a tensor of integers or floats, got " << type;
  if (dims.empty() || dims.size() > 5)
    return emitError() << "expected a tensor of rank 1 to 5, got rank " << dims.size();
  for (Attribute dim : dims) {
    auto named = dyn_cast<StringAttr>(dim);
    auto number = dyn_cast<IntegerAttr>(dim);
    if (named ? !tile::isIdentifier(named)
              : !number || !number.getType().isSignlessInteger(64) || number.getInt() < 1 ||
                    number.getInt() > std::numeric_limits<int32_t>::max())
      return emitError() << "expected dimensions that are C identifiers or numbers from 1 to 2147483647, got " << dim;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// task.task and task.variant
//===----------------------------------------------------------------------===//

ParseResult TaskOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<Attribute> parameters;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<ParameterAttr> parameter = ParameterAttr::parseSignature(parser);
    if (failed(parameter))
      return failure();
    parameters.push_back(*parameter);
    return success();
  };
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute(getParametersAttrName(result.name), parser.getBuilder().getArrayAttr(parameters));
  return success();
}

void TaskOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getParameters(), printer,
                        [&](Attribute parameter) { cast<ParameterAttr>(parameter).printSignature(printer); });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getSymNameAttrName(), getParametersAttrName()});
}

ParseResult VariantOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  FlatSymbolRefAttr task;
  StringRef kind;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) || parser.parseKeyword("of") ||
      parser.parseAttribute(task, getTaskAttrName(result.name), result.attributes))
    return failure();
  if (failed(parser.parseOptionalKeyword(&kind, {"inner", "leaf"})))
    return parser.emitError(parser.getCurrentLocation(), "expected 'inner' or 'leaf'");
  if (kind == "leaf")
    result.addAttribute(getLeafAttrName(result.name), parser.getBuilder().getUnitAttr());
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::Argument argument;
    if (parser.parseArgument(argument))
      return failure();
    argument.type = TaskTensorType::get(parser.getContext());
    if (succeeded(parser.parseOptionalColon()) && parser.parseType(argument.type))
      return failure();
    arguments.push_back(argument);
    return success();
  };
  Region *body = result.addRegion();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void VariantOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " of " << getTaskAttr() << (isLeaf() ? " leaf (" : " inner (");
  llvm::interleaveComma(getBody().getArguments(), printer, [&](BlockArgument argument) {
    printer.printOperand(argument);
    if (!isa<TaskTensorType>(argument.getType()))
      printer << ": " << argument.getType();
  });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getTaskAttrName(), getLeafAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/isLeaf());
}
