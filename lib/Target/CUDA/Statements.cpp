//===- Statements.cpp - control flow, notes and shared loops of a printed kernel --===//
// See KernelEmitter.h.
#include "KernelEmitter.h"
#include "Prepare/Hoist.h"
#include "RegisterTilesImpl.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "heddle/Dialect/Warp/Notes.h"
#include "heddle/Target/Hopper/PtxasRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

void KernelEmitter::declareArrays(Operation *op) {
  for (int index : declaredBefore.lookup(op)) {
    RegisterArray array = registerArrayOf(cast<RankedTensorType>(arrays.classes[index].type));
    line(Twine(array.type) + " " + arrayNames[index] + "[" + Twine(array.size) + "];");
  }
}

/// "name, file:line, cycle 128, stage 1": where an operation comes from and when it runs.
static std::string noteOf(Operation *op) {
  std::string text;
  if (auto node = op->getAttrOfType<StringAttr>(warp::nodeAttr))
    text = node.str();
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text += (text.empty() ? "" : ", ") + llvm::sys::path::filename(loc.getFilename().getValue()).str() + ":" +
            std::to_string(loc.getLine());
  if (auto cycle = op->getAttrOfType<IntegerAttr>(warp::cycleAttr))
    text += (text.empty() ? "" : ", ") + std::string("cycle ") + std::to_string(cycle.getInt());
  if (auto stage = op->getAttrOfType<IntegerAttr>(warp::stageAttr))
    text += (text.empty() ? "" : ", ") + std::string("stage ") + std::to_string(stage.getInt());
  return commentText(text);
}

/// The note as a line; nothing if it would repeat the line before.
void KernelEmitter::comment(Operation *op) {
  std::string text = noteOf(op);
  if (gathering || text.empty() || text == lastComment)
    return;
  lastComment = text;
  if (op->hasAttr(warp::nodeAttr))
    line("// " + text);
  else
    trailing = text;
}

std::string KernelEmitter::threadConstant(StringRef hint, const std::string &text) {
  for (auto &[known, name] : threadConstants)
    if (known == text)
      return name;
  threadConstants.push_back({text, fresh(hint)});
  return threadConstants.back().second;
}

bool KernelEmitter::gather(int64_t, ArrayRef<std::string> body) {
  if (!gathering)
    return false;
  for (const std::string &statement : body)
    gathered.push_back(statement + " // " + noteOf(gathering));
  return true;
}

/// Neighbours in one loop, each statement with its note.
LogicalResult KernelEmitter::printSharedLoop(ArrayRef<Operation *> run) {
  for (Operation *op : run) {
    declareArrays(op);
    declaredBefore.erase(op);
  }
  gathered.clear();
  for (Operation *op : run) {
    gathering = op;
    LogicalResult printed = printRegisterTileOp(op, *this);
    gathering = nullptr;
    if (failed(printed))
      return failure();
  }
  printLoop(*this, registerArrayOf(cast<RankedTensorType>(run[0]->getResult(0).getType())).size, gathered);
  lastComment.clear();
  return success();
}

int64_t KernelEmitter::slicesOf(int64_t trips) {
  if (slicing)
    sliced.push_back(trips);
  return trips >= slicing ? slicing : 0;
}

void KernelEmitter::copyArray(StringRef to, StringRef from, int64_t size) {
  if (!slicing)
    return line("hd::copy(" + Twine(to) + ", " + from + ");");
  if (size % slicing)
    return sliced.push_back(size); // does not divide
  std::string first = size == slicing ? "slice" : std::to_string(size / slicing) + " * slice";
  line("#pragma unroll");
  line("for (int r = " + first + "; r < " + first + " + " + Twine(size / slicing) + "; ++r)");
  indent();
  line(Twine(to) + "[r] = " + from + "[r];");
  unindent();
}

