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

const char *npyType(const std::string &elem) {
  if (elem == "f16")
    return "<f2";
  if (elem == "f64")
    return "<f8";
  if (elem == "i8")
    return "|i1";
  if (elem == "u8")
    return "|u1";
  if (elem == "i16")
    return "<i2";
  if (elem == "i32")
    return "<i4";
  if (elem == "i64")
    return "<i8";
  return "<f4";
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

void HostTensor::fillNormal(uint64_t seed) {
  uint64_t state = seed;
  const bool whole = elem[0] == 'i' || elem[0] == 'u';
  for (int64_t i = 0, n = size(); i < n; ++i) {
    double u = (static_cast<double>(splitmix(state) >> 11) + 1.0) * 0x1p-53;
    double v = static_cast<double>(splitmix(state) >> 11) * 0x1p-53;
    double x = std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
    set(i, whole ? std::floor(std::fabs(x) * 4) : x);
  }
}

int64_t HostTensor::countNaN() const {
  int64_t count = 0;
  for (int64_t i = 0, n = size(); i < n; ++i)
    count += std::isnan(get(i));
  return count;
}

Status writeNpy(const std::string &path, const HostTensor &t) {
  std::string header = std::string("{'descr': '") + npyType(t.elem) + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : t.shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  if (std::string(npyType(t.elem)) == "<f4" && t.elem != "f32") {
    for (int64_t i = 0, n = t.size(); i < n; ++i) {
      float value = static_cast<float>(t.get(i));
      file.append(reinterpret_cast<const char *>(&value), 4);
    }
  } else {
    file.append(reinterpret_cast<const char *>(t.bytes.data()), t.bytes.size());
  }
  return writeFile(path, file);
}

Result<HostTensor> readNpy(const std::string &path, const std::string &elem) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  const SourceLoc where{path, 0, 0};
  const std::string &file = *text;
  if (file.size() < 10 || file.compare(0, 6, "\x93NUMPY") != 0 || file[6] != 1)
    return userError("expected a NumPy file of version 1", where);
  const size_t length = static_cast<uint8_t>(file[8]) | static_cast<size_t>(static_cast<uint8_t>(file[9])) << 8;
  const std::string header = file.substr(10, length);
  const std::string type = header.find("'<f2'") != std::string::npos   ? "f16"
                           : header.find("'<f4'") != std::string::npos ? "f32"
                           : header.find("'<f8'") != std::string::npos ? "f64"
                                                                       : "";
  if (type.empty() || header.find("'fortran_order': False") == std::string::npos)
    return userError("expected a C-ordered array of f2, f4 or f8, got " + header.substr(0, 60), where);
  const size_t open = header.find('('), close = header.find(')');
  if (open == std::string::npos || close == std::string::npos)
    return userError("expected a shape, got none", where);
  std::string list = header.substr(open + 1, close - open - 1);
  while (!list.empty() && (list.back() == ',' || list.back() == ' '))
    list.pop_back();
  Result<std::vector<int64_t>> shape = parseShape(list);
  if (!shape)
    return shape.error();
  HostTensor source(type, *shape), result(elem, *shape);
  if (file.size() - 10 - length != source.bytes.size())
    return userError("expected " + std::to_string(source.bytes.size()) + " bytes of data, got " +
                         std::to_string(file.size() - 10 - length),
                     where);
  std::memcpy(source.bytes.data(), file.data() + 10 + length, source.bytes.size());
  for (int64_t i = 0, n = source.size(); i < n; ++i)
    result.set(i, source.get(i));
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
