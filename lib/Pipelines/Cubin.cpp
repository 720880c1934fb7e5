//===- Cubin.cpp - What to do where ptxas lacks registers -------------------===//
//
// What:      see heddle/Pipelines/Cubin.h.
// Where:     behind the text of the kernel.
// Algorithm: a list of other forms, each a whole compilation; the best is kept, never one that takes much longer. nvcc
//            takes seconds for one of them: as many as the machine has processors are made at a time, ahead of the one
//            that is looked at, and what is kept is what would be without that.
//
//===----------------------------------------------------------------------===//
#include "heddle/Pipelines/Cubin.h"
#include "BlockSizes.h"
#include "FormOptions.h"
#include "ScheduleKernel.h"

#include "heddle/Transforms/RetileLoops.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <tuple>

using namespace mlir;

namespace heddle {

namespace {

/// What ptxas lacked registers for.
struct Shortage {
  int64_t serialised = 0; ///< messages C75xx: products wait for each other
  int64_t stored = 0;     ///< bytes of registers stored in local memory

  bool operator<(const Shortage &other) const {
    return std::tie(serialised, stored) < std::tie(other.serialised, other.stored);
  }
};

/// Eight registers of a thread: attention's backward passes store three and eight outside their loops, and with all
/// blocks ended they ran at 0.89 and at 0.94 to 0.96 of their speed (docs/Emission.md, "The order that runs").
constexpr int64_t fewBytes = 32;

struct Remedy {
  bool keepsAddresses = false; ///< no loop takes registers for addresses to come near to its bound
  bool fromZero = false;       ///< what is added to products is added behind them, and takes no registers before
  bool inOrder = false; ///< iterations do not overlap: only where products are serialised, which do not overlap anyway
  bool recompute = false, slicesBehind = false, endBlocks = false, slices = false;
  bool drains = false;  ///< products of a prologue end before its loop: only where products were serialised
  bool rereads = false; ///< chains of loops read rows again
  int64_t parts = 0;    ///< columns of the parts of an epilogue that loads
  int64_t spareRegisters = 0;
  bool fewerPositions = false; ///< blocks of loops that were made longer are shorter again, or as written
  /// What loops run is the same but in branches around masks, or is what it is without registers for addresses: it is
  /// tried for a few bytes as well, which it has to save all.
  bool isFree() const {
    return !endBlocks && !slices && !parts && !spareRegisters && !fromZero && !rereads && !fewerPositions;
  }
};
/// What leaves ptxas less to hold at a time: first what took registers gives them back, rows of loops before those for
/// addresses, which make loops shorter, then the cheapest first: coordinates that are read again, slices behind loops,
/// epilogues that load in parts, loops that begin without products, blocks that end and slices keep the schedule.
/// Products of 8-bit integers and attention with a tile of biases needed 24 registers. Attention with decays or
/// documents, 128 x 128, ran at 0.99 to 1.13 of its speed with rows read again, and 24 registers where that was not
/// enough; with blocks that end, which keep the schedule, instead of these at 0.87
/// (bench/results/2026-11-30-h200-rows-read-again.json).
constexpr Remedy remedies[] = {{.rereads = true},
                               {.rereads = true, .spareRegisters = 24},
                               {.keepsAddresses = true},
                               {.fromZero = true},
                               {.recompute = true},
                               {.slicesBehind = true},
                               {.recompute = true, .slicesBehind = true},
                               {.parts = partColumns[0]},
                               {.parts = partColumns[1]},
                               {.drains = true},
                               {.drains = true, .rereads = true},
                               {.endBlocks = true},
                               {.slices = true},
                               {.spareRegisters = 24},
                               {.endBlocks = true, .spareRegisters = 24},
                               {.slices = true, .spareRegisters = 24},
                               {.fewerPositions = true},
                               {.slices = true, .spareRegisters = 48},
                               {.inOrder = true}};

Shortage shortageIn(llvm::StringRef log) {
  Shortage shortage;
  const llvm::Regex serialised("\\(C75[0-9][0-9]\\)"), stored("([0-9]+) bytes spill stores");
  llvm::SmallVector<llvm::StringRef> lines, groups;
  log.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    int64_t bytes = 0;
    shortage.serialised += serialised.match(line);
    if (stored.match(line, &groups) && !groups[1].getAsInteger(10, bytes))
      shortage.stored += bytes;
  }
  return shortage;
}

/// What of `cuda` is code: its header says how it was made.
std::string codeOf(llvm::StringRef cuda) {
  std::string code;
  for (llvm::StringRef line : llvm::split(cuda, '\n'))
    if (!line.ltrim().starts_with("//"))
      code += (line + "\n").str();
  return code;
}

/// Texts that nvcc compiles while the caller does other things.
class Builds {
public:
  explicit Builds(Nvcc nvcc) : nvcc(std::move(nvcc)), threads(llvm::hardware_concurrency()) {}
  /// What has not begun is left.
  ~Builds() { unwanted = true; }
  Builds(const Builds &) = delete;

