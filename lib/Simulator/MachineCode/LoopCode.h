//===- LoopCode.h - The main loop of each group in machine code -------------===//
//
// What:      a listing and the kernel's barriers -> what each group executes in a steady-state iteration.
// Algorithm: of the loops that hold products but no such loop, the shortest of each group: where the iteration space
//            is split, the one without masks. A branch over arithmetic alone is taken (masks that few iterations
//            need), one over anything else is not (the first warp stores and copies). Loops that only wait again are
//            left out. What runs only where some lane of the warp has another factor than one (a vote over comparisons
//            with one: Target/CUDA emits such tests of rescaling factors) is issued and not executed: after the first
//            blocks of a row its maximum seldom grows.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SIMULATOR_MACHINECODE_LOOPCODE_H
#define HEDDLE_LIB_SIMULATOR_MACHINECODE_LOOPCODE_H

#include "heddle/Simulator/MachineCode/Replay.h"

namespace heddle::sim {

enum class StepKind {
  Fma,           ///< full-rate arithmetic, which takes cycles from the tensor core
  Alu,           ///< half-rate arithmetic
  Multiply,      ///< IMAD and arithmetic of 16 bits, half-rate in a pipe of their own
  Special,       ///< special functions
  Exchange,      ///< shuffles
  SharedRead,    ///< of shared memory
  SharedWrite,   ///< of shared memory
  GlobalRead,    ///< of global memory
  Product,       ///< one instruction of the tensor core
  ProductWait,   ///< until at most `pending` groups of products are under way
  BarrierWait,   ///< for a phase of an mbarrier
  BarrierArrive, ///< at an mbarrier
  GroupBarrier,  ///< of the four warps of a group
  Fence,         ///< between ordinary accesses and the copy engine
  BulkStore,     ///< by the copy engine
  BulkWait,      ///< until its stores have read shared memory
  Branch,
  Other
};

struct Step {
  StepKind kind = StepKind::Other;
  int stall = 1;
  int setsOnResult = -1, setsOnOperands = -1;
  unsigned waits = 0;
  int64_t columns = 0;        ///< of a product
  bool fromRegisters = false; ///< a product's left operand
  bool endsGroup = false;     ///< a product behind which the group of products is committed
  int64_t pending = 0;
  int64_t barrier = -1; ///< index; -1: none that is known
  int64_t bits = 32;    ///< of a thread's access to shared memory
};

struct GroupCode {
  std::vector<Step> steps;
  std::map<int64_t, int64_t> waited, arrived; ///< by barrier: before the loop
};

struct LoopCode {
  std::vector<GroupCode> groups;
  std::vector<int64_t> copies; ///< barriers whose phases the copy engine completes, in the order of issue
};

Result<LoopCode> readMainLoop(const CodeListing &listing, const CodeKernel &kernel);

/// Groups go round: each enters behind the one before.
bool isOrder(const CodeBarrier &barrier);
/// The barrier of the same ring by which its slots become free; -1: none.
int64_t emptyOf(const CodeKernel &kernel, int64_t full);

} // namespace heddle::sim

#endif // HEDDLE_LIB_SIMULATOR_MACHINECODE_LOOPCODE_H
