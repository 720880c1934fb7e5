//===- GlobalMemoryTest.cpp - dependences through global memory ------------===//
//
// Each case is the body of a kernel over views %X, %Y (vectors) and %Z (a matrix). A dependence is written "0>1 same
// k+1 k-2": accesses in program order, then where they meet: in the same iteration; in a loop (outermost is a, then b,
// c), forward (+) or backward (-), at least so many iterations apart.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/GlobalMemory.h"
#include "heddle/Transforms/OrderMemory.h"
#include "heddle/Transforms/Subtile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {
struct Memory : testing::Test {
  Memory() {
    context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect,
                        mlir::tensor::TensorDialect>();
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diag) { diagnostics += diag.str() + "\n"; });
  }

  tile::KernelOp parse(const std::string &body) {
    std::string text =
        R"(tile.kernel @k(%X: !tile.view<?xf32>, %Y: !tile.view<?xf32>, %Z: !tile.view<?x?xf16>, %n: index, %m: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c64 = arith.constant 64 : index
      %c100 = arith.constant 100 : index
      %c128 = arith.constant 128 : index
      %v = arith.constant dense<1.0> : tensor<64xf32>
      tile.grid %c1
      %p = tile.program_id 0
)" + body +
        "\n tile.return }";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return module ? *module->getOps<tile::KernelOp>().begin() : tile::KernelOp();
  }

  /// Loads and stores of X: "load" and "store", then an index.
  std::string find(const std::string &body) {
    tile::KernelOp kernel = parse(body);
    if (!kernel)
      return "does not parse: " + diagnostics;
    llvm::DenseMap<mlir::Operation *, int> number;
    kernel.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (mlir::isa<tile::LoadOp, tile::StoreOp>(op))
        number.insert({op, static_cast<int>(number.size())});
    });
    std::string text;
    for (const MemoryDependence &pair : findMemoryDependences(kernel)) {
      text +=
          (text.empty() ? "" : "; ") + std::to_string(number[pair.first]) + ">" + std::to_string(number[pair.second]);
      text += pair.sameIteration ? " same" : "";
      for (const MemoryDependence::Carried &carried : pair.carried) {
        char name = 'a';
        for (mlir::Operation *op = carried.loop->getParentOp(); op; op = op->getParentOp())
          name += mlir::isa<mlir::scf::ForOp>(op);
        if (carried.forward)
          text += std::string(" ") + name + "+" + std::to_string(*carried.forward);
        if (carried.backward)
          text += std::string(" ") + name + "-" + std::to_string(*carried.backward);
      }
    }
    return text;
  }

  static std::string load(const std::string &at) {
    static int next = 0;
    return "%l" + std::to_string(next++) + " = tile.load %X[" + at + "] : !tile.view<?xf32> -> tensor<64xf32>\n";
  }
  static std::string store(const std::string &at, const std::string &how = "") {
    return "tile.store %v, %X[" + at + "] " + how + " : tensor<64xf32>, !tile.view<?xf32>\n";
  }
  static std::string loop(const std::string &body, const std::string &head = "%i = %c0 to %n step %c64") {
    return "scf.for " + head + " {\n" + body + "}\n";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string diagnostics;
};
} // namespace

TEST_F(Memory, StraightLine) {
  EXPECT_EQ(find(store("%c0") + load("%c0")), "0>1 same");
  EXPECT_EQ(find(store("%c0") + load("%c64")), ""); // side by side
  EXPECT_EQ(find(store("%c0") + load("%c3")), "0>1 same");
  EXPECT_EQ(find(load("%c0") + load("%c0")), "");
  EXPECT_EQ(find(load("%c0") + store("%c0")), "0>1 same");
  EXPECT_EQ(find(store("%c0", "{kind = \"add\"}") + store("%c0", "{kind = \"add\"}")), ""); // sums have no order
  EXPECT_EQ(find(store("%c0", "{kind = \"add\"}") + store("%c0")), "0>1 same");
  EXPECT_EQ(find(store("%n") + load("%n")), "0>1 same");
  EXPECT_EQ(find(store("%n") + load("%m")), "0>1 same"); // nothing is known of either
  EXPECT_EQ(find(store("%p") + "%q = arith.addi %p, %c64 : index\n" + load("%q")), "");
}

