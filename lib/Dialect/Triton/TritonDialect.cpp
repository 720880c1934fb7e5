//===- TritonDialect.cpp - registration and syntax of the tt dialect -------===//
#include "heddle/Dialect/Triton/Triton.h"

#include "heddle/Dialect/Tile/Syntax.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::triton;

#include "heddle/Dialect/Triton/TritonDialect.cpp.inc"
#include "heddle/Dialect/Triton/TritonEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/Triton/TritonTypes.cpp.inc"
#define GET_OP_CLASSES
#include "heddle/Dialect/Triton/TritonOps.cpp.inc"

void TritonDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "heddle/Dialect/Triton/TritonTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "heddle/Dialect/Triton/TritonOps.cpp.inc"
      >();
  allowUnknownOperations();
}

bool heddle::triton::isMeaningless(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "llvm.intr.assume" || name == "gpu.barrier" || name == "ttg.barrier" || isa<AssertOp, PrintOp>(op);
}

//===----------------------------------------------------------------------===//
// !tt.tensordesc
//===----------------------------------------------------------------------===//

Type TensorDescType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  SmallVector<int64_t> shape;
  Type element;
  // Triton 3.6 writes the tile as a tensor type, later versions its dimensions alone.
  RankedTensorType tensor;
  OptionalParseResult asTensor = parser.parseOptionalType(tensor);
  if (asTensor.has_value()) {
    if (failed(*asTensor))
      return {};
    shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    element = tensor.getElementType();
  } else if (parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element)) {
    return {};
  }
  if (parser.parseGreater())
    return {};
  // Descriptors alone have integers with signs, which loaded tiles have not.
  if (element.isSignedInteger() || element.isUnsignedInteger())
    element = IntegerType::get(parser.getContext(), element.getIntOrFloatBitWidth());
  return get(parser.getContext(), shape, element);
}

void TensorDescType::print(AsmPrinter &printer) const { heddle::printTileType(printer, *this); }

//===----------------------------------------------------------------------===//
// tt.func
//===----------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  return heddle::parseKernel<FuncOp>(parser, result);
}
void FuncOp::print(OpAsmPrinter &printer) { heddle::printKernel(printer, *this); }

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

Type heddle::triton::pointee(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    if (auto pointer = dyn_cast<PointerType>(tile.getElementType()))
      return tile.clone(pointer.getPointeeType());
  if (auto pointer = dyn_cast<PointerType>(type))
    return pointer.getPointeeType();
  return {};
}

static Type maskOf(Type base) {
  Type i1 = IntegerType::get(base.getContext(), 1);
  auto tile = dyn_cast<RankedTensorType>(base);
  return tile ? tile.clone(i1) : i1;
}

/// ["cacheModifier" "=" WORD] ["evictionPolicy" "=" WORD] in any order.
static ParseResult parseHints(OpAsmParser &parser, OperationState &result) {
  for (;;) {
    StringRef word;
    llvm::SMLoc loc;
    if (succeeded(parser.parseOptionalKeyword("cacheModifier"))) {
      loc = parser.getCurrentLocation();
      if (parser.parseEqual() || parser.parseKeyword(&word))
        return failure();
      auto cache = symbolizeCacheModifier(word);
      if (!cache)
        return parser.emitError(loc, "expected a cache modifier, got '") << word << "'";
      result.addAttribute("cache", CacheModifierAttr::get(parser.getContext(), *cache));
    } else if (succeeded(parser.parseOptionalKeyword("evictionPolicy"))) {
      loc = parser.getCurrentLocation();
      if (parser.parseEqual() || parser.parseKeyword(&word))
        return failure();
      auto evict = symbolizeEvictionPolicy(word);
      if (!evict)
        return parser.emitError(loc, "expected an eviction policy, got '") << word << "'";
      result.addAttribute("evict", EvictionPolicyAttr::get(parser.getContext(), *evict));
    } else {
      return success();
    }
  }
}

static void printHints(OpAsmPrinter &printer, std::optional<CacheModifier> cache, std::optional<EvictionPolicy> evict) {
  if (cache)
    printer << " cacheModifier = " << stringifyCacheModifier(*cache);
  if (evict)
    printer << " evictionPolicy = " << stringifyEvictionPolicy(*evict);
}

