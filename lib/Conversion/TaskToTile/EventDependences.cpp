//===- EventDependences.cpp - the events of a task tree -----------------------===//
//
// What:      see Events.h: the task tree, each launch with a tensor of its own for each argument, copied in if the task
//            reads it and out if it writes it, and the events that each operation waits for.
// Algorithm: one walk in program order. In each scope (the body of a range or loop) every tensor has the accesses that
//            a later one has to wait for; a write forgets those that it waits for. What a body does with tensors from
//            outside, the range or loop does outside.
//
//===----------------------------------------------------------------------===//
#include "EventPasses.h"
#include "heddle/Dialect/Tile/SourceNames.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace mlir;
namespace heddle {
namespace {

/// A scalar: a number, or what it is called.
struct Expr {
  std::optional<int64_t> constant;
  std::string text;

  static Expr of(int64_t number) { return {number, std::to_string(number)}; }
  bool operator==(const Expr &other) const { return text == other.text; }
};

struct KnownTensor {
  EventPart part;
  SmallVector<Expr> shape;
};

struct KnownPartition {
  KnownTensor of;
  SmallVector<Expr> sizes; ///< of blocks
  SmallVector<bool> dropped;
  std::string division;
  SmallVector<char> roles; ///< of task.mma
  Expr pieces;
};

struct Context {
  const TaskInstance &instance;
  task::VariantOp variant;
  DenseMap<Value, Expr> scalars{};
  DenseMap<Value, KnownTensor> tensors{};
  DenseMap<Value, KnownPartition> partitions{};
};

class Walk {
public:
  explicit Walk(const Instances &tree) : tree(tree) {}

  EventGraph run() {
    const TaskInstance &entry = tree.mapping().entry();
    Context context{entry, tree.variantOf(entry)};
    task::TaskOp task = task::taskOf(context.variant);
    scopes.push_back({&graph.ops, {}, {}});
    graph.sharedLimit = tree.machine().memoryCapacity("smem");
    for (const TaskInstance &instance : tree.mapping().instances())
      graph.sharedLimit = std::min(graph.sharedLimit, instance.smem.value_or(graph.sharedLimit));
    for (auto [i, argument] : llvm::enumerate(context.variant.getBody().getArguments())) {
      task::ParameterAttr parameter = task.getParameter(i);
      if (!parameter.isTensor()) {
        context.scalars[argument] = {{}, parameter.getName().str()};
        continue;
      }
      SmallVector<Expr> shape;
      for (Attribute dim : parameter.getDims()) {
        auto number = dyn_cast<IntegerAttr>(dim);
        shape.push_back(number ? Expr::of(number.getInt()) : Expr{{}, cast<StringAttr>(dim).str()});
      }
      int tensor = makeTensor(parameter.getName().getValue(), shape, parameter.getType(), "GLOBAL");
      graph.tensors[tensor].isGiven = true;
      context.tensors[argument] = {{tensor, {}}, shape};
    }
    runVariant(context);
    return std::move(graph);
  }

private:
  struct Use {
    EventRef ref;
    EventPart part;
    EventAccess access;
  };
  struct Scope {
    EventOps *ops;
    std::map<int, std::vector<Use>> uses;   ///< by tensor
    std::map<int, EventAccess> fromOutside; ///< by tensor
  };

  std::string uniqueName(StringRef wanted) {
    std::string base = wanted.empty() ? "t" : wanted.str(), name = base;
    for (int n = 1; !names.insert(name).second; ++n)
      name = base + "_" + std::to_string(n);
    return name;
  }

  int makeTensor(StringRef name, ArrayRef<Expr> shape, Type type, StringRef memory) {
    EventTensor tensor;
    tensor.name = uniqueName(name);
    tensor.memory = memory.str();
    llvm::raw_string_ostream(tensor.type) << type;
    tensor.bytes = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
    for (const Expr &size : shape) {
      tensor.shape.push_back(size.text);
      tensor.bytes *= size.constant.value_or(0);
    }
    graph.tensors.push_back(tensor);
    depths.push_back(scopes.size());
    return graph.tensors.size() - 1;
  }

  void emitMake(int tensor) {
    EventOp op{EventOp::Make};
    op.tensor = tensor;
    scopes.back().ops->push_back(std::move(op));
  }

