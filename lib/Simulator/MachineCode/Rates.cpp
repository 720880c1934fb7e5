//===- Rates.cpp - see Rates.h ----------------------------------------------===//
#include "Rates.h"

namespace heddle::sim {

Result<Rates> Rates::of(const Machine &machine, const CodeKernel &kernel) {
  Rates out;
  std::optional<Error> failed;
  auto cost = [&](const char *name, const CostParams &parameters) {
    Result<OpCost> found = machine.cost(name, parameters);
    if (!found && !failed)
      failed = found.error();
    return found ? *found : OpCost();
  };
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
  OpCost load = cost("tma_load", {{"bytes", 0}}), mega = cost("tma_load", {{"bytes", 1 << 20}});
  out.loadLatency = static_cast<double>(load.latency + machine.property("load_among_others_cycles", 0));
  out.loadLatencyOfByte = static_cast<double>(mega.latency - load.latency) / (1 << 20);
  out.copyBytes = static_cast<double>(1 << 20) / static_cast<double>(mega.hold);
  int64_t lines = machine.property("l2_lines_per_1000_cycles_sm", 0);
  out.loadBytes = lines ? static_cast<double>(lines) * 128 / 1000 : static_cast<double>(1 << 20) / mega.hold;
  OpCost store = cost(kernel.storesAdd ? "tma_reduce" : "tma_store", {{"bytes", 1 << 20}});
  out.storeBytes = static_cast<double>(1 << 20) / store.hold;
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
