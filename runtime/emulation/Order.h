//===- Order.h - what happens before what -------------------------------------------------------===//
//
// What:      vector clocks of threads and of asynchronous engines, and the last accesses to every two bytes of shared
//            memory (to each byte, where some access takes one alone), so that two conflicting accesses that nothing
//            orders are a fault in whichever interleaving runs.
// Agents:    a component for each thread (its operations between two releases share a number), for each mbarrier (its
//            completed phases: loads complete with one), four for each warp group (its warps' completed groups of
//            products), one for each thread that stores (its completed groups). Knowing an asynchronous agent's number
//            means knowing that the operation is complete.
// Proxies:   an ordinary write reaches asynchronous readers only behind its writer's proxy fence: a second clock
//            (`fenced`), raised by the fence, travels the same way. What threads copy asynchronously (cp.async) is a
//            write of the mbarrier that they arrive on: any thread's fence behind a wait for that covers it.
// Source:    PTX ISA, memory consistency model; epochs for single accesses as in FastTrack (Flanagan, Freund 2009).
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_EMULATION_ORDER_H
#define HEDDLE_EMULATION_ORDER_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heddle::emulation {

struct Clock {
  std::vector<uint32_t> seen, fenced;

  void join(const Clock &other);
};

/// Who accesses shared memory, and what it knows.
struct Access {
  const Clock *clock = nullptr; ///< of the issuing thread
  int agent = 0;                ///< whose number tells that the access is complete
  uint32_t number = 0;
  int width = 1; ///< components of the agent that must all have it
  bool async = false;
  int line = 0;
};

/// The last accesses to each pair of bytes of shared memory.
class Shadow {
public:
  void reset(int bytes);
  /// Faults where `access` conflicts with one that is not ordered before it, or reads what nothing has written; then
  /// notes it.
  void read(uint32_t address, int64_t bytes, const Access &access);
  void write(uint32_t address, int64_t bytes, const Access &access);
  /// These bytes are an mbarrier's from now on.
  void reserve(uint32_t address, int64_t bytes, int line);

private:
  struct Use {
    uint32_t number;
    uint16_t agent;
    uint16_t line;
  };
  enum class State : uint8_t { Empty, Ordinary, Async, Barrier };
  struct Cell {
    Use write;
    State state;
    uint8_t width;
    uint8_t reads; ///< in `read`; more are in `more`
    bool overflown;
    bool split; ///< each byte has a cell in `halves` instead
    Use read[3];
    uint8_t readWidth[3];
  };
  void checkWrite(const Cell &cell, uint32_t address, const Access &access, const char *what) const;
  void addRead(Cell &cell, uint32_t key, const Access &access);
  /// visit(cell, its key in `more`, its address) for every cell of these bytes.
  template <typename Visit> void forEachCell(uint32_t address, int64_t bytes, Visit visit);

  std::vector<Cell> cells;
  struct Reads {
    std::vector<Use> uses;
    std::vector<uint8_t> widths;
  };
  std::unordered_map<uint32_t, Reads> more;
  struct Halves {
    Cell cells[2];
  };
  std::unordered_map<uint32_t, Halves> halves; ///< by index of the split cell
};

} // namespace heddle::emulation

#endif // HEDDLE_EMULATION_ORDER_H
