//===- LinearLayoutTest.cpp - layouts against the formulas they stand for -------===//
#include "heddle/Layout/LinearLayout.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace heddle;
using Vector = LinearLayout::Vector;

namespace {

Vector coord(int64_t row, int64_t col) { return LinearLayout::unit(0, row) | LinearLayout::unit(1, col); }

/// Holders of each element, by enumeration: what the algebra must agree with.
std::map<Vector, std::set<int64_t>> holders(const LinearLayout &l) {
  std::map<Vector, std::set<int64_t>> result;
  std::vector<int64_t> regs = l.registers();
  for (int warp = 0; warp < l.numWarps(); ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (size_t i = 0; i < regs.size(); ++i)
        result[l.at(regs[i], lane, warp)].insert((warp * 32 + lane) * 4096 + static_cast<int64_t>(i));
  return result;
}

void expectComplete(const LinearLayout &l) {
  EXPECT_EQ(l.verify(), "") << l.str();
  int64_t elements = 1;
  for (int64_t size : l.shape())
    elements *= size;
  auto map = holders(l);
  EXPECT_EQ(static_cast<int64_t>(map.size()), elements) << l.str();
  for (auto &[v, threads] : map)
    EXPECT_TRUE(l.inBounds(v));
}

TEST(Layout, AccumulatorIsTheGuidesFormula) {
  for (int64_t m : {64, 128, 192})
    for (int64_t n : {8, 24, 64, 96, 176, 192, 256}) {
      LinearLayout l = accumulatorLayout(m, n);
      ASSERT_EQ(l.numRegisters(), m / 64 * n / 2);
      std::vector<int64_t> regs = l.registers();
      for (int t = 0; t < 128; ++t)
        for (int64_t p = 0; p < m / 64; ++p)
          for (int64_t v = 0; v < n / 8; ++v)
            for (int i = 0; i < 2; ++i)
              for (int j = 0; j < 2; ++j) {
                int w = t / 32, lane = t % 32;
                int64_t r = p * n / 2 + 4 * v + 2 * i + j;
                ASSERT_EQ(l.at(regs[r], lane, w),
                          coord(64 * p + 16 * w + lane / 4 + 8 * i, 8 * v + 2 * (lane % 4) + j));
              }
      expectComplete(l);
    }
}

TEST(Layout, OperandA) {
  EXPECT_EQ(operandALayout(64, 80, 2), accumulatorLayout(64, 80));
  EXPECT_EQ(operandALayout(128, 64, 2), accumulatorLayout(128, 64));
  LinearLayout bytes = operandALayout(64, 64, 1), tf32 = operandALayout(64, 16, 4);
  for (int t = 0; t < 128; ++t)
    for (int r = 0; r < 32; ++r) {
      // Word a of k-step s holds bytes e: guide A4.
      int w = t / 32, lane = t % 32, e = r % 4, a = r / 4 % 4, s = r / 16;
      ASSERT_EQ(bytes.at(r, lane, w),
                coord(16 * w + lane / 4 + 8 * (a & 1), 32 * s + 16 * (a >> 1) + 4 * (lane % 4) + e));
      if (r < 8) {
        a = r % 4, s = r / 4;
        ASSERT_EQ(tf32.at(r, lane, w), coord(16 * w + lane / 4 + 8 * (a & 1), 8 * s + 4 * (a >> 1) + lane % 4));
      }
    }
  expectComplete(bytes);
  expectComplete(tf32);
}

/// Every part of the stated size is a window: the same threads hold the same places of each.
TEST(Layout, BlockedPartsAreWindows) {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{64, 256}, {8, 192}, {32, 64}})
    for (int64_t bytes : {2, 4}) {
      int64_t width = 128 / bytes;
      LinearLayout layout = blockedLayout(shape, bytes, 4, {shape[0], width});
      EXPECT_EQ(layout.verify(), "");
      for (int64_t column = 0; column < shape[1]; column += width) {
        std::optional<Window> window = planWindow(layout, {0, column}, {shape[0], width});
        ASSERT_TRUE(window);
        EXPECT_EQ(window->layout, blockedLayout({shape[0], width}, bytes, 4));
      }
    }
}

