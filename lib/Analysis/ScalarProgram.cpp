//===- ScalarProgram.cpp - see ScalarProgram.h -----------------------------===//
//
// Two walks: backward from use numbers, bounds and conditions to the scalars that are needed; forward to steps. An
// iter_arg is one register for init, argument and result.
//
//===----------------------------------------------------------------------===//
#include "ScalarProgram.h"

#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace heddle {

static std::optional<ScalarKind> scalarKind(Operation *op) {
  using Kind = std::optional<ScalarKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case<arith::AddIOp>([](auto) { return ScalarKind::Add; })
      .Case<arith::SubIOp>([](auto) { return ScalarKind::Sub; })
      .Case<arith::MulIOp>([](auto) { return ScalarKind::Mul; })
      .Case<arith::DivSIOp>([](auto) { return ScalarKind::DivS; })
      .Case<arith::DivUIOp>([](auto) { return ScalarKind::DivU; })
      .Case<arith::CeilDivSIOp>([](auto) { return ScalarKind::CeilDivS; })
      .Case<arith::CeilDivUIOp>([](auto) { return ScalarKind::CeilDivU; })
      .Case<arith::FloorDivSIOp>([](auto) { return ScalarKind::FloorDivS; })
      .Case<arith::RemSIOp>([](auto) { return ScalarKind::RemS; })
      .Case<arith::RemUIOp>([](auto) { return ScalarKind::RemU; })
      .Case<arith::MinSIOp>([](auto) { return ScalarKind::MinS; })
      .Case<arith::MaxSIOp>([](auto) { return ScalarKind::MaxS; })
      .Case<arith::MinUIOp>([](auto) { return ScalarKind::MinU; })
      .Case<arith::MaxUIOp>([](auto) { return ScalarKind::MaxU; })
      .Case<arith::AndIOp>([](auto) { return ScalarKind::And; })
      .Case<arith::OrIOp>([](auto) { return ScalarKind::Or; })
      .Case<arith::XOrIOp>([](auto) { return ScalarKind::Xor; })
      .Case<arith::ShLIOp>([](auto) { return ScalarKind::Shl; })
      .Case<arith::ShRSIOp>([](auto) { return ScalarKind::ShrS; })
      .Case<arith::ShRUIOp>([](auto) { return ScalarKind::ShrU; })
      .Case<arith::CmpIOp>([](auto) { return ScalarKind::Compare; })
      .Case<arith::SelectOp>([](auto) { return ScalarKind::Select; })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>([](auto) { return ScalarKind::SignExtend; })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>([](auto) { return ScalarKind::ZeroExtend; })
      .Default([](Operation *) { return Kind(); });
}

/// A barrier of all groups.
static bool isMeeting(Operation *op) {
  auto barrier = dyn_cast<warp::BarrierOp>(op);
  return barrier && barrier.getGroups();
}

/// An operation of the protocol of a ring or an order, or one that puts a number into a slot.
static bool isRingOp(Operation *op) {
  if (auto put = dyn_cast<warp::PutOp>(op))
    return put.getValue().getType().isIndex();
  return isa<warp::AcquireOp, warp::PublishOp, warp::ConsumedOp, warp::EnterOp, warp::LeaveOp>(op) ||
         (isa<warp::GetOp>(op) && !op->hasAttr(unsynchronisedAttr));
}

/// Ring and use number are side by side.
static unsigned ringOperand(Operation *op) { return isa<warp::PutOp>(op) ? 1 : 0; }
static Value useOf(Operation *op) { return op->getOperand(ringOperand(op) + 1); }

/// The name of dimension `dim` of a view argument: equal names are equal sizes.
static std::string dimensionName(BlockArgument view, int64_t dim) {
  auto kernel = cast<FunctionOpInterface>(view.getOwner()->getParentOp());
  if (auto names = kernel.getArgAttrOfType<ArrayAttr>(view.getArgNumber(), "tile.dims");
      names && dim < static_cast<int64_t>(names.size()))
    if (auto name = dyn_cast<StringAttr>(names[dim]))
      return name.str();
  return "size " + std::to_string(dim) + " of argument " + std::to_string(view.getArgNumber());
}

