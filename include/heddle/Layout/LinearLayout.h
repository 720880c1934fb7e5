//===- LinearLayout.h - register tiles as linear maps over F2 -------------------===//
//
// A layout says which tensor element each (register, lane, warp) of a warp group holds. It
// is linear over F2: every bit of the register index, lane and warp has a basis vector of
// coordinates, and the element is the XOR of the vectors of the bits that are set. A zero
// vector replicates. So conversion, slicing, reduction and memory access are linear algebra
// on at most a few dozen vectors, never a walk over elements.
//
// Sizes that are not powers of two: coordinates live in the next power of two, and registers
// whose elements lie outside the shape are absent (register arrays are compacted in register
// order). Only register bits may reach outside: lane and warp vectors stay below the largest
// power of two that divides the dimension, and use other bits than registers do (verify()).
//
// Hopper fragments: PTX ISA, "Register Fragments for wgmma.mma_async".
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LAYOUT_LINEARLAYOUT_H
#define HEDDLE_LAYOUT_LINEARLAYOUT_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

class LinearLayout {
public:
  /// Coordinates packed 16 bits per dimension, dimension 0 lowest; addition is XOR.
  using Vector = uint64_t;
  static constexpr int kMaxRank = 4;
  static constexpr int64_t kMaxSize = 32768;
  /// XOR of those of `basis` whose bits are set in `index`.
  static Vector combine(const std::vector<Vector> &basis, int64_t index);
  static Vector unit(int dim, int64_t value) { return static_cast<Vector>(value) << (16 * dim); }
  static int64_t component(Vector v, int dim) { return (v >> (16 * dim)) & 0xffff; }
  /// Drops dimension `dim`; those above move down.
  static Vector dropDim(Vector v, int dim);
  /// Inserts a zero component at `dim`.
  static Vector insertDim(Vector v, int dim);

  LinearLayout() = default;
  LinearLayout(std::vector<int64_t> shape, std::vector<Vector> reg, std::vector<Vector> lane, std::vector<Vector> warp);

  const std::vector<int64_t> &shape() const { return dims; }
  int rank() const { return static_cast<int>(dims.size()); }
  const std::vector<Vector> &reg() const { return regBasis; }
  const std::vector<Vector> &lane() const { return laneBasis; }
  const std::vector<Vector> &warp() const { return warpBasis; }
  int numWarps() const { return 1 << warpBasis.size(); }

  /// The element that a register (index over all register bits), lane and warp hold.
  Vector at(int64_t reg, int lane, int warp) const;
  /// Register indices (over all register bits) that exist, in order: entry i is array element i.
  std::vector<int64_t> registers() const;
  /// Registers per thread.
  int64_t numRegisters() const { return static_cast<int64_t>(registers().size()); }
  /// Whether a coordinate lies in the shape.
  bool inBounds(Vector v) const;
  /// Whether some lane or warp bit replicates (its vector is zero).
  bool isReplicated() const;

  /// Empty if every element is held exactly by the span and the rules above hold; else what is wrong.
  std::string verify() const;

