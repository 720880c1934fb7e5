//===- Integers.h - divisions that round one way --------------------------===//
#ifndef HEDDLE_SUPPORT_INTEGERS_H
#define HEDDLE_SUPPORT_INTEGERS_H

#include <cstdint>

namespace heddle {

/// floor(a / b) for b >= 1. (Where LLVM is linked, llvm::divideFloorSigned does it.)
inline int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }
/// ceil(a / b) for b >= 1.
inline int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b > 0); }

} // namespace heddle

#endif // HEDDLE_SUPPORT_INTEGERS_H
