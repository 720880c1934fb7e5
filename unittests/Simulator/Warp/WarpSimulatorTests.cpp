//===- WarpSimulatorTests.cpp - The asynchronous interpreter ----------------===//
#include "WarpTestSupport.h"

using namespace heddle;
using namespace heddle::sim;
using namespace heddle::test;

/// Sequential programs of the same meaning, on the same arguments.
static const char *gemmReference = R"(
tile.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c128 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
})";

static void expectLikeReference(const std::string &path, const std::string &reference,
                                std::map<std::string, int64_t> dims, double tolerance) {
  auto module = parseText(textOf(path)), tiles = parseText(reference);
  ASSERT_TRUE(module && tiles);
  auto kernel = kernelOf<warp::KernelOp>(*module);
  auto sequential = kernelOf<tile::KernelOp>(*tiles);
  Bindings got = bindDims(kernel, dims), want = bindDims(sequential, dims);
  SimResult result = simulateWarpKernel(kernel, got, h100());
  ASSERT_TRUE(result.ok()) << result.faults[0].message;
  ASSERT_TRUE(succeeded(runTileKernel(sequential, want)));
  for (double error : compareOutputs(got, want))
    EXPECT_LE(error, tolerance);
}

TEST(WarpSimulator, GemmEqualsReference) {
  expectLikeReference("test/Simulator/gemm_warp.mlir", gemmReference, {{"M", 128}, {"N", 128}, {"K", 320}}, 0);
  // sizes that divide by no tile
  expectLikeReference("test/Simulator/gemm_warp.mlir", gemmReference, {{"M", 136}, {"N", 72}, {"K", 200}}, 0);
}

TEST(WarpSimulator, GemmTime) {
  SimResult result = simulateText(textOf("test/Simulator/gemm_warp.mlir"), {{"M", 128}, {"N", 128}, {"K", 2048}});
  ASSERT_TRUE(result.ok());
  // 32 blocks, each two dots of 64x128x64: 4 * max(64, 16 + 32) cycles on the one tensor core.
  int64_t tensorCore = 32 * 2 * 4 * 64;
  EXPECT_EQ(result.unitBusy["TC"], tensorCore);
  EXPECT_GT(result.maxCycles, tensorCore);
  // A slot of the ring is refilled after: landing (1100 + 512), two blocks of dots (the wait keeps one dot in flight),
  // one signal; three slots share that round trip of about 2800 cycles, so the ring is what binds, not the tensor core.
  EXPECT_LT(result.maxCycles, 32 * 2800 / 3 + 3000);
  SimResult again = simulateText(textOf("test/Simulator/gemm_warp.mlir"), {{"M", 128}, {"N", 128}, {"K", 2048}});
  EXPECT_EQ(again.maxCycles, result.maxCycles);
  ASSERT_EQ(again.events.size(), result.events.size());
}

TEST(WarpSimulator, AttentionRuns) {
  auto module = parseText(textOf("test/Simulator/attention_warp.mlir"));
  ASSERT_TRUE(bool(module));
  auto kernel = kernelOf<warp::KernelOp>(*module);
  Bindings b = bindDims(kernel, {{"S", 128}, {"T", 200}});
  SimResult result = simulateWarpKernel(kernel, b, h100());
  ASSERT_TRUE(result.ok()) << result.faults[0].message;
  // Against plain double arithmetic on the bound tensors.
  const HostTensor &q = *b.tensorOf(0), &k = *b.tensorOf(1), &v = *b.tensorOf(2), &o = *b.tensorOf(3);
  double scale = b.arguments[4].scalar.floatAt(0), difference = 0, norm = 0;
  for (int64_t row = 0; row < 128; ++row) {
    std::vector<double> weight(200);
    double top = -1e30, sum = 0;
    for (int64_t j = 0; j < 200; ++j) {
      for (int64_t d = 0; d < 64; ++d)
        weight[j] += q.floatAt(q.positionOf(row * 64 + d)) * k.floatAt(k.positionOf(j * 64 + d));
      top = std::max(top, weight[j]);
    }
    for (double &w : weight)
      sum += w = std::exp2((w - top) * scale);
    for (int64_t d = 0; d < 64; ++d) {
      double want = 0, got = o.floatAt(o.positionOf(row * 64 + d));
      for (int64_t j = 0; j < 200; ++j)
        want += weight[j] / sum * v.floatAt(v.positionOf(j * 64 + d));
      difference += (want - got) * (want - got);
      norm += want * want;
    }
  }
  EXPECT_LT(std::sqrt(difference / norm), 2e-3);
}