/// All operations of a run on a slice of the elements, then on the next one.
LogicalResult KernelEmitter::printSlices(ArrayRef<Operation *> run) {
  RegisterArray array = registerArrayOf(cast<RankedTensorType>(run[0]->getResult(0).getType()));
  int64_t count = array.elements / sliceElements;
  llvm::DenseSet<Operation *> members(run.begin(), run.end());
  SmallVector<int> leave; // arrays that are read elsewhere
  for (Operation *op : run) {
    declareArrays(op);
    declaredBefore.erase(op);
    int index = arrays.classOf.lookup(op->getResult(0));
    bool leaves = false;
    forEachReader(op->getResult(0), recomputed, [&](Operation *reader, bool) { leaves |= !members.contains(reader); });
    if (leaves && !llvm::is_contained(leave, index))
      leave.push_back(index);
  }
  bool divides = true; // each operation is one loop over all elements, or over all words
  indent();
  FailureOr<std::string> text = captured([&]() -> LogicalResult {
    for (Operation *op : run) {
      RegisterArray own = registerArrayOf(cast<RankedTensorType>(op->getResult(0).getType()));
      comment(op);
      sliced.clear();
      slicing = count;
      LogicalResult printed = printRegisterTileOp(op, *this);
      slicing = 0;
      if (failed(printed))
        return failure();
      divides &= sliced.size() == 1 && sliced[0] % count == 0 &&
                 (sliced[0] == own.elements || sliced[0] == own.size || sliced[0] * 2 == own.elements);
    }
    return success();
  });
  unindent();
  lastComment.clear();
  if (failed(text))
    return failure();
  if (!divides) {
    for (Operation *op : run) {
      comment(op);
      if (failed(printRegisterTileOp(op, *this)))
        return failure();
    }
    return success();
  }
  line("#pragma unroll");
  line("for (int slice = 0; slice < " + Twine(count) + "; ++slice) {");
  *os << *text;
  indent();
  for (int index : leave) {
    RegisterArray own = registerArrayOf(cast<RankedTensorType>(arrays.classes[index].type));
    if (own.type != "float" && own.type != "uint32_t" && own.type != "int")
      continue;
    int64_t words = own.size / count;
    line("hd::fenceOperand<" + Twine(words) + ">(" + arrayNames[index] + ", " +
         (words == 1 ? "slice" : std::to_string(words) + " * slice") + ");");
  }
  line("hd::endBlock(smem);");
  unindent();
  line("}");
  return success();
}

LogicalResult KernelEmitter::printBlock(Block &block) {
  llvm::DenseSet<Operation *> printed;
  for (Operation &op : block) {
    if (printed.contains(&op))
      continue;
    auto run = sharedLoops.find(&op);
    if (run != sharedLoops.end())
      printed.insert(run->second.begin(), run->second.end());
    if (auto pinned = pins.find(&op); pinned != pins.end())
      fenceOperands(pinned->second);
    if (auto parts = slices.find(&op); parts != slices.end()) {
      printed.insert(parts->second.begin(), parts->second.end());
      if (failed(printSlices(parts->second)))
        return failure();
      continue;
    }
    if (failed(run == sharedLoops.end() ? printOp(&op) : printSharedLoop(run->second)))
      return failure();
  }
  return success();
}

/// Whether a scalar is written where it is read instead of getting a variable: a copy of another, or small and read
/// once by an operation that computes (control flow moves variables, and may not read expressions of them).
bool KernelEmitter::isWrittenInPlace(Operation *op) {
  constexpr size_t longest = 48;
  if (op->getNumResults() != 1 || op->getNumRegions() || !hasScalarExpression(op) || !isMemoryEffectFree(op))
    return false;
  Value result = op->getResult(0);
  if (isa<RankedTensorType>(result.getType()) || scalarTypeOf(result.getType()).empty() ||
      !packedTag(result.getType()).empty())
    return false;
  if (dividesAtRunTime(op) && wouldPassLoop(op))
    return false;
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands())
    operands.push_back(nameOf(operand));
  bool copies =
      isa<arith::IndexCastOp>(op) && scalarTypeOf(op->getOperand(0).getType()) == scalarTypeOf(result.getType());
  copies |= isa<arith::AddIOp, arith::SubIOp>(op) && operands[1] == "0";
  copies |= isa<arith::MulIOp>(op) && operands[1] == "1";
  std::string text = copies ? operands[0] : scalarExpression(op, operands);
  bool isName = llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!copies || !isName) {
    if (!result.hasOneUse() || text.size() > longest)
      return false;
    Operation *reader = *result.getUsers().begin();
    bool fixed = llvm::all_of(op->getOperands(), [](Value v) { return v.getDefiningOp(); });
    bool bound = isa<scf::ForOp>(reader) && fixed && reader->getOperand(1) == result;
    // The only scalar that a loop carries is not read after it is given its next value.
    auto loop = dyn_cast<scf::ForOp>(reader->getParentOp());
    bool next = isa<scf::YieldOp>(reader) && loop && llvm::count_if(loop.getRegionIterArgs(), [](Value v) {
                                                       return !isa<RankedTensorType>(v.getType());
                                                     }) == 1;
    if (!bound && !next &&
        (reader->hasTrait<OpTrait::IsTerminator>() || (isBranchOrLoop(reader) && !isa<scf::IfOp>(reader))))
      return false;
  }
  names[result] = text;
  return true;
}

