//===- Formula.cpp - Integer cost formulas --------------------------------===//
//
// What:      recursive-descent evaluation of formulas such as "ceildiv(m, 64) * max(n / 2, 16 + n / 4)".
// Verifies:  syntax, known names, division by zero, 64-bit overflow; division rounds towards minus infinity.
// Limits:    nesting depth 200.
//
//===----------------------------------------------------------------------===//
#include "heddle/Machine/Machine.h"

#include <cctype>

namespace heddle {
namespace {

class Evaluator {
public:
  Evaluator(const std::string &text, const CostParams *params) : text(text), params(params) {}

  Result<int64_t> run() {
    int64_t value = 0;
    if (!sum(value) || (skip(), pos != text.size() && fail("expected an operator, got '" + rest() + "'")))
      return userError("in formula '" + text + "': " + message);
    return value;
  }

private:
  bool fail(const std::string &why) {
    if (message.empty())
      message = why;
    failed = true;
    return true;
  }
  std::string rest() const { return pos < text.size() ? text.substr(pos, 12) : "end of formula"; }
  void skip() {
    while (pos < text.size() && std::isspace(static_cast<unsigned char>(text[pos])))
      ++pos;
  }
  bool accept(char c) {
    skip();
    if (pos >= text.size() || text[pos] != c)
      return false;
    ++pos;
    return true;
  }
  bool arith(bool overflow) {
    if (overflow)
      fail("integer overflow");
    return !failed;
  }
  bool divide(int64_t a, int64_t b, bool up, int64_t &out) {
    // While only the syntax is checked every name is 1, so a zero divisor says nothing.
    if (b == 0 && !params)
      return out = 0, true;
    if (b == 0 || (a == INT64_MIN && b == -1))
      return fail(b == 0 ? "division by zero" : "integer overflow"), false;
    int64_t q = a / b;
    bool exact = a % b == 0, negative = (a < 0) != (b < 0);
    if (!exact && negative && !up)
      --q;
    if (!exact && !negative && up)
      ++q;
    return out = q, true;
  }
  bool sum(int64_t &value) {
    if (++depth > 200)
      return fail("nested too deeply"), false;
    if (!product(value))
      return false;
    for (;;) {
      int64_t right;
      bool plus = accept('+');
      if (!plus && !accept('-'))
        return --depth, true;
      if (!product(right) ||
          !arith(plus ? __builtin_add_overflow(value, right, &value) : __builtin_sub_overflow(value, right, &value)))
        return false;
    }
  }
  bool product(int64_t &value) {
    if (!atom(value))
      return false;
    for (;;) {
      int64_t right;
      if (accept('*')) {
        if (!atom(right) || !arith(__builtin_mul_overflow(value, right, &value)))
          return false;
      } else if (accept('/')) {
        if (!atom(right) || !divide(value, right, false, value))
          return false;
      } else {
        return true;
      }
    }
  }
  bool call(const std::string &name, int64_t &value) {
    std::vector<int64_t> args;
    do {
      int64_t arg;
      if (!sum(arg))
        return false;
      args.push_back(arg);
    } while (accept(','));
    if (!accept(')'))
      return fail("expected ')', got '" + rest() + "'"), false;
    if (name == "ceildiv") {
      if (args.size() != 2)
        return fail("expected 2 arguments of ceildiv, got " + std::to_string(args.size())), false;
      return divide(args[0], args[1], true, value);
    }
    if (name != "max" && name != "min")
      return fail("unknown function '" + name + "'"), false;
    value = args[0];
    for (int64_t arg : args)
      value = name == "max" ? std::max(value, arg) : std::min(value, arg);
    return true;
  }
  bool atom(int64_t &value) {
    skip();
    if (accept('(')) {
      if (!sum(value))
        return false;
      if (!accept(')'))
        return fail("expected ')', got '" + rest() + "'"), false;
      return true;
    }
    if (accept('-')) {
      if (++depth > 200)
        return fail("nested too deeply"), false;
      bool ok = atom(value) && arith(__builtin_sub_overflow(int64_t(0), value, &value));
      --depth;
      return ok;
    }
    size_t begin = pos;
    if (pos < text.size() && std::isdigit(static_cast<unsigned char>(text[pos]))) {
      value = 0;
      for (; pos < text.size() && std::isdigit(static_cast<unsigned char>(text[pos])); ++pos)
        if (!arith(__builtin_mul_overflow(value, int64_t(10), &value) ||
                   __builtin_add_overflow(value, int64_t(text[pos] - '0'), &value)))
          return false;
      return true;
    }
    while (pos < text.size() && (std::isalnum(static_cast<unsigned char>(text[pos])) || text[pos] == '_'))
      ++pos;
    if (pos == begin)
      return fail("expected a number or a name, got '" + rest() + "'"), false;
    std::string name = text.substr(begin, pos - begin);
    if (accept('('))
      return call(name, value);
    if (!params)
      return value = 1, true;
    auto it = params->find(name);
    if (it == params->end())
      return fail("expected the parameter '" + name + "', got none"), false;
    value = it->second;
    return true;
  }

  const std::string &text;
  const CostParams *params;
  size_t pos = 0;
  int depth = 0;
  bool failed = false;
  std::string message;
};

} // namespace

Result<int64_t> evaluateFormula(const std::string &formula, const CostParams &params) {
  return Evaluator(formula, &params).run();
}

Status checkFormula(const std::string &formula) {
  Result<int64_t> value = Evaluator(formula, nullptr).run();
  if (!value)
    return value.error();
  return Status::success();
}

} // namespace heddle
