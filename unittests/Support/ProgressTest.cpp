//===- ProgressTest.cpp - What is said, when, and that it goes away --------===//
#include "heddle/Support/Progress.h"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace heddle;

namespace {

void sleepFor(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

/// Everything that can be read from `file` without waiting.
std::string drain(int file) {
  fcntl(file, F_SETFL, O_NONBLOCK);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  return text;
}

/// The environment of the tests may switch lines off.
struct ProgressTest : testing::Test {
  void SetUp() override { unsetenv("HEDDLE_PROGRESS"); }
};

TEST_F(ProgressTest, PlainLinesAfterAWhile) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::string text;
  {
    Progress progress("tool", ends[1], 0.5);
    progress.now("first");
    progress.now("second");
    for (int i = 0; i < 1000 && text.empty(); ++i) {
      sleepFor(10);
      text += drain(ends[0]);
    }
    progress.now("");
  }
  text += drain(ends[0]);
  EXPECT_EQ(text.rfind("tool: second; ", 0), 0u) << text;
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.find('\r'), std::string::npos);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(ProgressTest, QuickOrUnwantedWorkSaysNothing) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    Progress("tool", ends[1], 3600).now("work");
  }
  setenv("HEDDLE_PROGRESS", "off", 1);
  {
    Progress progress("tool", ends[1], 0);
    progress.now("work");
    sleepFor(50);
  }
  EXPECT_EQ(drain(ends[0]), "");
  close(ends[0]);
  close(ends[1]);
}

TEST_F(ProgressTest, TheLineAtATerminalIsRemoved) {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
    GTEST_SKIP() << "no pseudo-terminal";
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  ASSERT_GE(slave, 0);
  std::string text;
  {
    Progress progress("tool", slave, 0.05);
    progress.now("work");
    for (int i = 0; i < 200 && text.find("work") == std::string::npos; ++i) {
      sleepFor(10);
      text += drain(master);
    }
    progress.now("");
  }
  text += drain(master);
  EXPECT_EQ(text.rfind("\rtool: work; ", 0), 0u) << text;
  EXPECT_EQ(text.substr(text.size() - 4), "\r\033[K") << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
  close(slave);
  close(master);
}

} // namespace
