//===- Parse.cpp - Read problems and schedules from `.sched` text ---------===//
//
// What:      line-based reader: a keyword, words, then key=value attributes and flags; '#' starts a comment; names that
//            are not plain words stand in double quotes. Grammar in docs/Scheduling.md.
// Verifies:  form, names and numbers (each error with file:line:col), then Problem::check.
// Limits:    16 MiB of text, 100000 nodes, 1000000 edges, so that hostile input ends with an error.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Problem/Text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace heddle {
namespace {

constexpr size_t mostText = size_t(16) << 20;

struct Token {
  std::string text;
  bool quotedName = false;
  SourceLoc loc;
};

using Line = std::vector<Token>;

#define HEDDLE_TRY(expr)                                                                                               \
  if (Status status = (expr); !status)                                                                                 \
  return status

/// Splits one line into words, "quoted words", '=', ':' and '->'.
Status lexLine(const std::string &text, size_t begin, size_t end, const std::string &file, int line, Line &out) {
  for (size_t i = begin; i < end;) {
    unsigned char c = text[i];
    SourceLoc loc{file, line, static_cast<int>(i - begin) + 1};
    if (std::isspace(c)) {
      ++i;
    } else if (c == '#') {
      break;
    } else if (c == '=' || c == ':') {
      out.push_back({std::string(1, c), false, loc});
      ++i;
    } else if (c == '-' && i + 1 < end && text[i + 1] == '>') {
      out.push_back({"->", false, loc});
      i += 2;
    } else if (c == '"') {
      std::string word;
      bool closed = false;
      for (++i; i < end && !closed; ++i) {
        if (text[i] == '"') {
          closed = true;
        } else if (text[i] == '\\' && i + 1 < end) {
          ++i;
          word += text[i] == 'n' ? '\n' : text[i];
        } else {
          word += text[i];
        }
      }
      if (!closed)
        return userError("expected a closing '\"', got the end of the line", loc);
      out.push_back({word, true, loc});
    } else if (std::isalnum(c) || c == '_' || c == '.' || c == '/' || c == '-') {
      size_t from = i++;
      while (i < end &&
             (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_' || text[i] == '.' || text[i] == '/'))
        ++i;
      out.push_back({text.substr(from, i - from), false, loc});
    } else {
      return userError(
          "unexpected character '" + (std::isprint(c) ? std::string(1, c) : "\\" + std::to_string(c)) + "'", loc);
    }
  }
  return Status::success();
}

/// Walks the tokens of one line.
class Cursor {
public:
  Cursor(const Line &line, SourceLoc end) : line(line), end(std::move(end)) {}

  bool done() const { return pos >= line.size(); }
  const SourceLoc &loc() const { return done() ? end : line[pos].loc; }
  std::string got() const { return done() ? "the end of the line" : "'" + line[pos].text + "'"; }
  bool is(const char *symbol) const { return !done() && !line[pos].quotedName && line[pos].text == symbol; }
  void skipRest() { pos = line.size(); }
  bool accept(const char *symbol) { return is(symbol) && ++pos; }

  Status expect(const char *symbol) {
    if (!accept(symbol))
      return userError(std::string("expected '") + symbol + "', got " + got(), loc());
    return Status::success();
  }
  Status word(const char *what, std::string &out) {
    if (done() || (!line[pos].quotedName && (is("=") || is(":") || is("->"))))
      return userError(std::string("expected ") + what + ", got " + got(), loc());
    out = line[pos++].text;
    return Status::success();
  }
  /// A word that may hold '-' between its letters without quotes.
  Status dashedWord(const char *what, std::string &out) {
    HEDDLE_TRY(word(what, out));
    auto goesOn = [&] {
      const Token &last = line[pos - 1];
      return !done() && !last.quotedName && !line[pos].quotedName && line[pos].text[0] == '-' && !is("->") &&
             line[pos].loc.col == last.loc.col + static_cast<int>(last.text.size());
    };
    while (goesOn())
      out += line[pos++].text;
    return Status::success();
  }
  Status number(const char *what, int64_t &out) {
    SourceLoc at = loc();
    std::string shown = got(), text;
    HEDDLE_TRY(word(what, text));
    bool negative = !text.empty() && text[0] == '-';
    int64_t value = 0;
    if (text.size() == (negative ? 1u : 0u))
      return userError(std::string("expected ") + what + ", got " + shown, at);
    for (size_t i = negative; i < text.size(); ++i) {
      if (!std::isdigit(static_cast<unsigned char>(text[i])))
        return userError(std::string("expected ") + what + ", got " + shown, at);
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text[i] - '0'), &value))
        return userError(std::string("expected ") + what + " that fits 64 bits, got " + shown, at);
    }
    out = negative ? -value : value;
    return Status::success();
  }
  Status finish() {
    if (!done())
      return userError("expected the end of the line, got " + got(), loc());
    return Status::success();
  }

private:
  const Line &line;
  SourceLoc end;
  size_t pos = 0;
};

