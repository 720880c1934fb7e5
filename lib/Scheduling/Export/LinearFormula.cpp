//===- LinearFormula.cpp - Linear constraints as SMT-LIB, OPB and LP text -===//
//
// What:      see LinearFormula.h. Rows keep their order; every file begins with the meaning of its variables.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Export/LinearFormula.h"

#include <algorithm>

namespace heddle {
namespace {

/// Names come from the user: control characters must not end a comment.
std::string oneLine(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < ' ')
      c = ' ';
  return text;
}

/// "PREFIX title", then one line a family.
std::string preamble(const LinearFormula &f, const std::string &prefix, bool numbered) {
  std::string out = prefix + " " + oneLine(f.title) + "\n";
  for (const LinearFormula::Family &family : f.families) {
    std::string names = family.name + "_0 ... " + family.name + "_" + std::to_string(family.count - 1);
    if (numbered)
      names = "x" + std::to_string(family.first) + " ... x" + std::to_string(family.first + family.count - 1);
    out += prefix + " " + names + ": " + oneLine(family.meaning) + "\n";
  }
  return out;
}

/// Heading of row `row`, if one starts there; `next` walks the headings.
std::string heading(const LinearFormula &f, size_t row, size_t &next, const std::string &prefix) {
  std::string out;
  for (; next < f.headings.size() && f.headings[next].first <= row; ++next)
    out += prefix + " " + oneLine(f.headings[next].second) + "\n";
  return out;
}

std::string smtNumber(int64_t value) {
  return value < 0 ? "(- " + std::to_string(-value) + ")" : std::to_string(value);
}

/// The row as "sum >= bound": a clause counts its negated literals.
LinearRow atLeast(const LinearRow &row) {
  LinearRow out = row;
  out.bound = row.clause ? 1 : -row.bound;
  for (LinearTerm &term : out.terms) {
    if (row.clause)
      out.bound -= term.weight < 0;
    else
      term.weight = -term.weight;
  }
  return out;
}

} // namespace

std::string writeSmt2(const LinearFormula &f) {
  std::string out = preamble(f, ";", false) + "(set-logic QF_LIA)\n";
  std::vector<std::string> names(static_cast<size_t>(f.variables) + 1);
  for (const LinearFormula::Family &family : f.families)
    for (int k = 0; k < family.count; ++k) {
      std::string &name = names[static_cast<size_t>(family.first + k)];
      name = family.name + "_" + std::to_string(k);
      out += "(declare-fun " + name + " () Bool)\n";
    }
  size_t next = 0;
  for (size_t r = 0; r < f.rows.size(); ++r) {
    const LinearRow &row = f.rows[r];
    out += heading(f, r, next, ";") + "(assert ";
    std::string sum;
    for (const LinearTerm &term : row.terms) {
      const std::string &name = names[static_cast<size_t>(term.variable)];
      sum += row.clause ? (term.weight < 0 ? " (not " + name + ")" : " " + name)
                        : " (ite " + name + " " + smtNumber(term.weight) + " 0)";
    }
    const char *join = row.clause ? "(or" : "(+";
    std::string joined = row.terms.empty()       ? (row.clause ? "false" : "0")
                         : row.terms.size() == 1 ? sum.substr(1)
                                                 : join + sum + ")";
    out += row.clause ? joined + ")\n" : "(<= " + joined + " " + smtNumber(row.bound) + "))\n";
  }
  return out + "(check-sat)\n";
}

std::string writeOpb(const LinearFormula &f) {
  int variables = std::max(1, f.variables);
  std::string out = "* #variable= " + std::to_string(variables) + " #constraint= " + std::to_string(f.rows.size()) +
                    "\n" + preamble(f, "*", true);
  size_t next = 0;
  for (size_t r = 0; r < f.rows.size(); ++r) {
    LinearRow row = atLeast(f.rows[r]);
    out += heading(f, r, next, "*");
    for (const LinearTerm &term : row.terms)
      out += (term.weight < 0 ? "" : "+") + std::to_string(term.weight) + " x" + std::to_string(term.variable) + " ";
    out += (row.terms.empty() ? "+0 x1 " : "") + std::string(">= ") + std::to_string(row.bound) + " ;\n";
  }
  return out;
}

std::string writeLp(const LinearFormula &f) {
  std::string out = preamble(f, "\\", true) + "Minimize\n obj: 0 x1\nSubject To\n";
  size_t next = 0;
  for (size_t r = 0; r < f.rows.size(); ++r) {
    LinearRow row = atLeast(f.rows[r]);
    out += heading(f, r, next, "\\");
    std::string line = " r" + std::to_string(r + 1) + ":";
    if (row.terms.empty())
      line += " 0 x1";
    for (const LinearTerm &term : row.terms) {
      line += (term.weight < 0 ? " - " : " + ") + std::to_string(std::abs(term.weight)) + " x" +
              std::to_string(term.variable);
      if (line.size() > 160) {
        out += line + "\n";
        line = " ";
      }
    }
    out += line + " >= " + std::to_string(row.bound) + "\n";
  }
  out += "Binary\n";
  for (int v = 1; v <= std::max(1, f.variables); ++v)
    out += " x" + std::to_string(v) + "\n";
  return out + "End\n";
}

} // namespace heddle
