//===- RefusalsTest.cpp - mappings that do not fit their program ------------===//
//
// Each case is the body of a variant and a mapping; the refusal is an error in the program or in the mapping.
//
//===----------------------------------------------------------------------===//
#include "heddle/Conversion/TaskToTile/TaskToTile.h"
#include "heddle/Dialect/Task/Task.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {
class Refusals : public testing::Test {
protected:
  Refusals() {
    mlir::DialectRegistry registry;
    registry.insert<task::TaskDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The program with these bodies of its host and block variants, under the mapping: its first error with its notes.
  std::string refusal(const std::string &host, const std::string &block, const std::string &mapping) {
    std::string program = R"(
task.task @all(y: write f32[M, N], x: read f32[M, N])
task.task @work(y: read_write f32[M, N], x: read f32[M, N])
task.task @sums(y: read_write f32[M], x: read f32[M, N])
task.task @more(y: reduce f32[M, N], x: read f32[M, N])
task.task @product(c: read_write f32[M, N], a: read f16[M, K], b: read f16[N, K])
task.task @fillc(c: write f32[M, N])
task.task @filla(c: write f16[M, N])
task.variant @fc of @fillc leaf (%c: tensor<64x64xf32>) {
  %r = arith.constant dense<0.0> : tensor<64x64xf32>
  task.return %r : tensor<64x64xf32>
}
task.variant @fa of @filla leaf (%c: tensor<64x64xf16>) {
  %r = arith.constant dense<0.0> : tensor<64x64xf16>
  task.return %r : tensor<64x64xf16>
}
task.variant @host of @all inner (%y, %x) {
)" + host + "}\ntask.variant @block of @all inner (%y, %x) {\n" +
                          block + R"(}
task.variant @all_leaf of @all leaf (%y: tensor<64x64xf32>, %x: tensor<64x64xf32>) {
  task.return %x : tensor<64x64xf32>
}
task.variant @work_inner of @work inner (%y, %x) {
  task.launch @work(%y, %x)
}
task.variant @work_leaf of @work leaf (%y: tensor<64x64xf32>, %x: tensor<64x64xf32>) {
  %r = arith.addf %y, %x : tensor<64x64xf32>
  task.return %r : tensor<64x64xf32>
}
task.variant @sums_leaf of @sums leaf (%y: tensor<64xf32>, %x: tensor<64x64xf32>) {
  %s = tile.reduce "add" %x axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  task.return %s : tensor<64xf32>
}
task.variant @more_leaf of @more leaf (%y: tensor<64x64xf32>, %x: tensor<64x64xf32>) {
  task.return %x : tensor<64x64xf32>
}
task.variant @product_leaf of @product leaf (%c: tensor<64x64xf32>, %a: tensor<64x64xf16>, %b: tensor<64x64xf16>) {
  %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
  %r = tile.dot %a, %bt, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  task.return %r : tensor<64x64xf32>
}
)";
    std::string text;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) {
      if (text.empty()) {
        text = diag.str();
        for (mlir::Diagnostic &note : diag.getNotes())
          text += "\n" + note.str();
      }
      EXPECT_TRUE(diag.getLocation()->findInstanceOf<mlir::FileLineColLoc>()) << diag.str();
      return mlir::success();
    });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context, "p.mlir");
    if (!module)
      return "does not parse: " + text;
    Result<Machine> machine = Machine::find("h100");
    EXPECT_TRUE(machine);
    mlir::FailureOr<Mapping> read = Mapping::read(mapping, "m.map", *machine, &context);
    if (failed(read))
      return "mapping: " + text;
    auto made = convertTasks(*module, *read, *machine);
    EXPECT_EQ(succeeded(made), text.empty());
    return text.empty() ? "none" : text;
  }

  /// The block's body, in tiles of 128 x 64, with an instance of the leaf at `level` for each launch.
  std::string inBlock(const std::string &block, const std::string &leaf, const std::string &level = "WARPGROUP",
                      int launches = 1) {
    std::string calls;
    for (int i = 0; i < launches; ++i)
      calls += i ? ", \"leaf\"" : "\"leaf\"";
    return refusal(grid, block,
                   "{host = {variant = \"host\", proc = \"HOST\", calls = [\"block\"], entry}, block = {variant = "
                   "\"block\", proc = \"BLOCK\", calls = [" +
                       calls + "]}, leaf = {variant = \"" + leaf + "\", proc = \"" + level + "\"}}");
  }

  void expect(const std::string &text, const std::string &message) {
    EXPECT_NE(text.find(message), std::string::npos) << text << "\n  expected: " << message;
  }

  mlir::MLIRContext context;
  const std::string grid = R"(
  %ys = task.blocks %y [128, 64]
  %xs = task.blocks %x [128, 64]
  %m = task.count %ys, 0
  %n = task.count %ys, 1
  task.prange (%i, %j) to (%m, %n) {
    %yi = task.piece %ys[%i, %j]
    %xi = task.piece %xs[%i, %j]
    task.launch @all(%yi, %xi)
  }
)";
  const std::string hostMap = "{host = {variant = \"host\", proc = \"HOST\", calls = [\"leaf\"]";
  const std::string leafMap = ", entry}, leaf = {variant = \"all_leaf\", proc = \"BLOCK\"}}";
};
} // namespace

