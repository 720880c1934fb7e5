//===- Numeric.cpp - Conversion and rounding of the numeric types ---------===//
#include "heddle/Simulator/Functional/Numeric.h"

#include "llvm/ADT/APFloat.h"

#include <array>
#include <bit>
#include <cmath>

using namespace heddle::sim;

int64_t heddle::sim::elementBytes(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
  case ElementKind::I64: return 8;
  case ElementKind::F32:
  case ElementKind::I32: return 4;
  case ElementKind::F16:
  case ElementKind::BF16:
  case ElementKind::I16: return 2;
  default: return 1;
  }
}

int heddle::sim::integerBits(ElementKind kind) {
  return kind == ElementKind::I1 ? 1 : static_cast<int>(8 * elementBytes(kind));
}

const char *heddle::sim::elementKindName(ElementKind kind) {
  static constexpr const char *names[] = {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2",
                                          "i1",  "i8",  "i16", "i32",  "i64"};
  return names[static_cast<int>(kind)];
}

uint16_t heddle::sim::encodeF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 0x477ff000) // 65520 and above round to infinity
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    // Subnormal result: adding 0.5 aligns the half's last place (2^-24) with the float's, which rounds it.
    float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(aligned) - 0x3f000000));
  }
  uint32_t rounded = magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | (rounded >> 13));
}

float heddle::sim::decodeF16(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16, magnitude = half & 0x7fff;
  if (magnitude >= 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000 | ((magnitude & 0x3ff) << 13));
  if (magnitude < 0x400) {
    float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
}

uint16_t heddle::sim::encodeBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float heddle::sim::decodeBF16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

static const llvm::fltSemantics &f8Semantics(ElementKind kind) {
  return kind == ElementKind::F8E4M3 ? llvm::APFloat::Float8E4M3FN() : llvm::APFloat::Float8E5M2();
}

uint8_t heddle::sim::encodeF8(ElementKind kind, float value) {
  llvm::APFloat number(value);
  bool lost;
  if (number.isInfinity() ||
      number.convert(f8Semantics(kind), llvm::APFloat::rmNearestTiesToEven, &lost) & llvm::APFloat::opOverflow) {
    if (value == value) // saturates, as the conversion instructions do (PTX ISA, cvt.satfinite)
      number = llvm::APFloat::getLargest(f8Semantics(kind), value < 0);
  }
  return static_cast<uint8_t>(number.bitcastToAPInt().getZExtValue());
}

float heddle::sim::decodeF8(ElementKind kind, uint8_t bits) {
  auto makeTable = [](ElementKind kind) {
    std::array<float, 256> table;
    for (unsigned i = 0; i < 256; ++i)
      table[i] = llvm::APFloat(f8Semantics(kind), llvm::APInt(8, i)).convertToFloat();
    return table;
  };
  static const std::array<float, 256> e4m3 = makeTable(ElementKind::F8E4M3);
  static const std::array<float, 256> e5m2 = makeTable(ElementKind::F8E5M2);
  return (kind == ElementKind::F8E4M3 ? e4m3 : e5m2)[bits];
}

float heddle::sim::roundTo(ElementKind kind, float value) {
  switch (kind) {
  case ElementKind::F16: return decodeF16(encodeF16(value));
  case ElementKind::BF16: return decodeBF16(encodeBF16(value));
  case ElementKind::F8E4M3:
  case ElementKind::F8E5M2: return decodeF8(kind, encodeF8(kind, value));
  default: return value;
  }
}

/// Rounds to float towards an odd last bit where inexact, so that a second rounding to a much narrower type is
/// the same as one rounding from double.
static float narrowToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest))
    return nearest;
  // Truncate towards zero, then set the last bit.
  float truncated = nearest;
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    truncated = std::nextafter(nearest, 0.0f);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(truncated) | 1u);
}

double heddle::sim::roundTo(ElementKind kind, double value) {
  if (kind == ElementKind::F64)
    return value;
  if (kind == ElementKind::F32)
    return static_cast<float>(value);
  return roundTo(kind, narrowToOdd(value));
}

int64_t heddle::sim::wrapTo(ElementKind kind, int64_t value) {
  switch (kind) {
  case ElementKind::I1: return value & 1;
  case ElementKind::I8: return static_cast<int8_t>(value);
  case ElementKind::I16: return static_cast<int16_t>(value);
  case ElementKind::I32: return static_cast<int32_t>(value);
  default: return value;
  }
}

uint64_t heddle::sim::unsignedOf(ElementKind kind, int64_t value) {
  int bits = integerBits(kind);
  uint64_t raw = static_cast<uint64_t>(value);
  return bits == 64 ? raw : raw & ((uint64_t(1) << bits) - 1);
}
