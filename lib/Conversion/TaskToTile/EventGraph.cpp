//===- EventGraph.cpp - graphs of events: text, races, what passes share ------===//
//
// What:   questions about graphs of events (Events.h) that passes share: which operations touch a tensor, which waits
//         follow from others, which accesses nothing orders; and their text.
//
//===----------------------------------------------------------------------===//
#include "EventPasses.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

namespace heddle {

bool touches(const EventOp &op, int tensor) {
  bool found = op.tensor == tensor;
  eachPart(op, [&](const EventPart &part, EventAccess, bool) { found |= part.tensor == tensor; });
  return found || llvm::any_of(op.body, [&](const EventOp &inner) { return touches(inner, tensor); });
}

bool conflict(EventAccess a, EventAccess b) { return a != b || a == EventAccess::Write; }

static bool isNumber(const std::string &text) { return llvm::all_of(text, llvm::isDigit); }

bool mayOverlap(const EventPart &a, const EventPart &b) {
  for (auto [left, right] : llvm::zip(a.steps, b.steps)) {
    if (left.division != right.division)
      return true;
    for (auto [i, j] : llvm::zip(left.at, right.at))
      if (i != j && isNumber(i) && isNumber(j))
        return false;
    if (left.at != right.at)
      return true;
  }
  return true;
}

void addRefs(std::vector<EventRef> &refs, llvm::ArrayRef<EventRef> more) {
  for (const EventRef &ref : more)
    if (!llvm::is_contained(refs, ref))
      refs.push_back(ref);
}

std::vector<EventRef> composed(llvm::ArrayRef<EventRef> refs, llvm::ArrayRef<EventDim> dims,
                               llvm::ArrayRef<std::string> at) {
  std::vector<EventRef> seen(refs.begin(), refs.end());
  for (EventRef &ref : seen)
    for (std::string &index : ref.at)
      for (auto [dim, chosen] : llvm::zip(dims, at))
        if (index == dim.index) {
          index = chosen;
          break;
        }
  return seen;
}

void replaceEvent(EventOps &ops, int event, llvm::function_ref<std::vector<EventRef>(const EventRef &)> fn) {
  eachOp(ops, [&](EventOp &op) {
    eachRefs(op, [&](std::vector<EventRef> &refs) {
      if (llvm::none_of(refs, [&](const EventRef &ref) { return ref.event == event; }))
        return;
      std::vector<EventRef> others;
      for (const EventRef &ref : refs)
        addRefs(others, ref.event == event ? fn(ref) : std::vector<EventRef>{ref});
      // A copy that is left out may have been waited for by what it is now replaced with.
      llvm::erase_if(others, [&](const EventRef &ref) { return ref.event == op.event; });
      refs = std::move(others);
    });
  });
}

std::string replaceName(llvm::StringRef text, llvm::StringRef from, llvm::StringRef to) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string result;
  while (!text.empty()) {
    llvm::StringRef word = text.take_while(isWord);
    if (word.empty()) {
      result += text.front();
      text = text.drop_front();
      continue;
    }
    result += (word == from ? to : word).str();
    text = text.drop_front(word.size());
  }
  return result;
}

static bool isSameWait(const EventRef &a, const EventRef &b) { return a.event == b.event && a.at == b.at; }

/// Does whoever waits for `from` also wait for `wanted`, through operations of this block?
static bool implies(const EventOps &ops, const EventRef &from, const EventRef &wanted,
                    std::set<std::pair<int, std::vector<std::string>>> &seen) {
  if (!seen.insert({from.event, from.at}).second)
    return false;
  for (const EventOp &op : ops)
    if (op.event == from.event)
      for (const EventRef &ref : composed(op.after, op.dims, from.at))
        if (isSameWait(ref, wanted) || implies(ops, ref, wanted, seen))
          return true;
  return false;
}

void dropImplied(EventOps &ops) {
  for (EventOp &op : ops) {
    dropImplied(op.body);
    for (size_t i = 0; i < op.after.size();) {
      bool isImplied = false;
      std::set<std::pair<int, std::vector<std::string>>> seen;
      for (size_t k = 0; k < op.after.size(); ++k)
        isImplied |=
            k != i && (isSameWait(op.after[k], op.after[i]) ? k < i : implies(ops, op.after[k], op.after[i], seen));
      if (isImplied)
        op.after.erase(op.after.begin() + i);
      else
        ++i;
    }
  }
}

