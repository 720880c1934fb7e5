//===- ListingTest.cpp ------------------------------------------------------===//
#include "heddle/Simulator/MachineCode/Listing.h"

#include "CodeText.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::sim;

TEST(Listing, ReadsTextAndControl) {
  CodeText text;
  text.add("MUFU.EX2 R3, R4", {4, 2, 7, 0})
      .add("@!P0 BRA `(.L_x_1)", {5, 7, 7, 0b100})
      .add("STS [R1], R3", {1, 7, 0, 0});
  Result<CodeListing> listing = parseListing(text.str());
  ASSERT_TRUE(listing) << listing.error().str();
  ASSERT_EQ(listing->instructions.size(), 3u);
  const CodeInstruction &special = listing->instructions[0], &branch = listing->instructions[1];
  EXPECT_EQ(special.opcode, "MUFU.EX2");
  EXPECT_EQ(special.operands, "R3, R4");
  EXPECT_EQ(special.stall, 4);
  EXPECT_EQ(special.setsOnResult, 2);
  EXPECT_EQ(special.setsOnOperands, -1);
  EXPECT_TRUE(branch.predicated);
  EXPECT_EQ(branch.target, ".L_x_1");
  EXPECT_EQ(branch.waits, 4u);
  EXPECT_EQ(listing->instructions[2].setsOnOperands, 0);
}

TEST(Listing, LoopsAreBackwardBranchesInFrontOfTheLastExit) {
  CodeText text;
  text.add("NOP").label(".L_x_0").add("FADD R1, R1, R2").add("@P0 BRA `(.L_x_0)").add("EXIT");
  text.label(".L_x_1").add("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4+0x38000], R4").add("BRA `(.L_x_0)");
  Result<CodeListing> listing = parseListing(text.str());
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->loops().size(), 1u);
  EXPECT_EQ(listing->loops()[0].first, 1);
  EXPECT_EQ(listing->loops()[0].last, 2);
  EXPECT_TRUE(listing->has(listing->loops()[0], "FADD"));
  EXPECT_FALSE(listing->has(listing->loops()[0], "NOP"));
}

TEST(Listing, ExpectsEncodings) {
  Result<CodeListing> listing = parseListing("        /*0000*/  NOP ;\n");
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().kind(), ErrorKind::User);
  EXPECT_EQ(listing.error().message(), "expected a disassembly with encodings (nvdisasm -hex -c), got no instruction");
}
