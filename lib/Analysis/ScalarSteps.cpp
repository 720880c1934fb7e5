//===- ScalarSteps.cpp - what steps of a scalar program compute --------------===//
//
// What:      a step on numbers -> its result, and a program -> how far its unknowns move before it behaves otherwise
//            (granules). See ScalarProgram.h.
// Where:     the protocol dry run computes with the one, and chooses the values that it tries by the other.
// Algorithm: of granules, a forward pass that carries, for every register, which unknowns it grows with and how fast;
//            bounds and steps of loops, divisors and comparisons then say what the unknown counts in.
//
//===----------------------------------------------------------------------===//
#include "ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
namespace heddle {

std::optional<int64_t> evaluate(const ProgramStep &step, int64_t a, int64_t b, int64_t c) {
  auto bits = [&](int64_t v) { return static_cast<uint64_t>(v) & llvm::maskTrailingOnes<uint64_t>(step.fromWidth); };
  uint64_t ua = bits(a), ub = bits(b), wide = 0;
  switch (step.scalar) {
  case ScalarKind::Add: wide = ua + ub; break;
  case ScalarKind::Sub: wide = ua - ub; break;
  case ScalarKind::Mul: wide = ua * ub; break;
  case ScalarKind::DivS:
  case ScalarKind::RemS:
  case ScalarKind::CeilDivS:
  case ScalarKind::FloorDivS:
    if (b == 0 || (b == -1 && a == INT64_MIN))
      return std::nullopt;
    wide = step.scalar == ScalarKind::DivS       ? a / b
           : step.scalar == ScalarKind::RemS     ? a % b
           : step.scalar == ScalarKind::CeilDivS ? llvm::divideCeilSigned(a, b)
                                                 : llvm::divideFloorSigned(a, b);
    break;
  case ScalarKind::DivU:
  case ScalarKind::RemU:
  case ScalarKind::CeilDivU:
    if (ub == 0)
      return std::nullopt;
    wide = step.scalar == ScalarKind::DivU   ? ua / ub
           : step.scalar == ScalarKind::RemU ? ua % ub
                                             : llvm::divideCeil(ua, ub);
    break;
  case ScalarKind::MinS: wide = std::min(a, b); break;
  case ScalarKind::MaxS: wide = std::max(a, b); break;
  case ScalarKind::MinU: wide = std::min(ua, ub); break;
  case ScalarKind::MaxU: wide = std::max(ua, ub); break;
  case ScalarKind::And: wide = ua & ub; break;
  case ScalarKind::Or: wide = ua | ub; break;
  case ScalarKind::Xor: wide = ua ^ ub; break;
  case ScalarKind::Shl:
  case ScalarKind::ShrS:
  case ScalarKind::ShrU:
    if (ub >= step.width)
      return std::nullopt;
    wide = step.scalar == ScalarKind::Shl    ? ua << ub
           : step.scalar == ScalarKind::ShrS ? static_cast<uint64_t>(a >> ub)
                                             : ua >> ub;
    break;
  case ScalarKind::Compare: {
    bool holds = false;
    switch (static_cast<arith::CmpIPredicate>(step.imm)) {
    case arith::CmpIPredicate::eq: holds = a == b; break;
    case arith::CmpIPredicate::ne: holds = a != b; break;
    case arith::CmpIPredicate::slt: holds = a < b; break;
    case arith::CmpIPredicate::sle: holds = a <= b; break;
    case arith::CmpIPredicate::sgt: holds = a > b; break;
    case arith::CmpIPredicate::sge: holds = a >= b; break;
    case arith::CmpIPredicate::ult: holds = ua < ub; break;
    case arith::CmpIPredicate::ule: holds = ua <= ub; break;
    case arith::CmpIPredicate::ugt: holds = ua > ub; break;
    case arith::CmpIPredicate::uge: holds = ua >= ub; break;
    }
    return holds ? -1 : 0; // a truth value of one bit, sign-extended like all
  }
  case ScalarKind::Select: return a ? b : c;
  case ScalarKind::SignExtend: wide = a; break;
  case ScalarKind::ZeroExtend: wide = ua; break;
  }
  return llvm::SignExtend64(wide, step.width);
}

namespace {
/// A register grows by `num` / `den` for each one that `unknown` grows.
struct Growth {
  int unknown;
  int64_t num = 1, den = 1;
};
} // namespace

void ScalarProgram::noteGranules(Unknowns &unknowns) const {
  constexpr size_t most = 8; // growths of one register
  std::map<int, SmallVector<Growth>> growths;
  std::map<int, int64_t> constants;
  for (auto [reg, unknown] : inputs)
    growths[reg].push_back({unknown});
  auto note = [&](int reg, int64_t by) {
    for (const Growth &g : growths[reg])
      unknowns.list[g.unknown].granules.insert(std::max<int64_t>(1, by * g.den / g.num));
  };
  auto pass = [&](int from, int to, int64_t num, int64_t den) {
    SmallVector<Growth> known = growths[from];
    for (Growth g : known)
      if (growths[to].size() < most && g.num < INT32_MAX / num && g.den < INT32_MAX / den)
        growths[to].push_back({g.unknown, g.num * num, g.den * den});
  };
  auto positive = [&](int reg) -> int64_t {
    auto known = constants.find(reg);
    return known != constants.end() && known->second > 0 && known->second < INT32_MAX ? known->second : 0;
  };
  for (const ProgramStep &step : steps) {
    if (step.kind == StepKind::Set)
      constants[step.dst] = step.imm;
    if (step.kind == StepKind::Move)
      pass(step.a, step.dst, 1, 1);
    if (step.kind == StepKind::NextProgram)
      for (int from : {step.a, step.b})
        pass(from, step.dst, 1, 1);
    if (step.kind == StepKind::Element && growths[step.dst].empty())
      growths[step.dst].push_back({static_cast<int>(step.imm)});
    if (step.kind == StepKind::LoopHead) {
      int64_t by = std::max<int64_t>(1, positive(step.c));
      note(step.a, by);
      note(step.b, by);
      note(step.c, 1);
      pass(step.a, step.dst, 1, 1);
    }
    if (step.kind != StepKind::Scalar)
      continue;
    int64_t right = step.b < 0 ? 0 : positive(step.b), left = positive(step.a);
    switch (step.scalar) {
    case ScalarKind::Mul:
      pass(step.a, step.dst, std::max<int64_t>(1, right), 1);
      pass(step.b, step.dst, std::max<int64_t>(1, left), 1);
      break;
    case ScalarKind::DivS:
    case ScalarKind::DivU:
    case ScalarKind::CeilDivS:
    case ScalarKind::CeilDivU:
    case ScalarKind::FloorDivS:
      note(step.a, std::max<int64_t>(1, right));
      pass(step.a, step.dst, 1, std::max<int64_t>(1, right));
      break;
    case ScalarKind::Compare:
      if (std::max(left, right) <= 64)
        unknowns.largestCompared = std::max({unknowns.largestCompared, left, right});
      note(step.a, 1);
      note(step.b, 1);
      break;
    default:
      for (int from : {step.a, step.b, step.c})
        if (from >= 0)
          pass(from, step.dst, 1, 1);
    }
  }
}

} // namespace heddle
