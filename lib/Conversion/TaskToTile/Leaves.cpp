//===- Leaves.cpp - the operations of leaves ------------------------------===//
#include "Converter.h"

#include "heddle/Dialect/Task/Leaf.h"
#include "heddle/Dialect/Tile/Resize.h"

using namespace mlir;
namespace heddle {

constexpr int64_t mostOperations = 4096; ///< of a block; ranges that are written out multiply them

LogicalResult Converter::runLeaf(Frame &frame) {
  task::TaskOp task = task::taskOf(frame.variant);
  Location place = frame.variant.getLoc();
  OwningOpRef<task::VariantOp> leaf = frame.variant.clone();
  SmallVector<SmallVector<int64_t>> shapes;
  IRMapping map;
  SmallVector<std::pair<TensorPart, bool>, 1> results;
  NoteAt note(*this, frame.instance.loc, "instance '" + frame.instance.name + "'");
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip(leaf->getBody().getArguments(), frame.variant.getBody().getArguments()))) {
    auto [argument, own] = pair;
    task::ParameterAttr parameter = task.getParameter(i);
    shapes.emplace_back();
    if (!parameter.isTensor()) {
      Value value = tensors.materialise(frame.scalars[own].commonPart(), place);
      if (!value)
        return failure();
      map.map(argument, value);
      continue;
    }
    TensorPart &part = frame.tensors[own];
    FailureOr<RankedTensorType> type = tensors.typeOf(part, place);
    if (failed(type))
      return failure();
    llvm::append_range(shapes.back(), type->getShape());
    noteAccess(frame, part);
    if (parameter.isRead()) {
      FailureOr<Value> value = tensors.read(part, place);
      if (failed(value))
        return failure();
      map.map(argument, *value);
    }
    if (parameter.isWritten())
      results.push_back({part, parameter.getPrivilege() == task::Privilege::Reduce});
  }
  if (tensors.inRange()) // positions of a divided dimension and of another one are other ones
    tile::separateUses(*leaf);
  if (failed(task::verifyShapes(frame.variant, task, shapes)) || failed(task::resizeLeaf(*leaf, task, shapes)))
    return failure();
  Block &body = leaf->getBody().front();
  LeafNumbers numbers(*leaf);
  noteDivisions(frame, *leaf, numbers);
  for (Operation &op : body)
    if (op.hasTrait<OpTrait::IsTerminator>() ? failed(spreadOperands(frame, &op, map, numbers))
                                             : failed(cloneWork(frame, &op, map, numbers)))
      return failure();
  for (auto [value, written] : llvm::zip(body.getTerminator()->getOperands(), results))
    if (failed(tensors.write(written.first, map.lookupOrDefault(value), written.second, place)))
      return failure();
  return success();
}

/// How the tiles of a leaf are divided whose sizes the tensors of `frame` give, and which of its numbers differ from
/// piece to piece.
void Converter::noteDivisions(Frame &frame, task::VariantOp leaf, LeafNumbers &numbers) {
  Block &body = leaf.getBody().front();
  unsigned returned = 0;
  for (auto [i, pair] : llvm::enumerate(llvm::zip(body.getArguments(), frame.variant.getBody().getArguments()))) {
    auto [argument, own] = pair;
    task::ParameterAttr parameter = task::taskOf(frame.variant).getParameter(i);
    if (!parameter.isTensor()) {
      PieceTerms terms = frame.scalars[own].pieceTerms();
      llvm::erase_if(terms, [&](const PieceTerm &term) { return collapsed[term.range].extents[term.variable] == 1; });
      numbers.set(argument, std::move(terms));
      continue;
    }
    Value result = parameter.isWritten() ? body.getTerminator()->getOperand(returned++) : Value();
    for (auto [d, dim] : llvm::enumerate(frame.tensors[own].visible())) {
      if (dim->divided.by.empty())
        continue;
      numbers.divide(argument, d, dim->divided);
      if (result)
        numbers.divide(result, d, dim->divided);
    }
  }
}

