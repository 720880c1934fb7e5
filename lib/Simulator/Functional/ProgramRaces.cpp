//===- ProgramRaces.cpp - Programs of a grid that touch one element --------===//
#include "heddle/Simulator/Functional/ProgramRaces.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

constexpr uint32_t several = UINT32_MAX; // readers

/// Null where no other program can meet.
std::vector<ProgramRaces::Element> *ProgramRaces::elementsOf(unsigned argument) {
  constexpr double numbers = INT32_MAX; // more programs than that have no number of their own
  double programs = double(grid[0]) * double(grid[1]) * double(grid[2]);
  if (!bindings.arguments[argument].isWritten || programs < 2 || programs >= numbers)
    return nullptr;
  const HostTensor &tensor = *bindings.tensorOf(argument);
  if (elements[argument].empty())
    elements[argument].resize(tensor.bytes().size() / elementBytes(tensor.kind()));
  return &elements[argument];
}

std::string ProgramRaces::complain(const HostTensor &tensor, int64_t position, const char *now, const char *before,
                                   uint32_t other) const {
  std::string element, programs;
  for (int64_t stride : tensor.strides()) {
    element += (element.empty() ? "" : ", ") + std::to_string(position / stride);
    position %= stride;
  }
  auto name = [&](int64_t n) {
    return "(" + std::to_string(n % grid[0]) + ", " + std::to_string(n / grid[0] % grid[1]) + ", " +
           std::to_string(n / grid[0] / grid[1]) + ")";
  };
  programs = other == several ? "others" : "program " + name(other - 1);
  return "expected programs of the grid to share no element that one of them writes, got program " +
         name(number() - 1) + " " + now + " " + tensor.name() + "[" + element + "], which " + programs + " " + before;
}

std::optional<std::string> ProgramRaces::load(unsigned argument, ArrayRef<int64_t> coords, ArrayRef<int64_t> dims,
                                              ArrayRef<int64_t> shape) {
  std::vector<Element> *known = elementsOf(argument);
  if (!known)
    return std::nullopt;
  const HostTensor &tensor = *bindings.tensorOf(argument);
  std::optional<std::string> complaint;
  uint32_t self = number();
  tensor.forEachRun(coords, dims, shape, [&](int64_t, int64_t position, int64_t length, int64_t step) {
    for (int64_t i = 0; i < length && !complaint; ++i) {
      Element &element = (*known)[position + i * step];
      if (element.writer && element.writer != self)
        complaint =
            complain(tensor, position + i * step, "reading", element.adds ? "adds to" : "writes", element.writer);
      element.reader = element.reader && element.reader != self ? several : self;
    }
  });
  return complaint;
}

std::optional<std::string> ProgramRaces::store(unsigned argument, const TileValue &tile, ArrayRef<int64_t> coords,
                                               ArrayRef<int64_t> dims, bool add) {
  std::vector<Element> *known = elementsOf(argument);
  if (!known)
    return std::nullopt;
  const HostTensor &tensor = *bindings.tensorOf(argument);
  std::optional<std::string> complaint;
  uint32_t self = number();
  auto equal = [&](int64_t position, int64_t element) {
    if (!tile.isFloat())
      return tensor.intAt(position) == tile.intAt(element);
    double a = tensor.floatAt(position), b = tile.floatAt(element);
    return a == b || (a != a && b != b);
  };
  const char *now = add ? "adding to" : "writing";
  tensor.forEachRun(coords, dims, tile.shape, [&](int64_t first, int64_t start, int64_t length, int64_t step) {
    for (int64_t i = 0; i < length && !complaint; ++i) {
      int64_t position = start + i * step;
      Element &element = (*known)[position];
      bool other = element.writer && element.writer != self;
      if (element.reader && element.reader != self)
        complaint = complain(tensor, position, now, "reads", element.reader);
      else if (other && add && !element.adds)
        complaint = complain(tensor, position, now, "writes", element.writer);
      else if (other && !add && element.adds)
        complaint = complain(tensor, position, now, "adds to", element.writer);
      else if (other && !add && !equal(position, first + i))
        complaint = complain(tensor, position, now, "writes with another value", element.writer);
      element.adds = add && (element.adds || !element.writer);
      element.writer = self;
    }
  });
  return complaint;
}
