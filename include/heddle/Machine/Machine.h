//===- Machine.h - What a machine offers and what each operation costs ----===//
//
// What:   a machine file (machines/*.json) as data: units, memories, warp and register limits, and for each
//         operation class a cost as formulas over shape and type, each with the source of its numbers.
// Where:  below Scheduling; the compiler asks it when it extracts a scheduling problem.
// Cost:   three numbers, meant the same way everywhere (bounds, solvers, simulator, checker):
//         issue   cycles during which the issuing warps can issue nothing else,
//         hold    cycles the operation occupies its unit,
//         latency cycles from start until its result may be used.
// Docs:   docs/MachineModel.md
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_MACHINE_MACHINE_H
#define HEDDLE_MACHINE_MACHINE_H

#include "heddle/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle {

/// Named integers a cost formula may refer to (m, n, k, bytes, elems, axis, a_reg, ...).
using CostParams = std::map<std::string, int64_t>;

/// What an operation and another unit at work do to each other.
struct BesideCost {
  std::string unit;   ///< while this one is at work
  int64_t hold = 100; ///< percent of its own `hold` that the operation takes
  int64_t delay = 0;  ///< percent of its own `hold` by which it keeps that unit from its work
};

/// What one operation costs on one machine, in cycles of the SM clock.
struct OpCost {
  std::string unit;      ///< the functional unit it occupies; empty when none
  std::string pipe;      ///< the part of the unit that it occupies; empty: all of it
  int64_t issue = 0;     ///< cycles its warps can issue nothing else
  int64_t hold = 0;      ///< cycles it occupies `unit`
  int64_t latency = 0;   ///< cycles until the result is available
  bool async = false;    ///< stays in flight after issue (wgmma, TMA): waited for before use
  bool variable = false; ///< latency not statically known (global memory)
  std::vector<BesideCost> beside;
  std::string source; ///< where the numbers come from
};

struct MachineUnit {
  std::string name;
  int64_t capacity = 1;
  std::string source;
};

struct MachineMemory {
  std::string name;     ///< "smem" (bytes) or "tmem" (columns)
  int64_t capacity = 0; ///< per CTA
  std::string source;
};

/// A level of the processor hierarchy that a mapping may name (docs/Mapping.md): the host, a block, ..., a thread.
struct MachineProcessor {
  std::string name;
  int64_t count = 0;             ///< of them in one of the level above; 0: any number
  std::vector<std::string> sees; ///< the memories it can address: GLOBAL, SHARED, REGISTER, TENSOR
  std::string source;
  bool canSee(const std::string &memory) const;
};

/// Warp-group and register limits of one CTA.
struct WarpLimits {
  int64_t maxWarps = 32;          ///< per CTA
  int64_t maxGroups = 8;          ///< warp groups per CTA
  int64_t registerFile = 65536;   ///< 32-bit registers of one SM
  int64_t maxRegsPerThread = 255; ///< architectural limit
  int64_t minRegsPerThread = 24;  ///< smallest setmaxnreg value
  int64_t regGranule = 8;         ///< setmaxnreg step
};

class Machine {
public:
  /// Reads and validates a machine file; every formula is parsed here, so `cost` fails only on a missing
  /// class or parameter.
  static Result<Machine> load(const std::string &path);
  /// The file `nameOrPath`, or the machine of that name (`h100`) among the machine files that come with Heddle.
  static Result<Machine> find(const std::string &nameOrPath);
  /// `file`: its place, for errors and for the file that it names as its base.
  static Result<Machine> parse(const std::string &text, const std::string &file);

  const std::string &name() const { return machineName; }
  int64_t clockMHz() const { return clock; }
  const std::vector<MachineUnit> &units() const { return unitList; }
  const std::vector<MachineMemory> &memories() const { return memoryList; }
  /// Outermost first; empty: mappings cannot be made for this machine.
  const std::vector<MachineProcessor> &processors() const { return processorList; }
  /// Null: the machine has none of this name.
  const MachineProcessor *processor(const std::string &level) const;
  const WarpLimits &warps() const { return limits; }
  /// Capacity of a memory by name, 0 when the machine has none of it.
  int64_t memoryCapacity(const std::string &memory) const;
  /// The same machine with this much of a memory that it has.
  Machine withMemory(const std::string &memory, int64_t capacity) const;
  /// What each of `blocks` thread blocks that share a multiprocessor has: its part of registers and shared memory.
  Machine withBlocks(int64_t blocks) const;
  /// Capacity of a unit by name, 0 when the machine has none of it.
  int64_t unitCapacity(const std::string &unit) const;
  /// A machine-wide scalar of the "properties" section (smem_bank_bytes, ...), or `otherwise`.
  int64_t property(const std::string &key, int64_t otherwise) const;
  bool hasOp(const std::string &opClass) const { return ops.count(opClass) != 0; }
  std::vector<std::string> opClasses() const;

  /// The cost of one operation of class `opClass` with the given parameters.
  Result<OpCost> cost(const std::string &opClass, const CostParams &params) const;
  /// The same while all multiprocessors do as much: the copy engine moves what its share of L2 allows, and loads come
  /// later (docs/MachineModel.md).
  Result<OpCost> costAmongOthers(const std::string &opClass, const CostParams &params) const;

private:
  friend class MachineReader;
  static Result<Machine> parse(const std::string &text, const std::string &file, int bases);

  struct OpEntry {
    std::string unit, pipe, issue, hold, latency, source;
    bool async = false, variable = false;
    std::vector<BesideCost> beside;
    std::map<std::string, SourceLoc> places; ///< of the formulas, by key
  };
  std::string machineName;
  int64_t clock = 0;
  std::vector<MachineUnit> unitList;
  std::vector<MachineMemory> memoryList;
  std::vector<MachineProcessor> processorList;
  WarpLimits limits;
  std::map<std::string, int64_t> properties;
  std::map<std::string, OpEntry> ops;
};

/// Evaluates an integer formula: + - * / (floor), parentheses, max(a,b,..), min(a,b,..), ceildiv(a,b), integers,
/// identifiers from `params`. Overflow, division by zero and unknown names are user errors.
Result<int64_t> evaluateFormula(const std::string &formula, const CostParams &params);
/// Checks the syntax only.
Status checkFormula(const std::string &formula);

} // namespace heddle

#endif // HEDDLE_MACHINE_MACHINE_H
