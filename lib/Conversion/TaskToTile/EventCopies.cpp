//===- EventCopies.cpp - copies that nothing needs ----------------------------===//
//
// What:      the patterns of Cypress (section 4.2.3, Figure 10), after Sequoia (Knight et al., PPoPP 2007), each until
//            none applies; those that can give up waits for all processors come first.
//
//   spill         x -> t.p; t.p -> y            y is x, and waits for the same processor only
//   overwritten   x -> t.p; .. z -> t.p        the second only, where nobody reads t.p between
//   hoist         for { t.p -> y; ..; y -> t.p }    the copies move in front of the loop and behind it
//   carry         for { t.p -> y; ..; z -> t.p }    z is y, where y is no longer used when z begins
//   duplicate     s -> x; s -> y, only read     y is x
//   pass through  x -> t.p; t.p -> y            x -> y where x and y lie in different memories
//   fragments     x.f -> t.f for all f          x -> t: a warp group's tile in registers lies in fragments anyway
//   self          s -> x in one memory, or in NONE   x is s; who waited for the copy waits for what it waited for
//   dead          x -> t, which nobody reads    nothing
//
// Trusts:    that what a graph orders is right before each pattern; EventGraph::race finds where it is not.
//
//===----------------------------------------------------------------------===//
#include "EventRewriter.h"

#include <set>

namespace heddle {
namespace {

class Copies : public EventRewriter {
public:
  explicit Copies(EventGraph &graph) : EventRewriter(graph) {}

  void run() {
    do {
      while (anywhere(graph.ops))
        ;
    } while (passAnywhere(graph.ops));
    dropUnused(graph.ops);
    endLoopsApart(graph, graph.ops);
  }

private:
  //===--- Patterns on one block ------------------------------------------===//

  bool anywhere(EventOps &ops) {
    for (EventOp &op : ops)
      if (!op.body.empty() && anywhere(op.body))
        return true;
    return spill(ops) || overwritten(ops) || hoistCopies(*this, ops) || carryTiles(*this, ops) || duplicate(ops) ||
           fragments(ops) || self(ops) || dead(ops);
  }

  bool passAnywhere(EventOps &ops) {
    return passThrough(ops) || llvm::any_of(ops, [&](EventOp &op) { return passAnywhere(op.body); });
  }

  /// The first pair of a copy into a part and one out of it that `matches`, with nothing between that changes either.
  template <typename Fn> bool pair(EventOps &ops, Fn matches) {
    for (size_t j = 0; j < ops.size(); ++j) {
      if (ops[j].kind != EventOp::Copy || ops[j].adds)
        continue;
      for (size_t i = j; i-- > 0;) {
        const EventOp &first = ops[i];
        if (first.kind == EventOp::Copy && !first.adds && first.to.tensor == ops[j].from.tensor && matches(i, j))
          return true;
        if (writes(first, ops[j].from))
          break;
      }
    }
    return false;
  }

  bool spill(EventOps &ops) {
    return pair(ops, [&](size_t i, size_t j) {
      EventOp &in = ops[i], &out = ops[j];
      std::vector<EventDim> extra = dimsBehind(out, in);
      bool isExact = in.to == out.from && in.dims == out.dims;
      int x = in.from.tensor, y = out.to.tensor;
      if ((!isExact && !(isFragmentOf(in.to, out.from, extra) && !extra.empty())) || tensor(x).isGiven ||
          tensor(x).memory != tensor(y).memory || !out.to.steps.empty() || positionOfMake(ops, x) < 0 ||
          positionOfMake(ops, y) < 0 || !in.from.steps.empty())
        return false;
      for (size_t k = i + 1; k < ops.size(); ++k)
        if (k != j && (k < j ? writes(ops[k], in.from) : accesses(ops[k], in.from)))
          return false;
      EventPart by = in.from;
      by.steps.insert(by.steps.end(), out.from.steps.begin() + in.to.steps.size(), out.from.steps.end());
      EventOp gone = out, kept = in;
      ops.erase(ops.begin() + j);
      replaceEvent(graph.ops, gone.event, [&](const EventRef &ref) {
        if (ref.tensor != y) { // for the sake of what is copied from: whoever has it now has read it
          std::vector<EventRef> refs = composed(gone.lastUses, gone.dims, ref.at);
          for (EventRef &wait : refs)
            wait.tensor = ref.tensor;
          return refs;
        }
        EventRef wait{kept.event, {ref.at.begin(), ref.at.begin() + kept.dims.size()}, y};
        return std::vector<EventRef>{wait};
      });
      replaceTensor(y, by);
      return true;
    });
  }

