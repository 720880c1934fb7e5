//===- Products.cpp - the tensor core -----------------------------------------------------------===//
//
// What:      wgmma of a warp group: each thread issues and goes on; a group of products runs when all 128 threads have
//            committed it and nothing else can run, and only then reads its operands and writes the accumulators.
// Algorithm: A (64 x k) and B (k x n) are gathered once for the warp group, then multiplied in float, integers exactly.
// Verifies:  descriptors (swizzle, alignment, the same in all threads), that threads issue the same products.
// Source:    PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions": fragments and the matrix descriptor.
//
//===--------------------------------------------------------------------------------------------===//
#include "Cta.h"

#include <algorithm>
#include <cstring>

namespace heddle::emulation {
namespace {

int bytesOf(hdemu::Type type) {
  return type == hdemu::Type::TF32 ? 4 : type == hdemu::Type::F16 || type == hdemu::Type::BF16 ? 2 : 1;
}

float numberAt(const char *p, hdemu::Type type) {
  uint32_t bits = 0;
  std::memcpy(&bits, p, bytesOf(type));
  return hdemu::widen(type, bits);
}

struct Descriptor {
  uint32_t start, leading, stride;
  int swizzle;

  Descriptor(uint64_t bits, int line) {
    start = (bits & 0x3fff) << 4;
    leading = (bits >> 16 & 0x3fff) << 4;
    stride = (bits >> 32 & 0x3fff) << 4;
    const int mode = static_cast<int>(bits >> 62);
    swizzle = mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 0;
    if (bits >> 46 & 0xffff)
      fault("expected a matrix descriptor with zero in bits 46 to 61", line);
  }

  /// Address of element (mn, k).
  uint32_t address(bool mnMajor, int mn, int k, int elementBytes) const {
    uint32_t byte;
    if (swizzle == 0)
      byte = mnMajor ? mn / (16 / elementBytes) * stride + k / 8 * leading + k % 8 * 16 +
                           mn % (16 / elementBytes) * elementBytes
                     : mn / 8 * stride + mn % 8 * 16 + k * elementBytes / 16 * leading + k * elementBytes % 16;
    else if (mnMajor) {
      const int width = swizzle / elementBytes;
      byte = mn / width * leading + k / 8 * stride + k % 8 * swizzle + mn % width * elementBytes;
    } else
      byte = mn / 8 * stride + mn % 8 * swizzle + k * elementBytes;
    return swizzled(swizzle, start + byte);
  }
};

/// Calls visit(address, bytes) for the runs of bytes that an operand reads.
template <class Visit>
void forOperand(uint64_t bits, bool mnMajor, int extent, hdemu::Type type, int line, Visit visit) {
  const Descriptor descriptor(bits, line);
  const int bytes = bytesOf(type), depth = 32 / bytes, run = 16 / bytes; // the swizzle keeps 16 bytes together
  if (mnMajor)
    for (int k = 0; k < depth; ++k)
      for (int mn = 0; mn < extent; mn += run)
        visit(descriptor.address(true, mn, k, bytes), 16);
  else
    for (int mn = 0; mn < extent; ++mn)
      for (int k = 0; k < depth; k += run)
        visit(descriptor.address(false, mn, k, bytes), 16);
}

/// The operand in shared memory as rows of `depth` numbers.
void gather(std::vector<float> &to, uint64_t bits, bool mnMajor, int extent, int depth, hdemu::Type type, int line) {
  const Descriptor descriptor(bits, line);
  const int bytes = bytesOf(type);
  to.resize(extent * depth);
  for (int mn = 0; mn < extent; ++mn)
    for (int k = 0; k < depth; ++k)
      to[mn * depth + k] = numberAt(shared(descriptor.address(mnMajor, mn, k, bytes), bytes, line), type);
}

/// Of integers the sums wrap as the tensor core's do.
template <class Sum, class Register> void compute(const Product &p) {
  const int n = p.form.n, depth = 32 / bytesOf(p.form.typeA);
  static std::vector<float> a, b;
  static std::vector<Sum> row;
  if (p.registersA) {
    a.resize(64 * depth);
    const int bytes = bytesOf(p.form.typeA), perWord = 4 / bytes;
    for (int m = 0; m < 64; ++m)
      for (int k = 0; k < depth; ++k) {
        const int thread = m / 16 * 32 + m % 8 * 4 + k / perWord % 4, word = m / 8 % 2 + 2 * (k / (4 * perWord));
        a[m * depth + k] =
            numberAt(reinterpret_cast<const char *>(p.a[4 * thread + word]) + k % perWord * bytes, p.form.typeA);
      }
  } else {
    gather(a, p.descA, p.form.transA, 64, depth, p.form.typeA, p.line);
  }
  gather(b, p.descB, p.form.transB, n, depth, p.form.typeB, p.line);
  std::vector<float> columns(depth * n); // B as depth rows of n
  for (int col = 0; col < n; ++col)
    for (int k = 0; k < depth; ++k)
      columns[k * n + col] = b[col * depth + k];
  row.resize(n);
  for (int m = 0; m < 64; ++m) {
    // Row m is spread over four threads: thread i has columns 8j + 2i, 8j + 2i + 1.
    const int base = m / 16 * 32 + m % 8 * 4, half = m / 8 % 2;
    for (int col = 0; col < n; ++col)
      row[col] = p.scaleD ? static_cast<const Register *>(p.d[base + col % 8 / 2])[col / 8 * 4 + half * 2 + col % 2]
                          : Register(0);
    for (int k = 0; k < depth; ++k) {
      const float x = a[m * depth + k];
      const float *y = &columns[k * n];
      for (int col = 0; col < n; ++col)
        row[col] += static_cast<Sum>(static_cast<Register>(x * y[col]));
    }
    for (int col = 0; col < n; ++col)
      static_cast<Register *>(p.d[base + col % 8 / 2])[col / 8 * 4 + half * 2 + col % 2] =
          static_cast<Register>(row[col]);
  }
}

Warpgroup &warpgroup() { return cta->warpgroups[current->index / 128]; }

} // namespace

bool completeProducts(bool awaited) {
  for (size_t g = 0; g < cta->warpgroups.size(); ++g) {
    Warpgroup &wg = cta->warpgroups[g];
    if (wg.groups.empty() || wg.groups.front().threads < 128)
      continue;
    if (awaited && std::none_of(cta->threads.begin() + 128 * g,
                                cta->threads.begin() + std::min(cta->threads.size(), 128 * g + 128),
                                [](const Thread &t) { return !t.done && t.wait == Thread::Wait::Wgmma; }))
      continue;
    while (wg.computed < wg.groups.front().end) {
      if (const Product &product = wg.products.front(); product.form.typeA == hdemu::Type::S8)
        compute<uint32_t, int32_t>(product);
      else
        compute<float, float>(product);
      wg.products.pop_front();
      ++wg.computed;
    }
    wg.groups.pop_front();
    ++wg.complete;
    return true;
  }
  return false;
}

} // namespace heddle::emulation