TEST(Layout, BlockedCoversEveryShape) {
  for (int warps : {1, 4})
    for (int64_t bytes : {1, 2, 4})
      for (auto shape : std::vector<std::vector<int64_t>>{
               {64, 64}, {128, 96}, {1, 40}, {24, 24}, {128}, {96}, {7}, {1}, {16, 8, 32}, {64, 176}})
        expectComplete(blockedLayout(shape, bytes, warps));
  LinearLayout l = blockedLayout({64, 64}, 2, 4);
  EXPECT_EQ(l.at(1, 0, 0), coord(0, 1));
  EXPECT_EQ(l.at(0, 1, 0), coord(0, 8));
  EXPECT_EQ(l.at(0, 8, 0), coord(1, 0));
}

TEST(Layout, PiecesStayInThreads) {
  for (int64_t piece : {4, 8, 16})
    for (auto shape : std::vector<std::vector<int64_t>>{{64, 64}, {128, 128}, {24, 32}, {8, 48}, {200, 16}}) {
      LinearLayout l = piecesLayout(shape, piece, 4);
      expectComplete(l);
      std::vector<int64_t> registers = l.registers();
      ASSERT_EQ(registers.size() % piece, 0u);
      for (size_t i = 0; i < registers.size(); ++i) { // neighbours from a multiple on
        int64_t column = LinearLayout::component(l.at(registers[i], 31, 3), 1);
        EXPECT_EQ(column % piece, static_cast<int64_t>(i) % piece);
      }
    }
}

TEST(Layout, LinesOfPiecesHaveTheSameRows) {
  LinearLayout rows = sliceLayout(piecesLayout({64, 64}, 8, 4), 1);
  EXPECT_EQ(sliceLayout(piecesLayout({64, 128}, 8, 4), 1), rows);
  EXPECT_EQ(sliceLayout(piecesLayout({64, 512}, 8, 4), 1), rows);
  // Of eight rows a line is not enough for 128 threads: all of them copy.
  LinearLayout few = piecesLayout({8, 256}, 8, 4);
  expectComplete(few);
  EXPECT_FALSE(few.isReplicated());
}

TEST(Layout, SliceExpandTranspose) {
  LinearLayout acc = accumulatorLayout(64, 96);
  LinearLayout rows = sliceLayout(acc, 1), cols = sliceLayout(acc, 0);
  EXPECT_EQ(rows.numRegisters(), 2);
  EXPECT_EQ(cols.numRegisters(), 24);
  EXPECT_TRUE(rows.isReplicated());
  expectComplete(rows);
  expectComplete(cols);
  expectComplete(expandLayout(rows, 1, 40));
  expectComplete(expandLayout(rows, 0, 3));
  EXPECT_EQ(transposeLayout(transposeLayout(acc)), acc);
  expectComplete(transposeLayout(acc));
  expectComplete(sliceLayout(rows, 0)); // rank 0: every thread holds the scalar
}

TEST(Layout, BroadcastMap) {
  LinearLayout acc = accumulatorLayout(128, 96);
  for (int dim : {0, 1}) {
    LinearLayout from = sliceLayout(acc, dim);
    auto map = broadcastMap(from, acc, dim);
    ASSERT_TRUE(map);
    std::vector<int64_t> src = from.registers(), dst = acc.registers();
    for (int w = 0; w < 4; ++w)
      for (int lane = 0; lane < 32; ++lane)
        for (size_t i = 0; i < dst.size(); ++i)
          ASSERT_EQ(from.at(src[(*map)[i]], lane, w), LinearLayout::dropDim(acc.at(dst[i], lane, w), dim));
  }
  EXPECT_FALSE(broadcastMap(blockedLayout({128}, 4, 4), acc, 1));
}

/// What hd::exchangeLanes does, for every warp, lane and register.
static void expectExchange(const LinearLayout &from, const LinearLayout &to, const Conversion &plan,
                           int64_t packing = 1) {
  std::vector<int64_t> src = from.registers(), dst = to.registers();
  for (int w = 0; w < from.numWarps(); ++w)
    for (int l = 0; l < 32; ++l)
      for (size_t i = 0; i < dst.size(); ++i) {
        // Element i is one of the pair of words, as the selector of its word says.
        int bytes = 4 / static_cast<int>(packing), place = static_cast<int>(i % packing) * bytes;
        int selected = (i & plan.stride ? plan.secondSelector : plan.firstSelector) >> 4 * place & 7;
        size_t element = (i & ~plan.stride) / packing * packing + selected % 4 / bytes;
        int source = selected >= 4 ? 1 << plan.fromLane : 0;
        for (int b = 0; b < 5; ++b)
          source |= l >> b & 1 ? plan.laneMap[b] : 0;
        size_t given = element | (l >> plan.toLane & 1 ? plan.stride : 0);
        ASSERT_EQ(from.at(src[given], source, w), to.at(dst[i], l, w));
      }
}

