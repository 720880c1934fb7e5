//===- LinearLayout.cpp - layouts and their construction ------------------------===//
#include "heddle/Layout/LinearLayout.h"

#include <algorithm>

#include <bit>
#include <cassert>

using namespace heddle;
using Vector = LinearLayout::Vector;

static int64_t ceilPow2(int64_t n) { return std::bit_ceil(static_cast<uint64_t>(n)); }
static int64_t lowBit(int64_t n) { return n & -n; }

Vector LinearLayout::dropDim(Vector v, int dim) {
  Vector below = v & ((Vector(1) << (16 * dim)) - 1);
  Vector above = dim + 1 < kMaxRank ? v >> (16 * (dim + 1)) : 0;
  return below | (dim < kMaxRank - 1 ? above << (16 * dim) : 0);
}

Vector LinearLayout::insertDim(Vector v, int dim) {
  Vector below = v & ((Vector(1) << (16 * dim)) - 1);
  Vector above = v >> (16 * dim);
  return below | (dim + 1 < kMaxRank ? above << (16 * (dim + 1)) : 0);
}

LinearLayout::LinearLayout(std::vector<int64_t> shape, std::vector<Vector> reg, std::vector<Vector> lane,
                           std::vector<Vector> warp)
    : dims(std::move(shape)), regBasis(std::move(reg)), laneBasis(std::move(lane)), warpBasis(std::move(warp)) {}

Vector LinearLayout::combine(const std::vector<Vector> &basis, int64_t index) {
  Vector v = 0;
  for (size_t bit = 0; bit < basis.size(); ++bit)
    if (index >> bit & 1)
      v ^= basis[bit];
  return v;
}

Vector LinearLayout::at(int64_t reg, int lane, int warp) const {
  return combine(regBasis, reg) ^ combine(laneBasis, lane) ^ combine(warpBasis, warp);
}

bool LinearLayout::inBounds(Vector v) const {
  for (int d = 0; d < rank(); ++d)
    if (component(v, d) >= dims[d])
      return false;
  return true;
}

std::vector<int64_t> LinearLayout::registers() const {
  std::vector<int64_t> present;
  for (int64_t r = 0; r < int64_t(1) << regBasis.size(); ++r)
    if (inBounds(combine(regBasis, r)))
      present.push_back(r);
  return present;
}

bool LinearLayout::isReplicated() const {
  for (const auto *basis : {&laneBasis, &warpBasis})
    for (Vector v : *basis)
      if (!v)
        return true;
  return false;
}

std::string LinearLayout::verify() const {
  if (rank() > kMaxRank)
    return "expected a rank of at most " + std::to_string(kMaxRank) + ", got " + std::to_string(rank());
  if (laneBasis.size() != 5)
    return "expected 5 lane vectors, got " + std::to_string(laneBasis.size());
  if (regBasis.size() > 12)
    return "expected at most 12 register vectors, got " + std::to_string(regBasis.size());
  int bits = 0;
  Vector space = 0, threads = 0;
  for (int d = 0; d < rank(); ++d) {
    if (dims[d] < 1 || dims[d] > kMaxSize)
      return "expected sizes from 1 to " + std::to_string(kMaxSize) + ", got " + std::to_string(dims[d]);
    bits += std::countr_zero(static_cast<uint64_t>(ceilPow2(dims[d])));
    space |= unit(d, ceilPow2(dims[d]) - 1);
    threads |= unit(d, lowBit(dims[d]) - 1);
  }
  // Rank of all vectors, by elimination on the leading bit.
  std::vector<Vector> echelon;
  Vector used = 0;
  int rankFound = 0;
  auto add = [&](Vector v) {
    for (Vector e : echelon)
      v = std::min(v, v ^ e);
    if (!v)
      return false;
    echelon.push_back(v);
    ++rankFound;
    return true;
  };
  for (const auto *basis : {&laneBasis, &warpBasis})
    for (Vector v : *basis) {
      if (v & ~space)
        return "expected vectors inside the shape, got " + vectorString(v);
      if (v & ~threads)
        return "expected lanes and warps to divide the shape, got " + vectorString(v);
      used |= v;
      if (v)
        add(v);
    }
  for (Vector v : regBasis) {
    if (v & ~space)
      return "expected vectors inside the shape, got " + vectorString(v);
    if (v & used)
      return "expected registers to use other bits than lanes and warps, got " + vectorString(v);
    if (!add(v))
      return "expected independent register vectors, got " + vectorString(v);
  }
  if (rankFound != bits)
    return "expected every element to be held, got rank " + std::to_string(rankFound) + " of " + std::to_string(bits);
  return "";
}

std::string heddle::vectorString(Vector v) {
  if (!v)
    return "0";
  std::string text;
  for (int d = 0; d < LinearLayout::kMaxRank; ++d)
    if (int64_t c = LinearLayout::component(v, d))
      text += (text.empty() ? "d" : "+d") + std::to_string(d) + ":" + std::to_string(c);
  return text;
}

