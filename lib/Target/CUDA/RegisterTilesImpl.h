//===- RegisterTilesImpl.h - shared between the printers of register tiles ------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_REGISTERTILESIMPL_H
#define HEDDLE_LIB_TARGET_CUDA_REGISTERTILESIMPL_H

#include "RegisterTiles.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Layout/LinearLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace heddle::cuda {

/// Expression `map[r]` for r in [0, map.size()): a sum of bit fields where the map is one, else a constexpr table that
/// is printed at once.
std::string indexExpr(EmitContext &ctx, llvm::ArrayRef<int64_t> map, llvm::StringRef var = "r");

/// array[index], without the brackets that an index has as a part of a sum.
std::string subscript(llvm::StringRef array, llvm::StringRef index);

/// Coordinate along `dim` of the thread's register 0, from lane and warp.
std::string threadCoordinate(EmitContext &ctx, const LinearLayout &layout, int dim);

/// Condition under which a thread holds the first replica of its elements; empty: always.
std::string ownerCondition(EmitContext &ctx, const LinearLayout &layout);

/// Prints `#pragma unroll for (int r = 0; r < trips; ++r) body`; one trip: the body alone, which then must not mention
/// r.
void printLoop(EmitContext &ctx, int64_t trips, llvm::ArrayRef<std::string> body);

/// "hd::f16" etc.: the device library's tag of a packed element type; empty: it is not packed.
std::string packedTag(mlir::Type elementType);

/// Integers of 8 and 16 bits: computed in int, several in a register.
bool isNarrowInteger(mlir::Type elementType);

/// Type in which elements are computed: "float", "int", "bool", "int64_t"; empty: unsupported.
std::string computeTypeOf(mlir::Type elementType);

/// Expression of element elements[r] of a tile's array as its compute type.
std::string elementAt(EmitContext &ctx, mlir::RankedTensorType type, llvm::StringRef array,
                      llvm::ArrayRef<int64_t> elements);

/// Element e of a tile that only moves elements inside a thread (broadcast, slice, transpose, conversion) is element
/// map[e] of its operand; none: it does more, or its layout does not fit.
std::optional<std::vector<int64_t>> elementMap(mlir::Value value);

/// Expression of element elements[r] of a tile as its compute type, whether or not it has an array.
std::string elementOf(EmitContext &ctx, mlir::Value value, llvm::ArrayRef<int64_t> elements);

/// The array that holds a tile or what it is a part of: register e of the tile is register map[e] of the array (empty:
/// e).
struct ArrayPart {
  std::string array;
  std::vector<int64_t> map;
  int64_t at(int64_t e) const { return map.empty() ? e : map[e]; }
};
ArrayPart arrayOf(EmitContext &ctx, mlir::Value value);

/// What the thread and what the register contributes to elements of an iota; their sum.
std::pair<std::string, std::string> iotaParts(EmitContext &ctx, tile::IotaOp op, llvm::ArrayRef<int64_t> elements);
std::string iotaElement(EmitContext &ctx, tile::IotaOp op, llvm::ArrayRef<int64_t> elements);

/// Word of a packed array whose parts are the given compute-typed values (packing many).
std::string packWord(mlir::Type elementType, llvm::ArrayRef<std::string> parts);

/// Prints assignments to all registers of an array of `type`. value(elements) gives the compute-typed value of element
/// elements[r]; `group` registers (a multiple of the packing) are written per loop trip, so that packed operands are
/// taken apart statically.
void printFill(EmitContext &ctx, mlir::RankedTensorType type, llvm::StringRef array, int64_t group,
               llvm::function_ref<std::string(llvm::ArrayRef<int64_t>)> value);

/// printFill where elements have one of two kinds of values: runs of words with the same mix of both are a loop each.
void printFillInRuns(EmitContext &ctx, mlir::RankedTensorType type, llvm::StringRef array,
                     llvm::function_ref<bool(int64_t)> kind,
                     llvm::function_ref<std::string(llvm::ArrayRef<int64_t>)> value);

/// Prints array[e] = source[map[e]] for all registers; whole words where pairs stay together. `through`
/// wraps the moved value, e.g. in a shuffle; it gets the value and, per loop trip, the registers moved.
void printMove(EmitContext &ctx, mlir::RankedTensorType to, llvm::StringRef array, mlir::RankedTensorType from,
               llvm::StringRef source, llvm::ArrayRef<int64_t> map,
               llvm::function_ref<std::string(std::string, llvm::ArrayRef<int64_t>)> through = {});

/// The scalar function of an element-wise op on operands given as expressions; empty if the op has none.
std::string scalarExpression(mlir::Operation *op, llvm::ArrayRef<std::string> operands);
bool hasScalarExpression(mlir::Operation *op);
/// A function that takes more than a few instructions an element, most of them of CUDA's library.
bool isLongFunction(mlir::Operation *op);

/// Prints an operation on pairs of f16, if `op` is one that the hardware has; false: nothing was printed.
bool printPackedArithmetic(mlir::Operation *op, EmitContext &ctx);
/// The same of a conversion from 8 to 16 bits.
bool printWidening(mlir::Operation *op, EmitContext &ctx);

/// A selector of bytes.
std::string hexLiteral(int64_t value);
/// Literal of a constant in its compute type.
std::string literal(mlir::Attribute value);

/// Puts parentheses around an expression that is not a name, call, subscript or number.
std::string atom(llvm::StringRef expression);

mlir::LogicalResult printSharedRead(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printSharedWrite(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printDirectLoad(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printElement(mlir::Operation *op, EmitContext &ctx);
/// The pointer of a tile.window, under the name of its result.
mlir::LogicalResult printWindowOfMemory(mlir::Operation *op, EmitContext &ctx);
/// The call that is `load`: hd::rowLoad.
std::string rowLoadCall(hw::RowLoadOp load, const std::string &barrier, EmitContext &ctx);
/// The loops of `copy`: hd::copyAsync.
mlir::LogicalResult printThreadCopy(hw::ThreadCopyOp copy, EmitContext &ctx);
mlir::LogicalResult printDirectStore(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printReduce(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printAlong(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printConversion(mlir::Operation *op, EmitContext &ctx);

/// Register tile from and to shared memory; `array` holds it.
mlir::LogicalResult printTileToShared(mlir::Operation *op, mlir::RankedTensorType type, const ArrayPart &array,
                                      const SmemTile &tile, EmitContext &ctx);
mlir::LogicalResult printTileFromShared(mlir::Operation *op, mlir::RankedTensorType type, llvm::StringRef array,
                                        const SmemTile &tile, EmitContext &ctx);

/// Address in `tile` of what register first[r] of `type` and those behind it hold, 16 bytes together, for loop trip r.
mlir::FailureOr<std::function<std::string(llvm::ArrayRef<int64_t> first)>>
piecesInShared(mlir::Operation *op, mlir::RankedTensorType type, const SmemTile &tile, EmitContext &ctx);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_REGISTERTILESIMPL_H