  void start(const std::string &cuda) {
    std::string code = codeOf(cuda);
    if (!results.count(code))
      results.emplace(std::move(code), threads.async([this, cuda]() -> Result<Cubin> {
        return unwanted ? Result<Cubin>(Error(ErrorKind::Internal, "nvcc: not begun")) : nvcc(cuda);
      }));
  }

  Result<Cubin> get(const std::string &cuda) {
    start(cuda);
    return results.find(codeOf(cuda))->second.get();
  }

  /// Whether `get` would not wait.
  bool isReady(const std::string &cuda) const {
    auto result = results.find(codeOf(cuda));
    return result != results.end() && result->second.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  size_t atOnce() const { return threads.getMaxConcurrency(); }

private:
  const Nvcc nvcc;
  std::atomic<bool> unwanted = false;
  std::map<std::string, std::shared_future<Result<Cubin>>> results; ///< by code
  llvm::DefaultThreadPool threads;                                  ///< waits for what runs before the rest goes
};

/// The other forms of a kernel, in the order of the remedies, and the best so far.
class Forms {
public:
  Forms(tile::KernelOp kernel, const Machine &machine, const CompileOptions &options, Compilation &best, Shortage least)
      : kernel(kernel), machine(machine), options(options), best(best), least(least), cycles(cyclesForPosition(best)),
        positions(best.retiled.value_or(0)), wasSerialised(least.serialised), rowsGiven(best.rowsGiven) {}

  /// Makes the forms of the next remedies, in the order of the list, until nvcc has made the first of those that wait
  /// to be looked at, or has as many as it can do at once.
  void prepare(Builds &builds) {
    auto isEnough = [&] {
      return !waiting.empty() && (waiting.size() >= builds.atOnce() || builds.isReady(waiting.front().second->cuda));
    };
    for (; !isEnough() && next < std::size(remedies); ++next) {
      const Remedy &remedy = remedies[next];
      if (isUseless(remedy) || (few() && !(least.stored && remedy.isFree())))
        continue;
      std::unique_ptr<Compilation> made = make(remedy);
      if (!made)
        continue;
      builds.start(made->cuda);
      waiting.push_back({next, std::move(made)});
    }
  }

  /// The form that is to be looked at now; null: there is none.
  Compilation *first() { return waiting.empty() ? nullptr : waiting.front().second.get(); }

  void leave() { waiting.pop_front(); }

  /// What the best form lacks registers for.
  Shortage lacks() const { return least; }

  /// Takes the first form if it lacks less; later ones are made anew then, since they begin with the best one.
  bool decide(Shortage now) {
    auto [place, form] = std::move(waiting.front());
    waiting.pop_front();
    if (!(now < least) || (few() && now.stored))
      return false;
    least = now;
    best = std::move(*form);
    parts = remedies[place].parts ? remedies[place].parts : parts;
    waiting.clear();
    next = place + 1;
    return true;
  }

private:
  bool few() const { return !least.serialised && least.stored <= fewBytes; }

  bool isUseless(const Remedy &remedy) const {
    if (remedy.fewerPositions && !positions)
      return true;
    if (remedy.rereads && (rowsGiven || !readsRows(*best.instructions)))
      return true;
    if (remedy.parts && (!best.parts.empty() || few() || !loadsBehindLoops(best, remedy.parts)))
      return true;
    if (remedy.fromZero && (few() || !best.startSums.value_or(false)))
      return true;
    // Slices behind loops leave as many registers in them, where products are serialised.
    return least.serialised ? remedy.slicesBehind : (remedy.drains && !wasSerialised) || remedy.inOrder;
  }

