//===- heddle_emulation/abi.h - calls of an emulated kernel into the emulator --------------------===//
//
// What:  the functions behind heddle_emulation/device.h, one for each instruction that has an effect beyond
//        its own registers. runtime/emulation defines them; a kernel that the host's C++ compiler builds calls
//        them. `line` is the place in the kernel's text, for messages.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_EMULATION_ABI_H
#define HEDDLE_EMULATION_ABI_H

#include <stdint.h>

namespace hdemu {

struct Dim3 {
  unsigned x, y, z;
};

/// The line of the kernel's text that calls. A type of its own: no argument is mistaken for it.
struct Line {
  int number;
};

/// Element types of tensor-core operands and of conversions.
enum class Type { F16, BF16, E4M3, E5M2, TF32, S8 };

/// D (64 x n) (+)= A (64 x k) * B (k x n), k = 32 bytes.
struct WgmmaForm {
  int n;
  Type typeA, typeB;
  bool transA, transB;
};

// Numbers.
float widen(Type type, uint32_t bits);
uint32_t narrow(Type type, float value);

// Memory. Addresses of shared memory are those of the GPU: 32 bits, not zero at its start.
uint32_t sharedAddress(const void *generic);
void loadShared(void *to, uint32_t address, int bytes, Line line);
void storeShared(uint32_t address, const void *from, int bytes, Line line);
void loadGlobal(void *to, const void *from, int bytes, Line line);
void storeGlobal(void *to, const void *from, int bytes, Line line);
void addGlobal(float *to, float value, Line line);
/// The next of `programs` programs, behind those that the CTAs begin with; the last fetch clears the counter.
int nextProgram(uint32_t *counter, int programs, Line line);

// Inside a warp.
int electedLane(Line line);
uint32_t exchange(uint32_t value, int lane, Line line);
void warpSync(Line line);
/// Element `e` (0 to 7) of row l%8 of matrix l/8 at `address` is one 16-bit number; lane l keeps row l/4,
/// elements 2(l%4) and +1 of matrix i in registers[i] (transposed: of the transposed matrix).
void loadMatrices(uint32_t address, uint32_t *const *registers, int matrices, bool transposed, Line line);
void storeMatrices(uint32_t address, const uint32_t *registers, int matrices, bool transposed, Line line);

// Barriers.
void namedBarrier(int id, int threads, bool waits, Line line);
void mbarrierInit(uint32_t bar, uint32_t count, Line line);
void mbarrierFenceInit(Line line);
void mbarrierArrive(uint32_t bar, uint32_t expectedBytes, Line line);
bool mbarrierTest(uint32_t bar, uint32_t parity, Line line);
void mbarrierWait(uint32_t bar, uint32_t parity, Line line);

/// Whoever reads these bytes does not mind what they hold.
void holdsAnything(uint32_t address, uint32_t bytes, Line line);

// Fences.
void fenceProxyAsync(Line line);

// Copy engine. Coordinates innermost first.
void tensorLoad(uint32_t to, const void *map, uint32_t bar, int rank, const int *coordinates, Line line);
/// To the same offsets of each CTA of the cluster whose bit is set.
void tensorLoadMulticast(uint32_t to, const void *map, uint32_t bar, uint32_t mask, int rank, const int *coordinates,
                         Line line);
void tensorStore(const void *map, uint32_t from, int rank, const int *coordinates, bool add, Line line);
void bulkLoad(uint32_t to, const void *from, uint32_t bytes, uint32_t bar, Line line);
/// By a thread: 16 bytes, zeros where not `inside`; and its arrival when all that it has begun have landed.
void copyAsync(uint32_t to, const void *from, bool inside, Line line);
void copiesArrive(uint32_t bar, Line line);
void bulkStore(void *to, uint32_t from, uint32_t bytes, Line line);
void bulkCommit(Line line);
/// Until at most `pending` groups of this thread still read shared memory (`readOnly`), or are incomplete.
void bulkWait(int pending, bool readOnly, Line line);
/// Makes `to` the map of a tensor, whose sizes and strides (bytes) stand innermost first; `scratch`: shared memory.
void makeMap(void *to, uint32_t scratch, const void *address, int elementBytes, int swizzle, int rank,
             const uint32_t *box, const int *sizes, const int64_t *strides, Line line);
/// Any tensor map that is used must be one.
void checkMap(const void *map, Line line);

// Tensor core. `a` (four registers of A) is null when A is in shared memory. `d`: float, of integers int.
void wgmma(const WgmmaForm &form, void *d, const uint32_t *const *a, uint64_t descA, uint64_t descB, int scaleD,
           Line line);
void wgmmaFence(Line line);
void wgmmaCommit(Line line);
void wgmmaWait(int pending, Line line);

// Registers of this thread's warp group.
void setRegisters(int count, bool increase, Line line);

// Clusters.
uint32_t clusterRank();
uint32_t clusterSize();
void clusterArrive(Line line);
void clusterWait(Line line);
/// In the CTA of that rank.
void mbarrierArriveAt(uint32_t bar, uint32_t rank, Line line);

/// Reports an instruction that is not emulated.
[[noreturn]] void unsupported(const char *what, Line line);

} // namespace hdemu

extern hdemu::Dim3 threadIdx, blockIdx, gridDim, blockDim;

#endif // HEDDLE_EMULATION_ABI_H
