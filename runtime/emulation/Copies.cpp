//===- Copies.cpp - the copy engine: tensor maps, loads, stores and their groups ----------------===//
//
// What:    a load writes shared memory and completes its bytes when it lands; a store reads shared memory, then writes
//          global memory, each as late as the waits allow.
// Verifies: alignment, ranks, that map pointers are tensor maps, ranges of shared memory; at the end that nothing is in
//           flight
//          that still uses shared memory.
//
//===--------------------------------------------------------------------------------------------===//
#include "Cta.h"
#include "Global.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>

namespace heddle::emulation {
namespace {

constexpr uint64_t kMapMark = 0x70616d2d656c6464; // no bytes of a kernel's own

const TensorMap &mapOf(const void *map, int line) {
  const EncodedMap &e = *static_cast<const EncodedMap *>(map);
  if (reinterpret_cast<uintptr_t>(map) % 64 || e.opaque[1] != kMapMark)
    fault("expected a tensor map, got other bytes", line);
  return *reinterpret_cast<const TensorMap *>(e.opaque[0]);
}

/// Calls visit(shared, global or null, bytes) for every run of elements of a box that is contiguous on both sides.
template <class Visit> void forBox(const Copy &copy, Visit visit) {
  const TensorMap &map = *copy.map;
  int64_t rows = 1;
  for (int d = 1; d < map.rank; ++d)
    rows *= map.box[d];
  const int64_t rowBytes = int64_t(map.box[0]) * map.elementBytes;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row;
    char *global = map.base;
    for (int d = 1; d < map.rank; ++d) {
      int64_t c = copy.corner[d] + rest % map.box[d];
      rest /= map.box[d];
      if (c < 0 || c >= map.size[d])
        global = nullptr;
      if (global)
        global += c * map.stride[d];
    }
    for (int e = 0; e < map.box[0];) {
      // The swizzle keeps 16 bytes together.
      int run = std::min<int>(map.box[0] - e, 16 / map.elementBytes);
      for (int i = e; i < e + run;) {
        int64_t c = int64_t(copy.corner[0]) + i;
        bool inside = global && c >= 0 && c < map.size[0];
        int n = 1;
        while (i + n < e + run && (global && c + n >= 0 && c + n < map.size[0]) == inside)
          ++n;
        uint32_t address =
            swizzled(map.swizzle, copy.shared + static_cast<uint32_t>(row * rowBytes + int64_t(i) * map.elementBytes));
        visit(address, inside ? global + c * map.elementBytes : nullptr, n * map.elementBytes);
        i += n;
      }
      e += run;
    }
  }
}

int64_t boxBytes(const TensorMap &map) {
  int64_t bytes = map.elementBytes;
  for (int d = 0; d < map.rank; ++d)
    bytes *= map.box[d];
  return bytes;
}

Copy boxCopy(const void *encodedMap, uint32_t address, int rank, const int *coordinates, int line) {
  Copy copy;
  const TensorMap &map = mapOf(encodedMap, line);
  copy.map = &map;
  if (rank != map.rank)
    fault("expected " + std::to_string(map.rank) + " coordinates for this tensor map, got " + std::to_string(rank),
          line);
  const uint32_t aligned = map.swizzle ? 8 * map.swizzle : 128;
  if (address % aligned)
    fault("expected a box at a multiple of " + std::to_string(aligned) + " in shared memory, got " +
              std::to_string(address),
          line);
  if (int64_t(coordinates[0]) * map.elementBytes % 16) // the H100 calls it an illegal instruction
    fault("expected a box whose first column is a multiple of 16 bytes, got column " + std::to_string(coordinates[0]) +
              " of " + std::to_string(map.elementBytes) + "-byte elements",
          line);
  note(globalOffset(map.base));
  for (int d = 0; d < rank; ++d) {
    copy.corner[d] = coordinates[d];
    note(static_cast<uint64_t>(coordinates[d]));
  }
  copy.shared = address;
  copy.bytes = boxBytes(map);
  copy.line = line;
  copy.thread = current->index;
  shared(address, copy.bytes, line);
  return copy;
}

Copy rowCopy(char *global, uint32_t address, int64_t bytes, int line) {
  Copy copy;
  if (reinterpret_cast<uintptr_t>(global) % 16 || address % 16 || bytes % 16)
    fault("expected a bulk copy's addresses and size to be multiples of 16", line);
  copy.global = global;
  copy.shared = address;
  copy.bytes = bytes;
  copy.line = line;
  copy.thread = current->index;
  shared(address, bytes, line);
  return copy;
}

/// Writes its bytes until the phase of its mbarrier that runs now is complete.
void issueLoad(Copy copy) {
  const Mbarrier &b = usableMbarrier(copy.bar, copy.line);
  cta->shadow.write(copy.shared, copy.bytes,
                    {&current->clock, b.agent, static_cast<uint32_t>(b.phase + 1), 1, true, copy.line});
  cta->loads.push_back(std::move(copy));
}

/// Reads its bytes until its group has.
void issueStore(Copy copy) {
  if (current->bulkAgent < 0)
    current->bulkAgent = newAgent(1);
  cta->shadow.read(
      copy.shared, copy.bytes,
      {&current->clock, current->bulkAgent, static_cast<uint32_t>(current->bulkCommitted + 1), 1, true, copy.line});
  current->open.push_back(std::move(copy));
}

void land(const Copy &copy) {
  if (copy.map) {
    uint32_t nan = copy.map->elementBytes == 2 ? 0x7fff7fffu : 0x7fffffffu;
    forBox(copy, [&](uint32_t address, const char *global, int bytes) {
      char *to = shared(address, bytes, copy.line);
      if (global)
        std::memcpy(to, global, bytes);
      else if (copy.map->nanFill)
        for (int i = 0; i < bytes; ++i)
          to[i] = reinterpret_cast<const char *>(&nan)[i % 4];
      else
        std::memset(to, 0, bytes);
    });
  } else if (copy.global) {
    std::memcpy(shared(copy.shared, copy.bytes, copy.line), copy.global, copy.bytes);
  } else {
    std::memset(shared(copy.shared, copy.bytes, copy.line), 0, copy.bytes);
  }
  if (!copy.ofThread)
    landed(copy.bar, copy.bytes, copy.line);
  else if (--*copy.ofThread == 0)
    landedLast(copy.bar, copy.line);
}

void readShared(Copy &copy) {
  copy.data.resize(copy.bytes);
  if (!copy.map) {
    std::memcpy(copy.data.data(), shared(copy.shared, copy.bytes, copy.line), copy.bytes);
    return;
  }
  char *to = copy.data.data();
  forBox(copy, [&](uint32_t address, const char *, int bytes) {
    std::memcpy(to, shared(address, bytes, copy.line), bytes);
    to += bytes;
  });
}

/// One rounding for each element, as the reduction of the copy engine.
void addElement(char *to, const char *from, const TensorMap &map, int line) {
  if (map.elem == "f32" || map.elem == "tf32") {
    float a, b;
    std::memcpy(&a, to, 4);
    std::memcpy(&b, from, 4);
    a += b;
    std::memcpy(to, &a, 4);
  } else if (map.elem == "i32") {
    int32_t a, b;
    std::memcpy(&a, to, 4);
    std::memcpy(&b, from, 4);
    a = static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
    std::memcpy(to, &a, 4);
  } else if (map.elem == "f16" || map.elem == "bf16") {
    hdemu::Type type = map.elem == "f16" ? hdemu::Type::F16 : hdemu::Type::BF16;
    uint16_t a, b;
    std::memcpy(&a, to, 2);
    std::memcpy(&b, from, 2);
    a = static_cast<uint16_t>(hdemu::narrow(type, hdemu::widen(type, a) + hdemu::widen(type, b)));
    std::memcpy(to, &a, 2);
  } else {
    fault("expected elements that the copy engine adds (f16, bf16, f32, i32), got " + map.elem, line);
  }
}

void writeGlobal(const Copy &copy) {
  if (!copy.map) {
    std::memcpy(copy.global, copy.data.data(), copy.bytes);
    return;
  }
  const char *from = copy.data.data();
  forBox(copy, [&](uint32_t, char *global, int bytes) {
    if (global && copy.add)
      for (int i = 0; i < bytes; i += copy.map->elementBytes)
        addElement(global + i, from + i, *copy.map, copy.line);
    else if (global)
      std::memcpy(global, from, bytes);
    from += bytes;
  });
}

/// The next step of a thread's oldest group that has one: read shared memory, or (not `readOnly`) write global memory.
bool advance(Thread &thread, bool readOnly) {
  for (BulkGroup &group : thread.bulk)
    if (!group.read) {
      for (Copy &copy : group.copies)
        readShared(copy);
      group.read = true;
      ++thread.bulkRead;
      return true;
    }
  if (readOnly || thread.bulk.empty())
    return false;
  for (const Copy &copy : thread.bulk.front().copies)
    writeGlobal(copy);
  thread.bulk.pop_front();
  ++thread.bulkComplete;
  return true;
}

} // namespace

