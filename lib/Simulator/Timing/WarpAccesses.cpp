//===- WarpAccesses.cpp - Accesses of global memory by warp groups ----------===//
//
// What:      loads, gathers, scalars and stores that groups issue themselves, executed.
// Verifies:  that accesses that meet are ordered within the CTA, and that programs of the grid share no element that
//            one of them writes (also for copies, whose operations WarpRings.cpp and WarpOps.cpp execute).
//
//===----------------------------------------------------------------------===//
#include "WarpEngine.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/ViewUses.h"

#include <set>

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

/// One number for two.
static uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t sum = (a + 1) * 0x9e3779b97f4a7c15 + b;
  return (sum ^ sum >> 31) * 0xbf58476d1ce4e5b9;
}

int64_t WarpEngine::programOf(const Group &group) {
  int64_t program = noProgram;
  for (const Frame &frame : group.stack) {
    if (!frame.control || !(frame.control->hasAttr(programLoopAttr) || frame.control->hasAttr(independentAttr)))
      continue;
    int64_t number = frame.iv;
    if (auto loop = dyn_cast<scf::WhileOp>(frame.control);
        loop && loop->hasAttr(programLoopAttr)) // its numbers come from a counter
      number = group.values.find(loop.getAfterArguments().front())->second.tile.toIndex();
    program = program == noProgram ? number : static_cast<int64_t>(mixed(program, number) & INT64_MAX);
  }
  return program;
}

/// Where elements overlap, the parts of an access are runs of memory, else it is a box of coordinates.
Complaint WarpEngine::orderGlobal(Group &group, Operation *op, unsigned argument, const HostTensor &tensor,
                                  ArrayRef<int64_t> at, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape,
                                  GlobalKind kind, int64_t id) {
  Complaint first;
  auto touch = [&](GlobalBox box) {
    if (!first)
      first = global.access(accessor(group), argument, tensor.name(), std::move(box), kind, op, id);
  };
  if (tensor.mayOverlap()) {
    tensor.forEachRun(at, dims, shape, [&](int64_t, int64_t position, int64_t length, int64_t step) {
      for (int64_t i = 0; i < (step == 1 ? 1 : length); ++i)
        touch({{position + i * step}, {position + (step == 1 ? length : i * step + 1)}});
    });
    return first;
  }
  GlobalBox box;
  for (int64_t d = 0, rank = at.size(); d < rank; ++d) {
    auto tileDim = llvm::find(dims, d);
    int64_t extent = tileDim == dims.end() ? 1 : shape[tileDim - dims.begin()], size = tensor.sizes()[d];
    box.begin.push_back(std::clamp<int64_t>(at[d], 0, size));
    box.end.push_back(at[d] > size ? size : std::clamp<int64_t>(at[d] + extent, 0, size));
  }
  touch(std::move(box));
  return first;
}

/// Ordered within the CTA, and apart from what other programs of the grid touch.
WarpEngine::Step WarpEngine::accessGlobal(Group &group, Operation *op, Value view, ArrayRef<int64_t> at,
                                          ArrayRef<int64_t> dims, ArrayRef<int64_t> shape, GlobalKind kind, int64_t id,
                                          const TileValue *stored) {
  unsigned argument = cast<BlockArgument>(tile::memoryOf(view)).getArgNumber();
  if (!bindings.arguments[argument].isWritten)
    return Step::Ran;
  HostTensor &tensor = tensorOf(view);
  if (Complaint complaint = orderGlobal(group, op, argument, tensor, at, dims, shape, kind, id))
    return fault(FaultKind::Race, op, *complaint);
  bool add = kind == GlobalKind::Add || kind == GlobalKind::CopyOutAdd;
  if (Complaint complaint =
          stored ? races.store(argument, *stored, at, dims, add) : races.load(argument, at, dims, shape))
    return fault(FaultKind::Race, op, *complaint);
  return Step::Ran;
}

WarpEngine::Step WarpEngine::forEachRun(Group &group, Operation *op, tile::WindowOp window, ArrayRef<int64_t> at,
                                        ArrayRef<int64_t> dims, ArrayRef<int64_t> shape,
                                        llvm::function_ref<Step(ArrayRef<int64_t>, int64_t, ArrayRef<int64_t>)> fn) {
  const HostTensor &memory = tensorOf(window);
  Window place(group.values[window].tile, window.getType().getRank(), elementBytes(memory.kind()));
  Step result = Step::Ran;
  SmallVector<int64_t> part(shape.size(), 1);
  place.forEachRun(at, dims, shape, [&](ArrayRef<int64_t> corner, int64_t position, int64_t length) {
    if (result == Step::Fault)
      return;
    part.back() = length;
    if (Complaint complaint = Window::complaint(memory, position, length))
      result = fault(FaultKind::Protocol, op, *complaint);
    else
      result = fn(corner, position, part);
  });
  return result;
}

WarpEngine::Step WarpEngine::loadGlobal(Group &group, Operation *op, Value view, ArrayRef<int64_t> at,
                                        ArrayRef<int64_t> dims, ArrayRef<int64_t> shape, TileValue &tile,
                                        GlobalKind kind, int64_t id) {
  HostTensor &memory = tensorOf(view);
  auto window = view.getDefiningOp<tile::WindowOp>();
  if (!window) {
    Step step = accessGlobal(group, op, view, at, dims, shape, kind, id, nullptr);
    if (step != Step::Fault)
      tile = memory.load(at, dims, shape);
    return step;
  }
  tile = TileValue::zeros(memory.kind(), shape);
  return forEachRun(group, op, window, at, dims, shape,
                    [&](ArrayRef<int64_t> corner, int64_t position, ArrayRef<int64_t> part) {
                      Step step = accessGlobal(group, op, view, {position}, {0}, {part.back()}, kind, id, nullptr);
                      TileValue run = memory.load({position}, {0}, {part.back()});
                      run.shape.assign(part.begin(), part.end());
                      insertSlice(tile, run, corner);
                      return step;
                    });
}