// Accumulators become left operands of 8 bits and of 32 inside their warps, for every width.
TEST(Layout, OperandsAreMadeByExchanges) {
  for (int64_t columns : {32, 64, 96, 128, 160, 192, 224, 256})
    for (int64_t bytes : {1, 4}) {
      LinearLayout from = accumulatorLayout(64, columns), to = operandALayout(64, columns, bytes);
      if (bytes == 1) { // else registers change places between pairs besides
        EXPECT_EQ(planConversion(from, to, 4).kind, ConversionKind::Exchange);
      }
      std::vector<LinearLayout> steps = conversionSteps(from, to, 4 / bytes);
      steps.push_back(to);
      int exchanges = 0;
      LinearLayout before = from;
      for (const LinearLayout &step : steps) {
        Conversion plan = planConversion(before, step, 4 / bytes);
        EXPECT_NE(plan.kind, ConversionKind::SharedMemory);
        if (plan.kind == ConversionKind::Exchange) {
          ++exchanges;
          EXPECT_GE(plan.stride, 4 / bytes) << "words move as a whole";
          expectExchange(before, step, plan, 4 / bytes);
        }
        before = step;
      }
      EXPECT_EQ(exchanges, 1);
    }
  // Rows of vectors of 16 bytes: more than one bit changes places.
  EXPECT_TRUE(conversionSteps(accumulatorLayout(64, 64), blockedLayout({64, 64}, 2, 4), 2).empty());
}

// Lanes of a row exchange what they hold of 16 bytes for other columns of it, one bit after the other.
TEST(Layout, PiecesOfRows) {
  for (int64_t columns : {32, 64, 128, 256}) {
    LinearLayout from = accumulatorLayout(64, columns);
    std::optional<LinearLayout> to = piecesOfRows(from, 8);
    ASSERT_TRUE(to);
    EXPECT_EQ(to->verify(), "");
    for (int64_t bit : {0, 1, 2})
      EXPECT_EQ(to->reg()[bit], LinearLayout::unit(1, 1 << bit));
    EXPECT_FALSE(piecesOfRows(*to, 8)) << "they are there";
    std::vector<LinearLayout> steps = exchangeSteps(from, *to, 2);
    EXPECT_EQ(steps.size(), 2u);
    steps.push_back(*to);
    LinearLayout before = from;
    for (const LinearLayout &step : steps) {
      EXPECT_NE(planConversion(before, step, 2).kind, ConversionKind::SharedMemory);
      before = step;
    }
  }
  EXPECT_FALSE(piecesOfRows(accumulatorLayout(64, 16), 8)) << "no other columns";
}

// A thread that holds neighbouring rows of bytes has words of columns after a change of place of its registers.
TEST(Layout, WordsOfRows) {
  LinearLayout rows = blockedLayout({128, 128}, 1, 16, {}, 4);
  EXPECT_EQ(rows.verify(), "");
  EXPECT_EQ(rows.reg().size(), 5u) << "8 bytes of 4 rows";
  EXPECT_FALSE(wordsOfRows(rows, 4)) << "they are bytes of a row";
  auto turned = [](const std::vector<Vector> &basis) {
    std::vector<Vector> result;
    for (Vector v : basis)
      result.push_back(LinearLayout::unit(0, LinearLayout::component(v, 1)) ^
                       LinearLayout::unit(1, LinearLayout::component(v, 0)));
    return result;
  };
  LinearLayout columns({128, 128}, turned(rows.reg()), turned(rows.lane()), turned(rows.warp()));
  std::optional<LinearLayout> words = wordsOfRows(columns, 4);
  ASSERT_TRUE(words);
  EXPECT_EQ(words->verify(), "");
  EXPECT_EQ(planConversion(columns, *words, 4).kind, ConversionKind::Registers);
  EXPECT_EQ(words->reg()[0], LinearLayout::unit(1, 1));
  EXPECT_EQ(words->reg()[1], LinearLayout::unit(1, 2));
  EXPECT_FALSE(wordsOfRows(*words, 4)) << "already";
  EXPECT_FALSE(wordsOfRows(accumulatorLayout(64, 64), 4)) << "two neighbours alone";
  // As many rows as there are, and no more than threads leave.
  EXPECT_EQ(blockedLayout({128, 128}, 1, 16), blockedLayout({128, 128}, 1, 16, {}, 1));
  EXPECT_EQ(blockedLayout({2, 512}, 1, 4, {}, 4).verify(), "");
}

