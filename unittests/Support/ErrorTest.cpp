//===- ErrorTest.cpp ------------------------------------------------------===//
#include "heddle/Support/Error.h"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
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

namespace {
/// A directory of its own, removed at the end.
struct Folder {
  Folder() : path(testing::TempDir() + "heddle_files_" + std::to_string(getpid())) { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char *name) const { return path + "/" + name; }
  size_t size() const {
    return std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator());
  }
  std::string path;
};
} // namespace

TEST(WriteFile, ThroughSymbolicLinks) {
  Folder folder;
  ASSERT_TRUE(writeFile(folder / "target", "old"));
  std::filesystem::create_symlink("target", folder / "link");
  std::filesystem::create_symlink("link", folder / "twice");
  std::filesystem::create_symlink("later", folder / "dangling");
  ASSERT_TRUE(writeFile(folder / "twice", "new"));
  ASSERT_TRUE(writeFile(folder / "dangling", "made"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(*readFile(folder / "target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
  EXPECT_EQ(*readFile(folder / "later"), "made");
  EXPECT_EQ(folder.size(), 5u); // no temporary file is left
  std::filesystem::create_symlink("round", folder / "round");
  EXPECT_FALSE(writeFile(folder / "round", "text"));
}

TEST(WriteFile, KeepsPermissions) {
  Folder folder;
  ASSERT_TRUE(writeFile(folder / "file", "old"));
  std::filesystem::permissions(folder / "file", std::filesystem::perms(0640));
  ASSERT_TRUE(writeFile(folder / "file", "new"));
  EXPECT_EQ(std::filesystem::status(folder / "file").permissions(), std::filesystem::perms(0640));
}

TEST(WriteFile, DevicesAndPipesStay) {
  Folder folder;
  EXPECT_TRUE(writeFile("/dev/null", "text"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(writeFile("/dev/full", "text").error().message(), "cannot write '/dev/full': No space left on device");
  }
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  int reader = open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(writeFile(folder / "pipe", "text"));
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  char read4[4] = {};
  EXPECT_EQ(read(reader, read4, 4), 4);
  EXPECT_EQ(std::string(read4, 4), "text");
  close(reader);
}

TEST(WriteFile, FailureLeavesTheOldFile) {
  Folder folder;
  EXPECT_EQ(writeFile(folder.path, "text").error().message(), "cannot write '" + folder.path + "': Is a directory");
  EXPECT_EQ(folder.size(), 0u);
}