TEST_F(Refusals, Grids) {
  EXPECT_EQ(refusal(grid, "", hostMap + leafMap), "none");
  std::string one = R"(
  %ys = task.blocks %y [128, 64]
  %xs = task.blocks %x [128, 64]
  %m = task.count %ys, 0
  task.prange (%i) to (%m) {
    %yi = task.piece %ys[%i, 0]
    %xi = task.piece %xs[%i, 0]
    task.launch @all(%yi, %xi)
  }
)";
  std::string serial = one;
  serial.replace(serial.find("prange"), 6, "srange");
  expect(refusal(one, "", hostMap + ", raster = 8" + leafMap),
         "mapping: expected at least two dimensions of blocks with raster, got 1");
  expect(refusal(one, "", hostMap + ", order = [1, 0]" + leafMap),
         "mapping: expected the 1 variables of the range in order, got 2");
  expect(refusal(serial, "", hostMap + leafMap),
         "expected task.prange at HOST, whose launches are one grid, got task.srange");
  expect(refusal(grid, "", hostMap + ", entry}, leaf = {variant = \"all_leaf\", proc = \"WARPGROUP\"}}"),
         "expected level BLOCK inside HOST, got WARPGROUP");
  expect(refusal("", "", "{host = {variant = \"host\", proc = \"HOST\", entry}}"),
         "expected a launch of a task at BLOCK, got none");
  expect(refusal("", "", "{host = {variant = \"host\", proc = \"WARP\", entry}}"),
         "mapping: expected the entry at HOST or BLOCK, got WARP");
  expect(
      refusal("%t = task.make_tensor [64] : f32\n", "", "{host = {variant = \"host\", proc = \"HOST\", entry}}"),
      "expected a temporary inside a block, got one outside the range over blocks, which no memory of a block holds");
  std::string two = one;
  two += one;
  for (const char *name : {"%ys", "%xs", "%m", "%i", "%yi", "%xi"}) {
    std::string other = std::string(name) + "2";
    for (size_t at = two.find(name, one.size()); at != std::string::npos; at = two.find(name, at + other.size()))
      if (!std::isalnum(two[at + std::string(name).size()]))
        two.replace(at, std::string(name).size(), other);
  }
  expect(refusal(two, "", "{host = {variant = \"host\", proc = \"HOST\", calls = [\"leaf\", \"leaf\"]" + leafMap),
         "expected one range over blocks, which is one kernel, got another");
}