TEST_F(Memory, OtherViewsAreOtherTensors) {
  EXPECT_EQ(find(store("%c0") + "%y = tile.load %Y[%c0] : !tile.view<?xf32> -> tensor<64xf32>\n"), "");
}

TEST_F(Memory, AcrossIterations) {
  EXPECT_EQ(find(loop(load("%i") + store("%i"))), "0>1 same"); // in place
  EXPECT_EQ(find(loop(store("%c0"))), "0>0 a+1 a-1");
  EXPECT_EQ(find(loop(store("%i"))), "");
  EXPECT_EQ(find(loop(store("%i"), "%i = %c0 to %n step %c3")), "0>0 a+1 a-1"); // steps shorter than the tile
  // read what the last one wrote
  EXPECT_EQ(find(loop("%j = arith.addi %i, %c64 : index\n" + load("%i") + store("%j"))), "0>1 a-1");
  EXPECT_EQ(find(loop("%j = arith.addi %i, %c128 : index\n" + load("%i") + store("%j"))), "0>1 a-2");
  // overwrite what was read
  EXPECT_EQ(find(loop("%j = arith.subi %i, %c128 : index\n" + load("%i") + store("%j"))), "0>1 a+2");
  // 100 lies in two tiles
  EXPECT_EQ(find(loop("%j = arith.addi %i, %c100 : index\n" + load("%i") + store("%j"))), "0>1 a-1");
  EXPECT_EQ(find(loop("%j = arith.muli %i, %c2 : index\n" + load("%i") + store("%j"))), "0>1 same a+1 a-1");
  // any step moves by a tile or more
  EXPECT_EQ(find(loop("%j = arith.muli %i, %c128 : index\n" + store("%j"), "%i = %c0 to %n step %m")), "");
  EXPECT_EQ(find(loop(store("%i"), "%i = %c0 to %n step %m")), "0>0 a+1 a-1");
}

TEST_F(Memory, BoundsOfLoops) {
  EXPECT_EQ(find(loop(load("%c0") + store("%i"), "%i = %c64 to %n step %c64")), ""); // never reaches 0
  EXPECT_EQ(find(loop(load("%c0") + store("%i"), "%i = %c3 to %n step %c64")), "0>1 same a+1 a-1");
  EXPECT_EQ(find(loop(store("%c0"), "%i = %c0 to %c64 step %c64")), ""); // one iteration
  // ends before it meets
  EXPECT_EQ(find(loop("%j = arith.addi %i, %c128 : index\n" + load("%i") + store("%j"), "%i = %c0 to %c128 step %c64")),
            "");
  EXPECT_EQ(find(loop("%j = arith.addi %i, %p : index\n" + store("%j"))), "");
}

TEST_F(Memory, Nests) {
  // Two indices of a matrix of tiles: row and column of a store that covers it once.
  auto matrix = [](const std::string &row, const std::string &column) {
    return "%t = arith.constant dense<1.0> : tensor<64x64xf16>\ntile.store %t, %Z[" + row + ", " + column +
           "] : tensor<64x64xf16>, !tile.view<?x?xf16>\n";
  };
  std::string inner = "%j = %c0 to %m step %c64";
  EXPECT_EQ(find(loop(loop(matrix("%i", "%j"), inner))), "");
  EXPECT_EQ(find(loop(loop(matrix("%j", "%i"), inner))), "");
  EXPECT_EQ(find(loop(loop(matrix("%i", "%c0"), inner))), "0>0 b+1 b-1");
  EXPECT_EQ(find(loop(loop(matrix("%c0", "%j"), inner))), "0>0 a+1 a-1");
  EXPECT_EQ(find(loop(loop("%s = arith.addi %i, %j : index\n" + matrix("%s", "%c0"), inner))), "0>0 a+1 a-1");
  // a triangle: rows come again
  EXPECT_EQ(find(loop(loop(matrix("%j", "%c0"), "%j = %i to %m step %c64"))), "0>0 a+1 a-1");
  // A loop that is run again reads what its last run wrote.
  EXPECT_EQ(find(loop(loop(load("%j") + store("%j"), inner))), "0>1 same a+1 a-1; 1>1 a+1 a-1");
  // A load of the outer loop and a store of the inner one.
  EXPECT_EQ(find(loop(load("%i") + loop(store("%i"), inner))), "0>1 same; 1>1 b+1 b-1");
}

