//===- Translator.h - the operations of a kernel, one after the other -------===//
//
// What:   builds the tile.kernel. Tiles lose their dimensions of extent one (tensor<128x1xi32> is tensor<128xi32>), so
//         that tt.expand_dims is nothing and tt.broadcast is tile.broadcast. Scalar integers are of type index. Tiles
//         of more dimensions than layouts have (the hypercubes of tl.sort) hold their elements in one.
// Rows:   a kernel whose tiles have rank 1 and which reduces them to scalars is written with tiles of one row
//         (tensor<1x8192xf32>): what it reduces is then a tile of one element, where the kernel has a scalar.
// Scalars: elsewhere a scalar that a tile gives is a tile without dimensions (tensor<f32>), and so is what is computed
//         from it.
// Needed: values are translated where they stand, whether used or not; what an access needs of a polynomial is computed
//         again at the access. What nothing uses is erased at the end. Operations that are not known stand for nothing,
//         and are refused where something needs them.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CONVERSION_TRITONTOTILE_TRANSLATOR_H
#define HEDDLE_CONVERSION_TRITONTOTILE_TRANSLATOR_H

#include "Steps.h"

#include "heddle/Dialect/Tile/Fold.h"

#include "mlir/IR/Builders.h"

namespace heddle::triton {

/// Dimensions that a tile keeps: as many as layouts of registers have.
constexpr size_t mostDimensions = 4;

inline llvm::ArrayRef<int64_t> shapeOfTile(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

class Translator {
public:
  explicit Translator(Conversion &conversion)
      : conversion(conversion), values(*conversion.values), builder(conversion.source.getContext()) {}

  mlir::LogicalResult run();

  /// Whether the kernel is written with tiles of one row (see above).
  static bool isRowKernel(FuncOp function);

private:
  // Translate.cpp: the kernel.
  mlir::ArrayAttr sizeArgumentsOf(const View &view);
  mlir::NamedAttrList promisesOf(const View &view);
  mlir::LogicalResult createKernel();
  mlir::LogicalResult translate(mlir::Block &block);
  mlir::LogicalResult translate(mlir::Operation *op);
  /// Translated operands; failure (diagnosed): one of them has no translation.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> translated(mlir::Operation *user, mlir::ValueRange operands);
  mlir::Operation *firstUnknown(mlir::Value value);
  mlir::LogicalResult refuseOperation(mlir::Operation *op);
  mlir::Type typeOf(mlir::Type type);
  llvm::SmallVector<int64_t> shapeOf(mlir::Type type);

  // TranslateControl.cpp: loops and branches.
  mlir::LogicalResult translateFor(mlir::scf::ForOp loop);
  mlir::LogicalResult translateIf(mlir::scf::IfOp branch);
  mlir::LogicalResult translateWhile(mlir::scf::WhileOp loop);
  /// The translated type of what loops and branches pass on as `value`.
  mlir::Type carriedType(mlir::Value value);
  /// `made` where a loop or branch passes it on as `value`.
  mlir::Value asCarried(mlir::Value made, mlir::Value value);
  /// The other way: what `value`, which a loop or branch has passed on as `made`, is in the translation.
  mlir::Value fromCarried(mlir::Value made, mlir::Value value);
  /// A scalar integer as an index, and an index as the integer of `type` that the source has: as it was, where it was
  /// of that type before.
  mlir::Value asIndex(mlir::Value value, mlir::Location loc);
  mlir::Value asWritten(mlir::Value value, mlir::Type type, mlir::Location loc);
  /// Which scalars of the source are computed from tiles.
  void findScalarsOfTiles();
  /// Whether a loop or branch passes `value` on as a tile. In row kernels every scalar float may come from a tile.
  bool isScalarOfTile(mlir::Value value);
  /// Whether a loop or branch passes this value on in the translation.
  bool isPassed(mlir::Value value);
  mlir::Value decided(mlir::Value value, mlir::Type type);
  void defineResolved(mlir::ValueRange range);

  // TranslateTiles.cpp: computation.
  mlir::LogicalResult translateComputation(mlir::Operation *op);
  mlir::LogicalResult translateElementwise(mlir::Operation *op);
  static bool isElementwise(mlir::Operation *op);
  /// `op`, of that kind, on translated operands.
  mlir::Value elementwise(mlir::Operation *op, mlir::ValueRange in, mlir::Type type);
  mlir::Value composed(mlir::Operation *op, mlir::ValueRange in, mlir::Type type);
  mlir::Value bits(ExternElementwiseOp op, mlir::Value value, mlir::Type type);
  mlir::Value withoutDimension(mlir::Value value, mlir::Location loc);
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                        mlir::Location loc);
  mlir::Value repeated(mlir::Value value, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to, mlir::Location loc);
  mlir::Value splat(mlir::Value scalar, mlir::RankedTensorType type, mlir::Location loc);
  mlir::LogicalResult translateDot(DotOp dot);
  mlir::Value product(mlir::Value a, mlir::Value b, mlir::Value sum, bool isExact, mlir::Location loc);

  // TranslateFolds.cpp: reductions and scans.
  mlir::LogicalResult translateReduce(ReduceOp reduce);
  mlir::Value ofOne(mlir::Value tile, mlir::Location loc);
  mlir::LogicalResult reduceAll(ReduceOp reduce, tile::FoldKind kind, mlir::Value source);
  mlir::LogicalResult translateScan(ScanOp scan);
  mlir::LogicalResult reduceAny(ReduceOp reduce, llvm::ArrayRef<mlir::Value> in);
  mlir::LogicalResult scanAny(ScanOp scan, llvm::ArrayRef<mlir::Value> in);
  /// The results of a combination on tiles, element by element. Failure (diagnosed): it has another operation.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> combined(mlir::Block &combination, llvm::ArrayRef<mlir::Value> in);
  mlir::LogicalResult translateGather(GatherOp gather);
  mlir::LogicalResult translateHistogram(HistogramOp histogram);
  /// The positions along dimension `axis` of a tile of `shape`, or null where it has one element.
  mlir::Value positions(llvm::ArrayRef<int64_t> shape, int64_t axis, mlir::Location loc);
  mlir::Value numberOf(mlir::Value values, mlir::Value extreme, mlir::Value numbers, tile::FoldKind among, int64_t axis,
                       mlir::Location loc);
  mlir::Value asInteger(mlir::Value value, mlir::Type type, mlir::Location loc);
  /// The type of a tile that stands for a scalar.
  mlir::RankedTensorType scalarTile(mlir::Type element);
  mlir::Value asTile(mlir::Value value, mlir::Location loc);

  // TranslateShapes.cpp: parts and shapes.
  static llvm::SmallVector<int64_t> dense(llvm::ArrayRef<int64_t> shape);
  mlir::Value reshaped(mlir::Value value, llvm::ArrayRef<int64_t> shape, mlir::Location loc);
  mlir::Value part(mlir::Value source, llvm::ArrayRef<int64_t> corner, llvm::ArrayRef<int64_t> sizes,
                   mlir::Location loc);
  mlir::LogicalResult translateTranspose(TransOp trans);
  mlir::Value lastTwoExchanged(mlir::Value tile, mlir::Location loc);
  mlir::LogicalResult translateReshape(ReshapeOp reshape);
  mlir::LogicalResult translateSplit(SplitOp split);
  mlir::LogicalResult translateJoin(JoinOp join);
  mlir::LogicalResult translateCat(CatOp cat);

  // TranslateMemory.cpp: accesses.
  mlir::LogicalResult translateLoad(mlir::Operation *op);
  mlir::LogicalResult translateStore(mlir::Operation *op);
  /// The position of each element, in one dimension; -1 where the mask excludes it. Failure: diagnosed.
  mlir::FailureOr<mlir::Value> elementPositions(const Access &access, llvm::ArrayRef<int64_t> shape, mlir::Value mask);
  mlir::LogicalResult loadElements(LoadOp load, const Access &access);
  mlir::LogicalResult storeElements(mlir::Operation *op, const Access &access);
  void markDirect(mlir::Operation *made, const Access &access);
  struct Placed {
    mlir::Value view;
    llvm::SmallVector<mlir::Value> coordinates;
    llvm::SmallVector<int64_t> dims;  ///< of the view
    llvm::SmallVector<int64_t> tile;  ///< dimensions of the source's tile along them
    llvm::SmallVector<int64_t> shape; ///< of the tile in the view's order
  };
  mlir::LogicalResult translateElement(LoadOp load, const Access &access, const Placed &placed);
  mlir::Value onlyOf(mlir::Value tile, mlir::Location loc);
  mlir::LogicalResult define(LoadOp load, mlir::Value value, bool chooses);
  /// The view that the kernel makes of memory at an address that it has loaded.
  void leaveLoops(const View &view, mlir::Operation *op);
  mlir::FailureOr<mlir::Value> windowOf(const Access &access);
  mlir::FailureOr<mlir::Value> rowsOf(const Access &access, llvm::ArrayRef<int64_t> shape);
  mlir::Value asColumn(mlir::Value tile);
  mlir::Value spread(mlir::Value tile, const address::Box &box, std::vector<int64_t> &shape, mlir::Location loc);
  mlir::FailureOr<Placed> place(const Access &access, llvm::ArrayRef<int64_t> shape);

  // Materialise.cpp: polynomials as values.
  mlir::Value scalarOf(const address::Poly &poly, mlir::Location loc, bool ofTiles = true);
  /// In 64 bits, as distances in memory are.
  mlir::Value wideOf(const address::Poly &poly, mlir::Location loc);
  mlir::Value conditionOf(const address::Atom &atom, mlir::Location loc);
  /// A tile of i32 in the translated shape of `shape`; null: a symbol has no translation here.
  mlir::Value tileOf(const address::Poly &poly, llvm::ArrayRef<int64_t> shape, mlir::Location loc);
  mlir::Value tileCondition(const address::Atom &atom, llvm::ArrayRef<int64_t> shape, mlir::Location loc);
  mlir::Value symbolValue(address::Symbol symbol, mlir::Location loc, bool ofTiles);
  mlir::Value function(address::SymbolKind kind, llvm::ArrayRef<mlir::Value> in, mlir::Location loc);
  mlir::Value index(int64_t value, mlir::Location loc);

  Conversion &conversion;
  Values &values;
  mlir::OpBuilder builder;
  bool rows = false;
  tile::KernelOp kernel;
  llvm::DenseMap<mlir::Value, mlir::Value> map;
  llvm::DenseSet<mlir::Value> scalarsOfTiles;
  llvm::DenseMap<mlir::Operation *, const Access *> accesses;
  llvm::DenseMap<mlir::Value, mlir::Value> addresses; ///< loaded ones, as numbers of 64 bits
  llvm::DenseMap<int64_t, mlir::Value> arguments;     ///< of the source, by number
  llvm::DenseMap<int64_t, mlir::Value> programs, counts;
};

} // namespace heddle::triton

#endif // HEDDLE_CONVERSION_TRITONTOTILE_TRANSLATOR_H