WarpEngine::Step WarpEngine::storeGlobal(Group &group, Operation *op, Value view, ArrayRef<int64_t> at,
                                         ArrayRef<int64_t> dims, const TileValue &tile, bool add, GlobalKind kind,
                                         int64_t id) {
  HostTensor &memory = tensorOf(view);
  auto window = view.getDefiningOp<tile::WindowOp>();
  if (!window) {
    Step step = accessGlobal(group, op, view, at, dims, tile.shape, kind, id, &tile);
    if (step != Step::Fault)
      memory.store(tile, at, dims, add);
    return step;
  }
  return forEachRun(group, op, window, at, dims, tile.shape,
                    [&](ArrayRef<int64_t> corner, int64_t position, ArrayRef<int64_t> part) {
                      TileValue run = extractSlice(tile, corner, part);
                      run.shape.assign({part.back()});
                      Step step = accessGlobal(group, op, view, {position}, {0}, run.shape, kind, id, &run);
                      if (step != Step::Fault)
                        memory.store(run, {position}, {0}, add);
                      return step;
                    });
}

WarpEngine::Step WarpEngine::loadRows(Group &group, Operation *op, Value view, SmallVector<int64_t> at,
                                      ArrayRef<int64_t> dims, ArrayRef<int64_t> shape, Value numbers, TileValue &tile,
                                      GlobalKind kind, int64_t id) {
  const TileValue rows = group.values[numbers].tile;
  SmallVector<int64_t> ofRow(shape), offset(shape.size(), 0);
  tile = TileValue::zeros(tensorOf(view).kind(), shape);
  int64_t first = at[dims[0]], count = std::exchange(ofRow[0], 1);
  for (int64_t r = 0; r < count; ++r) {
    at[dims[0]] = first + rows.intAt(r);
    TileValue row;
    if (loadGlobal(group, op, view, at, dims, ofRow, row, kind, id) == Step::Fault)
      return Step::Fault;
    offset[0] = r;
    insertSlice(tile, row, offset);
  }
  return Step::Ran;
}

WarpEngine::Step WarpEngine::executeAccess(Group &group, Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    int64_t done = issue(group, op, ready(group, op));
    if (done < 0)
      return Step::Fault;
    SmallVector<int64_t> at = coordinates(group, load.getIndices()), dims = load.getTileDims();
    ArrayRef<int64_t> whole = load.getType().getShape(), shape = load.getExtent().value_or(whole);
    WarpValue value;
    if (loadGlobal(group, op, load.getView(), at, dims, shape, value.tile) == Step::Fault)
      return Step::Fault;
    value.tile = padded(value.tile, whole);
    value.ready = done;
    group.values[load.getResult()] = value;
    return Step::Ran;
  }
  if (auto gather = dyn_cast<tile::GatherOp>(op)) {
    int64_t done = issue(group, op, ready(group, op));
    if (done < 0)
      return Step::Fault;
    WarpValue value;
    value.ready = done;
    if (loadRows(group, op, gather.getView(), coordinates(group, gather.getIndices()), gather.getTileDims(),
                 gather.getType().getShape(), gather.getRows(), value.tile) == Step::Fault)
      return Step::Fault;
    group.values[gather.getResult()] = value;
    return Step::Ran;
  }
  if (auto element = dyn_cast<tile::ElementOp>(op)) {
    int64_t done = issue(group, op, ready(group, op));
    if (done < 0)
      return Step::Fault;
    SmallVector<int64_t> at = coordinates(group, element.getIndices());
    int64_t last = at.size() - 1;
    if (accessGlobal(group, op, element.getView(), at, {last}, {1}, GlobalKind::Load, 0, nullptr) == Step::Fault)
      return Step::Fault;
    WarpValue value;
    value.tile = tensorOf(element.getView()).load(at, {last}, {1});
    value.tile.shape.clear();
    value.ready = done;
    group.values[element.getResult()] = value;
    return Step::Ran;
  }
  auto store = cast<tile::StoreOp>(op);
  if (issue(group, op, ready(group, op)) < 0)
    return Step::Fault;
  SmallVector<int64_t> at = coordinates(group, store.getIndices()), dims = store.getTileDims(),
                       below = coordinates(group, store.getBelow()), corner(dims.size(), 0);
  const TileValue tile = group.values[store.getValue()].tile;
  SmallVector<int64_t> extent(store.getExtent().value_or(ArrayRef(tile.shape)));
  bool add = store.getKind() == "add";
  auto storePart = [&] {
    TileValue part = extractSlice(tile, corner, extentBelow(below, at, dims, extent));
    return storeGlobal(group, op, store.getView(), at, dims, part, add, add ? GlobalKind::Add : GlobalKind::Store);
  };
  if (!store.getRows())
    return storePart() == Step::Fault ? Step::Fault : Step::Ran;
  const TileValue rows = group.values[store.getRows()].tile;
  int64_t first = at[dims[0]], count = std::exchange(extent[0], 1);
  std::set<int64_t> stored; // threads store equal rows that several numbers name in any order
  for (int64_t &r = corner[0]; r < count; ++r) {
    at[dims[0]] = first + rows.intAt(r);
    if ((stored.insert(at[dims[0]]).second || add) && storePart() == Step::Fault)
      return Step::Fault;
  }
  return Step::Ran;
}
