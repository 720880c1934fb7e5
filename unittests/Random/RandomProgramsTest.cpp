//===- RandomProgramsTest.cpp - random programs mean what they say -----------===//
//
// Every program that compiles gives its sequential meaning, in the simulator and as emitted CUDA on the CPU; every
// other is refused at a place of its text. HEDDLE_RANDOM_PROGRAMS=N sets how many (default 40), HEDDLE_RANDOM_FROM=S
// the first seed, HEDDLE_RANDOM_SAVE=DIR where failing programs go. A failure names its seed: `heddle-random print
// SEED`, `heddle-random reduce` (heddle-random.cpp).
//
// programs/ holds programs that once failed. Each is right with every scheduler or, where its first line says "refused:
// TEXT", refused so.
//
//===----------------------------------------------------------------------===//
#include "Check.h"
#include "Generate.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

using namespace heddle::random_programs;

static int64_t numberFrom(const char *variable, int64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoll(text) : otherwise;
}

static void write(llvm::StringRef path, const std::string &text) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << text;
}

TEST(RandomPrograms, OnceFailed) {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/unittests/Random/programs"))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  EXPECT_FALSE(paths.empty());
  for (const std::string &path : paths) {
    std::string first;
    std::getline(std::ifstream(path), first);
    size_t at = first.find("refused: ");
    for (uint64_t way : {0, 1, 2, 5}) {
      CheckOptions options;
      options.heddle = HEDDLE_TOOL;
      options.compile = scheduling(way);
      Verdict verdict = checkProgram(path, options);
      std::string where = path + " (" + llvm::join(options.compile, " ") + "), " + verdict.step + ": " + verdict.output;
      if (at == std::string::npos) {
        EXPECT_EQ(verdict.outcome, Outcome::Right) << where;
      } else {
        EXPECT_EQ(verdict.outcome, Outcome::Refused) << where;
        EXPECT_NE(verdict.message.find(first.substr(at + 9)), std::string::npos) << where;
      }
    }
  }
}

TEST(RandomPrograms, OneSeedOneProgram) {
  for (uint64_t seed : {1, 2, 3})
    EXPECT_EQ(generateProgram(seed), generateProgram(seed));
  EXPECT_NE(generateProgram(1), generateProgram(2));
}

TEST(RandomPrograms, ReductionKeepsWhatIsInteresting) {
  auto hasReduce = [](const std::string &text) { return text.find("tile.reduce") != std::string::npos; };
  uint64_t seed = 1;
  while (!hasReduce(generateProgram(seed)) || generateProgram(seed).size() < 6000)
    ++seed;
  std::string whole = generateProgram(seed), small = reduceProgram(whole, hasReduce);
  EXPECT_TRUE(hasReduce(small));
  EXPECT_LT(small.size(), whole.size() / 2);
}

TEST(RandomPrograms, MeanWhatTheySay) {
  int64_t count = numberFrom("HEDDLE_RANDOM_PROGRAMS", 40), first = numberFrom("HEDDLE_RANDOM_FROM", 1);
  std::map<std::string, int64_t> refusals;
  int64_t right = 0;
  llvm::SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("heddle-random", "mlir", path));
  for (int64_t seed = first; seed < first + count; ++seed) {
    std::string text = generateProgram(seed);
    ASSERT_FALSE(text.empty()) << "seed " << seed << " gives no valid program";
    write(path, text);
    CheckOptions options;
    options.heddle = HEDDLE_TOOL;
    options.compile = scheduling(seed);
    Verdict verdict = checkProgram(path.str().str(), options);
    right += verdict.outcome == Outcome::Right;
    if (verdict.outcome == Outcome::Refused)
      ++refusals[verdict.message];
    EXPECT_NE(verdict.outcome, Outcome::Failed) << "seed " << seed << " (" << llvm::join(options.compile, " ") << "), "
                                                << verdict.step << ": " << verdict.output;
    if (const char *save = std::getenv("HEDDLE_RANDOM_SAVE"); save && verdict.outcome == Outcome::Failed)
      write(std::string(save) + "/" + std::to_string(seed) + ".mlir", text);
  }
  llvm::sys::fs::remove(path);
  printf("%lld of %lld programs right\n", (long long)right, (long long)count);
  for (const auto &[message, times] : refusals)
    printf("%6lld refused: %s\n", (long long)times, message.c_str());
  EXPECT_GE(right, count / 2) << "a net of refusals holds nothing";
}