LogicalResult KernelEmitter::printOp(Operation *op) {
  if (role && isWrittenInPlace(op))
    return success();
  if (op->getNumResults() == 1 && recomputed.contains(op->getResult(0)))
    return success(); // printed where it is read
  declareArrays(op);
  if (isa<tile::DimOp, tile::ProgramIdOp, tile::ClusterRankOp, tile::NumProgramsOp, hw::ViewOp, scf::YieldOp,
          scf::ConditionOp>(op))
    return success();
  if (isNumber(op) || isKnownTruth(op))
    return success(); // printed where it is used
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return printFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return printIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return printWhile(loop);
  if (isRegisterTileOp(op)) {
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) || !op->getNumResults())
      comment(op);
    return printRegisterTileOp(op, *this);
  }
  if (isa_and_nonnull<hw::HWDialect>(op->getDialect()))
    return printHW(op);
  return op->emitOpError("expected an op that can be printed as CUDA");
}

/// C++ type of a value that is not a register tile.
static std::string variableType(Type type) { return isa<hw::TileType>(type) ? "uint32_t" : scalarTypeOf(type); }

/// to[i] = from[i] for all i at once.
void KernelEmitter::assign(ArrayRef<Value> to, ArrayRef<Value> from) {
  SmallVector<std::pair<std::string, std::string>> moves;
  SmallVector<Value> moved;
  SmallVector<std::pair<Value, Value>> constants;
  for (auto [dst, src] : llvm::zip(to, from)) {
    if (isRecomputed(src)) {
      constants.push_back({dst, src});
      continue;
    }
    std::string x = nameOf(dst), y = nameOf(src);
    if (x == y)
      continue;
    moves.push_back({x, y});
    moved.push_back(dst);
  }
  // A source that an earlier move overwrites is saved first.
  for (size_t i = 0; i < moves.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (moves[i].second == moves[j].first) {
        std::string saved = fresh("saved");
        if (auto tensor = dyn_cast<RankedTensorType>(moved[i].getType())) {
          RegisterArray array = registerArrayOf(tensor);
          line(Twine(array.type) + " " + saved + "[" + Twine(array.size) + "];");
          line("hd::copy(" + Twine(saved) + ", " + moves[i].second + ");");
        } else {
          line("const " + Twine(variableType(moved[i].getType())) + " " + saved + " = " + moves[i].second + ";");
        }
        moves[i].second = saved;
        break;
      }
  for (auto [move, value] : llvm::zip(moves, moved)) {
    if (!isa<RankedTensorType>(value.getType())) {
      line(Twine(move.first) + " = " + move.second + ";");
      continue;
    }
    line("hd::copy(" + Twine(move.first) + ", " + move.second + ");");
  }
  for (auto [dst, src] : constants) {
    auto tensor = cast<RankedTensorType>(dst.getType());
    if (registerArrayOf(tensor).packing == 1 &&
        isa_and_nonnull<arith::ConstantOp, tensor::SplatOp>(src.getDefiningOp()))
      line("hd::fill(" + Twine(nameOf(dst)) + ", " + elementOf(*this, src, {0}) + ");");
    else
      printFill(*this, tensor, nameOf(dst), 1,
                [&, value = src](ArrayRef<int64_t> at) { return elementOf(*this, value, at); });
  }
}

LogicalResult KernelEmitter::printFor(scf::ForOp op) {
  SmallVector<Value> tileArgs, tileInits;
  for (auto [init, arg, result] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs(), op.getResults())) {
    if (isa<RankedTensorType>(arg.getType())) {
      tileArgs.push_back(arg);
      tileInits.push_back(init);
      continue;
    }
    std::string type = variableType(arg.getType());
    if (type.empty())
      return op.emitOpError("expected loop arguments that are tiles or scalars, got ") << arg.getType();
    std::string name = fresh(hintFor(arg));
    line(Twine(type) + " " + name + " = " + nameOf(init) + ";");
    names[arg] = name; // not at once: each may move the other
    names[result] = name;
  }
  assign(tileArgs, tileInits);
  for (Value arg : tileArgs) {
    WalkResult accumulates = op.walk([&](hw::WgmmaOp mma) {
      return ptxas::setsBeforeLoop(mma) && nameOf(mma.getResult()) == nameOf(arg) ? WalkResult::interrupt()
                                                                                  : WalkResult::advance();
    });
    if (accumulates.wasInterrupted())
      line("hd::fenceOperand(" + nameOf(arg) + ");");
  }
  std::string iv = fresh(tile::sourceName(op.getInductionVar()).empty() ? "it" : hintFor(op.getInductionVar()));
  names[op.getInductionVar()] = iv;
  std::string lower = nameOf(op.getLowerBound()), upper = atom(nameOf(op.getUpperBound())), step = nameOf(op.getStep());
  line("#pragma unroll 1");
  line("for (int " + Twine(iv) + " = " + lower + "; " + iv + " < " + upper + "; " +
       (step == "1" ? "++" + iv : iv + " += " + step) + ") {");
  indent();
  lastComment.clear();
  if (failed(printBlock(*op.getBody())))
    return failure();
  assign(llvm::to_vector_of<Value>(op.getRegionIterArgs()), llvm::to_vector_of<Value>(op.getYieldedValues()));
  unindent();
  line("}");
  lastComment.clear();
  return success();
}

