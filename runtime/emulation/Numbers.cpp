//===- Numbers.cpp - small float types, as the conversion instructions round them ----------------===//
#include "heddle_emulation/abi.h"

#include <bit>
#include <cmath>

namespace hdemu {
namespace {

struct Format {
  int exponentBits, mantissaBits;
  bool saturates;   ///< to the largest finite value, instead of infinity
  uint32_t largest; ///< bits of the largest finite value
};

constexpr Format kFormats[] = {{5, 10, false, 0x7bff}, {8, 7, false, 0x7f7f}, {4, 3, true, 0x7e}, {5, 2, true, 0x7b}};

float widenSlowly(Type type, uint32_t bits) {
  const Format &f = kFormats[static_cast<int>(type)];
  const int bias = (1 << (f.exponentBits - 1)) - 1;
  const int exponent = bits >> f.mantissaBits & ((1 << f.exponentBits) - 1);
  const int mantissa = bits & ((1 << f.mantissaBits) - 1);
  float value;
  if (type == Type::E4M3 ? (bits & 0x7f) == 0x7f : exponent == (1 << f.exponentBits) - 1 && mantissa)
    value = NAN;
  else if (type != Type::E4M3 && exponent == (1 << f.exponentBits) - 1)
    value = INFINITY;
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(mantissa), 1 - bias - f.mantissaBits);
  else
    value = std::ldexp(static_cast<float>(mantissa + (1 << f.mantissaBits)), exponent - bias - f.mantissaBits);
  return bits >> (f.exponentBits + f.mantissaBits) & 1 ? -value : value;
}

template <int N> struct Table {
  float values[N];
  explicit Table(Type type) {
    for (int i = 0; i < N; ++i)
      values[i] = widenSlowly(type, i);
  }
};

} // namespace

float widen(Type type, uint32_t bits) {
  static const Table<65536> f16(Type::F16);
  static const Table<256> e4m3(Type::E4M3), e5m2(Type::E5M2);
  switch (type) {
  case Type::F16: return f16.values[bits & 0xffff];
  case Type::BF16: return std::bit_cast<float>(bits << 16);
  case Type::E4M3: return e4m3.values[bits & 0xff];
  case Type::E5M2: return e5m2.values[bits & 0xff];
  case Type::S8: return static_cast<float>(static_cast<int8_t>(bits));
  case Type::TF32: return std::bit_cast<float>(bits & 0xffffe000u); // the tensor core reads 19 bits
  }
  return NAN;
}

/// Nearest, ties to even (tf32: away from zero), as cvt.rn and cvt.rna.
uint32_t narrow(Type type, float value) {
  if (type == Type::TF32)
    return std::isfinite(value) ? (std::bit_cast<uint32_t>(value) + 0x1000u) & 0xffffe000u
                                : std::bit_cast<uint32_t>(value);
  const Format &f = kFormats[static_cast<int>(type)];
  const int bias = (1 << (f.exponentBits - 1)) - 1;
  const uint32_t sign = std::signbit(value) ? 1u << (f.exponentBits + f.mantissaBits) : 0;
  const uint32_t infinity = ((1u << f.exponentBits) - 1) << f.mantissaBits;
  if (std::isnan(value))
    return type == Type::E4M3 ? 0x7f : infinity | ((1u << f.mantissaBits) - 1);
  const float magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | (f.saturates ? f.largest : infinity);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // Units of the last place at this size; below the normal numbers it no longer shrinks.
  const int place = (exponent - 1 < 1 - bias ? 1 - bias : exponent - 1) - f.mantissaBits;
  const uint32_t units = magnitude == 0 ? 0 : static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -place)));
  // A carry into the next power of two is right by itself: the fields are adjacent.
  const uint32_t hidden = 1u << f.mantissaBits;
  const uint32_t bits =
      units < hidden ? units
                     : (static_cast<uint32_t>(place + f.mantissaBits + bias) << f.mantissaBits) + (units - hidden);
  return sign | (bits > f.largest ? (f.saturates ? f.largest : infinity) : bits);
}

} // namespace hdemu
