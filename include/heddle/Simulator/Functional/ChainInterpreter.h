//===- ChainInterpreter.h - a chain of kernels, launch by launch ----------===//
//
// What:   the tensors of a chain (tile.chain) go from launch to launch: its arguments, bound by bindKernel, and its
//         workspaces, made here: zero, or poisoned, so that what no launch has written shows in the result. How a
//         launch is run is the caller's: as its sequential meaning, in the simulator, in the emulator.
// Errors: on a workspace whose size is negative, too large for an index, or which makes more than `mostWorkspaceBytes`
//         of memory with the others.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_CHAININTERPRETER_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_CHAININTERPRETER_H

#include "heddle/Dialect/Tile/Chain.h"
#include "heddle/Simulator/Functional/Meaning.h"

namespace heddle::sim {

constexpr int64_t mostWorkspaceBytes = int64_t(8) << 30;

/// Runs `kernel` on its bindings, for `launch`.
using RunLaunch =
    llvm::function_ref<mlir::LogicalResult(tile::LaunchOp launch, tile::KernelOp kernel, Bindings &bindings)>;

/// Runs the launches of `chain` in order on the tensors of `bindings`; with `bounds` in it, in float64 with bounds.
/// Fails where `run` fails, or with a located error.
mlir::LogicalResult runChain(tile::ChainOp chain, Bindings &bindings, RunLaunch run);

/// The chain's sequential meaning: its kernels' meanings, one after the other.
mlir::FailureOr<Meaning> meaningOf(tile::ChainOp chain, const Bindings &bound);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_CHAININTERPRETER_H
