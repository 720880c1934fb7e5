//===- Replay.h - How long an iteration takes in machine code ---------------===//
//
// What:      machine code of a kernel and what its barriers are -> cycles of an iteration of the main loop.
// Where:     behind ptxas: the timing simulator (Timing/WarpSimulator.h) runs the order that the compiler emits, and
//            ptxas interleaves it; this runs what the card runs, instruction by instruction.
// Algorithm: see Replay.cpp.
// Links no MLIR; tools/heddle-opt/ReplayPass.cpp reads the facts of a kernel of the hw level.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_MACHINECODE_REPLAY_H
#define HEDDLE_SIMULATOR_MACHINECODE_REPLAY_H

#include "heddle/Machine/Machine.h"
#include "heddle/Simulator/MachineCode/Listing.h"

namespace heddle::sim {

/// The mbarriers of one ring or order.
struct CodeBarrier {
  std::string name;   ///< "K.full", "K.empty", "order"
  int64_t offset = 0; ///< bytes into shared memory
  int64_t slots = 1;
  int64_t turns = 1;  ///< the groups that arrive do so in turn, one of so many in a phase
  int64_t bytes = 0;  ///< that the copy engine brings in a phase; 0: unknown, few
  int64_t copies = 1; ///< in which it does
};

struct CodeKernel {
  std::vector<CodeBarrier> barriers;
  int64_t groups = 1;     ///< that compute, of four warps each
  int64_t storeBytes = 0; ///< of one store of a loop through the copy engine
  bool storesAdd = false; ///< these are reductions
};

struct ReplayedLoop {
  double cycles = 0;        ///< of an iteration
  double products = 0;      ///< share of them in which the tensor core works
  int64_t instructions = 0; ///< of an iteration of the first group
};

/// User error: the listing has no loop with products, or not one for each of the groups.
Result<ReplayedLoop> replayMainLoop(const CodeListing &listing, const CodeKernel &kernel, const Machine &machine);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_MACHINECODE_REPLAY_H
