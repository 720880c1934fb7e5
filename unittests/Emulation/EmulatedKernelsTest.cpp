//===- EmulatedKernelsTest.cpp - faults of products, maps, registers, clusters ===//
#include "EmulationTest.h"

namespace heddle::emulation::test {
namespace {

TEST(Emulation, ProductsHoldTheirOperands) {
  auto kernel = [](const std::function<void(float *)> &between, bool fence = true, bool proxyFence = true,
                   int pending = 0) {
    float d[32];
    writeOperands(proxyFence);
    if (fence)
      hdemu::wgmmaFence(Line{20});
    product(d, 21);
    hdemu::wgmmaCommit(Line{22});
    between(d);
    hdemu::wgmmaWait(pending, Line{24});
    for (float x : d)
      EXPECT_EQ(x, 0.0f);
  };
  for (unsigned order = 0; order < 4; ++order)
    run([&] { kernel([](float *) {}); }, 128, order);
  expectFault([&] { kernel([](float *d) { __tsan_read4(d + 3); }); },
              "a read of an accumulator of the wgmma of line 21, which nothing has waited for; after this line");
  expectFault([&] { kernel([](float *d) { __tsan_write4(d + 3); }); },
              "a write to an accumulator of the wgmma of line 21");
  expectFault(
      [&] {
        kernel([](float *) {
          sync();
          store(kBase + 4 * thread(), 0, 23);
        });
      },
      "kernel.cu:23: a write that nothing orders after the read of line 21");
  expectFault([&] { kernel([](float *) {}, false); }, "kernel.cu:21: a wgmma without a wgmma fence before it");
  expectFault([&] { kernel([](float *) {}, true, false); },
              "kernel.cu:21: an asynchronous read without a proxy fence between it and the write of line 10");
  expectFault(
      [&] {
        kernel([](float *d) {
          hdemu::wgmmaWait(0, Line{23});
          hdemu::wgmmaFence(Line{24});
          __tsan_write4(d);
          product(d, 25);
        });
      },
      "kernel.cu:25: an accumulator was written after the last wgmma fence");
  expectFault([&] { kernel([](float *) {}, true, true, 1); },
              "the thread ends with a wgmma group that it has not waited for");
  expectFault(
      [] {
        float d[32];
        writeOperands();
        hdemu::wgmmaFence(Line{20});
        product(d, thread() ? 21 : 22);
      },
      "the threads of a warp group issue different products: lines 2[12] and 2[12]");
  expectFault(
      [] {
        float d[32];
        writeOperands();
        hdemu::wgmmaFence(Line{20});
        hdemu::wgmma(kForm, d, nullptr, descriptor(kBase + 1024 * (thread() == 9)), descriptor(kBase), 0, Line{21});
      },
      "the threads of a warp group give different descriptors to one product");
  expectFault(
      [] {
        float d[32];
        writeOperands();
        hdemu::wgmmaFence(Line{20});
        product(d, 21);
        if (thread() < 64)
          product(d, 22);
        hdemu::wgmmaCommit(Line{23});
        hdemu::wgmmaWait(0, Line{24});
      },
      "the threads of a warp group commit groups of different products: lines");
  expectFault(
      [] {
        float d[32];
        writeOperands();
        hdemu::wgmmaFence(Line{20});
        hdemu::wgmma(kForm, d, nullptr, descriptor(kBase) | uint64_t(1) << 50, descriptor(kBase), 0, Line{21});
      },
      "expected a matrix descriptor with zero in bits 46 to 61");
}

TEST(Emulation, CopiesAndMatricesAreAligned) {
  static char *memory = allocateGlobal("rows", 4096, true);
  expectFault([] { hdemu::bulkStore(memory + 8, kBase, 64, Line{5}); },
              "kernel.cu:5: expected a bulk copy's addresses and size to be multiples of 16");
  expectFault(
      [] {
        uint32_t value = 0;
        hdemu::storeMatrices(kBase + 8, &value, 1, false, Line{5});
      },
      "kernel.cu:5: expected a matrix row at a multiple of 16, got shared address");
  expectFault(
      [] {
        uint32_t value = 0, *to = &value;
        hdemu::loadMatrices(kBase + 8, &to, 1, false, Line{5});
      },
      "kernel.cu:5: expected a matrix row at a multiple of 16, got shared address");
}

TEST(Emulation, AddressesAreOfTheirMemory) {
  expectFault(
      [] {
        static char elsewhere;
        hdemu::sharedAddress(&elsewhere);
      },
      "expected the address of shared memory");
  expectFault([] { *reinterpret_cast<volatile int *>(uintptr_t(thread()) + 8) = 1; },
              "memory fault \\(signal 11\\) after this line");
}

TEST(Emulation, OnlySomeTypesAreAdded) {
  static char *memory = allocateGlobal("f8", 64 * 128, true);
  static TensorMap map =
      encode({"e4m3", reinterpret_cast<uint64_t>(memory), {64, 128}, {128}, {64, 128}, 128, 128, false});
  static EncodedMap encoding = encoded(map);
  expectFault(
      [] {
        for (uint32_t i = 0; i < 64; i += 4)
          store(kBase + 64 * thread() + i, 7, 4);
        hdemu::fenceProxyAsync(Line{5});
        sync();
        if (thread() == 0) {
          const int corner[] = {0, 0};
          hdemu::tensorStore(&encoding, kBase, 2, corner, true, Line{6});
          hdemu::bulkCommit(Line{7});
          hdemu::bulkWait(0, false, Line{8});
        }
      },
      "kernel.cu:6: expected elements that the copy engine adds \\(f16, bf16, f32, i32\\), got e4m3");
}

TEST(Emulation, BlocksShareTheRegisterFile) {
  EXPECT_EQ(declaredBlocks("__global__ void __launch_bounds__(256, 3) kernel()"), 3);
  EXPECT_EQ(declaredBlocks("__global__ void kernel()"), 1);
}

TEST(Emulation, RegistersComeFromTheFile) {
  run([] { hdemu::setRegisters(thread() < 128 ? 24 : 240, thread() >= 128, Line{5}); }, 384);
  expectFault([] { hdemu::setRegisters(40, true, Line{5}); },
              "expected setmaxnreg to raise a warp's 256 registers, got 40");
  EXPECT_EXIT(run([] { hdemu::setRegisters(256, true, Line{5}); }, 384), testing::ExitedWithCode(kFault),
              "deadlock(.|\n)*waits for registers that no warp gives back");
}

TEST(Emulation, RingsAreGivenBack) {
  std::vector<Launch::Ring> rings = declaredRings("constexpr uint32_t kBar_A_full = 32768; // 2 x 1 arrival\nconstexpr "
                                                  "uint32_t kBar_A_empty = 32784; // 2 x 8 arrivals\n");
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_EQ(rings[0].slots, 2);
  auto kernel = [] {
    for (uint32_t i = 0; i < 4; ++i)
      initialise(kBar + 8 * i, 128);
    hdemu::mbarrierArrive(kBar + 8, 0, Line{5});
  };
  EXPECT_EXIT(launch({{1, 1, 1}, 128, 65536, 0, rings}, kernel), testing::ExitedWithCode(kFault),
              "the CTA ends with slot 1 of ring 'A' filled 1 times and given back 0 times");
  EXPECT_EXIT(launch({{1, 1, 1}, 128, 65536, 0, rings},
                     [&] {
                       kernel();
                       if (thread() == 0)
                         hdemu::mbarrierArrive(kBar, 0, Line{6});
                     }),
              testing::ExitedWithCode(kFault),
              "the CTA ends with the mbarrier at shared address 33792 inside a phase: 127 of 128 arrivals missing");
  EXPECT_EXIT(launch({{1, 1, 1}, 128, 65536, 0, rings}, [] {}), testing::ExitedWithCode(kFault),
              "expected initialised mbarriers of ring 'A', slot 0");
}

TEST(Emulation, KernelsMakeTensorMaps) {
  static Box box;
  auto kernel = [](int64_t from, int64_t pitch) {
    EncodedMap made;
    const uint32_t extents[] = {64, 64};
    const int sizes[] = {64, 63}, corner[] = {0, 0};
    initialise(kBar, 1);
    if (thread() == 0) {
      hdemu::makeMap(&made, kBar + 64, box.memory + from, 2, 128, 2, extents, sizes, &pitch, Line{4});
      hdemu::mbarrierArrive(kBar, 8192, Line{5});
      hdemu::tensorLoad(kBase, &made, kBar, 2, corner, Line{6});
    }
    hdemu::mbarrierWait(kBar, 0, Line{7});
    ASSERT_EQ(load(kBase + 4 * thread(), 8), 0u);
  };
  run([&] { kernel(0, 128); });
  expectFault([&] { kernel(8, 128); }, "kernel.cu:4: expected a tensor map of an address that is a multiple of 16");
  expectFault([&] { kernel(0, 120); },
              "kernel.cu:4: expected strides of a tensor map that are multiples of 16 bytes, got 120");
}

TEST(Emulation, StoredBoxesBeginAtZeroOrLater) {
  Box box;
  const int before[] = {0, -64};
  run([&] {
    initialise(kBar, 1);
    if (thread() == 0) {
      hdemu::mbarrierArrive(kBar, 8192, Line{5});
      hdemu::tensorLoad(kBase, &box.encoding, kBar, 2, before, Line{6});
    }
    hdemu::mbarrierWait(kBar, 0, Line{7});
    ASSERT_EQ(load(kBase + 4 * thread(), 8), 0u);
  });
  expectFault([&] { hdemu::tensorStore(&box.encoding, kBase, 2, before, false, Line{5}); },
              "kernel.cu:5: expected a stored box at coordinates of at least 0, got -64");
}

TEST(Emulation, WhatIsNotEmulatedIsSaid) {
  expectFault([] { hdemu::unsupported("relaxed arrival", Line{5}); },
              "kernel.cu:5: expected instructions that are emulated, got a relaxed arrival");
}

//===--- clusters ------------------------------------------------------------------------------===//

void runPair(const std::function<void()> &kernel, unsigned order = 0, int64_t blocks = 2) {
  launch({{blocks, 1, 1}, 128, 65536, order, {}, 2}, kernel);
}
void expectPairFault(const std::function<void()> &kernel, const std::string &message) {
  SCOPED_TRACE(message);
  EXPECT_EXIT(runPair(kernel), testing::ExitedWithCode(kFault), message);
}
uint32_t rank() { return hdemu::clusterRank(); }
void syncPair(int line = 4) {
  hdemu::clusterArrive(Line{line});
  hdemu::clusterWait(Line{line});
}

TEST(Emulation, BlocksOfAClusterFillEachOthersMemory) {
  Box box;
  reinterpret_cast<uint16_t *>(box.memory)[0] = 42;
  for (unsigned order = 0; order < 6; ++order)
    runPair(
        [&] {
          initialise(kBar, 1);
          syncPair();
          if (thread() == 0) {
            hdemu::mbarrierArrive(kBar, 2 * 8192, Line{6}); // a box from each
            const int corner[] = {0, 0};
            hdemu::tensorLoadMulticast(kBase + 8192 * rank(), &box.encoding, kBar, 3, 2, corner, Line{7});
          }
          hdemu::mbarrierWait(kBar, 0, Line{8});
          ASSERT_EQ(load(kBase, 9) & 0xffff, 42u);
          ASSERT_EQ(load(kBase + 8192, 9) & 0xffff, 42u);
          syncPair();
        },
        order, 4);
}

TEST(Emulation, FaultsBetweenBlocksOfACluster) {
  Box box;
  const int corner[] = {0, 0};
  auto multicast = [&] { hdemu::tensorLoadMulticast(kBase, &box.encoding, kBar, 3, 2, corner, Line{7}); };
  // A slot that the other block still reads.
  expectPairFault(
      [&] {
        store(kBase + 4 * thread(), 1, 5);
        hdemu::fenceProxyAsync(Line{5});
        initialise(kBar, 1);
        syncPair();
        load(kBase + 4 * thread(), 6);
        if (thread() == 0 && rank() == 0)
          hdemu::mbarrierArrive(kBar, 8192, Line{6}), multicast();
        syncPair();
      },
      "kernel.cu:7: a write that nothing orders after the read of line 6");
  // Before its barriers are there.
  expectPairFault(
      [&] {
        if (rank() == 0)
          initialise(kBar, 1);
        if (thread() == 0 && rank() == 0)
          hdemu::mbarrierArrive(kBar, 8192, Line{6}), multicast();
        syncPair();
      },
      "kernel.cu:7: expected an initialised mbarrier at shared address 33792, got none");
  // When it has ended.
  expectPairFault(
      [&] {
        initialise(kBar, 128);
        syncPair();
        if (rank() == 1)
          hdemu::mbarrierArriveAt(kBar, 0, Line{6});
      },
      "kernel.cu:6: an access to the shared memory of CTA \\(0, 0, 0\\), which has ended");
  // An arrival in the own block alone, where one from each is counted.
  expectPairFault(
      [&] {
        initialise(kBar, 2 * 128);
        syncPair();
        hdemu::mbarrierArriveAt(kBar, rank(), Line{6});
        hdemu::mbarrierWait(kBar, 0, Line{8});
      },
      "deadlock in CTA \\(0, 0, 0\\)");
  expectPairFault([] { hdemu::clusterArrive(Line{5}), hdemu::clusterArrive(Line{6}); },
                  "kernel.cu:6: a thread arrives at the cluster's barrier twice without a wait between");
  expectPairFault([] { hdemu::clusterWait(Line{5}); },
                  "kernel.cu:5: a wait at the cluster's barrier without an arrival before it");
  expectPairFault([] { initialise(kBar, 1), hdemu::mbarrierArriveAt(kBar, 2, Line{5}); },
                  "kernel.cu:5: expected a rank below the cluster's 2, got 2");
  expectPairFault(
      [&] {
        initialise(kBar, 1);
        hdemu::tensorLoadMulticast(kBase, &box.encoding, kBar, 4, 2, corner, Line{5});
      },
      "kernel.cu:5: expected a mask of the cluster's 2 CTAs, got 4");
  EXPECT_EXIT(runPair([] {}, 0, 3), testing::ExitedWithCode(kFault),
              "expected a grid of whole clusters of 2 CTAs along x, got 3 CTAs");
}

TEST(Emulation, TracesTellRunsApart) {
  auto trace = [](uint32_t value, unsigned order) {
    return launch({{1, 1, 1}, 128, 65536, order, {}}, [&] { store(kBase + 4 * thread(), value, 5), sync(); });
  };
  EXPECT_EQ(trace(1, 0), trace(1, 1));
  EXPECT_NE(trace(1, 0), trace(2, 0));
}

TEST(Emulation, SmallFloatsRoundAsTheInstructions) {
  using hdemu::Type;
  for (Type type : {Type::F16, Type::E4M3, Type::E5M2})
    for (uint32_t bits = 0; bits < (type == Type::F16 ? 0x7c00u : type == Type::E4M3 ? 0x7fu : 0x7cu); ++bits)
      ASSERT_EQ(hdemu::narrow(type, hdemu::widen(type, bits)), bits);
  EXPECT_EQ(hdemu::narrow(Type::F16, 65520.0f), 0x7c00u);     // infinity
  EXPECT_EQ(hdemu::narrow(Type::F16, 2049.0f), 0x6800u);      // 2048: tie to even
  EXPECT_EQ(hdemu::narrow(Type::E4M3, 1000.0f), 0x7eu);       // 448: saturates
  EXPECT_EQ(hdemu::narrow(Type::E5M2, -1e9f), 0xfbu);         // -57344
  EXPECT_EQ(hdemu::narrow(Type::BF16, 1.00390625f), 0x3f80u); // tie to even
}

} // namespace
} // namespace heddle::emulation::test
