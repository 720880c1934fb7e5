//===- Lines.h - the lines of `.sched` text, word by word (private) --------===//
//
// What:     text -> lines -> keywords, words, numbers, names and attributes.
// Where:    below Parse.cpp, which makes a problem of them, and ParseSchedule.cpp, which makes a schedule. What a word
//           means is theirs.
// Verifies: form and size; each error says file:line:col.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_PROBLEM_LINES_H
#define HEDDLE_LIB_SCHEDULING_PROBLEM_LINES_H

#include "heddle/Support/Error.h"
#include "heddle/Support/Try.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::lines {

constexpr size_t mostText = size_t(16) << 20;

struct Token {
  std::string text;
  bool quotedName = false;
  SourceLoc loc;
};

using Line = std::vector<Token>;

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

  Status expect(const char *symbol);
  Status word(const char *what, std::string &out);
  /// A word that may hold '-' between its letters without quotes.
  Status dashedWord(const char *what, std::string &out);
  Status number(const char *what, int64_t &out);
  Status finish();

private:
  const Line &line;
  SourceLoc end;
  size_t pos = 0;
};

/// Calls `onLine(keyword, keywordLoc, cursor)` for every non-empty line.
Status forEachLine(const std::string &text, const std::string &file,
                   const std::function<Status(const std::string &, const SourceLoc &, Cursor &)> &onLine);

/// Names seen so far; lookups report the kind of thing that is unknown.
struct Names {
  std::map<std::string, int> ids;
  Status add(const char *what, const std::string &name, const SourceLoc &loc);
  Status find(const char *what, Cursor &cursor, int &out) const;
};

/// Attributes of one line; only those that add to a list may be repeated.
class Attributes {
public:
  Attributes(Cursor &cursor, const char *owner) : cursor(cursor), owner(owner) {}
  /// Reads the next key.
  Status key(std::string &out, SourceLoc &at);
  Error unknown(const std::string &key, const SourceLoc &at) const {
    return userError("unknown attribute '" + key + "' of " + owner, at);
  }

private:
  Cursor &cursor;
  const char *owner;
  std::set<std::string> seen;
};

/// `scale N`: machine cycles of one time unit.
Status readScale(Cursor &c, const SourceLoc &at, int64_t &scale);

} // namespace heddle::lines

#endif // HEDDLE_LIB_SCHEDULING_PROBLEM_LINES_H
