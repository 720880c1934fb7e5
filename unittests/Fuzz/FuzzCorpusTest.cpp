//===- FuzzCorpusTest.cpp - Inputs that once broke a reader ---------------===//
#include "FuzzReaders.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

TEST(FuzzCorpus, Replays) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/unittests/Fuzz/corpus"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  EXPECT_FALSE(files.empty());
  for (const auto &file : files) {
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    SCOPED_TRACE(file.string());
    heddle::test::fuzzOne(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  }
}
