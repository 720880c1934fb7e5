//===- Lines.cpp - see Lines.h ---------------------------------------------===//
//
// '#' starts a comment, '=', ':' and '->' stand for themselves, and names that are not plain words stand in double
// quotes. A text has at most 16 MiB, so that a hostile one ends with an error.
//
//===----------------------------------------------------------------------===//
#include "Lines.h"

#include "heddle/Scheduling/Problem/Problem.h"

#include <cctype>

namespace heddle::lines {

/// Splits one line into words, "quoted words", '=', ':' and '->'.
static Status lexLine(const std::string &text, size_t begin, size_t end, const std::string &file, int line, Line &out) {
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

Status Cursor::expect(const char *symbol) {
  if (!accept(symbol))
    return userError(std::string("expected '") + symbol + "', got " + got(), loc());
  return Status::success();
}

Status Cursor::word(const char *what, std::string &out) {
  if (done() || (!line[pos].quotedName && (is("=") || is(":") || is("->"))))
    return userError(std::string("expected ") + what + ", got " + got(), loc());
  out = line[pos++].text;
  return Status::success();
}

Status Cursor::dashedWord(const char *what, std::string &out) {
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

Status Cursor::number(const char *what, int64_t &out) {
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

Status Cursor::finish() {
  if (!done())
    return userError("expected the end of the line, got " + got(), loc());
  return Status::success();
}

Status forEachLine(const std::string &text, const std::string &file,
                   const std::function<Status(const std::string &, const SourceLoc &, Cursor &)> &onLine) {
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

Status Names::add(const char *what, const std::string &name, const SourceLoc &loc) {
  if (!ids.emplace(name, static_cast<int>(ids.size())).second)
    return userError(std::string("duplicate ") + what + " '" + name + "'", loc);
  return Status::success();
}

Status Names::find(const char *what, Cursor &cursor, int &out) const {
  SourceLoc at = cursor.loc();
  std::string name;
  HEDDLE_TRY(cursor.word((std::string("the name of a ") + what).c_str(), name));
  auto it = ids.find(name);
  if (it == ids.end())
    return userError(std::string("unknown ") + what + " '" + name + "'", at);
  out = it->second;
  return Status::success();
}

Status Attributes::key(std::string &out, SourceLoc &at) {
  at = cursor.loc();
  HEDDLE_TRY(cursor.word("an attribute", out));
  bool list = out == "use" || out == "mem" || out == "staging" || out == "group";
  if (!list && !seen.insert(out).second)
    return userError("duplicate attribute '" + out + "' of " + owner, at);
  return Status::success();
}

Status readScale(Cursor &c, const SourceLoc &at, int64_t &scale) {
  HEDDLE_TRY(c.number("machine cycles of one time unit", scale));
  if (scale < 1 || scale > mostScale)
    return userError("expected a scale between 1 and " + std::to_string(mostScale) + ", got " + std::to_string(scale),
                     at);
  return Status::success();
}

} // namespace heddle::lines
