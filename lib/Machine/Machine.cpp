//===- Machine.cpp - What a machine file states, asked for ----------------===//
//
// What:      capacities, levels, properties and costs of a machine that was read (ReadMachine.cpp).
//
//===----------------------------------------------------------------------===//
#include "heddle/Machine/Machine.h"

#include <algorithm>
#include <tuple>

namespace heddle {

int64_t Machine::memoryCapacity(const std::string &memory) const {
  for (const MachineMemory &m : memoryList)
    if (m.name == memory)
      return m.capacity;
  return 0;
}

Machine Machine::withMemory(const std::string &memory, int64_t capacity) const {
  Machine result = *this;
  for (MachineMemory &m : result.memoryList)
    if (m.name == memory)
      m.capacity = capacity;
  return result;
}

Machine Machine::withBlocks(int64_t blocks) const {
  if (blocks <= 1)
    return *this;
  // What every block takes of shared memory beside its own.
  int64_t reserved = property("smem_reserved_bytes", 0);
  Machine result = withMemory("smem", (memoryCapacity("smem") + reserved) / blocks - reserved);
  result.limits.registerFile /= blocks;
  return result;
}

bool MachineProcessor::canSee(const std::string &memory) const {
  return std::find(sees.begin(), sees.end(), memory) != sees.end();
}

const MachineProcessor *Machine::processor(const std::string &level) const {
  for (const MachineProcessor &p : processorList)
    if (p.name == level)
      return &p;
  return nullptr;
}

int64_t Machine::unitCapacity(const std::string &unit) const {
  for (const MachineUnit &u : unitList)
    if (u.name == unit)
      return u.capacity;
  return 0;
}

int64_t Machine::property(const std::string &key, int64_t otherwise) const {
  auto it = properties.find(key);
  return it == properties.end() ? otherwise : it->second;
}

std::vector<std::string> Machine::opClasses() const {
  std::vector<std::string> out;
  for (auto &[name, op] : ops)
    out.push_back(name);
  return out;
}

Result<OpCost> Machine::cost(const std::string &opClass, const CostParams &params) const {
  auto it = ops.find(opClass);
  if (it == ops.end())
    return userError("machine '" + machineName + "' states no cost for the op class '" + opClass + "'");
  const OpEntry &op = it->second;
  OpCost cost;
  cost.unit = op.unit;
  cost.pipe = op.pipe;
  cost.async = op.async;
  cost.variable = op.variable;
  cost.beside = op.beside;
  cost.source = op.source;
  CostParams known = params;
  // In this order: `latency` may refer to `hold` and `issue`, `issue` to `hold`.
  for (auto [key, formula, out] :
       {std::tuple{"hold", &op.hold, &cost.hold}, std::tuple{"issue", &op.issue, &cost.issue},
        std::tuple{"latency", &op.latency, &cost.latency}}) {
    Result<int64_t> value = evaluateFormula(*formula, known);
    if (!value)
      return userError("cost of '" + opClass + "': " + value.error().message(), op.places.at(key));
    if (*value < 0)
      return userError("cost of '" + opClass + "': expected a non-negative " + std::string(key) + ", got " +
                           std::to_string(*value),
                       op.places.at(key));
    *out = known[key] = *value;
  }
  return cost;
}

Result<OpCost> Machine::costAmongOthers(const std::string &opClass, const CostParams &params) const {
  Result<OpCost> cost = this->cost(opClass, params);
  auto bytes = params.find("bytes");
  if (!cost || bytes == params.end())
    return cost;
  constexpr int64_t lineBytes = 128, cycles = 1000;
  bool isLoad = opClass == "tma_load" || opClass == "thread_copy";
  int64_t share = isLoad                    ? lineBytes * property("l2_lines_per_1000_cycles_sm", 0)
                  : opClass == "tma_store"  ? property("store_bytes_per_1000_cycles_sm", 0)
                  : opClass == "tma_reduce" ? property("reduce_bytes_per_1000_cycles_sm", 0)
                                            : 0;
  int64_t more = share > 0 ? std::max<int64_t>(0, cycles * bytes->second / share - cost->hold) : 0;
  cost->hold += more;
  cost->latency += isLoad ? property("load_among_others_cycles", 0) : more; // loads arrive while others wait
  return cost;
}

} // namespace heddle
