//===- CodeText.h - Small disassemblies for tests ---------------------------===//
#ifndef HEDDLE_UNITTESTS_SIMULATOR_MACHINECODE_CODETEXT_H
#define HEDDLE_UNITTESTS_SIMULATOR_MACHINECODE_CODETEXT_H

#include <cstdint>
#include <cstdio>
#include <string>

namespace heddle::sim {

/// What the assembler says of an instruction's times; scoreboard 7 is none.
struct Control {
  int stall = 1, onResult = 7, onOperands = 7;
  unsigned waits = 0;
};

/// Text as nvdisasm -hex -c prints it.
class CodeText {
public:
  CodeText &label(const std::string &name) {
    text += name + ":\n";
    return *this;
  }
  CodeText &add(const std::string &instruction, Control control = {}) {
    uint64_t bits = static_cast<uint64_t>(control.stall) | static_cast<uint64_t>(control.onResult) << 5 |
                    static_cast<uint64_t>(control.onOperands) << 8 | static_cast<uint64_t>(control.waits) << 11;
    char place[32], upper[64];
    std::snprintf(place, sizeof place, "        /*%04x*/  ", at);
    std::snprintf(upper, sizeof upper, "                  /* 0x%016llx */\n",
                  static_cast<unsigned long long>(bits << 41));
    text += place + instruction + " ;    /* 0x0000000000000000 */\n" + upper;
    at += 16;
    return *this;
  }
  const std::string &str() const { return text; }

private:
  std::string text;
  unsigned at = 0;
};

} // namespace heddle::sim

#endif // HEDDLE_UNITTESTS_SIMULATOR_MACHINECODE_CODETEXT_H