LogicalResult Converter::spreadOperands(Frame &frame, Operation *op, IRMapping &map, LeafNumbers &numbers) {
  if (succeeded(numbers.spreadOperands(op, b, map, tensors)))
    return success();
  return refuse(op, frame.instance.loc,
                "expected a number that the variable of a range over processors is part of in sums, in multiples, and "
                "in tiles that the range divides, got one in " +
                    op->getName().getStringRef().str());
}

LogicalResult Converter::cloneWork(Frame &frame, Operation *op, IRMapping &map, LeafNumbers &numbers) {
  if (failed(spreadOperands(frame, op, map, numbers)))
    return failure();
  numbers.setResults(op);
  if (++work > mostOperations)
    return refuse(op, frame.instance.loc,
                  "expected a block of at most " + std::to_string(mostOperations) + " operations, got more");
  Operation *made = b.clone(*op, map);
  std::vector<DividedTile> divided(made->getNumResults());
  if (!tensors.inRange())
    for (auto [result, tile] : llvm::zip(made->getResults(), divided))
      tile = tensors.dividedOf(result);
  else if (!divideResults(made, [&](Value value) { return tensors.dividedOf(value); }, divided))
    return refuse(op, frame.instance.loc,
                  "expected an operation that gives the same on all pieces together as on each, since ranges over "
                  "processors divide its operands, got " +
                      op->getName().getStringRef().str());
  if (auto positions = dyn_cast<tile::IotaOp>(op))
    if (Divided own = numbers.dividedPositions(positions.getResult()); !own.by.empty())
      divided[0] = {own};
  for (auto [result, tile] : llvm::zip(made->getResults(), divided))
    if (!tile.empty())
      tensors.setDivided(result, tile);
  auto dot = dyn_cast<tile::DotOp>(made);
  if (dot &&
      (failed(checkFragment(frame, op, divided[0], dot)) || failed(checkOperands(frame, cast<tile::DotOp>(op), dot))))
    return failure();
  if (dot)
    kernel.noteProduct(dot, frame.instance);
  if (dot && frame.instance.stage)
    kernel.pin(dot, "stage", *frame.instance.stage);
  return success();
}

/// How warp groups divide what a leaf of `frame` has as `part`.
void Converter::noteAccess(Frame &frame, const TensorPart &part) {
  std::string text;
  for (auto [d, dim] : llvm::enumerate(part.dims))
    for (const Division &division : dim.divided.by)
      if (collapsed[division.range].level == warpGroupLevel)
        text += (text.empty() ? "" : ", ") + ("dimension " + Twine(d) + " in pieces of " + Twine(division.size)).str();
  accesses.push_back({part.store, frame.variant.getLoc(), text.empty() ? "as a whole" : text});
}

/// Tensors that are in NONE exist as the pieces of their leaves only: all these have to be the same.
LogicalResult Converter::checkNone() {
  for (auto &[store, instance] : nones) {
    const Access *first = nullptr;
    for (const Access &access : accesses) {
      if (access.store != store || (first && access.pieces == first->pieces))
        continue;
      if (!first) {
        first = &access;
        continue;
      }
      InFlightDiagnostic diag =
          emitError(instance->placeOf("mems"))
          << "mapping: expected '" << store->name
          << "' in a memory, got NONE, which cannot be eliminated: the block's tasks divide it differently";
      diag.attachNote(store->loc) << "the tensor";
      diag.attachNote(first->loc) << "copied to or from here, " << first->pieces;
      diag.attachNote(access.loc) << "copied to or from here, " << access.pieces;
      return diag;
    }
  }
  return success();
}

