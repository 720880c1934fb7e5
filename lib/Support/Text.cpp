//===- Text.cpp - text inside other text ----------------------------------===//
#include "heddle/Support/Text.h"

#include <cstdint>

namespace heddle {

/// Bytes of the UTF-8 character at `at`; 0: there is none.
static size_t characterAt(const std::string &text, size_t at) {
  auto byte = [&](size_t i) -> uint32_t { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  uint32_t first = byte(at);
  size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  uint32_t code = length < 2 ? first : first & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    if (byte(at + i) >> 6 != 2)
      return 0;
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  static constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; // of each length: a longer form is none
  bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

std::string xmlText(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t length = characterAt(text, at);
    char c = text[at];
    bool control = length == 1 && static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t';
    if (!length || control || c == 0x7f)
      out += '?';
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += text.substr(at, length);
    at += length ? length : 1;
  }
  return out;
}

} // namespace heddle
