//===- EventVectorise.cpp - ranges over processors of a block, flattened ------===//
//
// What:      a range over warp groups, warps or threads -> its body, for each of them; the innermost first. Every event
//            in it gets a dimension. What its body waited for, it waits for one by one; who waited for the range
//            waits for all.
//
//===----------------------------------------------------------------------===//
#include "EventPasses.h"

#include <set>

namespace heddle {

static bool isImplicit(const EventOp &op) {
  return op.kind == EventOp::Range && llvm::is_contained({warpGroupLevel, warpLevel, threadLevel}, op.level);
}

/// Dimensions of the flattened range: no index is called as one of those inside.
static std::vector<EventDim> dimsOf(const EventOp &range) {
  std::set<std::string> taken;
  eachOp(range.body, [&](const EventOp &op) {
    for (const EventDim &dim : op.dims)
      taken.insert(dim.index);
  });
  std::vector<EventDim> dims;
  for (const std::string &extent : range.extents) {
    std::string base = llvm::StringRef(range.level).lower(), name = base;
    for (int n = 1; !taken.insert(name).second; ++n)
      name = base + std::to_string(n);
    dims.push_back({range.level, extent, name});
  }
  return dims;
}

static void renameIn(std::vector<std::string> &texts, const EventOp &range, llvm::ArrayRef<EventDim> dims) {
  for (std::string &text : texts)
    for (auto [variable, dim] : llvm::zip(range.variables, dims))
      text = replaceName(text, variable, dim.index);
}

static EventOps flatten(EventGraph &graph, EventOp range) {
  std::vector<EventDim> dims = dimsOf(range);
  std::vector<std::string> own;
  for (const EventDim &dim : dims)
    own.push_back(dim.index);
  std::set<int> events;
  eachOp(range.body, [&](const EventOp &op) { events.insert(op.event); });
  replaceEvent(graph.ops, range.event, [&](const EventRef &ref) {
    std::vector<EventRef> inside;
    for (const EventRef &end : range.yields)
      if (end.tensor == ref.tensor) {
        EventRef wait = end;
        wait.at.insert(wait.at.begin(), ref.at.begin(), ref.at.end());
        addRefs(inside, wait);
      }
    return inside;
  });
  for (EventOp &op : range.body)
    for (const EventRef &ref : range.after) {
      bool isOrdered = llvm::any_of(
          op.after, [&](const EventRef &other) { return other.tensor == ref.tensor && events.count(other.event); });
      if (touches(op, ref.tensor) && !isOrdered)
        addRefs(op.after, ref);
    }
  eachOp(range.body, [&](EventOp &op) {
    if (op.kind == EventOp::Make)
      graph.tensors[op.tensor].dims.insert(graph.tensors[op.tensor].dims.begin(), dims.begin(), dims.end());
    else
      op.dims.insert(op.dims.begin(), dims.begin(), dims.end());
    eachRefs(op, [&](std::vector<EventRef> &refs) {
      for (EventRef &ref : refs) {
        renameIn(ref.at, range, dims);
        if (events.count(ref.event))
          ref.at.insert(ref.at.begin(), own.begin(), own.end());
      }
    });
    eachPart(op, [&](EventPart &part, EventAccess, bool) {
      for (EventStep &step : part.steps)
        renameIn(step.at, range, dims);
    });
    renameIn(op.extents, range, dims);
  });
  return std::move(range.body);
}

static void vectorise(EventGraph &graph, EventOps &ops) {
  for (size_t i = 0; i < ops.size();) {
    vectorise(graph, ops[i].body);
    if (!isImplicit(ops[i])) {
      ++i;
      continue;
    }
    EventOp range = std::move(ops[i]);
    ops.erase(ops.begin() + i);
    EventOps body = flatten(graph, std::move(range));
    ops.insert(ops.begin() + i, std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    i += body.size();
  }
}

void vectorise(EventGraph &graph) { vectorise(graph, graph.ops); }

} // namespace heddle
