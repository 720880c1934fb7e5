//===- Constraints.cpp - Names of constraints -----------------------------===//
#include "heddle/Scheduling/Problem/Constraints.h"

namespace heddle {

const char *constraintName(Constraint constraint) {
  switch (constraint) {
  case Constraint::Dependence:
    return "dependence";
  case Constraint::Capacity:
    return "capacity";
  case Constraint::Memory:
    return "memory";
  case Constraint::Rings:
    return "rings";
  case Constraint::WarpAssignment:
    return "warp-assignment";
  case Constraint::VariableLatency:
    return "variable-latency";
  case Constraint::Registers:
    return "registers";
  case Constraint::RegisterFile:
    return "register-file";
  case Constraint::Transfers:
    return "transfers";
  case Constraint::Concurrency:
    return "concurrency";
  case Constraint::Issue:
    return "issue";
  case Constraint::Pins:
    return "pins";
  case Constraint::Count:
    break;
  }
  return "unknown";
}

} // namespace heddle