  std::vector<EventRef> before(const EventPart &part, EventAccess access) {
    Scope &scope = scopes.back();
    if (depths[part.tensor] < scopes.size()) {
      auto [it, isNew] = scope.fromOutside.try_emplace(part.tensor, access);
      if (!isNew && it->second != access)
        it->second = EventAccess::Write;
    }
    std::vector<EventRef> refs;
    for (const Use &use : scope.uses[part.tensor])
      if (conflict(use.access, access) && mayOverlap(use.part, part))
        addRefs(refs, use.ref);
    return refs;
  }

  void record(const EventPart &part, EventAccess access, EventRef ref) {
    ref.tensor = part.tensor;
    std::vector<Use> &uses = scopes.back().uses[part.tensor];
    if (access == EventAccess::Write)
      llvm::erase_if(uses, [&](const Use &use) {
        return use.part.steps.size() >= part.steps.size() &&
               std::equal(part.steps.begin(), part.steps.end(), use.part.steps.begin());
      });
    uses.push_back({ref, part, access});
  }

  EventOp &emitCopy(const EventPart &from, const EventPart &to, bool adds) {
    EventOp op{EventOp::Copy, graph.events++};
    op.from = from;
    op.to = to;
    op.adds = adds;
    EventAccess access = adds ? EventAccess::Reduce : EventAccess::Write;
    addRefs(op.after, before(from, EventAccess::Read));
    addRefs(op.after, before(to, access));
    record(from, EventAccess::Read, {op.event, {}, -1});
    record(to, access, {op.event, {}, -1});
    scopes.back().ops->push_back(std::move(op));
    return scopes.back().ops->back();
  }

  void runVariant(Context &context) {
    if (context.variant.isLeaf())
      return runLeaf(context);
    runBlock(context, context.variant.getBody().front());
  }

  void runLeaf(Context &context) {
    EventOp op{EventOp::Call, graph.events++};
    op.instance = context.instance.name;
    task::TaskOp task = task::taskOf(context.variant);
    for (auto [i, argument] : llvm::enumerate(context.variant.getBody().getArguments())) {
      task::ParameterAttr parameter = task.getParameter(i);
      if (!parameter.isTensor())
        continue;
      EventAccess access = parameter.getPrivilege() == task::Privilege::Reduce ? EventAccess::Reduce
                           : parameter.isWritten()                             ? EventAccess::Write
                                                                               : EventAccess::Read;
      op.arguments.push_back({context.tensors[argument].part, access, parameter.isRead()});
    }
    for (const EventArgument &argument : op.arguments)
      addRefs(op.after, before(argument.part, argument.access));
    for (const EventArgument &argument : op.arguments)
      record(argument.part, argument.access, {op.event, {}, -1});
    scopes.back().ops->push_back(std::move(op));
  }

  void runBlock(Context &context, Block &block) {
    for (Operation &op : block.without_terminator())
      runOperation(context, op);
  }

  void runOperation(Context &context, Operation &op) {
    if (auto launch = dyn_cast<task::LaunchOp>(op))
      return runLaunch(context, launch);
    if (isa<task::PRangeOp, task::SRangeOp>(op))
      return runRange(context, op);
    if (auto make = dyn_cast<task::MakeTensorOp>(op)) {
      SmallVector<Expr> shape = listed(context, make.getStaticSizes(), make.getSizes());
      int tensor = makeTensor(tile::sourceName(make.getResult()), shape, make.getElementType(), "");
      context.tensors[make] = {{tensor, {}}, shape};
      return emitMake(tensor);
    }
    if (auto blocks = dyn_cast<task::BlocksOp>(op))
      return divide(context, blocks);
    if (auto mma = dyn_cast<task::MmaOp>(op)) {
      KnownPartition partition{context.tensors[mma.getTensor()]};
      partition.pieces = listed(context, mma.getStaticPieces(), mma.getPieces())[0];
      partition.division = "mma";
      for (Attribute role : mma.getRoles()) {
        partition.roles.push_back(cast<StringAttr>(role).getValue()[0]);
        partition.division += std::string(" ") + partition.roles.back();
      }
      partition.division += " / " + partition.pieces.text;
      context.partitions[mma] = partition;
      return;
    }
    if (auto piece = dyn_cast<task::PieceOp>(op))
      return takePiece(context, piece);
    context.scalars[op.getResult(0)] = scalarOf(context, op);
  }

  static SmallVector<Expr> listed(Context &context, ArrayRef<int64_t> numbers, ValueRange values) {
    SmallVector<Expr> all;
    auto value = values.begin();
    for (int64_t number : numbers)
      all.push_back(ShapedType::isDynamic(number) ? context.scalars[*value++] : Expr::of(number));
    return all;
  }