TEST_F(Refusals, Temporaries) {
  expect(inBlock("%t = task.make_tensor [2048, 2048] : f32\n", "work_leaf", "WARPGROUP", 0),
         "expected a temporary of 1 to 1048576 elements, got 2048 x 2048");
  expect(inBlock("%t = task.make_tensor [128, 64] : f32\ntask.launch @work(%t, %x)\n", "work_leaf"),
         "expected a tensor that was written, got 'temporary'");
  expect(refusal("", "%m = task.dim %y, 0\n%t = task.make_tensor [%m] : f32\n",
                 "{block = {variant = \"block\", proc = \"BLOCK\", entry}}"),
         "expected a temporary whose sizes are known here, got one that depends on a size of the program's tensors");
  expect(refusal("", "task.launch @all(%y, %x)\n",
                 "{block = {variant = \"block\", proc = \"BLOCK\", calls = [\"leaf\"], entry}, leaf = {variant = "
                 "\"all_leaf\", proc = \"BLOCK\"}}"),
         "expected a part of 'y' whose sizes are known here, got a dimension without a block size");
}

TEST_F(Refusals, Partitions) {
  expect(inBlock("%d = task.dim %y, 0\n%z = arith.subi %d, %d : index\n%b = task.blocks %y [%z, full]\n", "work_leaf",
                 "WARPGROUP", 0),
         "expected blocks of at least one element, got 0");
  expect(inBlock("%b = task.blocks %y [48, full]\n", "work_leaf", "WARPGROUP", 0),
         "expected blocks that divide the 128 elements of 'y' along dimension 0, got 48");
  expect(refusal("%m = task.dim %y, 0\n%b = task.blocks %y [%m, full]\n", "",
                 "{host = {variant = \"host\", proc = \"HOST\", entry}}"),
         "expected blocks whose size is known here, got one that depends on a size of the program's tensors");
  expect(inBlock("%p = task.tunable \"P\" = 8\n%b = task.mma %y [m, n] into %p\n", "work_leaf", "WARPGROUP", 0),
         "expected 4 pieces, for the warps of a warp group, or 32, for the threads of a warp, got 8");
  expect(inBlock(R"(
  %one = arith.constant 1 : index
  %t = task.make_tensor [128, 64] : f32
  %n = task.dim %x, 0
  %ts = task.blocks %t [64, full]
  %xs = task.blocks %x [64, full]
  %zero = arith.constant 0 : index
  %p = task.blocks %t [64, full]
  task.prange (%g) to (%one) {
    %tp = task.piece %p[%g, 0]
    %xp = task.piece %xs[%g, 0]
    task.launch @work(%tp, %xp)
  }
)",
                 "work_leaf"),
         "expected a range over processors of a block over all pieces of 'temporary', got 1 of 64");
}

/// A temporary of 128 x 64 that is written, and rows of it.
static const std::string rows = R"(
  %t = task.make_tensor [128, 64] : f32
  task.launch @all(%t, %x)
  %ts = task.blocks %t [64, full]
  %xs = task.blocks %x [64, full]
  %n = task.count %ts, 0
)";

/// The mapping of a block with these instances for its launches, the first of which copies.
static std::string blockMap(const std::string &calls, const std::string &instances) {
  return "{host = {variant = \"host\", proc = \"HOST\", calls = [\"block\"], entry}, block = {variant = \"block\", "
         "proc = \"BLOCK\", calls = [\"copy\", " +
         calls + "]}, copy = {variant = \"all_leaf\", proc = \"BLOCK\"}, " + instances + "}";
}

