//===- PlanCacheTest.cpp - tuned plans on disk -----------------------------===//
#include "heddle/Tuning/PlanCache.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace heddle;

namespace {
struct Directory {
  Directory() { std::filesystem::remove_all(path); }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string path = testing::TempDir() + "heddle-plans-" + std::to_string(::getpid());
};
} // namespace

TEST(PlanCache, ClassesOfSizes) {
  EXPECT_EQ(sizesClass({{"M", 8192}, {"N", 8190}, {"K", 1}}), "K=1+,M=8192,N=7168+");
  EXPECT_EQ(sizesClass({{"M", 8192}}), sizesClass({{"M", 9200}}));
  EXPECT_NE(sizesClass({{"M", 8192}}), sizesClass({{"M", 10240}}));
  EXPECT_NE(sizesClass({{"M", 8192}}), sizesClass({{"M", 8193}})); // the copy engine does not take it
}

TEST(PlanCache, FindsWhatWasStoredForTheSameKey) {
  Directory directory;
  PlanCache cache(directory.path + "/deep");
  PlanKey key = {"k", "tile.kernel @k", "h100", {{"M", 512}}};
  EXPECT_EQ(cache.find(key), "");
  ASSERT_TRUE(static_cast<bool>(cache.store(key, "{kernel = {groups = 2}}\n", "predicted 1 ms")));
  EXPECT_NE(cache.find(key).find("{kernel = {groups = 2}}"), std::string::npos);
  PlanKey other = key;
  other.program += " ";
  EXPECT_EQ(cache.find(other), "");
  other = key;
  other.machine = "b200";
  EXPECT_EQ(cache.find(other), "");
  auto list = cache.list();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0], std::make_pair(key.line(), std::string("predicted 1 ms")));
}

TEST(PlanCache, TakesNoFileOfAnotherKey) {
  Directory directory;
  PlanCache cache(directory.path);
  PlanKey key = {"k", "text", "h100", {}}, other = {"other", "text", "h100", {}};
  ASSERT_TRUE(static_cast<bool>(cache.store(other, "{}\n", "r")));
  std::filesystem::copy(cache.pathOf(other), cache.pathOf(key));
  EXPECT_EQ(cache.find(key), "");
}

TEST(PlanCache, WithoutADirectoryThereIsNone) {
  PlanCache cache("");
  EXPECT_TRUE(static_cast<bool>(cache.store({"k", "", "m", {}}, "{}", "r")));
  EXPECT_EQ(cache.find({"k", "", "m", {}}), "");
  EXPECT_TRUE(cache.list().empty());
}
