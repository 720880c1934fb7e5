//===- ResourcesTest.cpp --------------------------------------------------===//
#include "heddle/Support/Resources.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace heddle;

TEST(Resources, BesideTheExecutableOrWhereTheEnvironmentSays) {
  unsetenv("HEDDLE_ROOT");
  std::string root = resourceRoot();
  Result<std::string> machine = findResource("machines/h100.json");
  ASSERT_TRUE(machine) << machine.error().str();
  EXPECT_EQ(*machine, root + "/machines/h100.json");

  setenv("HEDDLE_ROOT", "/nonexistent", 1);
  Result<std::string> missing = findResource("machines/h100.json");
  setenv("HEDDLE_ROOT", "", 1);
  EXPECT_EQ(resourceRoot(), root);
  unsetenv("HEDDLE_ROOT");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(),
            "expected 'machines/h100.json' in '/nonexistent', got none (the environment variable "
            "HEDDLE_ROOT names another directory)");
}
