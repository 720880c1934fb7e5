//===- EmulationTest.cpp - faults of memory, barriers and copies ===//
#include "EmulationTest.h"

namespace heddle::emulation::test {
namespace {

TEST(Emulation, BarriersOrderSharedMemory) {
  for (unsigned order = 0; order < 4; ++order)
    run(
        [] {
          store(kBase + 4 * thread(), thread(), 5);
          sync();
          EXPECT_EQ(load(kBase + 4 * (127 - thread()), 6), 127u - thread());
        },
        128, order);
  expectFault(
      [] { store(kBase + 4 * thread(), 1, 5), load(kBase + 4 * (thread() ^ 1), 6); },
      "kernel.cu:6: a read (that nothing orders after the write of line 5|of shared memory that nothing has written)");
  expectFault([] { store(kBase, 1, 5); },
              "kernel.cu:5: a write that nothing orders after the write of line 5, at shared offset 0");
  expectFault(
      [] {
        store(kBase + 4 * thread(), 1, 5), sync(), load(kBase + 4 * (thread() ^ 1), 6),
            store(kBase + 4 * thread(), 1, 7);
      },
      "kernel.cu:(7: a write that nothing orders after the read of line 6|6: a read that nothing orders after the "
      "write of line 7)");
  expectFault([] { load(kBase, 6); }, "a read of shared memory that nothing has written, at");
}

TEST(Emulation, BytesHaveWritersOfTheirOwn) {
  auto storeByte = [](uint32_t address, int line) {
    uint8_t value = static_cast<uint8_t>(thread());
    hdemu::storeShared(address, &value, 1, Line{line});
  };
  run([&] {
    storeByte(kBase + thread(), 5);
    sync();
    uint32_t expected = 0, first = 4 * (thread() % 32);
    for (uint32_t i = 0; i < 4; ++i)
      expected |= (first + i) << 8 * i;
    EXPECT_EQ(load(kBase + first, 6), expected);
    sync();
    store(kBase + 4 * thread(), 1, 7); // whole words again
  });
  expectFault([&] { storeByte(kBase + thread() / 2, 5); }, "kernel.cu:5: a write that nothing orders after the write");
  expectFault(
      [&] {
        storeByte(kBase + thread(), 5);
        load(kBase + (thread() & ~3), 6);
      },
      "kernel.cu:6: a read (that nothing orders after the write of line 5|of shared memory that nothing has written)");
}

TEST(Emulation, SharedMemoryHasBounds) {
  expectFault([] { store(kBase + 65536, 1, 5); },
              "kernel.cu:5: expected an access inside the 65536 bytes of shared memory, got 4 bytes at offset 65536");
  expectFault([] { store(kBase + 2 + 4 * thread(), 1, 5); }, "expected a shared address that is a multiple of 4");
  EXPECT_EXIT(launch({{1, 1, 1}, 128, 1 << 20, 0, {}}, [] {}), testing::ExitedWithCode(kFault),
              "expected at most 232448 bytes of shared memory");
  EXPECT_EXIT(launch({{1, 1, 1}, 2048, 0, 0, {}}, [] {}), testing::ExitedWithCode(kFault),
              "expected 1 to 1024 threads, got 2048");
}

TEST(Emulation, GlobalMemoryHasBounds) {
  expectFault([] { __tsan_read4(allocateGlobal("a", 64, false) + 64); },
              "a read outside the tensors: byte 64 of tensor 'a', which has 64");
  expectFault([] { __tsan_write4(allocateGlobal("a", 64, false)); }, "a write to the input 'a'");
  expectFault([] { __tsan_read4(allocateGlobal("a", 64, false) + 2); },
              "expected a global address that is a multiple of 4");
}

TEST(Emulation, NamedBarriersCount) {
  expectFault([] { hdemu::namedBarrier(1, thread() < 64 ? 128 : 96, true, Line{5}); },
              "expected the barrier's count 128 of line 5, got 96");
  expectFault([] { hdemu::namedBarrier(1, 100, true, Line{5}); },
              "expected a barrier's count to be a multiple of 32 up to 128, got 100");
  expectFault([] { hdemu::namedBarrier(16, 128, true, Line{5}); }, "expected a barrier 0 to 15, got 16");
  expectFault(
      [] {
        if (thread() < 64)
          hdemu::namedBarrier(1, 128, true, Line{5});
      },
      "deadlock in CTA .0, 0, 0.\n  kernel.cu:5: waits at a barrier of 128 threads, 64 arrived .64 threads from thread "
      "0.");
  expectFault([] { hdemu::warpSync(Line{thread() % 2 ? 5 : 6}); },
              "the lanes of a warp meet at different instructions: lines 6 and 5");
}

TEST(Emulation, MbarriersCountAndAreInitialised) {
  run([] { initialise(kBar, 128), hdemu::mbarrierArrive(kBar, 0, Line{5}), hdemu::mbarrierWait(kBar, 0, Line{6}); });
  expectFault([] { hdemu::mbarrierArrive(kBar, 0, Line{5}); },
              "kernel.cu:5: expected an initialised mbarrier at shared address 33792, got none");
  expectFault([] { initialise(kBar, 128, false), hdemu::mbarrierArrive(kBar, 0, Line{5}); },
              "the mbarrier at shared address 33792 is used by another thread than its initialiser's, without a fence "
              "after its "
              "initialisation and a barrier after the fence");
  expectFault([] { hdemu::mbarrierInit(kBar, 1, Line{5}); }, "is initialised twice");
  expectFault(
      [] {
        for (uint32_t i = 0; i < 256 && thread() == 0; ++i)
          hdemu::mbarrierInit(kBar + 8 * i, 1, Line{5});
      },
      "expected at most 192 mbarriers and storing threads, got more");
  expectFault([] { hdemu::mbarrierInit(kBar, 0, Line{5}); },
              "expected an mbarrier's count to be 1 to 2\\^20 - 1, got 0");
  expectFault([] { hdemu::mbarrierInit(kBar + 4, 1, Line{5}); },
              "expected an mbarrier at a multiple of 8, got shared address");
  expectFault([] { store(kBar + 4 * thread(), 1, 4), sync(), initialise(kBar, 1); }, "an mbarrier over other data, at");
  expectFault([] { initialise(kBar, 1), store(kBar, 1, 5); }, "a write of an mbarrier's bytes, at");
  expectFault(
      [] {
        initialise(kBar, 128), hdemu::mbarrierArrive(kBar, thread() == 3 ? 16 : 0, Line{5}),
            hdemu::mbarrierArrive(kBar, 0, Line{6});
      },
      "more arrivals than the 128 that the mbarrier at shared address 33792 counts");
  expectFault([] { initialise(kBar, 128), hdemu::mbarrierArrive(kBar, 1 << 20, Line{5}); },
              "expected fewer than 2\\^20 bytes at an mbarrier");
  expectFault([] { initialise(kBar, 128), hdemu::mbarrierWait(kBar, 2, Line{5}); },
              "expected a parity of 0 or 1, got 2");
  expectFault(
      [] { initialise(kBar, 128), hdemu::mbarrierWait(kBar, 0, Line{5}); },
      "waits for parity 0 of the mbarrier at shared address 33792: phase 0, 128 of 128 arrivals and 0 bytes missing");
}

TEST(Emulation, LoadsLandBehindTheirMbarrier) {
  static Box box;
  auto kernel = [](int bytes, bool wait, int offset = 0) {
    initialise(kBar, 1);
    if (thread() == 0) {
      hdemu::mbarrierArrive(kBar, bytes, Line{4});
      box.load(kBase + offset, kBar, 5);
    }
    if (wait)
      hdemu::mbarrierWait(kBar, 0, Line{6});
    load(kBase + 4 * thread(), 7);
    sync();
  };
  for (unsigned order = 0; order < 4; ++order)
    run([&] { kernel(8192, true); }, 128, order);
  expectFault(
      [&] { kernel(8192, false); },
      "kernel.cu:7: a read (that nothing orders after the write of line 5|of shared memory that nothing has written)");
  expectFault([&] { kernel(4096, true); },
              "more bytes landed than the mbarrier at shared address 33792 expects, by 4096");
  expectFault([&] { kernel(8208, true); }, "0 of 1 arrivals and 16 bytes missing");
  expectFault([&] { kernel(8192, true, 128); }, "expected a box at a multiple of 1024 in shared memory, got 1152");
  expectFault(
      [&] {
        initialise(kBar, 1);
        if (thread() == 0)
          box.load(kBase, kBar, 5);
      },
      "kernel.cu:5: the CTA ends while this load is in flight|more bytes landed");
  expectFault(
      [] {
        const int corner[] = {0};
        hdemu::tensorLoad(kBase, &box.encoding, kBar, 1, corner, Line{5});
      },
      "expected 2 coordinates for this tensor map, got 1");
  expectFault(
      [] {
        alignas(64) char other[128] = {};
        hdemu::checkMap(other, Line{5});
      },
      "expected a tensor map, got other bytes");
}

TEST(Emulation, ThreadsCopyBehindTheirArrival) {
  static char *memory = allocateGlobal("rows", 16384, false);
  struct Kernel {
    bool wait = true, fence = true, arrive = true;
    int offset = 0;
    void run() const {
      initialise(kBar, 128);
      for (uint32_t i = 0; i < 128; i += 16) // the last piece is outside
        hdemu::copyAsync(kBase + 128 * thread() + i, memory + 128 * thread() + i + offset, i < 112, Line{5});
      if (arrive)
        hdemu::copiesArrive(kBar, Line{6});
      if (wait)
        hdemu::mbarrierWait(kBar, 0, Line{7});
      if (fence)
        hdemu::fenceProxyAsync(Line{8});
      float d[32];
      hdemu::wgmmaFence(Line{9});
      product(d, 10);
      hdemu::wgmmaCommit(Line{11});
      hdemu::wgmmaWait(0, Line{12});
    }
  };
  for (unsigned order = 0; order < 4; ++order)
    run([] { Kernel().run(); }, 128, order);
  run([] {
    initialise(kBar, 128);
    hdemu::copyAsync(kBase + 16 * thread(), memory, false, Line{5});
    hdemu::copiesArrive(kBar, Line{6});
    hdemu::mbarrierWait(kBar, 0, Line{7});
    uint32_t value;
    hdemu::loadShared(&value, kBase + 16 * thread(), 4, Line{8});
    EXPECT_EQ(value, 0u);
  });
  expectFault([] { Kernel{.fence = false}.run(); },
              "kernel.cu:10: an asynchronous read without a proxy fence between it and the write of line 5");
  expectFault([] { Kernel{.wait = false}.run(); },
              "kernel.cu:10: a read that nothing orders after the write of line 5");
  expectFault([] { Kernel{.offset = 8}.run(); }, "expected a bulk copy's addresses and size to be multiples of 16");
  expectFault(
      [] {
        initialise(kBar, 128);
        hdemu::copyAsync(kBase + 16 * thread(), memory, true, Line{5});
        hdemu::mbarrierArrive(kBar, 0, Line{6});
        hdemu::mbarrierWait(kBar, 0, Line{7});
      },
      "kernel.cu:5: the CTA ends with a copy for which its thread has not arrived");
}

TEST(Emulation, StoresReadBehindFenceAndBarrier) {
  static Box box;
  auto kernel = [](bool fence, bool commit, bool wait) {
    for (uint32_t i = 0; i < 64; i += 4)
      store(kBase + 64 * thread() + i, 7, 4);
    if (fence)
      hdemu::fenceProxyAsync(Line{5});
    sync();
    if (thread() == 0) {
      box.store(kBase, 6);
      if (commit)
        hdemu::bulkCommit(Line{7});
      if (wait)
        hdemu::bulkWait(0, true, Line{8});
    }
  };
  for (unsigned order = 0; order < 4; ++order)
    run([&] { kernel(true, true, true); }, 128, order);
  EXPECT_EQ(box.memory[0], 7);
  expectFault([&] { kernel(false, true, true); },
              "kernel.cu:6: an asynchronous read without a proxy fence between it and the write of line 4");
  expectFault([&] { kernel(true, false, false); }, "kernel.cu:6: the CTA ends with a store that no commit closed");
  expectFault([&] { kernel(true, true, false); },
              "kernel.cu:6: the CTA ends while this store may still read shared memory");
  expectFault(
      [&] {
        kernel(true, true, false);
        sync();
        store(kBase + 4 * thread(), 1, 9);
      },
      "kernel.cu:9: a write that nothing orders after the read of line 6");
}

} // namespace
} // namespace heddle::emulation::test
