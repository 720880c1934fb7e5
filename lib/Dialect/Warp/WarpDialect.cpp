//===- WarpDialect.cpp - registration, types and structure of the warp dialect //
#include "heddle/Dialect/Warp/Warp.h"

#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/Syntax.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::warp;

#include "heddle/Dialect/Warp/WarpDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/Warp/WarpTypes.cpp.inc"

void WarpDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "heddle/Dialect/Warp/WarpTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "heddle/Dialect/Warp/WarpOps.cpp.inc"
      >();
}

/// Far more slots than shared memory has bytes for barriers.
static constexpr int64_t maxDepth = 1 << 16;

LogicalResult OrderType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t places) {
  if (places < 2)
    return emitError() << "expected an order of at least 2 places, got " << places;
  return success();
}

LogicalResult ArefType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t depth, ArrayRef<Type> payload) {
  if (depth < 1 || depth > maxDepth)
    return emitError() << "expected a ring depth from 1 to " << maxDepth << ", got " << depth;
  if (llvm::count_if(payload, [](Type type) { return type.isIndex(); }) > 1)
    return emitError() << "expected at most one number in a ring's payload, got several";
  for (Type type : payload) {
    if (type.isIndex())
      continue;
    auto payloadTile = dyn_cast<RankedTensorType>(type);
    if (!payloadTile || !payloadTile.hasStaticShape())
      return emitError() << "expected statically shaped payload tiles, or a number of type index, got " << type;
    if (failed(tile::verifyTileShape(emitError, payloadTile.getShape())))
      return failure();
  }
  return success();
}

Type SmemType::parse(AsmParser &parser) { return heddle::parseTileType<SmemType>(parser, /*dynamic=*/false); }
void SmemType::print(AsmPrinter &printer) const { heddle::printTileType(printer, *this); }

LogicalResult SmemType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                               Type elementType) {
  if (shape.empty() || shape.size() > 2)
    return emitError() << "expected a shared-memory tile of rank 1 or 2, got rank " << shape.size();
  if (!elementType.isIntOrFloat())
    return emitError() << "expected an integer or float element type, got " << elementType;
  return tile::verifyTileShape(emitError, shape);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return heddle::parseKernel<KernelOp>(parser, result);
}
void KernelOp::print(OpAsmPrinter &printer) { heddle::printKernel(printer, *this); }

LogicalResult KernelOp::verify() {
  auto grids = getBody().getOps<tile::GridOp>();
  if (auto n = std::distance(grids.begin(), grids.end()); n != 1)
    return emitOpError("expected one tile.grid, got ") << n;
  if (getBody().getOps<GroupOp>().empty())
    return emitOpError("expected at least one warp.group, got none");
  if (getBody().front().empty() || !isa<ReturnOp>(getBody().front().back()))
    return emitOpError("expected the body to end with warp.return");
  return tile::verifyKernelRules(cast<FunctionOpInterface>(getOperation()), /*encodings=*/true);
}
