//===- HostTensorTest.cpp - small floats, random values, NumPy files -------------------------===//
#include "heddle_runtime/HostTensor.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace heddle;
using namespace heddle::runtime;

namespace {

double round(const std::string &elem, double x) {
  HostTensor t(elem, {1});
  t.set(0, x);
  return t.get(0);
}

TEST(HostTensor, SmallFloats) {
  EXPECT_EQ(round("f16", 1.0 + 1.0 / 2048), 1.0); // tie to even
  EXPECT_EQ(round("f16", 1.0 + 3.0 / 2048), 1.0 + 4.0 / 2048);
  EXPECT_EQ(round("f16", -65504), -65504);
  EXPECT_TRUE(std::isinf(round("f16", 65520)));
  EXPECT_EQ(round("f16", std::ldexp(1.0, -24)), std::ldexp(1.0, -24));
  EXPECT_EQ(round("f16", std::ldexp(1.0, -26)), 0.0);
  EXPECT_EQ(round("bf16", 3.140625), 3.140625);
  EXPECT_EQ(round("bf16", 1.00390625), 1.0);
  EXPECT_EQ(round("e4m3", 448), 448);
  EXPECT_EQ(round("e4m3", -1000), -448);
  EXPECT_EQ(round("e4m3", 17), 16);
  EXPECT_EQ(round("e5m2", 1e9), 57344);
  EXPECT_EQ(round("i32", -7), -7);
  for (const char *elem : {"f16", "bf16", "e4m3", "e5m2", "f32", "f64"})
    EXPECT_TRUE(std::isnan(round(elem, std::numeric_limits<double>::quiet_NaN()))) << elem;
  for (const char *elem : {"f16", "bf16", "e4m3", "e5m2"}) // every code survives a round trip
    for (int code = 0; code < (elem[0] == 'e' ? 256 : 65536); ++code) {
      HostTensor t(elem, {1});
      t.bytes[0] = code & 0xFF;
      if (t.bytes.size() == 2)
        t.bytes[1] = code >> 8;
      std::vector<uint8_t> before = t.bytes;
      double x = t.get(0);
      if (std::isnan(x) || std::isinf(x))
        continue;
      t.set(0, x);
      ASSERT_EQ(t.bytes, before) << elem << " code " << code;
    }
}

TEST(HostTensor, PoisonAndNormal) {
  HostTensor t("f16", {100, 50});
  EXPECT_EQ(t.countNaN(), 5000);
  t.fillNormal(7);
  EXPECT_EQ(t.countNaN(), 0);
  double sum = 0, squares = 0;
  for (int i = 0; i < 5000; ++i) {
    sum += t.get(i);
    squares += t.get(i) * t.get(i);
  }
  EXPECT_NEAR(sum / 5000, 0, 0.05);
  EXPECT_NEAR(squares / 5000, 1, 0.06);
  EXPECT_EQ(t.strides(), (std::vector<int64_t>{50, 1}));
}

TEST(HostTensor, Npy) {
  HostTensor t("bf16", {3, 5});
  t.fillNormal(1);
  NpyArray bits = toNpy(t);
  EXPECT_EQ(bits.typeName(), "uint16");
  Result<NpyArray> read = parseNpy(npyText(bits), "t.npy");
  ASSERT_TRUE(bool(read)) << read.error().str();
  Result<HostTensor> back = fromNpy(*read, "bf16", "t.npy");
  ASSERT_TRUE(bool(back)) << back.error().str();
  EXPECT_EQ(back->shape, t.shape);
  EXPECT_EQ(back->bytes, t.bytes);
  EXPECT_EQ(fromNpy(*read, "f16", "t.npy").error().message(), "expected floats for a view of f16, got uint16");
}

TEST(HostTensor, WholeNumbersKeepTheirBits) {
  NpyArray array{'i', 8, {2}, std::string("\xff\xff\xff\xff\xff\xff\xff\x7f\xfe\xff\xff\xff\xff\xff\xff\xff", 16)};
  Result<HostTensor> wide = fromNpy(array, "i64", "t.npy");
  ASSERT_TRUE(bool(wide)) << wide.error().str();
  EXPECT_EQ(std::string(wide->bytes.begin(), wide->bytes.end()), array.data);
  EXPECT_EQ(fromNpy(array, "i32", "t.npy").error().message(),
            "expected values that i32 holds, got 9223372036854775807");
  array.kind = 'u';
  EXPECT_EQ(fromNpy(array, "i64", "t.npy").error().message(),
            "expected values that i64 holds, got 18446744073709551614");
}

TEST(HostTensor, ShapesInFiles) { // none, one and two dimensions, as NumPy writes and reads tuples
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, {1}, {2, 3}}) {
    NpyArray array{'u', 1, shape, std::string(shape.size() == 2 ? 6 : 1, 'x')};
    std::string text = npyText(array);
    EXPECT_EQ(text.size() % 64, array.data.size());
    Result<NpyArray> read = parseNpy(text, "t.npy");
    ASSERT_TRUE(bool(read)) << read.error().str();
    EXPECT_EQ(read->shape, shape);
  }
}

TEST(HostTensor, Shapes) {
  EXPECT_EQ(*parseShape("4096x64"), (std::vector<int64_t>{4096, 64}));
  EXPECT_EQ(*parseShape("3, 5"), (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(parseShape("2147483648x2147483648").error().message(),
            "expected sizes of at most 2^36 elements in all, got '2147483648x2147483648'");
  EXPECT_EQ(parseShape("4xx").error().message(), "expected sizes such as 4096x64, got '4xx'");
}

} // namespace
