//===- Listing.cpp - see Listing.h ------------------------------------------===//
#include "heddle/Simulator/MachineCode/Listing.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

namespace heddle::sim {

static std::string stripped(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// The 64 bits of the comment that ends `line`, "/* 0x0123456789abcdef */".
static bool encoding(const std::string &line, uint64_t &bits) {
  size_t at = line.rfind("/* 0x");
  if (at == std::string::npos || line.size() < at + 21)
    return false;
  bits = std::strtoull(line.c_str() + at + 5, nullptr, 16);
  return true;
}

/// Sets what the upper 64 bits of an instruction say about its times.
static void readControl(uint64_t upper, CodeInstruction &instruction) {
  uint64_t control = upper >> 41;
  auto scoreboard = [](uint64_t field) { return field < 6 ? static_cast<int>(field) : -1; };
  instruction.stall = std::max<int>(1, control & 15);
  instruction.setsOnResult = scoreboard(control >> 5 & 7);
  instruction.setsOnOperands = scoreboard(control >> 8 & 7);
  instruction.waits = control >> 11 & 63;
}

/// Of "/*00a0*/  @!P0 BRA `(.L_x_1) ;".
static CodeInstruction readText(const std::string &line) {
  CodeInstruction out;
  size_t begin = line.find("*/") + 2, end = line.find(';', begin);
  std::string text = stripped(line.substr(begin, end - begin));
  if (text[0] == '@') {
    size_t blank = text.find(' ');
    out.predicated = true;
    out.predicate = text.substr(1, blank - 1);
    text = stripped(text.substr(blank));
  }
  size_t blank = text.find(' ');
  out.opcode = text.substr(0, blank);
  out.operands = blank == std::string::npos ? "" : stripped(text.substr(blank));
  size_t label = out.operands.find("`(");
  if (out.opcode.starts_with("BRA") && label != std::string::npos)
    out.target = out.operands.substr(label + 2, out.operands.find(')', label) - label - 2);
  return out;
}

Result<CodeListing> parseListing(const std::string &disassembly) {
  CodeListing listing;
  std::istringstream lines(disassembly);
  std::string line;
  bool halfRead = false;
  while (std::getline(lines, line)) {
    std::string text = stripped(line);
    uint64_t bits = 0;
    if (text.starts_with(".L") && text.back() == ':') {
      listing.labels[text.substr(0, text.size() - 1)] = static_cast<int64_t>(listing.instructions.size());
    } else if (text.starts_with("/* 0x")) {
      if (halfRead && encoding(text, bits))
        readControl(bits, listing.instructions.back());
      halfRead = false;
    } else if (text.starts_with("/*") && text.size() > 6 && std::isxdigit(static_cast<unsigned char>(text[2])) &&
               encoding(text, bits) && text.find(';') != std::string::npos) {
      listing.instructions.push_back(readText(text));
      halfRead = true;
    }
  }
  if (listing.instructions.empty())
    return userError("expected a disassembly with encodings (nvdisasm -hex -c), got no instruction");
  return listing;
}

bool CodeListing::has(const CodeLoop &loop, const std::string &opcode) const {
  for (int64_t i = loop.first; i <= loop.last; ++i)
    if (instructions[i].opcode.starts_with(opcode))
      return true;
  return false;
}

std::vector<CodeLoop> CodeListing::loops() const {
  int64_t lastExit = static_cast<int64_t>(instructions.size());
  while (lastExit > 0 && !instructions[lastExit - 1].opcode.starts_with("EXIT"))
    --lastExit;
  std::vector<CodeLoop> out;
  for (int64_t i = 0; i < lastExit; ++i) {
    auto target = labels.find(instructions[i].target);
    if (!instructions[i].target.empty() && target != labels.end() && target->second <= i)
      out.push_back({target->second, i});
  }
  std::sort(out.begin(), out.end(), [](const CodeLoop &a, const CodeLoop &b) {
    return std::pair(a.first, a.last) < std::pair(b.first, b.last);
  });
  return out;
}

} // namespace heddle::sim
