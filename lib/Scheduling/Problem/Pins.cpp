//===- Pins.cpp - Decisions that a problem fixes, by name ------------------===//
#include "heddle/Scheduling/Problem/Pins.h"

#include <algorithm>

namespace heddle {

const char *pinKindName(PinKind kind) {
  switch (kind) {
  case PinKind::Start: return "start";
  case PinKind::Stage: return "stage";
  case PinKind::Depth: return "ring";
  case PinKind::Group: return "group";
  case PinKind::InFlight: return "inflight";
  case PinKind::Interval: return "interval";
  }
  return "unknown";
}

std::string describePin(const Problem &problem, const Pin &pin) {
  bool isTime = pin.kind == PinKind::Start || pin.kind == PinKind::Interval;
  std::string values;
  for (int64_t value : pin.values) {
    std::string text =
        pin.kind == PinKind::Group ? problem.groups[value].name : std::to_string(value * (isTime ? problem.scale : 1));
    values += (values.empty() ? "" : ", ") + text;
  }
  bool same = std::equal(pin.values.begin() + 1, pin.values.end(), pin.values.begin());
  if (same)
    values = values.substr(0, values.find(','));
  return std::string(pinKindName(pin.kind)) + " = " + (same ? values : "[" + values + "]") + " of " + pin.label;
}

void relaxPin(Problem &problem, const Pin &pin) {
  for (size_t i = 0; i < pin.nodes.size(); ++i) {
    Node &node = problem.nodes[pin.nodes[i]];
    switch (pin.kind) {
    case PinKind::Start: node.pinStart = -1; break;
    case PinKind::Stage: node.pinStage = -1; break;
    case PinKind::Depth: node.pinDepth = -1; break;
    case PinKind::Group: node.groups = pin.without[i]; break;
    case PinKind::InFlight: problem.edges[pin.edges[i]].delay = 0; break;
    case PinKind::Interval: break;
    }
  }
  for (int v : pin.beside)
    problem.nodes[v].pinDepth = -1;
}

} // namespace heddle
