//===- Rates.h - What instructions cost one scheduler -----------------------===//
//
// What:   a machine file -> cycles of pipes, latencies, the copy engine. What the file says of a tile is taken for the
//         instructions that a tile is made of; what it has no operation for is said with its measurement.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SIMULATOR_MACHINECODE_RATES_H
#define HEDDLE_LIB_SIMULATOR_MACHINECODE_RATES_H

#include "heddle/Simulator/MachineCode/Replay.h"

namespace heddle::sim {

/// Cycles that an instruction occupies a pipe, and while the tensor core works beside it.
struct Pipe {
  double alone = 1, beside = 1;
};

/// Of a unit of the tensor core's queue.
struct ProductRate {
  double cycles = 0, tail = 0; ///< `tail`: from its end to its result
};

struct Rates {
  Pipe alu, special, exchange;
  std::map<int64_t, Pipe> reads, writes;                    ///< of shared memory, by bits of a thread
  std::map<int64_t, Pipe> writesBesideRegisters;            ///< beside products whose left operand is in registers
  std::map<std::pair<int64_t, bool>, ProductRate> products; ///< by columns, and whether that operand is
  double specialLatency = 22, exchangeLatency = 24, readLatency = 30; ///< behind the pipe
  double globalLatency = 0;
  double pass = 0;   ///< from the test of a barrier to what depends on it
  double arrive = 0; ///< from an arrival until others see the phase's end
  double wake = 20;  ///< of a group that waits
  double groupBarrier = 0, fence = 0;
  double issueOfLoad = 60; ///< of the load group: from one load to the next
  double loadLatency = 0, loadLatencyOfByte = 0;
  double loadBytes = 1; ///< that L2 gives in a cycle
  double copyBytes = 1; ///< that the copy engine takes in a cycle
  double storeBytes = 1, storeLatency = 0;
  double branch = 12;     ///< back to the begin of a loop
  double unevenness = 10; ///< cycles by which waits may be longer
  int64_t queue = 8;      ///< instructions that the tensor core holds

  static Result<Rates> of(const Machine &machine, const CodeKernel &kernel);
};

} // namespace heddle::sim

#endif // HEDDLE_LIB_SIMULATOR_MACHINECODE_RATES_H