/// Operands separated by commas, hints, attributes, ":" and the type of the pointers.
static ParseResult parseAccess(OpAsmParser &parser, OperationState &result,
                               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands, Type &base) {
  llvm::SMLoc loc;
  if (parser.parseOperandList(operands) || parseHints(parser, result) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  loc = parser.getCurrentLocation();
  if (parser.parseType(base))
    return failure();
  if (!pointee(base))
    return parser.emitError(loc, "expected a pointer or a tile of pointers, got ") << base;
  return success();
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  Type base;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parseAccess(parser, result, operands, base))
    return failure();
  if (operands.empty() || operands.size() > 3)
    return parser.emitError(loc, "expected a pointer, a mask and another value, got ")
           << operands.size() << " operands";
  SmallVector<Type> types{base, maskOf(base), pointee(base)};
  types.resize(operands.size());
  if (parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr({1, operands.size() > 1, operands.size() > 2}));
  result.addTypes(pointee(base));
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands();
  printHints(printer, getCache(), getEvict());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes", "cache", "evict"});
  printer << " : " << getPtr().getType();
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  Type base;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parseAccess(parser, result, operands, base))
    return failure();
  if (operands.size() < 2 || operands.size() > 3)
    return parser.emitError(loc, "expected a pointer, a value and a mask, got ") << operands.size() << " operands";
  SmallVector<Type> types{base, pointee(base), maskOf(base)};
  types.resize(operands.size());
  return parser.resolveOperands(operands, types, loc, result.operands);
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands();
  printHints(printer, getCache(), getEvict());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"cache", "evict"});
  printer << " : " << getPtr().getType();
}

ParseResult AddPtrOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand pointer, offset;
  Type base, by;
  if (parser.parseOperand(pointer) || parser.parseComma() || parser.parseOperand(offset) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parser.parseType(base) ||
      parser.parseComma() || parser.parseType(by) || parser.resolveOperand(pointer, base, result.operands) ||
      parser.resolveOperand(offset, by, result.operands))
    return failure();
  result.addTypes(base);
  return success();
}

void AddPtrOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getPtr() << ", " << getOffset();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getType() << ", " << getOffset().getType();
}

//===----------------------------------------------------------------------===//
// Operations with one type written for two
//===----------------------------------------------------------------------===//

ParseResult SplitOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  Type from, to;
  if (parser.parseOperand(source) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(from) ||
      parser.parseArrow() || parser.parseType(to) || parser.resolveOperand(source, from, result.operands))
    return failure();
  result.addTypes({to, to});
  return success();
}

void SplitOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSrc();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getSrc().getType() << " -> " << getOutLHS().getType();
}

ParseResult HistogramOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source, mask;
  Type from, to;
  if (parser.parseOperand(source))
    return failure();
  bool masks = succeeded(parser.parseOptionalComma());
  if ((masks && parser.parseOperand(mask)) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(from) || parser.parseArrow() || parser.parseType(to) ||
      parser.resolveOperand(source, from, result.operands))
    return failure();
  auto tile = dyn_cast<RankedTensorType>(from);
  if (masks && !tile)
    return parser.emitError(parser.getNameLoc(), "expected a tile");
  if (masks && parser.resolveOperand(mask, tile.clone(parser.getBuilder().getI1Type()), result.operands))
    return failure();
  result.addTypes(to);
  return success();
}

void HistogramOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getSrc();
  if (getMask())
    printer << ", " << getMask();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getSrc().getType() << " -> " << getType();
}

static ParseResult parsePair(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand lhs, rhs;
  Type from, to;
  if (parser.parseOperand(lhs) || parser.parseComma() || parser.parseOperand(rhs) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(from) || parser.parseArrow() ||
      parser.parseType(to) || parser.resolveOperand(lhs, from, result.operands) ||
      parser.resolveOperand(rhs, from, result.operands))
    return failure();
  result.addTypes(to);
  return success();
}

static void printPair(OpAsmPrinter &printer, Operation *op) {
  printer << ' ' << op->getOperands();
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op->getOperand(0).getType() << " -> " << op->getResult(0).getType();
}

ParseResult JoinOp::parse(OpAsmParser &parser, OperationState &result) { return parsePair(parser, result); }
void JoinOp::print(OpAsmPrinter &printer) { printPair(printer, *this); }
ParseResult CatOp::parse(OpAsmParser &parser, OperationState &result) { return parsePair(parser, result); }
void CatOp::print(OpAsmPrinter &printer) { printPair(printer, *this); }
