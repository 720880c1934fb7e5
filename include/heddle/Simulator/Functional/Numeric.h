//===- Numeric.h - The numeric types: conversion and rounding -------------===//
//
// What:  the element kinds that tiles have, and exact round-to-nearest-even conversion between them and float/double.
// Note:  +, -, *, / and sqrt of f16 and bf16 values computed in float and then rounded are correctly rounded, because
//        24 >= 2*p + 2 for both (p = 11, 8).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_NUMERIC_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_NUMERIC_H

#include <cstdint>

namespace heddle::sim {

enum class ElementKind : uint8_t { F64, F32, F16, BF16, F8E4M3, F8E5M2, I1, I8, I16, I32, I64 };

inline bool isFloatKind(ElementKind kind) { return kind <= ElementKind::F8E5M2; }
/// Bytes of one element in memory (i1: 1).
int64_t elementBytes(ElementKind kind);
/// Bits of an integer kind.
int integerBits(ElementKind kind);
/// "f16", "bf16", "f8E4M3FN", "i32", ...
const char *elementKindName(ElementKind kind);

uint16_t encodeF16(float value);
float decodeF16(uint16_t bits);
uint16_t encodeBF16(float value);
float decodeBF16(uint16_t bits);
/// 8-bit formats; out of range is NaN (f8E4M3FN) or infinity (f8E5M2).
uint8_t encodeF8(ElementKind kind, float value);
float decodeF8(ElementKind kind, uint8_t bits);

/// The nearest value of `kind` (a float kind up to 32 bits wide) to `value`, ties to even.
float roundTo(ElementKind kind, float value);
/// The same from double, without double rounding. F64 returns `value`.
double roundTo(ElementKind kind, double value);

/// `value` wrapped to the width of an integer kind: sign-extended, i1 as 0 or 1.
int64_t wrapTo(ElementKind kind, int64_t value);
/// The unsigned reading of a wrapped value.
uint64_t unsignedOf(ElementKind kind, int64_t value);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_NUMERIC_H
