//===- DriverTest.cpp - errors of the driver layer on a machine without a GPU ----------------===//
#include "heddle_runtime/Driver.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::runtime;

namespace {

TEST(Driver, NoLibrary) {
  Result<Driver *> driver = Driver::open(0, "libheddle-no-such-driver.so.1");
  ASSERT_FALSE(bool(driver));
  EXPECT_EQ(driver.error().kind(), ErrorKind::User);
  EXPECT_EQ(driver.error().message().find("expected the CUDA driver library libheddle-no-such-driver.so.1, got: "), 0u)
      << driver.error().message();
}

TEST(Driver, NotADriver) {
  Result<Driver *> driver = Driver::open(0, "libc.so.6");
  ASSERT_FALSE(bool(driver));
  EXPECT_EQ(driver.error().message(),
            "expected a CUDA driver of version 12 or later in libc.so.6, got one without cuInit");
}

} // namespace
