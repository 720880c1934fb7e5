//===- HostTensorTest.cpp - small floats, random values, NumPy files -------------------------===//
#include "heddle_runtime/HostTensor.h"

#include <cmath>
#include <cstdio>
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
  const std::string path = testing::TempDir() + "heddle_host_tensor.npy";
  HostTensor t("bf16", {3, 5});
  t.fillNormal(1);
  ASSERT_TRUE(bool(writeNpy(path, t)));
  Result<HostTensor> back = readNpy(path, "bf16");
  ASSERT_TRUE(bool(back)) << back.error().str();
  EXPECT_EQ(back->shape, t.shape);
  EXPECT_EQ(back->bytes, t.bytes);
  std::remove(path.c_str());
  EXPECT_FALSE(bool(readNpy(path, "f16")));
}

TEST(HostTensor, NpyErrors) {
  const std::string path = testing::TempDir() + "heddle_bad.npy";
  ASSERT_TRUE(bool(writeFile(path, "not an array")));
  EXPECT_EQ(readNpy(path, "f16").error().message(), "expected a NumPy file of version 1");
  HostTensor whole("i32", {2});
  ASSERT_TRUE(bool(writeNpy(path, whole)));
  EXPECT_NE(readNpy(path, "f16").error().message().find("expected a C-ordered array"), std::string::npos);
  HostTensor good("f32", {2});
  ASSERT_TRUE(bool(writeNpy(path, good)));
  const std::string text = *readFile(path);
  auto changed = [&](const std::string &what, const std::string &by) {
    std::string other = text;
    size_t at = other.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    EXPECT_TRUE(bool(writeFile(path, other.replace(at, what.size(), by))));
    return readNpy(path, "f32").error().message();
  };
  EXPECT_NE(changed("'fortran_order': False", "'fortran_order': True ")
                .find("expected a C-ordered array of f2, f4 or f8, got"),
            std::string::npos);
  EXPECT_EQ(changed("(2,)", " 2, "), "expected a shape, got none");
  ASSERT_TRUE(bool(writeFile(path, text.substr(0, text.size() - 3))));
  EXPECT_EQ(readNpy(path, "f32").error().message(), "expected 8 bytes of data, got 5");
  std::remove(path.c_str());
}

TEST(HostTensor, Shapes) {
  EXPECT_EQ(*parseShape("4096x64"), (std::vector<int64_t>{4096, 64}));
  EXPECT_EQ(*parseShape("3, 5"), (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(parseShape("2147483648x2147483648").error().message(),
            "expected sizes of at most 2^36 elements in all, got '2147483648x2147483648'");
  EXPECT_EQ(parseShape("4xx").error().message(), "expected sizes such as 4096x64, got '4xx'");
}

} // namespace
