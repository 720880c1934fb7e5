//===- Limits.h - sizes that the instructions behind the hw dialect have -----===//
//
// What:   sizes of sm_90a's wgmma, tensor maps and shared-memory storage (PTX ISA: wgmma.mma_async,
//         cuTensorMapEncodeTiled, cp.async.bulk.tensor). The hw verifiers, the lowering to hw and Target/Hopper, which
//         answers for them above, take them from here.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_HW_LIMITS_H
#define HEDDLE_DIALECT_HW_LIMITS_H

#include "heddle/Machine/Occupancy.h"

namespace heddle::hw {

//===--- wgmma ---------------------------------------------------------------===//

inline constexpr int64_t dotRows = 64;
/// Columns of an instruction: a multiple of the first, at most the second.
inline constexpr int64_t dotColumns = 8, mostDotColumns = 256;
/// The first, of integers: from 32 columns on only these widths exist.
inline constexpr int64_t integerDotColumns = 16;
/// Of the contraction, an instruction; what a row of an operand in shared memory is a multiple of.
inline constexpr int64_t dotBytes = 32;
/// Largest count of wgmma.wait_group.
inline constexpr int64_t mostPending = 7;

//===--- tensor maps and shared memory ---------------------------------------===//

inline constexpr int64_t mostMapDims = 5, mostBoxExtent = 256;
/// What addresses and rows of copies are multiples of.
inline constexpr int64_t copyBytes = 16;
/// Bytes of a swizzled row, widest first, and the rows after which a swizzle begins again.
inline constexpr int64_t swizzles[] = {chunkRowBytes, chunkRowBytes / 2, chunkRowBytes / 4}, swizzleRows = 8;

} // namespace heddle::hw

#endif // HEDDLE_DIALECT_HW_LIMITS_H