TEST_F(Refusals, Ranges) {
  const std::string each = R"(
  task.prange (%g) to (%n) {
    %tg = task.piece %ts[%g, 0]
    %xg = task.piece %xs[%g, 0]
    task.launch @work(%tg, %xg)
)";
  const std::string at = "a = {variant = \"work_leaf\", proc = \"WARPGROUP\"}";
  EXPECT_EQ(refusal(grid, rows + each + "}\n", blockMap("\"a\"", at)), "none");
  expect(refusal(grid, rows + each + "task.launch @work(%tg, %xg)\n}\n",
                 blockMap("\"a\", \"b\"", at + ", b = {variant = \"work_leaf\", proc = \"WARP\"}")),
         "expected the launches of a range at one level, got WARPGROUP and WARP");
  expect(refusal(grid, rows + each + "%one = arith.constant 1 : index\n%h = arith.divui %g, %one : index\n}\n",
                 blockMap("\"a\"", at)),
         "expected the variable of a range over processors of a block as the index of a piece, or in numbers that a "
         "leaf is launched with, got a number that has to be one for the whole block");
  expect(refusal(grid, rows + R"(
  %sums = task.make_tensor [64, 64] : f32
  task.launch @more(%sums, %x)
  task.prange (%g) to (%n) {
    %xg = task.piece %xs[%g, 0]
    task.launch @more(%sums, %xg)
  }
)",
                 blockMap("\"b\", \"b\"", "b = {variant = \"more_leaf\", proc = \"WARPGROUP\"}")),
         "expected one size for dimension");
  expect(refusal(grid, rows + R"(
  %zero = task.make_tensor [64, 64] : f32
  %half = task.piece %xs[0, 0]
  task.launch @all(%zero, %half)
  task.prange (%g) to (%n) {
    task.launch @more(%zero, %half)
  }
)",
                 blockMap("\"copy\", \"b\"", "b = {variant = \"more_leaf\", proc = \"WARPGROUP\"}")),
         "expected each iteration of the range around to write a piece of its own of 'temporary', got the same for "
         "every value of variable 0");
  auto ofWarps = [&](const std::string &task) {
    return refusal(grid, rows + R"(
  %p = task.mma %t [m, n] into 4
  %four = arith.constant 4 : index
  task.prange (%w) to (%four) {
    %tp = task.piece %p[%w]
    task.launch @)" + task + "(%tp, %x)\n}\n",
                   blockMap("\"b\"", "b = {variant = \"" + task + "_leaf\", proc = \"WARP\"}"));
  };
  expect(ofWarps("work"),
         "expected an operation that gives the same on all pieces together as on each, since ranges over processors "
         "divide its operands, got arith.addf");
  expect(ofWarps("all"), "expected each piece of 'temporary' from the same piece of what it is computed from");
  expect(refusal("",
                 "%m = task.dim %y, 0\n%t = task.make_tensor [128, 64] : f32\n%u = task.make_tensor [128, 64] : "
                 "f32\n%us = task.blocks %u [1, 64]\n%ts = task.blocks %t [64, full]\n%xs = task.blocks %x [128, "
                 "64]\n%x0 = task.piece %xs[0, 0]\ntask.launch @all(%t, %x0)\ntask.launch @all(%u, %x0)\n"
                 "%h = task.blocks %u [64, full]\n%two = arith.constant 2 : index\ntask.srange (%i) to (%m) {\n"
                 "%j = arith.remui %i, %two : index\n%tp = task.piece %ts[%j, 0]\n"
                 "%up = task.piece %h[0, 0]\ntask.launch @work(%up, %tp)\n}\n",
                 "{block = {variant = \"block\", proc = \"BLOCK\", calls = [\"c\", \"c\", \"w\"], entry}, c = {variant "
                 "= \"all_leaf\", proc = \"BLOCK\"}, w = {variant = \"work_leaf\", proc = \"BLOCK\"}}"),
         "expected a piece of 'temporary' at a place that is known here, since a block holds it, got one that depends "
         "on a variable");
  expect(refusal(grid, R"(
  %t = task.make_tensor [128, 64] : f32
  %ts = task.blocks %t [2, full]
  %us = task.blocks %x [2, full]
  %n = task.count %ts, 0
  task.launch @all(%t, %x)
  %one = arith.constant 1 : index
  task.srange (%r, %i) to (%n, %n) {
    %ti = task.piece %ts[%i, 0]
    %ui = task.piece %us[%i, 0]
    task.launch @work(%ti, %ui)
  }
)",
                 blockMap("\"b\"", "b = {variant = \"work_leaf\", proc = \"BLOCK\"}")),
         "expected at most 64 iterations of a range that is written out, got 4096\nwritten out because of this: "
         "expected a piece of 'temporary' at a place that is known here");
  expect(refusal(grid, R"(
  %one = task.tunable "ONE" = 1
  %t = task.make_tensor [64, 64] : f32
  %u = task.make_tensor [64, 64] : f32
  task.launch @fillc(%t)
  task.launch @fillc(%u)
  %ts = task.blocks %t [%one, %one]
  %us = task.blocks %u [%one, %one]
  %n = task.count %ts, 0
  task.srange (%i) to (%n) {
    task.srange (%j) to (%n) {
      task.srange (%k) to (%n) {
        %ti = task.piece %ts[%i, %j]
        %ui = task.piece %us[%k, 0]
        task.launch @work(%ti, %ui)
      }
    }
  }
)",
                 "{host = {variant = \"host\", proc = \"HOST\", calls = [\"block\"], entry}, block = {variant = "
                 "\"block\", proc = \"BLOCK\", calls = [\"f\", \"f\", \"w\"]}, f = {variant = \"fc\", proc = "
                 "\"BLOCK\"}, w = {variant = \"work_leaf\", proc = \"BLOCK\"}}"),
         "expected a block of at most 4096 operations, got more");
  // Carried once in pieces, once as a whole.
  expect(refusal("", R"(
  %m = task.dim %y, 0
  %xb = task.blocks %x [128, 64]
  %x0 = task.piece %xb[0, 0]
  %xs = task.blocks %x0 [64, full]
  %n = task.count %xs, 0
  task.prange (%g) to (%n) {
    %xg = task.piece %xs[%g, 0]
    %r = task.dim %xg, 0
    %u = task.make_tensor [%r, 64] : f32
    task.launch @all(%u, %xg)
    task.srange (%k) to (%m) {
      task.launch @all(%u, %x0)
    }
  }
)",
                 "{block = {variant = \"block\", proc = \"BLOCK\", calls = [\"b\", \"b\"], entry}, b = {variant = "
                 "\"all_leaf\", proc = \"WARPGROUP\"}}"),
         "expected iterations that divide 'temporary' in one way, got two");
}

