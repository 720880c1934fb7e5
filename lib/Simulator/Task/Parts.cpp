//===- Parts.cpp - see Parts.h -----------------------------------------------===//
#include "Parts.h"

#include "heddle/Simulator/Functional/ErrorBound.h"

#include <numeric>

using namespace heddle::sim;

Tensor::Tensor(TileValue given, bool bounds, bool isDefined)
    : values(std::move(given)), hasErrors(bounds), defined(values.size(), isDefined), written(values.size(), false) {
  if (bounds)
    errors = TileValue::zeros(ElementKind::F64, values.shape);
}

Part Part::whole(std::shared_ptr<Tensor> tensor) {
  Part part;
  for (auto [dim, extent] : llvm::enumerate(tensor->values.shape)) {
    part.coordinates.emplace_back(extent);
    std::iota(part.coordinates.back().begin(), part.coordinates.back().end(), 0);
    part.dims.push_back(dim);
  }
  part.tensor = std::move(tensor);
  return part;
}

llvm::SmallVector<int64_t> Part::shape() const {
  llvm::SmallVector<int64_t> result;
  for (unsigned dim : dims)
    result.push_back(coordinates[dim].size());
  return result;
}

int64_t Part::numElements() const {
  int64_t count = 1;
  for (unsigned dim : dims)
    if (__builtin_mul_overflow(count, static_cast<int64_t>(coordinates[dim].size()), &count))
      return std::numeric_limits<int64_t>::max();
  return count;
}

void Part::take(unsigned dim, const std::vector<int64_t> &places) {
  std::vector<int64_t> &own = coordinates[dims[dim]], now;
  now.reserve(places.size());
  for (int64_t place : places)
    now.push_back(place >= 0 && place < static_cast<int64_t>(own.size()) ? own[place] : outside);
  own = std::move(now);
}

template <typename Fn> void Part::forEach(Fn fn) const {
  int64_t element = 0;
  // Dimensions that the part lacks have one coordinate each.
  auto visit = [&](auto &self, unsigned dim, int64_t position) -> void {
    if (dim == coordinates.size()) {
      fn(element++, position);
      return;
    }
    for (int64_t coordinate : coordinates[dim])
      self(self, dim + 1,
           position == outside || coordinate == outside ? outside : position * tensor->values.shape[dim] + coordinate);
  };
  visit(visit, 0, 0);
}

bool Part::read(TileValue &out) const {
  const TileValue &from = tensor->values;
  out = TileValue::zeros(from.kind, shape());
  bool isDefined = true;
  withStorage(out, from, [&](auto target, auto source) {
    forEach([&](int64_t element, int64_t position) {
      if (position == outside)
        return;
      target[element] = source[position];
      isDefined &= tensor->defined[position];
    });
  });
  if (tensor->hasErrors) {
    TileValue errors = TileValue::zeros(ElementKind::F64, shape());
    llvm::MutableArrayRef<double> target = errors.mutableDoubles();
    forEach([&](int64_t element, int64_t position) {
      if (position != outside)
        target[element] = tensor->errors.doubles()[position];
    });
    out.error = errorRead(errors);
  }
  return isDefined;
}

bool Part::write(const TileValue &value, bool add) {
  TileValue now = value, old, errors;
  bool isDefined = !add || read(old);
  if (add)
    for (int64_t i = 0, count = now.size(); i < count; ++i)
      now.isFloat() ? now.setFloat(i, old.floatAt(i) + value.floatAt(i)) : now.setInt(i, old.intAt(i) + value.intAt(i));
  if (tensor->hasErrors && add) { // in the order of the program: what is there is the sum of all before
    TileValue size = TileValue::zeros(ElementKind::F64, value.shape), count = size;
    errors = errorOfSum(old, value, tensor->values.kind, size, count);
  } else if (tensor->hasErrors) {
    errors = errorOf(value);
  }
  withStorage(tensor->values, now, [&](auto target, auto source) {
    forEach([&](int64_t element, int64_t position) {
      if (position == outside)
        return;
      target[position] = source[element];
      tensor->defined[position] = tensor->written[position] = true;
    });
  });
  if (tensor->hasErrors) {
    llvm::MutableArrayRef<double> target = tensor->errors.mutableDoubles();
    forEach([&](int64_t element, int64_t position) {
      if (position != outside)
        target[position] = errors.floatAt(element);
    });
  }
  return isDefined;
}

void Part::forget() {
  forEach([&](int64_t, int64_t position) {
    if (position != outside)
      tensor->defined[position] = false;
  });
}