int Unknowns::find(const std::string &name, int program, int64_t least) {
  for (auto [i, unknown] : llvm::enumerate(list))
    if (unknown.name == name)
      return i;
  list.push_back({name, program, least, {}});
  return list.size() - 1;
}

class ScalarCompiler {
public:
  ScalarCompiler(const llvm::DenseMap<Value, int> &rings, Unknowns &unknowns) : rings(rings), unknowns(unknowns) {}

  std::optional<ScalarProgram> run(Block &block, ValueRange results) {
    block.walk([&](Operation *op) {
      if (!isRingOp(op) && !isMeeting(op))
        return;
      if (isRingOp(op))
        need(useOf(op));
      if (auto put = dyn_cast<warp::PutOp>(op))
        need(put.getValue());
      for (Operation *around = op->getParentOp(); isBranchOrLoop(around); around = around->getParentOp())
        follow(around);
    });
    for (Value v : results)
      need(v);
    if (!followed)
      return std::nullopt;
    compile(block);
    for (Value v : results)
      program.results.push_back(registerOf(v));
    if (!followed)
      return std::nullopt;
    program.noteGranules(unknowns);
    return std::move(program);
  }

private:
  //===--- what is needed ------------------------------------------------===//

  void follow(Operation *control) {
    if (!live.insert(control).second)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(control)) {
      for (Value v : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        need(v);
    } else if (auto loop = dyn_cast<scf::WhileOp>(control)) {
      need(loop.getConditionOp().getCondition());
    } else {
      need(cast<scf::IfOp>(control).getCondition());
    }
  }

