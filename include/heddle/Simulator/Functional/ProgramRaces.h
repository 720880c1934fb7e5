//===- ProgramRaces.h - Programs of a grid that touch one element ----------===//
//
// What:   nothing orders two programs of a grid, so no element that one of them writes may be read, or written
//         otherwise, by another; equal values and additions alone are allowed. Remembers for each element of the
//         tensors that the kernel writes who wrote and who read it.
// Where:  the tile interpreter and the warp simulator tell it every access, before the access is made.
// Cost:   eight bytes an element of those tensors, where the grid has more than one program.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_PROGRAMRACES_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_PROGRAMRACES_H

#include "heddle/Simulator/Functional/Bindings.h"

namespace heddle::sim {

class ProgramRaces {
public:
  ProgramRaces(const Bindings &bindings, std::array<int64_t, 3> grid)
      : bindings(bindings), grid(grid), elements(bindings.arguments.size()) {}

  /// From here on accesses are of program `id`.
  void begin(std::array<int64_t, 3> id) { program = id; }
  /// Records that the current program loads, or stores `tile`; the broken rule in words, or nothing.
  std::optional<std::string> load(unsigned argument, llvm::ArrayRef<int64_t> coords, llvm::ArrayRef<int64_t> dims,
                                  llvm::ArrayRef<int64_t> shape);
  std::optional<std::string> store(unsigned argument, const TileValue &tile, llvm::ArrayRef<int64_t> coords,
                                   llvm::ArrayRef<int64_t> dims, bool add);

  /// Programs along each dimension of the grid.
  const std::array<int64_t, 3> &programs() const { return grid; }

private:
  /// Programs by number + 1; 0: none.
  struct Element {
    uint32_t writer : 31, adds : 1, reader = 0;
    Element() : writer(0), adds(0) {}
  };

  std::vector<Element> *elementsOf(unsigned argument);
  uint32_t number() const { return 1 + program[0] + grid[0] * (program[1] + grid[1] * program[2]); }
  std::string complain(const HostTensor &tensor, int64_t position, const char *now, const char *before,
                       uint32_t other) const;

  const Bindings &bindings;
  std::array<int64_t, 3> grid, program = {0, 0, 0};
  std::vector<std::vector<Element>> elements; ///< by argument, as its tensor lies in memory; empty until it is touched
};

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_PROGRAMRACES_H
