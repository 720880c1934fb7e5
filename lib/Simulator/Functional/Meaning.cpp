//===- Meaning.cpp - A kernel's result beside its sequential meaning ------===//
#include "heddle/Simulator/Functional/Meaning.h"

#include "heddle/Dialect/Tile/Tile.h"

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

FailureOr<Meaning> heddle::sim::meaningOf(tile::KernelOp kernel, const Bindings &bound) {
  Meaning meaning{bound, bound.widened()};
  meaning.exact.startBounds();
  EvaluateOptions wide;
  wide.wide = wide.bounds = true;
  if (failed(runTileKernel(kernel, meaning.reference)) || failed(runTileKernel(kernel, meaning.exact, wide)))
    return failure();
  return meaning;
}

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

static std::string placeOf(const HostTensor &tensor, int64_t element) {
  std::string text;
  for (size_t d = tensor.sizes().size(); d-- > 0;) {
    text = std::to_string(element % tensor.sizes()[d]) + (text.empty() ? "" : ", ") + text;
    element /= tensor.sizes()[d];
  }
  return "'" + tensor.name() + "'[" + text + "]";
}

namespace {
/// What is as near to the sequential meaning as this part of it is not so by chance.
constexpr double nearness = 64;

/// One tensor that the kernel may write.
struct TensorComparison {
  const HostTensor &got, &reference, &exact, *bound; ///< bound: null for what the kernel only reads
  Comparison &out;

  double boundAt(int64_t i) const { return bound ? bound->floatAt(bound->positionOf(i)) : -1.0; }

  void fail(const std::string &text) {
    if (out.first.empty())
      out.first = text;
  }

  /// Root mean square of the finite elements that are written: the size of a typical one.
  double typicalSize() const {
    double squares = 0;
    int64_t count = 0;
    for (int64_t i = 0, n = exact.numElements(); i < n; ++i)
      if (double value = exact.floatAt(exact.positionOf(i)); boundAt(i) >= 0 && std::isfinite(value)) {
        squares += value * value;
        ++count;
      }
    return count ? std::sqrt(squares / static_cast<double>(count)) : 0.0;
  }

  /// Whether an element is right; sets whether it tells anything, and whether only what it is does.
  bool isRight(int64_t i, double limit, double typical, bool &tells, bool &byItself) {
    int64_t at = got.positionOf(i);
    double g = got.floatAt(at), r = reference.floatAt(at), x = exact.floatAt(exact.positionOf(i));
    bool byBound = std::isfinite(r) && limit <= std::max(std::fabs(x), typical) / 2;
    byItself = !byBound && std::isfinite(r) && r != 0 && std::fabs(g - r) <= std::fabs(r) / nearness;
    tells = byBound || byItself;
    if (g != g || r != r)
      return g != g && r != r;
    if (std::isinf(r))
      return g == r || std::isinf(limit);
    if (!isFloatKind(got.kind()) && limit < 1)
      return got.intAt(at) == reference.intAt(at);
    double off = std::fabs(g - x);
    if (limit > 0 && off <= limit && std::isfinite(limit))
      out.used = std::max(out.used, off / limit);
    // Roundings that depend on each other (sums of equal numbers) go beyond a bound that takes them for independent
    // ones; then the sequential meaning, which has the program's own types, does so as well.
    return off <= limit + std::fabs(r - x);
  }

  void run() {
    int64_t size = elementBytes(got.kind());
    double typical = typicalSize();
    std::vector<bool> written(got.bytes().size() / size, false);
    int64_t before = out.written;
    bool zero = true;
    for (int64_t i = 0, n = got.numElements(); i < n; ++i) {
      double limit = boundAt(i);
      if (limit < 0)
        continue;
      int64_t at = got.positionOf(i);
      written[at] = true;
      zero &= reference.floatAt(at) == 0;
      bool tells = false, byItself = false, right = isRight(i, limit, typical, tells, byItself);
      ++out.written;
      out.near += right && byItself;
      out.wrong += !right;
      out.silent += right && !tells;
      if (!right)
        fail(placeOf(got, i) + ": expected " + number(reference.floatAt(at)) +
             (limit > 0 ? " within " + number(limit) : "") + ", got " + number(got.floatAt(at)));
    }
    if (zero && out.written > before)
      out.zeros.push_back(got.name());
    auto unchanged = [&](int64_t at) {
      return written[at] || std::memcmp(&got.bytes()[at * size], &reference.bytes()[at * size], size) == 0;
    };
    for (int64_t i = 0, n = got.numElements(); i < n; ++i) {
      int64_t at = got.positionOf(i);
      if (!unchanged(at)) {
        ++out.changed;
        fail(placeOf(got, i) + ": expected no write, got " + number(got.floatAt(at)));
      }
      written[at] = true;
    }
    for (int64_t at = 0, n = written.size(); at < n; ++at)
      if (!unchanged(at)) {
        ++out.changed;
        fail("'" + got.name() + "': expected no write to the padding of its rows, got one");
      }
  }
};
} // namespace

Comparison heddle::sim::compareWith(const Meaning &meaning, const Bindings &got) {
  Comparison result;
  for (size_t i = 0; i < got.tensors.size(); ++i) {
    const HostTensor &bound = meaning.exact.bounds[i];
    TensorComparison{got.tensors[i], meaning.reference.tensors[i], meaning.exact.tensors[i],
                     bound.sizes().empty() ? nullptr : &bound, result}
        .run();
  }
  return result;
}

std::string Comparison::str() const {
  if (isWrong())
    return "wrong result: " + std::to_string(wrong) + " of " + std::to_string(written) + " elements differ" +
           (changed ? ", " + std::to_string(changed) + " that the program does not write are changed" : "") +
           "; first " + first;
  if (written == 0)
    return "nothing proved: the program writes no element";
  if (provesNothing())
    return "nothing proved: " + std::to_string(silent) + " of " + std::to_string(written) +
           " elements are not finite or smaller than their rounding errors with these inputs (others: --seed, --input)";
  return "";
}