  bool overwritten(EventOps &ops) {
    for (size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != EventOp::Copy || ops[i].adds || tensor(ops[i].to.tensor).isGiven)
        continue;
      for (size_t j = i + 1; j < ops.size(); ++j) {
        const EventOp &later = ops[j];
        if (later.kind == EventOp::Copy && !later.adds && later.to == ops[i].to && later.dims == ops[i].dims &&
            later.from.tensor != later.to.tensor) {
          EventOp gone = std::move(ops[i]);
          ops.erase(ops.begin() + i);
          forward(gone);
          return true;
        }
        if (accesses(later, ops[i].to))
          break;
      }
    }
    return false;
  }

  bool passThrough(EventOps &ops) {
    return pair(ops, [&](size_t i, size_t j) {
      EventOp &in = ops[i], &out = ops[j];
      if (in.to != out.from || in.dims != out.dims || in.from == out.from || tensor(in.to.tensor).isGiven)
        return false;
      for (size_t k = i + 1; k < ops.size(); ++k)
        if (writes(ops[k], in.from))
          return false;
      out.from = in.from;
      std::vector<EventRef> waits;
      for (const EventRef &ref : out.after)
        if (ref.tensor != in.to.tensor)
          addRefs(waits, ref);
      std::vector<std::string> at;
      for (const EventDim &dim : in.dims)
        at.push_back(dim.index);
      addRefs(waits, EventRef{in.event, at, in.from.tensor});
      out.after = waits;
      return true;
    });
  }

  bool isOnlyRead(int wanted, const EventOp &maker) {
    bool only = true;
    eachOp(graph.ops, [&](const EventOp &op) {
      eachPart(op, [&](const EventPart &part, EventAccess access, bool) {
        only &= part.tensor != wanted || access == EventAccess::Read || op.event == maker.event;
      });
    });
    return only;
  }

  bool duplicate(EventOps &ops) {
    for (size_t j = 0; j < ops.size(); ++j) {
      if (ops[j].kind != EventOp::Copy || ops[j].adds || !ops[j].to.steps.empty() ||
          !isOnlyRead(ops[j].to.tensor, ops[j]))
        continue;
      for (size_t i = j; i-- > 0;) {
        EventOp &first = ops[i];
        if (first.kind == EventOp::Copy && !first.adds && first.from == ops[j].from && first.dims == ops[j].dims &&
            first.to.steps.empty() && first.to.tensor != ops[j].to.tensor &&
            tensor(first.to.tensor).memory == tensor(ops[j].to.tensor).memory && isOnlyRead(first.to.tensor, first) &&
            positionOfMake(ops, first.to.tensor) >= 0 && positionOfMake(ops, ops[j].to.tensor) >= 0) {
          EventOp gone = ops[j];
          int kept = first.event;
          EventPart by = first.to;
          addRefs(first.lastUses, gone.lastUses);
          ops.erase(ops.begin() + j);
          replaceEvent(graph.ops, gone.event,
                       [&](const EventRef &ref) { return std::vector<EventRef>{{kept, ref.at, ref.tensor}}; });
          replaceTensor(gone.to.tensor, by);
          return true;
        }
        if (writes(first, ops[j].from))
          break;
      }
    }
    return false;
  }

  /// All fragments are copied to the same fragments: the whole is.
  bool fragments(EventOps &ops) {
    for (EventOp &op : ops) {
      if (op.kind != EventOp::Copy || op.from.steps.empty() || op.to.steps.empty() || op.dims.empty())
        continue;
      const EventStep &last = op.to.steps.back();
      if (!(op.from.steps.back() == last) || !last.fragment ||
          last.at != std::vector<std::string>{op.dims.back().index})
        continue;
      std::string index = op.dims.back().index;
      op.from.steps.pop_back();
      op.to.steps.pop_back();
      op.dims.pop_back();
      eachRefs(op, [&](std::vector<EventRef> &refs) {
        for (EventRef &ref : refs)
          for (std::string &at : ref.at)
            if (at == index)
              at = everyProcessor.str();
      });
      size_t dims = op.dims.size();
      replaceEvent(graph.ops, op.event, [&](const EventRef &ref) {
        EventRef wait = ref;
        wait.at.resize(dims);
        return std::vector<EventRef>{wait};
      });
      return true;
    }
    return false;
  }