/// Declares what the scalars among `results` are given to.
LogicalResult KernelEmitter::declareScalars(Operation *op, ValueRange results, StringRef hint) {
  for (Value result : results)
    if (!isa<RankedTensorType>(result.getType())) {
      std::string type = variableType(result.getType());
      if (type.empty())
        return op->emitOpError("expected results that are tiles or scalars, got ") << result.getType();
      bool named = isa<BlockArgument>(result) && !tile::sourceName(result).empty();
      std::string name = fresh(named ? hintFor(result) : hint.str());
      names[result] = name;
      line(Twine(type) + " " + name + ";");
    }
  return success();
}

/// The condition's block, what it passes on, and a way out; then the body.
LogicalResult KernelEmitter::printWhile(scf::WhileOp op) {
  SmallVector<Value> entering = llvm::to_vector_of<Value>(op.getBeforeArguments()), passed, given;
  if (failed(declareScalars(op, entering, "carried")))
    return failure();
  // What the condition only passes on keeps its variable: the body reads it before it is given its next value.
  for (auto [argument, value] : llvm::zip(op.getAfterArguments(), op.getConditionOp().getArgs())) {
    bool same = isa<BlockArgument>(value) && value.getParentBlock() == op.getBeforeBody() &&
                !isa<RankedTensorType>(value.getType()) && !tile::sourceName(value).empty();
    if (same) {
      names[argument] = nameOf(value);
      continue;
    }
    passed.push_back(argument);
    given.push_back(value);
  }
  if (failed(declareScalars(op, passed, "passed")))
    return failure();
  for (auto [argument, result] : llvm::zip(op.getAfterArguments(), op.getResults()))
    if (auto known = names.find(argument); known != names.end())
      names[result] = std::string(known->second);
  assign(entering, SmallVector<Value>(op.getInits()));
  line("while (true) {");
  indent();
  lastComment.clear();
  if (failed(printBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  assign(passed, given);
  line("if (!(" + Twine(nameOf(condition.getCondition())) + "))");
  line("  break;");
  lastComment.clear();
  if (failed(printBlock(*op.getAfterBody())))
    return failure();
  assign(entering, SmallVector<Value>(op.getYieldOp().getOperands()));
  unindent();
  line("}");
  lastComment.clear();
  return success();
}

LogicalResult KernelEmitter::printIf(scf::IfOp op) {
  SmallVector<Value> results(op.getResults());
  if (failed(declareScalars(op, results, "chosen")))
    return failure();
  line("if (" + nameOf(op.getCondition()) + ") {");
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    if (region->empty())
      continue;
    if (region == &op.getElseRegion())
      line("} else {");
    indent();
    lastComment.clear();
    if (failed(printBlock(region->front())))
      return failure();
    if (!results.empty())
      assign(results, SmallVector<Value>(region->front().getTerminator()->getOperands()));
    unindent();
  }
  line("}");
  lastComment.clear();
  return success();
}