namespace {

class Printer {
public:
  Printer(const EventGraph &graph, std::string &text) : graph(graph), os(text) {
    eachOp(graph.ops, [&](const EventOp &op) {
      if (op.event >= 0)
        numbers.insert({op.event, numbers.size()});
    });
  }

  void print() {
    for (const EventTensor &tensor : graph.tensors)
      if (tensor.isGiven)
        os << describe(tensor) << "\n";
    print(graph.ops, 0);
    if (graph.places.empty())
      return;
    int64_t bytes = 0;
    for (const EventGraph::Place &place : graph.places)
      bytes = std::max(bytes, place.begin + place.bytes);
    os << "shared memory: " << bytes << " of " << graph.sharedLimit << " bytes";
    if (graph.lacking)
      os << ", " << graph.lacking << " over whatever shares bytes";
    os << "\n";
    for (const EventGraph::Place &place : graph.places) {
      os << "  " << graph.tensors[place.tensor].name << ": " << place.bytes << " bytes at " << place.begin;
      if (place.slots > 1)
        os << ", " << place.slots << " slots";
      os << "\n";
    }
    for (auto [first, second] : graph.shared)
      os << "  " << graph.tensors[second].name << " shares bytes with " << graph.tensors[first].name
         << ", and is written after that was last read\n";
  }

private:
  std::string describe(const EventTensor &tensor) {
    std::string text = tensor.name + ": [" + llvm::join(tensor.shape, ", ") + "] " + tensor.type + " in " +
                       (tensor.memory.empty() ? "a memory left open" : tensor.memory);
    for (auto [i, dim] : llvm::enumerate(tensor.dims))
      text += (i ? ", " : " for each of ") + dim.extent + " " + dim.level;
    return text;
  }

  std::string str(const EventPart &part) {
    std::string text = graph.tensors[part.tensor].name;
    for (const EventStep &step : part.steps)
      text += "{" + step.division + "}[" + llvm::join(step.at, ", ") + "]";
    return text;
  }

  std::string str(llvm::ArrayRef<EventRef> refs) {
    std::vector<std::string> all;
    std::set<std::string> seen;
    for (const EventRef &ref : refs) {
      auto it = numbers.find(ref.event);
      std::string text = "e" + (it == numbers.end() ? "?" : std::to_string(it->second));
      for (const std::string &index : ref.at)
        text += "[" + index + "]";
      if (seen.insert(text).second)
        all.push_back(text);
    }
    return llvm::join(all, ", ");
  }

  void print(const EventOps &ops, unsigned depth) {
    for (const EventOp &op : ops)
      print(op, depth);
  }

  void print(const EventOp &op, unsigned depth) {
    os.indent(2 * depth);
    if (op.kind == EventOp::Make) {
      os << "make " << describe(graph.tensors[op.tensor]) << "\n";
      return;
    }
    os << "e" << numbers[op.event];
    for (const EventDim &dim : op.dims)
      os << "[" << dim.extent << " " << dim.level << "]";
    os << " = ";
    if (op.kind == EventOp::Copy) {
      os << (op.adds ? "add " : "copy ") << str(op.from) << " to " << str(op.to);
    } else if (op.kind == EventOp::Call) {
      os << "call " << op.instance << "(";
      for (auto [i, argument] : llvm::enumerate(op.arguments))
        os << (i ? ", " : "") << accessOf(argument) << " " << str(argument.part);
      os << ")";
    } else {
      os << (op.kind == EventOp::Loop ? "for " : "pfor ") << llvm::join(op.variables, ", ") << " to "
         << llvm::join(op.extents, ", ");
      if (op.slots > 1)
        os << " pipeline " << op.slots;
    }
    if (!op.after.empty())
      os << " after " << str(op.after);
    if (op.kind == EventOp::Copy || op.kind == EventOp::Call) {
      os << "\n";
      return;
    }
    os << " {\n";
    print(op.body, depth + 1);
    os.indent(2 * depth + 2) << "yield " << str(op.yields) << "\n";
    os.indent(2 * depth) << "}\n";
  }

