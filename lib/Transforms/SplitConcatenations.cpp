//===- SplitConcatenations.cpp - products of concatenations --------------------===//
//
// What:      tile.dot %a, f(tensor.concat dim(0) %x, %y), %c  ->  tile.dot %a2, f(%y), (tile.dot %a1, f(%x), %c), where
//            f is element by element and may transpose, and %a1 and %a2 are the columns of %a that belong to the parts;
//            so for an operand on the left
// Where:     on the whole program, before its loops take other blocks; it stays sequential.
// Why:       keys that are rotated in the loop, x cos + (-x2, x1) sin, are held in registers three times as whole tiles
//            until the product reads them, and once more as parts: attention with heads of 128 and a block of 64 keys
//            needs 296 of 192 registers. Each half is made of half tiles and read by a product of its own.
// Which:     large concatenations beside the product, whose whole tile nothing else reads, into few parts of which the
//            tensor core has products. What is loaded for a part is loaded once, whichever parts it is read for.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SplitConcatenations.h"
#include "EraseUnread.h"
#include "PartsOfTiles.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <set>

using namespace mlir;
namespace heddle {
namespace {

constexpr size_t mostParts = 4;
/// Elements of the smallest operand that is divided: 64 registers of each thread of one group, in f32. Smaller ones
/// were scheduled with shorter intervals as they are: rotated blocks of 32 keys with heads of 128 take 1367 cycles
/// instead of 1809, since parts are more tiles in shared memory, and wait for one another more often.
constexpr int64_t leastElements = 64 * 128;
/// Bytes of a row of the left operand that one instruction contracts, of any type.
constexpr int64_t contractedBytes = 32;

RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// A box of a tile.
struct Part {
  SmallVector<int64_t> offsets, sizes;
  bool isWhole(RankedTensorType of) const { return ArrayRef<int64_t>(sizes) == of.getShape(); }
};

/// Computes parts of tiles instead of the tiles, each where the whole is computed.
class Parts {
public:
  /// `part` of `tile`; null: it can only be taken of the whole.
  Value computed(Value tile, const Part &part) {
    auto key =
        std::make_tuple(tile.getAsOpaquePointer(), std::vector<int64_t>(part.offsets.begin(), part.offsets.end()),
                        std::vector<int64_t>(part.sizes.begin(), part.sizes.end()));
    auto [it, isNew] = known.try_emplace(key);
    if (isNew)
      known[key] = make(tile, part);
    return known[key];
  }

private:
  Value make(Value tile, const Part &part) {
    Operation *def = tile.getDefiningOp();
    if (!def)
      return part.isWhole(tileType(tile)) ? tile : Value();
    OpBuilder b(def);
    if (auto load = dyn_cast<tile::LoadOp>(def)) {
      if (part.isWhole(load.getType()))
        return tile;
      return load.getExtent() ? Value()
                              : loadPart(b, load, getAsIndexOpFoldResult(b.getContext(), part.offsets), part.sizes);
    }
    if (auto concat = dyn_cast<tensor::ConcatOp>(def))
      return ofConcatenation(concat, part);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def))
      return ofSlice(slice, part);
    return computePart<int64_t>(b, def->getLoc(), tile, part.offsets, part.sizes,
                                [&](Value operand, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
                                  return computed(operand, {llvm::to_vector(offsets), llvm::to_vector(sizes)});
                                });
  }

  /// Of one of the parts that are concatenated.
  Value ofConcatenation(tensor::ConcatOp concat, Part part) {
    int64_t &offset = part.offsets[concat.getDim()], size = part.sizes[concat.getDim()];
    for (Value input : concat.getInputs()) {
      int64_t has = tileType(input).getDimSize(concat.getDim());
      if (offset < has)
        return offset + size <= has ? computed(input, part) : Value();
      offset -= has;
    }
    return {};
  }

  Value ofSlice(tensor::ExtractSliceOp slice, const Part &part) {
    ArrayRef<int64_t> at = slice.getStaticOffsets();
    if (ShapedType::isDynamicShape(at) || slice.getSourceType().getRank() != slice.getType().getRank() ||
        llvm::any_of(slice.getStaticStrides(), [](int64_t step) { return step != 1; }))
      return {};
    Part ofSource = part;
    for (auto [offset, more] : llvm::zip(ofSource.offsets, at))
      offset += more;
    return computed(slice.getSource(), ofSource);
  }

  std::map<std::tuple<void *, std::vector<int64_t>, std::vector<int64_t>>, Value> known;
};