/// Calls `onLine(keyword, keywordLoc, cursor)` for every non-empty line.
template <typename F> Status forEachLine(const std::string &text, const std::string &file, F onLine) {
  if (text.size() > mostText)
    return userError("expected at most 16 MiB of text, got more", {file, 0, 0});
  int number = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    end = end == std::string::npos ? text.size() : end;
    Line line;
    ++number;
    HEDDLE_TRY(lexLine(text, begin, end, file, number, line));
    SourceLoc endLoc{file, number, static_cast<int>(end - begin) + 1};
    begin = end + 1;
    if (line.empty())
      continue;
    Cursor cursor(line, endLoc);
    SourceLoc at = cursor.loc();
    std::string keyword;
    HEDDLE_TRY(cursor.word("a keyword", keyword));
    HEDDLE_TRY(onLine(keyword, at, cursor));
    HEDDLE_TRY(cursor.finish());
  }
  return Status::success();
}

/// Names seen so far; lookups report the kind of thing that is unknown.
struct Names {
  std::map<std::string, int> ids;
  Status add(const char *what, const std::string &name, const SourceLoc &loc) {
    if (!ids.emplace(name, static_cast<int>(ids.size())).second)
      return userError(std::string("duplicate ") + what + " '" + name + "'", loc);
    return Status::success();
  }
  Status find(const char *what, Cursor &cursor, int &out) const {
    SourceLoc at = cursor.loc();
    std::string name;
    HEDDLE_TRY(cursor.word((std::string("the name of a ") + what).c_str(), name));
    auto it = ids.find(name);
    if (it == ids.end())
      return userError(std::string("unknown ") + what + " '" + name + "'", at);
    out = it->second;
    return Status::success();
  }
};

/// Attributes of one line; only those that add to a list may be repeated.
class Attributes {
public:
  Attributes(Cursor &cursor, const char *owner) : cursor(cursor), owner(owner) {}
  /// Reads the next key.
  Status key(std::string &out, SourceLoc &at) {
    at = cursor.loc();
    HEDDLE_TRY(cursor.word("an attribute", out));
    bool list = out == "use" || out == "mem" || out == "staging" || out == "group";
    if (!list && !seen.insert(out).second)
      return userError("duplicate attribute '" + out + "' of " + owner, at);
    return Status::success();
  }
  Error unknown(const std::string &key, const SourceLoc &at) const {
    return userError("unknown attribute '" + key + "' of " + owner, at);
  }

private:
  Cursor &cursor;
  const char *owner;
  std::set<std::string> seen;
};

/// `scale N`: machine cycles of one time unit.
Status readScale(Cursor &c, const SourceLoc &at, int64_t &scale) {
  HEDDLE_TRY(c.number("machine cycles of one time unit", scale));
  if (scale < 1 || scale > mostScale)
    return userError("expected a scale between 1 and " + std::to_string(mostScale) + ", got " + std::to_string(scale),
                     at);
  return Status::success();
}

/// `without NAME...`: constraints that a schedule does not keep.
Status readMissing(Cursor &c, ConstraintSet &set) {
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
