//===- Backends.cpp - the SAT solvers of this build, by name ---------------===//
#include "heddle/Scheduling/Solver/Sat.h"

namespace heddle {

std::unique_ptr<SatSolver> createCadical(std::string *proof, bool guess); // Cadical.cpp

const std::vector<SatBackend> &satBackends() {
  static const std::vector<SatBackend> backends = {{"cadical", createCadical, true}};
  return backends;
}

const SatBackend *findSatBackend(const std::string &name) {
  for (const SatBackend &backend : satBackends())
    if (name == backend.name)
      return &backend;
  return nullptr;
}

std::unique_ptr<SatSolver> createSat(const SatBackend *backend, std::string *proof, bool guess) {
  return (backend ? backend : &satBackends().front())->create(proof, guess);
}

} // namespace heddle
