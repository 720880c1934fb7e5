//===- Constraints.cpp - Names of constraints -----------------------------===//
#include "heddle/Scheduling/Problem/Constraints.h"

namespace heddle {

const char *constraintName(Constraint constraint) {
  switch (constraint) {
  case Constraint::Dependence: return "dependence";
  case Constraint::Capacity: return "capacity";
  case Constraint::Memory: return "memory";
  case Constraint::Rings: return "rings";
  case Constraint::WarpAssignment: return "warp-assignment";
  case Constraint::VariableLatency: return "variable-latency";
  case Constraint::Registers: return "registers";
  case Constraint::RegisterFile: return "register-file";
  case Constraint::Transfers: return "transfers";
  case Constraint::Concurrency: return "concurrency";
  case Constraint::Issue: return "issue";
  case Constraint::Pins: return "pins";
  case Constraint::Count: break;
  }
  return "unknown";
}

std::optional<Constraint> findConstraint(const std::string &name) {
  for (Constraint c : ConstraintSet::none().missing())
    if (name == constraintName(c))
      return c;
  return std::nullopt;
}

std::vector<Constraint> ConstraintSet::missing() const {
  std::vector<Constraint> out;
  for (unsigned c = 0; c < static_cast<unsigned>(Constraint::Count); ++c)
    if (!has(static_cast<Constraint>(c)))
      out.push_back(static_cast<Constraint>(c));
  return out;
}

std::string ConstraintSet::describe() const {
  std::string out = "all constraints", separator = " but ";
  for (Constraint c : missing()) {
    out += separator + constraintName(c);
    separator = ", ";
  }
  return out;
}

} // namespace heddle