TEST(WarpSimulator, PutsAndCopyOutOfRing) {
  auto module = parseText(textOf("test/Simulator/scale_warp.mlir"));
  auto kernel = kernelOf<warp::KernelOp>(*module);
  Bindings b = bindDims(kernel, {{"M", 300}});
  SimResult result = simulateWarpKernel(kernel, b, h100());
  ASSERT_TRUE(result.ok()) << result.faults[0].message;
  const HostTensor &x = *b.tensorOf(0), &y = *b.tensorOf(1);
  for (int64_t i = 0; i < 300 * 64; ++i)
    ASSERT_EQ(y.floatAt(y.positionOf(i)), 2 * x.floatAt(x.positionOf(i)));
}

static void expectFault(const std::string &path, std::map<std::string, int64_t> dims, const std::string &from,
                        const std::string &to, FaultKind kind, const std::string &message) {
  SimResult result = simulateText(edited(textOf(path), from, to), dims);
  ASSERT_FALSE(result.ok()) << from;
  EXPECT_EQ(faultKindName(result.faults[0].kind), std::string(faultKindName(kind))) << from;
  EXPECT_NE(result.faults[0].message.find(message), std::string::npos) << result.faults[0].message;
}

TEST(WarpSimulator, FaultsOfGemm) {
  auto fault = [](const std::string &from, const std::string &to, FaultKind kind, const std::string &message) {
    expectFault("test/Simulator/gemm_warp.mlir", {{"M", 128}, {"N", 128}, {"K", 448}}, from, to, kind, message);
  };
  fault("      warp.acquire %ring[%i] : !ring\n", "", FaultKind::Race,
        "expected acquire before copy to ring \"ab\" use 0");
  fault("      warp.publish %ring[%i] : !ring\n", "", FaultKind::Deadlock,
        "@compute0 waiting for get of ring \"ab\" use 0 (not published)");
  fault("      warp.consumed %ring[%last] : !ring\n", "", FaultKind::Deadlock,
        "acquire of ring \"ab\" use 3 (use 0 is not consumed by @compute0)");
  fault("      warp.dot_wait 1\n", "", FaultKind::Race,
        "expected the dot that reads ring \"ab\" use 0 in @compute0 to be waited for before consumed");
  fault("    warp.consumed %ring[%final] : !ring\n", "", FaultKind::Imbalance, "to be consumed by @compute0");
  fault("    warp.fence\n", "", FaultKind::Race, "expected a fence between write and copy_out of scratch \"c0\"");
  fault("    warp.barrier\n", "", FaultKind::Race, "expected a barrier between fence and copy_out of scratch \"c0\"");
  fault("    warp.copy_out_wait 0\n", "", FaultKind::Imbalance, "every copy_out of @compute0");
  fault("      warp.copy %A[%m1, %k] to %ring[%i] field 1 : !tile.view<?x?xf16>, !ring\n", "", FaultKind::Protocol,
        "got field 1 missing");
  fault("warp.get %ring[%i]", "warp.get %ring[%i] {heddle.unsynchronised}", FaultKind::Race,
        "expected get before the read of ring \"ab\" use 1");
  fault("    %r = warp.dot_wait 0 : %sum : !acc -> !acc", "    %r = warp.dot_wait 1 : %sum : !acc -> !acc",
        FaultKind::Protocol, "to retire the dots");
  fault("%final = arith.subi %trips, %c1", "%final = arith.subi %trips, %c0", FaultKind::Protocol,
        "that @compute0 got, got use 7");
}

TEST(WarpSimulator, FaultsOfPutAndScratch) {
  auto fault = [](const std::string &from, const std::string &to, FaultKind kind, const std::string &message) {
    expectFault("test/Simulator/scale_warp.mlir", {{"M", 300}}, from, to, kind, message);
  };
  fault("      warp.fence\n", "", FaultKind::Race,
        "expected a fence between the copy_out of ring \"y\" slot 0 field 0");
  fault("      warp.barrier\n", "", FaultKind::Race, "expected a barrier between the write of scratch \"t\"");
  fault("      warp.barrier\n      %u", "      %u", FaultKind::Race,
        "expected a barrier between the read of scratch \"t\"");
  fault("      warp.copy_out_wait 0\n", "", FaultKind::Race, "expected the copy_out that reads ring \"y\" use 0");
  fault("%v = warp.read %x : !sm -> !h\n      warp.consumed %rx[%n] : !rx",
        "warp.consumed %rx[%n] : !rx\n      %v = warp.read %x : !sm -> !h", FaultKind::Race,
        "before its consumed, got it after");
  fault("%v = warp.read %x", "%v = warp.read %t", FaultKind::Race, "got elements that nothing wrote");
}

