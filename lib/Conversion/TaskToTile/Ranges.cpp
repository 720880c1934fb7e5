//===- Ranges.cpp - parallel and sequential ranges ------------------------===//
#include "Converter.h"

#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
namespace heddle {

constexpr int64_t mostUnrolled = 64; ///< iterations of a range that is written out

LogicalResult Converter::runGrid(Frame &frame, task::PRangeOp range) {
  SmallVector<Value> sizes;
  for (Value bound : range.getBounds()) {
    Value size = tensors.materialise(frame.scalars[bound], range.getLoc());
    if (!size)
      return failure();
    sizes.push_back(size);
  }
  FailureOr<SmallVector<Value>> ids = kernel.addGrid(sizes, frame.instance, range);
  if (failed(ids))
    return failure();
  for (auto [argument, bound, id] : llvm::zip(range.getBody().getArguments(), range.getBounds(), *ids)) {
    Scalar number;
    number.value = id;
    number.setVariableOf(frame.scalars[bound]);
    frame.scalars[argument] = number;
  }
  llvm::SaveAndRestore inside(inGrid, true);
  return runBlock(frame, range.getBody().front());
}

/// The level that the launches of a range go to, where it is inside that of the range's own instance; else "".
FailureOr<std::string> Converter::levelOf(Frame &frame, task::PRangeOp range) {
  std::string level;
  task::LaunchOp first;
  WalkResult walk = range.walk([&](task::LaunchOp launch) {
    const TaskInstance &instance = tree.callee(frame.instance, launch);
    if (first && level != instance.proc) {
      (void)refuse(launch, instance.placeOf("proc"),
                   "expected the launches of a range at one level, got " + level + " and " + instance.proc);
      return WalkResult::interrupt();
    }
    first = launch;
    level = instance.proc;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return level == frame.instance.proc ? std::string() : level;
}

LogicalResult Converter::runProcessors(Frame &frame, task::PRangeOp range) {
  FailureOr<std::string> level = levelOf(frame, range);
  if (failed(level))
    return failure();
  SmallVector<int64_t> extents;
  int64_t count = 1;
  for (Value bound : range.getBounds()) {
    const Scalar &scalar = frame.scalars[bound];
    if (!scalar.constant && level->empty()) // the block itself runs them, in any order
      return runLoop(frame, range);
    if (!scalar.constant)
      return refuse(range, frame.instance.loc,
                    "expected a range inside a block over a number of pieces that is known here, got one that "
                    "depends on a size of the program's tensors");
    extents.push_back(*scalar.constant);
    count *= *scalar.constant;
  }
  if (level->empty()) {
    auto refusal = attempt([&] { return collapse(frame, range, extents, frame.instance.proc); });
    return refusal ? unroll(frame, range, extents, *refusal) : success();
  }
  const MachineProcessor &processor = *tree.machine().processor(*level);
  // A level that is passed over has its processors, too.
  int64_t most = processor.count;
  for (unsigned d = tree.depthOf(frame.instance.proc) + 1; d < tree.depthOf(*level); ++d)
    most *= std::max<int64_t>(1, tree.machine().processors()[d].count);
  if (processor.count && count > most)
    return refuse(range, frame.instance.loc,
                  "expected at most the " + std::to_string(most) + " of level " + *level + " in one of level " +
                      frame.instance.proc + ", got " + std::to_string(count));
  if (*level == warpGroupLevel) {
    if (count > tile::mostGroups)
      return refuse(range, frame.instance.loc,
                    "expected at most " + std::to_string(tile::mostGroups) + " warp groups in a block, got " +
                        std::to_string(count));
    if (groups && groups != count)
      return refuse(range, frame.instance.loc,
                    "expected the " + std::to_string(groups) + " warp groups of the other tasks of the block, got " +
                        std::to_string(count));
    groups = count;
    groupsAt.push_back(range);
  }
  return collapse(frame, range, extents, *level);
}

LogicalResult Converter::collapse(Frame &frame, task::PRangeOp range, ArrayRef<int64_t> extents,
                                  const std::string &level) {
  unsigned number = collapsed.size();
  collapsed.push_back({level, SmallVector<int64_t>(extents)});
  for (auto [v, argument] : llvm::enumerate(range.getBody().getArguments())) {
    Scalar scalar;
    scalar.range = {number, static_cast<unsigned>(v)};
    frame.scalars[argument] = scalar;
  }
  tensors.enterRange(number, extents);
  if (failed(runBlock(frame, range.getBody().front())))
    return failure();
  tensors.leaveRange();
  return success();
}

LogicalResult Converter::unroll(Frame &frame, Operation *range, ArrayRef<int64_t> extents, const Refusal &because) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  if (count > mostUnrolled) {
    InFlightDiagnostic diag = emitError(range->getLoc()) << "expected at most " << mostUnrolled
                                                         << " iterations of a range that is written out, got " << count;
    diag.attachNote(because.loc) << "written out because of this: " << because.text;
    diag.attachNote(frame.instance.loc) << "the mapping";
    return diag;
  }
  Block &body = range->getRegion(0).front();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t v = extents.size(); v-- > 0; rest /= extents[v]) {
      Scalar scalar;
      scalar.constant = rest % extents[v];
      frame.scalars[body.getArgument(v)] = scalar;
    }
    if (failed(runBlock(frame, body)))
      return failure();
  }
  return success();
}

