//===- TensorSource.cpp - where the values of a tensor come from -----------------------------===//
#include "heddle_runtime/TensorSource.h"

#include "heddle_runtime/Manifest.h"

#include <cmath>
#include <cstdlib>

namespace heddle::runtime {
namespace {

constexpr const char *kSources = "a .npy file, zeros, ones, const(X), arange(START, STEP), uniform(LOW, HIGH), "
                                 "normal(MEAN, DEVIATION) or integers(LOW, HIGH)";

/// A rule, how many numbers it takes, and what it takes without any.
struct Rule {
  const char *name;
  size_t numbers;
  std::vector<double> byDefault;
};

const Rule *findRule(const std::string &name) {
  static const Rule rules[] = {
      {"zeros", 0, {}},           {"ones", 0, {}},           {"const", 1, {}},   {"arange", 2, {0.0, 1.0}},
      {"uniform", 2, {0.0, 1.0}}, {"normal", 2, {0.0, 1.0}}, {"integers", 2, {}}};
  for (const Rule &rule : rules)
    if (name == rule.name)
      return &rule;
  return nullptr;
}

/// "1, 2.5" -> {1, 2.5}.
Result<std::vector<double>> parseNumbers(const std::string &rule, const std::string &text) {
  std::vector<double> numbers;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    char *end = nullptr;
    numbers.push_back(std::strtod(part.c_str(), &end));
    while (*end == ' ')
      ++end;
    if (end == part.c_str() || *end)
      return userError(rule + ": expected a number, got '" + part + "'");
    at = comma + 1;
  }
  return numbers;
}

bool isWhole(double x) { return x == std::floor(x) && std::fabs(x) < 0x1p53; }

} // namespace

Result<TensorSource> TensorSource::parse(const std::string &text) {
  TensorSource source;
  source.text = text;
  const size_t open = text.find('(');
  const Rule *rule = findRule(text.substr(0, open));
  if (!rule || (open != std::string::npos && text.back() != ')')) {
    if (text.size() <= 4 || text.compare(text.size() - 4, 4, ".npy") != 0)
      return userError(std::string("expected ") + kSources + ", got '" + text + "'");
    Result<NpyArray> array = readNpy(text);
    if (!array)
      return array.error();
    source.array = std::move(*array);
    return source;
  }
  source.rule = rule->name;
  source.numbers = rule->byDefault;
  if (open != std::string::npos) {
    Result<std::vector<double>> numbers = parseNumbers(rule->name, text.substr(open + 1, text.size() - open - 2));
    if (!numbers)
      return numbers.error();
    source.numbers = *numbers;
  }
  if (source.numbers.size() != rule->numbers)
    return userError(source.rule + ": expected " + std::to_string(rule->numbers) + " numbers, got " +
                     std::to_string(source.numbers.size()));
  const bool range = source.rule == "uniform" || source.rule == "integers";
  if (range && !(source.numbers[0] < source.numbers[1]))
    return userError(text + ": expected the lower end below the upper one, which is excluded");
  if (source.rule == "integers" && !(isWhole(source.numbers[0]) && isWhole(source.numbers[1])))
    return userError(text + ": expected whole numbers below 2^53");
  return source;
}

Result<HostTensor> TensorSource::make(const std::string &elem, const std::vector<int64_t> &shape, uint64_t seed) const {
  if (elementBytes(elem) == 0)
    return userError(text + ": expected a view of elements that a launch knows (docs/Manifest.md), got " + elem);
  if (array)
    return fromNpy(*array, elem, text);
  HostTensor tensor(elem, shape);
  const double a = numbers.empty() ? rule == "ones" : numbers[0], b = numbers.size() < 2 ? 0.0 : numbers[1];
  const bool fractions = rule == "uniform" || rule == "normal" || !isWhole(a) || !isWhole(b);
  double least = a, most = a;
  if (rule == "arange")
    most = a + b * static_cast<double>(tensor.size() - 1);
  else if (rule == "integers")
    most = b - 1;
  if (tensor.isWhole()) {
    if (fractions)
      return userError(text + ": expected whole numbers for a view of " + elem);
    for (double end : {least, most})
      if (!tensor.holds(end))
        return userError(text + ": expected values that " + elem + " holds, got " + std::to_string(end));
  }
  if (rule == "uniform")
    tensor.fillUniform(seed, a, b);
  else if (rule == "normal")
    tensor.fillNormal(seed, a, b);
  else if (rule == "integers")
    tensor.fillIntegers(seed, static_cast<int64_t>(a), static_cast<int64_t>(b));
  else
    for (int64_t i = 0, n = tensor.size(); i < n; ++i)
      tensor.set(i, rule == "arange" ? a + b * static_cast<double>(i) : a);
  return tensor;
}

Result<std::pair<std::string, std::string>> splitBinding(const std::string &option, const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return userError(option + ": expected NAME=VALUE, got '" + text + "'");
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

} // namespace heddle::runtime
