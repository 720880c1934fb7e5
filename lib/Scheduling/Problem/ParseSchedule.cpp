//===- ParseSchedule.cpp - Read schedules from `.sched` text --------------===//
//
// What:      lines (Lines.h) that say where and when each node of a given problem runs -> Schedule, or the scale of its
//            times alone. Grammar in docs/Scheduling.md.
// Verifies:  names, numbers, that each node stands there once and that the scale is the problem's (each error with
//            file:line:col). Whether the schedule is legal is Certificate/Verify's.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Problem/Text.h"

#include "Lines.h"

namespace heddle {

using namespace lines;

/// `without NAME...`: constraints that a schedule does not keep.
static Status readMissing(Cursor &c, ConstraintSet &set) {
  do {
    SourceLoc at = c.loc();
    std::string name;
    HEDDLE_TRY(c.dashedWord("the name of a constraint", name));
    std::optional<Constraint> constraint = findConstraint(name);
    if (!constraint)
      return userError("unknown constraint '" + name + "'", at);
    if (!set.has(*constraint))
      return userError("duplicate constraint '" + name + "'", at);
    set = set.without(*constraint);
  } while (!c.done());
  return Status::success();
}

Result<int64_t> parseScale(const std::string &text, const std::string &file) {
  int64_t scale = 1;
  auto onLine = [&](const std::string &keyword, const SourceLoc &at, Cursor &c) -> Status {
    if (keyword == "scale")
      return readScale(c, at, scale);
    c.skipRest();
    return Status::success();
  };
  if (Status status = forEachLine(text, file, onLine); !status)
    return status.error();
  return scale;
}

Result<Schedule> parseSchedule(const std::string &text, const std::string &file, const Problem &p) {
  Schedule s;
  s.start.assign(p.nodes.size(), -1);
  s.group.assign(p.nodes.size(), -1);
  s.depth.assign(p.nodes.size(), 1);
  s.groupRegs.assign(p.groups.size(), Schedule::noBudget);
  Names groups, nodes;
  for (const Group &g : p.groups)
    groups.ids.emplace(g.name, static_cast<int>(groups.ids.size()));
  for (const Node &n : p.nodes)
    nodes.ids.emplace(n.name, static_cast<int>(nodes.ids.size()));
  std::vector<char> seen(p.nodes.size(), 0);
  std::set<std::string> seenLines; // schedule, scale, without and ii stand at most once
  int64_t scale = 1;
  SourceLoc scaleAt{file, 0, 0};
  auto onLine = [&](const std::string &keyword, const SourceLoc &at, Cursor &c) -> Status {
    if (keyword != "regs" && keyword != "at" && !seenLines.insert(keyword).second)
      return userError("duplicate '" + keyword + "' line", at);
    if (keyword == "schedule") {
      std::string name;
      HEDDLE_TRY(c.word("the name of the problem", name));
      if (name != p.name)
        return userError("expected a schedule of '" + p.name + "', got one of '" + name + "'", at);
      return Status::success();
    }
    if (keyword == "scale") {
      scaleAt = at;
      return readScale(c, at, scale);
    }
    if (keyword == "without")
      return readMissing(c, s.constraints);
    if (keyword == "ii") {
      HEDDLE_TRY(c.number("an initiation interval", s.ii));
      if (s.ii < 1 || s.ii > maxInterval)
        return userError("expected an initiation interval between 1 and " + std::to_string(maxInterval) + ", got " +
                             std::to_string(s.ii),
                         at);
      return Status::success();
    }
    if (keyword == "regs") {
      int g = 0;
      HEDDLE_TRY(groups.find("group", c, g));
      if (s.groupRegs[g] != Schedule::noBudget)
        return userError("duplicate registers of group '" + p.groups[g].name + "'", at);
      HEDDLE_TRY(c.number("registers", s.groupRegs[g]));
      if (s.groupRegs[g] < 0 || s.groupRegs[g] > (1 << 20))
        return userError("expected registers between 0 and " + std::to_string(1 << 20) + ", got " +
                             std::to_string(s.groupRegs[g]),
                         at);
      return Status::success();
    }
    if (keyword != "at")
      return userError("expected schedule, scale, without, ii, regs or at, got '" + keyword + "'", at);
    int v = 0;
    HEDDLE_TRY(nodes.find("node", c, v));
    if (seen[v])
      return userError("duplicate node '" + p.nodes[v].name + "'", at);
    seen[v] = 1;
    HEDDLE_TRY(c.number("a start time", s.start[v]));
    if (s.start[v] < 0 || s.start[v] > maxStart)
      return userError("expected a start time of " +
                           (s.start[v] < 0 ? "at least 0" : "at most " + std::to_string(maxStart)) + ", got " +
                           std::to_string(s.start[v]),
                       at);
    Attributes attributes(c, "a start");
    while (!c.done()) {
      SourceLoc keyAt;
      std::string key;
      HEDDLE_TRY(attributes.key(key, keyAt));
      HEDDLE_TRY(c.expect("="));
      if (key == "group") {
        HEDDLE_TRY(groups.find("group", c, s.group[v]));
      } else if (key == "depth") {
        HEDDLE_TRY(c.number("a depth", s.depth[v]));
        if (s.depth[v] < 1 || s.depth[v] > maxDepth)
          return userError("expected a depth between 1 and " + std::to_string(maxDepth) + ", got " +
                               std::to_string(s.depth[v]),
                           keyAt);
      } else {
        return attributes.unknown(key, keyAt);
      }
    }
    return Status::success();
  };
  if (Status status = forEachLine(text, file, onLine); !status)
    return status.error();
  if (!seenLines.count("ii"))
    return userError("expected an 'ii' line, got none", {file, 0, 0});
  if (scale != p.scale)
    return userError("expected times in units of " + std::to_string(p.scale) +
                         " cycles (the scale of the problem), got a scale of " + std::to_string(scale),
                     scaleAt);
  for (size_t v = 0; v < seen.size(); ++v) {
    if (!seen[v])
      return userError("expected a start of node '" + p.nodes[v].name + "', got none", {file, 0, 0});
    if (!p.groups.empty() && s.group[v] < 0)
      return userError("expected a group of node '" + p.nodes[v].name + "', got none", {file, 0, 0});
  }
  return s;
}

Result<Schedule> loadSchedule(const std::string &path, const Problem &problem) {
  Result<std::string> text = readFile(path, mostText + 1);
  if (!text)
    return text.error();
  return parseSchedule(*text, path, problem);
}

} // namespace heddle
