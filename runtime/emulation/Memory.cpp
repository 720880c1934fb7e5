//===- Memory.cpp - ordinary accesses to shared and global memory --------------------------------===//
//
// Verifies: alignment, the range of the launch's shared memory, the tensor that a global access is in.
//
//===--------------------------------------------------------------------------------------------===//
#include "Cta.h"
#include "Global.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace heddle::emulation {
namespace {

struct Range {
  std::string name;
  char *begin, *end;
  bool writable;
};
std::vector<Range> ranges;

/// Addresses for tensors and the untouchable space between them.
constexpr size_t kArenaBytes = size_t(1) << 38, kGuardBytes = size_t(1) << 26;
char *arena = nullptr, *arenaFree = nullptr;

void checkAligned(uint32_t address, int bytes, int line) {
  if (address % bytes)
    fault("expected a shared address that is a multiple of " + std::to_string(bytes) + ", got " +
              std::to_string(address),
          line);
}

} // namespace

char *shared(uint32_t address, int64_t bytes, int line) {
  if (address < kSharedBase || int64_t(address) + bytes > int64_t(kSharedBase) + cta->sharedBytes)
    fault("expected an access inside the " + std::to_string(cta->sharedBytes) + " bytes of shared memory, got " +
              std::to_string(bytes) + " bytes at offset " + std::to_string(int64_t(address) - kSharedBase),
          line);
  return cta->memory.get() + (address - kSharedBase);
}

char *allocateGlobal(const std::string &name, size_t bytes, bool writable) {
  if (!arena) {
    void *reserved = mmap(nullptr, kArenaBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
      fault("no address space for tensors");
    arena = arenaFree = static_cast<char *>(reserved);
  }
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), kept = (bytes + 15) / 16 * 16,
               pages = (kept + page - 1) / page * page;
  char *memory = arenaFree + kGuardBytes;
  arenaFree = memory + pages;
  if (arenaFree + kGuardBytes > arena + kArenaBytes || mprotect(memory, pages, PROT_READ | PROT_WRITE) != 0)
    fault("no memory for tensor '" + name + "'");
  char *begin = memory + (pages - kept);
  std::memset(memory, 0xff, pages);
  ranges.push_back({name, begin, begin + bytes, writable});
  return begin;
}

uint64_t globalOffset(const void *address) { return static_cast<uint64_t>(static_cast<const char *>(address) - arena); }

bool isGlobal(const void *address) { return address >= arena && address < arena + kArenaBytes; }

void checkGlobal(const void *address, size_t bytes, bool write, int line) {
  const char *a = static_cast<const char *>(address);
  for (const Range &range : ranges)
    if (a >= range.begin && a + bytes <= range.end) {
      if (write && !range.writable)
        fault("a write to the input '" + range.name + "'", line);
      return;
    }
  std::string near = "no tensor is near";
  for (const Range &range : ranges)
    if (a >= range.begin - kGuardBytes / 2 && a < range.end + kGuardBytes / 2)
      near = "byte " + std::to_string(a - range.begin) + " of tensor '" + range.name + "', which has " +
             std::to_string(range.end - range.begin);
  fault(std::string(write ? "a write" : "a read") + " outside the tensors: " + near, line);
}

} // namespace heddle::emulation

using namespace heddle::emulation;

