//===- Model.h - how long a candidate kernel should take -------------------===//
//
// What:   the work of one candidate as a few numbers (`KernelWork`), and its predicted time on a machine, closed form.
// Where:  the tuner ranks candidates by it; Analysis/KernelWork.h reads the numbers off a scheduled program. No MLIR.
// Model:  a program spends, for each scheduled loop, its trips times the largest of: the interval; what L2 and shared
//         memory can deliver; the latency of the loads over the slots of the ring. Around that, what nothing hides:
//         the way of the first tiles into shared memory (once a program, or once a multiprocessor where programs are
//         persistent), and the code before and after the loops, which another program in flight hides under its
//         loops. Programs run in rounds over the multiprocessors. Device memory bounds the time from below; where
//         both are close, they delay each other (a sum of powers). Above the power limit the clock falls.
// Docs:   docs/Tuning.md, with what the model was compared with.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TUNING_MODEL_H
#define HEDDLE_TUNING_MODEL_H

#include "heddle/Machine/Machine.h"

#include <string>
#include <vector>

namespace heddle {

/// One scheduled loop of a program.
struct LoopWork {
  double trips = 0;       ///< iterations of a program, mean over the programs
  double interval = 0;    ///< cycles from one iteration to the next, as scheduled
  double loadBytes = 0;   ///< from global memory, an iteration
  double loadLines = 0;   ///< lines of 128 bytes that these touch
  double smemBytes = 0;   ///< read and written in shared memory, an iteration
  double loadLatency = 0; ///< cycles until the tiles of an iteration have come
  double drain = 0;       ///< cycles from the start of the last iteration's longest operation to its end
  double depth = 1;       ///< iterations whose tiles shared memory holds
  bool multicast = false; ///< the blocks of a cluster wait for each other
};

/// What one candidate does with given sizes.
struct KernelWork {
  double programs = 1;           ///< of the grid as written
  int64_t rows = 1, columns = 1; ///< of the grid's first two dimensions, programs of a cluster as one
  bool persistent = false;
  bool counted = false; ///< persistent, and programs come from a counter instead of by a stride
  double inFlight = 1;  ///< programs of a multiprocessor that take turns: one is in its loops, others around them
  std::vector<LoopWork> loops;
  double straight = 0; ///< cycles of a program outside of its scheduled loops
  double uneven = 1;   ///< time of the multiprocessor with most work in loops, over that of as many mean programs
  double busiest = 0;  ///< cycles that a program holds the unit that it holds longest
  // Of a program, mean over all.
  double flops = 0;
  double issue = 0;     ///< cycles in which its warps issue
  double smemBytes = 0; ///< read and written in shared memory
  double l2Bytes = 0;   ///< read and written through L2
  // Of all programs together.
  double memoryBytes = 0; ///< read and written in device memory
};

/// What bounds a candidate.
enum class TimePart { Multiprocessors, Memory };
const char *timePartName(TimePart part);

struct Prediction {
  double milliseconds = 0;
  double rounds = 0;        ///< programs that the busiest multiprocessor runs
  double loopCycles = 0;    ///< of one program in its loops
  double exposedCycles = 0; ///< of one program around them
  double power = 0;         ///< of the limit, at the highest clock; above 1 the clock falls
  TimePart part = TimePart::Multiprocessors;
  /// Of a floating-point operation: issue cycles, bytes of shared memory, of L2, of device memory.
  double issuePerFlop = 0, smemPerFlop = 0, l2PerFlop = 0, memoryPerFlop = 0;
};

Prediction predict(const KernelWork &work, const Machine &machine);

/// Whether a counter as tile source shortens the time of a kernel with such a prediction though its programs do equal
/// work: memory bounds it, and multiprocessors run so many programs that by a stride they drift apart.
bool gainsFromInOrder(const Prediction &prediction);

/// Order of preference: less time; where the times are equal within `tieShare`, what moves and issues less.
inline constexpr double tieShare = 0.005;
std::vector<size_t> rank(const std::vector<Prediction> &predictions);

} // namespace heddle

#endif // HEDDLE_TUNING_MODEL_H