  /// A tensor that would lie in the memory of what it is copied from and to.
  bool self(EventOps &ops) {
    for (const EventOp &making : ops) {
      if (making.kind != EventOp::Make)
        continue;
      int f = making.tensor;
      EventPart whole{f, {}};
      std::optional<size_t> first, last;
      bool isChanged = false;
      for (auto [i, op] : llvm::enumerate(ops))
        if (accesses(op, whole)) {
          first = first.value_or(i);
          last = i;
        }
      if (!first)
        continue;
      bool isIn = ops[*first].kind == EventOp::Copy && ops[*first].to == whole && !ops[*first].adds;
      bool isOut = ops[*last].kind == EventOp::Copy && ops[*last].from == whole;
      if (!isIn && !isOut)
        continue;
      EventPart other = isIn ? ops[*first].from : ops[*last].to;
      isOut &= ops[*last].to == other;
      const std::string &memory = tensor(f).memory;
      if (other.tensor == f || (memory != noMemory && !memory.empty() && memory != tensor(other.tensor).memory) ||
          positionOfMake(ops, other.tensor) > static_cast<int>(*first))
        continue;
      std::vector<size_t> copies;
      if (isIn)
        copies.push_back(*first);
      if (isOut)
        copies.push_back(*last);
      for (auto [i, op] : llvm::enumerate(ops))
        isChanged |= !llvm::is_contained(copies, i) && writes(op, whole);
      if (isChanged && !isOut)
        continue;
      // Between, nobody else changes what it is a part of, nor sees what it makes of it.
      bool isFree = true;
      for (size_t i = *first; i <= *last; ++i)
        if (!llvm::is_contained(copies, i))
          isFree &= isChanged ? !accesses(ops[i], other) : !writes(ops[i], other);
      if (!isFree)
        continue;
      if (isOut)
        waitForReaders(ops, whole, other, *first, *last);
      std::vector<EventOp> gone;
      for (size_t i : llvm::reverse(copies)) {
        gone.push_back(ops[i]);
        ops.erase(ops.begin() + i);
      }
      EventPart by = other;
      bool adds = llvm::any_of(gone, [](const EventOp &op) { return op.adds; });
      if (adds)
        reduceInto(f);
      // A copy that is left out may be what another one waited for.
      for (size_t n = 0; n < gone.size(); ++n) {
        for (size_t m = 0; m < gone.size(); ++m)
          if (m != n)
            replaceIn(gone[m], gone[n]);
        forward(gone[n]);
      }
      replaceTensor(f, by);
      return true;
    }
    return false;
  }

  /// Who writes `whole` will write `other`, and has to wait for those who read that before, as copy `out` did:
  /// those in front of `first`, the first access of `whole`.
  static void waitForReaders(EventOps &ops, const EventPart &whole, const EventPart &other, size_t first, size_t out) {
    std::set<int> behind;
    for (size_t i = first; i < ops.size(); ++i) {
      behind.insert(ops[i].event);
      eachOp(ops[i].body, [&](const EventOp &op) { behind.insert(op.event); });
    }
    std::vector<EventRef> readers;
    for (const EventRef &ref : ops[out].after)
      if (ref.tensor == other.tensor && !behind.count(ref.event))
        readers.push_back(ref);
    for (size_t i = 0; i < out; ++i) {
      EventOp &op = ops[i];
      if (!writes(op, whole))
        continue;
      for (EventRef wait : readers) {
        for (std::string &at : wait.at) // as far as the writer tells processors apart
          if (llvm::none_of(op.dims, [&](const EventDim &dim) { return dim.index == at; }))
            at = everyProcessor.str();
        if (wait.event != op.event)
          addRefs(op.after, wait);
      }
    }
  }

  void replaceIn(EventOp &op, const EventOp &gone) {
    EventOps one;
    one.push_back(std::move(op));
    replaceEvent(one, gone.event, [&](const EventRef &ref) {
      std::vector<EventRef> refs = composed(gone.after, gone.dims, ref.at);
      for (EventRef &wait : refs)
        wait.tensor = ref.tensor;
      return refs;
    });
    op = std::move(one.front());
  }

  /// What was added at the end is added by who writes the tensor.
  void reduceInto(int tensor) {
    eachOp(graph.ops, [&](EventOp &op) {
      for (EventArgument &argument : op.arguments)
        if (argument.part.tensor == tensor)
          argument.access = EventAccess::Reduce;
      if (op.kind == EventOp::Copy && op.to.tensor == tensor)
        op.adds = true;
    });
  }

  bool dead(EventOps &ops) {
    for (size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != EventOp::Copy || isRead(ops[i].to.tensor))
        continue;
      EventOp gone = std::move(ops[i]);
      ops.erase(ops.begin() + i);
      forward(gone);
      return true;
    }
    return false;
  }

  //===--- At the end -----------------------------------------------------===//

  void dropUnused(EventOps &ops) {
    llvm::erase_if(ops, [&](const EventOp &op) {
      if (op.kind != EventOp::Make)
        return false;
      bool used = false;
      eachOp(graph.ops, [&](const EventOp &other) {
        eachPart(other, [&](const EventPart &part, EventAccess, bool) { used |= part.tensor == op.tensor; });
      });
      return !used;
    });
    for (EventOp &op : ops)
      dropUnused(op.body);
  }
};

} // namespace

void eliminateCopies(EventGraph &graph) { Copies(graph).run(); }

} // namespace heddle