  void need(Value value) {
    if (!value.getType().isIntOrIndex()) {
      followed = false;
      return;
    }
    if (!needed.insert(value).second)
      return;
    if (std::optional<VariableRef> variable = variableOf(value)) {
      follow(variable->op);
      PassedVariable passed = passedVariables(variable->op)[variable->number];
      needed.insert(passed.names.begin(), passed.names.end());
      for (OpOperand *given : passed.given)
        need(given->get());
      return;
    }
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()))
        follow(loop);
      return; // a counter, or an argument of the kernel
    }
    Operation *def = value.getDefiningOp();
    if (scalarKind(def) || isa<tile::ElementOp>(def)) {
      for (Value operand : def->getOperands())
        need(operand);
    } else if (isa<warp::GetOp>(def) && isRingOp(def)) {
      return; // what was put
    } else if (!isa<warp::NextProgramOp, arith::ConstantOp, tile::DimOp, tile::ProgramIdOp, tile::ClusterRankOp,
                    tile::NumProgramsOp, tile::MultiprocessorsOp>(def)) {
      followed = false; // data
    }
  }

  //===--- steps ---------------------------------------------------------===//

  int registerOf(Value value) {
    auto [entry, fresh] = registers.insert({value, program.registers});
    if (!fresh)
      return entry->second;
    ++program.registers;
    if (auto arg = dyn_cast<BlockArgument>(value); arg && !isBranchOrLoop(arg.getOwner()->getParentOp())) {
      auto kernel = cast<FunctionOpInterface>(arg.getOwner()->getParentOp());
      auto name = kernel.getArgAttrOfType<StringAttr>(arg.getArgNumber(), "tile.name");
      program.inputs.push_back(
          {entry->second, unknowns.find(name ? name.str() : "argument " + std::to_string(arg.getArgNumber()))});
    }
    return entry->second;
  }

  ProgramStep &add(StepKind kind, Operation *op) {
    program.steps.push_back({kind});
    program.steps.back().op = op;
    return program.steps.back();
  }

  void input(Operation *op, int unknown) { program.inputs.push_back({registerOf(op->getResult(0)), unknown}); }

  void set(int dst, int64_t value, Operation *op) {
    ProgramStep &step = add(StepKind::Set, op);
    step.dst = dst;
    step.imm = value;
  }

  void move(int dst, int from, Operation *op) {
    ProgramStep &step = add(StepKind::Move, op);
    step.dst = dst;
    step.a = from;
  }

  /// All of `to` become those of `from` at once.
  void moveAll(ArrayRef<Value> to, ArrayRef<Value> from, Operation *op) {
    SmallVector<std::pair<int, int>> moves;
    for (auto [dst, src] : llvm::zip(to, from))
      if (needed.contains(dst) && registerOf(dst) != registerOf(src))
        moves.push_back({registerOf(dst), registerOf(src)});
    bool clash =
        llvm::any_of(moves, [&](auto x) { return llvm::any_of(moves, [&](auto y) { return x.first == y.second; }); });
    if (clash)
      for (auto &[dst, src] : moves) {
        move(program.registers, src, op);
        src = program.registers++;
      }
    for (auto [dst, src] : moves)
      move(dst, src, op);
  }

  void compile(Block &block) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        compileFor(loop);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        compileIf(branch);
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        compileWhile(loop);
      else if (isRingOp(&op))
        compileRing(&op);
      else if (isMeeting(&op))
        add(StepKind::Meet, &op);
      else if (op.getNumResults() == 1 && needed.contains(op.getResult(0)))
        compileScalar(&op);
    }
  }

  void compileRing(Operation *op) {
    StepKind kind = isa<warp::AcquireOp>(op)   ? StepKind::Acquire
                    : isa<warp::PublishOp>(op) ? StepKind::Publish
                    : isa<warp::GetOp>(op)     ? StepKind::Get
                    : isa<warp::PutOp>(op)     ? StepKind::Put
                    : isa<warp::EnterOp>(op)   ? StepKind::Enter
                    : isa<warp::LeaveOp>(op)   ? StepKind::Leave
                                               : StepKind::Consumed;
    int use = registerOf(useOf(op)), number = isa<warp::PutOp>(op) ? registerOf(op->getOperand(0)) : -1;
    ProgramStep &step = add(kind, op);
    step.a = use;
    step.b = number;
    step.imm = rings.lookup(op->getOperand(ringOperand(op)));
    if (auto place = op->getAttrOfType<IntegerAttr>("place"))
      step.b = static_cast<int>(place.getInt());
    if (auto get = dyn_cast<warp::GetOp>(op))
      for (Value field : get.getTiles())
        if (field.getType().isIndex())
          step.dst = registerOf(field);
  }

  void compileNextProgram(warp::NextProgramOp op) {
    int first = program.registers++, programs = program.registers++;
    program.inputs.push_back({first, unknowns.find("program 0", 0)});
    program.inputs.push_back({programs, unknowns.find("programs 0", -1, 1)});
    int result = registerOf(op.getResult());
    ProgramStep &step = add(StepKind::NextProgram, op);
    step.dst = result;
    step.a = first;
    step.b = programs;
  }

  void compileScalar(Operation *op) {
    APInt constant;
    if (matchPattern(op, m_ConstantInt(&constant)))
      return set(registerOf(op->getResult(0)), constant.getSExtValue(), op);
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      return input(op, unknowns.find("program " + std::to_string(id.getDim()), id.getDim()));
    if (auto count = dyn_cast<tile::NumProgramsOp>(op))
      return input(op, unknowns.find("programs " + std::to_string(count.getDim()), -1, 1));
    if (isa<tile::ClusterRankOp>(op))
      return input(op, unknowns.find("rank in the cluster"));
    if (isa<tile::MultiprocessorsOp>(op))
      return input(op, unknowns.find("multiprocessors", -1, 1));
    if (auto dim = dyn_cast<tile::DimOp>(op)) {
      int64_t size = cast<tile::ViewType>(dim.getView().getType()).getShape()[dim.getDim()];
      if (!ShapedType::isDynamic(size))
        return set(registerOf(op->getResult(0)), size, op);
      return input(op, unknowns.find(dimensionName(cast<BlockArgument>(dim.getView()), dim.getDim()), -1, 1));
    }
    if (auto element = dyn_cast<tile::ElementOp>(op))
      return compileElement(element);
    if (auto next = dyn_cast<warp::NextProgramOp>(op))
      return compileNextProgram(next);
    ProgramStep step{StepKind::Scalar};
    step.op = op;
    step.scalar = *scalarKind(op);
    int *operands[] = {&step.a, &step.b, &step.c};
    for (auto [slot, operand] : llvm::zip(operands, op->getOperands()))
      *slot = registerOf(operand);
    auto widthOf = [](Type type) { return type.isIndex() ? 64u : type.getIntOrFloatBitWidth(); };
    step.width = widthOf(op->getResult(0).getType());
    step.fromWidth = widthOf(op->getOperand(0).getType());
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      step.imm = static_cast<int64_t>(compare.getPredicate());
    step.dst = registerOf(op->getResult(0));
    program.steps.push_back(step);
  }

  void compileElement(tile::ElementOp op) {
    auto view = cast<BlockArgument>(op.getView());
    int place = program.registers++;
    set(place, 0, op);
    for (Value index : op.getIndices()) {
      ProgramStep &sum = add(StepKind::Scalar, op);
      sum.scalar = ScalarKind::Add;
      sum.dst = sum.a = place;
      sum.b = registerOf(index);
    }
    ProgramStep &step = add(StepKind::Element, op);
    step.dst = registerOf(op.getResult());
    step.a = place;
    step.imm = unknowns.find("elements of argument " + std::to_string(view.getArgNumber()));
  }

  void compileFor(scf::ForOp loop) {
    if (!live.contains(loop))
      return;
    for (auto [arg, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      if (needed.contains(arg))
        registers[result] = registerOf(arg);
    SmallVector<Value> args(loop.getRegionIterArgs());
    moveAll(args, SmallVector<Value>(loop.getInitArgs()), loop);
    ProgramStep head{StepKind::LoopHead};
    head.op = loop;
    head.dst = registerOf(loop.getInductionVar());
    head.a = registerOf(loop.getLowerBound());
    head.b = registerOf(loop.getUpperBound());
    head.c = registerOf(loop.getStep());
    size_t at = program.steps.size();
    program.steps.push_back(head);
    compile(*loop.getBody());
    moveAll(args, SmallVector<Value>(loop.getYieldedValues()), loop);
    head.kind = StepKind::LoopNext;
    head.imm = at + 1;
    program.steps.push_back(head);
    program.steps[at].imm = program.steps.size();
  }

  void compileWhile(scf::WhileOp loop) {
    if (!live.contains(loop))
      return;
    for (auto [arg, result] : llvm::zip(loop.getAfterArguments(), loop.getResults()))
      if (needed.contains(arg))
        registers[result] = registerOf(arg);
    SmallVector<Value> entering(loop.getBeforeArguments()), passed(loop.getAfterArguments());
    moveAll(entering, SmallVector<Value>(loop.getInits()), loop);
    size_t head = program.steps.size();
    compile(*loop.getBeforeBody());
    scf::ConditionOp condition = loop.getConditionOp();
    moveAll(passed, SmallVector<Value>(condition.getArgs()), condition);
    size_t at = program.steps.size();
    int holds = registerOf(condition.getCondition());
    add(StepKind::BranchUnless, condition).a = holds;
    compile(*loop.getAfterBody());
    moveAll(entering, SmallVector<Value>(loop.getYieldOp().getOperands()), loop);
    add(StepKind::Jump, loop).imm = head;
    program.steps[at].imm = program.steps.size();
  }

  void compileIf(scf::IfOp branch) {
    if (!live.contains(branch))
      return;
    int condition = registerOf(branch.getCondition());
    size_t at = program.steps.size();
    add(StepKind::BranchUnless, branch).a = condition;
    SmallVector<Value> results(branch.getResults());
    compile(*branch.thenBlock());
    moveAll(results, SmallVector<Value>(branch.thenYield().getOperands()), branch);
    size_t over = program.steps.size();
    add(StepKind::Jump, branch);
    program.steps[at].imm = program.steps.size();
    if (branch.elseBlock()) {
      compile(*branch.elseBlock());
      moveAll(results, SmallVector<Value>(branch.elseYield().getOperands()), branch);
    }
    program.steps[over].imm = program.steps.size();
  }

  const llvm::DenseMap<Value, int> &rings;
  Unknowns &unknowns;
  ScalarProgram program;
  llvm::DenseMap<Value, int> registers;
  llvm::DenseSet<Value> needed;
  llvm::DenseSet<Operation *> live;
  bool followed = true;
};

std::optional<ScalarProgram> ScalarProgram::compile(Block &block, ValueRange results,
                                                    const llvm::DenseMap<Value, int> &rings, Unknowns &unknowns) {
  return ScalarCompiler(rings, unknowns).run(block, results);
}

} // namespace heddle