TensorMap encode(const runtime::TensorMapSpec &spec) {
  TensorMap map;
  map.base = reinterpret_cast<char *>(spec.address);
  map.rank = static_cast<int>(spec.dims.size());
  map.elem = spec.elem;
  map.elementBytes = runtime::elementBytes(spec.elem);
  map.swizzle = spec.swizzle;
  map.nanFill = spec.nanFill;
  for (int d = 0; d < map.rank; ++d) {
    map.size[d] = static_cast<int64_t>(spec.dims[d]);
    map.stride[d] = d ? static_cast<int64_t>(spec.strides[d - 1]) : map.elementBytes;
    map.box[d] = static_cast<int>(spec.box[d]);
  }
  return map;
}

EncodedMap encoded(const TensorMap &map) {
  EncodedMap e;
  e.opaque[0] = reinterpret_cast<uint64_t>(&map);
  e.opaque[1] = kMapMark;
  return e;
}

uint32_t swizzled(int bytes, uint32_t address) {
  return bytes ? address ^ ((address >> 7 & (bytes / 16 - 1)) << 4) : address;
}

bool completeLoad(bool awaited) {
  // Loads of single rows may be thousands, each of which completes by itself: threads are looked at once for all.
  std::set<uint32_t> waited;
  for (const Thread &t : cta->threads)
    if (awaited && !t.done && t.wait == Thread::Wait::Mbarrier)
      waited.insert(t.bar);
  std::vector<size_t> candidates;
  for (size_t i = 0; i < cta->loads.size(); ++i)
    if (!awaited || waited.count(cta->loads[i].bar))
      candidates.push_back(i);
  if (candidates.empty())
    return false;
  size_t chosen = candidates[cta->random() % candidates.size()];
  Copy copy = std::move(cta->loads[chosen]);
  cta->loads.erase(cta->loads.begin() + chosen);
  land(copy);
  return true;
}

