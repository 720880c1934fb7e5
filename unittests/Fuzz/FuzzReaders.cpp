//===- FuzzReaders.cpp - libFuzzer target of all readers of text ----------===//
//
// What:   the first byte picks the reader (problem, schedule, machine file, formula); whatever a reader
//         accepts must survive what comes after reading: writing and reading back, bounds, verification, export.
// Where:  built with -DHEDDLE_ENABLE_FUZZERS=ON and clang's sanitizers (unittests/Fuzz/CMakeLists.txt); crashes become
//         files of unittests/Fuzz/corpus, which the unit test FuzzCorpus replays in every build.
//
//===----------------------------------------------------------------------===//
#include "FuzzReaders.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Machine/Machine.h"
#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Scheduling/Export/StraightLine.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <cstdio>
#include <cstdlib>

namespace heddle::test {
namespace {

/// Not an assert: also holds in release builds.
void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

void problem(const std::string &text) {
  Result<Problem> p = parseProblem(text, "f");
  if (!p) {
    require(!p.error().message().empty(), "an error without a message");
    return;
  }
  std::string written = writeProblem(*p);
  Result<Problem> again = parseProblem(written, "f");
  require(bool(again), "what was written cannot be read");
  require(writeProblem(*again) == written, "writing and reading changes the problem");
  if (p->nodes.size() > 30 || p->edges.size() > 100)
    return;
  Bounds bounds = computeBounds(*p);
  if (bounds.infeasible || bounds.mii > 64)
    return;
  StraightLineOptions options;
  options.ii = bounds.mii;
  options.stages = 2;
  options.maxTerms = 100000;
  if (Result<LinearFormula> f = straightLineFormula(*p, options))
    (void)writeOpb(*f);
  HeuristicOptions quick;
  quick.maxII = bounds.mii + 4;
  if (Result<Schedule> s = scheduleHeuristic(*p, quick)) {
    require(verifySchedule(*p, *s).empty(), "an illegal schedule");
    Result<Schedule> read = parseSchedule(writeSchedule(*p, *s), "s", *p);
    require(bool(read) && read->start == s->start && read->group == s->group && read->depth == s->depth,
            "a schedule that is written cannot be read back");
  }
}

void schedule(const std::string &text) {
  static const Problem p =
      *parseProblem("problem p\nunit A 1\nmemory m 64\nmemory r 64 ring\nregisters file=65536\n"
                    "group g warps=1 regs=24\ngroup h warps=4\nnode a latency=3 use=A:0:2 regs=4 mem=m:8\n"
                    "node b latency=2 regs=2 mem=r:8 staging=m:4\nnode c issue=2\n"
                    "edge a -> b delay=3 transfer=2\nedge b -> c hold=4\nedge c -> a distance=2 blocking",
                    "p");
  if (Result<Schedule> s = parseSchedule(text, "s", p)) {
    (void)verifySchedule(p, *s);
    (void)writeSchedule(p, *s);
  }
  (void)parseScale(text, "s");
}

void machine(const std::string &text) {
  Result<Machine> m = Machine::parse(text, "m.json");
  if (!m)
    return;
  for (const std::string &op : m->opClasses())
    (void)m->cost(op, {{"m", 64}, {"n", 64}, {"k", 64}, {"bytes", 2}, {"elems", 8192}, {"axis", 1}, {"a_reg", 0}});
}

} // namespace

void fuzzOne(const uint8_t *data, size_t size) {
  if (size == 0)
    return;
  std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0] % 4) {
  case 0: return problem(text);
  case 1: return schedule(text);
  case 2: return machine(text);
  default: (void)checkFormula(text); (void)evaluateFormula(text, {{"n", 3}, {"m", -1}});
  }
}

} // namespace heddle::test

#ifdef HEDDLE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  heddle::test::fuzzOne(data, size);
  return 0;
}
#endif
