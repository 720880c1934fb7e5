//===- Polynomial.h - Integers of a program as polynomials ------------------===//
//
// What:    an integer that a program computes, as a polynomial with integer coefficients over symbols: arguments,
//          program ids, loop counters, lanes (the position along a dimension of a tile), values of which nothing is
//          known, and functions (quotient, remainder, minimum, maximum, choice) of polynomials. Equal functions of
//          equal polynomials are one symbol, so that equal values are equal polynomials.
// Limits:  a coefficient beyond 64 bits or more than 200 terms make a polynomial invalid; so is what is made of it.
//          Whoever computes replaces it by a value of which nothing is known. That no sum or product of the program
//          itself overflows is assumed.
// Layer:   plain C++, no MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ADDRESS_POLYNOMIAL_H
#define HEDDLE_ADDRESS_POLYNOMIAL_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::address {

/// A symbol of an Algebra, by number.
using Symbol = int;

class Poly {
public:
  /// Symbols in ascending order, repeated for powers.
  using Monomial = std::vector<Symbol>;

  Poly() = default;
  Poly(int64_t constant) { add({}, constant); }
  static Poly of(Symbol symbol) { return term({symbol}, 1); }
  static Poly term(Monomial monomial, int64_t coefficient);

  bool isValid() const { return valid; }
  bool isZero() const { return valid && terms_.empty(); }
  /// The value of a polynomial without symbols.
  std::optional<int64_t> constant() const;
  const std::map<Monomial, int64_t> &terms() const { return terms_; }

  Poly operator+(const Poly &other) const;
  Poly operator-(const Poly &other) const;
  Poly operator*(const Poly &other) const;
  bool operator==(const Poly &other) const { return valid && other.valid && terms_ == other.terms_; }
  bool operator!=(const Poly &other) const { return !(*this == other); }
  /// An order without meaning, for maps.
  bool operator<(const Poly &other) const { return terms_ < other.terms_; }

  /// this / divisor where every term divides; the divisor has one term.
  std::optional<Poly> dividedBy(const Poly &divisor) const;
  /// The sum of the terms whose monomial satisfies `which`.
  Poly part(const std::function<bool(const Monomial &)> &which) const;
  /// The greatest common divisor of the coefficients; 0 for zero.
  int64_t content() const;

private:
  void add(const Monomial &monomial, int64_t coefficient);

  std::map<Monomial, int64_t> terms_;
  bool valid = true;
};

enum class SymbolKind {
  Argument, ///< id: number of the argument
  Program,  ///< id: axis of the grid; this program's coordinate
  Programs, ///< id: axis of the grid; how many programs
  Counter,  ///< id: the loop; the value of its induction variable
  Opaque,   ///< id: a scalar of which nothing is known
  Lane,     ///< id: dimension of the tile
  Table,    ///< id: a tile of which nothing is known; operands: its positions
  Quotient, ///< operands a, b: a / b rounded to zero
  Remainder,
  Minimum,
  Maximum,
  Choice ///< operands a, b, x, y: a < b ? x : y
};

struct SymbolInfo {
  SymbolKind kind = SymbolKind::Opaque;
  int64_t id = 0;
  std::vector<Poly> operands;
  bool operator<(const SymbolInfo &other) const;
};

/// a < b, or (opaque) a truth value of which nothing is known: number `id` at the positions `operands`.
struct Atom {
  Poly a, b;
  bool opaque = false;
  bool negated = false; ///< of an opaque one
  int64_t id = 0;
  std::vector<Poly> operands;
  bool operator==(const Atom &other) const;
};

/// Owns the symbols; everything that builds polynomials with functions goes through it.
class Algebra {
public:
  Poly make(SymbolKind kind, int64_t id, std::vector<Poly> operands = {});
  Poly lane(int64_t dim) { return make(SymbolKind::Lane, dim); }
  Poly quotient(const Poly &a, const Poly &b);
  Poly remainder(const Poly &a, const Poly &b);
  /// `poly`, in which a - b * (a / b) is written as the remainder that it is.
  Poly withRemainders(Poly poly);
  Poly minimum(const Poly &a, const Poly &b);
  /// What is below `limit` is below each of these: its minimum's operands take the place of the minimum.
  std::vector<Poly> bounds(const Poly &limit);
  Poly maximum(const Poly &a, const Poly &b);
  Poly choice(const Atom &condition, const Poly &x, const Poly &y);

  const SymbolInfo &info(Symbol symbol) const { return symbols[symbol]; }
  /// `poly` with every symbol for which `with` gives a polynomial replaced, inside functions too.
  Poly substitute(const Poly &poly, const std::function<std::optional<Poly>(Symbol)> &with);
  Atom substitute(const Atom &atom, const std::function<std::optional<Poly>(Symbol)> &with);
  /// The dimensions whose lanes occur, inside functions too.
  std::set<int64_t> lanes(const Poly &poly) const;
  std::set<int64_t> lanes(Symbol symbol) const;
  std::set<int64_t> lanes(const Atom &atom) const;
  /// Whether `is` holds for every symbol outside of functions and inside them (functions themselves are not asked).
  bool allSymbols(const Poly &poly, const std::function<bool(const SymbolInfo &)> &is) const;
  /// Known on the host before the launch: made of arguments and constants.
  bool isHost(const Poly &poly) const;
  /// Surely not negative: ids and counters are not, nor are arguments where they are trusted.
  bool isNotNegative(const Poly &poly, bool trustArguments = true);
  /// A lower bound of `poly`: counters and program ids with negative factors are at their ends, other counters where
  /// their loops begin and more, by what the same symbol stands for then. What they are multiplied by is not negative.
  Poly atLeast(const Poly &poly);
  /// What `poly` surely is a multiple of, given the same for symbols that are no functions; 0 for zero.
  int64_t divisor(const Poly &poly, const std::function<int64_t(const SymbolInfo &)> &ofSymbol) const;
  /// The value at given values of the symbols that are no functions; nothing where a division by zero is met.
  std::optional<int64_t> value(const Poly &poly,
                               const std::function<std::optional<int64_t>(const SymbolInfo &)> &of) const;

  /// Readable text: "128 * pid0 + k", with names for arguments.
  std::string text(const Poly &poly) const;
  std::string text(const Atom &atom) const;
  std::function<std::string(const SymbolInfo &)> nameOf; ///< names of symbols that are no functions
  /// Where a counter's loop begins and ends, where that is known.
  std::function<std::optional<std::pair<Poly, Poly>>(const SymbolInfo &)> boundsOf;

private:
  std::string text(Symbol symbol) const;
  bool hasNoNegativeTerm(const Poly &poly, bool trustArguments);

  std::vector<SymbolInfo> symbols;
  std::map<SymbolInfo, Symbol> numbers;
};

} // namespace heddle::address

#endif // HEDDLE_ADDRESS_POLYNOMIAL_H
