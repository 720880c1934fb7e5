//===- MachineTest.cpp - Machine files and cost formulas ------------------===//
#include "heddle/Machine/Machine.h"

#include <gtest/gtest.h>

using namespace heddle;

#ifndef HEDDLE_SOURCE_DIR
#define HEDDLE_SOURCE_DIR "."
#endif

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
    Result<Machine> machine = Machine::load(std::string(HEDDLE_SOURCE_DIR) + "/machines/" + name + ".json");
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

TEST(Machine, HopperDotMatchesTheGuide) {
  Result<Machine> machine = Machine::load(HEDDLE_SOURCE_DIR "/machines/h100.json");
  ASSERT_TRUE(machine);
  auto hold = [&](int64_t n, int64_t aReg) {
    return machine->cost("wgmma", {{"m", 64}, {"n", n}, {"k", 16}, {"bytes", 2}, {"a_reg", aReg}})->hold;
  };
  // hopper_guide.md A7, measured to within about one cycle: 18.9, 24.7, 32.8, 48.7, 65.0, 129.3.
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

std::string parseError(const std::string &text) {
  Result<Machine> machine = Machine::parse(text, "m.json");
  return machine ? "none" : machine.error().str();
}

TEST(Machine, Errors) {
  EXPECT_EQ(parseError("[]"), "m.json:1:1: error: expected a JSON object, got array");
  EXPECT_NE(parseError("{\n  \"name\": }").find("m.json:2:11: error: malformed machine file"), std::string::npos) << parseError("{\n  \"name\": }");
  EXPECT_NE(parseError("{\"nam\": 1}").find("unknown key 'nam' in the machine file"), std::string::npos);
  EXPECT_NE(parseError("{\"name\": \"x\"}").find("expected the key 'clock_mhz'"), std::string::npos);
  std::string head = "{\"name\":\"x\",\"clock_mhz\":1,";
  EXPECT_NE(parseError(head + "\"units\":[{\"name\":\"U\",\"capacity\":0,\"source\":\"s\"}],\"ops\":{}}")
                .find("expected 'capacity' in 'U' between 1 and"), std::string::npos);
  EXPECT_NE(parseError(head + "\"units\":[{\"name\":\"U\",\"capacity\":1}],\"ops\":{}}").find("expected the key 'source' in 'U'"),
            std::string::npos);
  EXPECT_NE(parseError(head + "\"units\":[{\"name\":\"U\",\"capacity\":1,\"source\":\"s\"},{\"name\":\"U\",\"capacity\":1,"
                              "\"source\":\"s\"}],\"ops\":{}}").find("duplicate name 'U'"), std::string::npos);
  EXPECT_NE(parseError(head + "\"ops\":{\"a\":{\"unit\":\"V\",\"issue\":\"1\",\"hold\":\"1\",\"latency\":\"1\",\"source\":\"s\"}}}")
                .find("unknown unit 'V' in op 'a'"), std::string::npos);
  EXPECT_NE(parseError(head + "\"ops\":{\"a\":{\"issue\":\"1 +\",\"hold\":\"1\",\"latency\":\"1\",\"source\":\"s\"}}}")
                .find("in formula '1 +'"), std::string::npos);
  EXPECT_NE(parseError(head + "\"ops\":{\"a\":{\"issue\":\"1\",\"hold\":\"1\",\"latency\":\"1\",\"source\":\"\"}}}")
                .find("expected a non-empty source"), std::string::npos);
  auto withError = [&](const std::string &error) {
    return parseError(head + "\"ops\":{\"a\":{\"issue\":\"1\",\"hold\":\"1\",\"latency\":\"1\",\"error\":" + error + ",\"source\":\"s\"}}}");
  };
  EXPECT_EQ(withError("{\"hold\":5,\"latency\":20}"), "none");
  EXPECT_NE(withError("5").find("expected an object for 'error' in op 'a', got 5"), std::string::npos);
  EXPECT_NE(withError("{\"rate\":5}").find("unknown key 'rate' in 'error' of op 'a'"), std::string::npos);
  EXPECT_NE(withError("{\"hold\":-1}").find("expected 'hold' in 'error' of op 'a' between 0 and 1000, got -1"), std::string::npos);
  EXPECT_NE(parseError(head + "\"ops\":3}").find("expected an object for 'ops', got number"), std::string::npos);
}

TEST(Machine, CostErrors) {
  Result<Machine> machine = Machine::parse(
      "{\"name\":\"x\",\"clock_mhz\":1,\"ops\":{\"a\":{\"issue\":0,\"hold\":\"n - 5\",\"latency\":\"1\",\"source\":\"s\"}}}", "m.json");
  ASSERT_TRUE(machine) << machine.error().str();
  EXPECT_EQ(machine->cost("b", {}).error().message(), "machine 'x' states no cost for the op class 'b'");
  EXPECT_EQ(machine->cost("a", {}).error().message(), "cost of 'a': in formula 'n - 5': expected the parameter 'n', got none");
  EXPECT_EQ(machine->cost("a", {{"n", 1}}).error().message(), "cost of 'a': expected a non-negative hold, got -4");
}

} // namespace
