//===- TileValue.cpp - A tile or scalar with its numbers ------------------===//
#include "heddle/Simulator/Functional/TileValue.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace mlir;
using namespace heddle::sim;

std::optional<ElementKind> heddle::sim::elementKindOf(Type type) {
  if (type.isF64())
    return ElementKind::F64;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (isa<Float8E4M3FNType>(type))
    return ElementKind::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return ElementKind::F8E5M2;
  if (type.isIndex())
    return ElementKind::I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1: return ElementKind::I1;
    case 8: return ElementKind::I8;
    case 16: return ElementKind::I16;
    case 32: return ElementKind::I32;
    case 64: return ElementKind::I64;
    }
  }
  return std::nullopt;
}

TileValue TileValue::zeros(ElementKind kind, ArrayRef<int64_t> shape) {
  TileValue value;
  value.kind = kind;
  value.shape.assign(shape.begin(), shape.end());
  int64_t count = value.size();
  if (kind == ElementKind::F64)
    value.storage->doubles.resize(count);
  else if (isFloatKind(kind))
    value.storage->floats.resize(count);
  else
    value.storage->ints.resize(count);
  return value;
}

TileValue TileValue::index(int64_t number) {
  TileValue value = zeros(ElementKind::I64, {});
  value.storage->ints[0] = number;
  return value;
}

TileValue TileValue::scalar(ElementKind kind, double number) {
  TileValue value = zeros(kind, {});
  if (value.isFloat())
    value.setFloat(0, number);
  else
    value.setInt(0, static_cast<int64_t>(number));
  return value;
}

std::optional<TileValue> TileValue::zerosOf(Type type, bool wide) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && !tensor.hasStaticShape())
    return std::nullopt;
  std::optional<ElementKind> kind = elementKindOf(tensor ? tensor.getElementType() : type);
  if (!kind)
    return std::nullopt;
  if (wide && isFloatKind(*kind))
    kind = ElementKind::F64;
  return zeros(*kind, tensor ? tensor.getShape() : ArrayRef<int64_t>());
}

TileValue::Storage &TileValue::unshare() {
  if (storage.use_count() > 1)
    storage = std::make_shared<Storage>(*storage);
  return *storage;
}

double TileValue::floatAt(int64_t i) const {
  if (kind == ElementKind::F64)
    return storage->doubles[i];
  return isFloat() ? storage->floats[i] : static_cast<double>(storage->ints[i]);
}

int64_t TileValue::intAt(int64_t i) const { return isFloat() ? static_cast<int64_t>(floatAt(i)) : storage->ints[i]; }

void TileValue::setFloat(int64_t i, double value) {
  if (kind == ElementKind::F64)
    unshare().doubles[i] = value;
  else
    unshare().floats[i] = static_cast<float>(roundTo(kind, value));
}

void TileValue::setInt(int64_t i, int64_t value) { unshare().ints[i] = wrapTo(kind, value); }

bool TileValue::identicalTo(const TileValue &other) const {
  if (kind != other.kind || shape != other.shape)
    return false;
  auto same = [](auto a, auto b) {
    for (size_t i = 0; i < a.size(); ++i)
      if (std::memcmp(&a[i], &b[i], sizeof(a[i])) != 0 && !(a[i] != a[i] && b[i] != b[i]))
        return false;
    return true;
  };
  return same(floats(), other.floats()) && same(doubles(), other.doubles()) && same(ints(), other.ints());
}

//===----------------------------------------------------------------------===//
// Whole-tile operations
//===----------------------------------------------------------------------===//

TileValue heddle::sim::transpose(const TileValue &value) {
  int64_t rows = value.shape[0], cols = value.shape[1];
  TileValue result = TileValue::zeros(value.kind, {cols, rows});
  withStorage(result, value, [&](auto out, auto in) {
    constexpr int64_t block = 16;
    for (int64_t r0 = 0; r0 < rows; r0 += block)
      for (int64_t c0 = 0; c0 < cols; c0 += block)
        for (int64_t r = r0; r < std::min(r0 + block, rows); ++r)
          for (int64_t c = c0; c < std::min(c0 + block, cols); ++c)
            out[c * rows + r] = in[r * cols + c];
  });
  return result;
}

/// Calls `fn(outer offset, inner offset)` for each innermost row of an inner box placed in an outer box.
template <typename Fn>
static void forEachRow(ArrayRef<int64_t> outer, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes, Fn fn) {
  int64_t rank = sizes.size(), rows = 1;
  for (int64_t d = 0; d + 1 < rank; ++d)
    rows *= sizes[d];
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, place = rank ? offsets[rank - 1] : 0, stride = rank ? outer[rank - 1] : 1;
    for (int64_t d = rank - 2; d >= 0; --d) {
      place += (rest % sizes[d] + offsets[d]) * stride;
      rest /= sizes[d];
      stride *= outer[d];
    }
    fn(place, row * (rank ? sizes[rank - 1] : 1));
  }
}

TileValue heddle::sim::padded(const TileValue &value, ArrayRef<int64_t> shape, bool anything) {
  if (ArrayRef<int64_t>(value.shape) == shape)
    return value;
  TileValue result = TileValue::zeros(value.kind, shape);
  if (anything)
    withStorage(result, result, [](auto out, auto) {
      using Number = std::numeric_limits<std::remove_reference_t<decltype(out[0])>>;
      if (Number::has_quiet_NaN)
        std::fill(out.begin(), out.end(), Number::quiet_NaN());
    });
  if (value.size())
    insertSlice(result, value, SmallVector<int64_t>(shape.size(), 0));
  return result;
}

