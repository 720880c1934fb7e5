//===- Registers.h - registers that the tensor core holds ---------------------------------------===//
#ifndef HEDDLE_EMULATION_REGISTERS_H
#define HEDDLE_EMULATION_REGISTERS_H

#include <cstddef>
#include <cstdint>

namespace heddle::emulation {

/// Memory of the running thread that stands for registers of a product that is not yet retired.
struct HeldRegisters {
  const char *begin, *end;
  uint64_t group;
  bool result; ///< an accumulator; else registers of A, which may be read
  int line;
};

/// All threads' stacks, and zeroed memory of the same size.
void watchStacks(char *begin, char *end, uint32_t *stamps);
/// The running thread's product takes these registers; faults where they were written after the last wgmma fence.
void holdRegisters(const void *begin, size_t bytes, bool result, int line);
/// Those of retired groups are the thread's again.
void releaseRegisters();

} // namespace heddle::emulation

#endif // HEDDLE_EMULATION_REGISTERS_H
