//===- ReplayTest.cpp -------------------------------------------------------===//
//
// Loops whose time is known: the tensor core's, a pipe's, the copy engine's.
//
//===----------------------------------------------------------------------===//
#include "heddle/Simulator/MachineCode/Replay.h"

#include "CodeText.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::sim;

static Result<ReplayedLoop> replay(const CodeText &text, const CodeKernel &kernel) {
  Result<Machine> machine = Machine::find("h100");
  EXPECT_TRUE(machine);
  return replayMainLoop(*parseListing(text.str()), kernel, *machine);
}

static double cycles(const CodeText &text, const CodeKernel &kernel) {
  Result<ReplayedLoop> loop = replay(text, kernel);
  EXPECT_TRUE(loop) << loop.error().str();
  return loop ? loop->cycles : 0;
}

/// Four m64n128k16, a wait for the group before, `arithmetic`, back.
static CodeText loop(const std::string &arithmetic, int count) {
  CodeText text;
  text.label(".L_x_0");
  for (int i = 0; i < 4; ++i)
    text.add(std::string("HGMMA.64x128x16.F32 R24, gdesc[UR8], R24") + (i == 3 ? ", gsb0" : ""));
  for (int i = 0; i < count; ++i)
    text.add(arithmetic);
  text.add("WARPGROUP.DEPBAR.LE gsb0, 0x1").add("@P0 BRA `(.L_x_0)").add("EXIT");
  return text;
}

TEST(Replay, ProductsTakeTheTensorCore) {
  CodeKernel one, two;
  two.groups = 2;
  EXPECT_NEAR(cycles(loop("", 0), one), 256, 3);
  EXPECT_NEAR(cycles(loop("", 0), two), 512, 3);
}

TEST(Replay, FullRateArithmeticTakesCyclesOfTheTensorCore) {
  CodeKernel two;
  two.groups = 2;
  EXPECT_NEAR(cycles(loop("FFMA R1, R2, R3, R1", 40), two), 512 + 2 * 40, 8);
  EXPECT_NEAR(cycles(loop("FMNMX R1, R2, R3, !PT", 40), two), 512, 8); // beside it
}

TEST(Replay, APipeThatIsShort) {
  CodeKernel two;
  two.groups = 2;
  double beside = 512 / (8 * 1.36); // instructions while the tensor core works, each 136 % of 8 cycles
  EXPECT_NEAR(cycles(loop("MUFU.EX2 R1, R2", 80), two), 512 + (160 - beside) * 8, 15);
}

TEST(Replay, LoadsThatAreLate) {
  CodeKernel kernel;
  kernel.barriers = {{"K.full", 0x38000, 4, 1, 65536, 2}, {"K.empty", 0x38020, 4, 1, 0, 1}};
  CodeText text;
  text.label(".L_x_0").add("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4+0x38000], R4", {1, 0, 7, 0});
  text.add("@!P0 BRA `(.L_x_3)", {1, 7, 7, 1});
  text.add("HGMMA.64x128x16.F32 R24, gdesc[UR8], R24, gsb0").add("WARPGROUP.DEPBAR.LE gsb0, 0x0");
  text.add("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4+0x38020], RZ").add("@P0 BRA `(.L_x_0)").add("EXIT");
  text.label(".L_x_2").add("SYNCS.ARRIVE.TRANS64 RZ, [UR4+0x38000], R11").add("UTMALDG.5D [UR8], [UR6]");
  text.add("@P0 BRA `(.L_x_2)").add("EXIT").label(".L_x_3").add("BRA `(.L_x_0)");
  EXPECT_NEAR(cycles(text, kernel), 65536 / (526 * 128 / 1000.0), 20); // lines that L2 gives a multiprocessor
}

TEST(Replay, WaitsThatNeverEnd) {
  CodeKernel kernel;
  kernel.groups = 2;
  kernel.barriers = {{"stage.full", 0x38000, 1, 1, 0, 1}};
  CodeText text; // each group waits for the other's arrival before it arrives
  text.label(".L_x_0").add("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4+0x38000], R4", {1, 0, 7, 0});
  text.add("HGMMA.64x128x16.F32 R24, gdesc[UR8], R24, gsb0", {1, 7, 7, 1});
  text.add("SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4+0x38000], RZ").add("@P0 BRA `(.L_x_0)").add("EXIT");
  Result<ReplayedLoop> stuck = replay(text, kernel);
  ASSERT_FALSE(stuck);
  EXPECT_EQ(stuck.error().message(),
            "expected a listing of the kernel's own cubin, whose main loop goes on, got one whose waits never end");
}