/// Where an operand of a product is concatenated along the dimension that the product contracts.
class Concatenations {
public:
  explicit Concatenations(OpOperand &operand) : operand(operand) {
    find(operand.get(), operand.getOperandNumber() == 0);
  }

  /// Where parts begin, but for the first; nothing: the operand is not to be divided.
  SmallVector<int64_t> cuts() const {
    if (tileType(operand.get()).getNumElements() < leastElements)
      return {};
    bool isReadElsewhere = llvm::any_of(path, [&](Operation *op) {
      return llvm::any_of(op->getUses(),
                          [&](OpOperand &use) { return &use != &operand && !path.contains(use.getOwner()); });
    });
    return isReadElsewhere ? SmallVector<int64_t>() : llvm::to_vector(llvm::make_range(begins.begin(), begins.end()));
  }

private:
  /// Whether what makes `tile`, beside the product, concatenates along dimension `d` of it.
  bool find(Value tile, int64_t d) {
    Operation *def = tile.getDefiningOp();
    if (!def || def->getBlock() != operand.getOwner()->getBlock() || !isa<RankedTensorType>(tile.getType()))
      return false;
    auto [known, isNew] = seen.try_emplace({def, d}, false);
    if (!isNew) // what is read twice is looked at once
      return known->second;
    bool found = false;
    if (auto concat = dyn_cast<tensor::ConcatOp>(def)) {
      found = static_cast<int64_t>(concat.getDim()) == d && concat.getInputs().size() > 1;
      int64_t at = 0;
      for (Value input : concat.getInputs().drop_back())
        if (found)
          begins.insert(at += tileType(input).getDimSize(d));
    } else if (std::optional<Rearrangement> moved = Rearrangement::of(def)) {
      found = moved->dims[d] != Rearrangement::repeated && find(moved->source, moved->dims[d]);
    } else if (OpTrait::hasElementwiseMappableTraits(def)) {
      for (Value operand : def->getOperands())
        found |= find(operand, d);
    }
    if (found)
      path.insert(def);
    return seen[{def, d}] = found;
  }

  OpOperand &operand;
  std::set<int64_t> begins;
  llvm::DenseMap<std::pair<Operation *, int64_t>, bool> seen;
  llvm::SetVector<Operation *> path; ///< from concatenations to the product
};

/// The columns of `tile` (dimension 1) or its rows from `from` to `to`, computed as such where nothing else reads it.
Value take(OpBuilder &b, Parts &parts, Value tile, int64_t d, int64_t from, int64_t to) {
  Part part{{0, 0}, SmallVector<int64_t>(tileType(tile).getShape())};
  part.offsets[d] = from;
  part.sizes[d] = to - from;
  if (tile.hasOneUse())
    if (Value computed = parts.computed(tile, part))
      return computed;
  SmallVector<int64_t> steps{1, 1};
  auto attributes = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); };
  OpBuilder there(b);
  if (Operation *def = tile.getDefiningOp())
    there.setInsertionPointAfter(def);
  return tensor::ExtractSliceOp::create(there, tile.getLoc(),
                                        RankedTensorType::get(part.sizes, tileType(tile).getElementType()), tile,
                                        attributes(part.offsets), attributes(part.sizes), attributes(steps));
}

} // namespace

void splitConcatenations(tile::KernelOp kernel) {
  SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  Parts parts;
  for (tile::DotOp dot : dots) {
    std::set<int64_t> begins;
    for (unsigned i : {0, 1})
      for (int64_t at : Concatenations(dot->getOpOperand(i)).cuts())
        begins.insert(at);
    SmallVector<int64_t> ends(begins.begin(), begins.end());
    ends.push_back(dot.getA().getType().getDimSize(1));
    int64_t bytes = dot.getA().getType().getElementTypeBitWidth() / 8;
    bool hasProducts = llvm::all_of(ends, [&](int64_t end) { return bytes && end * bytes % contractedBytes == 0; });
    if (ends.size() == 1 || ends.size() > mostParts || !hasProducts)
      continue;
    OpBuilder b(dot);
    Value sum = dot.getAcc();
    int64_t from = 0;
    for (int64_t to : ends) {
      Value left = take(b, parts, dot.getA(), 1, from, to), right = take(b, parts, dot.getB(), 0, from, to);
      sum = tile::DotOp::create(b, dot.getLoc(), left, right, sum);
      from = to;
    }
    dot.replaceAllUsesWith(sum);
    eraseUnread(dot);
  }
}

} // namespace heddle
