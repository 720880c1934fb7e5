//===- NumericTest.cpp - rounding agrees with APFloat, bit for bit --------===//
#include "heddle/Simulator/Functional/Numeric.h"
#include "heddle/Simulator/Functional/HostTensor.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace heddle::sim;

static uint16_t viaAPFloat(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat number(value);
  bool lost;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

TEST(Numeric, HalfDecodesEveryPattern) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    float half = decodeF16(bits),
          want = llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits)).convertToFloat();
    if (half == half) {
      EXPECT_EQ(std::bit_cast<uint32_t>(half), std::bit_cast<uint32_t>(want)) << bits;
      EXPECT_EQ(encodeF16(half), bits);
    } else {
      EXPECT_TRUE(std::isnan(want));
      EXPECT_TRUE(std::isnan(decodeF16(encodeF16(half))));
    }
  }
}

TEST(Numeric, FloatToHalfAndBFloatRoundToNearestEven) {
  Random random(7);
  for (int i = 0; i < 200000; ++i) {
    float value = std::bit_cast<float>(static_cast<uint32_t>(random.next() >> 32));
    if (i % 2) // values whose halves are finite, and ties
      value = std::bit_cast<float>((std::bit_cast<uint32_t>(static_cast<float>(random.normal())) & ~0xfffu) |
                                   (i % 4 == 1 ? 0x1000u : 0u));
    if (value != value)
      continue;
    EXPECT_EQ(encodeF16(value), viaAPFloat(llvm::APFloat::IEEEhalf(), value)) << value;
    EXPECT_EQ(encodeBF16(value), viaAPFloat(llvm::APFloat::BFloat(), value)) << value;
  }
}

TEST(Numeric, DoubleRoundsOnce) {
  // 1 + 2^-11 + 2^-40: to float first it would become the tie 1 + 2^-11 and then round to even, 1.
  double value = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(roundTo(ElementKind::F16, value), 1.0 + 0x1p-10);
  Random random(3);
  for (int i = 0; i < 100000; ++i) {
    double x = random.normal() * std::exp2(static_cast<int>(random.next() >> 58) - 40);
    EXPECT_EQ(encodeF16(static_cast<float>(roundTo(ElementKind::F16, x))), viaAPFloat(llvm::APFloat::IEEEhalf(), x));
    EXPECT_EQ(encodeBF16(static_cast<float>(roundTo(ElementKind::BF16, x))), viaAPFloat(llvm::APFloat::BFloat(), x));
  }
}

TEST(Numeric, EightBitFormats) {
  EXPECT_EQ(roundTo(ElementKind::F8E4M3, 1.0625f), 1.0f); // tie to even
  EXPECT_EQ(roundTo(ElementKind::F8E4M3, 1.19f), 1.25f);
  EXPECT_EQ(roundTo(ElementKind::F8E4M3, 448.0f), 448.0f);
  EXPECT_EQ(roundTo(ElementKind::F8E4M3, -1000.0f), -448.0f); // saturates
  EXPECT_TRUE(std::isnan(roundTo(ElementKind::F8E4M3, std::nanf(""))));
  EXPECT_EQ(roundTo(ElementKind::F8E5M2, 57344.0f), 57344.0f);
  EXPECT_EQ(roundTo(ElementKind::F8E5M2, 1e6f), 57344.0f);
}

TEST(Numeric, IntegersWrap) {
  EXPECT_EQ(wrapTo(ElementKind::I8, 200), -56);
  EXPECT_EQ(wrapTo(ElementKind::I1, 3), 1);
  EXPECT_EQ(unsignedOf(ElementKind::I8, -56), 200u);
  EXPECT_EQ(wrapTo(ElementKind::I32, int64_t(1) << 31), std::numeric_limits<int32_t>::min());
}
