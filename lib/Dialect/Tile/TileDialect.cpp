//===- TileDialect.cpp - registration, types and kernel of the tile dialect ===//
#include "Verify.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/Chain.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/Syntax.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;
using namespace heddle::tile;

#include "heddle/Dialect/Tile/TileDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/Tile/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "heddle/Dialect/Tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "heddle/Dialect/Tile/TileOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "heddle/Dialect/Tile/ChainOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// !tile.view
//===----------------------------------------------------------------------===//

Type ViewType::parse(AsmParser &parser) { return heddle::parseTileType<ViewType>(parser, /*dynamic=*/true); }
void ViewType::print(AsmPrinter &printer) const { heddle::printTileType(printer, *this); }

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                               Type elementType) {
  if (shape.empty() || shape.size() > 5)
    return emitError() << "expected a view of rank 1 to 5, got rank " << shape.size();
  if (!elementType.isIntOrFloat())
    return emitError() << "expected an integer or float element type, got " << elementType;
  for (int64_t size : shape)
    if (!ShapedType::isDynamic(size) && (size < 1 || size > std::numeric_limits<int32_t>::max()))
      return emitError() << "expected sizes from 1 to 2147483647, got " << size;
  return success();
}

SmallVector<int64_t> ViewType::getTileDims(std::optional<ArrayRef<int64_t>> dims, int64_t tileRank) const {
  return dims ? SmallVector<int64_t>(*dims) : llvm::to_vector(llvm::seq(getRank() - tileRank, getRank()));
}

//===----------------------------------------------------------------------===//
// tile.kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return heddle::parseKernel<KernelOp>(parser, result);
}
void KernelOp::print(OpAsmPrinter &printer) { heddle::printKernel(printer, *this); }

/// Checks `tile.dims = ["M", ...]` on one argument: an array of strings, one per view dimension.
static LogicalResult verifyDimNames(FunctionOpInterface kernel, unsigned arg) {
  Attribute attr = kernel.getArgAttr(arg, "tile.dims");
  if (!attr)
    return success();
  auto view = dyn_cast<ViewType>(kernel.getArgumentTypes()[arg]);
  auto names = dyn_cast<ArrayAttr>(attr);
  if (!view || !names || !llvm::all_of(names, [](Attribute a) { return isa<StringAttr>(a); }))
    return kernel.emitOpError("argument ") << arg << ": expected tile.dims to be an array of names on a view";
  if (static_cast<int64_t>(names.size()) != view.getRank())
    return kernel.emitOpError("argument ")
           << arg << ": expected " << view.getRank() << " names in tile.dims, got " << names.size();
  return success();
}

/// `tile.default_dims = {M = 256, ...}` has names of sizes that the arguments have.
static LogicalResult verifyDefaultDims(FunctionOpInterface kernel) {
  std::set<std::string> names;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (auto view = dyn_cast<ViewType>(type))
      for (int64_t dim = 0; dim < view.getRank(); ++dim)
        names.insert(dimensionName(kernel, i, dim));
  auto sizes = kernel->getAttrOfType<DictionaryAttr>("tile.default_dims");
  for (NamedAttribute size : sizes ? sizes.getValue() : ArrayRef<NamedAttribute>())
    if (!names.count(size.getName().str()))
      return kernel.emitOpError("expected names of sizes in tile.default_dims (")
             << llvm::join(names, ", ") << "), got '" << size.getName().getValue() << "'";
  return success();
}

LogicalResult heddle::tile::verifyArguments(FunctionOpInterface kernel) {
  if (!kernel.getResultTypes().empty())
    return kernel.emitOpError("expected no results, got ") << kernel.getResultTypes().size();
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (!isa<ViewType>(type) && !type.isF32() && !type.isInteger(32) && !type.isIndex())
      return kernel.emitOpError("argument ") << i << ": expected a view, f32, i32 or index, got " << type;
    if (failed(verifyDimNames(kernel, i)))
      return failure();
  }
  return verifyDefaultDims(kernel);
}

/// `tile.independent` is a mark of loops.
static LogicalResult verifyIndependent(KernelOp kernel) {
  auto isWrong = [](Operation *op) {
    Attribute mark = op->getDiscardableAttr(heddle::independentAttr);
    if (!mark || (isa<scf::ForOp, scf::WhileOp>(op) && isa<UnitAttr>(mark)))
      return WalkResult::advance();
    op->emitOpError("expected tile.independent on an scf.for or scf.while, without a value");
    return WalkResult::interrupt();
  };
  return failure(kernel.walk(isWrong).wasInterrupted());
}

/// Parameters have distinct names; `tile.sizes` names those that dimensions of the one tile an operation makes have as
/// their size.
static LogicalResult verifyParameters(KernelOp kernel) {
  llvm::StringMap<ParamOp> known;
  WalkResult walk = kernel.walk([&](ParamOp param) {
    if (known.try_emplace(param.getParam(), param).second)
      return WalkResult::advance();
    param.emitOpError("expected distinct names of parameters, got '") << param.getParam() << "' twice";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  auto verifySizes = [&](Operation *op) -> LogicalResult {
    Attribute attr = op->getAttr(sizesAttr);
    if (!attr)
      return success();
    auto sizes = dyn_cast<ArrayAttr>(attr);
    auto tile = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
    if (!sizes || !tile || static_cast<int64_t>(sizes.size()) != tile.getRank())
      return op->emitOpError("expected tile.sizes to be a list with a parameter or a number for each dimension of the "
                             "tile that the operation makes, got ")
             << attr;
    for (auto [size, own] : llvm::zip_equal(sizes, tile.getShape())) {
      auto name = dyn_cast<StringAttr>(size);
      auto number = dyn_cast<IntegerAttr>(size);
      ParamOp param = name ? known.lookup(name) : ParamOp();
      if (name && !param)
        return op->emitOpError("expected the name of a parameter of the kernel in tile.sizes, got ") << size;
      if (!param && (!number || isa<BoolAttr>(size)))
        return op->emitOpError("expected names and numbers in tile.sizes, got ") << size;
      int64_t said = param ? static_cast<int64_t>(param.getValue()) : number.getValue().getSExtValue();
      if (said != own)
        return op->emitOpError("expected a tile dimension of ") << said << " as tile.sizes says, got " << own;
    }
    return success();
  };
  walk = kernel.walk([&](Operation *op) { return WalkResult(verifySizes(op)); });
  return failure(walk.wasInterrupted());
}

LogicalResult KernelOp::verify() {
  if (failed(verifyArguments(*this)))
    return failure();
  auto grids = getBody().getOps<GridOp>();
  if (auto n = std::distance(grids.begin(), grids.end()); n != 1)
    return emitOpError("expected one tile.grid at the top of the body, got ") << n;
  if (getBody().front().empty() || !isa<ReturnOp>(getBody().front().back()))
    return emitOpError("expected the body to end with tile.return");
  if (Attribute groups = (*this)->getAttr("groups")) {
    auto n = dyn_cast<IntegerAttr>(groups);
    if (!n || !n.getType().isSignlessInteger(64) || n.getInt() < 1 || n.getInt() > mostGroups)
      return emitOpError("expected groups to be from 1 to ") << mostGroups << ", got " << groups;
  }
  if (failed(verifyParameters(*this)) || failed(verifyIndependent(*this)))
    return failure();
  return verifyKernelRules(cast<FunctionOpInterface>(getOperation()));
}
