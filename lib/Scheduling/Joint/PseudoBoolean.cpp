//===- PseudoBoolean.cpp - Weighted sums as reduced decision diagrams -----===//
//
// What:      sum of weight * lit <= bound as clauses.
// Algorithm: ordered decision diagram over the terms by falling weight; a node stands for "the rest of the sum is at
//            most B" and serves the whole interval of B with the same meaning (Abio et al., JAIR 2012). One clause a
//            branch, since sums occur as upper bounds only.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

#include <algorithm>

namespace heddle {
namespace {

class Diagram {
public:
  Diagram(Encoder &encoder, const std::vector<Term> &terms) : encoder(encoder), terms(terms), levels(terms.size()) {
    rest.assign(terms.size() + 1, 0);
    for (size_t i = terms.size(); i-- > 0;)
      rest[i] = rest[i + 1] + terms[i].weight;
  }

  struct Node {
    Lit lit;
    int64_t low, high; ///< the bounds it stands for
  };

  Node build(size_t i, int64_t bound) {
    constexpr int64_t infinity = int64_t(1) << 60;
    if (bound < 0)
      return {encoder.no(), -infinity, -1};
    if (bound >= rest[i] || encoder.expired())
      return {encoder.yes(), rest[i], infinity};
    auto &level = levels[i];
    auto it = level.upper_bound(bound);
    if (it != level.begin() && std::prev(it)->second.high >= bound)
      return std::prev(it)->second;
    Node with = build(i + 1, bound - terms[i].weight), without = build(i + 1, bound);
    Node node{0, std::max(with.low + terms[i].weight, without.low),
              std::min(with.high + terms[i].weight, without.high)};
    if (with.lit == without.lit) {
      node.lit = with.lit;
    } else {
      node.lit = encoder.newLit();
      encoder.clause({-node.lit, -terms[i].lit, with.lit});
      if (without.lit != encoder.yes())
        encoder.clause({-node.lit, without.lit});
    }
    level.emplace(node.low, node);
    return node;
  }

private:
  Encoder &encoder;
  const std::vector<Term> &terms;
  std::vector<std::map<int64_t, Node>> levels;
  std::vector<int64_t> rest;
};

} // namespace

/// Drops what is decided, sorts by falling weight and lowers the bounds by what is always taken.
static int64_t simplify(const Encoder &e, std::vector<Term> &terms) {
  std::vector<Term> kept;
  int64_t taken = 0;
  for (const Term &term : terms) {
    if (term.weight == 0 || term.lit == e.no())
      continue;
    if (term.lit == e.yes())
      taken += term.weight;
    else
      kept.push_back(term);
  }
  std::stable_sort(kept.begin(), kept.end(), [](const Term &a, const Term &b) { return a.weight > b.weight; });
  terms = std::move(kept);
  return taken;
}

void Encoder::atMost(std::vector<Term> terms, int64_t bound) {
  bound -= simplify(*this, terms);
  if (bound < 0) {
    clause({});
    return;
  }
  int64_t total = 0;
  for (const Term &term : terms)
    total += term.weight;
  if (total <= bound)
    return;
  // Any two exceed the bound: pairwise. (Also the common case of a unit of capacity one.)
  size_t n = terms.size();
  if (n >= 2 && terms[n - 1].weight + terms[n - 2].weight > bound && n <= 40) {
    for (size_t i = 0; i < n; ++i) {
      if (terms[i].weight > bound)
        clause({-terms[i].lit});
      for (size_t j = 0; j < i; ++j)
        clause({-terms[i].lit, -terms[j].lit});
    }
    return;
  }
  clause({Diagram(*this, terms).build(0, bound).lit});
}

void Encoder::atMostUnless(std::vector<Term> terms, const std::vector<std::pair<Lit, int64_t>> &bounds) {
  int64_t taken = simplify(*this, terms);
  Diagram diagram(*this, terms); // its nodes serve all bounds
  Lit previous = 0;
  for (size_t i = bounds.size(); i-- > 0;) {
    Lit root = diagram.build(0, bounds[i].second - taken).lit;
    if (root != previous) // a larger bound with the same meaning came first and implies this clause
      clause({bounds[i].first, root});
    previous = root;
  }
}

} // namespace heddle
