//===- PtxasRules.h - what ptxas can follow -------------------------------------===//
//
// ptxas (13.0) follows the registers of a wgmma from its fence to the wait that retires it. Where it cannot, it
// serialises all wgmmas of the kernel and says so. Found by bisection of kernels; device/test has the patterns, and
// utils/ptxas_check.sh fails on every such message. The rules, and who keeps them:
//
//   1. C7514  a result in flight over a back edge whose registers ordinary code touches: the cut of a loop
//             (Scheduling/Stream/Stream.h), which waits for what crosses every cut.
//   2. C7513  a register operand that is made for the next trip while its dot still runs: the same.
//   3. C7515  a wait that can retire nothing: adaptWaits.
//   4. C7514  a counted wait that retires a group of an earlier trip, whose accumulator the loop reads: adaptWaits.
//   5. C7515  a dot that overwrites an array whose older values arithmetic still reads: needsOwnArray, asked where
//             tiles get arrays (Target/CUDA/Prepare/Arrays.cpp).
//   6. C7517  an accumulator that is set between dots: setsBeforeLoop, asked where loops are printed
//             (Target/CUDA/Statements.cpp); a dot that adds to zero overwrites (Dialect/Warp/Accumulators.h).
//   7. spills: descriptors that a loop does not change are computed before it, a register pair for each k-step:
//             hidesAddress, asked where descriptors are printed (Target/CUDA/HWPrinter.cpp).
//   8. C7602  one wgmma with more registers than the launch gives a thread, whatever setmaxnreg gives later:
//             mostColumns, asked where products get instructions (Conversion/WarpToHW/LowerDot.cpp).
//
// Another assembler has another file; nothing but these rules and their callers knows of ptxas.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_TARGET_HOPPER_PTXASRULES_H
#define HEDDLE_TARGET_HOPPER_PTXASRULES_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle::ptxas {

/// Rewrites the wgmma waits of a role so that ptxas does not serialise its wgmmas (rules 3 and 4). The meaning stays:
/// every wait waits for at least what it waited for.
void adaptWaits(hw::RoleOp role);

/// The result of `mma` must not lie where older values lie (rule 5): were it shared with what its result becomes, the
/// dot would redefine registers that older arithmetic still reads while another dot runs.
bool needsOwnArray(hw::WgmmaOp mma);

/// The accumulator of `mma` has to be set in front of the loop that carries it (rule 6): nvcc would sink the moves
/// between the first dots.
bool setsBeforeLoop(hw::WgmmaOp mma);

/// The address of `operand`, a tile that `mma` reads, has to look as if it changed from trip to trip (rule 7).
bool hidesAddress(hw::WgmmaOp mma, mlir::Value operand);

/// Columns that one wgmma may have at most where a launch gives each thread `registers` (rule 8): of 64 rows, 128
/// threads have a register for two columns; a left operand in registers takes `ofLeft` more.
int64_t mostColumns(int64_t registers, int64_t ofLeft);

} // namespace heddle::ptxas

#endif // HEDDLE_TARGET_HOPPER_PTXASRULES_H
