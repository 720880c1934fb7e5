//===- Cadical.cpp - CaDiCaL behind the SAT interface ---------------------===//
//
// What:      adapter; limits are polled by CaDiCaL's terminator.
// Computes:  nothing itself. Deterministic: CaDiCaL's default seed, one thread.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Solver/Sat.h"

#include <algorithm>
#include <cadical.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

namespace heddle {

double SearchLimits::cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int64_t SearchLimits::residentMB() {
  long pages = 0, resident = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return int64_t(resident) * sysconf(_SC_PAGESIZE) >> 20;
}

namespace {

class Cadical final : public SatSolver, CaDiCaL::Terminator {
public:
  Cadical(std::string *proof, bool guess) : proof(proof), solver(std::make_unique<CaDiCaL::Solver>()) {
    solver->set("quiet", 1);
    solver->set("phase", 0); // auxiliary literals are upper bounds: false is nearly always right
    if (guess) {             // measured on the stored instances
      solver->set("chrono", 0);
      solver->set("stabilizeonly", 1);
    }
    if (proof && (stream = open_memstream(&buffer, &size)))
      solver->trace_proof(stream, "proof");
    solver->connect_terminator(this);
  }
  ~Cadical() override {
    solver->disconnect_terminator();
    solver.reset(); // ends the proof
    if (!stream)
      return;
    std::fclose(stream);
    proof->assign(buffer, size);
    std::free(buffer);
  }

  int newVar() override { return ++vars; }
  void addClause(const Lit *begin, const Lit *end) override {
    ++clauses;
    for (; begin != end; ++begin)
      solver->add(*begin);
    solver->add(0);
  }
  SatAnswer solve(const std::vector<Lit> &assumptions, const SearchLimits &given) override {
    if (given.exceeded())
      return SatAnswer::Unknown;
    limits = given;
    for (Lit lit : assumptions)
      solver->assume(lit);
    solver->limit("conflicts", static_cast<int>(std::min<int64_t>(limits.conflicts, INT32_MAX)));
    int answer = solver->solve();
    return answer == 10 ? SatAnswer::Sat : answer == 20 ? SatAnswer::Unsat : SatAnswer::Unknown;
  }
  bool value(Lit lit) override { return lit > 0 ? solver->val(lit) > 0 : solver->val(-lit) < 0; }
  bool failed(Lit lit) override { return solver->failed(lit); }
  void prefer(Lit lit) override { solver->phase(lit); }
  int64_t numVars() const override { return vars; }
  int64_t numClauses() const override { return clauses; }

private:
  /// CaDiCaL asks at points that depend on its own counters only, so that the number of calls is a measure of its work.
  bool terminate() override {
    limits.deadline.spend(10 + vars / varsPerStep);
    if (limits.deadline.spent())
      return true;
    // The memory is read from /proc, so look at it rarely.
    full |= ++polls % 4096 == 0 && limits.residentMB() > limits.memoryMB;
    return full || (polls % 16 == 0 && limits.deadline.passed());
  }

  /// Measured: between two calls CaDiCaL takes a time in proportion to the variables, about a microsecond for 25 of
  /// them from 6,000 to 60,000.
  static constexpr int64_t varsPerStep = 25;

  std::string *proof;
  FILE *stream = nullptr;
  char *buffer = nullptr;
  size_t size = 0;
  std::unique_ptr<CaDiCaL::Solver> solver;
  SearchLimits limits;
  int vars = 0;
  int64_t clauses = 0;
  int64_t polls = 0;
  bool full = false; ///< the memory limit was reached
};

} // namespace

std::unique_ptr<SatSolver> createCadical(std::string *proof, bool guess) {
  return std::make_unique<Cadical>(proof, guess);
}

} // namespace heddle
