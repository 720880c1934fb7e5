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

bool contains(const std::vector<Vector> &basis, Vector v) {
  return std::find(basis.begin(), basis.end(), v) != basis.end();
}

int placeOf(const std::vector<Vector> &basis, Vector v) {
  return static_cast<int>(std::find(basis.begin(), basis.end(), v) - basis.begin());
}

/// Every bit of register and lane has an element bit of its own.
bool isPermutation(const LinearLayout &layout) {
  std::vector<Vector> all = layout.reg();
  all.insert(all.end(), layout.lane().begin(), layout.lane().end());
  std::sort(all.begin(), all.end());
  return (all.empty() || all[0] != 0) && std::adjacent_find(all.begin(), all.end()) == all.end();
}

/// Where a bit of the register's number becomes one of the lane, and another takes its place: the layout in between,
/// which is `to` but for registers of a thread; nothing where that is not all.
struct Crossing {
  int place; ///< of the bit in the register's number
  Vector comes;
};
std::optional<Crossing> findCrossing(const LinearLayout &from, const LinearLayout &to) {
  if (from.warp() != to.warp() || from.reg().size() != to.reg().size() || !isPermutation(from) || !isPermutation(to))
    return std::nullopt;
  std::optional<Crossing> found;
  for (size_t i = 0; i < from.reg().size(); ++i)
    if (contains(to.lane(), from.reg()[i])) {
      if (found)
        return std::nullopt;
      found = Crossing{static_cast<int>(i), 0};
    }
  for (Vector v : from.lane())
    if (found && contains(to.reg(), v))
      found->comes = v;
  if (!found || !found->comes)
    return std::nullopt;
  return found;
}

LinearLayout crossed(const LinearLayout &from, const LinearLayout &to, const Crossing &crossing) {
  std::vector<Vector> reg = from.reg();
  reg[crossing.place] = crossing.comes;
  return {from.shape(), reg, to.lane(), from.warp()};
}

/// The plan's selectors for pairs of words whose bytes are element map[e] of the pair in place of element e; false:
/// elements come from other pairs, or not alike in all of them.
bool selectBytes(const std::vector<int64_t> &map, int64_t packing, Conversion &plan) {
  int64_t words = plan.stride / packing, bytes = 4 / packing;
  if (map.size() % packing)
    return false;
  for (size_t word = 0; word < map.size() / packing; ++word) {
    int64_t first = word & ~words, selector = 0;
    for (int64_t e = 0; e < packing; ++e) {
      int64_t source = map[word * packing + e], from = source / packing;
      if (from != first && from != (first | words))
        return false;
      for (int64_t byte = 0; byte < bytes; ++byte)
        selector |= ((from != first) * 4 + source % packing * bytes + byte) << 4 * (e * bytes + byte);
    }
    int &known = word & words ? plan.secondSelector : plan.firstSelector;
    if (word < 2 * static_cast<size_t>(words) && (word & (words - 1)) == 0)
      known = static_cast<int>(selector);
    else if (known != selector)
      return false;
  }
  return true;
}

/// One bit of the register's number and one of the lane change places; lanes may be renumbered besides.
std::optional<Conversion> planExchange(const LinearLayout &from, const LinearLayout &to, int64_t packing) {
  std::optional<Crossing> crossing = findCrossing(from, to);
  if (!crossing || int64_t(1) << crossing->place < packing)
    return std::nullopt;
  Vector leaves = from.reg()[crossing->place];
  Conversion plan;
  plan.kind = ConversionKind::Exchange;
  plan.stride = int64_t(1) << crossing->place;
  plan.fromLane = placeOf(from.lane(), crossing->comes);
  plan.toLane = placeOf(to.lane(), leaves);
  for (Vector v : to.lane()) {
    if (v != leaves && !contains(from.lane(), v))
      return std::nullopt;
    plan.laneMap.push_back(v == leaves ? 0 : 1 << placeOf(from.lane(), v));
  }
  // Absent registers: both of a pair are there, one distance apart, in either layout.
  LinearLayout between = crossed(from, to, *crossing);
  std::vector<int64_t> index = arrayIndices(from);
  if (index != arrayIndices(between))
    return std::nullopt;
  for (int64_t r : from.registers())
    if (!(r & plan.stride) && index[r | plan.stride] != index[r] + plan.stride)
      return std::nullopt;
  if (between == to)
    return plan;
  Conversion inThreads = planConversion(between, to, packing);
  if (inThreads.kind != ConversionKind::Registers || !selectBytes(inThreads.source, packing, plan))
    return std::nullopt;
  return plan;
}

} // namespace

