//===- LoopValues.cpp - what loops carry, as polynomials --------------------===//
//
// What:      scf.for and scf.while of a Triton kernel -> the polynomials of their variables, inside and behind.
// Where:     part of the walk of Values.cpp.
// Algorithm: of scf.for the body is evaluated once with each carried value as what it begins with plus an unknown; what
//            it has grown by then, where that is known before the loop, is the step of every iteration, and the body is
//            evaluated again with it. Of scf.while only whether values may be negative is followed.
//
//===----------------------------------------------------------------------===//
#include "Values.h"

#include "heddle/Address/AccessView.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using heddle::address::Poly;
using heddle::address::SymbolInfo;
using heddle::address::SymbolKind;

namespace heddle::triton {

bool Values::isOutside(const SymbolInfo &symbol, scf::ForOp loop) const {
  Value value;
  if (symbol.kind == SymbolKind::Counter)
    value = counters[symbol.id];
  else if (symbol.kind == SymbolKind::Opaque || symbol.kind == SymbolKind::Table)
    value = opaques[symbol.id];
  return !value || !loop->isAncestor(value.getParentRegion()->getParentOp());
}

void Values::runLoop(scf::ForOp loop) {
  Poly begin = number(loop.getLowerBound()), stride = number(loop.getStep()), end = number(loop.getUpperBound());
  Value variable = loop.getInductionVar();
  bool counts = isSumOfMemory(algebra, begin, /*trustArguments=*/true); // it may begin at a row that memory names
  Poly at = counts ? counter(variable) : unknown(variable);
  numbers[variable] = at;
  if (counts && begin.isValid() && end.isValid())
    bounds[counterIds[variable]] = {begin, end};
  Block::BlockArgListType carried = loop.getRegionIterArgs();
  forget(carried);
  auto follows = [&](Type type) { return isNumber(type) || isPointer(type); };
  for (auto [argument, init] : llvm::zip_equal(carried, loop.getInitArgs())) {
    Poly by = algebra.make(SymbolKind::Opaque, idOf(argument));
    if (isNumber(argument.getType()))
      numbers[argument] = number(init) + by;
    else if (isPointer(argument.getType()))
      pointers[argument] = {pointer(init).base, pointer(init).offset + by};
  }
  run(*loop.getBody());
  auto yield = loop.getBody()->getTerminator();
  SmallVector<std::optional<Poly>> steps;
  for (auto [i, argument] : llvm::enumerate(carried)) {
    std::optional<Poly> step;
    if (isNumber(argument.getType()))
      step = number(yield->getOperand(i)) - numbers[argument];
    else if (isPointer(argument.getType()))
      if (KnownPointer after = pointer(yield->getOperand(i)), before = pointers[argument];
          after.base && after.base == before.base)
        step = after.offset - before.offset;
    if (step && !(step->isValid() && algebra.lanes(*step).empty() &&
                  algebra.allSymbols(*step, [&](const SymbolInfo &symbol) { return isOutside(symbol, loop); })))
      step = std::nullopt;
    steps.push_back(step);
  }
  // init + step * ((counter - begin) / stride); exact where the division can be done beforehand.
  auto after = [&](const Poly &step, const Poly &distance) {
    if (step.isZero())
      return Poly(0);
    if (std::optional<Poly> rate = step.dividedBy(stride))
      return *rate * distance;
    return step * algebra.quotient(distance, stride);
  };
  Poly trips = algebra.maximum(Poly(0), algebra.quotient(end - begin + stride - Poly(1), stride));
  for (auto [argument, init, step, result] : llvm::zip_equal(carried, loop.getInitArgs(), steps, loop.getResults())) {
    if (!follows(argument.getType()))
      continue;
    resolved.erase(argument);
    forget(ValueRange{argument, result});
    if (!step)
      continue;
    Poly inside = after(*step, at - begin), behind = *step * trips;
    if (!inside.isValid() || !behind.isValid())
      continue;
    resolved[argument] = true;
    if (isNumber(argument.getType())) {
      numbers[argument] = number(init) + inside;
      numbers[result] = number(init) + behind;
    } else {
      pointers[argument] = {pointer(init).base, pointer(init).offset + inside};
      pointers[result] = {pointer(init).base, pointer(init).offset + behind};
    }
  }
  run(*loop.getBody());
}

/// What begins and goes on not negative never is: that is taken of every number that begins so, and taken back until it
/// holds.
void Values::runLoop(scf::WhileOp loop) {
  Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
  scf::ConditionOp condition = loop.getConditionOp();
  ValueRange next = after.getTerminator()->getOperands();
  std::vector<char> may(next.size(), true);
  for (bool again = true; again;) {
    again = false;
    for (auto [argument, init, is] : llvm::zip_equal(before.getArguments(), loop.getInits(), may)) {
      is = is && isCounter(init);
      follow(argument, is);
    }
    run(before);
    for (auto [argument, value] : llvm::zip_equal(after.getArguments(), condition.getArgs()))
      follow(argument, isCounter(value));
    run(after);
    for (auto [value, is] : llvm::zip_equal(next, may))
      if (is && !isCounter(value)) {
        is = false;
        again = true;
      }
  }
  for (auto [result, value] : llvm::zip_equal(loop.getResults(), condition.getArgs()))
    follow(result, isCounter(value));
}

} // namespace heddle::triton
