//===- ErrorTest.cpp ------------------------------------------------------===//
#include "heddle/Support/Error.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace heddle;

TEST(Error, TextNamesPlaceAndKind) {
  EXPECT_EQ(userError("expected a, got b", {"f.sched", 3, 7}).str(), "f.sched:3:7: error: expected a, got b");
  EXPECT_EQ(Error(ErrorKind::Infeasible, "x").str(), "infeasible: x");
  EXPECT_EQ(Error(ErrorKind::Limit, "x").str(), "limit reached: x");
  EXPECT_EQ(Error(ErrorKind::Internal, "x", {"f", 0, 0}).str(), "f: internal error: x");
}

TEST(Error, FilesThatCannotBeReadOrWritten) {
  Result<std::string> missing = readFile("/nonexistent/x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(), "cannot open '/nonexistent/x': No such file or directory");
  Result<std::string> directory = readFile("/tmp");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().message(), "expected a file, got the directory '/tmp'");
  EXPECT_FALSE(writeFile("/nonexistent/x", "text"));
}

TEST(Error, WriteThenRead) {
  std::string path = testing::TempDir() + "heddle_error_test_" + std::to_string(getpid());
  ASSERT_TRUE(writeFile(path, "a\nb\n"));
  EXPECT_EQ(*readFile(path), "a\nb\n");
  std::remove(path.c_str());
}
