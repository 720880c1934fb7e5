//===- EventsTest.cpp - graphs of events ------------------------------------===//
//
// Of every mapping of examples/tasks: each stage orders all conflicting accesses, and once copies are eliminated what
// is copied from and to global memory is what the kernel loads and stores. Random mappings: the same, or refused.
//
//===----------------------------------------------------------------------===//
#include "TaskTest.h"

#include "heddle/Conversion/TaskToTile/Events.h"
#include "heddle/Conversion/TaskToTile/TaskToTile.h"
#include "heddle/Pipelines/Compiler.h"
#include "heddle/Support/Files.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <filesystem>

using namespace heddle;

using test::root;

namespace {
class Events : public test::TaskTest {
protected:
  void read(const std::string &name, const std::string &mappingName) {
    program = mlir::parseSourceFile<mlir::ModuleOp>(name, &context);
    Result<std::string> text = readFile(mappingName);
    ASSERT_TRUE(program && text) << name;
    auto parsed = Mapping::read(*text, "m.map", machine, &context);
    ASSERT_TRUE(succeeded(parsed)) << mappingName;
    mapping = std::move(*parsed);
  }

  EventGraph at(EventStage stage) {
    auto graph = eventsOf(*program, mapping, machine, stage);
    EXPECT_TRUE(succeeded(graph));
    return succeeded(graph) ? std::move(*graph) : EventGraph();
  }

  mlir::OwningOpRef<mlir::ModuleOp> program;
  Mapping mapping;
};

/// The mappings of examples/tasks and those of the tests, each with its program.
std::vector<std::pair<std::string, std::string>> allMappings() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const char *folder : {"/examples/tasks", "/test/Conversion/TaskToTile/Inputs"})
    for (const auto &entry : std::filesystem::directory_iterator(root + folder)) {
      if (entry.path().extension() != ".map")
        continue;
      std::string stem = entry.path().stem().string(), program;
      while (true) {
        program = root + folder + "/" + stem + ".mlir";
        size_t cut = stem.rfind('_');
        if (std::filesystem::exists(program) || cut == std::string::npos)
          break;
        stem.resize(cut);
      }
      found.push_back({program, entry.path().string()});
    }
  std::sort(found.begin(), found.end());
  return found;
}

template <typename Fn> void each(const std::vector<EventOp> &ops, Fn fn) {
  for (const EventOp &op : ops) {
    fn(op);
    each(op.body, fn);
  }
}

/// Copies and leaves that read, and those that write, tensors of the entry.
std::pair<int, int> movedBetween(const EventGraph &graph) {
  int in = 0, out = 0;
  auto isGiven = [&](const EventPart &part) { return graph.tensors[part.tensor].isGiven; };
  each(graph.ops, [&](const EventOp &op) {
    if (op.kind == EventOp::Copy) {
      in += isGiven(op.from);
      out += isGiven(op.to);
    }
    for (const EventArgument &argument : op.arguments) {
      in += isGiven(argument.part) && argument.reads;
      out += isGiven(argument.part) && argument.access != EventAccess::Read;
    }
  });
  return {in, out};
}
} // namespace

TEST_F(Events, EveryStageOrdersAllConflicts) {
  for (auto [name, mapped] : allMappings()) {
    read(name, mapped);
    for (EventStage stage : {EventStage::Dependences, EventStage::Vectorised, EventStage::Copies, EventStage::Memory})
      EXPECT_EQ(at(stage).race(), "") << mapped << ", stage " << static_cast<int>(stage);
  }
}

TEST_F(Events, WhatIsMovedIsWhatTheKernelMoves) {
  for (auto [name, mapped] : allMappings()) {
    read(name, mapped);
    mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
    auto kernel = convertTasks(*program, mapping, machine);
    if (failed(kernel))
      continue; // mappings of tests need not be ones that a kernel can be made of
    int loads = 0, stores = 0;
    (*kernel)->walk([&](mlir::Operation *op) {
      loads += mlir::isa<tile::LoadOp>(op);
      stores += mlir::isa<tile::StoreOp>(op);
    });
    EXPECT_EQ(movedBetween(at(EventStage::Copies)), std::pair(loads, stores)) << mapped;
  }
}

// No wait of a product's graph is there in vain: without any one of them something is not ordered.
TEST_F(Events, AMissingWaitIsNoticed) {
  read(root + "/examples/tasks/gemm.mlir", root + "/examples/tasks/gemm_h100.map");
  EventGraph whole = at(EventStage::Copies);
  int waits = 0;
  each(whole.ops, [&](const EventOp &op) { waits += op.after.size(); });
  EXPECT_GE(waits, 4);
  EXPECT_EQ(whole.race(), "");
  for (int n = 0; n < waits; ++n) {
    EventGraph graph = whole;
    int seen = 0;
    std::function<void(std::vector<EventOp> &)> drop = [&](std::vector<EventOp> &ops) {
      for (EventOp &op : ops) {
        if (int here = n - seen; here >= 0 && here < static_cast<int>(op.after.size()))
          op.after.erase(op.after.begin() + here), seen += 1;
        seen += op.after.size();
        drop(op.body);
      }
    };
    drop(graph.ops);
    EXPECT_NE(graph.race(), "") << "wait " << n << " of\n" << whole.str();
  }
}
