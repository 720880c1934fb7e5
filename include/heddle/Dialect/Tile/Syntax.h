//===- Syntax.h - the text form that kernels and tiles of all levels share --===//
//
// A kernel is written as a function; a tile as its sizes and element type: `<?x64xf16>`.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_SYNTAX_H
#define HEDDLE_DIALECT_TILE_SYNTAX_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

namespace heddle {

/// The custom assembly of `Kernel`, an operation with the function interface.
template <typename Kernel> mlir::ParseResult parseKernel(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  auto typeOf = [](mlir::Builder &builder, llvm::ArrayRef<mlir::Type> args, llvm::ArrayRef<mlir::Type> results,
                   mlir::function_interface_impl::VariadicFlag,
                   std::string &) { return builder.getFunctionType(args, results); };
  return mlir::function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, Kernel::getFunctionTypeAttrName(result.name), typeOf,
      Kernel::getArgAttrsAttrName(result.name), Kernel::getResAttrsAttrName(result.name));
}

template <typename Kernel> void printKernel(mlir::OpAsmPrinter &printer, Kernel kernel) {
  mlir::function_interface_impl::printFunctionOp(printer, kernel, /*isVariadic=*/false,
                                                 kernel.getFunctionTypeAttrName(), kernel.getArgAttrsAttrName(),
                                                 kernel.getResAttrsAttrName());
}

/// The type `Tile`, of sizes (`dynamic`: perhaps unknown ones) and an element type; null where it is not written so.
template <typename Tile> mlir::Type parseTileType(mlir::AsmParser &parser, bool dynamic) {
  llvm::SmallVector<int64_t> shape;
  mlir::Type elementType;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, dynamic) || parser.parseType(elementType) ||
      parser.parseGreater())
    return {};
  return Tile::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape, elementType);
}

template <typename Tile> void printTileType(mlir::AsmPrinter &printer, Tile tile) {
  printer << '<';
  printer.printDimensionList(tile.getShape());
  printer << 'x' << tile.getElementType() << '>';
}

} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_SYNTAX_H