using namespace heddle::emulation;

namespace hdemu {

void wgmma(const WgmmaForm &form, void *d, const uint32_t *const *a, uint64_t descA, uint64_t descB, int scaleD,
           Line line) {
  Thread &self = at(line, form.n, form.transA, form.transB, scaleD != 0);
  Warpgroup &wg = warpgroup();
  const int index = self.index % 128;
  if (self.issued - wg.computed == wg.products.size()) {
    Product p;
    p.form = form;
    p.descA = descA;
    p.descB = descB;
    p.scaleD = scaleD;
    p.line = line.number;
    p.registersA = a != nullptr;
    p.d.resize(128);
    if (a)
      p.a.resize(4 * 128);
    wg.products.push_back(std::move(p));
  }
  Product &p = wg.products[self.issued - wg.computed];
  if (p.line != line.number || p.form.n != form.n)
    fault("the threads of a warp group issue different products: lines " + std::to_string(p.line) + " and " +
              std::to_string(line.number),
          line.number);
  if (p.descA != descA || p.descB != descB || !p.scaleD != !scaleD)
    fault("the threads of a warp group give different descriptors to one product", line.number);
  p.d[index] = d;
  if (a)
    std::copy(a, a + 4, p.a.begin() + 4 * index);
  ++p.threads;
  holdRegisters(d, form.n / 2 * sizeof(float), true, line.number);
  if (a)
    for (int i = 0; i < 4; ++i)
      holdRegisters(a[i], sizeof(uint32_t), false, line.number);
  ++self.issued;
  // One lane stands for its warp: the others are ordered with it by the barrier that an operand's writers need anyway.
  if (self.index % 32 != 0)
    return;
  const Access access = {&self.clock, wg.agent, static_cast<uint32_t>(self.committed + 1), 4, true, line.number};
  auto visit = [&](uint32_t address, int bytes) {
    shared(address, bytes, line.number);
    note(address); // not the descriptor: fields that this shape does not use change nothing
    cta->shadow.read(address, bytes, access);
  };
  if (!a)
    forOperand(descA, form.transA, 64, form.typeA, line.number, visit);
  forOperand(descB, form.transB, form.n, form.typeB, line.number, visit);
}

void wgmmaFence(Line line) { ++at(line).fences; }

void wgmmaCommit(Line line) {
  Thread &self = at(line);
  meetLanes(cta->warps[self.index / 32].aligned, line.number, false); // what a lane does behind it, all have come to
  Warpgroup &wg = warpgroup();
  if (self.committed - wg.complete == wg.groups.size())
    wg.groups.push_back({self.issued, 0, line.number});
  Warpgroup::Group &group = wg.groups[self.committed - wg.complete];
  if (group.end != self.issued)
    fault("the threads of a warp group commit groups of different products: lines " + std::to_string(group.line) +
              " and " + std::to_string(line.number),
          line.number);
  ++group.threads;
  ++self.committed;
}

void wgmmaWait(int pending, Line line) {
  Thread &self = at(line, pending);
  self.wait = Thread::Wait::Wgmma;
  self.target = self.committed > static_cast<uint64_t>(pending) ? self.committed - pending : 0;
  block();
  self.retired = std::max(self.retired, self.target);
  releaseRegisters();
  uint32_t &seen = self.clock.seen[warpgroup().agent + self.index % 128 / 32];
  seen = std::max(seen, static_cast<uint32_t>(self.retired));
}

} // namespace hdemu
