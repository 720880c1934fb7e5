//===- TaskInterpreterTest.cpp - whatever a mapping may choose ---------------===//
//
// Every launch of every example gets a random variant, every tunable a random value: the result is what the program
// means, or a located refusal (a size that an instruction does not have).
//
//===----------------------------------------------------------------------===//
#include "heddle/Simulator/Task/TaskInterpreter.h"
#include "heddle/Dialect/Task/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace heddle::sim;

namespace {
/// What a mapping decides: variants drawn anew whenever a launch is done, tunables once.
class RandomChoices {
public:
  RandomChoices(mlir::ModuleOp program, uint64_t seed) : random(seed * 7919 + 17), meanings(task::meaningsOf(program)) {
    choices.variant = [this](task::LaunchOp launch) { return variantFor(launch); };
    choices.tunable = [this](task::TunableOp tunable) { return valueFor(tunable); };
  }
  const TaskChoices &get() const { return choices; }

private:
  task::VariantOp variantFor(task::LaunchOp launch) {
    task::TaskOp callee = task::taskOf(launch);
    // What the task means is as likely as all else. Others are chosen a few times at most: pieces of pieces end
    // somewhere.
    auto variants = task::variantsOf(callee);
    std::vector<task::VariantOp> all(variants.size(), meanings.lookup(callee));
    if (budget > 0)
      all.insert(all.end(), variants.begin(), variants.end());
    task::VariantOp variant = all[random.next() % all.size()];
    budget -= variant != all[0];
    return variant;
  }
  int64_t valueFor(task::TunableOp tunable) {
    auto [it, isNew] = values.try_emplace(tunable, tunable.getValue());
    if (auto list = tunable.getChoices(); list && isNew)
      it->second = (*list)[random.next() % list->size()];
    return it->second;
  }

  Random random;
  llvm::MapVector<task::TaskOp, task::VariantOp> meanings;
  std::map<mlir::Operation *, int64_t> values;
  int budget = 12;
  TaskChoices choices;
};

class TaskPrograms : public testing::TestWithParam<const char *> {};
} // namespace

TEST_P(TaskPrograms, MeanTheSameWhateverIsChosen) {
  mlir::DialectRegistry registry;
  registry.insert<task::TaskDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect>();
  mlir::MLIRContext context(registry);
  std::string refusal;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { refusal = diagnostic.str(); });
  auto program = mlir::parseSourceFile<mlir::ModuleOp>(
      std::string(HEDDLE_SOURCE_DIR "/examples/tasks/") + GetParam() + ".mlir", &context);
  ASSERT_TRUE(program);
  task::TaskOp entry = task::entriesOf(*program).front();
  Result<Bindings> bound = bindTask(entry, {});
  ASSERT_TRUE(bound);
  mlir::FailureOr<Meaning> meaning = meaningOf(entry, *bound);
  ASSERT_TRUE(mlir::succeeded(meaning));
  int right = 0, refused = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RandomChoices choices(*program, seed);
    auto variants = task::variantsOf(entry);
    Bindings got = *bound;
    refusal.clear();
    if (failed(runVariant(variants[seed % variants.size()], got, choices.get()))) {
      EXPECT_NE(refusal.find("expected"), std::string::npos) << refusal;
      ++refused;
      continue;
    }
    Comparison comparison = compareWith(*meaning, got);
    EXPECT_FALSE(comparison.isWrong() || comparison.provesNothing()) << "seed " << seed << ": " << comparison.str();
    ++right;
  }
  EXPECT_GE(right, 3) << refused << " refused; the last: " << refusal;
}

INSTANTIATE_TEST_SUITE_P(Examples, TaskPrograms, testing::Values("gemm", "batched", "gated", "rowsum", "attention"));