  /// Null: it has no such form, or one that takes much longer.
  std::unique_ptr<Compilation> make(const Remedy &remedy) {
    FormOptions other(options);
    other.overlap &= !remedy.inOrder;
    other.solved = best.solved;
    other.recompute = remedy.recompute;
    other.startSums = !remedy.fromZero && best.startSums.value_or(true);
    other.endBlocks = remedy.endBlocks;
    other.slices = remedy.slices;
    other.slicesBehind = remedy.slicesBehind;
    other.drains = remedy.drains;
    if (remedy.rereads || (best.rows == Rows::Reread && best.rowsGiven))
      other.rows = Rows::Reread, other.rowsGiven = other.rowsSave = true;
    if (int64_t columns = remedy.parts ? remedy.parts : parts)
      other.partsForRoom = columns, other.partsSave = true;
    other.nearsBound &= !remedy.keepsAddresses;
    other.extract.spareRegisters = remedy.spareRegisters;
    other.retileSaves = remedy.fewerPositions;
    if (remedy.fewerPositions)
      other.retile = positions > bestBlocks.back() ? bestBlocks.back() : 0;
    auto made = std::make_unique<Compilation>();
    ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
    // Beyond a quarter more time the bytes are the smaller loss, beyond a 32nd a few of them; products that wait for
    // each other take what they take in order.
    const int64_t share = few() ? 32 : 4;
    const double most = (share + 1) * (few() ? cyclesForPosition(best) : cycles);
    if (failed(compileKernel(kernel, machine, other, Level::Cuda, *made)) ||
        (!remedy.inOrder && share * cyclesForPosition(*made) > most))
      made.reset();
    return made;
  }

  tile::KernelOp kernel;
  const Machine &machine;
  const CompileOptions &options;
  Compilation &best;
  Shortage least;
  const double cycles;
  const int64_t positions;
  const bool wasSerialised;
  const bool rowsGiven;
  int64_t parts = 0;                                                   ///< that the best form has by a remedy
  size_t next = 0;                                                     ///< among the remedies
  std::deque<std::pair<size_t, std::unique_ptr<Compilation>>> waiting; ///< with the number of the remedy
};

} // namespace

/// Says what ptxas lacks registers for in the kernel that is kept.
static void warnOf(tile::KernelOp kernel, Shortage left) {
  constexpr const char *remedy = "; smaller tiles, or other warp groups (groups), need fewer registers";
  if (left.serialised)
    kernel.emitWarning() << "ptxas runs products one after the other, for lack of registers" << remedy;
  else if (left.stored > fewBytes)
    kernel.emitWarning() << "ptxas stores " << left.stored << " bytes of each thread's registers in memory" << remedy;
}

/// Says which form is kept, where it is not the one that other levels show: the header of its text does.
static void remarkOn(tile::KernelOp kernel, llvm::StringRef cuda) {
  constexpr llvm::StringLiteral mark = "// plan: ";
  if (size_t at = cuda.find(mark); at != llvm::StringRef::npos)
    kernel.emitRemark() << "made with the plan "
                        << cuda.substr(at + mark.size()).take_until([](char c) { return c == '\n'; })
                        << ", since ptxas has too few registers without it";
}

Result<Cubin> makeCubin(tile::KernelOp kernel, const Machine &machine, const CompileOptions &options, const Nvcc &nvcc,
                        Compilation &compilation) {
  Builds builds(nvcc);
  auto cubinOf = [&](const Compilation &form) {
    if (options.progress)
      options.progress("nvcc");
    return builds.get(form.cuda);
  };
  Result<Cubin> best = cubinOf(compilation);
  if (!best || !kernel)
    return best;
  std::set<std::string> looked = {codeOf(compilation.cuda)}; // many remedies change nothing in many kernels
  Forms forms(kernel, machine, options, compilation, shortageIn(best->log));
  bool open = options.planFile.empty() && options.scheduleFiles.empty(), isOther = false;
  auto next = [&]() -> Compilation * {
    if (open)
      forms.prepare(builds);
    return forms.first();
  };
  while (Compilation *form = next()) {
    if (!looked.insert(codeOf(form->cuda)).second) {
      forms.leave();
      continue;
    }
    Result<Cubin> cubin = cubinOf(*form);
    if (!cubin)
      return cubin;
    if (forms.decide(shortageIn(cubin->log))) {
      best = std::move(cubin);
      isOther = true;
    }
  }
  if (isOther)
    remarkOn(kernel, compilation.cuda);
  warnOf(kernel, forms.lacks());
  return best;
}

} // namespace heddle
