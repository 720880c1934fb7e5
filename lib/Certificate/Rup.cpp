//===- Rup.cpp - Check DRAT proofs by reverse unit propagation ------------===//
//
// What:      see checkRefutation. RAT steps are not supported: a lemma that unit propagation does not confirm is
//            rejected (CaDiCaL's proofs need none).
// Algorithm: forward: add and delete as the proof says, propagating units, until a conflict; then backward: undo step
//            by step, checking each lemma that a later check used (Goldberg and Novikov 2003; Heule et al. 2013). Two
//            watched literals; deleted clauses stay in their watch lists, inactive, so that undoing a deletion needs no
//            work: the trail is then what it was at the deletion.
// Limits:    32-bit clause numbers.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Refutation.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace heddle {
namespace {

class Checker {
public:
  Checker(const Cnf &cnf, int64_t visits) : visitsLeft(visits) { reserve(cnf.variables); }

  Status run(const Cnf &cnf, const std::string &proof, RefutationStats *stats);

private:
  struct Clause {
    size_t begin;
    int size;
    bool active = true, core = false;
  };
  struct Watch {
    int clause, blocker;
  };
  struct Step {
    int clause;
    bool add;
  };

  static size_t index(int lit) { return lit > 0 ? 2 * static_cast<size_t>(lit) : 2 * static_cast<size_t>(-lit) + 1; }
  int value(int lit) const { return lit > 0 ? values[lit] : -values[-lit]; }
  int *lits(const Clause &c) { return data.data() + c.begin; }

  void reserve(int variables) {
    if (static_cast<size_t>(variables) < values.size())
      return;
    size_t n = static_cast<size_t>(variables) + 1;
    values.resize(n, 0);
    reason.resize(n, -1);
    position.resize(n, 0);
    seen.resize(n, 0);
    rootMarked.resize(n, 0);
    watches.resize(2 * n);
  }
  void assign(int lit, int why) {
    int var = std::abs(lit);
    values[var] = lit > 0 ? 1 : -1;
    reason[var] = why;
    position[var] = trail.size();
    trail.push_back(lit);
  }
  void backtrack(size_t size) {
    while (trail.size() > size) {
      int var = std::abs(trail.back());
      values[var] = 0;
      reason[var] = -1;
      rootMarked[var] = 0;
      trail.pop_back();
    }
    head = std::min(head, size);
  }
  static Error tooLong() { return Error(ErrorKind::Limit, "checking the proof takes more steps than it may"); }
  int addClause(const int *begin, int size);
  bool activate(int id);
  int propagate();
  void mark(int conflict, size_t root);
  bool confirm(int id);
  static uint64_t hash(const int *begin, int size);
  int findClause(const std::vector<int> &sorted);
  Status parse(const std::string &proof, std::vector<std::pair<bool, std::vector<int>>> &out) const;

