//===- Order.cpp - vector clocks and the shadow of shared memory --------------------------------===//
#include "Cta.h"

#include <algorithm>
#include <cstring>

namespace heddle::emulation {

void Clock::join(const Clock &other) {
  seen.resize(std::max(seen.size(), other.seen.size()));
  fenced.resize(std::max(fenced.size(), other.fenced.size()));
  for (size_t i = 0; i < other.seen.size(); ++i)
    seen[i] = std::max(seen[i], other.seen[i]);
  for (size_t i = 0; i < other.fenced.size(); ++i)
    fenced[i] = std::max(fenced[i], other.fenced[i]);
}

namespace {

bool knows(const Clock &clock, int agent, int width, uint32_t number) {
  for (int i = 0; i < width; ++i)
    if (clock.seen[agent + i] < number)
      return false;
  return true;
}

std::string at(uint32_t address) { return "shared offset " + std::to_string(address - kSharedBase); }

} // namespace

void Shadow::reset(int bytes) {
  cells.assign((bytes + 1) / 2, Cell());
  more.clear();
  halves.clear();
}

template <typename Visit> void Shadow::forEachCell(uint32_t address, int64_t bytes, Visit visit) {
  constexpr uint32_t byteKey = uint32_t(1) << 31;
  for (uint32_t begin = address - kSharedBase, end = begin + static_cast<uint32_t>(bytes), i = begin / 2; 2 * i < end;
       ++i) {
    Cell &cell = cells[i];
    bool whole = begin <= 2 * i && end >= 2 * i + 2;
    if (!cell.split && (whole || cell.state == State::Barrier)) {
      visit(cell, i, kSharedBase + 2 * i);
      continue;
    }
    if (!cell.split) {
      halves[i] = {{cell, cell}};
      cell.split = true;
      cell.state = State::Ordinary; // no place for an mbarrier
      if (auto reads = more.find(i); reads != more.end()) {
        Reads both = std::move(reads->second);
        more.erase(reads);
        more[byteKey | 2 * i] = more[byteKey | (2 * i + 1)] = std::move(both);
      }
    }
    for (uint32_t byte = std::max(begin, 2 * i); byte < std::min(end, 2 * i + 2); ++byte)
      visit(halves[i].cells[byte % 2], byteKey | byte, kSharedBase + byte);
  }
}

void Shadow::reserve(uint32_t address, int64_t bytes, int line) {
  for (uint32_t i = (address - kSharedBase) / 2, end = static_cast<uint32_t>((address - kSharedBase + bytes + 1) / 2);
       i < end; ++i) {
    if (cells[i].state != State::Empty)
      fault("an mbarrier over other data, at " + at(address), line);
    cells[i].state = State::Barrier;
  }
}

void Shadow::checkWrite(const Cell &cell, uint32_t address, const Access &access, const char *what) const {
  if (cell.state == State::Barrier)
    fault(std::string("a ") + what + " of an mbarrier's bytes, at " + at(address), access.line);
  if (cell.state == State::Empty)
    return;
  const std::string place = "the write of line " + std::to_string(cell.write.line);
  if (!knows(*access.clock, cell.write.agent, cell.width, cell.write.number))
    fault(std::string("a ") + what + " that nothing orders after " + place + ", at " + at(address), access.line);
  const std::vector<uint32_t> &fenced = access.clock->fenced;
  uint32_t behindFence = cell.write.agent < fenced.size() ? fenced[cell.write.agent] : 0;
  if (access.async && cell.state == State::Ordinary && behindFence < cell.write.number)
    fault(std::string("an asynchronous ") + what + " without a proxy fence between it and " + place + ", at " +
              at(address),
          access.line);
}

void Shadow::addRead(Cell &cell, uint32_t key, const Access &access) {
  Use use = {access.number, static_cast<uint16_t>(access.agent), static_cast<uint16_t>(access.line)};
  for (int i = 0; i < cell.reads; ++i)
    if (cell.read[i].agent == use.agent ||
        knows(*access.clock, cell.read[i].agent, cell.readWidth[i], cell.read[i].number)) {
      cell.read[i] = use; // whoever is ordered after this read is ordered after the replaced one
      cell.readWidth[i] = static_cast<uint8_t>(access.width);
      return;
    }
  if (cell.reads < 3) {
    cell.read[cell.reads] = use;
    cell.readWidth[cell.reads++] = static_cast<uint8_t>(access.width);
    return;
  }
  cell.overflown = true;
  Reads &reads = more[key];
  for (size_t i = 0; i < reads.uses.size(); ++i)
    if (reads.uses[i].agent == use.agent) {
      reads.uses[i] = use;
      return;
    }
  reads.uses.push_back(use);
  reads.widths.push_back(static_cast<uint8_t>(access.width));
}

void Shadow::read(uint32_t address, int64_t bytes, const Access &access) {
  forEachCell(address, bytes, [&](Cell &cell, uint32_t key, uint32_t place) {
    checkWrite(cell, place, access, "read");
    if (cell.state == State::Empty)
      fault("a read of shared memory that nothing has written, at " + at(place), access.line);
    if (cell.reads == 1 && cell.read[0].agent == access.agent) { // the common case
      cell.read[0].number = access.number;
      cell.read[0].line = static_cast<uint16_t>(access.line);
      return;
    }
    addRead(cell, key, access);
  });
}

void Shadow::write(uint32_t address, int64_t bytes, const Access &access) {
  forEachCell(address, bytes, [&](Cell &cell, uint32_t key, uint32_t place) {
    checkWrite(cell, place, access, "write");
    auto check = [&](const Use &use, int width) {
      if (!knows(*access.clock, use.agent, width, use.number))
        fault("a write that nothing orders after the read of line " + std::to_string(use.line) + ", at " + at(place),
              access.line);
    };
    for (int r = 0; r < cell.reads; ++r)
      check(cell.read[r], cell.readWidth[r]);
    if (cell.overflown) {
      const Reads &reads = more[key];
      for (size_t r = 0; r < reads.uses.size(); ++r)
        check(reads.uses[r], reads.widths[r]);
      more.erase(key);
      cell.overflown = false;
    }
    cell.reads = 0;
    cell.write = {access.number, static_cast<uint16_t>(access.agent), static_cast<uint16_t>(access.line)};
    cell.width = static_cast<uint8_t>(access.width);
    cell.state = access.async ? State::Async : State::Ordinary;
  });
}

} // namespace heddle::emulation