TEST(Layout, ConversionsAgreeWithEnumeration) {
  LinearLayout acc = accumulatorLayout(64, 64);
  std::vector<Vector> reversed(acc.reg().rbegin(), acc.reg().rend());
  std::vector<Vector> lanes(acc.lane().rbegin(), acc.lane().rend());
  std::vector<Vector> reg = acc.reg(), lane = acc.lane();
  std::swap(reg[0], lane[0]);
  std::vector<LinearLayout> layouts = {
      acc,
      LinearLayout({64, 64}, reversed, acc.lane(), acc.warp()),
      LinearLayout({64, 64}, acc.reg(), lanes, acc.warp()),
      LinearLayout({64, 64}, reg, lane, acc.warp()),
      operandALayout(64, 64, 1),
      blockedLayout({64, 64}, 2, 4),
  };
  for (const LinearLayout &from : layouts)
    for (const LinearLayout &to : layouts) {
      Conversion plan = planConversion(from, to);
      if (plan.kind == ConversionKind::SharedMemory || plan.kind == ConversionKind::Identity)
        continue;
      if (plan.kind == ConversionKind::Exchange) {
        expectExchange(from, to, plan);
        continue;
      }
      std::vector<int64_t> src = from.registers(), dst = to.registers();
      for (int w = 0; w < 4; ++w)
        for (int l = 0; l < 32; ++l)
          for (size_t i = 0; i < dst.size(); ++i) {
            int source = plan.laneXor[i];
            for (int b = 0; b < 5; ++b)
              source ^= l >> b & 1 ? plan.laneMap[b] : 0;
            if (plan.kind == ConversionKind::Registers) {
              ASSERT_EQ(source, l);
            }
            ASSERT_EQ(from.at(src[plan.source[i]], source, w), to.at(dst[i], l, w));
          }
    }
  EXPECT_EQ(planConversion(layouts[0], layouts[0]).kind, ConversionKind::Identity);
  EXPECT_EQ(planConversion(layouts[0], layouts[1]).kind, ConversionKind::Registers);
  EXPECT_EQ(planConversion(layouts[0], layouts[2]).kind, ConversionKind::Shuffle);
  EXPECT_EQ(planConversion(layouts[0], layouts[5]).kind, ConversionKind::SharedMemory);
  // Distributed to replicated over lanes: any register of any lane can be fetched.
  LinearLayout rows = sliceLayout(acc, 1);
  EXPECT_EQ(planConversion(rows, blockedLayout({64}, 4, 4)).kind, ConversionKind::SharedMemory);
}

TEST(Layout, Reduction) {
  LinearLayout acc = accumulatorLayout(128, 96);
  auto rows = planReduction(acc, 1);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->result, sliceLayout(acc, 1));
  EXPECT_EQ(rows->laneMasks, (std::vector<int>{1, 2}));
  EXPECT_TRUE(rows->warpBits.empty());
  EXPECT_EQ(rows->resultOf[0], 0);
  EXPECT_EQ(rows->resultOf[2], 1);
  EXPECT_EQ(rows->resultOf[48], 2);
  auto cols = planReduction(acc, 0);
  ASSERT_TRUE(cols);
  EXPECT_EQ(cols->laneMasks, (std::vector<int>{4, 8, 16}));
  EXPECT_EQ(cols->warpBits, (std::vector<int>{0, 1}));
  std::vector<int64_t> src = acc.registers(), dst = cols->result.registers();
  for (size_t i = 0; i < src.size(); ++i)
    EXPECT_EQ(LinearLayout::component(acc.at(src[i], 0, 0), 1),
              LinearLayout::component(cols->result.at(dst[cols->resultOf[i]], 0, 0), 0));
}

/// PTX ISA, tensor swizzle modes.
int64_t swizzle(int bytes, int64_t offset) {
  int64_t mask = bytes / 16 - 1;
  return bytes ? offset ^ ((offset >> 7 & mask) << 4) : offset;
}