  std::vector<int> data;
  std::vector<Clause> clauses;
  std::vector<std::vector<Watch>> watches;
  std::vector<signed char> values, seen, rootMarked;
  std::vector<int> reason;
  std::vector<size_t> position;
  std::vector<int> trail;
  size_t head = 0;
  std::unordered_multimap<uint64_t, int> byHash;
  RefutationStats counts;
  int64_t visitsLeft; ///< watched clauses that may still be looked at
};

/// Stores a clause (without duplicate literals); tautologies get size -1 and are never watched.
int Checker::addClause(const int *begin, int size) {
  std::vector<int> sorted(begin, begin + size);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  int id = static_cast<int>(clauses.size());
  clauses.push_back({data.size(), static_cast<int>(sorted.size())});
  data.insert(data.end(), sorted.begin(), sorted.end());
  byHash.emplace(hash(sorted.data(), static_cast<int>(sorted.size())), id);
  for (int lit : sorted)
    reserve(std::abs(lit));
  return id;
}

uint64_t Checker::hash(const int *begin, int size) {
  uint64_t sum = 0, product = 1, bits = 0; // order does not matter: clauses are permuted by the watches
  for (int i = 0; i < size; ++i) {
    uint64_t x = static_cast<uint64_t>(static_cast<int64_t>(begin[i])) * 0x9e3779b97f4a7c15ull;
    sum += x;
    product *= (x | 1);
    bits ^= x >> 7;
  }
  return sum ^ product ^ bits;
}

int Checker::findClause(const std::vector<int> &wanted) {
  auto [first, last] = byHash.equal_range(hash(wanted.data(), static_cast<int>(wanted.size())));
  for (auto it = first; it != last; ++it) {
    Clause &c = clauses[it->second];
    if (!c.active || c.size != static_cast<int>(wanted.size()))
      continue;
    std::vector<int> sorted(lits(c), lits(c) + c.size);
    std::sort(sorted.begin(), sorted.end());
    if (sorted == wanted)
      return it->second;
  }
  return -1;
}

/// Watches the clause and assigns its literal when it is unit. False when it is falsified.
bool Checker::activate(int id) {
  Clause &c = clauses[id];
  int *l = lits(c);
  // The two best literals first: true or unassigned, then the latest assigned.
  auto rank = [&](int lit) { return value(lit) >= 0 ? SIZE_MAX : position[std::abs(lit)]; };
  for (int k = 0; k < 2 && k < c.size; ++k)
    for (int i = k + 1; i < c.size; ++i)
      if (rank(l[i]) > rank(l[k]))
        std::swap(l[i], l[k]);
  if (c.size >= 2) {
    watches[index(l[0])].push_back({id, l[1]});
    watches[index(l[1])].push_back({id, l[0]});
  }
  if (c.size == 0 || value(l[0]) < 0)
    return false;
  if ((c.size == 1 || value(l[1]) < 0) && value(l[0]) == 0)
    assign(l[0], id);
  return true;
}

/// Propagates to a fixpoint; the falsified clause or -1.
int Checker::propagate() {
  while (head < trail.size()) {
    int falseLit = -trail[head++];
    std::vector<Watch> &list = watches[index(falseLit)];
    visitsLeft -= static_cast<int64_t>(list.size());
    size_t kept = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      Watch w = list[i];
      Clause &c = clauses[w.clause];
      if (!c.active || value(w.blocker) > 0) {
        list[kept++] = w;
        continue;
      }
      int *l = lits(c);
      if (l[0] == falseLit)
        std::swap(l[0], l[1]);
      if (value(l[0]) > 0) {
        list[kept++] = {w.clause, l[0]};
        continue;
      }
      int k = 2;
      while (k < c.size && value(l[k]) < 0)
        ++k;
      if (k < c.size) {
        std::swap(l[1], l[k]);
        watches[index(l[1])].push_back({w.clause, l[0]});
        continue;
      }
      list[kept++] = w;
      if (value(l[0]) < 0) {
        for (++i; i < list.size(); ++i)
          list[kept++] = list[i];
        list.resize(kept);
        return w.clause;
      }
      assign(l[0], w.clause);
    }
    list.resize(kept);
  }
  return -1;
}

/// Marks all clauses a conflict depends on. Literals below `root` are marked once and remembered.
void Checker::mark(int conflict, size_t root) {
  std::vector<int> stack{conflict}, touched;
  while (!stack.empty()) {
    Clause &c = clauses[stack.back()];
    stack.pop_back();
    c.core = true;
    for (int i = 0; i < c.size; ++i) {
      int var = std::abs(lits(c)[i]);
      if (seen[var] || rootMarked[var] || values[var] == 0)
        continue;
      if (position[var] < root) {
        rootMarked[var] = 1;
      } else {
        seen[var] = 1;
        touched.push_back(var);
      }
      if (reason[var] >= 0)
        stack.push_back(reason[var]);
    }
  }
  for (int var : touched)
    seen[var] = 0;
}

/// Reverse unit propagation of a clause that is not active itself.
bool Checker::confirm(int id) {
  size_t root = trail.size();
  Clause &c = clauses[id];
  int conflict = -1;
  for (int i = 0; i < c.size && conflict < 0; ++i) {
    int lit = lits(c)[i];
    if (value(lit) < 0)
      continue;
    if (value(lit) > 0) { // implied already: its reason together with the assumption is the conflict
      int why = reason[std::abs(lit)];
      if (why < 0) { // the negation of this very clause contains both: a tautology
        backtrack(root);
        return true;
      }
      conflict = why;
      break;
    }
    assign(-lit, -1);
  }
  if (conflict < 0)
    conflict = propagate();
  if (conflict >= 0)
    mark(conflict, root);
  backtrack(root);
  return conflict >= 0;
}

