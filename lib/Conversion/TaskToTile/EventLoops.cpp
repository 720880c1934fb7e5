//===- EventLoops.cpp - copies and waits of loops -----------------------------===//
//
// What:   the patterns of EventCopies.cpp that concern loops.
//
//===----------------------------------------------------------------------===//
#include "EventRewriter.h"

#include <set>

namespace heddle {
namespace {

class Loops : public EventRewriter {
public:
  explicit Loops(EventGraph &graph) : EventRewriter(graph) {}

  bool carry(EventOps &ops) {
    for (EventOp &loop : ops) {
      if (loop.kind != EventOp::Loop)
        continue;
      for (auto [c, in] : llvm::enumerate(loop.body))
        for (auto [k, back] : llvm::enumerate(loop.body))
          if (k > c && in.kind == EventOp::Copy && back.kind == EventOp::Copy && !in.adds && !back.adds &&
              in.from == back.to && in.to.steps.empty() && back.from.steps.empty() && carry(loop, c, k))
            return true;
    }
    return false;
  }

  bool carry(EventOp &loop, size_t c, size_t k) {
    const EventOp &in = loop.body[c], &back = loop.body[k];
    int y = in.to.tensor, z = back.from.tensor;
    const EventTensor &before = tensor(y), &after = tensor(z);
    if (y == z || before.memory != after.memory || before.dims != after.dims || before.shape != after.shape ||
        before.type != after.type || positionOfMake(loop.body, y) < 0 || positionOfMake(loop.body, z) < 0)
      return false;
    size_t last = c, first = k;
    for (auto [i, op] : llvm::enumerate(loop.body)) {
      if (i != c && i != k && accesses(op, in.from))
        return false;
      if (accesses(op, in.to))
        last = i;
      if (i < first && accesses(op, back.from))
        first = i;
    }
    // One operation may read the one and write the other.
    if (last > first)
      return false;
    std::vector<EventRef> uses = in.lastUses;
    for (EventRef &use : uses)
      use.tensor = y;
    int firstEvent = loop.body[first].event;
    llvm::erase_if(uses, [&](const EventRef &ref) { return ref.event == firstEvent; });
    addRefs(loop.body[first].after, uses);
    replaceTensor(z, {y, {}});
    return true;
  }

  static bool isInvariant(const EventPart &part, const EventOp &loop) {
    for (const EventStep &step : part.steps)
      for (const std::string &index : step.at)
        for (const std::string &variable : loop.variables)
          if (replaceName(index, variable, "") != index)
            return false;
    return true;
  }

  bool hoist(EventOps &ops) {
    for (size_t l = 0; l < ops.size(); ++l) {
      if (ops[l].kind != EventOp::Loop)
        continue;
      for (size_t c = 0; c < ops[l].body.size(); ++c)
        if (hoist(ops, l, c))
          return true;
    }
    return false;
  }

