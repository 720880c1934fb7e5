//===- heddle_emulation/numbers.h - conversions and arithmetic of the device library on the CPU ---===//
//
// What:  thread/convert.h and thread/math.h; a part of device.h, which includes it behind the types.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_EMULATION_NUMBERS_H
#define HEDDLE_EMULATION_NUMBERS_H

#include "heddle_device/thread/types.h"
#include "heddle_emulation/abi.h"

namespace hd {

// thread/convert.h
template <class T> struct TypeOf;
template <> struct TypeOf<f16> {
  static constexpr auto value = hdemu::Type::F16;
};
template <> struct TypeOf<bf16> {
  static constexpr auto value = hdemu::Type::BF16;
};
template <> struct TypeOf<e4m3> {
  static constexpr auto value = hdemu::Type::E4M3;
};
template <> struct TypeOf<e5m2> {
  static constexpr auto value = hdemu::Type::E5M2;
};
template <> struct TypeOf<tf32> {
  static constexpr auto value = hdemu::Type::TF32;
};
template <> struct TypeOf<s8> {
  static constexpr auto value = hdemu::Type::S8;
};
inline float toFloat(float x) { return x; }
inline float toFloat(f16 x) { return hdemu::widen(hdemu::Type::F16, x.bits); }
inline float toFloat(bf16 x) { return __uint_as_float(static_cast<uint32_t>(x.bits) << 16); }
inline float toFloat(e4m3 x) { return hdemu::widen(hdemu::Type::E4M3, x.bits); }
inline float toFloat(e5m2 x) { return hdemu::widen(hdemu::Type::E5M2, x.bits); }
template <class T> T convert(float x) {
  if constexpr (sizeof(T) == 4)
    return x;
  else
    return T{static_cast<decltype(T::bits)>(hdemu::narrow(TypeOf<T>::value, x))};
}
template <class T> uint32_t pack(float lo, float hi) {
  static_assert(sizeof(T) == 2, "expected f16 or bf16");
  return convert<T>(lo).bits | static_cast<uint32_t>(convert<T>(hi).bits) << 16;
}
template <class T> uint16_t pack2x8(float lo, float hi) {
  static_assert(sizeof(T) == 1, "expected e4m3 or e5m2");
  return static_cast<uint16_t>(convert<T>(lo).bits | convert<T>(hi).bits << 8);
}
template <class T> uint32_t pack4x8(float a, float b, float c, float d) {
  return pack2x8<T>(a, b) | static_cast<uint32_t>(pack2x8<T>(c, d)) << 16;
}
template <class T> float unpackLo(uint32_t pair) { return toFloat(T{static_cast<uint16_t>(pair & 0xffff)}); }
template <class T> float unpackHi(uint32_t pair) { return toFloat(T{static_cast<uint16_t>(pair >> 16)}); }
template <class From, class To> uint32_t widen2(uint32_t four) {
  auto number = [&](uint32_t bits) { return hdemu::widen(TypeOf<From>::value, bits & 0xff); };
  return pack<To>(number(four), number(four >> 8));
}
inline uint32_t add2(uint32_t a, uint32_t b) {
  return pack<f16>(unpackLo<f16>(a) + unpackLo<f16>(b), unpackHi<f16>(a) + unpackHi<f16>(b));
}
inline uint32_t sub2(uint32_t a, uint32_t b) {
  return pack<f16>(unpackLo<f16>(a) - unpackLo<f16>(b), unpackHi<f16>(a) - unpackHi<f16>(b));
}
inline uint32_t mul2(uint32_t a, uint32_t b) {
  return pack<f16>(unpackLo<f16>(a) * unpackLo<f16>(b), unpackHi<f16>(a) * unpackHi<f16>(b));
}
inline float toTf32(float x) { return __uint_as_float(hdemu::narrow(hdemu::Type::TF32, x)); }

// thread/math.h
inline uint64_t multiplyWide(int a, int b) { return uint64_t(uint32_t(a)) * uint32_t(b); }
inline int multiplyHigh(int a, int b) { return int(multiplyWide(a, b) >> 32); }
inline int multiplyLow(int a, int b) { return int(multiplyWide(a, b)); }
inline float ex2(float x) { return exp2f(x); }
inline float lg2(float x) { return log2f(x); }
inline float rcp(float x) { return 1.0f / x; }
inline float rsqrt(float x) { return 1.0f / sqrtf(x); }
inline float sqrtApprox(float x) { return sqrtf(x); }
inline float tanhApprox(float x) { return tanhf(x); }
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
template <class T> T maximum(T a, T b) {
  return a != a ? a : b != b ? b : a == b ? (__builtin_signbit(a) ? b : a) : a > b ? a : b;
}
template <class T> T minimum(T a, T b) { return -maximum(-a, -b); }
/// As the conversion instructions: saturating, NaN gives 0.
template <class T> T toInteger(double x) {
  constexpr bool isSigned = T(-1) < T(0);
  constexpr T most = isSigned ? static_cast<T>((~uint64_t(0) >> 1) >> (64 - 8 * sizeof(T))) : static_cast<T>(-1);
  constexpr T least = isSigned ? static_cast<T>(-most - 1) : T(0);
  if (x != x)
    return 0;
  return x >= static_cast<double>(most) ? most : x <= static_cast<double>(least) ? least : static_cast<T>(x);
}
inline float fmax(float a, float b) { return fmaxf(a, b); }
inline float fmin(float a, float b) { return fminf(a, b); }
inline float fabs(float a) { return fabsf(a); }
inline float infinity() { return __int_as_float(0x7f800000); }

} // namespace hd

#endif // HEDDLE_EMULATION_NUMBERS_H
