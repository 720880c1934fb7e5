//===- ProgramRaces.h - Programs of a grid that touch one element ----------===//
//
// What:   nothing orders two programs of a grid, so no element that one of them writes may be read, or written
//         otherwise, by another; equal values and additions alone are allowed. Remembers for each element of the
//         tensors that the kernel writes who wrote and who read it. The same holds for two iterations of one run of a
//         loop that its author calls independent (docs/TileDialect.md).
// Where:  the tile interpreter and the warp simulator tell it every access, before the access is made; iterations of
//         independent loops the tile interpreter only, which so checks what the author claims.
// How:    a *strand* is a program or an iteration of an independent loop; the strand around it is its parent. Two
//         strands are unordered where they, or strands around them, are two programs or two iterations of one run.
// Cost:   eight bytes an element of those tensors, where there is more than one strand.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_PROGRAMRACES_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_PROGRAMRACES_H

#include "heddle/Simulator/Functional/Bindings.h"

#include <map>

namespace heddle::sim {

class ProgramRaces {
public:
  ProgramRaces(const Bindings &bindings, std::array<int64_t, 3> grid)
      : bindings(bindings), grid(grid), elements(bindings.arguments.size()) {}

  /// From here on accesses are of program `id`.
  void begin(std::array<int64_t, 3> id) {
    program = id;
    self = number();
  }
  /// A run of an independent loop begins: a number for it.
  uint32_t beginRun() { return ++runs; }
  /// From here on accesses are of another iteration of `run`, inside `parent`, until `resume(parent)`.
  void beginIteration(uint32_t run, uint32_t parent);
  uint32_t strand() const { return self; }
  void resume(uint32_t strand) { self = strand; }
  /// Records that the current program loads, or stores `tile`; the broken rule in words, or nothing.
  std::optional<std::string> load(unsigned argument, llvm::ArrayRef<int64_t> coords, llvm::ArrayRef<int64_t> dims,
                                  llvm::ArrayRef<int64_t> shape);
  std::optional<std::string> store(unsigned argument, const TileValue &tile, llvm::ArrayRef<int64_t> coords,
                                   llvm::ArrayRef<int64_t> dims, bool add);

  /// Programs along each dimension of the grid.
  const std::array<int64_t, 3> &programs() const { return grid; }

private:
  /// An iteration of an independent loop.
  struct Strand {
    uint32_t parent, run, depth;
  };
  /// Strands; 0: none.
  struct Element {
    uint32_t writer : 31, adds : 1, reader = 0;
    Element() : writer(0), adds(0) {}
  };

  std::vector<Element> *elementsOf(unsigned argument);
  uint32_t number() const { return 1 + program[0] + grid[0] * (program[1] + grid[1] * program[2]); }
  /// Iterations are numbered behind the programs.
  bool isProgram(uint32_t strand) const { return strand <= programCount(); }
  uint32_t programCount() const { return static_cast<uint32_t>(grid[0] * grid[1] * grid[2]); }
  const Strand &iteration(uint32_t strand) const { return iterations[strand - programCount() - 1]; }
  uint32_t depthOf(uint32_t strand) const { return isProgram(strand) ? 0 : iteration(strand).depth; }
  /// The two unordered strands that are or surround `a` and `b`; {0, 0}: they are ordered.
  std::pair<uint32_t, uint32_t> parting(uint32_t a, uint32_t b) const;
  bool unordered(uint32_t a, uint32_t b) const { return a != b && parting(a, b).first; }
  /// Who has read what `before` had read and `self` reads now.
  uint32_t readersOf(uint32_t before);
  std::string complain(const HostTensor &tensor, int64_t position, const char *now, const char *before,
                       uint32_t other) const;

  const Bindings &bindings;
  std::array<int64_t, 3> grid, program = {0, 0, 0};
  std::vector<std::vector<Element>> elements; ///< by argument, as its tensor lies in memory; empty until it is touched
  std::vector<Strand> iterations;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> allOf; ///< what stands for several iterations of (parent, run)
  uint32_t runs = 0, self = 0;
};

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_PROGRAMRACES_H
