//===- HostTensor.cpp - tensors in host memory -----------------------------------------------===//
//
// What:      see HostTensor.h.
// Algorithm: small floats by one routine over (exponent bits, mantissa bits); normal values by
// Box-Muller over
//            splitmix64, both spelled out so that every platform draws the same numbers.
//
//===------------------------------------------------------------------------------------------===//
#include "heddle_runtime/HostTensor.h"

#include "heddle_runtime/Manifest.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::runtime {
namespace {

struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  double largest;
  bool saturates; ///< instead of infinity
};

const FloatFormat *formatOf(const std::string &elem) {
  static const FloatFormat f16 = {5, 10, 65504.0, false};
  static const FloatFormat bf16 = {8, 7, 3.38953138925153547590e38, false};
  static const FloatFormat e4m3 = {4, 3, 448.0, true};
  static const FloatFormat e5m2 = {5, 2, 57344.0, true};
  return elem == "f16" ? &f16 : elem == "bf16" ? &bf16 : elem == "e4m3" ? &e4m3 : elem == "e5m2" ? &e5m2 : nullptr;
}

double decode(const FloatFormat &f, uint32_t bits) {
  const int bias = (1 << (f.exponentBits - 1)) - 1;
  const uint32_t mantissa = bits & ((1u << f.mantissaBits) - 1);
  const int exponent = (bits >> f.mantissaBits) & ((1 << f.exponentBits) - 1);
  const double sign = (bits >> (f.exponentBits + f.mantissaBits)) & 1 ? -1.0 : 1.0;
  const bool top = exponent == (1 << f.exponentBits) - 1;
  const bool isE4m3 = f.exponentBits == 4;
  if (top && isE4m3 && mantissa == 7)
    return std::numeric_limits<double>::quiet_NaN();
  if (top && !isE4m3)
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - f.mantissaBits);
  return sign * std::ldexp(mantissa + (1u << f.mantissaBits), exponent - bias - f.mantissaBits);
}

uint32_t encode(const FloatFormat &f, double x) {
  const int bias = (1 << (f.exponentBits - 1)) - 1;
  const uint32_t sign = std::signbit(x) ? 1u << (f.exponentBits + f.mantissaBits) : 0;
  const uint32_t ones = (1u << (f.exponentBits + f.mantissaBits)) - 1;
  if (std::isnan(x))
    return ones;
  double magnitude = std::fabs(x);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  // A zero has no exponent of its own: any quantum rounds it to zero.
  uint64_t units = magnitude == 0 || std::isinf(magnitude)
                       ? 0
                       : static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, f.mantissaBits - exponent)));
  if (std::isinf(magnitude) || std::ldexp(static_cast<double>(units), exponent - f.mantissaBits) > f.largest) {
    if (!f.saturates)
      return sign | (((1u << f.exponentBits) - 1) << f.mantissaBits);
    return encode(f, f.largest) | sign;
  }
  if (units >> (f.mantissaBits + 1)) {
    units >>= 1;
    ++exponent;
  }
  if (units < (1u << f.mantissaBits))
    return sign | static_cast<uint32_t>(units);
  return sign | (static_cast<uint32_t>(exponent + bias) << f.mantissaBits) |
         static_cast<uint32_t>(units - (1u << f.mantissaBits));
}

