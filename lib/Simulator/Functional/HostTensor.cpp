//===- HostTensor.cpp - A tensor of the simulated global memory -----------===//
#include "heddle/Simulator/Functional/HostTensor.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

using namespace heddle::sim;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

Random::Random(uint64_t seed) {
  // splitmix64 spreads small seeds and never gives the all-zero state.
  uint64_t z = seed + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  state = (z ^ (z >> 31)) | 1;
}

uint64_t Random::next() {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1d;
}

double Random::uniform() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

double Random::normal() {
  double radius = std::sqrt(-2.0 * std::log(uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

HostTensor::HostTensor(std::string name, ElementKind kind, ArrayRef<int64_t> sizes)
    : tensorName(std::move(name)), elementKind(kind), extents(sizes.begin(), sizes.end()) {
  int64_t pitch = 16 / elementBytes(kind);
  steps.resize(extents.size());
  int64_t count = 1;
  for (size_t d = extents.size(); d-- > 0;) {
    steps[d] = count;
    count *= extents[d];
    if (d + 1 == extents.size())
      count = (count + pitch - 1) / pitch * pitch;
  }
  allocate(count);
}

HostTensor::HostTensor(std::string name, ElementKind kind, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides)
    : tensorName(std::move(name)), elementKind(kind), extents(sizes.begin(), sizes.end()),
      steps(strides.begin(), strides.end()), hasGivenStrides(true) {
  int64_t last = 0;
  for (size_t d = 0; d < extents.size(); ++d)
    last += std::max<int64_t>(extents[d] - 1, 0) * steps[d];
  allocate(numElements() ? last + 1 : 0);
}

void HostTensor::allocate(int64_t count) {
  data.resize(count * elementBytes(elementKind));
  fillPoison();
  fillZero();
}

HostTensor HostTensor::alike(ElementKind other) const {
  return hasGivenStrides ? HostTensor(tensorName, other, extents, steps) : HostTensor(tensorName, other, extents);
}

int64_t HostTensor::numElements() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

int64_t HostTensor::positionOf(int64_t i) const {
  int64_t position = 0;
  for (size_t d = extents.size(); d-- > 0;) {
    position += i % extents[d] * steps[d];
    i /= extents[d];
  }
  return position;
}

template <typename T> static T readAt(const std::vector<uint8_t> &data, int64_t position) {
  T value;
  std::memcpy(&value, data.data() + position * sizeof(T), sizeof(T));
  return value;
}
template <typename T> static void writeAt(std::vector<uint8_t> &data, int64_t position, T value) {
  std::memcpy(data.data() + position * sizeof(T), &value, sizeof(T));
}

double HostTensor::floatAt(int64_t position) const {
  switch (elementKind) {
  case ElementKind::F64: return readAt<double>(data, position);
  case ElementKind::F32: return readAt<float>(data, position);
  case ElementKind::F16: return decodeF16(readAt<uint16_t>(data, position));
  case ElementKind::BF16: return decodeBF16(readAt<uint16_t>(data, position));
  case ElementKind::F8E4M3:
  case ElementKind::F8E5M2: return decodeF8(elementKind, data[position]);
  default: return static_cast<double>(intAt(position));
  }
}

int64_t HostTensor::intAt(int64_t position) const {
  switch (elementKind) {
  case ElementKind::I64: return readAt<int64_t>(data, position);
  case ElementKind::I32: return readAt<int32_t>(data, position);
  case ElementKind::I16: return readAt<int16_t>(data, position);
  case ElementKind::I8: return readAt<int8_t>(data, position);
  case ElementKind::I1: return data[position] & 1;
  default: return static_cast<int64_t>(floatAt(position));
  }
}

void HostTensor::setFloat(int64_t position, double value) {
  switch (elementKind) {
  case ElementKind::F64: return writeAt<double>(data, position, value);
  case ElementKind::F32: return writeAt<float>(data, position, static_cast<float>(value));
  case ElementKind::F16:
    return writeAt<uint16_t>(data, position, encodeF16(static_cast<float>(roundTo(elementKind, value))));
  case ElementKind::BF16:
    return writeAt<uint16_t>(data, position, encodeBF16(static_cast<float>(roundTo(elementKind, value))));
  case ElementKind::F8E4M3:
  case ElementKind::F8E5M2:
    data[position] = encodeF8(elementKind, static_cast<float>(roundTo(elementKind, value)));
    return;
  default: return setInt(position, static_cast<int64_t>(value));
  }
}

void HostTensor::setInt(int64_t position, int64_t value) {
  switch (elementBytes(elementKind)) {
  case 8: return writeAt<int64_t>(data, position, value);
  case 4: return writeAt<int32_t>(data, position, static_cast<int32_t>(value));
  case 2: return writeAt<int16_t>(data, position, static_cast<int16_t>(value));
  default: data[position] = static_cast<uint8_t>(wrapTo(elementKind, value));
  }
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

void HostTensor::fillRandom(uint64_t seed, double scale) {
  Random random(seed);
  for (int64_t i = 0, e = numElements(); i < e; ++i) {
    if (isFloatKind(elementKind))
      setFloat(positionOf(i), scale * random.normal());
    else
      setInt(positionOf(i), static_cast<int64_t>(random.next() >> 60));
  }
}

void HostTensor::fillZero() {
  for (int64_t i = 0, e = numElements(); i < e; ++i)
    std::memset(data.data() + positionOf(i) * elementBytes(elementKind), 0, elementBytes(elementKind));
}

void HostTensor::fillPoison() {
  int64_t count = static_cast<int64_t>(data.size()) / elementBytes(elementKind);
  for (int64_t position = 0; position < count; ++position) {
    if (isFloatKind(elementKind))
      setFloat(position, std::numeric_limits<double>::quiet_NaN());
    else
      setInt(position, 0x5555555555555555);
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void HostTensor::forEachRun(ArrayRef<int64_t> coords, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape,
                            llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t)> fn) const {
  int64_t rank = shape.size(), viewRank = coords.size();
  // Dimensions that the tile does not span have extent one.
  for (int64_t d = 0; d < viewRank; ++d)
    if (!llvm::is_contained(dims, d) && (coords[d] < 0 || coords[d] >= extents[d]))
      return;
  // Nothing of a tile that starts beyond its extent before or behind the view is inside; what follows does not
  // overflow.
  for (int64_t i = 0; i < rank; ++i)
    if (coords[dims[i]] <= -shape[i] || coords[dims[i]] >= extents[dims[i]])
      return;
  int64_t last = dims[rank - 1], step = steps[last];
  int64_t begin = std::max<int64_t>(0, -coords[last]);
  int64_t end = std::min<int64_t>(shape[rank - 1], extents[last] - coords[last]);
  if (begin >= end)
    return;
  int64_t rows = 1;
  for (int64_t i = 0; i + 1 < rank; ++i)
    rows *= shape[i];
  for (int64_t row = 0; row < rows; ++row) {
    int64_t position = 0, rest = row;
    bool inside = true;
    for (int64_t d = 0; d < viewRank; ++d)
      position += coords[d] * steps[d];
    for (int64_t i = rank - 2; i >= 0; --i) {
      int64_t offset = rest % shape[i], at = coords[dims[i]] + offset;
      rest /= shape[i];
      inside &= at >= 0 && at < extents[dims[i]];
      position += offset * steps[dims[i]];
    }
    if (inside)
      fn(row * shape[rank - 1] + begin, position + begin * step, end - begin, step);
  }
}

TileValue HostTensor::load(ArrayRef<int64_t> coords, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) const {
  TileValue tile = TileValue::zeros(elementKind, shape);
  forEachRun(coords, dims, shape, [&](int64_t element, int64_t position, int64_t length, int64_t step) {
    if (elementKind == ElementKind::F64) {
      auto out = tile.mutableDoubles();
      for (int64_t i = 0; i < length; ++i)
        out[element + i] = readAt<double>(data, position + i * step);
    } else if (elementKind == ElementKind::F16) {
      auto out = tile.mutableFloats();
      for (int64_t i = 0; i < length; ++i)
        out[element + i] = decodeF16(readAt<uint16_t>(data, position + i * step));
    } else if (isFloatKind(elementKind)) {
      auto out = tile.mutableFloats();
      for (int64_t i = 0; i < length; ++i)
        out[element + i] = static_cast<float>(floatAt(position + i * step));
    } else {
      auto out = tile.mutableInts();
      for (int64_t i = 0; i < length; ++i)
        out[element + i] = intAt(position + i * step);
    }
  });
  return tile;
}

void HostTensor::store(const TileValue &tile, ArrayRef<int64_t> coords, ArrayRef<int64_t> dims, bool add) {
  forEachRun(coords, dims, tile.shape, [&](int64_t element, int64_t position, int64_t length, int64_t step) {
    for (int64_t i = 0; i < length; ++i) {
      int64_t at = position + i * step;
      if (isFloatKind(elementKind))
        setFloat(at, add ? floatAt(at) + tile.floatAt(element + i) : tile.floatAt(element + i));
      else
        setInt(at, static_cast<int64_t>((add ? static_cast<uint64_t>(intAt(at)) : 0) +
                                        static_cast<uint64_t>(tile.intAt(element + i))));
    }
  });
}

HostTensor HostTensor::widened() const {
  if (!isFloatKind(elementKind))
    return *this;
  HostTensor wide = alike(ElementKind::F64);
  for (int64_t i = 0, e = numElements(); i < e; ++i)
    wide.setFloat(wide.positionOf(i), floatAt(positionOf(i)));
  return wide;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Window::Window(const TileValue &numbers, int64_t rank, int64_t bytes) {
  int64_t address = numbers.intAt(0);
  first = address % bytes ? -1 : address / bytes; // between two elements is outside
  for (int64_t d = 0; d < rank; ++d) {
    sizes.push_back(numbers.intAt(1 + d));
    strides.push_back(d + 1 < rank ? numbers.intAt(1 + rank + d) : 1);
  }
}

void Window::forEachRun(ArrayRef<int64_t> coords, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape,
                        llvm::function_ref<void(ArrayRef<int64_t>, int64_t, int64_t)> fn) const {
  int64_t tileRank = shape.size(), rank = sizes.size(), place = first;
  for (int64_t d = 0; d < rank; ++d) {
    place += coords[d] * strides[d];
    if (!llvm::is_contained(dims, d) && (coords[d] < 0 || coords[d] >= sizes[d]))
      return;
  }
  llvm::SmallVector<int64_t> begin, end;
  for (auto [dim, extent] : llvm::zip(dims, shape)) {
    begin.push_back(std::max<int64_t>(0, -coords[dim]));
    end.push_back(std::min<int64_t>(extent, sizes[dim] - coords[dim]));
    if (begin.back() >= end.back())
      return;
  }
  bool whole = strides[dims.back()] == 1;
  for (llvm::SmallVector<int64_t> at = begin;;) {
    int64_t position = place;
    for (int64_t i = 0; i < tileRank; ++i)
      position += at[i] * strides[dims[i]];
    fn(at, position, whole ? end.back() - begin.back() : 1);
    int64_t d = tileRank - 1;
    if (whole)
      at[d--] = begin.back();
    for (; d >= 0 && ++at[d] == end[d]; --d)
      at[d] = begin[d];
    if (d < 0)
      return;
  }
}

std::optional<std::string> Window::complaint(const HostTensor &memory, int64_t position, int64_t length) {
  if (position >= 0 && position + length <= memory.numElements())
    return std::nullopt;
  return "expected a window inside of memory '" + memory.name() + "' with " + std::to_string(memory.numElements()) +
         " elements, got element " + std::to_string(position);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// |got - want|; 0 where both are the same infinity or both NaN, infinite where only one is not finite.
static double difference(double got, double want) {
  if (got == want || (got != got && want != want))
    return 0.0;
  double distance = std::fabs(got - want);
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

double heddle::sim::relativeError(const HostTensor &got, const HostTensor &want) {
  double error = 0.0, norm = 0.0;
  for (int64_t i = 0, e = want.numElements(); i < e; ++i) {
    double w = want.floatAt(want.positionOf(i)), d = difference(got.floatAt(got.positionOf(i)), w);
    error += d * d;
    norm += std::isfinite(w) ? w * w : 0.0;
  }
  if (error == 0.0)
    return 0.0;
  return norm > 0.0 ? std::sqrt(error / norm) : std::numeric_limits<double>::infinity();
}

double heddle::sim::largestError(const HostTensor &got, const HostTensor &want) {
  double largest = 0.0;
  for (int64_t i = 0, e = want.numElements(); i < e; ++i)
    largest = std::max(largest, difference(got.floatAt(got.positionOf(i)), want.floatAt(want.positionOf(i))));
  return largest;
}
