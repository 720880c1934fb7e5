//===- Polynomial.cpp - see Polynomial.h ------------------------------------===//
#include "heddle/Address/Polynomial.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace heddle::address {

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

constexpr size_t mostTerms = 200;

void Poly::add(const Monomial &monomial, int64_t coefficient) {
  if (coefficient == 0)
    return;
  auto [it, isNew] = terms_.insert({monomial, coefficient});
  if (!isNew && __builtin_add_overflow(it->second, coefficient, &it->second))
    valid = false;
  if (it->second == 0)
    terms_.erase(it);
  valid &= terms_.size() <= mostTerms;
}

Poly Poly::term(Monomial monomial, int64_t coefficient) {
  Poly result;
  std::sort(monomial.begin(), monomial.end());
  result.add(monomial, coefficient);
  return result;
}

std::optional<int64_t> Poly::constant() const {
  if (!valid || terms_.size() > 1 || (terms_.size() == 1 && !terms_.begin()->first.empty()))
    return std::nullopt;
  return terms_.empty() ? 0 : terms_.begin()->second;
}

Poly Poly::operator+(const Poly &other) const {
  Poly result = *this;
  result.valid &= other.valid;
  for (const auto &[monomial, coefficient] : other.terms_)
    result.add(monomial, coefficient);
  return result;
}

Poly Poly::operator-(const Poly &other) const { return *this + other * Poly(-1); }

Poly Poly::operator*(const Poly &other) const {
  Poly result;
  result.valid = valid && other.valid;
  for (const auto &[m, c] : terms_)
    for (const auto &[n, d] : other.terms_) {
      if (!result.valid)
        return result;
      Monomial product(m);
      product.insert(product.end(), n.begin(), n.end());
      std::sort(product.begin(), product.end());
      int64_t coefficient;
      if (__builtin_mul_overflow(c, d, &coefficient) || product.size() > 16)
        result.valid = false;
      else
        result.add(product, coefficient);
    }
  return result;
}

std::optional<Poly> Poly::dividedBy(const Poly &divisor) const {
  if (!valid || !divisor.valid || divisor.terms_.size() != 1)
    return std::nullopt;
  const auto &[by, factor] = *divisor.terms_.begin();
  Poly result;
  for (const auto &[monomial, coefficient] : terms_) {
    if (coefficient % factor != 0 || !std::includes(monomial.begin(), monomial.end(), by.begin(), by.end()))
      return std::nullopt;
    Monomial rest;
    std::set_difference(monomial.begin(), monomial.end(), by.begin(), by.end(), std::back_inserter(rest));
    result.add(rest, coefficient / factor);
  }
  return result;
}

Poly Poly::part(const std::function<bool(const Monomial &)> &which) const {
  Poly result;
  result.valid = valid;
  for (const auto &[monomial, coefficient] : terms_)
    if (which(monomial))
      result.add(monomial, coefficient);
  return result;
}