  void divide(Context &context, task::BlocksOp blocks) {
    KnownPartition partition{context.tensors[blocks.getTensor()]};
    auto value = blocks.getSizes().begin();
    for (auto [d, size] : llvm::enumerate(blocks.getStaticSizes())) {
      bool isFull = size == task::BlocksOp::full;
      Expr chosen = isFull                        ? partition.of.shape[d]
                    : ShapedType::isDynamic(size) ? context.scalars[*value++]
                                                  : Expr::of(size);
      partition.division += (d ? " x " : "") + (chosen == partition.of.shape[d] ? "full" : chosen.text);
      partition.sizes.push_back(chosen);
      partition.dropped.push_back(blocks.isDropped(d));
    }
    context.partitions[blocks] = partition;
  }

  void takePiece(Context &context, task::PieceOp op) {
    const KnownPartition &partition = context.partitions[op.getPartition()];
    KnownTensor piece = partition.of;
    SmallVector<Expr> indices = listed(context, op.getStaticIndices(), op.getIndices());
    EventStep step;
    step.division = partition.division;
    step.fragment = !partition.roles.empty();
    for (const Expr &index : indices)
      step.at.push_back(index.text);
    bool isWhole = !step.fragment;
    if (step.fragment) {
      bool isThread = partition.pieces.constant == 32;
      for (auto [size, role] : llvm::zip(piece.shape, partition.roles)) {
        int64_t parts = role == 'm' ? (isThread ? 8 : 4) : role == 'n' && isThread ? 4 : 1;
        size = quotient(size, Expr::of(parts));
      }
    } else {
      piece.shape.clear();
      for (auto [size, whole, dropped, index] :
           llvm::zip(partition.sizes, partition.of.shape, partition.dropped, indices)) {
        isWhole &= size == whole && !dropped && index.constant == 0;
        if (!dropped)
          piece.shape.push_back(size);
      }
    }
    if (!isWhole)
      piece.part.steps.push_back(step);
    context.tensors[op] = piece;
  }

  static Expr quotient(const Expr &a, const Expr &b) {
    if (b.constant == 1)
      return a;
    if (a == b)
      return Expr::of(1);
    if (a.constant && b.constant && *b.constant > 0)
      return Expr::of(llvm::divideCeil(*a.constant, *b.constant));
    return {{}, "ceil(" + a.text + " / " + b.text + ")"};
  }

  Expr scalarOf(Context &context, Operation &op) {
    if (auto tunable = dyn_cast<task::TunableOp>(op)) {
      auto chosen = context.instance.tunables.find(tunable.getTunable().str());
      return Expr::of(chosen == context.instance.tunables.end() ? int64_t(tunable.getValue()) : chosen->second);
    }
    if (auto dim = dyn_cast<task::DimOp>(op))
      return context.tensors[dim.getTensor()].shape[dim.getDim()];
    if (auto count = dyn_cast<task::CountOp>(op)) {
      const KnownPartition &partition = context.partitions[count.getPartition()];
      return partition.roles.empty() ? quotient(partition.of.shape[count.getDim()], partition.sizes[count.getDim()])
                                     : partition.pieces;
    }
    return arithmetic(context, op);
  }

  /// As MLIR folds it; else the operation's name and its operands.
  static Expr arithmetic(Context &context, Operation &op) {
    SmallVector<Attribute> known;
    for (Value operand : op.getOperands()) {
      const Expr &expr = context.scalars[operand];
      bool isInteger = operand.getType().isIntOrIndex() && expr.constant;
      known.push_back(isInteger ? IntegerAttr::get(operand.getType(), *expr.constant) : IntegerAttr());
    }
    Operation *copy = op.clone(); // folding may reorder operands
    SmallVector<OpFoldResult> folded;
    Expr result{{}, ""};
    if (succeeded(copy->fold(known, folded)) && folded.size() == 1) {
      if (auto value = dyn_cast<Value>(folded[0]))
        result = context.scalars[value];
      else if (auto number = dyn_cast<IntegerAttr>(cast<Attribute>(folded[0])))
        result = Expr::of(number.getValue().getSExtValue());
      else
        llvm::raw_string_ostream(result.text) << cast<Attribute>(folded[0]);
    }
    copy->destroy();
    if (!result.text.empty())
      return result;
    result.text = op.getName().stripDialect().str() + "(";
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      result.text += (i ? ", " : "") + context.scalars[operand].text;
    result.text += ")";
    return result;
  }

