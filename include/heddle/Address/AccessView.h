//===- AccessView.h - From pointers and a mask to a box of a view ----------===//
//
// What:   one access of a tile of pointers `base + offset` under a mask -> a box of a strided view: sizes and strides
//         that the host knows before the launch, one coordinate a dimension, and which dimensions the tile runs along.
// Rules:  the box equals the mask: a lane is inside the view's sizes exactly where every atom of the mask that has
//         lanes is true. Atoms without lanes are guards, for the caller to respect. An atom that is no bound, and an
//         address that is no box, are refused with the reason. Nothing is dropped, but bounds that no box has with
//         others, where lanes beyond them never reach memory.
// Wraps:  an index that is wrapped (x % M, min(x, M - 1), x < M ? x : 0) counts as x with the bound M; the box then
//         reads zero where the program reads another element. That is right only where such lanes never reach memory,
//         which the caller has to prove (or ask for `keepWraps`: a gather).
// Spread: neighbouring lanes of a load that reach one element (k / 2) are one lane of the box.
// Ragged: a bound that is not known before the launch is no size. Loads then name the position of each lane (a gather
//         of rows, those beyond the bound nowhere); stores drop the lanes from there on.
// No box: what is none can still be accessed element by element (`elementsOf`), at positions that are the whole offset.
//         Nothing is assumed then but that the argument's beginning is that of its tensor.
// Signs:  arguments, ids and counters are not negative. A coordinate that may be negative by this is refused, unless
//         its dimension is the outermost one: there it would be before the tensor.
// Layer:  plain C++, no MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ADDRESS_ACCESSVIEW_H
#define HEDDLE_ADDRESS_ACCESSVIEW_H

#include "heddle/Address/Polynomial.h"

namespace heddle::address {

struct Access {
  Poly offset;                ///< in elements, from the base
  std::vector<int64_t> shape; ///< of the tile; empty: a scalar
  std::vector<Atom> mask;     ///< all must be true
  int64_t piece = 1;          ///< elements of 16 bytes, which threads access at once
  bool isStore = false;
  bool isWide = false;    ///< distances between lanes may need 64 bits, which positions of rows do not have
  bool keepWraps = false; ///< wrapped indices are gathered as they are
  bool keepLanes = false; ///< lanes that reach one element stay lanes of their own
  /// What arguments, counters and the like are surely multiples of. Null: nothing is known.
  std::function<int64_t(const SymbolInfo &)> divisorOf;
  /// Where the kernel makes the view: what decides sizes and strides beside arguments. Anything may decide where it
  /// begins, and how much of it is left for the tile where a bound begins nowhere else. Null: the launch makes it.
  std::function<bool(const SymbolInfo &)> isKnown;
  /// Loads: whether lanes of a dimension of the tile from a bound on never reach memory. Null: any may.
  std::function<bool(int64_t, const Poly &)> neverStored;
};

struct ViewDim {
  Poly size; ///< by arguments; meaningless where unbounded
  bool unbounded = false;
  Poly stride; ///< in elements, by arguments
  bool operator==(const ViewDim &other) const {
    return unbounded == other.unbounded && (unbounded || size == other.size) && stride == other.stride;
  }
};

/// A dimension of the tile whose index wraps: lane < limit is what does not. Of a bound that is dropped: what it keeps.
struct Wrap {
  int64_t tileDim = 0;
  Poly limit;
};

enum class AccessKind {
  Box,      ///< rectangular; whether the copy engine takes it is decided by strides
  Rows,     ///< positions along one dimension are named by `rows`
  Scalar,   ///< no tile
  Elements, ///< `rows` is the position of each element, by all lanes; `rowAtoms` are the mask
};

struct Box {
  AccessKind kind = AccessKind::Box;
  Poly base; ///< constant part of the address, by arguments
  std::vector<ViewDim> dims;
  std::vector<Poly> coordinates; ///< one a dimension
  std::vector<int64_t> tileDims; ///< for each dimension of the view: the tile's dimension along it, or -1
  std::vector<int64_t> repeated; ///< dimensions of the tile that the address does not have
  /// Loads, by dimension of the tile: so many neighbouring lanes are one lane of the box. In all but `laneAtoms` and
  /// `wraps` its lanes are meant.
  std::map<int64_t, int64_t> spread;
  std::vector<Atom> guards;    ///< without lanes
  std::vector<Atom> laneAtoms; ///< of repeated and spread dimensions: conditions on the value, not on the address
  std::vector<Wrap> wraps;
  std::vector<Wrap> dropped;     ///< loads: beyond them there may be anything, which never reaches memory
  std::map<int64_t, Poly> below; ///< stores: by dimension of the tile, lanes from there on are dropped
  int64_t rowsDim = -1;          ///< Rows: the tile's dimension
  Poly rows;                     ///< Rows: coordinate along it, a function of its lane
  std::vector<Atom> rowAtoms;    ///< Rows: conditions on that lane alone
};

/// What an access reads or writes; or why it is no box.
struct AccessResult {
  std::optional<Box> box;
  std::string reason;
};

AccessResult viewOf(Algebra &algebra, const Access &access);

/// The extents of a tile of `shape` in the lanes of `box`.
std::vector<int64_t> lanesOf(const Box &box, std::vector<int64_t> shape);

/// Adds a dimension without a bound to `box` for each product of symbols that are `known` where the view is made, with
/// what `rest` has of it.
void addProducts(const Poly &rest, const std::function<bool(Symbol)> &known, Box &box);

/// Whether `poly` is not negative where what the kernel loads is at least `least`: memory names no negative rows,
/// pages, sequences, experts or blocks. `ofTiles`: elements of tiles count as loaded.
bool isNotNegativeOfMemory(Algebra &algebra, const Poly &poly, const Poly &least, bool ofTiles);

/// The same of scalars whose differences may be negative: what is added up of them is not. `trustArguments`: arguments
/// are not negative either.
bool isSumOfMemory(Algebra &algebra, const Poly &poly, bool trustArguments);

/// A tile's access element by element, of a view of rank 1 without a bound.
Box elementsOf(const Access &access);

/// Whether `atom` holds for every lane of a tile of `shape`, by constants alone.
bool alwaysTrue(Algebra &algebra, const Atom &atom, const std::vector<int64_t> &shape);

} // namespace heddle::address

#endif // HEDDLE_ADDRESS_ACCESSVIEW_H
