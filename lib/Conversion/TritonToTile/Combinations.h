//===- Combinations.h - what the region of a reduction computes -------------===//
//
// What:   the region of tt.reduce or tt.scan -> the fold of tile programs that it is, or none.
// Where:  TranslateFolds.cpp, which runs what is no fold on tiles. No fold is known by its name: these are the forms
//         that Triton's library is compiled to.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CONVERSION_TRITONTOTILE_COMBINATIONS_H
#define HEDDLE_CONVERSION_TRITONTOTILE_COMBINATIONS_H

#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Dialect/Triton/Triton.h"

#include <optional>

namespace heddle::triton {

/// None: it combines elements in another way.
std::optional<tile::FoldKind> kindOf(mlir::Region &combination);

/// Of values with a number each: the greatest or least value, and its number.
struct Extreme {
  tile::FoldKind value;
  tile::FoldKind number; ///< which one of those whose values are equal
};

/// The forms of tl.argmax, tl.argmin, and tl.max and tl.min with indices: (v > w or (v == w and i < j)) ? (v, i) :
/// (w, j), or without the rule for equal values. Then any will do; in ascending order the last one is left.
std::optional<Extreme> extremeOf(ReduceOp reduce);

} // namespace heddle::triton

#endif // HEDDLE_CONVERSION_TRITONTOTILE_COMBINATIONS_H