Status Checker::parse(const std::string &proof, std::vector<std::pair<bool, std::vector<int>>> &out) const {
  auto bad = [](size_t at) { return userError("malformed proof at byte " + std::to_string(at)); };
  int64_t most = static_cast<int64_t>(values.size()) - 1; // only RAT steps need variables that the formula lacks
  // Binary DRAT starts every step with 'a' or 'd' and contains non-text bytes; text holds digits, blanks and 'd'.
  bool binary = !proof.empty() && proof[0] == 'a';
  for (size_t i = 0; !binary && i < std::min<size_t>(proof.size(), 64); ++i)
    binary =
        !(std::isdigit(static_cast<unsigned char>(proof[i])) || std::strchr(" \n\r\t-d", proof[i])) || proof[i] == 0;
  size_t i = 0;
  if (binary) {
    while (i < proof.size()) {
      char kind = proof[i++];
      if (kind != 'a' && kind != 'd')
        return bad(i - 1);
      std::vector<int> clause;
      for (;;) {
        uint64_t x = 0;
        int shift = 0;
        for (;; shift += 7) {
          if (i >= proof.size() || shift > 35)
            return bad(i);
          unsigned char byte = static_cast<unsigned char>(proof[i++]);
          x |= static_cast<uint64_t>(byte & 127) << shift;
          if (!(byte & 128))
            break;
        }
        if (x == 0)
          break;
        if (x < 2 || static_cast<int64_t>(x >> 1) > most)
          return bad(i);
        clause.push_back(x & 1 ? -static_cast<int>(x >> 1) : static_cast<int>(x >> 1));
      }
      out.push_back({kind == 'a', std::move(clause)});
    }
    return Status::success();
  }
  while (i < proof.size()) {
    while (i < proof.size() && std::isspace(static_cast<unsigned char>(proof[i])))
      ++i;
    if (i == proof.size())
      break;
    bool add = proof[i] != 'd';
    i += !add;
    std::vector<int> clause;
    for (;;) {
      while (i < proof.size() && std::isspace(static_cast<unsigned char>(proof[i])))
        ++i;
      bool negative = i < proof.size() && proof[i] == '-';
      i += negative;
      if (i >= proof.size() || !std::isdigit(static_cast<unsigned char>(proof[i])))
        return bad(i);
      int64_t x = 0;
      for (; i < proof.size() && std::isdigit(static_cast<unsigned char>(proof[i])); ++i)
        if (x = x * 10 + (proof[i] - '0'); x > most)
          return bad(i);
      if (x == 0)
        break;
      clause.push_back(static_cast<int>(negative ? -x : x));
    }
    out.push_back({add, std::move(clause)});
  }
  return Status::success();
}

Status Checker::run(const Cnf &cnf, const std::string &proof, RefutationStats *stats) {
  std::vector<std::pair<bool, std::vector<int>>> script;
  if (Status status = parse(proof, script); !status)
    return status;
  bool refuted = false;
  int conflict = -1;
  for (size_t i = 0, begin = 0; i < cnf.literals.size() && !refuted; ++i) {
    if (cnf.literals[i] != 0)
      continue;
    int id = addClause(cnf.literals.data() + begin, static_cast<int>(i - begin));
    begin = i + 1;
    if (!activate(id))
      refuted = true;
  }
  if (refuted || propagate() >= 0)
    return Status::success(); // the formula refutes itself
  std::vector<Step> steps;
  for (auto &[add, clause] : script) {
    std::sort(clause.begin(), clause.end());
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    if (add) {
      int id = addClause(clause.data(), static_cast<int>(clause.size()));
      steps.push_back({id, true});
      ++counts.lemmas;
      if (visitsLeft < 0)
        return tooLong();
      if (!activate(id))
        conflict = id;
      else
        conflict = propagate();
      if (conflict >= 0)
        break;
    } else {
      int id = findClause(clause);
      if (id < 0)
        continue; // deletes what is not there: harmless
      bool isReason = clauses[id].size < 2;
      for (int i = 0; i < clauses[id].size && !isReason; ++i)
        isReason = reason[std::abs(lits(clauses[id])[i])] == id;
      if (isReason)
        continue;
      clauses[id].active = false;
      steps.push_back({id, false});
    }
  }
  if (conflict < 0)
    return userError("the proof ends without deriving the empty clause");
  mark(conflict, trail.size());
  for (size_t k = steps.size(); k-- > 0;) {
    Clause &c = clauses[steps[k].clause];
    if (!steps[k].add) {
      c.active = true;
      continue;
    }
    c.active = false;
    for (int i = 0; i < c.size; ++i) {
      int var = std::abs(lits(c)[i]);
      if (values[var] != 0 && reason[var] == steps[k].clause) {
        backtrack(position[var]);
        break;
      }
    }
    head = trail.size();
    if (!c.core)
      continue;
    if (visitsLeft < 0)
      return tooLong();
    ++counts.checked;
    if (!confirm(steps[k].clause))
      return userError("lemma " + std::to_string(k + 1) + " of the proof does not follow by unit propagation");
  }
  if (stats)
    *stats = counts;
  return Status::success();
}

} // namespace

std::string Cnf::dimacs() const {
  std::string out = "p cnf " + std::to_string(variables) + " " + std::to_string(clauses) + "\n";
  for (int lit : literals) {
    out += std::to_string(lit);
    out += lit ? ' ' : '\n';
  }
  return out;
}

Status checkRefutation(const Cnf &cnf, const std::string &proof, RefutationStats *stats, int64_t visits) {
  for (int lit : cnf.literals)
    if (std::abs(lit) > cnf.variables)
      return Error(ErrorKind::Internal, "literal out of range in the derived formula");
  return Checker(cnf, visits).run(cnf, proof, stats);
}

} // namespace heddle