void expectAccess(const LinearLayout &l, const SmemStorage &s, int vector) {
  auto plan = planSmemAccess(l, s);
  ASSERT_TRUE(plan) << l.str();
  EXPECT_EQ(plan->vector, vector);
  std::vector<int64_t> regs = l.registers();
  auto storageOf = [&](Vector v, int64_t &row, int64_t &col) {
    row = LinearLayout::component(v, 0), col = LinearLayout::component(v, 1);
    if (l.rank() == 1)
      col = row, row = 0;
    if (s.transposed)
      std::swap(row, col);
  };
  size_t seen = 0;
  for (const auto &entry : plan->entries)
    for (size_t e = 0; e < entry.registers.size(); ++e, ++seen)
      for (int w = 0; w < l.numWarps(); ++w)
        for (int lane = 0; lane < 32; ++lane) {
          int64_t row, col;
          storageOf(l.at(0, lane, w), row, col);
          int64_t thread = storageOffset(s, row, col);
          int64_t address = (swizzle(s.swizzleBytes, thread) ^ entry.low) + entry.high + e * s.elemBytes;
          storageOf(l.at(regs[entry.registers[e]], lane, w), row, col);
          ASSERT_EQ(address, swizzle(s.swizzleBytes, storageOffset(s, row + s.rowOffset, col + s.colOffset)));
        }
  EXPECT_EQ(seen, regs.size());
}

TEST(Layout, SharedMemoryAccess) {
  SmemStorage f16{.rows = 64, .cols = 128, .elemBytes = 2, .pitchBytes = 128, .swizzleBytes = 128, .chunked = true};
  expectAccess(accumulatorLayout(64, 128), f16, 2);
  expectAccess(blockedLayout({64, 128}, 2, 4), f16, 8);
  f16.rows = 96;
  f16.rowOffset = 0;
  expectAccess(accumulatorLayout(64, 96), f16, 2);
  f16.rows = 192, f16.rowOffset = 128, f16.colOffset = 64;
  expectAccess(accumulatorLayout(64, 64), f16, 2);
  SmemStorage narrow{.rows = 64, .cols = 32, .elemBytes = 2, .pitchBytes = 64, .swizzleBytes = 64, .chunked = true};
  expectAccess(accumulatorLayout(64, 32), narrow, 2);
  SmemStorage tiny{.rows = 64, .cols = 8, .elemBytes = 4, .pitchBytes = 32, .swizzleBytes = 32, .chunked = true};
  expectAccess(accumulatorLayout(64, 8), tiny, 2);
  SmemStorage f32{.rows = 128, .cols = 96, .elemBytes = 4, .pitchBytes = 128, .swizzleBytes = 128, .chunked = true};
  expectAccess(accumulatorLayout(128, 96), f32, 2);
  SmemStorage plain{.rows = 64, .cols = 40, .elemBytes = 4, .pitchBytes = 160};
  expectAccess(accumulatorLayout(64, 40), plain, 2);
  SmemStorage vec{.rows = 1, .cols = 128, .elemBytes = 4, .pitchBytes = 512};
  expectAccess(sliceLayout(accumulatorLayout(128, 64), 1), vec, 1);
  SmemStorage turned{.rows = 128,
                     .cols = 64,
                     .elemBytes = 2,
                     .pitchBytes = 128,
                     .swizzleBytes = 128,
                     .chunked = true,
                     .transposed = true};
  expectAccess(accumulatorLayout(64, 128), turned, 1);
  expectAccess(transposeLayout(blockedLayout({128, 64}, 2, 4)), turned, 8);
  // A corner whose bits carry into the tile's own has no such plan.
  SmemStorage odd = f32;
  odd.colOffset = 2;
  EXPECT_FALSE(planSmemAccess(accumulatorLayout(64, 16), odd));
}

TEST(Layout, VerifyRejects) {
  LinearLayout acc = accumulatorLayout(64, 16);
  EXPECT_EQ(LinearLayout({64, 16}, acc.reg(), {}, acc.warp()).verify(), "expected 5 lane vectors, got 0");
  EXPECT_EQ(LinearLayout({64, 32}, acc.reg(), acc.lane(), acc.warp()).verify(),
            "expected every element to be held, got rank 10 of 11");
  EXPECT_EQ(LinearLayout({64, 8}, acc.reg(), acc.lane(), acc.warp()).verify(),
            "expected vectors inside the shape, got d1:8");
  EXPECT_EQ(LinearLayout({64, 18}, acc.reg(), acc.lane(), acc.warp()).verify(),
            "expected lanes and warps to divide the shape, got d1:2");
  auto reg = acc.reg();
  reg.push_back(reg[0]);
  EXPECT_EQ(LinearLayout({64, 16}, reg, acc.lane(), acc.warp()).verify(),
            "expected independent register vectors, got d1:1");
  reg.back() = acc.lane()[0];
  EXPECT_EQ(LinearLayout({64, 16}, reg, acc.lane(), acc.warp()).verify(),
            "expected registers to use other bits than lanes and warps, got d1:2");
  EXPECT_EQ(LinearLayout({0, 16}, acc.reg(), acc.lane(), acc.warp()).verify(), "expected sizes from 1 to 32768, got 0");
  EXPECT_EQ(LinearLayout({1, 1, 1, 1, 1}, {}, acc.lane(), {}).verify(), "expected a rank of at most 4, got 5");
}

