//===- OrderProof.cpp - Check refutations over orders ---------------------===//
//
// What:      see checkOrders, and the conditions under which idle cycles keep a schedule legal.
// Format:    heddle-orders 1
//            exchange A B C D ...   the nodes A and B change places, C and D, ...; A is put before B
//            cycle LITERAL...       where all are false, their differences close a cycle that is longer than 0
//            sum N LITERAL...       where all are false, sum N is exceeded
//            proof                  the rest: DRAT
// Algorithm: of a cycle lemma, longest walks over the differences that hold where its literals are false, joined by the
//            longest paths of what is required.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Orders.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace heddle {

std::string writeOrderProof(const OrderProof &proof) {
  std::string out = "heddle-orders 1\n";
  for (const Exchange &exchange : proof.exchanges) {
    out += "exchange";
    for (auto [a, b] : exchange)
      out += " " + std::to_string(a) + " " + std::to_string(b);
    out += "\n";
  }
  for (const OrderProof::Lemma &lemma : proof.lemmas) {
    out += lemma.sum < 0 ? "cycle" : "sum " + std::to_string(lemma.sum);
    for (int lit : lemma.literals)
      out += " " + std::to_string(lit);
    out += "\n";
  }
  return out + "proof\n" + proof.proof;
}

Result<OrderProof> parseOrderProof(const std::string &text) {
  OrderProof out;
  int64_t line = 0;
  for (size_t at = 0; at < text.size();) {
    ++line;
    size_t end = std::min(text.find('\n', at), text.size()), word = std::min(text.find(' ', at), end);
    std::string key = text.substr(at, (line == 1 ? end : word) - at);
    std::vector<int> numbers;
    bool ok = true;
    for (size_t i = line == 1 ? end : word; i < end && ok;) {
      ok = text[i++] == ' ';
      bool negative = i < end && text[i] == '-';
      i += negative;
      int64_t x = 0;
      ok = ok && i < end && std::isdigit(static_cast<unsigned char>(text[i]));
      for (; ok && i < end && std::isdigit(static_cast<unsigned char>(text[i])); ++i) {
        x = 10 * x + (text[i] - '0');
        ok = x < INT32_MAX;
      }
      numbers.push_back(static_cast<int>(negative ? -x : x));
    }
    at = end + 1;
    if (line == 1) {
      ok = key == "heddle-orders 1";
    } else if (key == "proof" && ok && numbers.empty()) {
      out.proof = at < text.size() ? text.substr(at) : "";
      return out;
    } else if (key == "exchange") {
      ok = ok && numbers.size() % 2 == 0;
      out.exchanges.emplace_back();
      for (size_t k = 0; ok && k < numbers.size(); k += 2)
        out.exchanges.back().push_back({numbers[k], numbers[k + 1]});
    } else if (key == "cycle") {
      out.lemmas.push_back({-1, std::move(numbers)});
    } else {
      ok = ok && key == "sum" && !numbers.empty() && numbers[0] >= 0;
      if (ok)
        out.lemmas.push_back({numbers[0], {numbers.begin() + 1, numbers.end()}});
    }
    if (!ok)
      return userError("malformed line " + std::to_string(line) + " of the proof over orders");
  }
  return userError("expected a line 'proof' in the proof over orders, got none");
}

/// A cycle lemma has no more literals; the time that it takes grows with their third power.
static constexpr int64_t mostInCycle = 4096;

/// Whether differences that hold where the literals are false contradict each other.
static bool closesCycle(const OrderFormula &f, const std::vector<int> &literals) {
  std::vector<TimeDifference> hold;
  for (int lit : literals) {
    const TimeDifference &means = f.means[static_cast<size_t>(std::abs(lit))];
    if (means.from == means.to)
      return false;
    hold.push_back(lit < 0 ? means : TimeDifference{means.to, means.from, 1 - means.least});
  }
  size_t n = hold.size();
  auto path = [&](int u, int v) { return f.path[static_cast<size_t>(u * f.times + v)]; };
  std::vector<int64_t> walk(n * n); // from the beginning of one difference to the beginning of another
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) {
      walk[a * n + b] = hold[a].least + path(hold[a].to, hold[b].from);
      if (a == b && walk[a * n + b] > 0)
        return true;
    }
  for (size_t m = 0; m < n; ++m)
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b)
        if (int64_t longer = walk[a * n + m] + walk[m * n + b]; longer > walk[a * n + b]) {
          if (a == b && longer > 0)
            return true;
          walk[a * n + b] = longer;
        }
  return false;
}

static bool exceeds(const OrderFormula::Sum &sum, const std::vector<int> &literals) {
  std::set<int> hold;
  for (int lit : literals)
    hold.insert(-lit);
  int64_t total = 0;
  for (auto [lit, weight] : sum.terms)
    total += hold.count(lit) ? weight : 0;
  return total > sum.bound;
}

Status checkOrders(const Problem &problem, int64_t ii, int64_t stages, const std::string &text, RefutationStats *stats,
                   int64_t visits) {
  Result<OrderProof> proof = parseOrderProof(text);
  if (!proof)
    return proof.error();
  Result<OrderFormula> formula = deriveOrders(problem, ii, stages, proof->exchanges);
  if (!formula)
    return formula.error();
  Cnf &cnf = formula->clauses;
  for (size_t k = 0; k < proof->lemmas.size(); ++k) {
    const auto &[sum, literals] = proof->lemmas[k];
    std::string what = " lemma " + std::to_string(k + 1);
    bool known = sum < static_cast<int>(formula->sums.size());
    for (int lit : literals)
      known &= lit != 0 && std::abs(lit) <= cnf.variables;
    int64_t size = static_cast<int64_t>(literals.size());
    if (sum >= 0)
      visits -= size + (known ? static_cast<int64_t>(formula->sums[static_cast<size_t>(sum)].terms.size()) : 0);
    else
      visits -= size > mostInCycle ? visits + 1 : size * size * (1 + size / 8);
    if (visits < 0)
      return Error(ErrorKind::Limit, "checking the proof takes more steps than it may");
    if (!known || !(sum < 0 ? closesCycle(*formula, literals) : exceeds(formula->sums[sum], literals)))
      return userError((sum < 0 ? "cycle" : "sum") + what + " of the proof does not follow");
    cnf.literals.insert(cnf.literals.end(), literals.begin(), literals.end());
    cnf.literals.push_back(0);
    ++cnf.clauses;
  }
  return checkRefutation(cnf, proof->proof, stats, visits);
}

// With d cycles more in each interval, a time t becomes t + d * floor(t / ii). Two times that are apart stay at least
// as far apart, and k intervals later stays k intervals later: dependences, transfers, stages and depths hold. What is
// taken for a fixed time from a start on is taken within the image of the cycles in which it was taken before, and in
// added cycles only what was taken in the cycle before them is; the same of lives, which end a fixed time after a
// start. So no more is taken at once. Not so of a reservation that begins a while after its start: cycles may be added
// in between, which move others but not it. Starts that are pinned within the first interval do not move.
bool idleCyclesKeepLegal(const Problem &problem, int64_t least) {
  for (const Node &node : problem.nodes) {
    if (node.pinStart >= least)
      return false;
    for (const Reservation &r : node.reservations)
      if (r.start > 0)
        return false;
  }
  return true;
}

} // namespace heddle