LogicalResult Converter::checkOperands(Frame &frame, tile::DotOp dot, tile::DotOp made) {
  auto memoryOf = [&](Value operand) -> std::string {
    while (auto transpose = operand.getDefiningOp<tile::TransposeOp>())
      operand = transpose.getSource();
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || !isa<task::VariantOp>(argument.getOwner()->getParentOp()))
      return "";
    auto it = frame.tensors.find(frame.variant.getBody().getArgument(argument.getArgNumber()));
    return it == frame.tensors.end() || frame.instance.mems.empty() ? "" : it->second.memory;
  };
  for (auto [operand, wanted, what] :
       {std::tuple<Value, StringRef, const char *>{dot.getB(), sharedMemory, "the right operand"},
        {dot.getAcc(), registerMemory, "the sum"}})
    if (std::string memory = memoryOf(operand); !memory.empty() && memory != wanted)
      return refuse(dot, frame.instance.placeOf("mems"),
                    std::string("expected ") + what + " of the tensor core's product in " + wanted.str() + ", got " +
                        memory);
  Value left = made.getA();
  while (auto transpose = left.getDefiningOp<tile::TransposeOp>())
    left = transpose.getSource();
  std::string memory = memoryOf(dot.getA());
  if (memory == globalMemory)
    return refuse(dot, frame.instance.placeOf("mems"),
                  "expected the left operand of the tensor core's product in SHARED or REGISTER, got GLOBAL");
  // The instruction reads it where the copy engine has put it.
  if (memory == registerMemory && left.getDefiningOp<tile::LoadOp>())
    return refuse(dot, frame.instance.placeOf("mems"),
                  "expected the left operand of the tensor core's product in SHARED where it is loaded, not computed, "
                  "got REGISTER");
  return success();
}

/// Rows and columns that warps and threads have of a product's result.
LogicalResult Converter::checkFragment(Frame &frame, Operation *source, const DividedTile &result, tile::DotOp dot) {
  auto complain = [&](const std::string &what) {
    return refuse(source, frame.instance.loc,
                  "expected the fragments of the tensor core's instruction m64nNk16 (of every 64 rows 16 for each "
                  "warp, of these rows t / 4 and t / 4 + 8 and of every 8 columns 2 (t mod 4) and the next for "
                  "thread t), got " +
                      what);
  };
  int64_t rows = dot.getResult().getType().getDimSize(0), columns = dot.getResult().getType().getDimSize(1);
  // What is left to a warp group, and then to a warp.
  unsigned warps = 0, threads = 0;
  for (auto [d, dim] : llvm::enumerate(result))
    for (const Division &division : dim.by) {
      const std::string &level = collapsed[division.range].level;
      if (level == warpGroupLevel) {
        if (d != 0)
          return refuse(source, frame.instance.loc,
                        "expected warp groups that divide the rows of a product, got its columns divided");
        if (!division.fragment)
          rows = division.size;
        continue;
      }
      bool isThread = level == threadLevel;
      if (level != warpLevel && !isThread)
        continue;
      for (int64_t i = 0; i < (d == 0 ? rows : columns); ++i) {
        int64_t owner = d == 0 ? (isThread ? i % 8 : i % 64 / 16) : (isThread ? i % 8 / 2 : 0);
        // Blocks of threads count inside what their warp has.
        if (division.ownerOf(i) != owner)
          return complain(std::string(d == 0 ? "row " : "column ") + std::to_string(i) + " at " +
                          (isThread ? "thread" : "warp") + " " + std::to_string(division.ownerOf(i)) +
                          (d == 0 && isThread ? " of every four" : ""));
      }
      ++(isThread ? threads : warps);
    }
  bool atThread = frame.instance.proc == threadLevel, atWarp = frame.instance.proc == warpLevel;
  if (((atWarp || atThread) && warps != 1) || (atThread && threads != 2))
    return complain("rows and columns that no ranges over warps and threads divide");
  bool mapped = tree.depthOf(frame.instance.proc) >= tree.depthOf(warpGroupLevel);
  if (mapped && rows % 64 != 0)
    return complain(std::to_string(rows) + " rows for a warp group");
  if (mapped && groupsAt.empty())
    groups = groups ? groups : 1;
  return success();
}

} // namespace heddle