// What is behind the last piece of a part, the program says, is zero; in memory it is the neighbour.
TEST_F(Refusals, PiecesBehindTheLast) {
  auto copy = [&](const std::string &of, const std::string &index) {
    return refusal(grid,
                   rows +
                       "%ys = task.blocks %y [64, full]\n%one = arith.constant 1 : index\n%h = arith.subi %n, %one "
                       ": index\ntask.srange (%i) to (" +
                       index + ") {\n%j = arith.addi %i, %one : index\n%xj = task.piece " + of +
                       "[%j, 0]\n%yi = task.piece %ys[%i, 0]\ntask.launch @all(%yi, %xj)\n}\n",
                   blockMap("\"copy\"", "b = {variant = \"all_leaf\", proc = \"BLOCK\"}"));
  };
  EXPECT_EQ(copy("%xs", "%h"), "none");
  expect(copy("%xs", "%n"),
         "expected an index below 2 along dimension 0, since nothing of 'x' is behind its last piece, got 2");
  expect(copy("%ts", "%n"),
         "expected an index below 2 along dimension 0, since nothing of 'temporary' is behind its last piece, got 2");
  // Along the whole of a tensor the loop counts what is known when the program runs.
  const std::string host = R"(
  %ys = task.blocks %y [128, full]
  %xs = task.blocks %x [128, full]
  %m = task.count %ys, 0
  task.prange (%i) to (%m) {
    %yi = task.piece %ys[%i, 0]
    %xi = task.piece %xs[%i, 0]
    task.launch @all(%yi, %xi)
  }
)";
  expect(refusal(host, R"(
  %ys = task.blocks %y [128, 64]
  %xs = task.blocks %x [64, 64]
  %n = task.count %ys, 1
  task.srange (%i) to (%n) {
    %yi = task.piece %ys[0, %i]
    %xi = task.piece %xs[%i, %i]
    task.launch @all(%yi, %xi)
  }
)",
                 "{host = {variant = \"host\", proc = \"HOST\", calls = [\"block\"], entry}, block = {variant = "
                 "\"block\", proc = \"BLOCK\", calls = [\"leaf\"]}, leaf = {variant = \"all_leaf\", proc = "
                 "\"BLOCK\"}}"),
         "expected an index below 2 along dimension 0, since nothing of 'x' is behind its last piece, got one that may "
         "be another");
}

