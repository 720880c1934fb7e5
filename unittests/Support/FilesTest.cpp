//===- FilesTest.cpp ------------------------------------------------------===//
#include "heddle/Support/Files.h"

#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle;

namespace {
/// A directory of its own, removed at the end.
struct Folder {
  Folder() : path(testing::TempDir() + "heddle_files_" + std::to_string(getpid())) {
    std::filesystem::create_directory(path);
  }
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

namespace {
bool isNumbered(const std::string &name) { return name.rfind("loop", 0) == 0; }
} // namespace

TEST(ReplaceFiles, WhatIsStaleGoes) {
  Folder folder;
  std::string out = folder / "out";
  ASSERT_TRUE(replaceFiles(out, {{"loop", "a"}, {"loop1", "b"}}, isNumbered));
  ASSERT_TRUE(writeFile(out + "/notes", "the user's"));
  ASSERT_TRUE(replaceFiles(out, {{"loop", "c"}}, isNumbered));
  EXPECT_EQ(*readFile(out + "/loop"), "c");
  EXPECT_FALSE(std::filesystem::exists(out + "/loop1"));
  EXPECT_EQ(*readFile(out + "/notes"), "the user's");
}

TEST(ReplaceFiles, AllOrNothing) {
  Folder folder;
  std::string out = folder / "out";
  ASSERT_TRUE(replaceFiles(out, {{"loop", "a"}, {"loop1", "b"}}, isNumbered));
  std::filesystem::create_directory(out + "/second");
  Status failed = replaceFiles(out, {{"loop", "c"}, {"second", "d"}}, isNumbered);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(), "cannot write '" + out + "/second': Is a directory");
  EXPECT_EQ(*readFile(out + "/loop"), "a");
  EXPECT_EQ(*readFile(out + "/loop1"), "b");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out), std::filesystem::directory_iterator()), 3);
  EXPECT_FALSE(replaceFiles(folder / "made", {{"a/b", "x"}, {"a/b/c", "x"}}, isNumbered));
  EXPECT_FALSE(std::filesystem::exists(folder / "made"));
}

TEST(ReplaceFiles, InFolders) {
  Folder folder;
  std::string out = folder / "out";
  auto isOurs = [](const std::string &name) { return name == "all" || name == "one/x" || name == "two/x"; };
  ASSERT_TRUE(replaceFiles(out, {{"all", "a"}, {"one/x", "b"}, {"one/y", "c"}, {"two/x", "d"}}, isOurs));
  EXPECT_EQ(*readFile(out + "/two/x"), "d");
  ASSERT_TRUE(replaceFiles(out, {{"one/y", "e"}}, isOurs));
  EXPECT_EQ(*readFile(out + "/one/y"), "e");
  EXPECT_FALSE(std::filesystem::exists(out + "/all"));
  EXPECT_FALSE(std::filesystem::exists(out + "/one/x"));
  EXPECT_TRUE(std::filesystem::exists(out + "/two/x")); // a folder that the new files do not name is not looked into
}

TEST(ReplaceFiles, WhatCannotGo) {
  Folder folder;
  std::filesystem::create_directories(folder / "loop1/full");
  EXPECT_EQ(replaceFiles(folder.path, {{"loop", "x"}}, isNumbered).error().message(),
            "cannot remove '" + (folder / "loop1") + "' of an earlier run: Directory not empty");
  EXPECT_FALSE(std::filesystem::exists(folder / "loop"));
}

TEST(ReplaceFiles, WhereNoneCanBe) {
  Folder folder;
  ASSERT_TRUE(writeFile(folder / "file", "text"));
  EXPECT_EQ(replaceFiles(folder / "file", {{"a", "x"}}, isNumbered).error().message(),
            "cannot write '" + (folder / "file") + "/a': Not a directory");
  EXPECT_EQ(replaceFiles(folder / "no/where", {{"a", "x"}}, isNumbered).error().message(),
            "cannot create the output directory '" + (folder / "no/where") + "': No such file or directory");
}
