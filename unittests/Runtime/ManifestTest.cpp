//===- ManifestTest.cpp - kernel.json: parsing, binding, tensor maps -------------------------===//
#include "heddle_runtime/Manifest.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::runtime;

namespace {

const char *kGemm = R"({
  "version": 1, "kernel": "gemm", "block": 384, "smem": 1024,
  "grid": [{"op": "ceildiv", "a": {"dim": ["A", 0]}, "b": {"const": 128}}, {"const": 1}, {"const": 1}],
  "views": [{"name": "A", "elem": "f16", "rank": 2, "access": "in", "shape": ["M", "K"]},
            {"name": "C", "elem": "f16", "rank": 2, "access": "out", "shape": ["M", null]}],
  "scalars": [{"name": "alpha", "type": "f32"}],
  "params": [{"kind": "tensormap", "view": "A", "box": [128, 64], "swizzle": 128},
             {"kind": "pointer", "view": "C"}, {"kind": "size", "view": "A", "dim": 0},
             {"kind": "stride", "view": "C", "dim": 0}, {"kind": "scalar", "name": "alpha", "type": "f32"},
             {"kind": "expr", "value": {"op": "mul", "a": {"symbol": "K"}, "b": {"const": 2}}}]
})";

/// kGemm with one piece of text replaced.
std::string changed(const std::string &from, const std::string &to) {
  std::string text = kGemm;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::map<std::string, Tensor> tensors() {
  return {{"A", {4096, {300, 512}, {520, 1}, "f16"}}, {"C", {8192, {300, 64}, {64, 1}, "f16"}}};
}

std::string parseError(const std::string &text) {
  Result<Manifest> manifest = parseManifest(text);
  return manifest ? "" : manifest.error().message();
}

std::string bindError(const std::map<std::string, Tensor> &given, const std::string &text = kGemm,
                      std::map<std::string, double> scalars = {{"alpha", 2}}) {
  Result<Manifest> manifest = parseManifest(text);
  if (!manifest)
    return manifest.error().str();
  Result<LaunchPlan> plan = bindManifest(*manifest, given, scalars, 132);
  return plan ? "" : plan.error().message();
}

/// The x grid of kGemm with another expression in its place.
int64_t value(const std::string &expr) {
  Result<Manifest> manifest =
      parseManifest(changed(R"({"op": "ceildiv", "a": {"dim": ["A", 0]}, "b": {"const": 128}})", expr));
  EXPECT_TRUE(bool(manifest)) << (manifest ? "" : manifest.error().str());
  Result<LaunchPlan> plan = bindManifest(*manifest, tensors(), {{"alpha", 2}}, 132);
  EXPECT_TRUE(bool(plan)) << (plan ? "" : plan.error().str());
  return plan ? plan->grid[0] : -1;
}

TEST(Manifest, Counter) {
  std::string text = changed(R"({"kind": "pointer", "view": "C"})", R"({"kind": "counter"})");
  Result<Manifest> manifest = parseManifest(text);
  ASSERT_TRUE(bool(manifest));
  EXPECT_TRUE(usesCounter(*manifest));
  EXPECT_FALSE(usesCounter(*parseManifest(kGemm)));
  Result<LaunchPlan> plan = bindManifest(*manifest, tensors(), {{"alpha", 2}}, 132, 0xabc0);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(std::get<uint64_t>(plan->values[1]), 0xabc0u);
  EXPECT_NE(parseError(changed(R"({"kind": "pointer", "view": "C"})", R"({"kind": "counter", "view": "C"})")), "");
}

TEST(Manifest, ImageOfAnotherText) {
  Result<Manifest> manifest =
      parseManifest(changed("\"kernel\": \"gemm\"", "\"kernel\": \"gemm\", \"mark\": \"heddle_text_17\""));
  ASSERT_TRUE(bool(manifest));
  EXPECT_TRUE(bool(checkImage(*manifest, "ELF heddle_text_17", "kernel.cubin")));
  Status refused = checkImage(*manifest, "ELF heddle_text_18", "out/kernel.cubin");
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(refused.error().str(),
            "out/kernel.cubin: error: expected a cubin of the kernel.cu that kernel.json belongs to (it holds "
            "'heddle_text_17'), got another: compile kernel.cu");
  EXPECT_TRUE(bool(checkImage(*parseManifest(kGemm), "any", "kernel.cubin"))); // written by hand, without a mark
}

TEST(Manifest, Expressions) {
  auto op = [](const std::string &name, int a, int b) {
    return R"({"op": ")" + name + R"(", "a": {"const": )" + std::to_string(a) + R"(}, "b": {"const": )" +
           std::to_string(b) + "}}";
  };
  EXPECT_EQ(value(op("add", 10, 3)), 13);
  EXPECT_EQ(value(op("sub", 10, 3)), 7);
  EXPECT_EQ(value(op("mul", 10, 3)), 30);
  EXPECT_EQ(value(op("ceildiv", 10, 3)), 4);
  EXPECT_EQ(value(op("floordiv", 10, 3)), 3);
  EXPECT_EQ(value(op("mod", 10, 3)), 1);
  EXPECT_EQ(value(op("mod", -10, 3)), 2);
  EXPECT_EQ(value(op("ceildiv", -1, 3)), 0);
  EXPECT_EQ(value(op("min", 10, 3)), 3);
  EXPECT_EQ(value(op("max", 10, 3)), 10);
  EXPECT_EQ(value(R"({"stride": ["A", 0]})"), 520);
  EXPECT_EQ(value(R"({"symbol": "M"})"), 300);
  EXPECT_EQ(value(R"({"arg": "alpha"})"), 2);
  EXPECT_EQ(value(R"({"sms": true})"), 132);
}

TEST(Manifest, Launch) {
  Result<Manifest> manifest = parseManifest(kGemm);
  ASSERT_TRUE(bool(manifest));
  Result<LaunchPlan> plan = bindManifest(*manifest, tensors(), {{"alpha", 2}}, 132);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->grid, (std::array<int64_t, 3>{3, 1, 1}));
  ASSERT_EQ(plan->values.size(), 6u);
  const TensorMapSpec &map = std::get<TensorMapSpec>(plan->values[0]);
  EXPECT_EQ(map.dims, (std::vector<uint64_t>{512, 300}));
  EXPECT_EQ(map.strides, (std::vector<uint64_t>{1040}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{64, 128}));
  EXPECT_EQ(std::get<uint64_t>(plan->values[1]), 8192u);
  EXPECT_EQ(std::get<int32_t>(plan->values[2]), 300);
  EXPECT_EQ(std::get<int32_t>(plan->values[3]), 64);
  EXPECT_EQ(std::get<float>(plan->values[4]), 2.0f);
  EXPECT_EQ(std::get<int32_t>(plan->values[5]), 1024);
}