TEST_F(Refusals, Fragments) {
  auto mma = [&](const std::string &count, const std::string &level) {
    return refusal(grid,
                   rows + "%p = task.mma %t [m, n] into 4\n%q = task.mma %x [m, n] into 4\n%c = arith.constant " +
                       count + R"( : index
  task.prange (%w) to (%c) {
    %tp = task.piece %p[%w]
    %xp = task.piece %q[%w]
    task.launch @work(%tp, %xp)
  }
)",
                   blockMap("\"b\"", "b = {variant = \"work_leaf\", proc = \"" + level + "\"}"));
  };
  EXPECT_EQ(mma("4", "WARP"), "none");
  expect(mma("2", "WARP"), "expected a range over all 4 pieces, got 2");
  expect(mma("65", "BLOCK"), "expected at most 64 iterations of a range that is written out, got 65");
}

TEST_F(Refusals, Products) {
  auto product = [&](const std::string &sizes, const std::string &body, const std::string &level) {
    return refusal(grid,
                   "%c = task.make_tensor [" + sizes + "] : f32\n%a = task.make_tensor [" +
                       sizes.substr(0, sizes.find(',')) + ", 64] : f16\n%b = task.make_tensor [64, 64] : f16\n" + body,
                   "{host = {variant = \"host\", proc = \"HOST\", calls = [\"block\"], entry}, block = {variant = "
                   "\"block\", proc = \"BLOCK\", calls = [\"fc\", \"fa\", \"fa\", \"p\"]}, fc = {variant = \"fc\", "
                   "proc = \"BLOCK\"}, fa = {variant = \"fa\", proc = \"BLOCK\"}, p = {variant = \"product_leaf\", "
                   "proc = \"" +
                       level + "\"}}");
  };
  const std::string fill = "task.launch @fillc(%c)\ntask.launch @filla(%a)\ntask.launch @filla(%b)\n";
  EXPECT_EQ(product("128, 64", fill + "task.launch @product(%c, %a, %b)\n", "WARPGROUP"), "none");
  expect(product("32, 64", fill + "task.launch @product(%c, %a, %b)\n", "WARPGROUP"),
         "expected the fragments of the tensor core's instruction m64nNk16 (of every 64 rows 16 for each warp, of "
         "these rows t / 4 and t / 4 + 8 and of every 8 columns 2 (t mod 4) and the next for thread t), got 32 rows "
         "for a warp group");
  expect(product("64, 64", fill + "task.launch @product(%c, %a, %b)\n", "THREAD"),
         "thread t), got rows and columns that no ranges over warps and threads divide");
  const std::string rows = R"(
  %cs = task.blocks %c [16, full]
  %as = task.blocks %a [16, full]
  %n = task.count %cs, 0
  task.prange (%g) to (%n) {
    %cg = task.piece %cs[%g, 0]
    %ag = task.piece %as[%g, 0]
    task.launch @product(%cg, %ag, %b)
  }
)";
  EXPECT_EQ(product("64, 64", fill + rows, "WARP"), "none"); // sixteen rows are what a warp has
  expect(product("64, 64", fill + rows, "THREAD"), "thread t), got row 1 at thread 0 of every four");
  expect(product("256, 64", fill + rows, "WARP"), "expected at most the 4 of level WARP in one of level BLOCK, got 16");
  expect(product("128, 64", fill + R"(
  %cs = task.blocks %c [full, 32]
  %bs = task.blocks %b [32, full]
  %n = task.count %cs, 1
  task.prange (%g) to (%n) {
    %cg = task.piece %cs[0, %g]
    %bg = task.piece %bs[%g, 0]
    task.launch @product(%cg, %a, %bg)
  }
)",
                 "WARPGROUP"),
         "expected warp groups that divide the rows of a product, got its columns divided");
}
