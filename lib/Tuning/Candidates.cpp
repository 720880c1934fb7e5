//===- Candidates.cpp - what the tuner may choose --------------------------===//
#include "heddle/Tuning/Candidates.h"

namespace heddle {

std::string planOf(const Candidate &candidate, const std::vector<Axis> &axes) {
  std::string parameters, others;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (candidate[i].empty())
      continue;
    bool isParameter = !axes[i].parameter.empty();
    std::string &text = isParameter ? parameters : others;
    text += (text.empty() ? "" : ", ") + (isParameter ? axes[i].parameter : axes[i].key) + " = " + candidate[i];
  }
  std::string text = parameters.empty() ? "" : "parameters = {" + parameters + "}";
  return "{" + text + (text.empty() || others.empty() ? "" : ", ") + others + "}";
}

/// Every combination of the values of the axes that `varies`, the others as in `base`; that one comes first.
static std::vector<Candidate> combine(const Candidate &base, const std::vector<Axis> &axes, bool shapes) {
  std::vector<Candidate> all = {base};
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].isShape != shapes)
      continue;
    size_t known = all.size();
    for (const std::string &value : axes[i].values)
      for (size_t c = 0; c < known; ++c)
        if (value != base[i]) {
          all.push_back(all[c]);
          all.back()[i] = value;
        }
  }
  return all;
}

Candidate shapeOf(const Candidate &candidate, const std::vector<Axis> &axes) {
  Candidate shape;
  for (size_t i = 0; i < candidate.size(); ++i)
    if (axes[i].isShape)
      shape.push_back(candidate[i]);
  return shape;
}

std::vector<Candidate> shapesOf(const std::vector<Axis> &axes) {
  Candidate first;
  for (const Axis &axis : axes)
    first.push_back(axis.values.empty() ? "" : axis.values.front());
  return combine(first, axes, /*shapes=*/true);
}

std::vector<Candidate> ordersOf(const Candidate &candidate, const std::vector<Axis> &axes) {
  std::vector<Candidate> all = combine(candidate, axes, /*shapes=*/false);
  all.erase(all.begin());
  return all;
}

} // namespace heddle