TEST(Manifest, PromisedMemory) {
  std::string promised =
      changed("\"access\": \"out\"", "\"access\": \"out\", \"aligned\": true, \"multiples\": [1, 8]");
  auto with = [&](auto change) {
    auto given = tensors();
    change(given["C"]);
    return bindError(given, promised);
  };
  EXPECT_EQ(with([](Tensor &) {}), "");
  EXPECT_EQ(with([](Tensor &c) { c.address += 8; }),
            "view 'C': expected an address that is a multiple of 16 bytes, got remainder 8");
  EXPECT_EQ(with([](Tensor &c) { c.strides[0] = 66; }),
            "view 'C', dimension 0: expected a stride that is a multiple of 16 bytes, got 132 bytes");
  EXPECT_EQ(with([](Tensor &c) { c.shape[1] = 60; }),
            "view 'C', dimension 1: expected a size that is a multiple of 8, got 60");
  auto declared = [](const std::string &text) {
    return parseError(changed("\"access\": \"out\"", "\"access\": \"out\", " + text));
  };
  EXPECT_EQ(declared("\"aligned\": 1"), "view 'C', aligned: expected true or false, got 1");
  EXPECT_EQ(declared("\"multiples\": [8]"), "view 'C', multiples: expected an array of 2, got 1 entries");
  EXPECT_EQ(declared("\"multiples\": [0, 8]"), "view 'C', multiples: expected a number from 1 to 2147483647, got 0");
}