namespace hdemu {

uint32_t sharedAddress(const void *generic) {
  int64_t offset = static_cast<const char *>(generic) - smemBytes;
  if (offset < 0 || offset > static_cast<int64_t>(kSharedArray))
    fault("expected the address of shared memory", current->line);
  return kSharedBase + static_cast<uint32_t>(offset);
}

void loadShared(void *to, uint32_t address, int bytes, Line line) {
  at(line, address, bytes);
  checkAligned(address, bytes, line.number);
  const char *from = shared(address, bytes, line.number);
  cta->shadow.read(address, bytes, ordinary(line.number));
  std::memcpy(to, from, bytes);
}

void storeShared(uint32_t address, const void *from, int bytes, Line line) {
  at(line, address, bytes);
  for (int i = 0; i < bytes; ++i)
    note(static_cast<const uint8_t *>(from)[i]);
  checkAligned(address, bytes, line.number);
  char *to = shared(address, bytes, line.number);
  cta->shadow.write(address, bytes, ordinary(line.number));
  std::memcpy(to, from, bytes);
}

void holdsAnything(uint32_t address, uint32_t bytes, Line line) {
  at(line, address, static_cast<int>(bytes));
  char *to = shared(address, static_cast<int>(bytes), line.number);
  Access access = ordinary(line.number);
  access.async = true; // no fence stands in front of who reads it
  cta->shadow.write(address, bytes, access);
  std::memset(to, 0xff, bytes); // no number, in every type that has such
}

void loadGlobal(void *to, const void *from, int bytes, Line line) {
  at(line, globalOffset(from), bytes);
  if (reinterpret_cast<uintptr_t>(from) % bytes)
    fault("expected a global address that is a multiple of " + std::to_string(bytes), line.number);
  checkGlobal(from, bytes, false, line.number);
  std::memcpy(to, from, bytes);
}

void storeGlobal(void *to, const void *from, int bytes, Line line) {
  at(line, globalOffset(to), bytes);
  for (int i = 0; i < bytes; ++i)
    note(static_cast<const uint8_t *>(from)[i]);
  if (reinterpret_cast<uintptr_t>(to) % bytes)
    fault("expected a global address that is a multiple of " + std::to_string(bytes), line.number);
  checkGlobal(to, bytes, true, line.number);
  std::memcpy(to, from, bytes);
}

void addGlobal(float *to, float value, Line line) {
  float sum;
  loadGlobal(&sum, to, 4, line);
  sum += value;
  storeGlobal(to, &sum, 4, line);
}

/// CTAs run one after the other: as the first thread of a launch comes it may take all programs (`firstCome`), or the
/// CTAs take them in turn, as if they ran at one speed. Both are what a GPU may do.
int nextProgram(uint32_t *counter, int programs, Line line) {
  uint32_t before;
  loadGlobal(&before, counter, sizeof before, line);
  const uint32_t after = before >= static_cast<uint32_t>(programs - 1) ? 0 : before + 1;
  storeGlobal(counter, &after, sizeof after, line);
  const int64_t ctas = gridDim.x, number = cta->firstCome ? ctas + before : cta->block.x + ctas * (cta->fetches + 1);
  ++cta->fetches;
  return static_cast<int>(number);
}

/// Address of row `row` of matrix `m`: another lane's `address`. Every lane calls exchange alike.
static uint32_t rowAddress(uint32_t address, int m, int row, Line line) {
  uint32_t found = 0;
  for (int i = 0; i < 8; ++i) {
    uint32_t given = exchange(address, 8 * m + i, line);
    found = i == row ? given : found;
  }
  if (found % 16)
    fault("expected a matrix row at a multiple of 16, got shared address " + std::to_string(found), line.number);
  return found;
}

void storeMatrices(uint32_t address, const uint32_t *registers, int matrices, bool transposed, Line line) {
  const int lane = current->index % 32;
  for (int m = 0; m < matrices; ++m)
    for (int half = 0; half < 2; ++half) {
      // This lane's numbers are row lane/4, columns 2(lane%4)+half of matrix m; its row's address is another lane's.
      int row = lane / 4, column = 2 * (lane % 4) + half;
      if (transposed)
        std::swap(row, column);
      uint16_t number = static_cast<uint16_t>(registers[m] >> (16 * half));
      storeShared(rowAddress(address, m, row, line) + 2 * column, &number, 2, line);
    }
}

void loadMatrices(uint32_t address, uint32_t *const *registers, int matrices, bool transposed, Line line) {
  const int lane = current->index % 32;
  for (int m = 0; m < matrices; ++m) {
    uint32_t pair = 0;
    for (int half = 0; half < 2; ++half) {
      int row = lane / 4, column = 2 * (lane % 4) + half;
      if (transposed)
        std::swap(row, column);
      uint16_t number;
      loadShared(&number, rowAddress(address, m, row, line) + 2 * column, 2, line);
      pair |= static_cast<uint32_t>(number) << (16 * half);
    }
    *registers[m] = pair;
  }
}

} // namespace hdemu
