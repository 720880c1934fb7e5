//===- JsonPlaces.cpp - see JsonPlaces.h ------------------------------------===//
#include "JsonPlaces.h"

#include <set>

namespace heddle {

using Json = nlohmann::ordered_json;

JsonPlaces::JsonPlaces(const std::string &text, const Json &root) : text(text) { walk(root); }

void JsonPlaces::skipSpace() { at = std::min(text.find_first_not_of(" \t\r\n", at), text.size()); }

/// The string that begins here.
std::string JsonPlaces::string() {
  size_t begin = at++;
  while (at < text.size() && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  return Json::parse(text.substr(begin, ++at - begin)).get<std::string>();
}

void JsonPlaces::walk(const Json &value, std::optional<size_t> key) {
  skipSpace();
  offsets[&value] = key.value_or(at);
  if (at < text.size() && text[at] == '"') {
    string();
    return;
  }
  bool object = value.is_object();
  if (!object && !value.is_array()) {
    at = std::min(text.find_first_of(",]} \t\r\n", at), text.size());
    return;
  }
  constexpr int mostNested = 100; // no machine file is
  if (++nested > mostNested) {
    at = text.size();
    return;
  }
  std::set<std::string> names;
  ++at; // { or [
  for (size_t index = 0;; ++index) {
    skipSpace();
    if (at >= text.size() || text[at] == '}' || text[at] == ']')
      break;
    if (text[at] == ',') {
      ++at;
      skipSpace();
    }
    if (!object) {
      walk(value[index]);
      continue;
    }
    size_t begin = at;
    std::string name = string();
    if (!names.insert(name).second && !twice)
      twice = {name, begin};
    skipSpace();
    ++at; // :
    // Of a key that comes twice the parser kept the last value, which may be of another kind: the walk ends there.
    if (twice)
      return;
    walk(value.at(name), begin);
    if (twice)
      return;
  }
  ++at;
  --nested;
}

} // namespace heddle
