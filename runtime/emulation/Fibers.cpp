//===- Fibers.cpp - threads in turns, and what ends a run ---------------------------------------===//
//
// What:      launch: cluster after cluster (of one CTA mostly), each thread a fiber. A blocked thread's condition
//            is data, so the scheduler tests it without a switch.
// Algorithm: rounds over the threads in the order of the run; when a round moves nothing, one asynchronous operation
//            completes (first one that a thread waits for); when there is none either, that is a deadlock. Fibers start
//            by ucontext and switch by setjmp, which makes no system call.
//
//===--------------------------------------------------------------------------------------------===//
#include "Cta.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <regex>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

hdemu::Dim3 threadIdx, blockIdx, gridDim, blockDim;
alignas(1024) char smemBytes[heddle::emulation::kSharedArray];

namespace heddle::emulation {

std::vector<Cta> cluster;
Cta *cta = nullptr;
Thread *current = nullptr;
Meeting clusterMeeting;

namespace {

constexpr size_t kStackBytes = 512 * 1024;
constexpr int kRegisterFile = 65536;
/// Asynchronous agents of a CTA at most: mbarriers, warps of the tensor core, threads that store.
constexpr int kAgents = 192;

char *stacks = nullptr;
uint64_t runTrace = 0;
jmp_buf schedulerPoint;
const std::function<void()> *body = nullptr;

std::string place(int line) { return line > 0 ? "kernel.cu:" + std::to_string(line) + ": " : "kernel.cu: "; }

std::string where(const Thread &thread) {
  return "thread " + std::to_string(thread.index) + " of CTA (" + std::to_string(blockIdx.x) + ", " +
         std::to_string(blockIdx.y) + ", " + std::to_string(blockIdx.z) + ")";
}

void fiberMain() {
  (*body)();
  Thread &thread = *current;
  if (thread.issued > 0 && thread.retired < thread.committed)
    fault("the thread ends with a wgmma group that it has not waited for", thread.line);
  thread.done = true;
  _longjmp(schedulerPoint, 1);
}

/// Runs `thread` until it blocks or ends.
void resume(Thread &thread) {
  current = &thread;
  threadIdx.x = thread.index;
  blockIdx = cta->block;
  if (_setjmp(schedulerPoint) == 0) {
    if (thread.started)
      _longjmp(thread.resume, 1);
    thread.started = true;
    setcontext(&thread.start);
  }
}

void prepare(Thread &thread, int index, uint32_t fences) {
  const size_t components = cta->threads.size() + kAgents, blocks = cluster.size();
  thread.index = index;
  thread.component = cta->firstComponent + index;
  thread.fences = thread.fencesAtStart = fences;
  thread.clock.seen.assign(blocks * components, 0);
  thread.clock.fenced.assign(blocks > 1 ? blocks * components : cta->threads.size(), 0);
  thread.clock.seen[thread.component] = 1;
  getcontext(&thread.start);
  char *stack = stacks + (cta->rank * cta->threads.size() + index) * kStackBytes;
  thread.start.uc_stack.ss_sp = stack + 4096; // the page below faults on overflow
  thread.start.uc_stack.ss_size = kStackBytes - 4096;
  thread.start.uc_link = nullptr;
  makecontext(&thread.start, fiberMain, 0);
}

/// All that wait at the same place, as one line of a deadlock report.
std::string describeDeadlock() {
  std::string text;
  for (Cta &member : cluster) {
    cta = &member;
    std::map<std::string, std::pair<int, int>> waits; // text -> first thread, count
    for (const Thread &thread : cta->threads)
      if (!thread.done) {
        auto found = waits.emplace(place(thread.line) + describeWait(thread), std::make_pair(thread.index, 0)).first;
        ++found->second.second;
      }
    if (waits.empty())
      continue;
    text += (text.empty() ? "deadlock in CTA (" : "\nand in CTA (") + std::to_string(cta->block.x) + ", " +
            std::to_string(cta->block.y) + ", " + std::to_string(cta->block.z) + ")";
    for (auto &[wait, threads] : waits)
      text += "\n  " + wait + " (" + std::to_string(threads.second) + " threads from thread " +
              std::to_string(threads.first) + ")";
  }
  return text;
}

void checkRings(const Launch &launch) {
  for (const Launch::Ring &ring : launch.rings)
    for (int slot = 0; slot < ring.slots; ++slot) {
      auto full = cta->mbarriers.find(kSharedBase + ring.full + 8 * slot),
           empty = cta->mbarriers.find(kSharedBase + ring.empty + 8 * slot);
      if (full == cta->mbarriers.end() || empty == cta->mbarriers.end())
        fault("expected initialised mbarriers of ring '" + ring.name + "', slot " + std::to_string(slot) +
              ", at the end of the CTA, got none");
      for (const auto &[bar, b] : {*full, *empty})
        if (b.pending != b.count)
          fault("the CTA ends with the mbarrier at shared address " + std::to_string(bar) + " inside a phase: " +
                std::to_string(b.pending) + " of " + std::to_string(b.count) + " arrivals missing");
      if (full->second.phase != empty->second.phase)
        fault("the CTA ends with slot " + std::to_string(slot) + " of ring '" + ring.name + "' filled " +
              std::to_string(full->second.phase) + " times and given back " + std::to_string(empty->second.phase) +
              " times");
    }
}

bool completeOne(bool awaited) {
  bool (*kinds[])(bool) = {completeLoad, completeProducts, completeStore};
  std::mt19937_64 &random = cluster.front().random;
  size_t block = cluster.size() > 1 ? random() % cluster.size() : 0, first = random() % 3;
  for (size_t b = 0; b < cluster.size(); ++b) {
    InCta there(static_cast<int>((block + b) % cluster.size()));
    for (size_t i = 0; i < 3; ++i)
      if (kinds[(first + i) % 3](awaited))
        return true;
  }
  return false;
}

/// The state of a CTA as its threads begin; `fences` of its threads go on counting: the stamps of stacks stay.
void prepareCta(const Launch &launch, const std::vector<uint32_t> &fences) {
  cta->eager = launch.order % 2 == 1;
  cta->firstCome = launch.order % 2 == 1;
  cta->sharedBytes = launch.sharedBytes;
  cta->threads.resize(launch.threads);
  cta->running = launch.threads;
  cta->warps.resize((launch.threads + 31) / 32);
  cta->warpgroups.resize((launch.threads + 127) / 128);
  const int registers = std::min(kRegisterFile / std::max(launch.threads * launch.blocks, 1) / 8 * 8, 256);
  for (Warp &warp : cta->warps)
    warp.registers = registers;
  cta->memory.reset(new char[kSharedArray]);
  std::memset(cta->memory.get(), 0xff, kSharedArray);
  cta->shadow.reset(launch.sharedBytes);
  cta->firstComponent = cta->rank * (launch.threads + kAgents);
  for (int t = 0; t < launch.threads; ++t)
    prepare(cta->threads[t], t, fences[t]);
  cta->agents = launch.threads;
  for (Warpgroup &warpgroup : cta->warpgroups)
    warpgroup.agent = newAgent(4);
}

/// Runs the CTAs from number `first` of the grid on that form a cluster.
void runCluster(const Launch &launch, int64_t first) {
  std::vector<std::vector<uint32_t>> fences(launch.cluster, std::vector<uint32_t>(launch.threads, 1));
  for (const Cta &before : cluster)
    for (const Thread &thread : before.threads)
      fences[before.rank][thread.index] = thread.fences;
  cluster.clear();
  cluster.resize(launch.cluster);
  clusterMeeting = Meeting();
  for (int rank = 0; rank < launch.cluster; ++rank) {
    cta = &cluster[rank];
    cta->rank = rank;
    const int64_t block = first + rank;
    cta->block = {static_cast<unsigned>(block % launch.grid[0]),
                  static_cast<unsigned>(block / launch.grid[0] % launch.grid[1]),
                  static_cast<unsigned>(block / launch.grid[0] / launch.grid[1])};
    prepareCta(launch, fences[rank]);
  }
  std::mt19937_64 &random = cluster.front().random;
  random.seed(launch.order * 7919 + static_cast<unsigned>(first));
  std::vector<int> order(launch.cluster * launch.threads);
  std::iota(order.begin(), order.end(), 0);
  if (launch.order == 1)
    std::reverse(order.begin(), order.end());
  else if (launch.order > 1)
    std::shuffle(order.begin(), order.end(), random);
  for (int left = static_cast<int>(order.size()); left > 0;) {
    bool moved = false;
    for (int t : order) {
      cta = &cluster[t / launch.threads];
      Thread &thread = cta->threads[t % launch.threads];
      if (thread.done || !satisfied(thread))
        continue;
      resume(thread);
      moved = true;
      left -= thread.done;
      cta->running -= thread.done;
      while (cluster.front().eager && completeOne(false)) {
      }
    }
    if (!moved && !completeOne(true) && !completeOne(false))
      fault(describeDeadlock());
  }
  for (Cta &ended : cluster) {
    cta = &ended;
    blockIdx = cta->block;
    drain();
    checkRings(launch);
    for (const Thread &thread : cta->threads)
      runTrace += (thread.trace ^ static_cast<uint64_t>(thread.index)) *
                  (2 * (uint64_t(blockIdx.x) + (uint64_t(blockIdx.y) << 20) + (uint64_t(blockIdx.z) << 40)) + 1);
  }
}

void onSignal(int number) {
  // What is unsafe in a handler is tolerable here: the process ends, at the latest by the alarm (a crash may have come
  // while a lock was held).
  static volatile sig_atomic_t entered = 0;
  if (entered)
    _exit(number == SIGALRM ? kTimeLimit : kFault);
  entered = 1;
  alarm(2);
  if (number == SIGALRM) {
    std::fprintf(stderr, "%stime limit reached: %s was running\n", place(current ? current->line : 0).c_str(),
                 current ? where(*current).c_str() : "no thread");
    _exit(kTimeLimit);
  }
  if (current)
    fault(std::string("memory fault (signal ") + std::to_string(number) + ") after this line", current->line);
  _exit(kFault);
}

} // namespace

void fault(const std::string &what, int line) {
  bool located = line > 0 || !current;
  std::string text = located && current ? place(line) + what + ", in " + where(*current) : what;
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", text.c_str());
  std::fflush(stderr);
  _exit(kFault);
}

int newAgent(int count) {
  cta->agents += count;
  if (cta->agents > static_cast<int>(cta->threads.size()) + kAgents)
    fault("expected at most " + std::to_string(kAgents) + " mbarriers and storing threads, got more");
  return cta->firstComponent + cta->agents - count;
}

Access ordinary(int line) {
  return {&current->clock, current->component, current->clock.seen[current->component], 1, false, line};
}

void release(Thread &thread, Clock &into) {
  into.join(thread.clock);
  ++thread.clock.seen[thread.component];
}

void block() {
  Thread &self = *current;
  if (satisfied(self) || _setjmp(self.resume) != 0) {
    self.wait = Thread::Wait::None;
    return;
  }
  _longjmp(schedulerPoint, 1);
}

uint64_t launch(const Launch &launch, const std::function<void()> &kernel) {
  body = &kernel;
  runTrace = 0;
  static char handlerStack[64 * 1024];
  stack_t alternate = {};
  alternate.ss_sp = handlerStack;
  alternate.ss_size = sizeof handlerStack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    sigaction(number, &action, nullptr);
  if (launch.threads < 1 || launch.threads > 1024)
    fault("expected 1 to 1024 threads, got " + std::to_string(launch.threads));
  if (launch.sharedBytes < 0 || launch.sharedBytes > kSharedLimit)
    fault("expected at most " + std::to_string(kSharedLimit) + " bytes of shared memory, got " +
          std::to_string(launch.sharedBytes));
  if (launch.cluster < 1 || launch.grid[0] % launch.cluster)
    fault("expected a grid of whole clusters of " + std::to_string(launch.cluster) + " CTAs along x, got " +
          std::to_string(launch.grid[0]) + " CTAs");
  const int fibers = launch.cluster * launch.threads;
  auto reserve = [&] {
    return mmap(nullptr, fibers * kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
  };
  stacks = static_cast<char *>(reserve());
  void *stamps = reserve();
  if (stacks == MAP_FAILED || stamps == MAP_FAILED)
    fault("no memory for the threads' stacks");
  watchStacks(stacks, stacks + fibers * kStackBytes, static_cast<uint32_t *>(stamps));
  for (int t = 0; t < fibers; ++t)
    mprotect(stacks + t * kStackBytes, 4096, PROT_NONE);
  gridDim = {static_cast<unsigned>(launch.grid[0]), static_cast<unsigned>(launch.grid[1]),
             static_cast<unsigned>(launch.grid[2])};
  blockDim = {static_cast<unsigned>(launch.threads), 1, 1};
  int64_t clusters = launch.grid[0] * launch.grid[1] * launch.grid[2] / launch.cluster;
  for (int64_t i = 0; i < clusters; ++i)
    runCluster(launch, launch.cluster * (launch.order % 2 ? clusters - 1 - i : i));
  munmap(stacks, fibers * kStackBytes);
  munmap(stamps, fibers * kStackBytes);
  cluster.clear();
  cta = nullptr;
  current = nullptr;
  return runTrace;
}

std::vector<Launch::Ring> declaredRings(const std::string &cuda) {
  static const std::regex declaration("constexpr uint32_t kBar_(\\w+)_(full|empty) = (\\d+);");
  std::map<std::string, std::map<std::string, uint32_t>> byName;
  std::set<uint32_t> starts;
  for (std::sregex_iterator it(cuda.begin(), cuda.end(), declaration), end; it != end; ++it) {
    uint32_t offset = static_cast<uint32_t>(std::strtoul((*it)[3].str().c_str(), nullptr, 10));
    byName[(*it)[1]][(*it)[2]] = offset;
    starts.insert(offset);
  }
  std::vector<Launch::Ring> rings;
  for (auto &[name, bars] : byName) {
    if (bars.size() != 2)
      continue;
    // The mbarriers of a ring's slots lie side by side: up to the next ones.
    auto next = starts.upper_bound(std::min(bars["full"], bars["empty"]));
    rings.push_back(
        {name, bars["full"], bars["empty"], static_cast<int>(*next - std::min(bars["full"], bars["empty"])) / 8});
  }
  return rings;
}

int declaredBlocks(const std::string &cuda) {
  static const std::regex bounds("__launch_bounds__\\(\\d+, (\\d+)\\)");
  std::smatch match;
  return std::regex_search(cuda, match, bounds) ? std::atoi(match[1].str().c_str()) : 1;
}

} // namespace heddle::emulation
