//===- Global.h - the tensors in emulated global memory -----------------------------------------===//
//
// What:   each tensor (allocateGlobal) lies alone between pages that cannot be touched, at the end of its own pages;
//         its range is known, so an access says exactly whether it is inside.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_EMULATION_GLOBAL_H
#define HEDDLE_EMULATION_GLOBAL_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::emulation {

/// The same in every run, wherever the system put the tensors.
uint64_t globalOffset(const void *address);
/// True for every address near a tensor.
bool isGlobal(const void *address);
/// Faults unless the bytes are inside one tensor (that may be written).
void checkGlobal(const void *address, size_t bytes, bool write, int line);

} // namespace heddle::emulation

#endif // HEDDLE_EMULATION_GLOBAL_H
