//===- Conversion.cpp - conversions, broadcasts and reductions of layouts -------===//
//
// All by solving linear equations over F2. A conversion asks, for each basis vector of the
// destination, which combination of source bits holds the same element; answers for the
// basis answer for every element by XOR.
//
//===----------------------------------------------------------------------------===//
#include "heddle/Layout/LinearLayout.h"

#include <algorithm>

using namespace heddle;
using Vector = LinearLayout::Vector;

namespace {

/// Vectors spanned so far in echelon form, each with the combination of inputs that gives it.
class Span {
public:
  /// `tag` names the input; inputs in the span of earlier ones are never used.
  void add(Vector v, uint64_t tag) {
    reduce(v, tag);
    if (v)
      rows.push_back({v, tag});
  }
  /// Inputs whose XOR is `v`, as the XOR of their tags; nothing if `v` is outside.
  std::optional<uint64_t> solve(Vector v) const {
    uint64_t tag = 0;
    reduce(v, tag);
    if (v)
      return std::nullopt;
    return tag;
  }

private:
  struct Row {
    Vector v;
    uint64_t tag;
  };
  /// Rows are kept in insertion order; each has its leading bit cleared in later rows.
  void reduce(Vector &v, uint64_t &tag) const {
    for (const Row &row : rows)
      if ((v ^ row.v) < v) {
        v ^= row.v;
        tag ^= row.tag;
      }
  }
  std::vector<Row> rows;
};

/// From full register index to array index (-1: absent).
std::vector<int64_t> arrayIndices(const LinearLayout &layout) {
  std::vector<int64_t> index(size_t(1) << layout.reg().size(), -1);
  int64_t next = 0;
  for (int64_t r : layout.registers())
    index[r] = next++;
  return index;
}

Span registerSpan(const LinearLayout &layout) {
  Span span;
  for (size_t i = 0; i < layout.reg().size(); ++i)
    span.add(layout.reg()[i], uint64_t(1) << i);
  return span;
}

/// XOR of the solutions of the bits set in `index`.
uint64_t combine(const std::vector<uint64_t> &solutions, int64_t index) {
  uint64_t result = 0;
  for (size_t bit = 0; bit < solutions.size(); ++bit)
    if (index >> bit & 1)
      result ^= solutions[bit];
  return result;
}

} // namespace

Conversion heddle::planConversion(const LinearLayout &from, const LinearLayout &to) {
  constexpr int kLaneShift = 32;
  Conversion plan;
  if (from == to) {
    plan.kind = ConversionKind::Identity;
    return plan;
  }
  if (from.warp() != to.warp())
    return plan;
  Span registers = registerSpan(from), lanes, all = registers;
  for (size_t i = 0; i < from.lane().size(); ++i) {
    lanes.add(from.lane()[i], uint64_t(1) << i);
    all.add(from.lane()[i], uint64_t(1) << (kLaneShift + i));
  }
  // A lane may choose among source lanes but not among source registers: those are named statically.
  for (size_t i = 0; i < to.lane().size(); ++i) {
    if (to.lane()[i] == from.lane()[i]) {
      plan.laneMap.push_back(1 << i);
      continue;
    }
    std::optional<uint64_t> lane = lanes.solve(to.lane()[i]);
    if (!lane)
      return plan;
    plan.laneMap.push_back(static_cast<int>(*lane));
  }
  std::vector<uint64_t> solutions;
  for (Vector v : to.reg()) {
    std::optional<uint64_t> solution = registers.solve(v);
    if (!solution)
      solution = all.solve(v);
    if (!solution)
      return plan;
    solutions.push_back(*solution);
  }
  bool shuffles = false;
  for (size_t i = 0; i < plan.laneMap.size(); ++i)
    shuffles |= plan.laneMap[i] != 1 << i;
  std::vector<int64_t> index = arrayIndices(from);
  for (int64_t r : to.registers()) {
    uint64_t solution = combine(solutions, r);
    plan.source.push_back(index[solution & 0xffffffff]);
    plan.laneXor.push_back(static_cast<int>(solution >> kLaneShift));
    shuffles |= plan.laneXor.back() != 0;
  }
  plan.kind = shuffles ? ConversionKind::Shuffle : ConversionKind::Registers;
  return plan;
}

std::optional<std::vector<int64_t>> heddle::broadcastMap(const LinearLayout &from, const LinearLayout &to, int dim) {
  auto sameThreads = [&](const std::vector<Vector> &source, const std::vector<Vector> &result) {
    return std::equal(source.begin(), source.end(), result.begin(), result.end(),
                      [&](Vector s, Vector r) { return s == LinearLayout::dropDim(r, dim); });
  };
  if (!sameThreads(from.lane(), to.lane()) || !sameThreads(from.warp(), to.warp()))
    return std::nullopt;
  Span registers = registerSpan(from);
  std::vector<uint64_t> solutions;
  for (Vector v : to.reg()) {
    std::optional<uint64_t> solution = registers.solve(LinearLayout::dropDim(v, dim));
    if (!solution)
      return std::nullopt;
    solutions.push_back(*solution);
  }
  std::vector<int64_t> index = arrayIndices(from), map;
  for (int64_t r : to.registers())
    map.push_back(index[combine(solutions, r)]);
  return map;
}

std::optional<Reduction> heddle::planReduction(const LinearLayout &layout, int dim) {
  auto along = [&](Vector v) { return LinearLayout::component(v, dim) != 0; };
  auto mixed = [&](Vector v) { return along(v) && LinearLayout::dropDim(v, dim) != 0; };
  Reduction plan;
  for (const auto *basis : {&layout.reg(), &layout.lane(), &layout.warp()})
    if (std::any_of(basis->begin(), basis->end(), mixed))
      return std::nullopt;
  plan.result = sliceLayout(layout, dim);
  for (size_t i = 0; i < layout.lane().size(); ++i)
    if (along(layout.lane()[i]))
      plan.laneMasks.push_back(1 << i);
  for (size_t i = 0; i < layout.warp().size(); ++i)
    if (along(layout.warp()[i]))
      plan.warpBits.push_back(static_cast<int>(i));
  // Register bits that stay keep their order, so the result's index is the source's with bits dropped.
  std::vector<uint64_t> solutions;
  uint64_t kept = 0;
  for (Vector v : layout.reg())
    solutions.push_back(along(v) ? 0 : uint64_t(1) << kept++);
  std::vector<int64_t> index = arrayIndices(plan.result);
  for (int64_t r : layout.registers())
    plan.resultOf.push_back(index[combine(solutions, r)]);
  return plan;
}
