//===- HWDialect.cpp - registration, types and kernel of the hw dialect ---===//
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Limits.h"

#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/Syntax.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::hw;

#include "heddle/Dialect/HW/HWDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "heddle/Dialect/HW/HWAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/HW/HWTypes.cpp.inc"

void HWDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "heddle/Dialect/HW/HWAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "heddle/Dialect/HW/HWTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "heddle/Dialect/HW/HWOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// !hw.tile
//===----------------------------------------------------------------------===//

// <64x64xf16, 128x64, swizzle 128 [, at [64, 0]] [, transposed]>
Type TileType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, storage;
  Type elementType;
  int64_t swizzle = 0, rowOffset = 0, colOffset = 0;
  bool transposed = false;
  llvm::SMLoc loc = parser.getCurrentLocation();
  // The storage's "128x64" is a dimension list without a trailing x.
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseDimensionList(storage, /*allowDynamic=*/false, /*withTrailingX=*/false) ||
      parser.parseComma() || parser.parseKeyword("swizzle") || parser.parseInteger(swizzle))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("transposed")))
      transposed = true;
    else if (parser.parseKeyword("at") || parser.parseLSquare() || parser.parseInteger(rowOffset) ||
             parser.parseComma() || parser.parseInteger(colOffset) || parser.parseRSquare())
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (storage.size() != 2) {
    parser.emitError(loc, "expected rows x columns of storage, got ") << storage.size() << " dimensions";
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType, storage[0],
                    storage[1], swizzle, rowOffset, colOffset, transposed);
}

void TileType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", " << getRows() << 'x' << getCols() << ", swizzle " << getSwizzle();
  if (getRowOffset() || getColOffset())
    printer << ", at [" << getRowOffset() << ", " << getColOffset() << ']';
  if (getTransposed())
    printer << ", transposed";
  printer << '>';
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type elementType,
                               int64_t rows, int64_t cols, int64_t swizzle, int64_t rowOffset, int64_t colOffset,
                               bool transposed) {
  if (shape.empty() || shape.size() > 2)
    return emitError() << "expected a tile of rank 1 or 2, got rank " << shape.size();
  if (!elementType.isIntOrFloat())
    return emitError() << "expected an integer or float element type, got " << elementType;
  if (swizzle != 0 && !llvm::is_contained(swizzles, swizzle))
    return emitError() << "expected a swizzle of 0, 32, 64 or 128 bytes, got " << swizzle;
  if (failed(tile::verifyTileShape(emitError, shape)) || failed(tile::verifyTileShape(emitError, {rows, cols})))
    return failure();
  int64_t bytes = llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
  if (swizzle && cols * bytes % swizzle)
    return emitError() << "expected rows of a multiple of " << swizzle << " bytes, got " << cols * bytes;
  int64_t r = shape.size() == 1 ? 1 : shape[transposed ? 1 : 0], c = shape[shape.size() == 1 || transposed ? 0 : 1];
  if (rowOffset < 0 || colOffset < 0 || rowOffset + r > rows || colOffset + c > cols)
    return emitError() << "expected the tile to lie in its " << rows << "x" << cols << " storage, got corner ["
                       << rowOffset << ", " << colOffset << "] and extent " << r << "x" << c;
  return success();
}

int64_t TileType::getElementBytes() const { return llvm::divideCeil(getElementType().getIntOrFloatBitWidth(), 8); }
int64_t TileType::getStorageBytes() const { return getRows() * getCols() * getElementBytes(); }
int64_t TileType::getChunkCols() const { return getSwizzle() ? getSwizzle() / getElementBytes() : getCols(); }
int64_t TileType::getByteOffset(int64_t row, int64_t col) const {
  int64_t chunk = getChunkCols();
  return (col / chunk * getRows() * chunk + row * chunk + col % chunk) * getElementBytes();
}

//===----------------------------------------------------------------------===//
// hw.kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return heddle::parseKernel<KernelOp>(parser, result);
}
void KernelOp::print(OpAsmPrinter &printer) { heddle::printKernel(printer, *this); }

LogicalResult KernelOp::verify() {
  return tile::verifyKernelRules(cast<FunctionOpInterface>(getOperation()), /*encodings=*/true);
}
