//===- ModelTest.cpp - predicted times, ranks, rank correlation ------------===//
#include "heddle/Tuning/Model.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {
/// A machine of 10 multiprocessors at 1 GHz with what the text adds to its properties.
Machine machineWith(const std::string &properties) {
  Result<Machine> machine = Machine::parse(R"({"name": "m", "description": "d", "clock_mhz": 1000, "source": "s",
    "units": [{"name": "TC", "capacity": 1, "source": "s"}],
    "memories": [{"name": "smem", "capacity": 1000, "source": "s"}],
    "warps": {"max_warps": 32, "max_groups": 8, "register_file": 65536, "max_regs_per_thread": 255,
              "min_regs_per_thread": 24, "reg_granule": 8, "source": "s"},
    "properties": {"sms": {"value": 10, "source": "s"})" +
                                               properties + "},\n\"ops\": {}}",
                                           "m.json");
  EXPECT_TRUE(static_cast<bool>(machine)) << machine.error().str();
  return *machine;
}

std::string property(const std::string &name, int64_t value) {
  return ", \"" + name + "\": {\"value\": " + std::to_string(value) + ", \"source\": \"s\"}";
}

KernelWork work() {
  KernelWork w;
  w.programs = 25; // three rounds
  w.loops = {{/*trips=*/10, /*interval=*/100, /*loadBytes=*/0, /*loadLines=*/0, /*smemBytes=*/0, /*loadLatency=*/0,
              /*drain=*/50, /*depth=*/4}};
  w.straight = 200;
  w.flops = 1000;
  return w;
}
} // namespace

TEST(Model, RoundsOfLoopsAndWhatIsAround) {
  Prediction p = predict(work(), machineWith(""));
  EXPECT_EQ(p.rounds, 3);
  EXPECT_DOUBLE_EQ(p.loopCycles, 1000);
  EXPECT_DOUBLE_EQ(p.exposedCycles, 250);
  EXPECT_NEAR(p.milliseconds, 3 * 1250 * 1e-6, 1e-9);
  EXPECT_EQ(p.part, TimePart::Multiprocessors);
}

TEST(Model, TheMultiprocessorWithMostWorkCounts) {
  KernelWork w = work();
  w.uneven = 1.5;
  EXPECT_NEAR(predict(w, machineWith("")).milliseconds, 1.5 * 3 * 1250 * 1e-6, 1e-9);
}

TEST(Model, StartOfAProgramIsPaidOnceWhereProgramsPersist) {
  Machine machine = machineWith(property("program_cycles", 500));
  KernelWork w = work();
  double launched = predict(w, machine).milliseconds;
  w.persistent = true;
  EXPECT_NEAR(launched - predict(w, machine).milliseconds, 2 * 500 * 1e-6, 1e-9);
}

TEST(Model, ProgramsInFlightHideWhatIsAroundTheLoops) {
  KernelWork w = work();
  w.persistent = true;
  w.inFlight = 2;
  EXPECT_NEAR(predict(w, machineWith("")).milliseconds, (3 * 1000 + 250) * 1e-6, 1e-9);
  w.straight = 3000; // more than a loop hides
  EXPECT_NEAR(predict(w, machineWith("")).milliseconds, (3 * 4050 / 2 + 3050) * 1e-6, 1e-8);
}

TEST(Model, BlocksOfAClusterWaitForEachOther) {
  KernelWork w = work();
  w.loops[0].multicast = true;
  EXPECT_DOUBLE_EQ(predict(w, machineWith(property("multicast_per_mille", 20))).loopCycles, 1020);
}

TEST(Model, LoadsAndSharedMemoryBoundTheInterval) {
  KernelWork w = work();
  w.loops[0].loadBytes = 12800;
  w.loops[0].loadLines = 100;
  EXPECT_DOUBLE_EQ(predict(w, machineWith("")).loopCycles, 1000);
  EXPECT_DOUBLE_EQ(predict(w, machineWith(property("l2_lines_per_1000_cycles_sm", 500))).loopCycles, 2000);
  w.loops[0].smemBytes = 38400;
  EXPECT_DOUBLE_EQ(predict(w, machineWith(property("smem_banks_bytes", 128))).loopCycles, 3000);
  w.loops[0].loadLatency = 900; // a slot is filled again every (900 + 100) / (depth - 1) cycles
  w.loops[0].depth = 2;
  EXPECT_DOUBLE_EQ(predict(w, machineWith("")).loopCycles, 10000);
  w.loops[0].depth = 20;
  EXPECT_DOUBLE_EQ(predict(w, machineWith("")).loopCycles, 1000);
}

TEST(Model, MemoryBinds) {
  KernelWork w = work();
  w.memoryBytes = 1e6;
  Prediction p = predict(w, machineWith(property("memory_bytes_per_cycle", 10)));
  EXPECT_EQ(p.part, TimePart::Memory);
  EXPECT_NEAR(p.milliseconds, 0.1, 1e-3);
}

TEST(Model, ACounterKeepsProgramsTogetherInMemory) {
  Machine machine = machineWith(property("memory_bytes_per_cycle", 10) + property("counter_memory_per_mille", 100));
  KernelWork w = work();
  w.persistent = true;
  w.memoryBytes = 1e9;
  for (double programs : {100.0, 1e4}) {
    w.programs = programs;
    w.counted = false;
    Prediction stride = predict(w, machine);
    EXPECT_EQ(gainsFromInOrder(stride), programs > 1000);
    w.counted = true;
    double gain = stride.milliseconds / predict(w, machine).milliseconds;
    EXPECT_NEAR(gain, programs > 1000 ? 1.1 : 1, 5e-3);
  }
}

TEST(Model, AboveThePowerLimitTheClockFalls) {
  std::string limit = property("power_watts", 100) + property("flop_femtojoules", 1000);
  KernelWork w = work();
  w.flops = 1e7; // 25e7 operations of 1 pJ in 3.75 us: 67 W
  Prediction cool = predict(w, machineWith(limit));
  EXPECT_LT(cool.power, 1);
  w.flops = 12e7;
  Prediction hot = predict(w, machineWith(limit));
  EXPECT_NEAR(hot.power, 8, 0.01);
  EXPECT_NEAR(hot.milliseconds, 2 * cool.milliseconds, 1e-5);
}

TEST(Model, OfEqualTimesTheLighterIsFirst) {
  std::vector<Prediction> p(4);
  p[0].milliseconds = 1.0, p[0].smemPerFlop = 0.03;
  p[1].milliseconds = 1.004, p[1].smemPerFlop = 0.02;
  p[2].milliseconds = 1.02, p[2].smemPerFlop = 0.01;
  p[3].milliseconds = 0.9, p[3].smemPerFlop = 0.09;
  EXPECT_EQ(rank(p), (std::vector<size_t>{3, 1, 0, 2}));
}
