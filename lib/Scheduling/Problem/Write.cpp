//===- Write.cpp - Problems and schedules as `.sched` text ----------------===//
//
// What:      deterministic writer; attributes at their default are left out. Inverse of Parse.cpp and
//            ParseSchedule.cpp.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Problem/Text.h"

#include <cctype>

namespace heddle {
namespace {

/// A name as it is, or quoted when it holds anything but the characters of a plain word.
std::string quoted(const std::string &name, bool force = false) {
  bool plain = !name.empty() && !force;
  for (char c : name)
    plain &= std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '/';
  if (plain)
    return name;
  std::string out = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

std::string attr(const char *key, int64_t value, int64_t standard) {
  return value == standard ? std::string() : std::string(" ") + key + "=" + std::to_string(value);
}

std::string scaleLine(const Problem &p) {
  return p.scale == 1 ? std::string() : "scale " + std::to_string(p.scale) + "\n";
}

std::string flag(const char *key, bool value) { return value ? std::string(" ") + key : std::string(); }

} // namespace

std::string writeProblem(const Problem &p) {
  std::string out = "problem " + quoted(p.name) + "\n" + scaleLine(p);
  for (const Unit &u : p.units)
    out += "unit " + quoted(u.name) + " " + std::to_string(u.capacity) + "\n";
  for (const Memory &m : p.memories)
    out +=
        "memory " + quoted(m.name) + " " + std::to_string(m.capacity) + flag("ring", m.kind == MemoryKind::Ring) + "\n";
  const Problem usual; // what is not written
  std::string registers = attr("file", p.registerFile, usual.registerFile) +
                          attr("granule", p.regGranule, usual.regGranule) +
                          attr("overhead", p.regOverhead, usual.regOverhead) + attr("min", p.minRegs, usual.minRegs) +
                          flag("consumer_copies", p.consumerCopies);
  if (!registers.empty())
    out += "registers" + registers + "\n";
  for (const Group &g : p.groups)
    out += "group " + quoted(g.name) + " warps=" + std::to_string(g.warps) + attr("regs", g.regs, 0) +
           flag("variable", g.variable) + "\n";
  for (const Node &n : p.nodes) {
    out += "node " + quoted(n.name) + " latency=" + std::to_string(n.latency) + attr("issue", n.issue, 0) +
           flag("async", n.async) + flag("variable", n.variableLatency) + attr("warps", n.warps, 1) +
           attr("regs", n.regs, 0) + attr("live", n.minLive, 0);
    for (const Reservation &r : n.reservations)
      out += " use=" + quoted(p.units[r.unit].name) + ":" + std::to_string(r.start) + ":" + std::to_string(r.length) +
             (r.amount == 1 ? "" : ":" + std::to_string(r.amount));
    for (const Footprint &f : n.footprints)
      out += " mem=" + quoted(p.memories[f.memory].name) + ":" + std::to_string(f.amount);
    for (const Footprint &f : n.staging)
      out += " staging=" + quoted(p.memories[f.memory].name) + ":" + std::to_string(f.amount);
    for (int g : n.groups)
      out += " group=" + quoted(p.groups[g].name);
    out += attr("start", n.pinStart, -1) + attr("stage", n.pinStage, -1) + attr("depth", n.pinDepth, -1);
    if (!n.loc.empty())
      out += " loc=" + quoted(n.loc, true);
    out += "\n";
  }
  for (const Edge &e : p.edges)
    out += "edge " + quoted(p.nodes[e.from].name) + " -> " + quoted(p.nodes[e.to].name) + attr("delay", e.delay, 0) +
           attr("distance", e.distance, 0) +
           (e.transfer == Edge::never ? std::string(" transfer=never") : attr("transfer", e.transfer, 0)) +
           attr("hold", e.hold, 0) + flag("blocking", e.blocking) + flag("order", e.order) + "\n";
  return out;
}

std::string writeSchedule(const Problem &p, const Schedule &s) {
  std::string out = "schedule " + quoted(p.name) + "\n" + scaleLine(p);
  if (std::vector<Constraint> missing = s.constraints.missing(); !missing.empty()) {
    out += "without";
    for (Constraint c : missing)
      out += " " + quoted(constraintName(c));
    out += "\n";
  }
  out += "ii " + std::to_string(s.ii) + "\n";
  for (size_t g = 0; g < s.groupRegs.size(); ++g)
    if (s.groupRegs[g] != Schedule::noBudget)
      out += "regs " + quoted(p.groups[g].name) + " " + std::to_string(s.groupRegs[g]) + "\n";
  for (size_t v = 0; v < s.start.size(); ++v) {
    out += "at " + quoted(p.nodes[v].name) + " " + std::to_string(s.start[v]);
    if (v < s.group.size() && s.group[v] >= 0)
      out += " group=" + quoted(p.groups[s.group[v]].name);
    if (v < s.depth.size())
      out += attr("depth", s.depth[v], 1);
    out += "\n";
  }
  return out;
}

} // namespace heddle