template <class T> T load(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

uint64_t splitmix(uint64_t &state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// NumPy's kind and width of an element type; 'V': it has none.
char npyKind(const std::string &elem) {
  return elem == "bf16" || elem[0] == 'e' ? 'V' : elem[0] == 't' ? 'f' : elem[0];
}

} // namespace

HostTensor::HostTensor(std::string elem, std::vector<int64_t> shape) : elem(std::move(elem)), shape(std::move(shape)) {
  bytes.assign(size() * elementBytes(this->elem), 0xFF);
}

int64_t HostTensor::size() const {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

std::vector<int64_t> HostTensor::strides() const {
  std::vector<int64_t> result(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    result[d - 1] = result[d] * shape[d];
  return result;
}

double HostTensor::get(int64_t index) const {
  const int width = elementBytes(elem);
  const uint8_t *at = bytes.data() + index * width;
  if (const FloatFormat *f = formatOf(elem))
    return decode(*f, width == 2 ? load<uint16_t>(at) : *at);
  if (elem == "f32" || elem == "tf32")
    return load<float>(at);
  if (elem == "f64")
    return load<double>(at);
  if (elem == "u8")
    return *at;
  return width == 1   ? load<int8_t>(at)
         : width == 2 ? load<int16_t>(at)
         : width == 4 ? load<int32_t>(at)
                      : static_cast<double>(load<int64_t>(at));
}

void HostTensor::set(int64_t index, double value) {
  const int width = elementBytes(elem);
  uint8_t *at = bytes.data() + index * width;
  if (const FloatFormat *f = formatOf(elem)) {
    uint32_t bits = encode(*f, value);
    std::memcpy(at, &bits, width);
  } else if (elem == "f32" || elem == "tf32") {
    float narrow = static_cast<float>(value);
    std::memcpy(at, &narrow, 4);
  } else if (elem == "f64") {
    std::memcpy(at, &value, 8);
  } else {
    int64_t whole = static_cast<int64_t>(value);
    std::memcpy(at, &whole, width);
  }
}

bool HostTensor::isWhole() const { return npyKind(elem) == 'i' || npyKind(elem) == 'u'; }

bool HostTensor::holds(double value) const {
  const int bits = 8 * elementBytes(elem) - (npyKind(elem) == 'i');
  return value >= (npyKind(elem) == 'i' ? -std::ldexp(1.0, bits) : 0.0) && value < std::ldexp(1.0, bits);
}

void HostTensor::fillNormal(uint64_t seed, double mean, double deviation) {
  uint64_t state = seed;
  const bool whole = isWhole();
  for (int64_t i = 0, n = size(); i < n; ++i) {
    double u = (static_cast<double>(splitmix(state) >> 11) + 1.0) * 0x1p-53;
    double v = static_cast<double>(splitmix(state) >> 11) * 0x1p-53;
    double x = std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
    set(i, whole ? std::floor(std::fabs(x) * 4) : mean + deviation * x);
  }
}

void HostTensor::fillUniform(uint64_t seed, double low, double high) {
  uint64_t state = seed;
  for (int64_t i = 0, n = size(); i < n; ++i)
    set(i, low + (high - low) * (static_cast<double>(splitmix(state) >> 11) * 0x1p-53));
}

void HostTensor::fillIntegers(uint64_t seed, int64_t low, int64_t high) {
  uint64_t state = seed;
  for (int64_t i = 0, n = size(); i < n; ++i)
    set(i, static_cast<double>(low + static_cast<int64_t>(splitmix(state) % static_cast<uint64_t>(high - low))));
}

int64_t HostTensor::countNaN() const {
  int64_t count = 0;
  for (int64_t i = 0, n = size(); i < n; ++i)
    count += std::isnan(get(i));
  return count;
}

NpyArray toNpy(const HostTensor &tensor) {
  const char kind = npyKind(tensor.elem);
  return {kind == 'V' ? 'u' : kind, elementBytes(tensor.elem), tensor.shape,
          std::string(tensor.bytes.begin(), tensor.bytes.end())};
}

/// Element `i` of an array of floats.
static double floatAt(const NpyArray &array, int64_t i) {
  const uint8_t *at = reinterpret_cast<const uint8_t *>(array.data.data()) + i * array.width;
  return array.width == 2   ? decode(*formatOf("f16"), load<uint16_t>(at))
         : array.width == 4 ? load<float>(at)
                            : load<double>(at);
}

/// Element `i` of an array of integers, its sign extended; false: it is above the largest int64.
static bool wholeAt(const NpyArray &array, int64_t i, int64_t &value) {
  uint64_t bits = 0;
  std::memcpy(&bits, array.data.data() + i * array.width, array.width);
  const int unused = 64 - 8 * array.width;
  value = array.kind == 'i' ? static_cast<int64_t>(bits << unused) >> unused : static_cast<int64_t>(bits);
  return array.kind == 'i' || value >= 0;
}

Result<HostTensor> fromNpy(const NpyArray &array, const std::string &elem, const std::string &name) {
  const SourceLoc where{name, 0, 0};
  HostTensor result(elem, array.shape);
  const char kind = npyKind(elem);
  const bool bits = kind == 'V' && array.width == elementBytes(elem) && (array.kind == 'u' || array.kind == 'V');
  const bool integer = array.kind == 'i' || array.kind == 'u' || array.kind == 'b';
  if (bits || (array.kind == kind && array.width == elementBytes(elem))) {
    result.bytes.assign(array.data.begin(), array.data.end());
    return result;
  }
  if (result.isWhole() ? !integer : array.kind != 'f')
    return userError("expected " +
                         (result.isWhole() ? "integers"
                          : kind == 'V'    ? "floats, or uint" + std::to_string(8 * elementBytes(elem)) + " as bits,"
                                           : "floats") +
                         " for a view of " + elem + ", got " + array.typeName(),
                     where);
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    if (!result.isWhole()) {
      result.set(i, floatAt(array, i));
      continue;
    }
    int64_t value = 0;
    if (!wholeAt(array, i, value) || (elem != "i64" && !result.holds(static_cast<double>(value))))
      return userError("expected values that " + elem + " holds, got " +
                           (array.kind == 'i' ? std::to_string(value) : std::to_string(static_cast<uint64_t>(value))),
                       where);
    std::memcpy(result.bytes.data() + i * elementBytes(elem), &value, elementBytes(elem));
  }
  return result;
}

Result<std::vector<int64_t>> parseShape(const std::string &text) {
  std::vector<int64_t> shape;
  int64_t value = 0;
  bool digits = false;
  for (char c : text + "x") {
    if (c >= '0' && c <= '9' && value < (int64_t(1) << 40)) {
      value = value * 10 + (c - '0');
      digits = true;
    } else if ((c == 'x' || c == ',') && digits) {
      shape.push_back(value);
      value = 0;
      digits = false;
    } else if (c != ' ') {
      return userError("expected sizes such as 4096x64, got '" + text + "'");
    }
  }
  double elements = 1;
  for (int64_t extent : shape)
    elements *= static_cast<double>(extent);
  if (elements > 0x1p36)
    return userError("expected sizes of at most 2^36 elements in all, got '" + text + "'");
  return shape;
}

} // namespace heddle::runtime
