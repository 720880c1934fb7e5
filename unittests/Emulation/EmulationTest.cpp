//===- EmulationTest.cpp - every fault that the emulator reports ------------===//
//
// Small kernels written with the calls that heddle_emulation/device.h makes. Each wrong one ends its process with the
// place and the reason; its right neighbour runs.
//
//===----------------------------------------------------------------------===//
#include "heddle_emulation/Emulator.h"
#include "heddle_emulation/abi.h"

#include "gtest/gtest.h"
#include <cstring>

using namespace heddle::emulation;
using hdemu::Line;

extern "C" void __tsan_read4(void *);
extern "C" void __tsan_write4(void *);

namespace {

constexpr uint32_t kBase = 1024; // where the GPU address of the launch's shared memory begins
constexpr uint32_t kBar = kBase + 32768;

int thread() { return static_cast<int>(threadIdx.x); }
void sync(int line = 1) { hdemu::namedBarrier(0, static_cast<int>(blockDim.x), true, Line{line}); }
void store(uint32_t address, uint32_t value, int line) { hdemu::storeShared(address, &value, 4, Line{line}); }
uint32_t load(uint32_t address, int line) {
  uint32_t value;
  hdemu::loadShared(&value, address, 4, Line{line});
  return value;
}
/// One mbarrier, ready for every thread.
void initialise(uint32_t bar, int count, bool fence = true) {
  if (thread() == 0) {
    hdemu::mbarrierInit(bar, count, Line{2});
    if (fence)
      hdemu::mbarrierFenceInit(Line{3});
  }
  sync();
}
void run(const std::function<void()> &kernel, int threads = 128, unsigned order = 0) {
  launch({{1, 1, 1}, threads, 65536, order, {}}, kernel);
}
void expectFault(const std::function<void()> &kernel, const std::string &message) {
  SCOPED_TRACE(message);
  EXPECT_EXIT(run(kernel), testing::ExitedWithCode(kFault), message);
}

/// A tensor of 64 rows of 64 f16 and its map, in boxes of 64 x 64 with a 128-byte swizzle.
struct Box {
  char *memory = allocateGlobal("box", 64 * 128, true);
  TensorMap map;
  EncodedMap encoding;
  Box() {
    std::memset(memory, 0, 64 * 128);
    map = encode({"f16", reinterpret_cast<uint64_t>(memory), {64, 64}, {128}, {64, 64}, 128, 128, false});
    encoding = encoded(map);
  }
  void load(uint32_t to, uint32_t bar, int line) {
    const int corner[] = {0, 0};
    hdemu::tensorLoad(to, &encoding, bar, 2, corner, Line{line});
  }
  void store(uint32_t from, int line) {
    const int corner[] = {0, 0};
    hdemu::tensorStore(&encoding, from, 2, corner, false, Line{line});
  }
};

constexpr hdemu::WgmmaForm kForm = {64, hdemu::Type::F16, hdemu::Type::F16, false, false};
uint64_t descriptor(uint32_t address) {
  return (address & 0x3ffff) >> 4 | uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62;
}
/// Both operands of a product, written and fenced by all threads.
void writeOperands(bool fence = true) {
  for (uint32_t i = 0; i < 16384 / 128; i += 4)
    store(kBase + 128 * thread() + i, 0, 10);
  if (fence)
    hdemu::fenceProxyAsync(Line{11});
  sync();
}
void product(float *d, int line) {
  hdemu::wgmma(kForm, d, nullptr, descriptor(kBase), descriptor(kBase + 8192), 0, Line{line});
}

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