  static const char *accessOf(const EventArgument &argument) {
    if (argument.access == EventAccess::Read)
      return "read";
    if (argument.access == EventAccess::Reduce)
      return "reduce";
    return argument.reads ? "read_write" : "write";
  }

  const EventGraph &graph;
  llvm::raw_string_ostream os;
  std::map<int, size_t> numbers; ///< of events, in the order of the text
};

/// Looks for accesses that nothing orders. An operation inside a loop or range also waits for what that waits for, and
/// whoever waits for the loop waits for all that is in it.
class Races {
public:
  explicit Races(const EventGraph &graph) : graph(graph) { note(graph.ops, nullptr); }

  std::string find() {
    for (size_t j = 0; j < all.size(); ++j)
      for (size_t i = 0; i < j; ++i)
        if (std::string text = compare(*all[i], *all[j]); !text.empty())
          return text;
    return "";
  }

private:
  void note(const EventOps &ops, const EventOp *around) {
    for (const EventOp &op : ops) {
      parent[&op] = around;
      if (op.event >= 0)
        made[op.event] = &op;
      if (op.kind == EventOp::Copy || op.kind == EventOp::Call)
        all.push_back(&op);
      note(op.body, &op);
    }
  }

  std::string compare(const EventOp &a, const EventOp &b) {
    std::string text;
    eachPart(a, [&](const EventPart &mine, EventAccess one, bool) {
      eachPart(b, [&](const EventPart &other, EventAccess two, bool) {
        if (!text.empty() || mine.tensor != other.tensor || !conflict(one, two) || !mayOverlap(mine, other))
          return;
        // Processors whose pieces `b` does not keep apart have to be waited for together.
        std::set<std::string> together;
        for (const EventDim &dim : a.dims) {
          bool isSame = false;
          for (auto [x, y] : llvm::zip(mine.steps, other.steps)) {
            if (x != y)
              break;
            isSame |= llvm::is_contained(x.at, dim.index);
          }
          const std::vector<EventDim> &own = graph.tensors[mine.tensor].dims;
          isSame |= llvm::is_contained(own, dim); // each has a tensor of its own
          if (!isSame)
            together.insert(dim.index);
        }
        if (!reaches(b, a, together))
          text = "nothing orders two accesses of '" + graph.tensors[mine.tensor].name + "'";
      });
    });
    return text;
  }

  bool reaches(const EventOp &from, const EventOp &to, const std::set<std::string> &together) {
    std::set<std::pair<const EventOp *, std::set<std::string>>> seen;
    std::vector<std::pair<const EventOp *, std::set<std::string>>> open = {{&from, {}}};
    while (!open.empty()) {
      auto [op, done] = open.back();
      open.pop_back();
      if (!seen.insert({op, done}).second)
        continue;
      for (const EventOp *waiting = op; waiting; waiting = parent[waiting])
        for (const EventRef &ref : waiting->after) {
          auto it = made.find(ref.event);
          if (it == made.end())
            continue;
          std::set<std::string> now = done;
          for (auto [dim, index] : llvm::zip(it->second->dims, ref.at))
            if (index == everyProcessor)
              now.insert(dim.index);
          bool contains = false;
          for (const EventOp *inner = &to; inner; inner = parent[inner])
            contains |= inner == it->second;
          // All of a loop is waited for, by all processors.
          bool isAll = it->second->kind == EventOp::Loop || it->second->kind == EventOp::Range;
          if (contains && (isAll || std::includes(now.begin(), now.end(), together.begin(), together.end())))
            return true;
          open.push_back({it->second, now});
          eachOp(it->second->body, [&](const EventOp &inner) { open.push_back({&inner, now}); });
        }
    }
    return false;
  }

  const EventGraph &graph;
  std::vector<const EventOp *> all;
  std::map<const EventOp *, const EventOp *> parent;
  std::map<int, const EventOp *> made;
};

} // namespace

std::string EventGraph::str() const {
  std::string text;
  Printer(*this, text).print();
  return text;
}

std::string EventGraph::race() const { return Races(*this).find(); }

} // namespace heddle