// A window's elements are the whole's at the offset, in the same thread.
TEST(Layout, Window) {
  LinearLayout whole = accumulatorLayout(64, 256);
  for (int64_t column : {0, 64, 192}) {
    auto window = planWindow(whole, {0, column}, {64, 64});
    ASSERT_TRUE(window);
    EXPECT_EQ(window->layout, accumulatorLayout(64, 64));
    std::vector<int64_t> all = whole.registers(), part = window->layout.registers();
    ASSERT_EQ(window->source.size(), part.size());
    for (size_t i = 0; i < part.size(); ++i)
      for (int lane = 0; lane < 32; ++lane)
        for (int warp = 0; warp < 4; ++warp)
          EXPECT_EQ(whole.at(all[window->source[i]], lane, warp),
                    window->layout.at(part[i], lane, warp) ^ LinearLayout::unit(1, column));
  }
  EXPECT_FALSE(planWindow(whole, {0, 32}, {64, 64})); // not aligned to its size
  EXPECT_FALSE(planWindow(whole, {0, 0}, {32, 64}));  // warps would hold other rows
}

// Rows that become one, and one that becomes several, keep their elements in their threads.
TEST(Layout, Reshape) {
  LinearLayout rows = blockedLayout({8, 192}, 2, 4);
  LinearLayout heads = reshapeLayout(rows, {8, 3, 64}, {{0}, {1, 2}}, true);
  EXPECT_EQ(heads.verify(), "");
  EXPECT_EQ(heads.numRegisters(), rows.numRegisters());
  for (int64_t r : rows.registers())
    for (int lane = 0; lane < 32; ++lane) {
      LinearLayout::Vector v = rows.at(r, lane, 1), w = heads.at(r, lane, 1);
      EXPECT_EQ(LinearLayout::component(v, 1), 64 * LinearLayout::component(w, 1) + LinearLayout::component(w, 2));
    }
  EXPECT_EQ(reshapeLayout(heads, {8, 192}, {{0}, {1, 2}}, false), rows);
}

// Columns of 16-bit elements, 8 rows of 16 bytes more each: all in the banks of one word. With 4 bytes more in two.
TEST(Layout, BankPasses) {
  LinearLayout rows = blockedLayout({64, 64}, 2, 4), columns = transposeLayout(rows);
  EXPECT_EQ(bankPasses(rows, {64, 64, 2, 144}), 16);
  EXPECT_EQ(bankPasses(columns, {64, 64, 2, 144}), 256);
  EXPECT_EQ(bankPasses(rows, {64, 64, 2, 132}), 16);
  EXPECT_EQ(bankPasses(columns, {64, 64, 2, 132}), 64);
}

// Accumulators of 32 f32 columns in rows of 128 bytes: 8 bytes a thread, whose rows 0 and 1 have the same banks but for
// the order of two words of 16 bytes. With another order in odd rows every pass is full.
TEST(Layout, SplitOrder) {
  LinearLayout rows = accumulatorLayout(64, 32);
  SmemStorage storage{64, 32, 4, 128, 128, true};
  EXPECT_EQ(bankPasses(rows, storage), 8 * 4);
  std::optional<SplitOrder> order = planSplitOrder(rows, storage, *planSmemAccess(rows, storage));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->laneBit, 1); // of the column
  EXPECT_EQ(order->low, 64);
  // f16, 4 bytes a thread: nothing to gain.
  SmemStorage halves{64, 64, 2, 128, 128, true};
  LinearLayout packed = accumulatorLayout(64, 64);
  EXPECT_FALSE(planSplitOrder(packed, halves, *planSmemAccess(packed, halves)));
  // A left operand of f32 that lies across: rows of memory 0 and 1 meet in banks, 4 and 5 do in others.
  SmemStorage across{32, 64, 4, 128, 128, true, true};
  LinearLayout left = operandALayout(64, 32, 4);
  EXPECT_EQ(bankPasses(left, across), 2 * 16);
  order = planSplitOrder(left, across, *planSmemAccess(left, across));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->laneBit, 0); // of the row of memory
  EXPECT_EQ(order->low, 64);
  EXPECT_EQ(order->high, 4 * 128);
}

} // namespace