TEST_F(Memory, AcrossLoops) {
  EXPECT_EQ(find(loop(store("%i")) + loop(load("%j"), "%j = %c0 to %n step %c64")), "0>1 same");
  EXPECT_EQ(find(loop(store("%i")) + load("%c0")), "0>1 same");
  EXPECT_EQ(find(loop(store("%i"), "%i = %c64 to %n step %c64") + load("%c0")), "");
  // Even and odd tiles.
  EXPECT_EQ(find(loop(store("%i"), "%i = %c0 to %n step %c128") + loop(load("%j"), "%j = %c64 to %n step %c128")), "");
}

TEST_F(Memory, ValuesComputedAlike) {
  std::string first = "%q = arith.divui %p, %c3 : index\n%a = arith.muli %q, %n : index\n";
  std::string second =
      "%r = arith.divui %p, %c3 : index\n%b = arith.muli %r, %n : index\n%e = arith.addi %b, %c64 : index\n";
  EXPECT_EQ(find(first + store("%a") + second + load("%e")), "");
  EXPECT_EQ(find(first + store("%a") + second + load("%b")), "0>1 same");
  // Alike in the text, but of different iterations.
  EXPECT_EQ(
      find(loop("%q = arith.divui %i, %c3 : index\n%j = arith.addi %q, %c64 : index\n" + load("%q") + store("%j"))),
      "0>1 a+1 a-1; 1>1 a+1 a-1");
}

TEST_F(Memory, CarriedIndices) {
  EXPECT_EQ(find("%e = scf.for %i = %c0 to %n step %c64 iter_args(%at = %c0) -> (index) {\n" + store("%at") +
                 "%next = arith.addi %at, %c64 : index\n scf.yield %next : index }\n"),
            "0>0 a+1 a-1");
}

TEST_F(Memory, ComputedFrom) {
  tile::KernelOp kernel =
      parse("scf.for %i = %c0 to %n step %c64 {\n%a = tile.load %X[%i] : !tile.view<?xf32> -> tensor<64xf32>\n"
            "%b = arith.addf %a, %v : tensor<64xf32>\ntile.store %b, %X[%i] : tensor<64xf32>, !tile.view<?xf32>\n"
            "tile.store %v, %X[%i] : tensor<64xf32>, !tile.view<?xf32>\n}\n");
  ASSERT_TRUE(kernel);
  tile::LoadOp load;
  kernel.walk([&](tile::LoadOp op) { load = op; });
  std::vector<bool> computed;
  kernel.walk([&](tile::StoreOp op) { computed.push_back(isComputedFrom(op, load)); });
  EXPECT_EQ(computed, (std::vector<bool>{true, false}));
}

/// What the last iteration loaded is not what this one loads.
TEST_F(Memory, ComputedFromTheLastIteration) {
  tile::KernelOp kernel =
      parse("%e = scf.for %i = %c0 to %n step %c64 iter_args(%last = %v) -> (tensor<64xf32>) {\n"
            "%a = tile.load %X[%i] : !tile.view<?xf32> -> tensor<64xf32>\n"
            "tile.store %last, %X[%i] : tensor<64xf32>, !tile.view<?xf32>\nscf.yield %a : tensor<64xf32>\n}\n"
            "tile.store %e, %X[%c0] : tensor<64xf32>, !tile.view<?xf32>\n");
  ASSERT_TRUE(kernel);
  tile::LoadOp load;
  kernel.walk([&](tile::LoadOp op) { load = op; });
  std::vector<bool> computed;
  kernel.walk([&](tile::StoreOp op) { computed.push_back(isComputedFrom(op, load)); });
  EXPECT_EQ(computed, (std::vector<bool>{false, true}));
}