  /// The level to whose processors the iterations of a range go; empty: they stay within one.
  std::string levelOf(Context &context, Operation &range) {
    std::string level;
    range.walk([&](task::LaunchOp launch) {
      level = tree.callee(context.instance, launch).proc;
      return WalkResult::interrupt();
    });
    return level == context.instance.proc ? "" : level;
  }

  void runRange(Context &context, Operation &range) {
    bool isParallel = isa<task::PRangeOp>(range);
    EventOp op{isParallel ? EventOp::Range : EventOp::Loop, graph.events++};
    op.level = isParallel ? levelOf(context, range) : "";
    if (!isParallel)
      op.slots = context.instance.pipeline.value_or(1);
    Block &body = range.getRegion(0).front();
    for (auto [argument, bound] : llvm::zip(body.getArguments(), range.getOperands())) {
      std::string name = uniqueName(tile::sourceName(argument));
      op.variables.push_back(name);
      op.extents.push_back(context.scalars[bound].text);
      context.scalars[argument] = {{}, name};
      if (isParallel)
        op.dims.push_back({op.level.empty() ? context.instance.proc : op.level, op.extents.back(), name});
    }
    EventOps made;
    scopes.push_back({&made, {}, {}});
    runBlock(context, body);
    Scope inner = std::move(scopes.back());
    scopes.pop_back();
    op.body = std::move(made);
    for (auto [tensor, access] : inner.fromOutside) {
      addRefs(op.after, before({tensor, {}}, access));
      for (const Use &use : inner.uses[tensor])
        addRefs(op.yields, use.ref);
    }
    std::vector<std::string> all(op.dims.size(), everyProcessor.str());
    for (auto [tensor, access] : inner.fromOutside)
      record({tensor, {}}, access, {op.event, all, -1});
    scopes.back().ops->push_back(std::move(op));
  }

  void runLaunch(Context &caller, task::LaunchOp launch) {
    const TaskInstance &instance = tree.callee(caller.instance, launch);
    Context context{instance, tree.variantOf(instance)};
    task::TaskOp task = task::taskOf(context.variant);
    struct Copied {
      EventPart own, callers;
      task::ParameterAttr parameter;
      int copyIn = -1; ///< its event
    };
    SmallVector<Copied> copies;
    for (auto [i, argument] : llvm::enumerate(context.variant.getBody().getArguments())) {
      task::ParameterAttr parameter = task.getParameter(i);
      Value given = launch.getArguments()[i];
      if (!parameter.isTensor()) {
        context.scalars[argument] = caller.scalars[given];
        continue;
      }
      KnownTensor tensor = caller.tensors[given];
      StringRef memory = instance.mems.empty() ? StringRef() : StringRef(instance.mems[copies.size()]);
      int own = makeTensor(parameter.getName().getValue(), tensor.shape, parameter.getType(), memory);
      emitMake(own);
      Copied copy{{own, {}}, tensor.part, parameter};
      if (parameter.isRead())
        copy.copyIn = emitCopy(tensor.part, copy.own, false).event;
      tensor.part = copy.own;
      context.tensors[argument] = tensor;
      copies.push_back(copy);
    }
    runVariant(context);
    for (const Copied &copy : copies) {
      std::vector<EventRef> last;
      for (const Use &use : scopes.back().uses[copy.own.tensor])
        addRefs(last, use.ref);
      for (EventOp &op : *scopes.back().ops)
        if (op.event == copy.copyIn && op.kind == EventOp::Copy)
          for (const EventRef &ref : last)
            if (ref.event != op.event)
              addRefs(op.lastUses, ref);
    }
    for (const Copied &copy : copies)
      if (copy.parameter.isWritten())
        emitCopy(copy.own, copy.callers, copy.parameter.getPrivilege() == task::Privilege::Reduce);
  }

  const Instances &tree;
  EventGraph graph;
  std::vector<Scope> scopes;
  std::vector<size_t> depths; ///< of the scopes in which tensors were made
  std::set<std::string> names;
};

} // namespace

EventGraph dependencesOf(const Instances &tree) { return Walk(tree).run(); }

FailureOr<EventGraph> eventsOf(ModuleOp program, const Mapping &mapping, const Machine &machine, EventStage stage) {
  FailureOr<Instances> tree = Instances::check(program, mapping, machine);
  if (failed(tree))
    return failure();
  EventGraph graph = dependencesOf(*tree);
  if (stage >= EventStage::Vectorised)
    vectorise(graph);
  if (stage >= EventStage::Copies)
    eliminateCopies(graph);
  if (stage >= EventStage::Memory)
    placeShared(graph);
  dropImplied(graph.ops);
  return graph;
}

} // namespace heddle
