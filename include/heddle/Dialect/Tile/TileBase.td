//===- TileBase.td - The tile dialect's definition, types and constraints -===//

#ifndef HEDDLE_DIALECT_TILE_TILEBASE
#define HEDDLE_DIALECT_TILE_TILEBASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::heddle::tile";
  let summary = "sequential tile programs: what one CTA computes";
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Tile_View : TypeDef<Tile_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "a strided tensor in global memory";
  let description = [{
    `!tile.view<?x?xf16>`: rank 1 to 5, each size static or dynamic (`?`). The innermost dimension is contiguous; the
    outer strides are given at launch (in elements). Reading outside the sizes gives zero; writing outside is dropped.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// The dimension of the view that each dimension of a tile of this rank is: as `dims` says, else the last ones.
    ::llvm::SmallVector<int64_t> getTileDims(::std::optional<::llvm::ArrayRef<int64_t>> dims, int64_t tileRank) const;
  }];
}

def Tile_Tensor : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self) && "
                             "::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">,
                       "statically shaped tensor", "::mlir::RankedTensorType">;

#endif // HEDDLE_DIALECT_TILE_TILEBASE