SmallVector<int64_t> heddle::sim::extentBelow(ArrayRef<int64_t> below, ArrayRef<int64_t> at, ArrayRef<int64_t> dims,
                                              ArrayRef<int64_t> shape) {
  SmallVector<int64_t> extent(shape);
  for (auto [d, end] : llvm::enumerate(below))
    extent[d] = std::clamp<int64_t>(end - at[dims[d]], 0, extent[d]);
  return extent;
}

TileValue heddle::sim::extractSlice(const TileValue &value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  TileValue result = TileValue::zeros(value.kind, sizes);
  int64_t width = sizes.empty() ? 1 : sizes.back();
  withStorage(result, value, [&](auto out, auto in) {
    forEachRow(value.shape, offsets, sizes,
               [&](int64_t outer, int64_t inner) { std::copy_n(in.begin() + outer, width, out.begin() + inner); });
  });
  return result;
}

void heddle::sim::insertSlice(TileValue &dest, const TileValue &source, ArrayRef<int64_t> offsets) {
  int64_t width = source.shape.empty() ? 1 : source.shape.back();
  withStorage(dest, source, [&](auto out, auto in) {
    forEachRow(dest.shape, offsets, source.shape,
               [&](int64_t outer, int64_t inner) { std::copy_n(in.begin() + inner, width, out.begin() + outer); });
  });
}

//===----------------------------------------------------------------------===//
// Dot
//===----------------------------------------------------------------------===//

namespace {
/// Four numbers that the compiler keeps in one vector register (double: two).
template <typename T> struct Lanes;
template <> struct Lanes<float> {
  typedef float type __attribute__((vector_size(16)));
  static constexpr int64_t count = 4;
};
template <> struct Lanes<double> {
  typedef double type __attribute__((vector_size(16)));
  static constexpr int64_t count = 2;
};
} // namespace

/// c[i0..i0+4, j0..j0+2 vectors] += a * b over all k, in registers.
template <typename T> static void dotBlock(const T *a, const T *b, T *c, int64_t i0, int64_t j0, int64_t n, int64_t k) {
  using Vec = typename Lanes<T>::type;
  constexpr int64_t lanes = Lanes<T>::count;
  Vec sum[4][2];
  for (int r = 0; r < 4; ++r)
    for (int v = 0; v < 2; ++v)
      std::memcpy(&sum[r][v], c + (i0 + r) * n + j0 + v * lanes, sizeof(Vec));
  for (int64_t kk = 0; kk < k; ++kk) {
    Vec b0, b1;
    std::memcpy(&b0, b + kk * n + j0, sizeof(Vec));
    std::memcpy(&b1, b + kk * n + j0 + lanes, sizeof(Vec));
    for (int r = 0; r < 4; ++r) {
      T scalar = a[(i0 + r) * k + kk];
      sum[r][0] += b0 * scalar;
      sum[r][1] += b1 * scalar;
    }
  }
  for (int r = 0; r < 4; ++r)
    for (int v = 0; v < 2; ++v)
      std::memcpy(c + (i0 + r) * n + j0 + v * lanes, &sum[r][v], sizeof(Vec));
}

template <typename T> static void dotInto(const T *a, const T *b, T *c, int64_t m, int64_t n, int64_t k) {
  constexpr int64_t width = 2 * Lanes<T>::count;
  int64_t fullM = m / 4 * 4, fullN = n / width * width;
  for (int64_t j = 0; j < fullN; j += width)
    for (int64_t i = 0; i < fullM; i += 4)
      dotBlock(a, b, c, i, j, n, k);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = i < fullM ? fullN : 0; j < n; ++j)
      for (int64_t kk = 0; kk < k; ++kk)
        c[i * n + j] += a[i * k + kk] * b[kk * n + j];
}

static std::vector<double> toDoubles(const TileValue &value) {
  if (value.kind == ElementKind::F64)
    return value.doubles().vec();
  return std::vector<double>(value.floats().begin(), value.floats().end());
}

static std::vector<float> toFloats(const TileValue &value) {
  if (value.kind != ElementKind::F64)
    return value.floats().vec();
  return std::vector<float>(value.doubles().begin(), value.doubles().end());
}

TileValue heddle::sim::dot(const TileValue &a, const TileValue &b, const TileValue &acc) {
  int64_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  TileValue result = acc;
  if (!acc.isFloat()) {
    auto x = a.ints(), y = b.ints();
    auto out = result.mutableInts();
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t kk = 0; kk < k; ++kk)
          out[i * n + j] = wrapTo(acc.kind, out[i * n + j] + x[i * k + kk] * y[kk * n + j]);
    return result;
  }
  if (acc.kind == ElementKind::F64) {
    std::vector<double> aw = toDoubles(a), bw = toDoubles(b);
    dotInto(aw.data(), bw.data(), result.mutableDoubles().data(), m, n, k);
    return result;
  }
  if (acc.kind == ElementKind::F32 && a.kind == ElementKind::F32) { // the tensor core reads 19 bits of each
    std::vector<float> af = toFloats(a), bf = toFloats(b);
    for (std::vector<float> *operand : {&af, &bf})
      for (float &x : *operand)
        x = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xffffe000u);
    dotInto(af.data(), bf.data(), result.mutableFloats().data(), m, n, k);
    return result;
  }
  if (acc.kind == ElementKind::F32 && a.kind != ElementKind::F64) {
    dotInto(a.floats().data(), b.floats().data(), result.mutableFloats().data(), m, n, k);
    return result;
  }
  // Narrow accumulators round after every product and sum.
  std::vector<float> af = toFloats(a), bf = toFloats(b);
  MutableArrayRef<float> c = result.mutableFloats();
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t kk = 0; kk < k; ++kk)
        c[i * n + j] = roundTo(acc.kind, c[i * n + j] + roundTo(acc.kind, af[i * k + kk] * bf[kk * n + j]));
  return result;
}
