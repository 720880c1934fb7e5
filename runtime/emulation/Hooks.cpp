//===- Hooks.cpp - every access that the kernel's text makes by itself ---------------------------===//
//
// What:    the kernel is compiled with -fsanitize=thread and linked to no sanitizer: the compiler calls the functions
//          here before each access of the text to memory whose address it gave away. Those are global memory (checked
//          by range and alignment) and the arrays that products use as registers.
// Registers: an accumulator is the tensor core's from its product's issue to the wait that retires it, registers of A
//            likewise
//          but for reads. A write after the last wgmma fence is noted by a stamp, so that a product without a fence is
//          seen.
//
//===--------------------------------------------------------------------------------------------===//
#include "Cta.h"
#include "Global.h"
#include "Registers.h"

#include <algorithm>

namespace heddle::emulation {
namespace {

const char *stacksBegin = nullptr, *stacksEnd = nullptr;
uint32_t *stamps = nullptr; ///< by four bytes of stack: the fence that the last write came after

uint32_t &stampOf(const void *address) { return stamps[(static_cast<const char *>(address) - stacksBegin) / 4]; }

void touchRegisters(const char *address, size_t bytes, bool write) {
  Thread &self = *current;
  for (const HeldRegisters &held : self.held)
    if (address < held.end && address + bytes > held.begin && (write || held.result))
      fault(std::string(write ? "a write to" : "a read of") + (held.result ? " an accumulator" : " registers of A") +
                " of the wgmma of line " + std::to_string(held.line) +
                ", which nothing has waited for; after this line",
            self.line);
  if (write)
    for (size_t i = 0; i < bytes; i += 4)
      stampOf(address + i) = self.fences;
}

void access(const void *address, size_t bytes, bool write) {
  const char *a = static_cast<const char *>(address);
  if (a >= stacksBegin && a < stacksEnd)
    return touchRegisters(a, bytes, write);
  if (!isGlobal(a))
    return;
  note(globalOffset(a) * 2 + write);
  if (bytes <= 16 && reinterpret_cast<uintptr_t>(a) % bytes)
    fault("expected a global address that is a multiple of " + std::to_string(bytes) + ", after this line",
          current->line);
  checkGlobal(a, bytes, write, current->line);
}

} // namespace

void watchStacks(char *begin, char *end, uint32_t *stampMemory) {
  stacksBegin = begin;
  stacksEnd = end;
  stamps = stampMemory;
}

void holdRegisters(const void *begin, size_t bytes, bool result, int line) {
  Thread &self = *current;
  const char *from = static_cast<const char *>(begin), *to = from + bytes;
  if (from < stacksBegin || to > stacksEnd) // registers of a test without threads of its own
    return;
  if (self.fences == self.fencesAtStart)
    fault("a wgmma without a wgmma fence before it", line);
  for (size_t i = 0; i < bytes; i += 4)
    if (stampOf(from + i) == self.fences)
      fault(std::string(result ? "an accumulator" : "a register of A") + " was written after the last wgmma fence",
            line);
  const uint64_t group = self.committed + 1;
  if (!self.held.empty()) {
    HeldRegisters &last = self.held.back();
    if (last.result == result && last.group == group && (last.end == from || (last.begin == from && last.end == to))) {
      last.end = to;
      return;
    }
  }
  self.held.push_back({from, to, group, result, line});
}

void releaseRegisters() {
  Thread &self = *current;
  self.held.erase(std::remove_if(self.held.begin(), self.held.end(),
                                 [&](const HeldRegisters &h) { return h.group <= self.retired; }),
                  self.held.end());
}

} // namespace heddle::emulation

#define HOOK(name, bytes, write)                                                                                       \
  extern "C" void name(void *address) { heddle::emulation::access(address, bytes, write); }
#define HOOKS(bytes)                                                                                                   \
  HOOK(__tsan_read##bytes, bytes, false)                                                                               \
  HOOK(__tsan_write##bytes, bytes, true)                                                                               \
  HOOK(__tsan_unaligned_read##bytes, bytes, false)                                                                     \
  HOOK(__tsan_unaligned_write##bytes, bytes, true)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
extern "C" {
void __tsan_read_range(void *address, unsigned long bytes) { heddle::emulation::access(address, bytes, false); }
void __tsan_write_range(void *address, unsigned long bytes) { heddle::emulation::access(address, bytes, true); }
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
}
