//===- Cta.h - one thread block on the CPU ------------------------------------------------------===//
//
// What:   the state of a thread block while it runs: threads as fibers on one CPU thread, barriers, the pending
//         asynchronous operations. The blocks of a cluster run together. The files beside this one define the
//         instructions of heddle_emulation/abi.h on it.
// Order:  a thread runs until it blocks; the threads take turns in the order that Options::order gives, so a run
//         repeats exactly. Asynchronous operations complete when nothing else can run (order 0 and even ones: as late
//         as they may), or as soon as a thread blocks (odd ones).
// Faults: whatever the hardware leaves undefined and this state shows ends the run with the kernel's line (fault).
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_EMULATION_CTA_H
#define HEDDLE_EMULATION_CTA_H

#include "Order.h"
#include "Registers.h"

#include "heddle_emulation/Emulator.h"
#include "heddle_emulation/abi.h"

#include <csetjmp>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <ucontext.h>
#include <utility>
#include <vector>

/// The kernel's `extern __shared__` array.
extern char smemBytes[];

namespace heddle::emulation {

using hdemu::Line;

/// The first bytes of shared memory belong to the system, as on the GPU.
constexpr uint32_t kSharedBase = 1024;
constexpr int kSharedLimit = 227 * 1024; ///< of a launch
constexpr size_t kSharedArray = kSharedLimit;

/// A point that `expected` threads reach before any of them goes on.
struct Meeting {
  int arrived = 0, expected = 0, line = 0;
  uint64_t generation = 0;
  Clock gathering, released[2]; ///< what those that arrived know; by generation
};

struct Mbarrier {
  int count = 0, pending = 0;
  int64_t bytes = 0; ///< expected less landed
  uint64_t phase = 0;
  bool fenced = false;
  bool copied = false; ///< threads arrive for what they copied
  int initThread = 0, agent = 0;
  uint32_t initNumber = 0;
  Clock gathering, done; ///< what those that arrived know; the same when the last phase completed
};

/// A wgmma: what each thread of the warp group gave.
struct Product {
  hdemu::WgmmaForm form;
  uint64_t descA = 0, descB = 0;
  int scaleD = 0, line = 0, threads = 0;
  bool registersA = false;
  std::vector<void *> d;           ///< by thread of the warp group
  std::vector<const uint32_t *> a; ///< four by thread
};

/// The tensor core's queue of a warp group. Threads issue the same products in the same order, each at its own time.
struct Warpgroup {
  std::deque<Product> products; ///< issued, not yet computed
  uint64_t computed = 0;        ///< products before products[0]
  struct Group {
    uint64_t end; ///< products in it and before it
    int threads, line;
  };
  std::deque<Group> groups; ///< committed by some thread, not yet complete
  uint64_t complete = 0;    ///< groups before groups[0]
  int agent = 0;
};

/// A wait at an mbarrier that a lane of a warp has got through, and what it knows then.
struct PassedWait {
  uint32_t bar;
  uint64_t parity;
  int line, lanes; ///< lanes that have
  Clock done;
};

struct Warp {
  std::deque<PassedWait> passed; ///< waits that some lane has got through and others perhaps have not
  uint64_t firstPassed = 0;      ///< number of the first of them in the lanes' order
  uint32_t values[2][32];
  Meeting exchange, sync, aligned; ///< only `sync` orders memory
  int registers = 0, asked = 0;
};

/// A box between global and shared memory, or a row of bytes (map null).
struct Copy {
  const struct TensorMap *map = nullptr;
  int corner[5] = {};
  char *global = nullptr;
  uint32_t shared = 0, bar = 0;
  int64_t bytes = 0;
  bool add = false;
  std::shared_ptr<int> ofThread; ///< copies of a thread that have not landed, of which the last arrives on `bar`
  int line = 0, thread = 0;
  std::vector<char> data; ///< a store's, once shared memory was read
};

/// A thread's committed copies to global memory.
struct BulkGroup {
  std::vector<Copy> copies;
  bool read = false;
};

struct Thread {
  enum class Wait { None, Meeting, Mbarrier, Wgmma, Bulk, Registers };
  int index = 0;
  int component = 0; ///< of clocks
  Clock clock;
  bool done = false, started = false;
  ucontext_t start;
  jmp_buf resume;
  int line = 0;       ///< of the last instruction
  uint64_t trace = 0; ///< of all instructions with their operands
  // What it waits for.
  Wait wait = Wait::None;
  const Meeting *meeting = nullptr;
  uint64_t target = 0;
  uint64_t clusterTarget = 0; ///< generation of clusterMeeting in which it arrived
  uint32_t bar = 0;
  uint64_t barWaits = 0; ///< waits at mbarriers before this one
  bool readOnly = false;
  // Tensor core.
  uint64_t issued = 0, committed = 0, retired = 0;
  std::vector<HeldRegisters> held;
  uint32_t fences = 0, fencesAtStart = 0; ///< wgmma fences of all CTAs so far
  std::vector<Copy> copies;               ///< its own to shared memory, for which it has not arrived
  // Copies to global memory.
  std::vector<Copy> open;
  std::deque<BulkGroup> bulk; ///< not yet complete
  uint64_t bulkCommitted = 0, bulkRead = 0, bulkComplete = 0;
  int bulkAgent = -1;
};

struct Cta {
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<Warpgroup> warpgroups;
  Meeting barriers[16];
  std::map<uint32_t, Mbarrier> mbarriers;
  std::vector<Copy> loads; ///< not yet landed
  hdemu::Dim3 block = {};  ///< in the grid
  int rank = 0;            ///< in the cluster
  int running = 0;         ///< threads that have not ended
  int firstComponent = 0;  ///< of clocks: those of its threads, then of its agents
  int64_t fetches = 0;     ///< of programs' numbers
  std::unique_ptr<char[]> memory;
  int sharedBytes = 0, registerPool = 0;
  bool eager = false, firstCome = false;
  std::mt19937_64 random;
  Shadow shadow;
  int agents = 0;
};

/// The CTAs that run together, by rank, the one whose turn it is, and its thread.
extern std::vector<Cta> cluster;
extern Cta *cta;
extern Thread *current;
/// Where all threads of the cluster meet.
extern Meeting clusterMeeting;

/// While it lives, the CTA of that rank is the one to access.
class InCta {
public:
  explicit InCta(int rank) : before(std::exchange(cta, &cluster[rank])) {}
  ~InCta() { cta = before; }

private:
  Cta *before;
};

[[noreturn]] void fault(const std::string &what, int line = 0);
/// Adds to the running thread's trace.
inline void note(uint64_t value) {
  uint64_t &trace = current->trace;
  trace = (trace ^ value) * 0x9E3779B97F4A7C15ull;
  trace ^= trace >> 29;
}
/// Notes where the running thread is and what it does. Every instruction calls it first.
template <class... Values> Thread &at(Line line, Values... values) {
  current->line = line.number;
  note(static_cast<uint64_t>(line.number));
  (note(static_cast<uint64_t>(values)), ...);
  return *current;
}
/// `count` new components of the clocks.
int newAgent(int count);
/// An ordinary access of the running thread.
Access ordinary(int line);
/// What `thread` has done is known to whoever joins `into`.
void release(Thread &thread, Clock &into);
/// Lets the others run until what the running thread waits for has come.
void block();
bool satisfied(const Thread &thread);
std::string describeWait(const Thread &thread);

// Asynchronous operations: each completes one (the next to go), or says that there is none. `awaited`: only one that a
// blocked thread waits for.
bool completeLoad(bool awaited);
bool completeProducts(bool awaited);
bool completeStore(bool awaited);
/// What is left when every thread has ended.
void drain();

/// The wait of `thread` at an mbarrier, where another lane of its warp has got through it: lanes ask together.
PassedWait *passedByWarp(const Thread &thread);

/// `bytes` bytes at a GPU address of shared memory.
char *shared(uint32_t address, int64_t bytes, int line);
/// The address after a swizzle of `bytes` bytes.
uint32_t swizzled(int bytes, uint32_t address);

/// The running thread waits for the other lanes of its warp, which meet at the same line; one meeting a warp. `orders`:
/// also what they wrote.
void meetLanes(Meeting &meeting, int line, bool orders);
/// Faults where the CTA whose memory is accessed has ended.
void checkRunning(int line);
/// The mbarrier at an address, if the running thread may use it.
Mbarrier &usableMbarrier(uint32_t bar, int line);
/// Bytes of a load landed.
void landed(uint32_t bar, int64_t bytes, int line);
/// The last copy landed that a thread has arrived for.
void landedLast(uint32_t bar, int line);

} // namespace heddle::emulation

#endif // HEDDLE_EMULATION_CTA_H
