//===- MachineTest.cpp - Machine files and cost formulas ------------------===//
#include "heddle/Machine/Machine.h"
#include "heddle/Support/Resources.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace heddle;

namespace {

int64_t value(const std::string &formula, const CostParams &params = {}) {
  Result<int64_t> result = evaluateFormula(formula, params);
  EXPECT_TRUE(result) << formula;
  return result ? *result : -1;
}

std::string formulaError(const std::string &formula) {
  Result<int64_t> result = evaluateFormula(formula, {{"n", 4}});
  return result ? "none" : result.error().message();
}

TEST(Formula, Values) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3 - -4"), 13);
  EXPECT_EQ(value("7 / 2"), 3);
  EXPECT_EQ(value("-7 / 2"), -4);
  EXPECT_EQ(value("ceildiv(7, 2)"), 4);
  EXPECT_EQ(value("ceildiv(-7, 2)"), -3);
  EXPECT_EQ(value("max(1, n, 3) + min(2, n)", {{"n", 9}}), 11);
}

TEST(Formula, Errors) {
  EXPECT_EQ(formulaError("1 +"), "in formula '1 +': expected a number or a name, got 'end of formula'");
  EXPECT_EQ(formulaError("(1"), "in formula '(1': expected ')', got 'end of formula'");
  EXPECT_EQ(formulaError("1 2"), "in formula '1 2': expected an operator, got '2'");
  EXPECT_EQ(formulaError("m"), "in formula 'm': expected the parameter 'm', got none");
  EXPECT_EQ(formulaError("n / 0"), "in formula 'n / 0': division by zero");
  EXPECT_EQ(formulaError("foo(1)"), "in formula 'foo(1)': unknown function 'foo'");
  EXPECT_EQ(formulaError("ceildiv(1)"), "in formula 'ceildiv(1)': expected 2 arguments of ceildiv, got 1");
  EXPECT_NE(formulaError("9223372036854775807 + 1").find("integer overflow"), std::string::npos);
  EXPECT_NE(formulaError(std::string(500, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(formulaError(std::string(500, '-')).find("nested too deeply"), std::string::npos);
}

TEST(Machine, ShippedFilesLoad) {
  for (const char *name : {"unit", "toy", "h100", "h200", "b200"}) {
    Result<Machine> machine = Machine::find(name);
    ASSERT_TRUE(machine) << machine.error().str();
    EXPECT_EQ(machine->name(), name);
    CostParams params{{"m", 64}, {"n", 256}, {"k", 64}, {"bytes", 2}, {"a_reg", 0}, {"elems", 8192}, {"axis", 1}};
    for (const std::string &op : machine->opClasses()) {
      Result<OpCost> cost = machine->cost(op, params);
      ASSERT_TRUE(cost) << cost.error().str();
      EXPECT_GE(cost->latency, cost->hold);
      EXPECT_FALSE(cost->source.empty());
    }
  }
}

TEST(Machine, StatesWhatDiffersFromItsBase) {
  Result<std::string> folder = findResource("machines");
  ASSERT_TRUE(folder);
  auto based = [&](const std::string &base, const std::string &rest) {
    return Machine::parse("{\"name\": \"x\", \"base\": \"" + base + "\"" + rest + "}", *folder + "/x.json");
  };
  Result<Machine> h100 = Machine::find("h100");
  Result<Machine> same = based("h100", ""), other = based("h100.json", R"(,
    "clock_mhz": 1000, "memories": [{"name": "smem", "capacity": 4096, "source": "test"}],
    "warps": {"max_groups": 4, "source": "test"},
    "properties": {"sms": {"value": 8, "source": "test"}},
    "ops": {"alu": {"unit": "ALU", "issue": 1, "hold": 2, "latency": 3, "source": "test"}})");
  ASSERT_TRUE(h100 && same && other) << other.error().str();
  CostParams params{{"elems", 8192}};
  EXPECT_EQ(same->clockMHz(), h100->clockMHz());
  EXPECT_EQ(same->cost("alu", params)->hold, h100->cost("alu", params)->hold);
  EXPECT_EQ(same->processors().size(), h100->processors().size());
  EXPECT_EQ(other->name(), "x");
  EXPECT_EQ(other->clockMHz(), 1000);
  EXPECT_EQ(other->memoryCapacity("smem"), 4096);
  EXPECT_EQ(other->memories().size(), h100->memories().size());
  EXPECT_EQ(other->warps().maxGroups, 4);
  EXPECT_EQ(other->warps().maxWarps, h100->warps().maxWarps);
  EXPECT_EQ(other->property("sms", 0), 8);
  EXPECT_EQ(other->property("l2_bytes", 0), h100->property("l2_bytes", 0));
  EXPECT_EQ(other->cost("alu", params)->latency, 3);
  EXPECT_EQ(other->cost("sfu", params)->latency, h100->cost("sfu", params)->latency);

  EXPECT_TRUE(Machine::parse(R"({"name": "y", "base": "h100"})", "/nowhere/y.json"));
  EXPECT_NE(based("nowhere", "").error().str().find("x.json:1:15: error: 'base' of the machine file: "),
            std::string::npos);
  EXPECT_NE(based("h100", R"(, "memories": [{"name": "smem", "capacity": 512, "source": "test"}])")
                .error()
                .str()
                .find("expected at most the 512 bytes of the memory 'smem' for 'smem_reserved_bytes', got 1024"),
            std::string::npos);
  std::string self = testing::TempDir() + "/self.json";
  std::ofstream(self) << R"({"name": "self", "base": "self"})";
  EXPECT_NE(Machine::load(self).error().str().find(
                "expected machine files whose bases end, got more than 4, each with another one"),
            std::string::npos);
}

TEST(Machine, FoundByNameOrPath) {
  EXPECT_TRUE(Machine::find(*findResource("machines/h100.json")));
  Result<Machine> unknown = Machine::find("h1000"), missing = Machine::find("./h100");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message(), "expected a machine file or one of b200, h100, h200, toy, unit, got 'h1000'");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(), "cannot open './h100': No such file or directory");
}

TEST(Machine, HopperDotMatchesTheGuide) {
  Result<Machine> machine = Machine::find("h100");
  ASSERT_TRUE(machine);
  auto hold = [&](int64_t n, int64_t aReg) {
    return machine->cost("wgmma", {{"m", 64}, {"n", n}, {"k", 16}, {"bytes", 2}, {"a_reg", aReg}})->hold;
  };
  // Measured (machines/samples): 18, 24, 32, 48, 64, 128.
  EXPECT_EQ(hold(8, 0), 18);
  EXPECT_EQ(hold(32, 0), 24);
  EXPECT_EQ(hold(64, 0), 32);
  EXPECT_EQ(hold(96, 0), 48);
  EXPECT_EQ(hold(128, 0), 64);
  EXPECT_EQ(hold(256, 0), 128);
  EXPECT_EQ(hold(32, 1), 16);
  EXPECT_EQ(machine->memoryCapacity("smem"), 232448);
  EXPECT_EQ(machine->memoryCapacity("tmem"), 0);
}

TEST(Machine, CopiesAmongOthersHaveAShareOfL2) {
  Result<Machine> h100 = Machine::find("h100"), toy = Machine::find("toy");
  ASSERT_TRUE(h100);
  ASSERT_TRUE(toy);
  CostParams bytes{{"bytes", 16384}};
  OpCost load = *h100->cost("tma_load", bytes), shared = *h100->costAmongOthers("tma_load", bytes);
  EXPECT_EQ(shared.hold, 16384 * 1000 / (526 * 128));
  EXPECT_EQ(shared.latency, load.latency + h100->property("load_among_others_cycles", 0));
  OpCost add = *h100->cost("tma_reduce", bytes), adds = *h100->costAmongOthers("tma_reduce", bytes);
  EXPECT_EQ(adds.hold, 16384 * 1000 / 13050); // 1257 measured
  EXPECT_EQ(adds.latency - adds.hold, add.latency - add.hold);
  EXPECT_EQ(toy->costAmongOthers("tma_load", bytes)->hold, toy->cost("tma_load", bytes)->hold) << "states no rates";
}

std::string parseError(const std::string &text) {
  Result<Machine> machine = Machine::parse(text, "m.json");
  return machine ? "none" : machine.error().str();
}

TEST(Machine, ProcessorsSeeMemories) {
  Result<Machine> machine = Machine::find("h100");
  ASSERT_TRUE(machine) << machine.error().str();
  std::string levels;
  for (const MachineProcessor &level : machine->processors())
    levels += level.name + " ";
  EXPECT_EQ(levels, "HOST BLOCK WARPGROUP WARP THREAD ");
  EXPECT_FALSE(machine->processor("HOST")->canSee("SHARED"));
  EXPECT_TRUE(machine->processor("BLOCK")->canSee("SHARED"));
  EXPECT_FALSE(machine->processor("BLOCK")->canSee("REGISTER"));
  EXPECT_EQ(machine->processor("WARP")->count, 4);
  EXPECT_EQ(machine->processor("CLUSTER"), nullptr);
}

TEST(Machine, Errors) {
  EXPECT_EQ(parseError("[]"), "m.json:1:1: error: expected a JSON object, got array");
  EXPECT_NE(parseError("{\n  \"name\": }").find("m.json:2:11: error: malformed machine file"), std::string::npos)
      << parseError("{\n  \"name\": }");
  EXPECT_NE(parseError("{\"nam\": 1}").find("unknown key 'nam' in the machine file"), std::string::npos);
  EXPECT_NE(parseError("{\"name\": \"x\"}").find("expected the key 'clock_mhz'"), std::string::npos);
  std::string head = "{\"name\":\"x\",\"clock_mhz\":1,", warps = "\"warps\":{\"source\":\"s\"},";
  EXPECT_NE(parseError(head + "\"units\":[{\"name\":\"U\",\"capacity\":0,\"source\":\"s\"}],\"ops\":{}}")
                .find("expected 'capacity' in 'U' between 1 and"),
            std::string::npos);
  EXPECT_NE(parseError(head + "\"units\":[{\"name\":\"U\",\"capacity\":1}],\"ops\":{}}")
                .find("expected the key 'source' in 'U'"),
            std::string::npos);
  EXPECT_NE(parseError(head +
                       "\"units\":[{\"name\":\"U\",\"capacity\":1,\"source\":\"s\"},{\"name\":\"U\",\"capacity\":1,"
                       "\"source\":\"s\"}],\"ops\":{}}")
                .find("duplicate name 'U'"),
            std::string::npos);
  EXPECT_NE(parseError(
                head +
                "\"ops\":{\"alu\":{\"unit\":\"V\",\"issue\":\"1\",\"hold\":\"1\",\"latency\":\"1\",\"source\":\"s\"}}}")
                .find("unknown unit 'V' in op 'alu'"),
            std::string::npos);
  EXPECT_NE(
      parseError(head + "\n\"ops\":{\"alu\":{\"issue\":\"1\",\n\"hold\":\"1 +\",\"latency\":\"1\",\"source\":\"s\"}}}")
          .find("m.json:3:1: error: in formula '1 +'"),
      std::string::npos);
  EXPECT_NE(parseError(head + "\"ops\":{\"alu\":{\"issue\":\"1\",\"hold\":\"1\",\"latency\":\"1\",\"source\":\"\"}}}")
                .find("expected a non-empty string for 'source'"),
            std::string::npos);
  auto withError = [&](const std::string &error) {
    return parseError(head + warps + "\"ops\":{\"alu\":{\"issue\":\"1\",\"hold\":\"1\",\"latency\":\"1\",\"error\":" +
                      error + ",\"source\":\"s\"}}}");
  };
  EXPECT_EQ(withError("{\"hold\":5,\"latency\":20}"), "none");
  EXPECT_NE(withError("5").find("expected an object for 'error' in op 'alu', got 5"), std::string::npos);
  EXPECT_NE(withError("{\"rate\":5}").find("unknown key 'rate' in 'error' of op 'alu'"), std::string::npos);
  EXPECT_NE(withError("{\"hold\":-1}").find("expected 'hold' in 'error' of op 'alu' between 0 and 1000, got -1"),
            std::string::npos);
  auto withBeside = [&](const std::string &beside) {
    return parseError(head + warps + "\"units\":[{\"name\":\"U\",\"capacity\":1,\"source\":\"s\"}],\"ops\":{\"alu\":{" +
                      "\"issue\":\"1\",\"hold\":\"1\",\"latency\":\"1\",\"source\":\"s\",\"beside\":" + beside + "}}}");
  };
  EXPECT_EQ(withBeside("[{\"unit\":\"U\",\"hold\":150,\"delay\":20}]"), "none");
  EXPECT_NE(withBeside("5").find("expected an array for 'beside' in op 'alu', got 5"), std::string::npos);
  EXPECT_NE(withBeside("[5]").find("expected an object in 'beside' of op 'alu', got 5"), std::string::npos);
  EXPECT_NE(withBeside("[{}]").find("expected the key 'unit' in 'beside' of op 'alu'"), std::string::npos);
  EXPECT_NE(withBeside("[{\"unit\":\"V\"}]").find("unknown unit 'V' in 'beside' of op 'alu'"), std::string::npos);
  EXPECT_NE(withBeside("[{\"unit\":\"U\",\"hold\":99}]")
                .find("expected 'hold' in 'beside' of op 'alu' between 100 and 10000, got 99"),
            std::string::npos);
  auto withPipe = [&](const std::string &unit, const std::string &pipe) {
    return parseError(head + warps + "\"units\":[{\"name\":\"U\",\"capacity\":1,\"source\":\"s\"}],\"ops\":{\"alu\":{" +
                      unit + "\"issue\":\"1\",\"hold\":\"1\",\"latency\":\"1\",\"source\":\"s\",\"pipe\":" + pipe +
                      "}}}");
  };
  EXPECT_EQ(withPipe("\"unit\":\"U\",", "\"P\""), "none");
  EXPECT_NE(withPipe("", "\"P\"").find("expected a unit beside the pipe 'P' in op 'alu'"), std::string::npos);
  EXPECT_NE(withPipe("\"unit\":\"U\",", "\"U\"").find("expected a pipe of unit 'U' in op 'alu', got the unit 'U'"),
            std::string::npos);
  EXPECT_NE(withPipe("\"unit\":\"U\",", "3").find("'pipe'"), std::string::npos);
  EXPECT_NE(parseError(head + "\"ops\":3}").find("expected an object for 'ops', got number"), std::string::npos);
}

TEST(Machine, EveryKeyHasItsPlaceAndItsKind) {
  const std::string head = "{\"name\": \"x\", \"clock_mhz\": 1,\n";
  const std::string op = "{\"issue\": \"1\", \"hold\": \"1\", \"latency\": \"1\", \"source\": \"s\"";
  const std::pair<std::string, const char *> cases[] = {
      {"", "m.json:1:1: error: malformed machine file: "},
      {"3", "m.json:1:1: error: expected a JSON object, got number"},
      {"{\"clock_mhz\": 1}", "m.json:1:1: error: expected the key 'name' in the machine file, got none"},
      {"{\"name\": 3, \"clock_mhz\": 1}", "m.json:1:2: error: expected a string for 'name' in the machine file, got 3"},
      {"{\"name\": \"x\", \"clock_mhz\": 1.5}",
       "m.json:1:15: error: expected an integer for 'clock_mhz' in the machine file, got 1.5"},
      {"{\"name\": \"x\", \"clock_mhz\": 0}",
       "m.json:1:15: error: expected 'clock_mhz' in the machine file between 1 and 100000, got 0"},
      {head + "\"units\": {}}", "m.json:2:1: error: expected an array for 'units'"},
      {head + "\"memories\": [3]}", "m.json:2:14: error: expected an object in 'memories'"},
      {head + "\"units\": [{\"name\": \"U\", \"capacity\": 1, \"source\": \"s\", \"size\": 1}]}",
       "m.json:2:55: error: unknown key 'size' in units"},
      {head + "\"memories\": [{\"name\": \"M\", \"capacity\": \"big\", \"source\": \"s\"}]}",
       "m.json:2:28: error: expected an integer for 'capacity' in 'M', got \"big\""},
      {head + "\"warps\": 4}", "m.json:2:1: error: expected an object for 'warps'"},
      {head + "\"warps\": {\"max_warps\": 0}}",
       "m.json:2:11: error: expected 'max_warps' in warps between 1 and 1024, got 0"},
      {head + "\"warps\": {\"colour\": 0}}", "m.json:2:11: error: unknown key 'colour' in warps"},
      {head + "\"warps\": {\"min_regs_per_thread\": 300}}",
       "m.json:2:1: error: expected a multiple of 'reg_granule' (8) from 'min_regs_per_thread' (300) to "
       "'max_regs_per_thread' (255) in warps, got none"},
      {head + "\"properties\": 4}", "m.json:2:1: error: expected an object for 'properties'"},
      {head + "\"properties\": {\"sms\": 4}}", "m.json:2:16: error: expected an object for the property 'sms'"},
      {head + "\"properties\": {\"sms\": {\"source\": \"s\"}}}", "error: expected the key 'value' in 'sms', got none"},
      {head + "\"properties\": {\"sms\": {\"value\": 1}}}", "error: expected the key 'source' in 'sms', got none"},
      {"{\"name\": \"x\", \"clock_mhz\": 1}", "m.json:1:1: error: expected an object for 'ops', got none"},
      {head + "\"processors\": 3}", "m.json:2:1: error: expected an array for 'processors'"},
      {head + "\"processors\": [3]}", "m.json:2:16: error: expected an object in 'processors'"},
      {head + "\"processors\": [{\"name\": \"P\", \"source\": \"s\"}]}",
       "m.json:2:16: error: expected a list of memories for 'sees' of processor 'P'"},
      {head + "\"processors\": [{\"name\": \"P\", \"source\": \"s\", \"sees\": [\"SHARED\"]}]}",
       "m.json:2:54: error: expected GLOBAL, REGISTER, SHARED (with the memory 'smem') or TENSOR (with 'tmem') for "
       "'sees' of processor 'P', got \"SHARED\""},
      {head + "\"processors\": [{\"name\": \"P\", \"source\": \"s\", \"sees\": []}, {\"name\": \"P\", \"source\": "
              "\"s\", \"sees\": []}]}",
       "m.json:2:58: error: duplicate processor 'P'"},
      {head + "\"ops\": {\"a\": 3}}", "m.json:2:9: error: expected an object for op 'a'"},
      {head + "\"ops\": {\"a\": " + op + ", \"speed\": 1}}}", "error: unknown key 'speed' in op 'a'"},
      {head + "\"ops\": {\"a\": " + op + ", \"async\": 1}}}",
       "m.json:2:9: error: expected true or false for 'async' in op 'a', got 1"},
      {head + "\"ops\": {\"a\": {\"issue\": 1, \"hold\": 1, \"source\": \"s\"}}}",
       "error: expected the key 'latency' in op 'a', got none"},
      {head + "\"ops\": {\"a\": {\"issue\": 1.5, \"hold\": 1, \"latency\": 1, \"source\": \"s\"}}}",
       "error: expected a string for 'issue' in op 'a', got 1.5"},
      {head + "\"ops\": {\"a\": {\"issue\": \"\", \"hold\": 1, \"latency\": 1, \"source\": \"s\"}}}",
       "m.json:2:15: error: expected a non-empty string for 'issue' in op 'a'"},
      {head + "\"ops\": {\"a\": {\"issue\": 1, \"hold\": 1, \"latency\": 1, \"source\": \"\"}}}",
       "m.json:2:52: error: expected a non-empty string for 'source' in op 'a'"},
      {head + "\"units\": [{\"name\": \"U\", \"capacity\": 1, \"source\": \"s\"},\n"
              "{\"name\": \"V\", \"capacity\": 0, \"source\": \"s\"}]}",
       "m.json:3:15: error: expected 'capacity' in 'V' between 1 and"},
      {head + "\"units\": [{\"name\": \"U\", \"capacity\": 1, \"source\": \"s\"},\n"
              "{\"name\": \"U\", \"capacity\": 1, \"source\": \"s\"}]}",
       "m.json:3:1: error: duplicate name 'U' in 'units'"},
      {head + "\"units\": [], \"units\": []}",
       "m.json:2:14: error: expected the key 'units' once in its object, got it twice"},
      {head + "\"properties\": {\"seems\": {\"value\": 1, \"source\": \"s\"}}}",
       "m.json:2:16: error: unknown property 'seems'"},
      {head + "\"properties\": {\"sms\": {\"value\": 0, \"source\": \"s\"}}}",
       "m.json:2:24: error: expected 'value' in 'sms' between 1 and"},
      {head + "\"warps\": {\"register_file\": 1}}",
       "m.json:2:11: error: expected 'register_file' in warps of at least 6144, for two groups of four warps with the "
       "fewest registers, got 1"},
  };
  for (auto &[text, message] : cases)
    EXPECT_NE(parseError(text).find(message), std::string::npos) << text << "\n  got: " << parseError(text);
}

TEST(Machine, CostErrors) {
  Result<Machine> machine =
      Machine::parse("{\"name\":\"x\",\"clock_mhz\":1,\"ops\":{\"alu\":{\"issue\":0,\"hold\":\"n - "
                     "5\",\"latency\":\"1\",\"source\":\"s\"}},\"warps\":{\"source\":\"s\"}}",
                     "m.json");
  ASSERT_TRUE(machine) << machine.error().str();
  EXPECT_EQ(machine->cost("cvt", {}).error().message(), "machine 'x' states no cost for the op class 'cvt'");
  EXPECT_EQ(machine->cost("alu", {}).error().message(),
            "cost of 'alu': in formula 'n - 5': expected the parameter 'n', got none");
  EXPECT_EQ(machine->cost("alu", {{"n", 1}}).error().message(), "cost of 'alu': expected a non-negative hold, got -4");
  EXPECT_EQ(machine->cost("alu", {}).error().loc().str(), "m.json:1:51") << "the key of the formula";
}

TEST(Machine, WhatNothingReads) {
  const std::string head = "{\"name\":\"x\",\"clock_mhz\":1,",
                    cost = "{\"issue\":0,\"hold\":1,\"latency\":1,\"source\":\"s\"}";
  const std::string warps = "\"warps\":{\"source\":\"s\"},";
  const std::string smem = "\"memories\":[{\"name\":\"smem\",\"capacity\":1000,\"source\":\"s\"}],";
  auto property = [&](const std::string &key, int64_t value) {
    return head + warps + smem + "\n\"properties\":{\"" + key + "\":{\"value\":" + std::to_string(value) +
           ",\"source\":\"s\"}},\"ops\":{}}";
  };
  EXPECT_EQ(parseError(head + "\"ops\":{}}"),
            "m.json:1:1: error: expected the key 'warps' in the machine file, got none");
  EXPECT_EQ(parseError(head + "\n\"warps\":{},\"ops\":{}}"),
            "m.json:2:1: error: expected the key 'source' in warps, got none");
  EXPECT_EQ(parseError(head + warps + "\n\"ops\":{\"myop\":" + cost + "}}"), "none"); // of a tile.call
  EXPECT_EQ(parseError(property("tma_alignment", 100)),
            "m.json:2:15: error: expected a power of two for 'tma_alignment', got 100");
  EXPECT_EQ(parseError(property("tma_alignment", 16)), "none");
  EXPECT_EQ(
      parseError(property("smem_reserved_bytes", 1001)),
      "m.json:2:15: error: expected at most the 1000 bytes of the memory 'smem' for 'smem_reserved_bytes', got 1001");
  EXPECT_EQ(parseError(property("smem_reserved_bytes", 1000)), "none");
}

} // namespace
