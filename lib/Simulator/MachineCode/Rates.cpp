//===- Rates.cpp - see Rates.h ----------------------------------------------===//
#include "Rates.h"

namespace heddle::sim {

Result<Rates> Rates::of(const Machine &machine, const CodeKernel &kernel) {
  Rates out;
  std::optional<Error> failed;
  auto known = [&](Result<OpCost> found) {
    if (!found && !failed)
      failed = found.error();
    return found ? *found : OpCost();
  };
  auto cost = [&](const char *name, const CostParams &parameters) { return known(machine.cost(name, parameters)); };
  // A warp's instruction is 32 elements; four schedulers run at once.
  auto pipe = [&](const char *name) {
    constexpr int64_t instructions = 64;
    OpCost of = cost(name, {{"elems", instructions * 128}, {"bytes", instructions * 512}});
    Pipe made;
    made.alone = made.beside = static_cast<double>(of.hold) / instructions;
    for (const BesideCost &beside : of.beside)
      if (beside.unit == "TC")
        made.beside = made.alone * beside.hold / 100;
    return made;
  };
  out.alu = pipe("alu_half");
  out.special = pipe("sfu");
  out.exchange = pipe("smem_read");
  Pipe read = pipe("smem_read"), write = pipe("smem_write");
  for (int64_t bits : {32, 64, 128}) {
    double words = static_cast<double>(bits) / 32;
    out.reads[bits] = {read.alone * words, read.beside * words};
    out.writes[bits] = {write.alone * words, write.beside * words};
    // 56 bytes a cycle instead of 34: docs/Calibration.md, "Surprising"
    out.writesBesideRegisters[bits] = {write.alone * words, write.beside * words * 34 / 56};
  }
  constexpr int64_t mega = 1 << 20;
  auto perByte = [&](int64_t cycles) { return static_cast<double>(cycles) / mega; };
  auto moved = [&](const char *name, int64_t bytes) {
    return known(machine.costAmongOthers(name, {{"bytes", bytes}}));
  };
  OpCost load = moved("tma_load", 0), loads = moved("tma_load", mega);
  out.loadLatency = static_cast<double>(load.latency);
  out.loadLatencyOfByte = perByte(loads.latency - load.latency);
  out.copyBytes = 1 / perByte(cost("tma_load", {{"bytes", mega}}).hold);
  out.loadBytes = 1 / perByte(loads.hold);
  OpCost store = moved(kernel.storesAdd ? "tma_reduce" : "tma_store", mega);
  out.storeBytes = 1 / perByte(store.hold);
  out.storeLatency = static_cast<double>(store.latency - store.hold);
  out.globalLatency = static_cast<double>(cost("global_load", {{"bytes", 512}}).latency);
  out.pass = static_cast<double>(machine.property("mbarrier_pass_cycles", 0)) * 2 / 3;
  // `mbarrier` is from arrival to what depends on it; half a pass is in the instructions themselves.
  out.arrive = static_cast<double>(cost("mbarrier", {{"bytes", 0}}).latency) / 2;
  out.groupBarrier = static_cast<double>(cost("named_barrier", {{"bytes", 0}}).latency);
  out.fence = static_cast<double>(machine.property("fence_cycles", 0)) / 2;
  out.queue = machine.property("dot_queue_instructions", out.queue);
  for (int64_t columns = 8; columns <= 256; columns += 8)
    for (bool registers : {false, true}) {
      OpCost product = cost("wgmma", {{"m", 64}, {"n", columns}, {"k", 16}, {"bytes", 2}, {"a_reg", registers}});
      out.products[{columns, registers}] = {static_cast<double>(product.hold),
                                            static_cast<double>(product.latency - product.hold)};
    }
  if (failed)
    return *failed;
  return out;
}

} // namespace heddle::sim
