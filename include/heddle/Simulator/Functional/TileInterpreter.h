//===- TileInterpreter.h - The reference meaning of a tile kernel ---------===//
//
// What:   executes every program of a tile.kernel's grid, one after the other, in the numeric types written.
// Knows:  scf.for, scf.if, scf.while; tile.load, tile.store, program ids and sizes; everything `evaluate` knows.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_TILEINTERPRETER_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_TILEINTERPRETER_H

#include "heddle/Simulator/Functional/Bindings.h"
#include "heddle/Simulator/Functional/Evaluate.h"

namespace heddle::tile {
class KernelOp;
}

namespace heddle::sim {

/// Runs the kernel on `bindings` (from bindKernel; widened for `options.wide`, with startBounds for `options.bounds`),
/// writing its output tensors. Errors are emitted on the operation that cannot be executed, or with which a program
/// touches what another one writes (ProgramRaces.h); outputs are then unspecified.
mlir::LogicalResult runTileKernel(tile::KernelOp kernel, Bindings &bindings, const EvaluateOptions &options = {});

/// The outputs of `got` beside those of `reference` (bindings of one kernel): relative error by norm of each, in the
/// order of Bindings::outputs().
std::vector<double> compareOutputs(const Bindings &got, const Bindings &reference);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_TILEINTERPRETER_H
