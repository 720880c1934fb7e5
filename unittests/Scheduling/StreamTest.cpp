//===- StreamTest.cpp - where a group's stream is cut -----------------------===//
#include "heddle/Scheduling/Stream/Stream.h"
#include "heddle/Scheduling/Problem/Reuse.h"

#include "gtest/gtest.h"
#include <algorithm>

using namespace heddle;

namespace {

/// An operand, a dot and its reader.
StreamProgram chain() {
  StreamProgram program;
  program.ii = 10;
  program.operations = {{0, false}, {5, true}, {13, false}};
  program.uses = {{0, 1}, {1, 2}};
  return program;
}

TEST(Stream, KeepsTheOrderOfTheCircle) {
  StreamProgram program = chain();
  Stream stream = cutStream(program, 0);
  EXPECT_EQ(stream.order, (std::vector<int>{0, 2, 1})); // at 0, 3 and 5 of the circle
  EXPECT_EQ(stream.stage, (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(stream.position, (std::vector<int64_t>{0, 2, 1}));
  EXPECT_EQ(stream.retired, (std::vector<int>{1})); // its reader runs an iteration of the loop later
  stream = cutStream(program, 5);
  EXPECT_EQ(stream.order, (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(stream.stage, (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(stream.crossings, 0);
}

TEST(Stream, CutsWhereNothingIsInFlight) {
  StreamProgram program = chain();
  Stream stream = cutStream(program);
  EXPECT_EQ(stream.cut, 5);
  EXPECT_TRUE(stream.retired.empty());
  EXPECT_EQ(stream.lead, 0);
  EXPECT_EQ(stream.stages(), 2);
}

TEST(Stream, WaitsForAResultOnceItsFirstReaderDoes) {
  StreamProgram program = chain();
  program.operations.push_back({24, false});
  program.uses.push_back({1, 3}); // a later reader needs no other wait
  EXPECT_EQ(cutStream(program, 5).crossings, 0);
}

TEST(Stream, CountsOperandsThatAreCarried) {
  StreamProgram program = chain();
  program.uses.front().kind = StreamUse::Holds;
  EXPECT_EQ(cutStream(program, 0).crossings, 1); // the result crosses
  program.operations.front().start = 4;
  EXPECT_EQ(cutStream(program, 0).crossings, 1);
  program.operations = {{-1, false}, {15, true}, {23, false}}; // the next operand is made before it is held
  EXPECT_EQ(cutStream(program, 0).crossings, 2);
}

TEST(Stream, CarriesOperandsThatAreMadeBehindTheWait) {
  StreamProgram program = chain();
  program.uses.front().kind = StreamUse::Holds;
  program.operations.back().start = 8; // the dot is waited for before its next operand is computed
  Stream stream = cutStream(program, 5);
  EXPECT_EQ(stream.order, (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(stream.crossings, 0);
  EXPECT_TRUE(stream.retired.empty());
  program.uses.pop_back(); // nobody waits for it but its next operand
  EXPECT_EQ(cutStream(program, 5).crossings, 1);
}

TEST(Stream, IsWaitedForByItsNextOperand) {
  // The product's result is first read in the next trip, as an accumulator that is rescaled right before it.
  StreamProgram program;
  program.ii = 20;
  program.operations = {{0, true}, {12, false}, {22, false}, {24, true}};
  program.uses = {{0, 1}, {1, 3, 0, StreamUse::Holds}, {2, 3, 0, StreamUse::Accumulates}, {3, 2, 1}};
  Stream stream = cutStream(program);
  EXPECT_EQ(stream.cut, 0);       // and not where its operand is made, which would carry what that is made of
  EXPECT_EQ(stream.crossings, 1); // its result alone
}

TEST(Stream, OfEqualCutsTakesTheFirstInTheProgram) {
  StreamProgram program;
  program.ii = 10;
  program.operations = {{4, false}, {7, false}};
  EXPECT_EQ(cutStream(program).cut, 4);
  program.operations = {{7, false}, {14, false}};
  EXPECT_EQ(cutStream(program).cut, 7);
  program.operations.clear();
  EXPECT_EQ(cutStream(program).stages(), 0);
}

TEST(Stream, PlacesAreOrderedAroundOperations) {
  StreamPlace run{0, 2};
  EXPECT_LT(run.at(StreamSlot::Get), run.at(StreamSlot::Wait));
  EXPECT_LT(run.at(StreamSlot::Wait), run);
  EXPECT_LT(run, run.at(StreamSlot::After));
  EXPECT_LT(run.at(StreamSlot::After), (StreamPlace{0, 3, StreamSlot::Get}));
  EXPECT_LT(run, run.later(1));
  EXPECT_FALSE(run.isBeforeInLoop(run.later(1)));
}

TEST(Stream, ExpandsIntoSections) {
  StreamExpansion expansion = expandStream({1, 0, 2});
  auto text = [](const std::vector<StreamStep> &section) {
    std::string out;
    for (auto [entry, iteration] : section)
      out += std::to_string(entry) + "@" + std::to_string(iteration) + " ";
    return out;
  };
  ASSERT_EQ(expansion.prologue.size(), 2u);
  EXPECT_EQ(text(expansion.prologue[0]), "1@0 ");
  EXPECT_EQ(text(expansion.prologue[1]), "0@0 1@1 ");
  EXPECT_EQ(text(expansion.steady), "0@-1 1@0 2@-2 ");
  ASSERT_EQ(expansion.epilogue.size(), 2u);
  EXPECT_EQ(text(expansion.epilogue[0]), "0@-1 2@-2 ");
  EXPECT_EQ(text(expansion.epilogue[1]), "2@-1 ");
}

/// Every iteration runs every entry once, those of one iteration in the order of stages, whatever the trip count.
TEST(Stream, ExpansionRunsEveryIterationOnce) {
  std::vector<int64_t> stages = {2, 0, 1, 3, 0};
  StreamExpansion expansion = expandStream(stages);
  for (int64_t trips = expansion.prologue.size(); trips < 8; ++trips) {
    std::vector<std::pair<int64_t, int>> ran;
    for (auto &section : expansion.prologue)
      for (auto [entry, iteration] : section)
        ran.push_back({iteration, entry});
    for (int64_t k = expansion.prologue.size(); k < trips; ++k)
      for (auto [entry, iteration] : expansion.steady)
        ran.push_back({k + iteration, entry});
    for (auto &section : expansion.epilogue)
      for (auto [entry, iteration] : section)
        ran.push_back({trips + iteration, entry});
    EXPECT_EQ(ran.size(), trips * stages.size());
    std::sort(ran.begin(), ran.end());
    EXPECT_EQ(std::unique(ran.begin(), ran.end()), ran.end());
    EXPECT_EQ(ran.front().first, 0);
    EXPECT_EQ(ran.back().first, trips - 1);
  }
}

/// A loop that computes the operand of one product from another product, like attention: its next iteration's first
/// product follows the second one at once.
struct TwoProducts {
  Problem problem;
  Schedule schedule;

  explicit TwoProducts(int64_t registers) {
    problem.addGroup({.name = "compute", .warps = 4, .regs = registers});
    int first = problem.addNode({.name = "first", .latency = 10, .async = true, .warps = 4, .regs = 64});
    int operand = problem.addNode({.name = "operand", .latency = 10, .warps = 4, .regs = 32});
    int second = problem.addNode({.name = "second", .latency = 10, .async = true, .warps = 4, .regs = 64});
    problem.addEdge({.from = first, .to = operand, .delay = 10});
    problem.addEdge({.from = operand, .to = second, .delay = 10, .hold = 10});
    problem.addEdge({.from = second, .to = second, .delay = 10, .distance = 1});
    schedule.ii = 30;
    schedule.start = {0, 10, 20};
    schedule.group = {0, 0, 0};
  }
};

TEST(Reuse, NamesWhatTakesTheRegistersOfAnOperand) {
  TwoProducts tight(144); // two results fit, and one with the operand, but not all three
  std::vector<Reuse> found = reusedOperands(tight.problem, tight.schedule);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].reader, 2);
  EXPECT_EQ(found[0].next, 0);
  EXPECT_EQ(found[0].distance, 1);
}

TEST(Reuse, NamesNothingWhereAllFit) {
  TwoProducts roomy(160);
  EXPECT_TRUE(reusedOperands(roomy.problem, roomy.schedule).empty());
}

/// What reads the second product waits for it before the first one begins again.
TEST(Reuse, NamesNothingThatIsWaitedForAnyway) {
  TwoProducts read(144);
  int reader = read.problem.addNode({.name = "reader", .latency = 1, .warps = 4, .regs = 0});
  read.problem.addEdge({.from = 2, .to = reader, .delay = 10});
  read.schedule.ii = 31;
  read.schedule.start.push_back(30);
  read.schedule.group.push_back(0);
  EXPECT_TRUE(reusedOperands(read.problem, read.schedule).empty());
}

} // namespace