  bool operator==(const LinearLayout &other) const {
    return dims == other.dims && regBasis == other.regBasis && laneBasis == other.laneBasis &&
           warpBasis == other.warpBasis;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  std::string str() const;

private:
  std::vector<int64_t> dims;
  std::vector<Vector> regBasis, laneBasis, warpBasis;
};

/// "d1:8", "d0:1+d1:4" or "0".
std::string vectorString(LinearLayout::Vector v);

//===----------------------------------------------------------------------===//
// Layouts by construction
//===----------------------------------------------------------------------===//

/// f32 accumulator of an m x n dot by 4 warps; m a multiple of 64, n of 8. Rows 64 and above: register bits.
LinearLayout accumulatorLayout(int64_t m, int64_t n);
/// Register operand A, m x k, elements of 1, 2 or 4 bytes; k a multiple of 32 bytes. For 2 bytes equal to
/// accumulatorLayout(m, k): an accumulator becomes an operand without data movement.
LinearLayout operandALayout(int64_t m, int64_t k, int64_t elemBytes);
/// For direct access to memory that is contiguous along the last dimension: up to 16 bytes per thread, then
/// lanes along the last dimension first, then warps along the first dimension first (a row is reduced in one warp);
/// what is left over goes to registers, or replicates.
/// With `part` (one size per dimension, empty: the shape) the threads share every part of that size alike: each is a
/// window. A thread's bytes are those of `rows` neighbouring rows (a power of two) where a part has them, and at most
/// `lanes` of a warp (a power of two; 0: any number) share a row before the next rows are taken.
LinearLayout blockedLayout(const std::vector<int64_t> &shape, int64_t elemBytes, int warps,
                           const std::vector<int64_t> &part = {}, int64_t rows = 1, int64_t lanes = 0);

/// The same of pieces of `piece` columns (a power of two that divides those of `shape`, of rank 2), which a thread has
/// whole. Lanes lie along no more than a line of 128 bytes where the rows keep all of them busy: threads have parts of
/// fewer rows then, and tiles of any number of lines the same rows.
LinearLayout piecesLayout(const std::vector<int64_t> &shape, int64_t piece, int warps);

/// Of the result of removing dimension `dim` (each thread keeps the elements of its rows).
LinearLayout sliceLayout(const LinearLayout &layout, int dim);
/// Of the result of inserting dimension `dim` of `size`, all of it in each thread.
LinearLayout expandLayout(const LinearLayout &layout, int dim, int64_t size);

/// A rectangular part of a tile, held where the whole tile holds it.
struct Window {
  LinearLayout layout;         ///< of the part
  std::vector<int64_t> source; ///< array index in the whole per array index of the part
};
/// The part at `offsets` of size `sizes`; nothing if some element would have to move to another thread or the offsets
/// are not aligned to the sizes.
std::optional<Window> planWindow(const LinearLayout &layout, const std::vector<int64_t> &offsets,
                                 const std::vector<int64_t> &sizes);

/// Of the tile in another shape, row-major order kept: `runs` names, per dimension of the side with fewer dimensions,
/// those of the other that it becomes (`expands`) or was. Registers hold what they held. Sizes of a run but the first
/// are powers of two.
LinearLayout reshapeLayout(const LinearLayout &layout, const std::vector<int64_t> &shape,
                           const std::vector<std::vector<int64_t>> &runs, bool expands);

/// Exchanges the two dimensions of a rank-2 layout.
LinearLayout transposeLayout(const LinearLayout &layout);

//===----------------------------------------------------------------------===//
// Conversion and reduction
//===----------------------------------------------------------------------===//

enum class ConversionKind {
  Identity,     ///< same array
  Registers,    ///< y[i] = x[source[i]]
  Shuffle,      ///< y[i] = shfl(x[source[i]], laneMap(lane) ^ laneXor[i])
  Exchange,     ///< y[i], y[i + stride] from x[i], x[i + stride] of two lanes (hd::exchangeLanes)
  SharedMemory, ///< through shared memory
};

struct Conversion {
  ConversionKind kind = ConversionKind::SharedMemory;
  std::vector<int64_t> source; ///< array index of the source per array index of the result
  std::vector<int> laneXor;    ///< per array index of the result
  std::vector<int> laneMap;    ///< source lane contributed by each lane bit
  /// Exchange: what a bit of the lane (`fromLane`) told apart, a bit of the register's number (`stride`) does, whose
  /// place the bit `toLane` of the lane takes. `laneMap` holds the other bits. Then, in each thread, bytes of the pair
  /// of words: digit i of a selector names byte i among those of the first (0 to 3) and the second (4 to 7).
  int64_t stride = 0;
  int fromLane = 0, toLane = 0;
  int firstSelector = 0x3210, secondSelector = 0x7654;
};

/// How to get layout `to` of a tile held in layout `from` (same shape). `packing` elements (a power of two) share a
/// word, which lanes exchange as a whole.
Conversion planConversion(const LinearLayout &from, const LinearLayout &to, int64_t packing = 1);

/// Layouts between `from` and `to` so that every step is a conversion without shared memory; nothing where there are
/// none, or where more than one bit of the lane changes places with one of the register's number.
std::vector<LinearLayout> conversionSteps(const LinearLayout &from, const LinearLayout &to, int64_t packing);

/// The same, a bit of the lane after the other, where lanes that share elements in `to` are those that do in `from`.
std::vector<LinearLayout> exchangeSteps(const LinearLayout &from, const LinearLayout &to, int64_t packing);

/// `from` with its register bits in another order: the `packing` elements (a power of two) of a word are neighbours
/// along dimension `dim` (-1: the last one). Nothing where they are already, or where a thread does not hold such
/// neighbours.
std::optional<LinearLayout> wordsOfRows(const LinearLayout &from, int64_t packing, int dim = -1);

/// `from` with `piece` neighbours of a row in each thread, which lanes of a row share in `from`: these exchange them
/// for others of their own. Nothing where they do not, or have no others.
std::optional<LinearLayout> piecesOfRows(const LinearLayout &from, int64_t piece);

/// Array index in `from` (rank n-1) of each array index of `to` (rank n) when the tile is repeated along
/// dimension `dim` of `to`; nothing if some element is in another thread.
std::optional<std::vector<int64_t>> broadcastMap(const LinearLayout &from, const LinearLayout &to, int dim);

struct Reduction {
  LinearLayout result;           ///< sliceLayout
  std::vector<int64_t> resultOf; ///< array index of the result per array index of the source
  std::vector<int> laneMasks;    ///< shfl.xor masks to fold, after the in-thread fold
  std::vector<int> warpBits;     ///< bits of the warp index to fold through shared memory
};

/// How to fold dimension `dim`; nothing if a lane or warp vector mixes it with another dimension.
std::optional<Reduction> planReduction(const LinearLayout &layout, int dim);

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// See cuda::SmemTile for the meaning of the fields.
struct SmemStorage {
  int64_t rows = 0, cols = 0, elemBytes = 0, pitchBytes = 0;
  int swizzleBytes = 0;
  bool chunked = false, transposed = false;
  int64_t rowOffset = 0, colOffset = 0;
};

/// One access per entry: registers[first .. first + vector) at
///   base + (swizzle(threadOffset) ^ low) + high
/// where threadOffset is the byte offset of the thread's element (storageRow, storageCol) alone.
struct SmemAccess {
  int vector = 1; ///< elements per access
  struct Entry {
    std::vector<int64_t> registers; ///< array indices, in memory order
    int64_t low = 0, high = 0;      ///< bytes
  };
  std::vector<Entry> entries;
};

/// At most `maxBytes` per access. Nothing if an offset of the tile is not aligned to its extent, so that bits of
/// threads and registers would carry.
std::optional<SmemAccess> planSmemAccess(const LinearLayout &layout, const SmemStorage &storage, int64_t maxBytes = 16);

/// How often the banks of shared memory are passed over when a warp accesses the tile once as `planSmemAccess` says:
/// 32 banks of 4 bytes, 128 bytes of different banks a pass. 0: no such access.
int64_t bankPasses(const LinearLayout &layout, const SmemStorage &storage);

/// An order of accesses that is another one in half of a warp's lanes: where bit `laneBit` of the lane is set, access
/// e ^ `entries` comes in place of e. Of two such accesses the second lies at (swizzle(threadOffset) ^ low(e) ^ `low`)
/// + high(e) + `high`, e the first one.
struct SplitOrder {
  int laneBit = 0;
  int64_t entries = 0, low = 0, high = 0;
};

/// The order with the fewest passes over the banks; nothing where none has at most half of those of `plan` as it is.
std::optional<SplitOrder> planSplitOrder(const LinearLayout &layout, const SmemStorage &storage,
                                         const SmemAccess &plan);

/// Byte offset of a storage element before swizzling.
int64_t storageOffset(const SmemStorage &storage, int64_t row, int64_t col);

} // namespace heddle

#endif // HEDDLE_LAYOUT_LINEARLAYOUT_H
