//===- ChainTest.cpp - chain.json: parsing, workspaces, scalars of launches ------------------===//
#include "heddle_runtime/Manifest.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::runtime;

namespace {

const char *kChain = R"({
  "version": 1, "chain": "both",
  "views": [{"name": "x", "elem": "f16", "rank": 2, "access": "in", "shape": ["M", "N"]},
            {"name": "y", "elem": "f32", "rank": 1, "access": "out", "shape": ["M"]}],
  "scalars": [{"name": "s", "type": "f32"}, {"name": "parts", "type": "index"}],
  "workspaces": [{"name": "w", "elem": "f16", "zeroed": true,
                  "shape": [{"arg": "parts"}, {"dim": ["x", 0]},
                            {"op": "ceildiv", "a": {"symbol": "N"}, "b": {"const": 2}}]}],
  "launches": [{"kernel": "first", "views": {"a": "x", "b": "w"}, "scalars": {"f": {"arg": "s"}, "g": {"const": 0.5}}},
               {"kernel": "second", "views": {"a": "w", "b": "y"},
                "scalars": {"n": {"op": "add", "a": {"arg": "parts"}, "b": {"const": 1}}}}]
})";

std::string changedChain(const std::string &from, const std::string &to) {
  std::string text = kChain;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::map<std::string, Tensor> chainTensors() {
  return {{"x", {4096, {3, 7}, {8, 1}, "f16"}}, {"y", {8192, {3}, {1}, "f32"}}};
}

std::string chainError(const std::string &text) {
  Result<ChainManifest> manifest = parseChainManifest(text);
  return manifest ? "" : manifest.error().message();
}

std::string bindError(const std::map<std::string, Tensor> &given, std::map<std::string, double> scalars,
                      const std::string &text = kChain) {
  Result<ChainManifest> manifest = parseChainManifest(text);
  if (!manifest)
    return manifest.error().str();
  Result<ChainPlan> plan = bindChain(*manifest, given, scalars);
  return plan ? "" : plan.error().message();
}

TEST(Chain, Plan) {
  Result<ChainManifest> manifest = parseChainManifest(kChain);
  ASSERT_TRUE(bool(manifest)) << manifest.error().str();
  Result<ChainPlan> plan = bindChain(*manifest, chainTensors(), {{"s", 0.25}, {"parts", 2}});
  ASSERT_TRUE(bool(plan)) << plan.error().str();
  ASSERT_EQ(plan->workspaces.size(), 1u);
  const ChainPlan::Workspace &w = plan->workspaces[0];
  EXPECT_EQ(w.tensor.shape, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(w.tensor.strides, (std::vector<int64_t>{24, 8, 1})); // rows of 4 f16 begin 16 bytes apart
  EXPECT_EQ(w.bytes, 96u);
  EXPECT_TRUE(w.zeroed);
  ASSERT_EQ(plan->launches.size(), 2u);
  EXPECT_EQ(plan->launches[0].views.at("b"), "w");
  EXPECT_EQ(plan->launches[0].scalars, (std::map<std::string, double>{{"f", 0.25}, {"g", 0.5}}));
  EXPECT_EQ(plan->launches[1].scalars, (std::map<std::string, double>{{"n", 3}}));
}

TEST(Chain, EmptyWorkspace) {
  Result<ChainPlan> plan = bindChain(*parseChainManifest(kChain), chainTensors(), {{"s", 1}, {"parts", 0}});
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->workspaces[0].tensor.shape[0], 0);
  EXPECT_GE(plan->workspaces[0].bytes, 16u);
}

TEST(Chain, ParseErrors) {
  EXPECT_EQ(chainError("{"), "expected JSON, got a syntax error");
  EXPECT_EQ(chainError(changedChain("\"version\": 1", "\"version\": 2")), "chain: expected version 1, got 2");
  EXPECT_EQ(chainError(changedChain("\"chain\": \"both\"", "\"chain\": \"both\", \"new\": 1")),
            "chain: unknown key 'new'");
  EXPECT_EQ(chainError(changedChain("\"zeroed\": true", "\"zeroed\": 1")),
            "workspace 'w', zeroed: expected true or false, got 1");
  EXPECT_EQ(chainError(changedChain("\"zeroed\": true", "\"zeroed\": true, \"pinned\": true")),
            "workspace: unknown key 'pinned'");
  EXPECT_EQ(chainError(changedChain("\"elem\": \"f16\", \"zeroed\"", "\"elem\": \"f12\", \"zeroed\"")),
            "workspace 'w': unknown element type 'f12'");
  EXPECT_EQ(chainError(changedChain("{\"arg\": \"parts\"}, {\"dim\"", "{\"sms\": true}, {\"dim\"")),
            "workspace 'w', shape: expected an expression without 'sms' in a chain, got {\"sms\":true}");
  EXPECT_EQ(chainError(changedChain("\"kernel\": \"first\"", "\"kernel\": \"../first\"")),
            "launch 0: expected the name of a kernel, got '../first'");
  EXPECT_EQ(chainError(changedChain("{\"a\": \"x\", \"b\": \"w\"}", "[]")),
            "launch 0: expected views and scalars by name");
  EXPECT_EQ(chainError(changedChain("\"b\": \"y\"", "\"b\": \"z\"")),
            "launch 1, view 'b': expected a view or a workspace of the chain, got 'z'");
  std::string none = changedChain("[{\"arg\": \"parts\"}, {\"dim\": [\"x\", 0]},", "[], \"unused\": [");
  EXPECT_EQ(chainError(none), "workspace: unknown key 'unused'");
  EXPECT_EQ(chainError(R"({"version": 1, "chain": "c", "views": [], "launches": [],
                           "workspaces": [{"name": "w", "elem": "f16", "shape": [], "zeroed": false}]})"),
            "workspace 'w': expected at least one size, got none");
}

TEST(Chain, BindErrors) {
  std::map<std::string, double> scalars = {{"s", 1}, {"parts", 2}};
  EXPECT_EQ(bindError(chainTensors(), scalars), "");
  auto given = chainTensors();
  given["y"].shape = {4};
  EXPECT_EQ(bindError(given, scalars), "view 'y', dimension 0: expected size 3, got 4");
  EXPECT_EQ(bindError(chainTensors(), {{"s", 1}}), "expected a value for scalar 'parts'");
  EXPECT_EQ(bindError({}, scalars), "expected a tensor for view 'x'");
  EXPECT_EQ(bindError(chainTensors(), {{"s", 1}, {"parts", -1}}),
            "workspace 'w', dimension 0: expected 0 to 2147483647, got -1");
  given = chainTensors();
  given["x"].shape = {2147483647, 2147483647};
  given["y"].shape = {2147483647};
  EXPECT_EQ(bindError(given, {{"s", 1}, {"parts", 2147483647}}),
            "workspace 'w': expected at most 2^50 elements, got more");
  EXPECT_EQ(bindError(chainTensors(), scalars, changedChain("{\"arg\": \"s\"}", "{\"arg\": \"t\"}")),
            "expression: unknown argument 't'");
}

} // namespace
