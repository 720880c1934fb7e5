//===- WarpProtocol.h - The static protocol verifier of the warp level -----===//
//
// What:   checks, without running it, that a warp program keeps the rules of its rings, dots, fences, barriers and
//         copy-outs.
// Where:  after every pass that makes or changes a warp program, in every build type. The rules that need a run
//         (deadlock, races between groups) are the asynchronous interpreter's (Simulator/Timing/WarpSimulator.h).
// Docs:   docs/Simulator.md lists the rules.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_WARPPROTOCOL_H
#define HEDDLE_ANALYSIS_WARPPROTOCOL_H

#include "heddle/Dialect/Warp/Warp.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// Discardable unit attribute on `warp.get`: gives the handles without waiting. Only the mutant generator sets it, to
/// stand for a deleted wait whose results are still used; verifier and simulator treat such a get as no get at all.
inline constexpr llvm::StringLiteral unsynchronisedAttr = "heddle.unsynchronised";

/// Fails, with one located error, at the first broken rule.
mlir::LogicalResult verifyWarpProtocol(warp::KernelOp kernel);

/// Waits that retire nothing on any path, fences and barriers with nothing to order; none where the protocol is broken.
/// In program order.
llvm::SmallVector<mlir::Operation *> findIdleSynchronisation(warp::KernelOp kernel);

/// For each dot_wait the dots that it is the first to retire, on some path; none where the protocol is broken.
using RetiredDots = llvm::DenseMap<mlir::Operation *, llvm::DenseSet<mlir::Operation *>>;
RetiredDots findRetiredDots(warp::KernelOp kernel);

/// Makes `--heddle-verify-warp` known to MLIR's pass registry.
void registerVerifyWarpPass();

} // namespace heddle

#endif // HEDDLE_ANALYSIS_WARPPROTOCOL_H
