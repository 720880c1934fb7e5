//===- CheckSteps.cpp - see CheckSteps.h ------------------------------------===//
#include "heddle/Simulator/Triton/CheckSteps.h"

#include "heddle/Simulator/Functional/Numeric.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace heddle::sim {

/// Whether both runs left the same there. Operations are the same ones in the same order, so that floats are equal bit
/// for bit; what was stored through a cast pointer has been rounded, which floats of a run are not else.
static bool areEqual(const TritonMemory &one, const TritonMemory &other, int64_t position) {
  if (!isFloatKind(one.kind()))
    return one.intAt(position) == other.intAt(position);
  double a = one.floatAt(position), b = other.floatAt(position);
  return a == b || (a != a && b != b) || roundTo(one.kind(), a) == roundTo(one.kind(), b);
}

FailureOr<std::string> compareWithWritten(triton::Conversion &conversion, const TritonRun &run) {
  triton::FuncOp written = conversion.written.get();
  if (OperationEquivalence::isEquivalentTo(written, conversion.source, OperationEquivalence::IgnoreLocations))
    return std::string();
  TritonRun other = run;
  other.function = written;
  other.watch = nullptr;
  for (const auto &[number, memory] : run.memory)
    other.kinds[number] = memory.kind();
  if (failed(runTriton(other)))
    return failure();
  auto placeOf = [&](unsigned number, int64_t position) {
    return "element " + std::to_string(position) + (number < pointedTo ? " of '" : " of what has addresses in '") +
           triton::argumentName(written.getBody().getArgument(number % pointedTo)) + "': ";
  };
  auto writesOf = [](const std::map<unsigned, TritonMemory> &memories, unsigned number, int64_t position) {
    auto memory = memories.find(number);
    return memory != memories.end() && memory->second.written().count(position);
  };
  for (const auto &[number, memory] : other.memory)
    for (const auto &[position, element] : memory.written()) {
      if (!writesOf(run.memory, number, position))
        return placeOf(number, position) + "expected a write, got none";
      const TritonMemory &got = run.memory.at(number);
      bool isFloat = isFloatKind(memory.kind());
      if (!areEqual(memory, got, position))
        return placeOf(number, position) + "expected " +
               std::to_string(isFloat ? element.number : double(element.integer)) + ", got " +
               std::to_string(isFloat ? got.floatAt(position) : double(got.intAt(position)));
    }
  for (const auto &[number, memory] : run.memory)
    for (const auto &[position, element] : memory.written())
      if (!writesOf(other.memory, number, position))
        return placeOf(number, position) + "expected no write, got one";
  return std::string();
}

} // namespace heddle::sim