TEST(Manifest, NumbersThatDoNotFit) {
  std::string grid = R"({"op": "ceildiv", "a": {"dim": ["A", 0]}, "b": {"const": 128}})";
  std::string most = R"({"const": 9223372036854775807})";
  EXPECT_EQ(bindError(tensors(), changed(grid, R"({"op": "mul", "a": )" + most + R"(, "b": {"const": 2}})")),
            "expression: expected a value of 64 bits, got mul of 9223372036854775807 and 2");
  EXPECT_EQ(bindError(tensors(), changed(grid, R"({"op": "add", "a": )" + most + R"(, "b": {"const": 1}})")),
            "expression: expected a value of 64 bits, got add of 9223372036854775807 and 1");
  EXPECT_EQ(bindError(tensors(), changed(grid, R"({"arg": "alpha"})"), {{"alpha", 0.5}}),
            "scalar 'alpha': expected an integer, got 0.500000");
  EXPECT_EQ(bindError(tensors(), changed(grid, R"({"arg": "alpha"})"), {{"alpha", 1e300}})
                .find("scalar 'alpha': expected an integer, got 1"),
            0u);
}

TEST(Manifest, EmptyGridLaunchesNothing) {
  Result<Manifest> manifest = parseManifest(kGemm);
  auto given = tensors();
  given["A"].shape[0] = given["C"].shape[0] = 0;
  Result<LaunchPlan> plan = bindManifest(*manifest, given, {{"alpha", 2}}, 132);
  ASSERT_TRUE(bool(plan));
  EXPECT_TRUE(plan->empty());
  EXPECT_TRUE(plan->values.empty());
}

