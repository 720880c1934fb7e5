//===- InstructionsTest.cpp - which accesses the copy engine can make -------===//
//
// The column index of a box must be a multiple of 16 bytes. Each case is code that computes %x, the column of a load of
// 64 fp16 columns.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {
struct Instructions : testing::Test {
  Instructions() { context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect>(); }

  /// "copy engine", "threads" (for the alignment alone), or what is wrong.
  std::string load(const std::string &code, const std::string &element = "f16", const std::string &after = "") {
    std::string text = "tile.kernel @k(%X: !tile.view<?x?x" + element + R"(>, %n: index, %i: i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c64 = arith.constant 64 : index
      tile.grid %c1
      %p = tile.program_id 0
)" + code + "\n%t = tile.load %X[%n, %x] : !tile.view<?x?x" +
                       element + "> -> tensor<64x64x" + element + ">\n" + after + "\ntile.return }";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return "does not parse";
    std::string result;
    module->walk([&](tile::LoadOp op) {
      result = isTmaLoad(op) ? "copy engine" : isKeptFromTmaByAlignment(op) ? "threads" : "other";
    });
    return result;
  }

  mlir::MLIRContext context;
};
} // namespace

TEST_F(Instructions, ColumnsOfBoxes) {
  const char *aligned[] = {
      "%x = arith.constant 0 : index",
      "%x = arith.constant -64 : index",
      "%x = arith.constant 56 : index",
      "%x = arith.muli %p, %c64 : index",
      "%y = arith.muli %n, %c8 : index\n%x = arith.addi %y, %c64 : index",
      "%y = arith.muli %n, %c8 : index\n%x = arith.maxsi %y, %c0 : index",
      "%y = arith.muli %n, %c4 : index\n%z = arith.addi %y, %y : index\n%w = arith.muli %p, %c8 : index\n"
      "%s = arith.cmpi slt, %n, %p : index\n%x = arith.select %s, %c64, %w : index",
      "%y = arith.muli %n, %c64 : index\n%x = arith.remui %y, %c8 : index"};
  for (const char *code : aligned)
    EXPECT_EQ(load(code), "copy engine") << code;
  const char *unknown[] = {
      "%x = arith.constant 3 : index",           "%x = arith.constant 164 : index",
      "%x = arith.addi %n, %c64 : index",        "%x = arith.muli %n, %c4 : index",
      "%x = arith.index_cast %i : i32 to index", "%y = arith.muli %p, %c64 : index\n%x = arith.addi %y, %c3 : index",
      "%x = arith.ceildivui %n, %c8 : index"};
  for (const char *code : unknown)
    EXPECT_EQ(load(code), "threads") << code;
}

TEST_F(Instructions, ColumnsCountInBytes) {
  EXPECT_EQ(load("%x = arith.muli %n, %c4 : index", "f32"), "copy engine");
  EXPECT_EQ(load("%x = arith.muli %n, %c8 : index", "f8E4M3FN"), "threads");
}

TEST_F(Instructions, ColumnsOfLoops) {
  auto loop = [&](const std::string &head) { return load("scf.for " + head + " {", "f16", "}"); };
  EXPECT_EQ(loop("%x = %c0 to %n step %c64"), "copy engine");
  EXPECT_EQ(loop("%x = %c64 to %n step %c8"), "copy engine");
  EXPECT_EQ(loop("%x = %n to %c64 step %c64"), "threads");
  EXPECT_EQ(loop("%x = %c0 to %n step %c3"), "threads");
  auto carried = [&](const std::string &by) {
    return load("%r = scf.for %j = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {\n%y = arith.addi %x, " + by +
                    " : index",
                "f16", "scf.yield %y : index }");
  };
  EXPECT_EQ(carried("%c64"), "copy engine");
  EXPECT_EQ(carried("%c4"), "threads");
  EXPECT_EQ(carried("%n"), "threads");
}
