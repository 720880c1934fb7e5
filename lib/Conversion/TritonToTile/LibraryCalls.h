//===- LibraryCalls.h - functions that CUDA's library has ------------------===//
//
// What:   a call of such a function as tile.call: CUDA's own function in the emitted text, and what it means as
//         operations on doubles, which simulator and error bounds execute. Formulas and series alone, so that nothing
//         has to be trusted but mathematics: the logarithm of the gamma function by Stirling's series behind eight
//         steps of its recurrence, and by reflection below one half; the modified Bessel function by its power series
//         below 20 and its asymptotic one above; the inverse error function by an approximation (M. Giles, 2012,
//         "Approximating the erfinv function") and two steps of Newton's method.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TRITONTOTILE_LIBRARYCALLS_H
#define HEDDLE_LIB_CONVERSION_TRITONTOTILE_LIBRARYCALLS_H

#include "heddle/Dialect/Triton/Libdevice.h"
#include "mlir/IR/Builders.h"

namespace heddle::triton {

/// `type`: of the tile that results; the operands are tiles of its elements.
mlir::Value callLibrary(mlir::OpBuilder &builder, LibraryFunction function, mlir::Location loc, mlir::Type type,
                        mlir::ValueRange operands);

} // namespace heddle::triton

#endif // HEDDLE_LIB_CONVERSION_TRITONTOTILE_LIBRARYCALLS_H