TEST(Manifest, ParseErrors) {
  EXPECT_EQ(parseError("{"), "expected JSON, got a syntax error");
  EXPECT_EQ(parseError(changed("\"version\": 1", "\"version\": 2")), "manifest: expected version 1, got 2");
  EXPECT_EQ(parseError(changed("\"version\": 1", "\"version\": 1, \"colour\": 1")), "manifest: unknown key 'colour'");
  EXPECT_EQ(parseError(changed("\"block\": 384,", "")), "manifest: expected the key 'block'");
  EXPECT_EQ(parseError(changed("384", "2048")), "block: expected a number from 1 to 1024, got 2048");
  EXPECT_EQ(parseError(changed("384", "\"x\"")), "block: expected an integer, got \"x\"");
  EXPECT_EQ(parseError(changed("\"smem\": 1024", "\"smem\": -1")),
            "smem: expected a number from 0 to 2147483647, got -1");
  EXPECT_EQ(parseError(changed("384", "4294967297")), "block: expected a number from 1 to 1024, got 4294967297");
  EXPECT_EQ(parseError(changed("384", "18446744073709551615")),
            "block: expected an integer of 64 bits, got 18446744073709551615");
  EXPECT_EQ(parseError(changed("\"swizzle\": 128", "\"swizzle\": 4294967424")),
            "parameter 0: unexpected swizzle of 4294967424");
  EXPECT_EQ(parseError(changed("\"rank\": 2", "\"rank\": 0")), "view 'A': expected a number from 1 to 64, got 0");
  EXPECT_EQ(parseError(std::string(3000, '[')), "expected at most 2000 levels of JSON, got more");
  EXPECT_EQ(parseError(changed(", {\"const\": 1}, {\"const\": 1}", "")), "grid: expected an array of 3, got 1 entries");
  EXPECT_EQ(parseError(changed("\"elem\": \"f16\"", "\"elem\": \"f12\"")), "view 'A': unknown element type 'f12'");
  EXPECT_EQ(parseError(changed("\"access\": \"in\"", "\"access\": \"rw\"")),
            "view 'A': expected one of in, out, inout, got 'rw'");
  EXPECT_EQ(parseError(changed("\"rank\": 2", "\"rank\": 3")),
            "view 'A', shape: expected an array of 3, got 2 entries");
  EXPECT_EQ(parseError(changed("\"view\": \"C\"", "\"view\": \"Z\"")), "parameter 1: unknown view 'Z'");
  EXPECT_EQ(parseError(changed("\"swizzle\": 128", "\"swizzle\": 16")), "parameter 0: unexpected swizzle of 16");
  EXPECT_EQ(parseError(changed("\"view\": \"A\", \"dim\": 0", "\"view\": \"A\", \"dim\": 5")),
            "parameter 2: view 'A' has no dimension 5");
  EXPECT_EQ(parseError(changed("\"pointer\"", "\"ptr\"")),
            "parameter 1: expected one of tensormap, pointer, size, stride, scalar, expr, counter, got 'ptr'");
  EXPECT_EQ(parseError(changed("\"scalar\", \"name\": \"alpha\"", "\"scalar\", \"name\": \"beta\"")),
            "parameter 4: unknown scalar 'beta'");
  EXPECT_EQ(parseError(changed("\"kind\": \"pointer\"", "\"sort\": \"pointer\""))
                .find("parameter 1: expected an object with the key 'kind', got"),
            0u);
  EXPECT_EQ(parseError(changed("\"swizzle\": 128", "\"swizzle\": 128, \"dims\": [{\"dim\": 0, \"chunk\": 0}]")),
            "parameter 0, dims: expected a chunk of at least 1, got 0");
  EXPECT_EQ(parseError(changed("\"smem\"", "\"cluster\": [0, 1, 1], \"smem\"")), "cluster: expected at least 1, got 0");
  EXPECT_EQ(parseError(changed("\"ceildiv\"", "\"pow\"")),
            "grid: expected one of add, sub, mul, ceildiv, floordiv, mod, min, max, got 'pow'");
}

TEST(Manifest, BindErrors) {
  auto with = [](auto change) {
    auto given = tensors();
    change(given);
    return bindError(given);
  };
  EXPECT_EQ(with([](auto &t) { t.erase("A"); }), "expected a tensor for view 'A'");
  EXPECT_EQ(with([](auto &t) { t["A"].shape = {300}; }), "view 'A': expected rank 2, got 1");
  EXPECT_EQ(with([](auto &t) { t["A"].elem = "bf16"; }), "view 'A': expected elements of type f16, got bf16");
  EXPECT_EQ(with([](auto &t) { t["A"].strides = {1, 300}; }), "view 'A', dimension 1: expected stride 1, got 300");
  EXPECT_EQ(with([](auto &t) { t["A"].address = 4104; }),
            "view 'A': expected an address that is a multiple of 16 bytes, got remainder 8");
  EXPECT_EQ(with([](auto &t) { t["A"].strides[0] = 516; }),
            "view 'A', dimension 0: expected a stride that is a multiple of 16 bytes, got 1032 bytes");
  EXPECT_EQ(with([](auto &t) { t["A"].strides[0] = -512; }),
            "view 'A', dimension 0: expected a stride of 0 to 2^40 bytes, got -1024");
  EXPECT_EQ(with([](auto &t) { t["A"].strides[0] = 0; }), ""); // every row is the same one
  EXPECT_EQ(with([](auto &t) { t["A"].shape[0] = 301; }), "view 'C', dimension 0: expected size 301, got 300");
  EXPECT_EQ(with([](auto &t) { t["C"].strides[0] = int64_t(1) << 32; }),
            "view 'C', dimension 0: stride: expected a 32-bit value, got 4294967296");
  EXPECT_EQ(bindError(tensors(), kGemm, {}), "expected a value for scalar 'alpha'");
  EXPECT_EQ(bindError(tensors(), changed("\"smem\"", "\"cluster\": [2, 1, 1], \"smem\"")),
            "grid axis 0: expected a multiple of the cluster's 2, got 3");
  EXPECT_EQ(bindError(tensors(), changed("{\"const\": 128}", "{\"const\": 0}")),
            "expression: expected a positive divisor, got 0");
  EXPECT_EQ(bindError(tensors(), changed("[\"A\", 0]", "[\"B\", 0]")), "expression: no dimension 0 of view 'B'");
  EXPECT_EQ(bindError(tensors(), changed("{\"symbol\": \"K\"}", "{\"symbol\": \"Q\"}")),
            "expression: unknown symbol 'Q'");
  EXPECT_EQ(bindError(tensors(), changed("{\"symbol\": \"K\"}", "{\"arg\": \"q\"}")),
            "expression: unknown argument 'q'");
}

