//===- AddressesTest.cpp - views beside pointers, random arguments ----------===//
//
// Runs the kernels of test/Triton as Triton means them, with random arguments, and compares each address and mask with
// the view that the conversion gave the access; then the same with one coordinate or size of the view changed.
//
//===----------------------------------------------------------------------===//
#include "heddle/Simulator/Functional/TileInterpreter.h"
#include "heddle/Simulator/Triton/CheckAccesses.h"
#include "heddle/Simulator/Triton/CheckSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace heddle;

namespace {

struct Kernel {
  const char *file;
  std::vector<std::array<int64_t, 3>> scalars; ///< in the order of the arguments: least, most, step
  std::vector<int64_t> tiles = {};             ///< each scalar's part of the grid; empty: any grid
};

const Kernel kernels[] = {
    {"product", {{1, 200, 1}, {1, 100, 1}, {1, 80, 1}, {80, 120, 8}, {104, 160, 8}, {100, 140, 4}}, {64, 32}},
    {"statistics", {{600, 800, 8}, {1, 600, 1}, {1, 1, 1}}},
    {"gather", {{1, 90, 1}, {1, 64, 1}, {64, 96, 8}}},
    {"scatter", {{1, 96, 1}, {1, 64, 1}, {64, 96, 8}}},
    {"blocks", {{1, 90, 1}, {1, 70, 1}, {1, 80, 1}, {80, 96, 8}, {72, 96, 8}, {72, 96, 8}}},
    {"split", {{1, 90, 1}, {1, 70, 1}, {16, 96, 16}, {96, 112, 16}, {80, 96, 16}, {80, 96, 16}}, {64, 64}},
    {"losses", {{1024, 1100, 8}, {1, 1000, 1}}},
    {"groups", {{1, 70, 1}, {1, 40, 1}, {40, 48, 8}, {2800, 3600, 8}, {40, 48, 8}, {72, 80, 8}}},
    {"window", {{1, 3, 1}, {1, 32, 1}, {1, 9, 1}, {1, 9, 1}, {1, 48, 1}}},
    {"columns", {{1, 70, 1}}},
    {"nibbles_along_rows", {{1, 90, 1}, {2, 96, 2}, {1, 100, 1}, {8, 64, 8}}},
    {"nibbles_unpacked", {{1, 90, 1}, {2, 64, 2}}},
    {"descending", {{1, 700, 1}}},
    {"descending_store", {{1, 700, 1}}},
    {"codebook", {{1, 90, 1}}},
    {"triangle", {{1, 32, 1}}},
    {"ragged", {{4096, 8192, 8}, {64, 80, 8}, {4096, 4096, 8}, {64, 64, 8}}},
};

struct Loaded {
  explicit Loaded(const Kernel &kernel) {
    DialectRegistry registry;
    triton::registerTritonDialects(registry);
    registry.insert<tile::TileDialect>();
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; });
    std::string path = std::string(HEDDLE_SOURCE_DIR) + "/test/Triton/" + kernel.file + ".mlir";
    module = parseSourceFile<ModuleOp>(path, &context);
    if (!module)
      return;
    ok = succeeded(triton::analyse(*module->getOps<triton::FuncOp>().begin(), conversion)) &&
         succeeded(triton::convert(conversion));
  }
  /// The errors of a run with arguments drawn by `random`.
  std::string run(const Kernel &kernel, std::mt19937 &random) {
    sim::TritonRun run;
    run.function = conversion.source;
    run.addressesOnly = true;
    run.seed = random();
    for (BlockArgument argument : run.function.getBody().getArguments())
      if (argument.getType().isIntOrFloat()) {
        auto [least, most, step] = kernel.scalars[run.scalars.size()];
        int64_t steps = static_cast<int64_t>(random() % static_cast<uint64_t>((most - least) / step + 1));
        run.scalars[argument.getArgNumber()] = static_cast<double>(least + step * steps);
      }
    int64_t programs = kernel.tiles.empty() ? static_cast<int64_t>(1 + random() % 6) : 1;
    auto scalar = run.scalars.begin();
    for (int64_t tile : kernel.tiles)
      programs *= (static_cast<int64_t>((scalar++)->second) + tile - 1) / tile;
    run.grid = {programs, 1, 1};
    sim::AccessCheck check(conversion, run);
    check.watch();
    errors.clear();
    bool fine = succeeded(sim::runTriton(run));
    EXPECT_TRUE(fine || !errors.empty());
    FailureOr<std::string> different = fine ? sim::compareWithWritten(conversion, run) : std::string();
    EXPECT_EQ(failed(different) ? errors : *different, "") << kernel.file;
    return errors;
  }
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string errors;
  OwningOpRef<ModuleOp> module;
  triton::Conversion conversion;
  bool ok = false;
};

TEST(TritonAddresses, ViewsEqualPointers) {
  for (const Kernel &kernel : kernels) {
    Loaded loaded(kernel);
    ASSERT_TRUE(loaded.ok) << kernel.file << ": " << loaded.errors;
    std::mt19937 random(1);
    for (int draw = 0; draw < 20; ++draw)
      EXPECT_EQ(loaded.run(kernel, random), "") << kernel.file << ", draw " << draw;
  }
}

