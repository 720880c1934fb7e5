//===- Occupancy.h - what one CTA's warp groups may have ------------------===//
//
// What:   threads, registers and shared memory of one CTA that fills its SM: the shape of a warp group, what a launch
//         gives each thread, which budgets setmaxnreg can set afterwards, how they are shared out, and what of the
//         shared memory no tile can have.
// Where:  below Scheduling. Extraction and policy ask for limits, TileToWarp for budgets, WarpToHW for places and
//         checks, the printer for what the launch gave: every fact of this kind stands here and nowhere else.
// Rules:  a launch gives every thread the same count, a multiple of the granule. setmaxnreg moves registers between
//         warp groups in granules; the sum over the CTA cannot grow (PTX ISA, setmaxnreg).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_MACHINE_OCCUPANCY_H
#define HEDDLE_MACHINE_OCCUPANCY_H

#include "heddle/Machine/Machine.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

inline constexpr int64_t threadsPerWarp = 32;
inline constexpr int64_t warpsPerGroup = 4; ///< of a warp group: what a wgmma and a setmaxnreg need together
inline constexpr int64_t threadsPerGroup = threadsPerWarp * warpsPerGroup;

/// Registers of a thread that no tile can have: addresses, coordinates and elements on their way. In roles of 240
/// registers, tiles of 216 did not spill by ptxas 13.0, and tiles of 230 did
/// (docs/decisions/0015-tiles-in-flight.md).
inline constexpr int64_t registersBesideTiles = 20;

/// Bytes of one mbarrier.
inline constexpr int64_t barrierBytes = 8;
/// Where a tile with swizzled rows may begin: the period of the widest swizzle.
inline constexpr int64_t tileAlignment = 1024;
/// Where anything else in shared memory begins.
inline constexpr int64_t smemAlignment = 16;
/// Shared memory that barriers and the alignment of the whole take, at most.
inline constexpr int64_t barriersAndAlignment = 1024;
/// Rows of one swizzle atom: bytes of a row of the widest swizzle, so of a chunk of a staged store.
inline constexpr int64_t chunkRowBytes = 128;

constexpr int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
/// Bytes of a tile in shared memory as places are given.
constexpr int64_t alignedBytes(int64_t bytes) { return roundUp(bytes, tileAlignment); }

/// Registers per thread after setmaxnreg: of the group that issues copies, and of each compute group.
struct RegisterBudgets {
  int64_t load, compute;
};

class Occupancy {
public:
  /// Without limits: those of sm_90.
  explicit Occupancy(const WarpLimits &limits = {}) : limits(limits) {}

  int64_t maxGroups() const { return limits.maxGroups; }
  int64_t maxThreads() const { return limits.maxGroups * threadsPerGroup; }
  int64_t leastBudget() const { return roundUp(limits.minRegsPerThread, limits.regGranule); }
  /// The largest budget that setmaxnreg can set and the compiler can use.
  int64_t mostBudget() const { return limits.maxRegsPerThread / limits.regGranule * limits.regGranule; }
  /// The counts that setmaxnreg takes: multiples of a granule up to the largest, 24, 32, ... 256 on sm_90.
  int64_t granule() const { return limits.regGranule; }
  int64_t largestBudget() const { return roundUp(limits.maxRegsPerThread, limits.regGranule); }
  bool isBudget(int64_t regs) const {
    return regs >= leastBudget() && regs <= largestBudget() && regs % granule() == 0;
  }

  /// Blocks of `threads` threads with `registers` registers each that the register file holds.
  int64_t blocksOf(int64_t threads, int64_t registers) const {
    return limits.registerFile / (threads * roundUp(registers, limits.regGranule));
  }
  /// What a launch of `groups` warp groups gives each thread.
  int64_t launchRegisters(int64_t groups) const {
    int64_t share = limits.registerFile / (threadsPerGroup * groups) / limits.regGranule * limits.regGranule;
    return std::min(share, largestBudget());
  }
  /// What budgets of `groups` warp groups may come to, in registers per thread of a group each.
  int64_t budgetSum(int64_t groups) const { return launchRegisters(groups) * groups; }
  /// The same in registers of the file.
  int64_t launchedRegisters(int64_t groups) const { return budgetSum(groups) * threadsPerGroup; }

  /// The load group has as few as there can be, `computeGroups` groups have equal parts of the rest. Where the launch
  /// gives as many as a thread can have, as with one compute group and one block a multiprocessor, all have that.
  RegisterBudgets equalBudgets(int64_t computeGroups) const;
  /// Budgets of compute groups beside a load group of `load` registers a thread (0: as few as there can be): at least
  /// `least` each (0: nothing asked), what is left goes to the smallest in turn. None: `least` is more than there is,
  /// by `over` registers a thread.
  std::optional<std::vector<int64_t>> shareOut(const std::vector<int64_t> &least, int64_t &over,
                                               int64_t load = 0) const;
  /// Registers of the file that schedules with 2 to `mostCompute` compute groups beside a load group may hold in any
  /// case, the load group's warp counted with `loadRegs`; 0: fewer than two compute groups.
  int64_t scheduledRegisters(int64_t mostCompute, int64_t loadRegs) const;

private:
  WarpLimits limits;
};

} // namespace heddle

#endif // HEDDLE_MACHINE_OCCUPANCY_H
