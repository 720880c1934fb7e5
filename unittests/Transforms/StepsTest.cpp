//===- StepsTest.cpp - the steps on tile programs keep their meaning ----------===//
//
// Every program of test/Programs (without its folders: programs there may need inputs), and the smaller examples, goes
// through the steps that come before the selection of instructions. After each one the program is verified and executed
// in float64 on the same inputs: what it writes may differ by roundings of sums in another order only.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Supported.h"
#include "heddle/Simulator/Functional/Bindings.h"
#include "heddle/Simulator/Functional/TileInterpreter.h"
#include "heddle/Transforms/NormaliseLoops.h"
#include "heddle/Transforms/NormaliseShapes.h"
#include "heddle/Transforms/OrderMemory.h"
#include "heddle/Transforms/OrderPrograms.h"
#include "heddle/Transforms/Parameters.h"
#include "heddle/Transforms/Persist.h"
#include "heddle/Transforms/PrepareDots.h"
#include "heddle/Transforms/ReadScalars.h"
#include "heddle/Transforms/SplitStores.h"
#include "heddle/Transforms/StreamTiles.h"
#include "heddle/Transforms/Subtile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <filesystem>

using namespace heddle;
using namespace mlir;

namespace {

struct Step {
  const char *name;
  LogicalResult (*run)(tile::KernelOp);
};

template <void (*step)(tile::KernelOp)> LogicalResult always(tile::KernelOp kernel) {
  step(kernel);
  return success();
}

const Step steps[] = {
    {"set parameters", [](tile::KernelOp kernel) { return setParameters(kernel, {}); }},
    {"order descending", [](tile::KernelOp kernel) { return orderPrograms(kernel, {2}); }},
    {"order ascending", [](tile::KernelOp kernel) { return orderPrograms(kernel, {2, /*upward=*/true}); }},
    {"make persistent", [](tile::KernelOp kernel) { return makePersistent(kernel); }},
    {"make persistent, from a counter",
     [](tile::KernelOp kernel) { return makePersistent(kernel, TileSource::Counter); }},
    {"normalise shapes", normaliseShapes},
    {"read scalars", readScalars},
    {"normalise loops", always<normaliseLoops>},
    {"split stores", always<splitStores>},
    {"prepare dots", always<prepareDots>},
    {"pad tiles", always<padTiles>},
    {"stream tiles",
     [](tile::KernelOp kernel) {
       if (!hasDots(kernel))
         streamTiles(kernel, 0);
       return success();
     }},
    {"keep loads in order", always<keepLoadsInOrder>},
    {"subtile", [](tile::KernelOp kernel) { return subtile(kernel); }},
};

class Steps : public testing::Test {
protected:
  Steps() {
    context.loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                        tensor::TensorDialect>();
    context.getDiagEngine().registerHandler([&](Diagnostic &diag) { said += diag.str() + "\n"; });
  }

  /// What the program in `module` writes, in float64; none: it cannot run.
  std::optional<sim::Bindings> run(ModuleOp module, const sim::Bindings &inputs) {
    sim::Bindings outputs = inputs;
    auto kernel = *module.getOps<tile::KernelOp>().begin();
    sim::EvaluateOptions options;
    options.wide = true;
    if (failed(verify(module)) || failed(sim::runTileKernel(kernel, outputs, options)))
      return std::nullopt;
    return outputs;
  }

  /// Whether `step` (those before it included) keeps what `file` means; a step may refuse a program. Counts the steps
  /// that were taken.
  void check(const std::string &file) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
    ASSERT_TRUE(module) << said;
    auto kernel = *module->getOps<tile::KernelOp>().begin();
    Result<sim::Bindings> bound = sim::bindKernel(cast<FunctionOpInterface>(kernel.getOperation()), {});
    ASSERT_TRUE(bool(bound)) << bound.error().str();
    sim::Bindings inputs = bound->widened();
    std::optional<sim::Bindings> meant = run(*module, inputs);
    ASSERT_TRUE(meant) << said;
    for (const Step &step : steps) {
      SCOPED_TRACE(step.name);
      said.clear();
      OwningOpRef<ModuleOp> before = module->clone();
      if (failed(step.run(*module->getOps<tile::KernelOp>().begin()))) {
        EXPECT_FALSE(said.empty()) << "refused without a word";
        module = std::move(before);
        continue;
      }
      ++taken;
      std::optional<sim::Bindings> got = run(*module, inputs);
      ASSERT_TRUE(got) << said;
      for (double error : sim::compareOutputs(*got, *meant))
        EXPECT_LT(error, 1e-12);
    }
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string said;
  int64_t taken = 0;
};

TEST_F(Steps, KeepTheMeaning) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/test/Programs"))
    if (entry.path().extension() == ".mlir")
      files.push_back(entry.path().string());
  for (const char *example : {"05_two_dots_shared_a", "06_rowsum", "13_gemm_64x128x64", "25_gemm_grouped"})
    files.push_back(std::string(HEDDLE_SOURCE_DIR) + "/examples/" + example + ".mlir");
  std::sort(files.begin(), files.end());
  for (const std::string &file : files) {
    SCOPED_TRACE(file);
    check(file);
  }
  EXPECT_GE(taken, static_cast<int64_t>(10 * files.size())); // refusals are few
}

/// The grid of a program that counts the device's multiprocessors has no last coordinate to count down from.
TEST_F(Steps, NothingIsOrderedByACountOfMultiprocessors) {
  for (bool counts : {false, true}) {
    std::string grid = counts ? "%g = tile.multiprocessors" : "%g = tile.dim %X, 0 : !tile.view<?x64xf32>";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
      tile.kernel @k(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        )" + grid + R"(
        tile.grid %g
        %p = tile.program_id 0
        scf.for %i = %c0 to %p step %c1 {
          %x = tile.load %X[%i, %c0] : !tile.view<?x64xf32> -> tensor<1x64xf32>
          tile.store %x, %Y[%p, %c0] : tensor<1x64xf32>, !tile.view<?x64xf32>
        }
        tile.return
      })",
                                                               &context);
    ASSERT_TRUE(module) << said;
    auto kernel = *module->getOps<tile::KernelOp>().begin();
    EXPECT_EQ(growsWithFirstCoordinate(kernel), !counts);
    EXPECT_EQ(succeeded(orderPrograms(kernel, {1})), !counts);
    EXPECT_EQ(succeeded(orderPrograms(kernel, {1, /*upward=*/true})), !counts);
    EXPECT_TRUE(succeeded(orderPrograms(kernel, {0})));
  }
}

} // namespace
