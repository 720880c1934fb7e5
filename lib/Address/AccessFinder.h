//===- AccessFinder.h - the steps from an access to a box of a view ---------===//
//
// The steps in order, and what they share; see AccessView.cpp, AccessPlaces.cpp from the coordinates on, and
// AccessOrder.cpp from the order of dimensions on.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_ADDRESS_ACCESSFINDER_H
#define HEDDLE_LIB_ADDRESS_ACCESSFINDER_H

#include "heddle/Address/AccessView.h"

namespace heddle::address {

/// One access, while its box is looked for.
class AccessFinder {
public:
  AccessFinder(Algebra &algebra, const Access &access, bool spreads)
      : algebra(algebra), access(access), spreads(spreads), shape(access.shape), offset(access.offset),
        mask(access.mask) {}

  AccessResult run() {
    if (dropUnitLanes() && unwrap() && spreadLanes() && splitOffset() && splitMask() && placeBounded() && placeRest() &&
        order() && beginAtTensor() && checkSigns() && nameByPieces())
      return {box, ""};
    return {std::nullopt, reason};
  }
  bool hasSpread() const { return !box.spread.empty(); }

private:
  bool fail(const std::string &text) {
    reason = text;
    return false;
  }
  /// Known where the view is made.
  bool isHost(const Poly &poly) const {
    return algebra.isHost(poly) || (access.isKnown && poly.isValid() && algebra.allSymbols(poly, access.isKnown));
  }
  std::string quote(const Poly &poly) const { return "'" + algebra.text(poly) + "'"; }

  /// One dimension that the tile runs along.
  struct TileDim {
    int64_t dim = 0; ///< of the tile
    Poly stride, coordinate;
    std::vector<Poly> upper; ///< lane < each
    Poly size;
    bool bounded = false;
    bool ragged = false; ///< a bound that only the kernel knows: its positions are listed
  };

  bool dropUnitLanes();
  bool unwrap();
  int64_t divisorOf(const Poly &poly) const;
  int64_t lanesOfOne(const Poly &poly, int64_t dim) const;
  Poly inLanesOf(const Poly &poly, int64_t dim, int64_t by);
  std::optional<std::pair<Poly, bool>> dividedUp(const Poly &poly, int64_t by);
  bool spreadMask(int64_t dim, int64_t by);
  bool spreadLanes();
  bool splitOffset();
  bool splitLane(int64_t dim, const Poly &part);
  bool splitMask();
  void beginAtLowerBound(TileDim &d);
  std::pair<Poly, Poly> splitLimit(const TileDim &d, const Poly &limit);
  void dropUnstored(TileDim &d);
  bool placeBounded();
  bool listRows(TileDim &d);
  bool dropFrom(const TileDim &d, const Poly &limit);
  void shiftRows();
  bool placeRest();
  bool order();
  bool isAlone() const;
  bool isBehindOthers() const;
  Poly stepsOfBase(size_t dim) const;
  bool rowsAreNotNegative(Poly rows);
  bool beginRowsAtTensor();
  bool beginAtTensor();
  bool nameByPieces();
  bool checkSigns();

  TileDim *tileDim(int64_t dim) {
    for (TileDim &d : found)
      if (d.dim == dim)
        return &d;
    return nullptr;
  }

  Algebra &algebra;
  const Access &access;
  const bool spreads;         ///< whether lanes that reach one element are one
  std::vector<int64_t> shape; ///< of the tile, in lanes of the box
  std::vector<Poly> limits;   ///< of `box.wraps`, in lanes of the box
  Poly offset, rest;
  std::vector<Atom> mask;
  std::vector<TileDim> found;
  std::vector<std::pair<int64_t, Poly>> lower; ///< lane of dim >= polynomial
  Box box;
  std::string reason;
};

} // namespace heddle::address

#endif // HEDDLE_LIB_ADDRESS_ACCESSFINDER_H
