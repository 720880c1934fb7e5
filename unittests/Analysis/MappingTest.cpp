//===- MappingTest.cpp - mapping files -------------------------------------===//
#include "heddle/Analysis/Mapping.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {

/// The first error of reading `text`, or "none"; `printed`: the mapping as text again.
std::string readMapping(const std::string &text, std::string *printed = nullptr, const char *machineName = "h100") {
  MLIRContext context;
  std::string error = "none";
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    if (error != "none")
      return success();
    error.clear();
    llvm::raw_string_ostream os(error);
    auto at = cast<FileLineColLoc>(diag.getLocation());
    os << at.getFilename().getValue() << ":" << at.getLine() << ":" << at.getColumn() << ": " << diag;
    return success();
  });
  Result<Machine> machine = Machine::find(machineName);
  EXPECT_TRUE(machine);
  FailureOr<Mapping> mapping = Mapping::read(text, "m.map", *machine, &context);
  EXPECT_EQ(succeeded(mapping), error == "none");
  if (succeeded(mapping) && printed)
    *printed = mapping->str();
  return error;
}

const std::string entry = "{a = {variant = \"v\", proc = \"HOST\", entry";

TEST(Mapping, PrintsWhatItReads) {
  const std::string text =
      "{\n"
      "  host = {variant = \"grid\", proc = \"HOST\", mems = [\"GLOBAL\"], tunables = {U = 128, V = 256}, calls = "
      "[\"block\"], raster = 8, order = [1, 0], persistent = false, entry},\n"
      "  block = {variant = \"tile\", proc = \"BLOCK\", calls = [\"leaf\", \"leaf\"], pipeline = 4, smem = 114688, "
      "warpspecialize, plan = {cluster = [2, 1], once = false, tile_source = \"counter\", tiles = 2}},\n"
      "  leaf = {variant = \"product\", proc = \"WARPGROUP\", mems = [\"REGISTER\", \"SHARED\"], stage = 1}\n"
      "}\n";
  std::string printed;
  EXPECT_EQ(readMapping("// a mapping\n" + text, &printed), "none");
  EXPECT_EQ(printed, text);
}

TEST(Mapping, Errors) {
  const std::pair<std::string, const char *> cases[] = {
      {"{a = {}", "m.map:1:8: mapping: expected '}' in attribute dictionary"},
      {"[]", "m.map:1:1: mapping: expected one dictionary attribute keyed by instance, got []"},
      {"{a = 3}", "m.map:1:2: mapping: expected a dictionary for instance 'a', got 3 : i64"},
      {"{a = {colour = 3}}",
       "m.map:1:7: mapping: expected one of variant, proc, mems, tunables, calls, entry, "
       "pipeline, warpspecialize, scale, smem, persistent, raster, order, stage, plan, got 'colour'"},
      {"{a = {proc = \"HOST\"}}", "m.map:1:2: mapping: expected the key 'variant' of 'a', got none"},
      {"{a = {variant = \"v\"}}", "m.map:1:2: mapping: expected the key 'proc' of 'a', got none"},
      {"{a = {variant = 1}}", "m.map:1:7: mapping: expected variant to be a name, got 1 : i64"},
      {"{a = {variant = \"v\", proc = \"CLUSTER\"}}",
       "m.map:1:22: mapping: expected a processor level of machine 'h100' (HOST, BLOCK, WARPGROUP, WARP, THREAD), got "
       "CLUSTER"},
      {entry + ", mems = [\"SHARED\"]}}",
       "m.map:1:44: mapping: expected a memory that level HOST of machine 'h100' sees (GLOBAL, NONE), got SHARED"},
      {entry + ", mems = [3]}}", "m.map:1:44: mapping: expected mems to be a list of names, got [3]"},
      {entry + ", tunables = [3]}}", "m.map:1:44: mapping: expected tunables to be a dictionary of numbers, got [3]"},
      {entry + ", tunables = {U = 0}}}",
       "m.map:1:44: mapping: expected U to be a number from 1 to 2147483647, got 0 : i64"},
      {entry + ", persistent = 1}}",
       "m.map:1:44: mapping: expected persistent to be true, false or without a value, got 1 : i64"},
      {entry + ", order = [0, 0]}}",
       "m.map:1:44: mapping: expected order to be a list of the numbers of a range's variables from 0, each once, got "
       "[0, 0]"},
      {entry + ", plan = 3}}", "m.map:1:44: mapping: expected plan to be a dictionary of decisions, got 3 : i64"},
      {entry + ", plan = {smem = 4096}}}",
       "m.map:1:44: mapping: expected decisions in plan that no key of an instance states, got 'smem'"},
      {entry + ", plan = {tiles = true}}}", "m.map:1:44: plan: expected tiles to be a number from 1 to 3, got true"},
      {entry + ", calls = [\"b\"]}}", "m.map:1:44: mapping: expected instances of this mapping in calls, got 'b'"},
      {"{a = {variant = \"v\", proc = \"HOST\"}}", "m.map:1:1: mapping: expected one instance with 'entry', got 0"},
  };
  for (auto &[text, message] : cases)
    EXPECT_EQ(readMapping(text), message) << text;
  EXPECT_EQ(readMapping(entry + "}}", nullptr, "toy"),
            "m.map:1:1: mapping: expected a machine that states its processors, got 'toy'");
}

TEST(Mapping, AValueIsNoKey) {
  // The variant is called as a key is: the key's place is still its own.
  EXPECT_EQ(readMapping("{a = {variant = \"pipeline\", proc = \"HOST\",\n  pipeline = 0, entry}}"),
            "m.map:2:3: mapping: expected pipeline to be a number from 1 to 1024, got 0 : i64");
}

} // namespace
