//===- LinearFormula.cpp - Linear constraints as SMT-LIB, OPB and LP text -===//
//
// What:      see LinearFormula.h. Rows keep their order; every file begins with the meaning of its variables.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Export/LinearFormula.h"

#include <algorithm>
#include <charconv>
#include <string_view>

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

/// A text that is written from front to back: formulas have millions of short pieces.
struct Text {
  std::string out;

  Text &operator<<(std::string_view piece) {
    out.append(piece);
    return *this;
  }
  Text &operator<<(int64_t value) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return *this;
  }
};

void smtNumber(Text &text, int64_t value) {
  if (value < 0)
    text << "(- " << -value << ")";
  else
    text << value;
}

/// The bound of a row as "sum >= bound": a clause counts its negated literals.
int64_t leastSum(const LinearRow &row) {
  if (!row.clause)
    return -row.bound;
  return 1 - std::count_if(row.terms.begin(), row.terms.end(), [](const LinearTerm &t) { return t.weight < 0; });
}
int64_t weightThere(const LinearRow &row, const LinearTerm &term) { return row.clause ? term.weight : -term.weight; }

} // namespace

std::string writeSmt2(const LinearFormula &f) {
  Text text;
  text << preamble(f, ";", false) << "(set-logic QF_LIA)\n";
  std::vector<std::string> names(static_cast<size_t>(f.variables) + 1);
  for (const LinearFormula::Family &family : f.families)
    for (int k = 0; k < family.count; ++k) {
      std::string &name = names[static_cast<size_t>(family.first + k)];
      name = family.name + "_" + std::to_string(k);
      text << "(declare-fun " << name << " () Bool)\n";
    }
  size_t next = 0;
  for (size_t r = 0; r < f.rows.size(); ++r) {
    const LinearRow &row = f.rows[r];
    bool several = row.terms.size() > 1;
    text << heading(f, r, next, ";") << "(assert " << (row.clause ? "" : "(<= ");
    if (row.terms.empty())
      text << (row.clause ? "false" : "0");
    else if (several)
      text << (row.clause ? "(or" : "(+");
    for (const LinearTerm &term : row.terms) {
      const std::string &name = names[static_cast<size_t>(term.variable)];
      text << (several ? " " : "");
      if (!row.clause) {
        text << "(ite " << name << " ";
        smtNumber(text, term.weight);
        text << " 0)";
      } else if (term.weight < 0) {
        text << "(not " << name << ")";
      } else {
        text << name;
      }
    }
    text << (several ? ")" : "");
    if (!row.clause) {
      text << " ";
      smtNumber(text, row.bound);
      text << ")";
    }
    text << ")\n";
  }
  text << "(check-sat)\n";
  return std::move(text.out);
}

std::string writeOpb(const LinearFormula &f) {
  Text text;
  text << "* #variable= " << std::max(1, f.variables) << " #constraint= " << static_cast<int64_t>(f.rows.size()) << "\n"
       << preamble(f, "*", true);
  size_t next = 0;
  for (size_t r = 0; r < f.rows.size(); ++r) {
    const LinearRow &row = f.rows[r];
    text << heading(f, r, next, "*");
    for (const LinearTerm &term : row.terms) {
      int64_t weight = weightThere(row, term);
      text << (weight < 0 ? "" : "+") << weight << " x" << term.variable << " ";
    }
    text << (row.terms.empty() ? "+0 x1 " : "") << ">= " << leastSum(row) << " ;\n";
  }
  return std::move(text.out);
}

std::string writeLp(const LinearFormula &f) {
  Text text;
  text << preamble(f, "\\", true) << "Minimize\n obj: 0 x1\nSubject To\n";
  size_t next = 0;
  for (size_t r = 0; r < f.rows.size(); ++r) {
    const LinearRow &row = f.rows[r];
    text << heading(f, r, next, "\\");
    size_t line = text.out.size();
    text << " r" << static_cast<int64_t>(r + 1) << ":" << (row.terms.empty() ? " 0 x1" : "");
    for (const LinearTerm &term : row.terms) {
      int64_t weight = weightThere(row, term);
      text << (weight < 0 ? " - " : " + ") << std::abs(weight) << " x" << term.variable;
      if (text.out.size() - line > 160) {
        text << "\n";
        line = text.out.size();
        text << " ";
      }
    }
    text << " >= " << leastSum(row) << "\n";
  }
  text << "Binary\n";
  for (int v = 1; v <= std::max(1, f.variables); ++v)
    text << " x" << v << "\n";
  text << "End\n";
  return std::move(text.out);
}

} // namespace heddle
