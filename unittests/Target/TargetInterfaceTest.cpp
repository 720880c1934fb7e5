//===- TargetInterfaceTest.cpp - what targets answer --------------------------===//
#include "heddle/Target/TargetInterface.h"

#include "heddle/Machine/Occupancy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

struct Targets : testing::Test {
  RankedTensorType tile(std::vector<int64_t> shape, Type element) { return RankedTensorType::get(shape, element); }

  MLIRContext context;
  Type f32 = Float32Type::get(&context), f16 = Float16Type::get(&context), i8 = IntegerType::get(&context, 8),
       i1 = IntegerType::get(&context, 1);
  const TargetInterface &hopper = hopperTarget(), &blackwell = blackwellTarget();
};

TEST_F(Targets, AreFoundByNameMachineAndKernel) {
  EXPECT_EQ(findTarget("sm_90a"), &hopper);
  EXPECT_EQ(findTarget("sm_100a"), &blackwell);
  EXPECT_EQ(findTarget("sm_80"), nullptr);
  EXPECT_TRUE(defaultTarget().emitsKernels());
  for (auto [name, target] : {std::pair("h100", &hopper), std::pair("b200", &blackwell)}) {
    Result<Machine> machine = Machine::find(std::string(HEDDLE_SOURCE_DIR) + "/machines/" + name + ".json");
    ASSERT_TRUE(bool(machine));
    EXPECT_EQ(&targetOf(*machine), target);
  }
  OwningOpRef<ModuleOp> kernel(ModuleOp::create(UnknownLoc::get(&context)));
  EXPECT_EQ(&targetOf(kernel->getOperation()), &hopper);
  setTarget(*kernel, blackwell);
  EXPECT_EQ(&targetOf(kernel->getOperation()), &blackwell);
}

/// The scheduler counts the registers that the emitted fragments have.
TEST_F(Targets, RegistersAreThoseOfTheFragments) {
  TileHolders rows, columns;
  columns.alongColumns = true;
  for (int64_t m : {64, 128})
    for (int64_t n : {8, 64, 256}) {
      ASSERT_TRUE(hopper.hasFragment({m, n}));
      LinearLayout fragment = hopper.accumulator({m, n});
      EXPECT_EQ(hopper.registersOf(tile({m, n}, f32), rows), fragment.numRegisters());
      EXPECT_EQ(hopper.registersOf(tile({m, n}, f16), rows), fragment.numRegisters() / 2);
      EXPECT_EQ(hopper.registersOf(tile({m, n}, i1), rows), fragment.numRegisters());
      EXPECT_EQ(hopper.registersOf(tile({m}, f32), rows), sliceLayout(fragment, 1).numRegisters());
      EXPECT_EQ(hopper.registersOf(tile({n}, f32), columns), sliceLayout(fragment, 0).numRegisters());
    }
  EXPECT_FALSE(hopper.hasFragment({32, 64}));
  EXPECT_FALSE(hopper.hasFragment({64, 12}));
}

TEST_F(Targets, CoalescedTilesAreSharedByAllThreads) {
  TileHolders holders{8, false, true};
  LinearLayout layout = blockedLayout({64, 128}, 4, 8);
  EXPECT_EQ(hopper.registersOf(tile({64, 128}, f32), holders), layout.numRegisters());
}

TEST_F(Targets, VectorsOfTheirOwnAreSharedByAllThreads) {
  TileHolders holders{8, false, true};
  EXPECT_EQ(hopper.registersOf(tile({1024}, f32), holders), 128);
  holders.alone = true;
  EXPECT_EQ(hopper.registersOf(tile({1024}, f32), holders), 4);
}

TEST_F(Targets, TensorMemoryGivesAThreadARow) {
  TileHolders holders;
  EXPECT_EQ(blackwell.warpsOf(tile({128, 64}, f32), holders), warpsPerGroup);
  EXPECT_EQ(blackwell.warpsOf(tile({256, 64}, f32), holders), 2 * warpsPerGroup);
  EXPECT_EQ(blackwell.registersOf(tile({128, 64}, f32), holders), 64);
  EXPECT_EQ(blackwell.registersOf(tile({128, 64}, i1), holders), 2);
  EXPECT_EQ(blackwell.registersOf(tile({128}, f32), holders), 1);
  EXPECT_EQ(blackwell.memoryColumns(tile({128, 64}, f16)), 32);
  EXPECT_EQ(hopper.memoryColumns(tile({128, 64}, f16)), 0);
}

TEST_F(Targets, DotsHaveAForm) {
  EXPECT_FALSE(hopper.dotForm(i1));
  EXPECT_FALSE(hopper.dotForm(Float64Type::get(&context)));
  DotForm half = *hopper.dotForm(f16), tf32 = *hopper.dotForm(f32);
  DotForm integers = *hopper.dotForm(i8);
  EXPECT_EQ(integers.contraction, 32);
  EXPECT_FALSE(integers.across || integers.leftInRegisters);
  EXPECT_EQ(half.contraction, 16);
  EXPECT_EQ(tf32.contraction, 8);
  EXPECT_TRUE(half.across && half.leftInRegisters);
  EXPECT_TRUE(tf32.leftInRegisters && !tf32.across);
  EXPECT_TRUE(hopper.accumulatesIn(f32));
  EXPECT_FALSE(hopper.accumulatesIn(f16));
}

TEST_F(Targets, BoxesHaveWholeRows) {
  EXPECT_TRUE(hopper.hasBox(tile({64, 64}, f16)));
  EXPECT_TRUE(hopper.hasBox(tile({3, 64}, f16)));
  EXPECT_FALSE(hopper.hasBox(tile({3, 128}, f16))); // several chunks of columns
  EXPECT_FALSE(hopper.hasBox(tile({64, 4}, f16)));
  EXPECT_FALSE(hopper.hasBox(tile({64}, f16)));
  EXPECT_FALSE(hopper.hasBox(tile({64, 64}, i1)));
}

} // namespace
