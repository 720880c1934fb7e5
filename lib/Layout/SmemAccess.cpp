//===- SmemAccess.cpp - vectorised access of register tiles to shared memory ----===//
//
// A thread's address splits into what its lane and warp contribute and what each register
// contributes. Both are plain byte offsets that add (chunks are powers of two wide and the
// two use different coordinate bits); the swizzle XORs address bits 4..6 with bits 7..9, so
// it acts on the two parts separately: swizzle(T + R) = (swizzle(T) ^ low) + high.
//
//===----------------------------------------------------------------------------===//
#include "heddle/Layout/LinearLayout.h"

#include <algorithm>
#include <set>

using namespace heddle;
using Vector = LinearLayout::Vector;

int64_t heddle::storageOffset(const SmemStorage &s, int64_t row, int64_t col) {
  if (!s.chunked)
    return row * s.pitchBytes + col * s.elemBytes;
  int64_t width = s.swizzleBytes / s.elemBytes;
  return (col / width) * s.rows * s.swizzleBytes + row * s.swizzleBytes + (col % width) * s.elemBytes;
}

static int64_t swizzled(int swizzleBytes, int64_t offset) {
  int64_t mask = swizzleBytes ? swizzleBytes / 16 - 1 : 0; // units of 16 bytes in a row
  return offset ^ ((offset >> 7 & mask) << 4);
}

std::optional<SmemAccess> heddle::planSmemAccess(const LinearLayout &layout, const SmemStorage &storage,
                                                 int64_t maxBytes) {
  int rank = layout.rank();
  if (rank < 1 || rank > 2)
    return std::nullopt;
  if (storage.swizzleBytes &&
      (storage.pitchBytes != storage.swizzleBytes ||
       (storage.chunked && storage.rows % 8 && storage.cols * storage.elemBytes > storage.swizzleBytes)))
    return std::nullopt;
  int inner = rank == 1 ? 0 : storage.transposed ? 0 : 1;
  auto rowOf = [&](Vector v) { return rank == 1 ? 0 : LinearLayout::component(v, 1 - inner); };
  auto colOf = [&](Vector v) { return LinearLayout::component(v, inner); };
  int64_t threadRows = 0, threadCols = 0;
  for (const auto *basis : {&layout.lane(), &layout.warp()})
    for (Vector v : *basis) {
      threadRows |= rowOf(v);
      threadCols |= colOf(v);
    }

  // Register bits that step through memory one element, two, four ... at a time.
  int64_t vector = 1;
  std::vector<int64_t> steps;
  while (vector * 2 * storage.elemBytes <= maxBytes) {
    int64_t bytes = vector * 2 * storage.elemBytes;
    if (storage.pitchBytes % bytes || storage.colOffset % (vector * 2) || layout.shape()[inner] % (vector * 2))
      break;
    size_t bit = 0;
    while (bit < layout.reg().size() && layout.reg()[bit] != LinearLayout::unit(inner, vector))
      ++bit;
    if (bit == layout.reg().size())
      break;
    steps.push_back(int64_t(1) << bit);
    vector *= 2;
  }
  int64_t stepMask = 0;
  for (int64_t step : steps)
    stepMask |= step;

  std::vector<int64_t> present = layout.registers();
  std::vector<int64_t> index(size_t(1) << layout.reg().size(), -1);
  for (size_t i = 0; i < present.size(); ++i)
    index[present[i]] = static_cast<int64_t>(i);
  SmemAccess plan;
  plan.vector = static_cast<int>(vector);
  for (int64_t r : present) {
    if (r & stepMask)
      continue;
    Vector v = layout.at(r, 0, 0);
    int64_t row = rowOf(v) + storage.rowOffset, col = colOf(v) + storage.colOffset;
    if ((row & threadRows) || (col & threadCols))
      return std::nullopt;
    SmemAccess::Entry entry;
    int64_t offset = storageOffset(storage, row, col);
    if (storage.swizzleBytes) {
      entry.low = swizzled(storage.swizzleBytes, offset) & 127;
      entry.high = offset & ~int64_t(127);
    } else {
      entry.high = offset;
    }
    for (int64_t e = 0; e < vector; ++e) {
      int64_t reg = r;
      for (size_t s = 0; s < steps.size(); ++s)
        reg |= e >> s & 1 ? steps[s] : 0;
      entry.registers.push_back(index[reg]);
    }
    plan.entries.push_back(std::move(entry));
  }
  return plan;
}

/// Passes of one access by a warp. What registers add shifts all lanes alike, but where `order` says otherwise.
static int64_t passesOfOne(const LinearLayout &layout, const SmemStorage &storage, const SmemAccess &plan,
                           const SplitOrder &order) {
  constexpr int64_t banks = 32, bankBytes = 4;
  int inner = layout.rank() == 1 || storage.transposed ? 0 : 1;
  // Wide accesses go part of a warp at a time.
  int64_t bytes = plan.vector * storage.elemBytes;
  int lanesAtOnce = static_cast<int>(std::min<int64_t>(32, banks * bankBytes / bytes));
  int64_t passes = 0;
  for (int first = 0; first < 32; first += lanesAtOnce) {
    std::vector<std::set<int64_t>> words(banks);
    for (int lane = first; lane < first + lanesAtOnce; ++lane) {
      Vector v = layout.at(0, lane, 0);
      int64_t row = layout.rank() == 1 ? 0 : LinearLayout::component(v, 1 - inner);
      int64_t offset = swizzled(storage.swizzleBytes, storageOffset(storage, row, LinearLayout::component(v, inner)));
      offset ^= lane >> order.laneBit & 1 ? order.low : 0;
      for (int64_t word = offset / bankBytes; word * bankBytes < offset + bytes; ++word)
        words[word % banks].insert(word);
    }
    size_t most = 0;
    for (const std::set<int64_t> &bank : words)
      most = std::max(most, bank.size());
    passes += static_cast<int64_t>(most);
  }
  return passes;
}

int64_t heddle::bankPasses(const LinearLayout &layout, const SmemStorage &storage) {
  std::optional<SmemAccess> plan = planSmemAccess(layout, storage);
  if (!plan || plan->entries.empty())
    return 0;
  return passesOfOne(layout, storage, *plan, {}) * static_cast<int64_t>(plan->entries.size());
}

std::optional<SplitOrder> heddle::planSplitOrder(const LinearLayout &layout, const SmemStorage &storage,
                                                 const SmemAccess &plan) {
  int64_t count = static_cast<int64_t>(plan.entries.size());
  if (!storage.swizzleBytes || count & (count - 1))
    return std::nullopt;
  std::optional<SplitOrder> best;
  int64_t least = passesOfOne(layout, storage, plan, {}) / 2;
  for (int64_t entries = 1; entries < count; entries *= 2) {
    int64_t low = plan.entries[entries].low ^ plan.entries[0].low;
    int64_t high = plan.entries[entries].high - plan.entries[0].high;
    bool alike = true; // for every access
    for (int64_t e = 0; e < count; ++e)
      alike &= (plan.entries[e].low ^ plan.entries[e ^ entries].low) == low &&
               (e & entries || plan.entries[e ^ entries].high - plan.entries[e].high == high);
    for (int laneBit = 0; alike && low && laneBit < 5; ++laneBit) {
      SplitOrder order{laneBit, entries, low, high};
      int64_t passes = passesOfOne(layout, storage, plan, order);
      if (passes <= least && (!best || passes < least)) {
        best = order;
        least = passes;
      }
    }
  }
  return best;
}
