//===- LoopCodeTest.cpp -----------------------------------------------------===//
#include "LoopCode.h"

#include "CodeText.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::sim;

static const char *product = "HGMMA.64x128x16.F32 R24, gdesc[UR8], R24, gsb0";

static LoopCode read(const CodeText &text, const CodeKernel &kernel) {
  Result<CodeListing> listing = parseListing(text.str());
  EXPECT_TRUE(listing) << listing.error().str();
  Result<LoopCode> code = readMainLoop(*listing, kernel);
  EXPECT_TRUE(code) << code.error().str();
  return *code;
}

static std::vector<StepKind> kinds(const GroupCode &group) {
  std::vector<StepKind> out;
  for (const Step &step : group.steps)
    out.push_back(step.kind);
  return out;
}

TEST(LoopCode, TakesBranchesOverMasksOnly) {
  CodeText text;
  text.label(".L_x_0").add(product).add("@P1 BRA `(.L_x_1)").add("FSEL R1, R1, R2, P0").add("ISETP.GE P0, R1, R2");
  text.label(".L_x_1").add("@P2 BRA `(.L_x_2)").add("UTMASTG.4D [UR8], [UR16]");
  text.label(".L_x_2").add("@P0 BRA `(.L_x_0)").add("EXIT");
  LoopCode code = read(text, {});
  EXPECT_EQ(kinds(code.groups[0]), (std::vector<StepKind>{StepKind::Product, StepKind::Branch, StepKind::Branch,
                                                          StepKind::BulkStore, StepKind::Branch}));
}

// Multiplications under a vote on factors are issued, those under another predicate executed; branches over them taken.
TEST(LoopCode, FactorsOfOneAreNotExecuted) {
  CodeText text;
  text.label(".L_x_0").add(product).add("FSETP.NEU.AND P1, PT, R9, 1, PT").add("VOTE.ANY P2, P1");
  text.add("@P2 FMUL R88, R88, R9").add("@P3 FMUL R89, R89, R9").add("@!P2 BRA `(.L_x_1)").add("FMUL R90, R90, R9");
  text.label(".L_x_1").add("FSETP.NEU.AND P2, PT, R9, RZ, PT").add("@P2 FMUL R91, R91, R9");
  text.add("@P0 BRA `(.L_x_0)").add("EXIT");
  EXPECT_EQ(kinds(read(text, {}).groups[0]),
            (std::vector<StepKind>{StepKind::Product, StepKind::Alu, StepKind::Other, StepKind::Other, StepKind::Fma,
                                   StepKind::Branch, StepKind::Alu, StepKind::Fma, StepKind::Branch}));
}

TEST(LoopCode, ReadsProducts) {
  CodeText text;
  text.label(".L_x_0").add("HGMMA.64x96x16.F32 R24, R60, gdesc[UR8].tnspB, R24").add(product);
  text.add("WARPGROUP.DEPBAR.LE gsb0, 0x1").add("@P0 BRA `(.L_x_0)").add("EXIT");
  GroupCode group = read(text, {}).groups[0];
  EXPECT_EQ(group.steps[0].columns, 96);
  EXPECT_TRUE(group.steps[0].fromRegisters);
  EXPECT_FALSE(group.steps[0].endsGroup);
  EXPECT_FALSE(group.steps[1].fromRegisters);
  EXPECT_TRUE(group.steps[1].endsGroup);
  EXPECT_EQ(group.steps[2].pending, 1);
}

// A wait in a loop of its own is one wait; what it read in vain is not executed, but waited for.
TEST(LoopCode, BarriersByOffset) {
  CodeKernel kernel;
  kernel.barriers = {{"K.full", 0x38000, 2, 1, 32768, 1}, {"K.empty", 0x38010, 2, 1, 0, 1}};
  CodeText text;
  text.add("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4+0x38000], R4");
  text.label(".L_x_0").label(".L_x_1").add("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R4+UR4+0x38008], R4", {1, 3, 7, 0});
  text.add("@!P0 NANOSLEEP.SYNCS 0x989680", {1, 7, 7, 0b1000}).add("@!P0 BRA `(.L_x_1)").add(product);
  text.add("@!P1 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R4+UR4+0x38010], RZ").add("@P0 BRA `(.L_x_0)").add("EXIT");
  text.label(".L_x_2").add("SYNCS.ARRIVE.TRANS64 RZ, [R4+UR4+0x38000], R11").add("UTMALDG.5D [UR8], [UR6]");
  text.add("@P0 BRA `(.L_x_2)").add("EXIT");
  LoopCode code = read(text, kernel);
  const GroupCode &group = code.groups[0];
  EXPECT_EQ(group.steps[0].barrier, 0);
  EXPECT_EQ(group.steps[1].waits, 8u);
  EXPECT_EQ(group.steps[4].barrier, 1);
  EXPECT_EQ(group.waited.at(0), 1);
  EXPECT_EQ(code.copies, std::vector<int64_t>{0});
}

TEST(LoopCode, OneLoopOrOneForEachGroup) {
  CodeText text;
  for (int i = 0; i < 2; ++i) {
    std::string label = ".L_x_" + std::to_string(i);
    text.label(label).add(product).add("@P0 BRA `(" + label + ")").add("EXIT");
  }
  CodeKernel kernel;
  kernel.groups = 3;
  Result<LoopCode> code = readMainLoop(*parseListing(text.str()), kernel);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message(), "expected one main loop, or one for each of 3 groups, got 2");
  code = readMainLoop(*parseListing(CodeText().add("EXIT").str()), kernel);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().message(), "expected a loop with products in the machine code, got none");
}
