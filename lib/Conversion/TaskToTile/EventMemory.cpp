//===- EventMemory.cpp - places in shared memory ------------------------------===//
//
// What:      tensors that are left in shared memory -> bytes of a block. Tensors that are in use at once never share
//            bytes; others do only where the limit demands it, and as few pairs as possible: then the first access of
//            the later one waits for the last of the earlier one.
// Algorithm: Cypress (section 4.2.4): all pairs are kept apart first; while the places do not fit, the pair that saves
//            most, and of these the one that lies furthest apart, is allowed to share; pairs that are not needed in the
//            end are kept apart again. Tensors are placed in the order of their sizes, each at the lowest free place.
//
//===----------------------------------------------------------------------===//
#include "EventPasses.h"

#include "heddle/Machine/Occupancy.h"

#include <set>

namespace heddle {
namespace {

struct Lifetime {
  int tensor;
  int64_t bytes = 0, slots = 1;
  int64_t loop = -1;             ///< whose iterations have a slot each
  int64_t first = -1, last = -1; ///< operations in program order
};

class Places {
public:
  explicit Places(EventGraph &graph) : graph(graph) {
    note(graph.ops, 1, -1);
    for (Lifetime &life : lives)
      for (auto [begin, end] : loops) {
        bool inside = life.first >= begin && life.last <= end, meets = life.first <= end && life.last >= begin;
        if (inside ? life.slots > 1 && life.loop == begin : meets) {
          life.first = std::min(life.first, begin);
          life.last = std::max(life.last, end);
        }
      }
  }

  void run() {
    for (size_t a = 0; a < lives.size(); ++a)
      for (size_t b = a + 1; b < lives.size(); ++b)
        if (lives[a].last < lives[b].first)
          optional.insert({a, b});
        else if (lives[b].last < lives[a].first)
          optional.insert({b, a});
    std::set<Pair> shared;
    while (bytesOf(shared) > graph.sharedLimit && shared.size() < optional.size()) {
      std::optional<std::tuple<int64_t, int64_t, Pair>> best;
      for (Pair pair : optional) {
        if (shared.count(pair))
          continue;
        std::set<Pair> more = shared;
        more.insert(pair);
        std::tuple candidate = {bytesOf(more), lives[pair.first].last - lives[pair.second].first, pair};
        if (!best || candidate < *best)
          best = candidate;
      }
      shared.insert(std::get<Pair>(*best));
    }
    graph.lacking = std::max<int64_t>(0, bytesOf(shared) - graph.sharedLimit);
    for (Pair pair : std::set<Pair>(shared)) {
      std::set<Pair> fewer = shared;
      fewer.erase(pair);
      if (bytesOf(fewer) <= std::max(graph.sharedLimit, bytesOf(shared)))
        shared = fewer;
    }
    std::vector<int64_t> begins;
    bytesOf(shared, &begins);
    for (auto [life, begin] : llvm::zip(lives, begins))
      graph.places.push_back({life.tensor, begin, life.bytes, life.slots});
    for (auto [a, b] : shared) {
      graph.shared.push_back({lives[a].tensor, lives[b].tensor});
      order(graph.ops, lives[a].tensor, lives[b].tensor);
    }
  }

private:
  using Pair = std::pair<size_t, size_t>; ///< of `lives`, the earlier one first

  void note(const EventOps &ops, int64_t slots, int64_t loop) {
    for (const EventOp &op : ops) {
      int64_t now = position++;
      if (op.kind == EventOp::Make) {
        const EventTensor &tensor = graph.tensors[op.tensor];
        if (tensor.memory != sharedMemory || !tensor.bytes)
          continue;
        Lifetime life{op.tensor};
        life.slots = slots;
        life.loop = loop;
        life.bytes = alignedBytes(tensor.bytes) * slots;
        for (const EventDim &dim : tensor.dims)
          life.bytes *= std::max(1, std::atoi(dim.extent.c_str()));
        lives.push_back(life);
        continue;
      }
      eachPart(op, [&](const EventPart &part, EventAccess, bool) {
        for (Lifetime &life : lives)
          if (life.tensor == part.tensor) {
            life.first = life.first < 0 ? now : life.first;
            life.last = now;
          }
      });
      if (op.body.empty())
        continue;
      bool isLoop = op.kind == EventOp::Loop;
      note(op.body, isLoop ? op.slots : slots, isLoop ? now : loop);
      loops.push_back({now, position - 1});
    }
  }

  /// Bytes of all places where these pairs may share.
  int64_t bytesOf(const std::set<Pair> &shared, std::vector<int64_t> *begins = nullptr) const {
    std::vector<size_t> order(lives.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    llvm::stable_sort(order, [&](size_t a, size_t b) { return lives[a].bytes > lives[b].bytes; });
    std::vector<int64_t> at(lives.size(), -1);
    int64_t total = 0;
    for (size_t i : order) {
      int64_t begin = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t k = 0; k < lives.size(); ++k)
          if (at[k] >= 0 && !shared.count({i, k}) && !shared.count({k, i}) && begin < at[k] + lives[k].bytes &&
              at[k] < begin + lives[i].bytes) {
            begin = at[k] + lives[k].bytes;
            moved = true;
          }
      }
      at[i] = begin;
      total = std::max(total, begin + lives[i].bytes);
    }
    if (begins)
      *begins = at;
    return total;
  }

  /// The first operation of a block on `second` waits for the last on `first`.
  void order(EventOps &ops, int first, int second) {
    int last = -1, next = -1;
    for (auto [i, op] : llvm::enumerate(ops)) {
      if (op.kind == EventOp::Make)
        continue;
      if (touches(op, first))
        last = i;
      if (touches(op, second) && next < 0)
        next = i;
    }
    if (last >= 0 && last == next)
      return order(ops[last].body, first, second);
    if (last < 0 || next < 0)
      return;
    std::vector<std::string> all(ops[last].dims.size(), everyProcessor.str());
    addRefs(ops[next].after, EventRef{ops[last].event, all, second});
  }

  EventGraph &graph;
  int64_t position = 0;
  std::vector<Lifetime> lives;
  std::vector<std::pair<int64_t, int64_t>> loops; ///< first and last operation
  std::set<Pair> optional;
};

} // namespace

void placeShared(EventGraph &graph) { Places(graph).run(); }

} // namespace heddle
