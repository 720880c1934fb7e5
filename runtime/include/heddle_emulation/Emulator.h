//===- heddle_emulation/Emulator.h - runs a CUDA kernel on the CPU ------------------------------===//
//
// What:   launches a kernel that the host's C++ compiler built with heddle_emulation/device.h: every thread of every
//         CTA, asynchronous copies, mbarriers, the tensor core, register budgets.
// Faults: printed to stderr with the kernel's line; the process ends with exit code kFault. So a run belongs into a
//         process of its own (heddle-emulate).
// What is checked, and what is not: docs/Emulation.md.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_EMULATION_EMULATOR_H
#define HEDDLE_EMULATION_EMULATOR_H

#include "heddle_runtime/Manifest.h"

#include <array>
#include <functional>

namespace heddle::emulation {

constexpr int kFault = 4, kTimeLimit = 3;

struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  int threads = 0, sharedBytes = 0;
  /// Which interleaving: 0 threads ascending and asynchronous operations as late as they may, 1 descending and at once,
  /// others random.
  unsigned order = 0;
  /// Rings of shared memory: at the end each slot must have been given back as often as it was filled.
  struct Ring {
    std::string name;
    uint32_t full, empty; ///< offsets of the mbarriers of slot 0
    int slots;
  };
  std::vector<Ring> rings;
  int cluster = 1; ///< CTAs beside each other along x that run together
  int blocks = 1;  ///< CTAs that share a multiprocessor's registers
};

/// The rings that a kernel's text declares (kBar_NAME_full, kBar_NAME_empty).
std::vector<Launch::Ring> declaredRings(const std::string &cuda);
/// The CTAs of a multiprocessor that its launch bounds ask for.
int declaredBlocks(const std::string &cuda);

/// What stands for a CUtensorMap: the arguments of its encoding.
struct TensorMap {
  char *base = nullptr;
  int rank = 0;
  int64_t size[5] = {}, stride[5] = {}; ///< innermost first; strides in bytes
  int box[5] = {};
  std::string elem;
  int elementBytes = 0, swizzle = 0;
  bool nanFill = false;
};
/// In place of cuTensorMapEncodeTiled.
TensorMap encode(const runtime::TensorMapSpec &spec);
/// The 128 bytes that a kernel gets for `map`, which must outlive the run.
struct alignas(64) EncodedMap {
  uint64_t opaque[16] = {};
};
EncodedMap encoded(const TensorMap &map);

/// Global memory for a tensor, at a multiple of 16, all bits one. Kept until the process ends.
char *allocateGlobal(const std::string &name, size_t bytes, bool writable);

/// Runs `kernel` once for every thread of the grid. Does not return from a fault. Gives the trace: a number that two
/// runs share when every thread executed the same instructions, by line, with the same operands.
uint64_t launch(const Launch &launch, const std::function<void()> &kernel);

} // namespace heddle::emulation

#endif // HEDDLE_EMULATION_EMULATOR_H