Conversion heddle::planConversion(const LinearLayout &from, const LinearLayout &to, int64_t packing) {
  if (std::optional<Conversion> exchange = planExchange(from, to, packing))
    return *exchange;
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
    uint64_t solution = LinearLayout::combine(solutions, r);
    plan.source.push_back(index[solution & 0xffffffff]);
    plan.laneXor.push_back(static_cast<int>(solution >> kLaneShift));
    shuffles |= plan.laneXor.back() != 0;
  }
  plan.kind = shuffles ? ConversionKind::Shuffle : ConversionKind::Registers;
  return plan;
}

std::vector<LinearLayout> heddle::conversionSteps(const LinearLayout &from, const LinearLayout &to, int64_t packing) {
  std::optional<Crossing> crossing = findCrossing(from, to);
  if (!crossing)
    return {};
  std::vector<LinearLayout> steps;
  LinearLayout start = from;
  // Words are exchanged as a whole: a bit inside them changes places with one outside first.
  if (int64_t(1) << crossing->place < packing) {
    std::vector<Vector> reg = from.reg();
    int outside = 0;
    while (int64_t(1) << outside < packing)
      ++outside;
    if (outside >= static_cast<int>(reg.size()))
      return {};
    std::swap(reg[crossing->place], reg[outside]);
    crossing->place = outside;
    start = LinearLayout(from.shape(), reg, from.lane(), from.warp());
    steps.push_back(start);
  }
  if (planConversion(start, to, packing).kind == ConversionKind::SharedMemory)
    steps.push_back(crossed(start, to, *crossing));
  LinearLayout before = from;
  for (size_t i = 0; i <= steps.size(); ++i) {
    const LinearLayout &next = i < steps.size() ? steps[i] : to;
    if (planConversion(before, next, packing).kind == ConversionKind::SharedMemory)
      return {};
    before = next;
  }
  return steps;
}

std::vector<LinearLayout> heddle::exchangeSteps(const LinearLayout &from, const LinearLayout &to, int64_t packing) {
  std::vector<LinearLayout> steps;
  LinearLayout now = from;
  for (size_t bit = 0; bit < to.lane().size(); ++bit) {
    std::vector<Vector> reg = now.reg(), lane = now.lane();
    if (lane[bit] == to.lane()[bit])
      continue;
    int place = placeOf(reg, to.lane()[bit]);
    if (place == static_cast<int>(reg.size()))
      return {};
    std::swap(lane[bit], reg[place]);
    LinearLayout next(from.shape(), reg, lane, from.warp());
    if (planConversion(now, next, packing).kind == ConversionKind::SharedMemory)
      return {};
    steps.push_back(now = next);
  }
  if (planConversion(now, to, packing).kind == ConversionKind::SharedMemory)
    return {};
  return steps;
}

std::optional<LinearLayout> heddle::wordsOfRows(const LinearLayout &from, int64_t packing, int dim) {
  if (from.rank() == 0)
    return std::nullopt;
  dim = dim < 0 ? from.rank() - 1 : dim;
  std::vector<Vector> reg, rest = from.reg();
  for (int64_t bit = 1; bit < packing; bit *= 2) {
    auto place = std::find(rest.begin(), rest.end(), LinearLayout::unit(dim, bit));
    if (place == rest.end())
      return std::nullopt;
    reg.push_back(*place);
    rest.erase(place);
  }
  reg.insert(reg.end(), rest.begin(), rest.end());
  if (reg == from.reg())
    return std::nullopt;
  return LinearLayout(from.shape(), reg, from.lane(), from.warp());
}

std::optional<LinearLayout> heddle::piecesOfRows(const LinearLayout &from, int64_t piece) {
  int last = from.rank() - 1;
  std::vector<Vector> reg = from.reg(), lane = from.lane(), first;
  for (int64_t bit = 1; bit < piece; bit *= 2) {
    Vector column = LinearLayout::unit(last, bit);
    if (auto held = std::find(lane.begin(), lane.end(), column); held != lane.end()) {
      auto far = std::find_if(reg.begin(), reg.end(), [&](Vector v) {
        int64_t other = LinearLayout::component(v, last);
        return other >= piece && v == LinearLayout::unit(last, other);
      });
      if (far == reg.end())
        return std::nullopt;
      std::swap(*held, *far);
    }
    auto place = std::find(reg.begin(), reg.end(), column);
    if (place == reg.end())
      return std::nullopt;
    reg.erase(place);
    first.push_back(column);
  }
  reg.insert(reg.begin(), first.begin(), first.end());
  if (lane == from.lane())
    return std::nullopt;
  return LinearLayout(from.shape(), reg, lane, from.warp());
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
    map.push_back(index[LinearLayout::combine(solutions, r)]);
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
    plan.resultOf.push_back(index[LinearLayout::combine(solutions, r)]);
  return plan;
}
