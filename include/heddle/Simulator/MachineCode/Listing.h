//===- Listing.h - Machine code of a kernel, as the disassembler prints it --===//
//
// What:   `nvdisasm -hex -c kernel.cubin` -> instructions with what the assembler wrote about their times, and loops.
// Source: the control bits of a 128-bit instruction (from bit 105: cycles to stall, yield, the scoreboards that it sets
//         when its result is there and when its operands are read, and those that it waits for): Jia et al., Dissecting
//         the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, section 2.1; unchanged on Hopper.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_MACHINECODE_LISTING_H
#define HEDDLE_SIMULATOR_MACHINECODE_LISTING_H

#include "heddle/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::sim {

struct CodeInstruction {
  std::string opcode;   ///< "HGMMA.64x128x16.F32"
  std::string operands; ///< what follows it
  bool predicated = false;
  std::string predicate;   ///< where it is predicated: "P0" or "!P0"
  std::string target;      ///< label that a branch names, else empty
  int stall = 1;           ///< cycles until its warp may issue the next one
  int setsOnResult = -1;   ///< scoreboard that is clear again when the result is there; -1: none
  int setsOnOperands = -1; ///< scoreboard that is clear again when the operands are read; -1: none
  unsigned waits = 0;      ///< scoreboards that must be clear, one bit each
};

/// From the target of a backward branch to the branch, both included.
struct CodeLoop {
  int64_t first = 0, last = 0;
  bool holds(const CodeLoop &other) const { return first <= other.first && other.last <= last; }
};

struct CodeListing {
  std::vector<CodeInstruction> instructions;
  std::map<std::string, int64_t> labels; ///< index of the instruction behind each

  /// Whether an instruction whose opcode begins so stands in `loop`.
  bool has(const CodeLoop &loop, const std::string &opcode) const;
  /// Loops in order; the paths behind the last exit, which wait again and jump back, are none.
  std::vector<CodeLoop> loops() const;
};

/// User error: the text holds no instruction with its encoding.
Result<CodeListing> parseListing(const std::string &disassembly);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_MACHINECODE_LISTING_H
