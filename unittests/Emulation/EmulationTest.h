//===- EmulationTest.h - what tests of the emulator share -------------------===//
//
// Small kernels are written with the calls that heddle_emulation/device.h makes. Each wrong one ends its process with
// the place and the reason; its right neighbour runs.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_UNITTESTS_EMULATION_EMULATIONTEST_H
#define HEDDLE_UNITTESTS_EMULATION_EMULATIONTEST_H

#include "heddle_emulation/Emulator.h"
#include "heddle_emulation/abi.h"

#include "gtest/gtest.h"
#include <cstring>

extern "C" void __tsan_read4(void *);
extern "C" void __tsan_write4(void *);

namespace heddle::emulation::test {

using hdemu::Line;

inline constexpr uint32_t kBase = 1024; // where the GPU address of the launch's shared memory begins
inline constexpr uint32_t kBar = kBase + 32768;

inline int thread() { return static_cast<int>(threadIdx.x); }
inline void sync(int line = 1) { hdemu::namedBarrier(0, static_cast<int>(blockDim.x), true, Line{line}); }
inline void store(uint32_t address, uint32_t value, int line) { hdemu::storeShared(address, &value, 4, Line{line}); }
inline uint32_t load(uint32_t address, int line) {
  uint32_t value;
  hdemu::loadShared(&value, address, 4, Line{line});
  return value;
}
/// One mbarrier, ready for every thread.
inline void initialise(uint32_t bar, int count, bool fence = true) {
  if (thread() == 0) {
    hdemu::mbarrierInit(bar, count, Line{2});
    if (fence)
      hdemu::mbarrierFenceInit(Line{3});
  }
  sync();
}
inline void run(const std::function<void()> &kernel, int threads = 128, unsigned order = 0) {
  launch({{1, 1, 1}, threads, 65536, order, {}}, kernel);
}
inline void expectFault(const std::function<void()> &kernel, const std::string &message) {
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

inline constexpr hdemu::WgmmaForm kForm = {64, hdemu::Type::F16, hdemu::Type::F16, false, false};
inline uint64_t descriptor(uint32_t address) {
  return (address & 0x3ffff) >> 4 | uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62;
}
/// Both operands of a product, written and fenced by all threads.
inline void writeOperands(bool fence = true) {
  for (uint32_t i = 0; i < 16384 / 128; i += 4)
    store(kBase + 128 * thread() + i, 0, 10);
  if (fence)
    hdemu::fenceProxyAsync(Line{11});
  sync();
}
inline void product(float *d, int line) {
  hdemu::wgmma(kForm, d, nullptr, descriptor(kBase), descriptor(kBase + 8192), 0, Line{line});
}

} // namespace heddle::emulation::test

#endif // HEDDLE_UNITTESTS_EMULATION_EMULATIONTEST_H