  /// Copy `c` of the body of loop `l`, with the copy back if there is one.
  bool hoist(EventOps &ops, size_t l, size_t c) {
    EventOp &loop = ops[l], &in = loop.body[c];
    if (in.kind != EventOp::Copy || in.adds || !in.to.steps.empty() || !isInvariant(in.from, loop))
      return false;
    int t = in.from.tensor, y = in.to.tensor, make = positionOfMake(loop.body, y), back = -1;
    if (make < 0 || positionOfMake(loop.body, t) >= 0)
      return false;
    for (auto [k, op] : llvm::enumerate(loop.body)) {
      bool isBack = op.kind == EventOp::Copy && !op.adds && op.from == in.to && op.to == in.from && k > c;
      if (isBack && back < 0)
        back = k;
      else if (k != c && (isBack || writes(op, in.from)))
        return false;
    }
    bool isChanged = false;
    for (auto [k, op] : llvm::enumerate(loop.body)) {
      if (static_cast<int>(k) == back || k == c)
        continue;
      isChanged |= writes(op, in.to);
      // Nobody else sees what the copy back would have given.
      if (back >= 0 && accesses(op, in.from))
        return false;
    }
    if (isChanged && back < 0)
      return false;

    EventOp copyIn = in, copyBack = back < 0 ? EventOp{EventOp::Copy} : loop.body[back], making = loop.body[make];
    std::vector<size_t> gone = {c, static_cast<size_t>(make)};
    if (back >= 0)
      gone.push_back(back);
    llvm::sort(gone, std::greater<>());
    for (size_t k : gone)
      loop.body.erase(loop.body.begin() + k);
    bool isLeft = touches(loop, t);
    copyIn.after.clear();
    std::vector<EventRef> others;
    for (const EventRef &ref : loop.after) {
      if (ref.tensor == t)
        addRefs(copyIn.after, ref);
      if (ref.tensor != t || isLeft)
        addRefs(others, ref);
    }
    loop.after = others;
    if (back >= 0) {
      // What was given back to `t` by the end of an iteration stays in `y`.
      std::vector<EventRef> yields;
      for (const EventRef &ref : loop.yields) {
        if (ref.event == copyBack.event)
          for (EventRef wait : copyBack.after) { // each processor goes on where it ended
            wait.tensor = y;
            if (wait.event != copyIn.event)
              addRefs(yields, wait);
          }
        else if (ref.event != copyIn.event)
          addRefs(yields, ref);
      }
      loop.yields = yields;
      std::vector<std::string> atLoop;
      for (const EventDim &dim : loop.dims)
        atLoop.push_back(dim.index);
      copyBack.after = {{loop.event, atLoop, y}};
      int event = loop.event;
      replaceEvent(graph.ops, event, [&](const EventRef &ref) {
        if (ref.tensor != t)
          return std::vector<EventRef>{ref};
        std::vector<std::string> at = ref.at;
        at.resize(copyBack.dims.size(), everyProcessor.str());
        return std::vector<EventRef>{{copyBack.event, at, t}};
      });
      addRefs(copyIn.lastUses, EventRef{loop.event, atLoop, y});
    } else {
      llvm::erase_if(loop.yields, [&](const EventRef &ref) { return ref.event == copyIn.event; });
      std::vector<std::string> atLoop;
      for (const EventDim &dim : loop.dims)
        atLoop.push_back(dim.index);
      int event = loop.event;
      replaceEvent(graph.ops, event, [&](const EventRef &ref) {
        std::vector<EventRef> refs = {ref};
        if (ref.tensor == t && !isLeft) {
          std::vector<std::string> at = ref.at;
          at.resize(copyIn.dims.size(), everyProcessor.str());
          refs = {{copyIn.event, at, t}};
        }
        return refs;
      });
      copyIn.lastUses = {{loop.event, atLoop, y}};
    }
    EventOps front;
    front.push_back(std::move(making));
    front.push_back(std::move(copyIn));
    if (back >= 0)
      ops.insert(ops.begin() + l + 1, std::move(copyBack));
    ops.insert(ops.begin() + l, std::make_move_iterator(front.begin()), std::make_move_iterator(front.end()));
    return true;
  }

  /// A loop whose end waits for each processor's own work ends for each processor by itself. Waits of loops that others
  /// of them imply are left out.
  void tidy(EventOps &ops) {
    for (EventOp &op : ops)
      tidy(op.body);
    for (size_t l = 0; l < ops.size(); ++l) {
      if (ops[l].kind != EventOp::Loop && ops[l].kind != EventOp::Range)
        continue;
      EventOp &loop = ops[l];
      std::set<int> waited;
      eachOp(loop.body, [&](const EventOp &op) {
        for (const EventRef &ref : op.after)
          waited.insert(ref.event);
      });
      llvm::erase_if(loop.yields, [&](const EventRef &ref) { return waited.count(ref.event); });
      if (loop.kind != EventOp::Loop || !loop.dims.empty() || loop.yields.empty())
        continue;
      // Dimensions of which every wait takes one element.
      std::optional<std::vector<EventDim>> dims;
      for (const EventRef &ref : loop.yields)
        for (const EventOp &op : loop.body) {
          if (op.event != ref.event)
            continue;
          std::vector<EventDim> own;
          for (auto [dim, at] : llvm::zip(op.dims, ref.at))
            if (at == dim.index && (!dims || llvm::is_contained(*dims, dim)))
              own.push_back(dim);
          dims = own;
        }
      if (!dims || dims->empty())
        continue;
      for (EventRef &ref : loop.yields)
        for (std::string &at : ref.at)
          if (llvm::none_of(*dims, [&](const EventDim &dim) { return dim.index == at; }))
            at = everyProcessor.str();
      loop.dims = *dims;
      int event = loop.event;
      eachOp(graph.ops, [&](EventOp &op) {
        eachRefs(op, [&](std::vector<EventRef> &refs) {
          for (EventRef &ref : refs)
            if (ref.event == event)
              for (const EventDim &dim : loop.dims)
                ref.at.push_back(llvm::is_contained(op.dims, dim) ? dim.index : everyProcessor.str());
        });
      });
    }
  }
};

} // namespace

bool hoistCopies(EventRewriter &rewriter, EventOps &ops) { return Loops(rewriter.graph).hoist(ops); }
bool carryTiles(EventRewriter &rewriter, EventOps &ops) { return Loops(rewriter.graph).carry(ops); }
void endLoopsApart(EventGraph &graph, EventOps &ops) { Loops(graph).tidy(ops); }

} // namespace heddle