LogicalResult Converter::runLoop(Frame &frame, Operation *range) {
  SmallVector<int64_t> extents;
  for (Value bound : range->getOperands())
    if (const Scalar &scalar = frame.scalars[bound]; scalar.constant)
      extents.push_back(*scalar.constant);
  bool known = extents.size() == range->getNumOperands();
  // A block's tensor has pieces at known places only.
  if (!known)
    return loopOver(frame, range, 0);
  auto refusal = attempt([&] { return loopOver(frame, range, 0); });
  return refusal ? unroll(frame, range, extents, *refusal) : success();
}

LogicalResult Converter::loopOver(Frame &frame, Operation *range, unsigned variable) {
  Block &body = range->getRegion(0).front();
  if (variable == body.getNumArguments())
    return runBlock(frame, body);
  Location loc = range->getLoc();
  Scalar bound = frame.scalars[range->getOperand(variable)], number;
  number.setVariableOf(bound);
  Value end, step;
  bool strides = bound.total || bound.totalConstant;
  if (strides) {
    end = bound.total ? bound.total : tensors.index(*bound.totalConstant, loc);
    step = tensors.index(bound.block, loc);
  } else {
    end = tensors.materialise(bound, loc);
    step = tensors.index(1, loc);
  }
  if (!end)
    return failure();
  Value begin = tensors.index(0, loc);

  SmallVector<TensorStore *> carried = writtenIn(frame, range);
  SmallVector<Value> inits;
  for (TensorStore *store : carried) {
    if (!store->current)
      store->current = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(store->type)));
    inits.push_back(store->current);
  }
  std::vector<DividedTile> divided;
  for (TensorStore *store : carried) {
    bool fresh = !tensors.dividedOf(store->current).empty() && store->current.getDefiningOp<arith::ConstantOp>();
    DividedTile tile = tensors.dividedOf(store->current);
    if (fresh && llvm::all_of(tile, [](const Divided &dim) { return dim.by.empty(); }))
      tile.assign(store->type.getRank(), Divided{{}, true});
    divided.push_back(tile);
  }
  // How the carried tiles are divided is known once the body was made. A dimension that was uniform is divided in one
  // way after that, so this ends.
  while (true) {
    Tensors::State before = tensors.save();
    auto loop = scf::ForOp::create(b, loc, begin, end, step, inits);
    if (strides) {
      number.strided = loop.getInductionVar();
      number.stride = bound.block;
    } else {
      number.value = loop.getInductionVar();
    }
    tile::keepName(body.getArgument(variable), loop.getInductionVar());
    frame.scalars[body.getArgument(variable)] = number;
    for (auto [store, argument, tile] : llvm::zip(carried, loop.getRegionIterArgs(), divided)) {
      store->current = argument;
      tensors.setDivided(argument, tile);
    }
    SmallVector<Value> results;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      if (loop.getBody()->mightHaveTerminator())
        loop.getBody()->getTerminator()->erase();
      b.setInsertionPointToEnd(loop.getBody());
      pipelines.push_back(&frame.instance);
      LogicalResult made = loopOver(frame, range, variable + 1);
      pipelines.pop_back();
      if (failed(made))
        return failure();
      for (TensorStore *store : carried)
        results.push_back(store->current);
      scf::YieldOp::create(b, loc, results);
    }
    bool same = true;
    for (auto [tile, result, store] : llvm::zip(divided, results, carried)) {
      DividedTile now = tensors.dividedOf(result);
      for (auto [dim, given] : llvm::zip(tile, now)) {
        std::optional<Divided> met = meet(dim, given);
        if (!met)
          return range->emitError("expected iterations that divide '") << store->name << "' in one way, got two";
        same &= *met == dim;
        dim = *met;
      }
    }
    if (same) {
      for (auto [store, result, tile] : llvm::zip(carried, loop.getResults(), divided)) {
        store->current = result;
        tensors.setDivided(result, tile);
      }
      return success();
    }
    tensors.restore(before);
    Block *around = loop->getBlock();
    loop.erase();
    b.setInsertionPointToEnd(around);
  }
}

/// Temporaries from outside that the launches of a range write.
SmallVector<TensorStore *> Converter::writtenIn(Frame &frame, Operation *range) {
  llvm::SetVector<TensorStore *> written;
  range->walk([&](task::LaunchOp launch) {
    task::TaskOp task = task::taskOf(launch);
    for (auto [argument, attr] : llvm::zip(launch.getArguments(), task.getParameters())) {
      auto parameter = cast<task::ParameterAttr>(attr);
      if (!parameter.isTensor() || !parameter.isWritten())
        continue;
      auto it = frame.tensors.find(task::rootOf(argument));
      if (it != frame.tensors.end() && !range->getRegion(0).isAncestor(task::rootOf(argument).getParentRegion()) &&
          !it->second.store->view)
        written.insert(it->second.store);
    }
  });
  return written.takeVector();
}

} // namespace heddle
