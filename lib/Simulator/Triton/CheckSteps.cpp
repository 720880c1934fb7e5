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
  for (const auto &[number, memory] : other.memory) {
    auto rewritten = run.memory.find(number);
    auto fail = [&](int64_t position, const std::string &what) {
      return "element " + std::to_string(position) + (number < pointedTo ? " of '" : " of what has addresses in '") +
             triton::argumentName(written.getBody().getArgument(number % pointedTo)) + "': " + what;
    };
    for (const auto &[position, element] : memory.written()) {
      if (rewritten == run.memory.end() || !rewritten->second.written().count(position))
        return fail(position, "expected a write, got none");
      const TritonMemory &got = rewritten->second;
      bool isFloat = isFloatKind(memory.kind());
      if (!areEqual(memory, got, position))
        return fail(position, "expected " + std::to_string(isFloat ? element.number : double(element.integer)) +
                                  ", got " +
                                  std::to_string(isFloat ? got.floatAt(position) : double(got.intAt(position))));
    }
    if (rewritten == run.memory.end())
      continue;
    for (const auto &[position, element] : rewritten->second.written())
      if (!memory.written().count(position))
        return fail(position, "expected no write, got one");
  }
  return std::string();
}

} // namespace heddle::sim
