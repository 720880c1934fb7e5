//===- Parse.cpp - Read problems from `.sched` text -----------------------===//
//
// What:      lines (Lines.h) of a keyword, words, then key=value attributes and flags -> Problem. Grammar in
//            docs/Scheduling.md.
// Verifies:  names and numbers (each error with file:line:col), then Problem::check.
// Limits:    100000 nodes, 1000000 edges, so that hostile input ends with an error.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Problem/Text.h"

#include "Lines.h"

#include <algorithm>

namespace heddle {

using namespace lines;

namespace {

class ProblemReader {
public:
  Status line(const std::string &keyword, const SourceLoc &at, Cursor &c) {
    if (keyword == "problem") {
      if (named)
        return userError("duplicate 'problem' line", at);
      named = true;
      return c.word("the name of the problem", p.name);
    }
    if (keyword == "scale") {
      if (scaled)
        return userError("duplicate 'scale' line", at);
      scaled = true;
      return readScale(c, at, p.scale);
    }
    if (keyword == "unit")
      return unit(at, c);
    if (keyword == "memory")
      return memory(at, c);
    if (keyword == "registers")
      return registers(at, c);
    if (keyword == "group")
      return group(at, c);
    if (keyword == "node")
      return node(at, c);
    if (keyword == "edge")
      return edge(at, c);
    return userError("expected problem, scale, unit, memory, registers, group, node or edge, got '" + keyword + "'",
                     at);
  }
  Problem p;

private:
  Status unit(const SourceLoc &at, Cursor &c) {
    Unit u;
    u.pos = at;
    HEDDLE_TRY(c.word("the name of a unit", u.name));
    HEDDLE_TRY(units.add("unit", u.name, at));
    HEDDLE_TRY(c.number("a capacity", u.capacity));
    p.units.push_back(u);
    return Status::success();
  }
  Status memory(const SourceLoc &at, Cursor &c) {
    Memory m;
    m.pos = at;
    HEDDLE_TRY(c.word("the name of a memory", m.name));
    HEDDLE_TRY(memories.add("memory", m.name, at));
    HEDDLE_TRY(c.number("a capacity", m.capacity));
    if (c.accept("ring"))
      m.kind = MemoryKind::Ring;
    p.memories.push_back(m);
    return Status::success();
  }
  Status registers(const SourceLoc &at, Cursor &c) {
    if (p.registersPos.line)
      return userError("duplicate 'registers' line", at);
    p.registersPos = at;
    Attributes attributes(c, "registers");
    while (!c.done()) {
      SourceLoc keyAt;
      std::string key;
      HEDDLE_TRY(attributes.key(key, keyAt));
      if (key == "consumer_copies") {
        p.consumerCopies = true;
        continue;
      }
      int64_t *out = key == "file"       ? &p.registerFile
                     : key == "granule"  ? &p.regGranule
                     : key == "overhead" ? &p.regOverhead
                     : key == "min"      ? &p.minRegs
                                         : nullptr;
      if (!out)
        return attributes.unknown(key, keyAt);
      HEDDLE_TRY(c.expect("="));
      HEDDLE_TRY(c.number("a number", *out));
    }
    return Status::success();
  }
  Status group(const SourceLoc &at, Cursor &c) {
    Group g;
    g.pos = at;
    HEDDLE_TRY(c.word("the name of a group", g.name));
    HEDDLE_TRY(groups.add("group", g.name, at));
    Attributes attributes(c, "a group");
    while (!c.done()) {
      SourceLoc keyAt;
      std::string key;
      HEDDLE_TRY(attributes.key(key, keyAt));
      if (key == "variable") {
        g.variable = true;
        continue;
      }
      int64_t *out = key == "warps" ? &g.warps : key == "regs" ? &g.regs : nullptr;
      if (!out)
        return attributes.unknown(key, keyAt);
      HEDDLE_TRY(c.expect("="));
      HEDDLE_TRY(c.number("a number", *out));
    }
    p.groups.push_back(g);
    return Status::success();
  }
  Status node(const SourceLoc &at, Cursor &c) {
    if (p.nodes.size() >= 100000)
      return userError("expected at most 100000 nodes", at);
    Node n;
    n.pos = at;
    HEDDLE_TRY(c.word("the name of a node", n.name));
    HEDDLE_TRY(nodes.add("node", n.name, at));
    Attributes attributes(c, "a node");
    while (!c.done()) {
      SourceLoc keyAt;
      std::string key;
      HEDDLE_TRY(attributes.key(key, keyAt));
      if (key == "async" || key == "variable") {
        (key == "async" ? n.async : n.variableLatency) = true;
        continue;
      }
      HEDDLE_TRY(c.expect("="));
      if (key == "use") {
        Reservation r;
        HEDDLE_TRY(units.find("unit", c, r.unit));
        HEDDLE_TRY(c.expect(":"));
        HEDDLE_TRY(c.number("a reservation start", r.start));
        HEDDLE_TRY(c.expect(":"));
        HEDDLE_TRY(c.number("a reservation length", r.length));
        if (c.accept(":"))
          HEDDLE_TRY(c.number("a reserved amount", r.amount));
        n.reservations.push_back(r);
      } else if (key == "mem" || key == "staging") {
        Footprint f;
        HEDDLE_TRY(memories.find("memory", c, f.memory));
        HEDDLE_TRY(c.expect(":"));
        HEDDLE_TRY(c.number("a footprint", f.amount));
        (key == "mem" ? n.footprints : n.staging).push_back(f);
      } else if (key == "group") {
        int g = 0;
        HEDDLE_TRY(groups.find("group", c, g));
        n.groups.push_back(g);
      } else if (key == "loc") {
        HEDDLE_TRY(c.word("a location", n.loc));
      } else {
        int64_t *out = key == "latency" ? &n.latency
                       : key == "issue" ? &n.issue
                       : key == "warps" ? &n.warps
                       : key == "regs"  ? &n.regs
                       : key == "live"  ? &n.minLive
                       : key == "start" ? &n.pinStart
                       : key == "stage" ? &n.pinStage
                       : key == "depth" ? &n.pinDepth
                                        : nullptr;
        if (!out)
          return attributes.unknown(key, keyAt);
        HEDDLE_TRY(c.number("a number", *out));
        if ((key == "start" || key == "stage" || key == "depth") && *out < (key == "depth"))
          return userError("expected a pinned " + key + " of node '" + n.name + "' of at least " +
                               (key == "depth" ? "1" : "0") + ", got " + std::to_string(*out),
                           keyAt);
      }
    }
    p.nodes.push_back(n);
    return Status::success();
  }
  Status edge(const SourceLoc &at, Cursor &c) {
    if (p.edges.size() >= 1000000)
      return userError("expected at most 1000000 edges", at);
    Edge e;
    e.pos = at;
    HEDDLE_TRY(nodes.find("node", c, e.from));
    HEDDLE_TRY(c.expect("->"));
    HEDDLE_TRY(nodes.find("node", c, e.to));
    Attributes attributes(c, "an edge");
    while (!c.done()) {
      SourceLoc keyAt;
      std::string key;
      HEDDLE_TRY(attributes.key(key, keyAt));
      if (key == "blocking" || key == "order") {
        (key == "blocking" ? e.blocking : e.order) = true;
        continue;
      }
      HEDDLE_TRY(c.expect("="));
      int64_t *out = key == "delay"      ? &e.delay
                     : key == "distance" ? &e.distance
                     : key == "transfer" ? &e.transfer
                     : key == "hold"     ? &e.hold
                                         : nullptr;
      if (!out)
        return attributes.unknown(key, keyAt);
      if (key == "transfer" && c.accept("never"))
        e.transfer = Edge::never;
      else
        HEDDLE_TRY(c.number("a number", *out));
    }
    p.edges.push_back(e);
    return Status::success();
  }

  Names units, memories, groups, nodes;
  bool named = false, scaled = false;
};

} // namespace

Result<Problem> parseProblem(const std::string &text, const std::string &file) {
  ProblemReader reader;
  Status status = forEachLine(text, file, [&](const std::string &keyword, const SourceLoc &at, Cursor &cursor) {
    return reader.line(keyword, at, cursor);
  });
  if (!status)
    return status.error();
  if (Status valid = reader.p.check(); !valid) {
    SourceLoc loc = valid.error().loc();
    if (reader.p.nodes.empty() && !loc.line) // what is missing was expected at the end at the latest
      loc.line = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n')), loc.col = 1;
    loc.file = file;
    return Error(valid.error().kind(), valid.error().message(), loc);
  }
  return std::move(reader.p);
}

Result<Problem> loadProblem(const std::string &path) {
  Result<std::string> text = readFile(path, mostText + 1);
  if (!text)
    return text.error();
  return parseProblem(*text, path);
}

} // namespace heddle
