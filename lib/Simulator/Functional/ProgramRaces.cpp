//===- ProgramRaces.cpp - Programs of a grid that touch one element --------===//
#include "heddle/Simulator/Functional/ProgramRaces.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

constexpr uint32_t several = UINT32_MAX; // programs that read

void ProgramRaces::beginIteration(uint32_t run, uint32_t parent) {
  iterations.push_back({parent, run, depthOf(parent) + 1});
  self = programCount() + static_cast<uint32_t>(iterations.size());
}

std::pair<uint32_t, uint32_t> ProgramRaces::parting(uint32_t a, uint32_t b) const {
  if (a == several || b == several)
    return {a, b};
  while (depthOf(a) > depthOf(b))
    a = iteration(a).parent;
  while (depthOf(b) > depthOf(a))
    b = iteration(b).parent;
  if (a == b)
    return {0, 0};
  while (!isProgram(a) && iteration(a).parent != iteration(b).parent)
    a = iteration(a).parent, b = iteration(b).parent;
  if (!isProgram(a) && iteration(a).run != iteration(b).run)
    return {0, 0};
  return {a, b};
}

uint32_t ProgramRaces::readersOf(uint32_t before) {
  auto [a, b] = before ? parting(before, self) : std::pair<uint32_t, uint32_t>();
  if (before == self || !a)
    return self;
  if (a == several || isProgram(a))
    return several;
  Strand all = iteration(a);
  auto [it, isNew] = allOf.try_emplace({all.parent, all.run});
  if (isNew) {
    iterations.push_back(all);
    it->second = programCount() + static_cast<uint32_t>(iterations.size());
  }
  return it->second;
}

/// Null where no other program can meet.
std::vector<ProgramRaces::Element> *ProgramRaces::elementsOf(unsigned argument) {
  constexpr double numbers = INT32_MAX; // more programs than that have no number of their own
  double programs = double(grid[0]) * double(grid[1]) * double(grid[2]);
  if (!bindings.arguments[argument].isWritten || (programs < 2 && isProgram(self)) || programs >= numbers)
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
    element += (element.empty() ? "" : ", ") + std::to_string(stride ? position / stride : 0);
    position %= stride ? stride : position + 1;
  }
  auto name = [&](int64_t n) {
    return "(" + std::to_string(n % grid[0]) + ", " + std::to_string(n / grid[0] % grid[1]) + ", " +
           std::to_string(n / grid[0] / grid[1]) + ")";
  };
  if (uint32_t apart = parting(self, other).second; apart != several && !isProgram(apart))
    return "expected iterations of an independent loop to share no element that one of them writes, got one " +
           std::string(now) + " " + tensor.name() + "[" + element + "], which another " + before;
  while (other != several && !isProgram(other))
    other = iteration(other).parent;
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
  tensor.forEachRun(coords, dims, shape, [&](int64_t, int64_t position, int64_t length, int64_t step) {
    for (int64_t i = 0; i < length && !complaint; ++i) {
      Element &element = (*known)[position + i * step];
      if (element.writer && unordered(element.writer, self))
        complaint =
            complain(tensor, position + i * step, "reading", element.adds ? "adds to" : "writes", element.writer);
      element.reader = readersOf(element.reader);
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
      bool other = element.writer && unordered(element.writer, self);
      if (element.reader && unordered(element.reader, self))
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
