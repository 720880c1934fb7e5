//===- PseudoBoolean.cpp - Weighted sums as reduced decision diagrams -----===//
//
// What:      sum of weight * lit <= bound as clauses.
// Algorithm: ordered decision diagram over the terms by falling weight; a node stands for "the rest of the sum is at most
//            B" and serves the whole interval of B with the same meaning (Abio et al., JAIR 2012). One clause a branch,
//            since sums occur as upper bounds only.
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
    if (bound >= rest[i])
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

void Encoder::atMost(std::vector<Term> terms, int64_t bound) {
  std::vector<Term> kept;
  for (const Term &term : terms) {
    if (term.weight == 0 || term.lit == no())
      continue;
    if (term.lit == yes())
      bound -= term.weight;
    else
      kept.push_back(term);
  }
  std::stable_sort(kept.begin(), kept.end(), [](const Term &a, const Term &b) { return a.weight > b.weight; });
  if (bound < 0) {
    clause({});
    return;
  }
  int64_t total = 0;
  for (const Term &term : kept)
    total += term.weight;
  if (total <= bound)
    return;
  // Any two exceed the bound: pairwise. (Also the common case of a unit of capacity one.)
  size_t n = kept.size();
  if (n >= 2 && kept[n - 1].weight + kept[n - 2].weight > bound && n <= 40) {
    for (size_t i = 0; i < n; ++i) {
      if (kept[i].weight > bound)
        clause({-kept[i].lit});
      for (size_t j = 0; j < i; ++j)
        clause({-kept[i].lit, -kept[j].lit});
    }
    return;
  }
  clause({Diagram(*this, kept).build(0, bound).lit});
}

} // namespace heddle