TEST(TensorMap, ChunksInOneCopy) {
  Param p;
  p.view = "K";
  p.swizzle = 128;
  p.box = {1, 2, 128, 64};
  p.dims = {{0, 0, 0}, {2, 0, 64}, {1, 0, 0}, {2, 64, 0}};
  Result<TensorMapSpec> spec = tensorMapSpec(p, {1024, {6, 200, 128}, {200 * 128, 128, 1}, "f16"});
  ASSERT_TRUE(bool(spec)) << spec.error().str();
  EXPECT_EQ(spec->dims, (std::vector<uint64_t>{64, 200, 2, 6}));
  EXPECT_EQ(spec->strides, (std::vector<uint64_t>{256, 128, 51200}));
  EXPECT_EQ(spec->box, (std::vector<uint32_t>{64, 128, 2, 1}));
}

TEST(TensorMap, Errors) {
  auto error = [](std::vector<int64_t> box, std::vector<MapDim> dims = {}) {
    Param p;
    p.view = "K";
    p.swizzle = 128;
    p.box = box;
    p.dims = dims;
    Result<TensorMapSpec> spec = tensorMapSpec(p, {1024, {200, 96}, {96, 1}, "f16"});
    return spec ? "" : spec.error().message();
  };
  EXPECT_EQ(error({128, 128}), "tensor map of 'K': expected a box row that is a multiple of 16 "
                               "bytes and at most 128, got 256");
  EXPECT_EQ(error({512, 64}), "tensor map of 'K', box entry 0: expected 1 to 256, got 512");
  EXPECT_EQ(error({128}), "tensor map of 'K': expected 1 to 5 dims and as many box entries, got 2 and 1");
  EXPECT_EQ(error({1, 128, 64}, {{1, 0, 64}, {0, 0, 0}, {1, 64, 0}}),
            "view 'K', dimension 1: expected a size that is a multiple of 64, got 96");
  EXPECT_EQ(error({64, 64}, {{0, 0, 0}, {0, 0, 0}}),
            "tensor map of 'K': expected the last entry to have stride 1, got 96");
}

TEST(TensorMap, StoresEndAtSixteenBytes) {
  auto error = [](std::vector<int64_t> shape, std::vector<int64_t> strides) {
    Param p;
    p.view = "C";
    Status status = checkRowEnds(p, {1024, shape, strides, "f16"});
    return status ? "" : status.error().message();
  };
  EXPECT_EQ(error({200, 104}, {400, 1}), "");
  EXPECT_EQ(error({200, 100}, {104, 1}), "");
  EXPECT_EQ(error({3, 200, 100}, {20800, 104, 1}), "");
  EXPECT_EQ(error({0, 100}, {400, 1}), "");
  EXPECT_EQ(error({200, 100}, {400, 1}),
            "view 'C', dimension 1: expected a size that is a multiple of 16 bytes, or rows that end with it, since "
            "stores write 16 bytes at a time; got 200 of 800 bytes");
  EXPECT_NE(error({1, 100}, {400, 1}), "");
}

} // namespace