//===----------------------------------------------------------------------===//
// Warp groups
//===----------------------------------------------------------------------===//

static const char *product = R"(
  %w = arith.constant dense<0.0> : tensor<128x64xf32>
  %a = tile.load %Z[%c0, %c0] : !tile.view<?x?xf16> -> tensor<128x64xf16>
  %b = tile.load %Z[%c0, %c64] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %d = tile.dot %a, %b, %w : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
  %h = arith.truncf %d : tensor<128x64xf32> to tensor<128x64xf16>
)";

/// What both loaded is loaded whole before either stores; afterwards each loads what the other stored, and stores
/// again. The meeting before the second store also stands between the first and the load of it.
TEST_F(Memory, GroupsLoadWhatTheOtherStored) {
  tile::KernelOp kernel = parse(std::string(product) + R"(
    tile.store %h, %Z[%n, %m] : tensor<128x64xf16>, !tile.view<?x?xf16>
    %e = tile.load %Z[%n, %m] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %f = tile.dot %a, %e, %w : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %g = arith.truncf %f : tensor<128x64xf32> to tensor<128x64xf16>
    tile.store %g, %Z[%n, %m] : tensor<128x64xf16>, !tile.view<?x?xf16>)");
  ASSERT_TRUE(kernel);
  keepLoadsInOrder(kernel);
  ASSERT_TRUE(succeeded(subtile(kernel, 2)));
  EXPECT_TRUE(succeeded(placeMemoryWaits(kernel))) << diagnostics;
  std::vector<std::string> meetings;
  kernel.walk([&](mlir::Operation *op) {
    if (op->hasAttr("heddle.meet_groups"))
      meetings.push_back(op->getName().getStringRef().str());
  });
  EXPECT_EQ(meetings, (std::vector<std::string>{"tile.store", "tile.store", "tile.store"}));
}

TEST_F(Memory, OneGroupKeepsTheProgramsOrder) {
  tile::KernelOp kernel = parse(std::string(product) + R"(
    tile.store %h, %Z[%n, %m] : tensor<128x64xf16>, !tile.view<?x?xf16>
    tile.store %h, %Z[%n, %m] : tensor<128x64xf16>, !tile.view<?x?xf16>)");
  ASSERT_TRUE(kernel);
  keepLoadsInOrder(kernel);
  ASSERT_TRUE(succeeded(subtile(kernel, 1)));
  EXPECT_TRUE(succeeded(placeMemoryWaits(kernel))) << diagnostics;
}

/// Rows of the product apart from what is loaded: each group's second store waits for its own first.
TEST_F(Memory, GroupsStoreTwice) {
  tile::KernelOp kernel = parse(std::string(product) + R"(
    tile.store %h, %Z[%c128, %c0] : tensor<128x64xf16>, !tile.view<?x?xf16>
    tile.store %h, %Z[%c128, %c0] : tensor<128x64xf16>, !tile.view<?x?xf16>)");
  ASSERT_TRUE(kernel);
  keepLoadsInOrder(kernel);
  ASSERT_TRUE(succeeded(subtile(kernel, 2)));
  EXPECT_TRUE(succeeded(placeMemoryWaits(kernel))) << diagnostics;
  std::vector<std::string> waits;
  kernel.walk([&](tile::StoreOp store) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (mlir::Attribute wait = store->getAttr("heddle.wait_memory"))
      stream << wait;
    waits.push_back(text);
  });
  EXPECT_EQ(waits, (std::vector<std::string>{"", "", "[\"copies\"]", "[\"copies\"]"}));
}