std::string LinearLayout::str() const {
  std::string text;
  auto list = [&](const char *name, const std::vector<Vector> &basis) {
    text += text.empty() ? name : std::string(" ") + name;
    text += " [";
    for (size_t i = 0; i < basis.size(); ++i)
      text += (i ? ", " : "") + vectorString(basis[i]);
    text += "]";
  };
  list("reg", regBasis);
  list("lane", laneBasis);
  list("warp", warpBasis);
  return text;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

/// Appends the bits `from`, 2*from, ... below `to` of dimension `dim`.
static void appendBits(std::vector<Vector> &basis, int dim, int64_t from, int64_t to) {
  for (int64_t b = from; b < to; b *= 2)
    basis.push_back(LinearLayout::unit(dim, b));
}

/// The fragment family of wgmma: `adjacent` columns per register run, quads of lanes along columns, then row 8,
/// then the columns after the quad, then rows 64 and above.
static LinearLayout fragment(int64_t m, int64_t n, int64_t adjacent) {
  std::vector<Vector> reg, lane, warp;
  appendBits(reg, 1, 1, adjacent);
  reg.push_back(LinearLayout::unit(0, 8));
  appendBits(reg, 1, 4 * adjacent, ceilPow2(n));
  appendBits(reg, 0, 64, ceilPow2(m));
  appendBits(lane, 1, adjacent, 4 * adjacent);
  appendBits(lane, 0, 1, 8);
  appendBits(warp, 0, 16, 64);
  return LinearLayout({m, n}, reg, lane, warp);
}

LinearLayout heddle::accumulatorLayout(int64_t m, int64_t n) { return fragment(m, n, 2); }

LinearLayout heddle::operandALayout(int64_t m, int64_t k, int64_t elemBytes) { return fragment(m, k, 4 / elemBytes); }

LinearLayout heddle::blockedLayout(const std::vector<int64_t> &shape, int64_t elemBytes, int warps,
                                   const std::vector<int64_t> &part, int64_t rows, int64_t lanes) {
  const std::vector<int64_t> &shared = part.empty() ? shape : part; // what lanes and warps divide
  int rank = static_cast<int>(shape.size());
  std::vector<Vector> reg, lane, warp;
  std::vector<int64_t> next(rank, 1); // lowest bit of each dimension not yet used
  if (rank > 0) {
    int64_t perThread = std::min<int64_t>(16 / elemBytes, lowBit(shared[rank - 1]));
    // Small tiles: spread over the threads rather than pack into few.
    int64_t elements = 1;
    for (int64_t size : shared)
      elements *= size;
    rows = rank > 1 ? std::min(rows, lowBit(shared[rank - 2])) : 1;
    while (perThread > 1 && elements / (perThread * rows) < 32 * warps)
      perThread /= 2;
    appendBits(reg, rank - 1, 1, perThread);
    next[rank - 1] = perThread;
    if (rows > 1) {
      appendBits(reg, rank - 2, 1, rows);
      next[rank - 2] = rows;
    }
  }
  auto distribute = [&](std::vector<Vector> &basis, size_t bits, bool innermostFirst) {
    for (int i = 0; i < rank; ++i)
      for (int d = innermostFirst ? rank - 1 - i : i; basis.size() < bits && next[d] < lowBit(shared[d]); next[d] *= 2)
        basis.push_back(LinearLayout::unit(d, next[d]));
    basis.resize(bits, 0);
  };
  for (int64_t sharing = 1; rank > 1 && sharing < lanes && next[rank - 1] < lowBit(shared[rank - 1]); sharing *= 2) {
    lane.push_back(LinearLayout::unit(rank - 1, next[rank - 1]));
    next[rank - 1] *= 2;
  }
  if (lanes)
    for (int d = rank - 2; d >= 0; --d)
      for (; lane.size() < 5 && next[d] < lowBit(shared[d]); next[d] *= 2)
        lane.push_back(LinearLayout::unit(d, next[d]));
  distribute(lane, 5, true);
  distribute(warp, std::countr_zero(static_cast<unsigned>(warps)), false); // a row stays in one warp where it can
  for (int d = rank - 1; d >= 0; --d)
    appendBits(reg, d, next[d], ceilPow2(shape[d]));
  return LinearLayout(shape, reg, lane, warp);
}

LinearLayout heddle::piecesLayout(const std::vector<int64_t> &shape, int64_t piece, int warps) {
  constexpr int64_t bytesOfThread = 16; // of blockedLayout: one piece
  constexpr int64_t line = 8;           // pieces in a line of 128 bytes
  std::vector<int64_t> whole{shape[0], shape[1] / piece}, part = whole;
  while (part[1] % (2 * line) == 0 && part[0] * part[1] / 2 >= 32 * warps)
    part[1] /= 2;
  LinearLayout pieces = blockedLayout(whole, bytesOfThread, warps, part);
  auto widened = [&](std::vector<Vector> basis) {
    for (Vector &v : basis)
      v = LinearLayout::unit(0, LinearLayout::component(v, 0)) |
          LinearLayout::unit(1, LinearLayout::component(v, 1) * piece);
    return basis;
  };
  std::vector<Vector> reg, rest = widened(pieces.reg());
  appendBits(reg, 1, 1, piece);
  reg.insert(reg.end(), rest.begin(), rest.end());
  return LinearLayout(shape, reg, widened(pieces.lane()), widened(pieces.warp()));
}

std::optional<Window> heddle::planWindow(const LinearLayout &layout, const std::vector<int64_t> &offsets,
                                         const std::vector<int64_t> &sizes) {
  auto padded = [](int64_t size) {
    int64_t p = 1;
    while (p < size)
      p *= 2;
    return p;
  };
  auto fits = [&](LinearLayout::Vector v) {
    for (int d = 0; d < layout.rank(); ++d)
      if (LinearLayout::component(v, d) >= padded(sizes[d]))
        return false;
    return true;
  };
  LinearLayout::Vector offset = 0;
  for (int d = 0; d < layout.rank(); ++d) {
    if (offsets[d] % padded(sizes[d]))
      return std::nullopt;
    offset ^= LinearLayout::unit(d, offsets[d]);
  }
  for (const auto *basis : {&layout.lane(), &layout.warp()})
    for (LinearLayout::Vector v : *basis)
      if (!fits(v))
        return std::nullopt;
  // Register bits inside the window stay; the others must add up to the offset.
  std::vector<LinearLayout::Vector> inside;
  std::vector<int> bitOf;
  int64_t fixed = 0;
  for (size_t bit = 0; bit < layout.reg().size(); ++bit) {
    LinearLayout::Vector v = layout.reg()[bit];
    if (fits(v)) {
      bitOf.push_back(static_cast<int>(bit));
      inside.push_back(v);
    } else if ((offset & v) == v) {
      fixed |= int64_t(1) << bit;
    }
  }
  if (layout.at(fixed, 0, 0) != offset)
    return std::nullopt;
  Window window;
  window.layout = LinearLayout(sizes, inside, layout.lane(), layout.warp());
  std::vector<int64_t> all = layout.registers();
  for (int64_t r : window.layout.registers()) {
    int64_t whole = fixed;
    for (size_t i = 0; i < bitOf.size(); ++i)
      if (r >> i & 1)
        whole |= int64_t(1) << bitOf[i];
    auto it = std::lower_bound(all.begin(), all.end(), whole);
    if (it == all.end() || *it != whole)
      return std::nullopt;
    window.source.push_back(it - all.begin());
  }
  return window;
}

LinearLayout heddle::reshapeLayout(const LinearLayout &layout, const std::vector<int64_t> &shape,
                                   const std::vector<std::vector<int64_t>> &runs, bool expands) {
  const std::vector<int64_t> &sizes = expands ? shape : layout.shape(); // of the side with the runs
  auto moved = [&](std::vector<Vector> basis) {
    for (Vector &v : basis) {
      Vector other = 0;
      for (size_t one = 0; one < runs.size(); ++one) {
        int64_t stride = 1;
        for (size_t i = runs[one].size(); i-- > 0;) {
          int d = static_cast<int>(runs[one][i]);
          if (expands) {
            int64_t rest = LinearLayout::component(v, static_cast<int>(one)) / stride;
            other ^= LinearLayout::unit(d, i ? rest % sizes[d] : rest);
          } else {
            other ^= LinearLayout::unit(static_cast<int>(one), LinearLayout::component(v, d) * stride);
          }
          stride *= sizes[d];
        }
      }
      v = other;
    }
    return basis;
  };
  return LinearLayout(shape, moved(layout.reg()), moved(layout.lane()), moved(layout.warp()));
}

LinearLayout heddle::sliceLayout(const LinearLayout &layout, int dim) {
  std::vector<int64_t> shape = layout.shape();
  shape.erase(shape.begin() + dim);
  auto drop = [&](std::vector<Vector> basis) {
    for (Vector &v : basis)
      v = LinearLayout::dropDim(v, dim);
    return basis;
  };
  std::vector<Vector> reg = drop(layout.reg());
  std::erase(reg, Vector(0));
  return LinearLayout(shape, reg, drop(layout.lane()), drop(layout.warp()));
}

LinearLayout heddle::expandLayout(const LinearLayout &layout, int dim, int64_t size) {
  std::vector<int64_t> shape = layout.shape();
  shape.insert(shape.begin() + dim, size);
  auto insert = [&](std::vector<Vector> basis) {
    for (Vector &v : basis)
      v = LinearLayout::insertDim(v, dim);
    return basis;
  };
  std::vector<Vector> reg = insert(layout.reg()), added;
  appendBits(added, dim, 1, ceilPow2(size));
  reg.insert(dim == layout.rank() ? reg.begin() : reg.end(), added.begin(), added.end());
  return LinearLayout(shape, reg, insert(layout.lane()), insert(layout.warp()));
}

LinearLayout heddle::transposeLayout(const LinearLayout &layout) {
  auto swap = [](std::vector<Vector> basis) {
    for (Vector &v : basis)
      v = LinearLayout::unit(0, LinearLayout::component(v, 1)) | LinearLayout::unit(1, LinearLayout::component(v, 0));
    return basis;
  };
  return LinearLayout({layout.shape()[1], layout.shape()[0]}, swap(layout.reg()), swap(layout.lane()),
                      swap(layout.warp()));
}
