//===- WarpMutantsTests.cpp - Synchronisation faults are caught -------------===//
#include "WarpTestSupport.h"
#include "heddle/Simulator/Timing/WarpMutants.h"

#include <cstdio>
#include <cstdlib>

using namespace heddle;
using namespace heddle::sim;
using namespace heddle::test;

/// At least 95 % of the mutants are reported, and the verifier alone never flags the original.
static void expectCaught(const std::string &path, std::map<std::string, int64_t> dims, size_t atLeast) {
  auto module = parseText(textOf(path));
  ASSERT_TRUE(bool(module));
  auto kernel = kernelOf<warp::KernelOp>(*module);
  MutationReport report = runMutationTest(kernel, bindDims(kernel, dims), h100());
  if (getenv("HEDDLE_SHOW_MUTANTS"))
    printf("%s", report.str().c_str());
  EXPECT_GE(report.outcomes.size(), atLeast);
  EXPECT_GE(report.rate(), 0.95) << report.str();
  for (const MutantOutcome &outcome : report.outcomes)
    if (!outcome.caught())
      EXPECT_FALSE(outcome.reason.empty()) << outcome.mutant.str();
}

TEST(WarpMutants, Gemm) { expectCaught("test/Simulator/gemm_warp.mlir", {{"M", 128}, {"N", 128}, {"K", 320}}, 40); }
TEST(WarpMutants, Attention) { expectCaught("test/Simulator/attention_warp.mlir", {{"S", 128}, {"T", 256}}, 80); }
TEST(WarpMutants, PutAndScratch) { expectCaught("test/Simulator/scale_warp.mlir", {{"M", 300}}, 30); }

/// A wait behind the one that retired everything orders nothing: nobody has to notice its loss.
TEST(WarpMutants, IdleWait) {
  std::string text = textOf("test/Simulator/gemm_warp.mlir"), line = "    %h = arith.truncf %r";
  auto module = parseText(edited(text, line, "    warp.dot_wait 0\n" + line));
  ASSERT_TRUE(bool(module));
  auto kernel = kernelOf<warp::KernelOp>(*module);
  MutationReport report = runMutationTest(kernel, bindDims(kernel, {{"M", 128}, {"N", 128}, {"K", 320}}), h100());
  EXPECT_EQ(report.idle, 3) << report.str();
  EXPECT_EQ(report.rate(), 1.0) << report.str();
  EXPECT_NE(report.str().find("3 others are of operations that order nothing on any path"), std::string::npos);
  EXPECT_NE(report.str().find("survived: no fault: the operation orders nothing on any path"), std::string::npos);
}

TEST(WarpMutants, UnsoundOriginal) {
  auto module = parseText(edited(textOf("test/Simulator/gemm_warp.mlir"), "    warp.fence\n", ""));
  auto kernel = kernelOf<warp::KernelOp>(*module);
  MutationReport report = runMutationTest(kernel, bindDims(kernel, {{"M", 128}, {"N", 128}, {"K", 320}}), h100());
  ASSERT_EQ(report.outcomes.size(), 1u);
  EXPECT_TRUE(report.outcomes[0].caught());
}