bool completeStore(bool awaited) {
  for (Thread &thread : cta->threads) {
    bool waits = !thread.done && thread.wait == Thread::Wait::Bulk;
    if ((waits || !awaited) && advance(thread, awaited && thread.readOnly))
      return true;
  }
  return false;
}

void drain() {
  for (const Copy &load : cta->loads)
    fault("the CTA ends while this load is in flight", load.line);
  for (Thread &thread : cta->threads) {
    if (!thread.copies.empty())
      fault("the CTA ends with a copy for which its thread has not arrived", thread.copies.front().line);
    if (!thread.open.empty())
      fault("the CTA ends with a store that no commit closed", thread.open.front().line);
    if (thread.bulkRead < thread.bulkCommitted && !cta->eager)
      for (const BulkGroup &group : thread.bulk)
        if (!group.read)
          fault("the CTA ends while this store may still read shared memory", group.copies.front().line);
    while (advance(thread, false)) {
    }
  }
}

} // namespace heddle::emulation

using namespace heddle::emulation;

namespace hdemu {

void tensorLoad(uint32_t to, const void *map, uint32_t bar, int rank, const int *coordinates, Line line) {
  at(line, to, bar);
  Copy copy = boxCopy(map, to, rank, coordinates, line.number);
  copy.bar = bar;
  issueLoad(std::move(copy));
}

void tensorLoadMulticast(uint32_t to, const void *map, uint32_t bar, uint32_t mask, int rank, const int *coordinates,
                         Line line) {
  at(line, to, bar, mask);
  if (mask >> cluster.size())
    fault("expected a mask of the cluster's " + std::to_string(cluster.size()) + " CTAs, got " + std::to_string(mask),
          line.number);
  for (size_t other = 0; other < cluster.size(); ++other)
    if (mask >> other & 1) {
      InCta there(static_cast<int>(other));
      Copy copy = boxCopy(map, to, rank, coordinates, line.number);
      copy.bar = bar;
      issueLoad(std::move(copy));
    }
}

void copyAsync(uint32_t to, const void *from, bool inside, Line line) {
  constexpr int bytes = 16;
  Thread &self = at(line, to, inside ? globalOffset(from) : 0);
  if (inside)
    checkGlobal(from, bytes, false, line.number);
  self.copies.push_back(
      rowCopy(inside ? const_cast<char *>(static_cast<const char *>(from)) : nullptr, to, bytes, line.number));
}

void copiesArrive(uint32_t bar, Line line) {
  Thread &self = at(line, bar);
  Mbarrier &b = usableMbarrier(bar, line.number);
  b.copied = true;
  auto left = std::make_shared<int>(static_cast<int>(self.copies.size()));
  for (Copy &copy : self.copies) {
    copy.bar = bar;
    copy.ofThread = left;
    cta->shadow.write(copy.shared, copy.bytes,
                      {&self.clock, b.agent, static_cast<uint32_t>(b.phase + 1), 1, false, copy.line});
    cta->loads.push_back(std::move(copy));
  }
  if (self.copies.empty())
    return mbarrierArrive(bar, 0, line);
  self.copies.clear();
  release(self, b.gathering);
}

void tensorStore(const void *map, uint32_t from, int rank, const int *coordinates, bool add, Line line) {
  at(line, from, add);
  Copy copy = boxCopy(map, from, rank, coordinates, line.number);
  for (int d = 0; d < rank; ++d)
    if (coordinates[d] < 0) // the H100 calls it an illegal instruction; loads from there give zeros
      fault("expected a stored box at coordinates of at least 0, got " + std::to_string(coordinates[d]), line.number);
  copy.add = add;
  issueStore(std::move(copy));
}

void bulkLoad(uint32_t to, const void *from, uint32_t bytes, uint32_t bar, Line line) {
  at(line, to, globalOffset(from), bytes, bar);
  checkGlobal(from, bytes, false, line.number);
  Copy copy = rowCopy(const_cast<char *>(static_cast<const char *>(from)), to, bytes, line.number);
  copy.bar = bar;
  issueLoad(std::move(copy));
}

void bulkStore(void *to, uint32_t from, uint32_t bytes, Line line) {
  at(line, globalOffset(to), from, bytes);
  checkGlobal(to, bytes, true, line.number);
  issueStore(rowCopy(static_cast<char *>(to), from, bytes, line.number));
}

void bulkCommit(Line line) {
  Thread &self = at(line);
  self.bulk.push_back({std::move(self.open), false});
  self.open.clear();
  ++self.bulkCommitted;
}

void bulkWait(int pending, bool readOnly, Line line) {
  Thread &self = at(line, pending, readOnly);
  self.wait = Thread::Wait::Bulk;
  self.readOnly = readOnly;
  self.target = self.bulkCommitted > static_cast<uint64_t>(pending) ? self.bulkCommitted - pending : 0;
  block();
  if (self.bulkAgent >= 0)
    self.clock.seen[self.bulkAgent] = std::max(self.clock.seen[self.bulkAgent], static_cast<uint32_t>(self.target));
}

void makeMap(void *to, uint32_t scratch, const void *address, int elementBytes, int swizzle, int rank,
             const uint32_t *box, const int *sizes, const int64_t *strides, Line line) {
  static std::deque<TensorMap> made; // copies with an older map of `to` may be under way
  at(line, scratch, globalOffset(address), rank);
  TensorMap map;
  map.base = static_cast<char *>(const_cast<void *>(address));
  map.rank = rank;
  map.elementBytes = elementBytes;
  map.swizzle = swizzle;
  for (int d = 0; d < rank; ++d) {
    map.size[d] = sizes[d];
    map.stride[d] = d ? strides[d - 1] : elementBytes;
    map.box[d] = static_cast<int>(box[d]);
    if (d && map.stride[d] % 16)
      fault("expected strides of a tensor map that are multiples of 16 bytes, got " + std::to_string(map.stride[d]),
            line.number);
  }
  if (reinterpret_cast<uintptr_t>(address) % 16)
    fault("expected a tensor map of an address that is a multiple of 16", line.number);
  made.push_back(map);
  *static_cast<EncodedMap *>(to) = encoded(made.back());
}

void checkMap(const void *map, Line line) {
  at(line);
  mapOf(map, line.number);
}

} // namespace hdemu