TEST(TritonAddresses, ChangedViewsAreNoticed) {
  int changed = 0, noticed = 0;
  for (const Kernel &kernel : kernels) {
    size_t count = Loaded(kernel).conversion.accesses.size();
    for (size_t access = 0; access < count; ++access)
      for (int what : {0, 1}) {
        Loaded loaded(kernel);
        triton::Access &target = loaded.conversion.accesses[access];
        if (target.view < 0)
          continue;
        if (what == 0)
          target.box.coordinates.back() = target.box.coordinates.back() + address::Poly(1);
        else
          loaded.conversion.views[target.view].dims.back().stride =
              loaded.conversion.views[target.view].dims.back().stride + address::Poly(1);
        ++changed;
        std::mt19937 random(2);
        bool seen = false;
        for (int draw = 0; draw < 6 && !seen; ++draw)
          seen = !loaded.run(kernel, random).empty();
        noticed += seen;
      }
  }
  EXPECT_GE(changed, 15);
  EXPECT_GE(noticed * 10, changed * 8) << noticed << " of " << changed;
}

TEST(TritonAddresses, WhatIsWrongIsSaid) {
  const Kernel &kernel = kernels[0];
  Loaded loaded(kernel);
  ASSERT_TRUE(loaded.ok);
  // Rows beyond M are inside.
  address::Box &box = loaded.conversion.accesses.back().box;
  triton::View &view = loaded.conversion.views[loaded.conversion.accesses.back().view];
  ASSERT_EQ(view.dims.size(), 2u);
  view.dims[0].size = view.dims[0].size + address::Poly(40);
  ASSERT_FALSE(box.coordinates.empty());
  std::mt19937 random(3);
  std::string errors;
  for (int draw = 0; draw < 6; ++draw)
    errors += loaded.run(kernel, random);
  EXPECT_NE(errors.find("it covers an element that the mask excludes"), std::string::npos) << errors;
  // Without arguments nothing has a value.
  sim::TritonRun run;
  run.function = loaded.conversion.source;
  sim::AccessCheck check(loaded.conversion, run);
  Result<sim::Bindings> bound = check.bind();
  ASSERT_FALSE(bound);
  EXPECT_NE(bound.error().message().find("the size of a view has no value"), std::string::npos);
  Loaded rows(kernels[1]);
  ASSERT_TRUE(rows.ok);
  sim::TritonRun other;
  other.function = rows.conversion.source;
  other.scalars[5] = 4; // n: the loops run
  sim::AccessCheck second(rows.conversion, other);
  second.watch();
  EXPECT_FALSE(succeeded(sim::runTriton(other)));
  EXPECT_NE(rows.errors.find("a guard, coordinate, stride or size has no value"), std::string::npos) << rows.errors;
}

TEST(TritonAddresses, ResultsAreCompared) {
  Loaded loaded(kernels[2]);
  ASSERT_TRUE(loaded.ok);
  sim::TritonRun run;
  run.function = loaded.conversion.source;
  run.scalars = {{4, 40}, {5, 64}, {6, 64}};
  run.grid = {20, 1, 1}; // the length that memory gives is at most 15
  sim::AccessCheck check(loaded.conversion, run);
  check.watch();
  ASSERT_TRUE(succeeded(sim::runTriton(run))) << loaded.errors;
  Result<sim::Bindings> bound = check.bind();
  ASSERT_TRUE(bound) << bound.error().str();
  sim::Bindings exact = bound->widened();
  exact.startBounds();
  sim::EvaluateOptions wide;
  wide.wide = wide.bounds = true;
  ASSERT_TRUE(succeeded(sim::runTileKernel(loaded.conversion.kernel, exact, wide))) << loaded.errors;
  EXPECT_EQ(check.compare(exact), "");
  unsigned out = exact.outputs().front();
  sim::Bindings wrong = exact;
  wrong.tensorOf(out)->setFloat(3, 0.25);
  EXPECT_NE(check.compare(wrong).find("element 3 of 'arg3': expected "), std::string::npos) << check.compare(wrong);
  wrong = exact;
  wrong.bounds[wrong.arguments[out].tensor].setFloat(5, -1.0);
  EXPECT_NE(check.compare(wrong).find("expected a write, got none"), std::string::npos) << check.compare(wrong);
}

TEST(TritonAddresses, ChangedStepsAreNoticed) {
  auto differenceOf = [](const char *file, std::map<unsigned, double> scalars, auto change) {
    Loaded loaded({file, {}});
    EXPECT_TRUE(loaded.ok) << loaded.errors;
    loaded.conversion.source.walk(change);
    sim::TritonRun run;
    run.function = loaded.conversion.source;
    run.scalars = std::move(scalars);
    EXPECT_TRUE(succeeded(sim::runTriton(run))) << loaded.errors;
    FailureOr<std::string> different = sim::compareWithWritten(loaded.conversion, run);
    return failed(different) ? "failed: " + loaded.errors : *different;
  };
  auto nothing = [](Operation *) {};
  EXPECT_EQ(differenceOf("given_pointers", {{3, 100}}, nothing), "");
  auto doubled = [](arith::AddFOp add) { add->setOperand(1, add.getLhs()); };
  EXPECT_EQ(differenceOf("given_pointers", {{3, 100}}, doubled).substr(0, 13), "element 0 of ");
  EXPECT_EQ(differenceOf("given_pointers", {{3, 100}}, [](triton::StoreOp store) { store.erase(); }),
            "element 0 of 'arg2': expected a write, got none");
  Loaded written({"given_pointers", {}});
  ASSERT_TRUE(written.ok);
  written.conversion.written->walk([](triton::StoreOp store) { store.erase(); });
  sim::TritonRun run;
  run.function = written.conversion.source;
  run.scalars = {{3, 100}};
  ASSERT_TRUE(succeeded(sim::runTriton(run)));
  FailureOr<std::string> different = sim::compareWithWritten(written.conversion, run);
  ASSERT_TRUE(succeeded(different));
  EXPECT_EQ(*different, "element 0 of 'arg2': expected no write, got one");
  // What was cast on the way compares as what is stored.
  EXPECT_EQ(differenceOf("cast_pointers", {{4, 250}}, nothing), "");
}

} // namespace