int64_t Poly::content() const {
  int64_t result = 0;
  for (const auto &[monomial, coefficient] : terms_)
    result = std::gcd(result, coefficient);
  return result;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

bool SymbolInfo::operator<(const SymbolInfo &other) const {
  return std::tie(kind, id, operands) < std::tie(other.kind, other.id, other.operands);
}

bool Atom::operator==(const Atom &other) const {
  if (opaque != other.opaque)
    return false;
  return opaque ? negated == other.negated && id == other.id && operands == other.operands
                : a == other.a && b == other.b;
}

Poly Algebra::make(SymbolKind kind, int64_t id, std::vector<Poly> operands) {
  for (const Poly &operand : operands)
    if (!operand.isValid())
      return operand;
  SymbolInfo info{kind, id, std::move(operands)};
  auto [it, isNew] = numbers.insert({info, static_cast<Symbol>(symbols.size())});
  if (isNew)
    symbols.push_back(info);
  return Poly::of(it->second);
}

Poly Algebra::quotient(const Poly &a, const Poly &b) {
  if (std::optional<int64_t> divisor = b.constant()) {
    if (std::optional<int64_t> value = a.constant(); value && *divisor != 0 && *divisor != -1)
      return Poly(*value / *divisor);
    if (*divisor > 0)
      if (std::optional<Poly> exact = a.dividedBy(b))
        return *exact;
  }
  return make(SymbolKind::Quotient, 0, {a, b});
}

Poly Algebra::remainder(const Poly &a, const Poly &b) {
  if (std::optional<int64_t> divisor = b.constant()) {
    if (std::optional<int64_t> value = a.constant(); value && *divisor != 0 && *divisor != -1)
      return Poly(*value % *divisor);
    if (*divisor > 0 && a.isValid() && a.dividedBy(b))
      return Poly(0);
  }
  return make(SymbolKind::Remainder, 0, {a, b});
}

Poly Algebra::withRemainders(Poly poly) {
  for (bool found = true; found && poly.isValid();) {
    found = false;
    for (const auto &[monomial, coefficient] : std::map(poly.terms())) {
      for (size_t i = 0; i < monomial.size() && !found; ++i) {
        if (symbols[monomial[i]].kind != SymbolKind::Quotient)
          continue;
        Poly a = symbols[monomial[i]].operands[0], b = symbols[monomial[i]].operands[1];
        Poly::Monomial others = monomial;
        others.erase(others.begin() + static_cast<long>(i));
        if (b.terms().size() != 1)
          continue;
        std::optional<Poly> times = Poly::term(others, -coefficient).dividedBy(b); // times * (a - b * (a / b))
        if (!times)
          continue;
        Poly rest = poly - *times * a + *times * b * Poly::of(monomial[i]);
        if (rest.terms().size() + 1 >= poly.terms().size())
          continue;
        poly = rest + *times * remainder(a, b);
        found = true;
      }
      if (found)
        break;
    }
  }
  return poly;
}

Poly Algebra::minimum(const Poly &a, const Poly &b) {
  if (std::optional<int64_t> apart = (a - b).constant())
    return *apart < 0 ? a : b;
  return b < a ? make(SymbolKind::Minimum, 0, {b, a}) : make(SymbolKind::Minimum, 0, {a, b});
}

std::vector<Poly> Algebra::bounds(const Poly &limit) {
  for (const auto &[monomial, coefficient] : limit.terms())
    if (monomial.size() == 1 && coefficient == 1 && symbols[monomial[0]].kind == SymbolKind::Minimum) {
      std::vector<Poly> all;
      for (const Poly &operand : std::vector(symbols[monomial[0]].operands))
        for (const Poly &each : bounds(limit - Poly::of(monomial[0]) + operand))
          all.push_back(each);
      return all;
    }
  return {limit};
}

Poly Algebra::maximum(const Poly &a, const Poly &b) {
  if (std::optional<int64_t> apart = (a - b).constant())
    return *apart < 0 ? b : a;
  return b < a ? make(SymbolKind::Maximum, 0, {b, a}) : make(SymbolKind::Maximum, 0, {a, b});
}

Poly Algebra::choice(const Atom &condition, const Poly &x, const Poly &y) {
  if (x == y)
    return x;
  if (std::optional<int64_t> apart = (condition.a - condition.b).constant())
    return *apart < 0 ? x : y;
  return make(SymbolKind::Choice, 0, {condition.a, condition.b, x, y});
}

Poly Algebra::substitute(const Poly &poly, const std::function<std::optional<Poly>(Symbol)> &with) {
  Poly result;
  if (!poly.isValid())
    return poly;
  for (const auto &[monomial, coefficient] : poly.terms()) {
    Poly product(coefficient);
    for (Symbol symbol : monomial) {
      if (std::optional<Poly> other = with(symbol)) {
        product = product * *other;
        continue;
      }
      SymbolInfo info = symbols[symbol]; // `symbols` grows below
      if (info.operands.empty()) {
        product = product * Poly::of(symbol);
        continue;
      }
      std::vector<Poly> &in = info.operands;
      for (Poly &operand : in)
        operand = substitute(operand, with);
      Poly value;
      switch (info.kind) {
      case SymbolKind::Quotient: value = quotient(in[0], in[1]); break;
      case SymbolKind::Remainder: value = remainder(in[0], in[1]); break;
      case SymbolKind::Minimum: value = minimum(in[0], in[1]); break;
      case SymbolKind::Maximum: value = maximum(in[0], in[1]); break;
      case SymbolKind::Choice: {
        Atom condition;
        condition.a = in[0], condition.b = in[1];
        value = choice(condition, in[2], in[3]);
        break;
      }
      default: value = make(info.kind, info.id, in); break;
      }
      product = product * value;
    }
    result = result + product;
  }
  return result;
}

Atom Algebra::substitute(const Atom &atom, const std::function<std::optional<Poly>(Symbol)> &with) {
  Atom result = atom;
  result.a = substitute(atom.a, with);
  result.b = substitute(atom.b, with);
  for (Poly &operand : result.operands)
    operand = substitute(operand, with);
  return result;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

std::set<int64_t> Algebra::lanes(Symbol symbol) const {
  const SymbolInfo &info = symbols[symbol];
  if (info.kind == SymbolKind::Lane)
    return {info.id};
  std::set<int64_t> result;
  for (const Poly &operand : info.operands)
    result.merge(lanes(operand));
  return result;
}

std::set<int64_t> Algebra::lanes(const Poly &poly) const {
  std::set<int64_t> result;
  for (const auto &[monomial, coefficient] : poly.terms())
    for (Symbol symbol : monomial)
      result.merge(lanes(symbol));
  return result;
}

std::set<int64_t> Algebra::lanes(const Atom &atom) const {
  std::set<int64_t> result = lanes(atom.a);
  result.merge(lanes(atom.b));
  for (const Poly &operand : atom.operands)
    result.merge(lanes(operand));
  return result;
}

bool Algebra::allSymbols(const Poly &poly, const std::function<bool(const SymbolInfo &)> &is) const {
  for (const auto &[monomial, coefficient] : poly.terms())
    for (Symbol symbol : monomial) {
      const SymbolInfo &info = symbols[symbol];
      bool isFunction = info.kind >= SymbolKind::Quotient;
      if (!isFunction && !is(info))
        return false;
      for (const Poly &operand : info.operands)
        if (!allSymbols(operand, is))
          return false;
    }
  return true;
}

bool Algebra::isHost(const Poly &poly) const {
  return poly.isValid() && allSymbols(poly, [](const SymbolInfo &info) {
           return info.kind == SymbolKind::Argument || info.kind == SymbolKind::Programs;
         });
}

Poly Algebra::atLeast(const Poly &poly) {
  Poly least;
  for (const auto &[monomial, coefficient] : poly.terms()) {
    std::optional<Poly> at; // instead of one symbol
    Poly::Monomial others = monomial;
    for (size_t i = 0; i < monomial.size() && !at; ++i) {
      SymbolInfo info = symbols[monomial[i]];
      auto bounds = info.kind == SymbolKind::Counter && boundsOf ? boundsOf(info) : std::nullopt;
      if (bounds)
        at = coefficient < 0 ? bounds->second - Poly(1) : bounds->first + Poly::of(monomial[i]);
      else if (info.kind == SymbolKind::Program && coefficient < 0)
        at = make(SymbolKind::Programs, info.id) - Poly(1);
      else
        continue;
      others.erase(others.begin() + static_cast<long>(i));
    }
    least = least + Poly::term(others, coefficient) * at.value_or(Poly(1));
  }
  return least;
}

bool Algebra::isNotNegative(const Poly &poly, bool trustArguments) {
  return poly.isValid() &&
         (hasNoNegativeTerm(poly, trustArguments) || hasNoNegativeTerm(atLeast(poly), trustArguments));
}

bool Algebra::hasNoNegativeTerm(const Poly &poly, bool trustArguments) {
  // Every term is: its coefficient, and each of its symbols. What is computed by a minimum or a quotient is as its
  // operands are; of a value that memory gives, nothing is known.
  auto isSymbol = [&](Symbol symbol) {
    const SymbolInfo &info = symbols[symbol];
    auto isNotNegative = [&](const Poly &operand) { return this->isNotNegative(operand, trustArguments); };
    switch (info.kind) {
    case SymbolKind::Argument: return trustArguments;
    case SymbolKind::Opaque:
    case SymbolKind::Table: return false;
    case SymbolKind::Quotient: return isNotNegative(info.operands[0]); // of a divisor that is: it divides
    case SymbolKind::Remainder: return isNotNegative(info.operands[0]);
    case SymbolKind::Minimum: return isNotNegative(info.operands[0]) && isNotNegative(info.operands[1]);
    case SymbolKind::Maximum: return isNotNegative(info.operands[0]) || isNotNegative(info.operands[1]);
    case SymbolKind::Choice: return isNotNegative(info.operands[2]) && isNotNegative(info.operands[3]);
    default: return true;
    }
  };
  for (const auto &[monomial, coefficient] : poly.terms()) {
    if (coefficient < 0)
      return false;
    for (Symbol symbol : monomial)
      if (!isSymbol(symbol))
        return false;
  }
  return poly.isValid();
}

int64_t Algebra::divisor(const Poly &poly, const std::function<int64_t(const SymbolInfo &)> &ofSymbol) const {
  int64_t result = 0;
  for (const auto &[monomial, coefficient] : poly.terms()) {
    // Far more than any alignment, and no product overflows.
    constexpr int64_t most = int64_t(1) << 30;
    int64_t product = std::gcd(coefficient, most * 2);
    for (Symbol symbol : monomial) {
      const SymbolInfo &info = symbols[symbol];
      int64_t factor = 1;
      if (info.kind < SymbolKind::Quotient)
        factor = ofSymbol(info);
      else if (info.kind == SymbolKind::Minimum || info.kind == SymbolKind::Maximum ||
               info.kind == SymbolKind::Remainder)
        factor = std::gcd(divisor(info.operands[0], ofSymbol), divisor(info.operands[1], ofSymbol));
      factor = std::max<int64_t>(factor, 1);
      product = product <= most / factor ? product * factor : product;
    }
    result = std::gcd(result, product);
  }
  return result;
}

std::optional<int64_t> Algebra::value(const Poly &poly,
                                      const std::function<std::optional<int64_t>(const SymbolInfo &)> &of) const {
  int64_t sum = 0;
  for (const auto &[monomial, coefficient] : poly.terms()) {
    int64_t product = coefficient;
    for (Symbol symbol : monomial) {
      const SymbolInfo &info = symbols[symbol];
      std::optional<int64_t> factor;
      if (info.kind < SymbolKind::Quotient) {
        factor = of(info);
      } else {
        std::vector<int64_t> in;
        for (const Poly &operand : info.operands) {
          std::optional<int64_t> number = value(operand, of);
          if (!number)
            return std::nullopt;
          in.push_back(*number);
        }
        bool divides = in[1] != 0;
        switch (info.kind) {
        case SymbolKind::Quotient: factor = divides ? std::optional(in[0] / in[1]) : std::nullopt; break;
        case SymbolKind::Remainder: factor = divides ? std::optional(in[0] % in[1]) : std::nullopt; break;
        case SymbolKind::Minimum: factor = std::min(in[0], in[1]); break;
        case SymbolKind::Maximum: factor = std::max(in[0], in[1]); break;
        default: factor = in[0] < in[1] ? in[2] : in[3]; break;
        }
      }
      if (!factor)
        return std::nullopt;
      product *= *factor;
    }
    sum += product;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string Algebra::text(Symbol symbol) const {
  const SymbolInfo &info = symbols[symbol];
  auto call = [&](const char *name) {
    std::string result = std::string(name) + "(";
    for (size_t i = 0; i < info.operands.size(); ++i)
      result += (i ? ", " : "") + text(info.operands[i]);
    return result + ")";
  };
  switch (info.kind) {
  case SymbolKind::Lane: return "lane" + std::to_string(info.id);
  case SymbolKind::Program: return std::string("program.") + "xyz"[info.id];
  case SymbolKind::Programs: return std::string("programs.") + "xyz"[info.id];
  case SymbolKind::Quotient: return call("div");
  case SymbolKind::Remainder: return call("rem");
  case SymbolKind::Minimum: return call("min");
  case SymbolKind::Maximum: return call("max");
  case SymbolKind::Choice: return call("choose");
  case SymbolKind::Table: return call(nameOf ? nameOf(info).c_str() : "table");
  default: break;
  }
  return nameOf ? nameOf(info) : "s" + std::to_string(symbol);
}

std::string Algebra::text(const Poly &poly) const {
  if (!poly.isValid())
    return "?";
  // Constants last.
  std::string result;
  auto append = [&](const Poly::Monomial &monomial, int64_t coefficient) {
    bool negative = coefficient < 0;
    uint64_t size = negative ? 0 - static_cast<uint64_t>(coefficient) : coefficient;
    result += result.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    if (size != 1 || monomial.empty())
      result += std::to_string(size) + (monomial.empty() ? "" : " * ");
    for (size_t i = 0; i < monomial.size(); ++i)
      result += (i ? " * " : "") + text(monomial[i]);
  };
  for (const auto &[monomial, coefficient] : poly.terms())
    if (!monomial.empty())
      append(monomial, coefficient);
  if (auto it = poly.terms().find({}); it != poly.terms().end())
    append({}, it->second);
  return result.empty() ? "0" : result;
}

std::string Algebra::text(const Atom &atom) const {
  if (!atom.opaque)
    return text(atom.a) + " < " + text(atom.b);
  SymbolInfo info{SymbolKind::Opaque, atom.id, {}};
  return (atom.negated ? "not " : "") + (nameOf ? nameOf(info) : "condition " + std::to_string(atom.id));
}

} // namespace heddle::address