TEST(WarpSimulator, GlobalMemoryInOrder) {
  SimResult result = simulateText(textOf("test/Simulator/memory_warp.mlir"), {{"M", 300}});
  EXPECT_TRUE(result.ok()) << result.faults[0].message;
}

TEST(WarpSimulator, FaultsOfGlobalMemory) {
  auto fault = [](const std::string &from, const std::string &to, const std::string &message) {
    expectFault("test/Simulator/memory_warp.mlir", {{"M", 300}}, from, to, FaultKind::Race, message);
  };
  // A copy to memory, then a load: complete, and all threads know it.
  fault("wait 0 complete", "wait 0",
        "expected a complete wait for the copy_out by @compute before the load of Y by @compute, got none");
  fault("    warp.barrier global\n    %y", "    %y",
        "expected a barrier between the load of Y by @compute and the copy_out by @compute, got none");
  // Stores, then a copy over them: visible to the copy engine, all threads done.
  fault("    warp.fence global\n", "",
        "expected a global fence between the copy_out of Z by @compute and the store by @compute, got none");
  fault("    warp.fence global\n    warp.barrier global\n", "    warp.fence global\n",
        "expected a barrier between the copy_out of Z by @compute and the store by @compute, got none");
  fault("    warp.fence global\n    warp.barrier global\n", "    warp.barrier global\n    warp.fence global\n",
        "expected a barrier after the global fence between the copy_out of Z by @compute and the store by @compute, "
        "got none");
  // Two copies to one place.
  fault("warp.copy_out %s to %X[%at, %c0]", "warp.copy_out %s to %Z[%at, %c0]",
        "expected a complete wait for the copy_out by @compute before the copy_out of Z by @compute, got none");
}

TEST(WarpSimulator, LoadGroupRunsAhead) {
  // Y is copied in by the load group while the other group copies to it: no ring orders the two.
  std::string text =
      edited(textOf("test/Simulator/memory_warp.mlir"), "    warp.publish %rx[%c0] : !rx\n",
             "    warp.publish %rx[%c0] : !rx\n    warp.acquire %rx[%c1] : !rx\n"
             "    warp.copy %Y[%at, %c0] to %rx[%c1] field 0 : !view, !rx\n    warp.publish %rx[%c1] : !rx\n");
  text =
      edited(text, "    %p = tile.program_id 0\n", "    %p = tile.program_id 0\n    %c1 = arith.constant 1 : index\n");
  text = edited(text, "    warp.copy_out_wait 0\n  }",
                "    warp.copy_out_wait 0\n    %one = arith.constant 1 : index\n"
                "    %u = warp.get %rx[%one] : !rx -> !sm\n    warp.consumed %rx[%one] : !rx\n  }");
  SimResult result = simulateText(text, {{"M", 64}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.faults[0].message,
            "expected the copy_out of Y by @compute and the copy by @load to be ordered, got a race in global memory");
}

TEST(WarpSimulator, RacesBetweenPrograms) {
  SimResult result = simulateText(edited(textOf("test/Simulator/memory_warp.mlir"), "warp.copy_out %s to %Y[%at, %c0]",
                                         "warp.copy_out %s to %Y[%c0, %c0]"),
                                  {{"M", 300}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.faults[0].message, "expected programs of the grid to share no element that one of them writes, got "
                                      "program (1, 0, 0) writing Y[0, 0], "
                                      "which program (0, 0, 0) reads");
}

TEST(WarpSimulator, Limit) {
  auto module = parseText(textOf("test/Simulator/scale_warp.mlir"));
  auto kernel = kernelOf<warp::KernelOp>(*module);
  Bindings b = bindDims(kernel, {{"M", 300}});
  SimOptions options;
  options.maxSteps = 10;
  options.emit = false;
  SimResult result = simulateWarpKernel(kernel, b, h100(), options);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::Limit);
  EXPECT_EQ(result.faults[0].message, "expected at most 10 operations to simulate, got more");
}

TEST(WarpSimulator, Timeline) {
  SimResult result = simulateText(textOf("test/Simulator/attention_warp.mlir"), {{"S", 128}, {"T", 256}});
  ASSERT_TRUE(result.ok());
  std::string svg = drawTimeline(result, "attention <128>");
  for (const char *text : {">load<", ">compute0<", ">compute1<", ">TMA<", ">TC<", ">SFU<", ">ALU<", ">cycles<",
                           "attention &lt;128&gt;", "</svg>"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
}
