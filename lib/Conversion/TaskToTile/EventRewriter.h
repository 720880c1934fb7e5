//===- EventRewriter.h - changes to graphs of events -------------------------===//
//
// What:   what the patterns that eliminate copies (EventCopies.cpp, EventLoops.cpp) ask and change.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TASKTOTILE_EVENTREWRITER_H
#define HEDDLE_LIB_CONVERSION_TASKTOTILE_EVENTREWRITER_H

#include "EventPasses.h"

namespace heddle {

class EventRewriter {
public:
  explicit EventRewriter(EventGraph &graph) : graph(graph) {}

  //===--- Questions ------------------------------------------------------===//

  const EventTensor &tensor(int number) const { return graph.tensors[number]; }

  static int positionOfMake(const EventOps &ops, int tensor) {
    for (auto [i, op] : llvm::enumerate(ops))
      if (op.kind == EventOp::Make && op.tensor == tensor)
        return i;
    return -1;
  }

  static bool writes(const EventOp &op, const EventPart &part) {
    bool found = false;
    eachPart(op, [&](const EventPart &other, EventAccess access, bool) {
      found |= other.tensor == part.tensor && access != EventAccess::Read && mayOverlap(other, part);
    });
    return found || llvm::any_of(op.body, [&](const EventOp &inner) { return writes(inner, part); });
  }

  static bool accesses(const EventOp &op, const EventPart &part) {
    bool found = false;
    eachPart(op, [&](const EventPart &other, EventAccess, bool) {
      found |= other.tensor == part.tensor && mayOverlap(other, part);
    });
    return found || llvm::any_of(op.body, [&](const EventOp &inner) { return accesses(inner, part); });
  }

  bool isRead(int wanted) const {
    bool found = tensor(wanted).isGiven;
    eachOp(graph.ops, [&](const EventOp &op) {
      eachPart(op, [&](const EventPart &part, EventAccess, bool reads) { found |= part.tensor == wanted && reads; });
    });
    return found;
  }

  /// `b` is `a` divided further into fragments, one for each of `extra`.
  static bool isFragmentOf(const EventPart &a, const EventPart &b, llvm::ArrayRef<EventDim> extra) {
    if (a.tensor != b.tensor || b.steps.size() != a.steps.size() + extra.size() ||
        !std::equal(a.steps.begin(), a.steps.end(), b.steps.begin()))
      return false;
    for (auto [i, dim] : llvm::enumerate(extra)) {
      const EventStep &step = b.steps[a.steps.size() + i];
      if (!step.fragment || step.at != std::vector<std::string>{dim.index})
        return false;
    }
    return true;
  }

  static std::vector<EventDim> dimsBehind(const EventOp &longer, const EventOp &shorter) {
    if (longer.dims.size() < shorter.dims.size() ||
        !std::equal(shorter.dims.begin(), shorter.dims.end(), longer.dims.begin()))
      return {};
    return {longer.dims.begin() + shorter.dims.size(), longer.dims.end()};
  }

  //===--- Changes --------------------------------------------------------===//

  /// Everybody names `by` instead of `old`, whose making goes.
  void replaceTensor(int old, const EventPart &by) {
    eachOp(graph.ops, [&](EventOp &op) {
      eachPart(op, [&](EventPart &part, EventAccess, bool) {
        if (part.tensor != old)
          return;
        EventPart whole = by;
        whole.steps.insert(whole.steps.end(), part.steps.begin(), part.steps.end());
        part = whole;
      });
      eachRefs(op, [&](std::vector<EventRef> &refs) {
        for (EventRef &ref : refs)
          if (ref.tensor == old)
            ref.tensor = by.tensor;
      });
    });
    eraseMake(graph.ops, old);
  }

  static void eraseMake(EventOps &ops, int tensor) {
    llvm::erase_if(ops, [&](const EventOp &op) { return op.kind == EventOp::Make && op.tensor == tensor; });
    for (EventOp &op : ops)
      eraseMake(op.body, tensor);
  }

  /// Who waited for the operation waits for what it waited for; who was to change what it reads, for what now reads it.
  void forward(const EventOp &op) {
    int from = op.from.tensor;
    replaceEvent(graph.ops, op.event, [&](const EventRef &ref) {
      std::vector<EventRef> refs = composed(op.after, op.dims, ref.at);
      for (EventRef &wait : refs)
        wait.tensor = ref.tensor;
      if (ref.tensor == from && from != op.to.tensor)
        for (EventRef wait : composed(op.lastUses, op.dims, ref.at)) {
          wait.tensor = ref.tensor;
          addRefs(refs, wait);
        }
      return refs;
    });
  }

  EventGraph &graph;
};

/// Copies into a loop and back: in front of it and behind it.
bool hoistCopies(EventRewriter &rewriter, EventOps &ops);
/// What a loop gives back under another name than it took it keeps the first one's.
bool carryTiles(EventRewriter &rewriter, EventOps &ops);
/// Loops whose end waits for each processor's own work end for each processor by themselves.
void endLoopsApart(EventGraph &graph, EventOps &ops);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TASKTOTILE_EVENTREWRITER_H
