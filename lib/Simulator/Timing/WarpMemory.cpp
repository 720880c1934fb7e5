//===- WarpMemory.cpp - Shared memory with its history ----------------------===//
#include "WarpMemory.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace heddle::sim {

static bool isWrite(Access kind) { return kind == Access::Write || kind == Access::CopyWrite; }
static bool isAsync(Access kind) { return kind != Access::Write && kind != Access::Read; }

static const char *accessName(Access kind) {
  switch (kind) {
  case Access::Write: return "write";
  case Access::CopyWrite: return "copy";
  case Access::Read: return "read";
  case Access::DotRead: return "dot";
  case Access::CopyRead: return "copy_out";
  }
  return "";
}

int WarpMemory::addTile(std::string name, Type element, ArrayRef<int64_t> shape) {
  SmemTile tile;
  tile.name = std::move(name);
  tile.extent = {0, 0, shape[0], shape.size() > 1 ? shape[1] : 1};
  tile.data = TileValue::zeros(*elementKindOf(element), shape);
  tile.written.assign(tile.extent.rows * tile.extent.cols, 0);
  tiles.push_back(std::move(tile));
  return tiles.size() - 1;
}

/// Whether `old` lies before the access that `who` makes now.
Complaint WarpMemory::ordered(const Accessor &who, const AccessRecord &old, bool, Access now, const SmemTile &tile) {
  std::string both = std::string(accessName(now)) + " of " + tile.name + " by @" + groupNames[who.group] + " and the " +
                     accessName(old.kind) + " by @" + groupNames[old.group];
  if (old.group != who.group) {
    if (old.epoch < 0)
      return "expected the " + std::string(accessName(old.kind)) + " by @" + groupNames[old.group] +
             " to have ended before the " + accessName(now) + " of " + tile.name + " by @" + groupNames[who.group] +
             ", got it still going on";
    if (old.epoch > (*who.clock)[old.group])
      return "expected the " + both + " to be ordered by a ring, got a race";
    if (old.kind == Access::Write && (now == Access::DotRead || now == Access::CopyRead) && !old.fenced)
      return "expected a fence between the " + both + ", got none";
    ++orderedPairs;
    return std::nullopt;
  }
  // The same group. A slot is filled again only after an acquire, and writes keep their threads' order.
  if (old.epoch < 0 && old.kind != Access::CopyWrite)
    return "expected a wait for the " + std::string(accessName(old.kind)) + " before the " + accessName(now) + " of " +
           tile.name + " by @" + groupNames[who.group] + ", got it in flight";
  if (old.kind == Access::Write && (now == Access::DotRead || now == Access::CopyRead)) {
    if (!old.fenced)
      return "expected a fence between write and " + std::string(accessName(now)) + " of " + tile.name + " in @" +
             groupNames[who.group] + ", got none";
    if (!old.asyncReady && !who.oneThread)
      return "expected a barrier between fence and " + std::string(accessName(now)) + " of " + tile.name + " in @" +
             groupNames[who.group] + ", got none";
  } else if (!old.met && !who.oneThread && !(isWrite(old.kind) && isWrite(now)) && tile.ring < 0) {
    return "expected a barrier between the " + both + ", got none";
  }
  ++orderedPairs;
  return std::nullopt;
}

Complaint WarpMemory::write(const Accessor &who, int index, const Rect &rect, Access kind, Operation *op) {
  SmemTile &tile = tiles[index];
  for (const AccessRecord &old : tile.history)
    if (old.rect.overlaps(rect))
      if (Complaint complaint = ordered(who, old, isWrite(old.kind), kind, tile))
        return complaint;
  // What this access covers is ordered before it, hence before everything that will be ordered after it.
  llvm::erase_if(tile.history, [&](const AccessRecord &old) { return rect.contains(old.rect); });
  for (AccessRecord &old : tile.history) { // a part of the rows of a slot, from above or from below
    if (kind != Access::CopyWrite || !old.rect.overlaps(rect) || old.rect.col < rect.col ||
        old.rect.col + old.rect.cols > rect.col + rect.cols)
      continue;
    int64_t end = old.rect.row + old.rect.rows, covered = rect.row + rect.rows;
    if (rect.row <= old.rect.row)
      old.rect.row = covered;
    else if (covered >= end)
      end = rect.row;
    old.rect.rows = end - old.rect.row;
  }
  AccessRecord record{kind, who.group, rect, op, 0};
  record.epoch = kind == Access::CopyWrite ? -1 : (*who.clock)[who.group];
  record.met = who.oneThread;
  tile.history.push_back(record);
  return std::nullopt;
}

Complaint WarpMemory::read(const Accessor &who, const SmemView &view, Access kind, Operation *op, int64_t id) {
  SmemTile &tile = tiles[view.tile];
  for (const AccessRecord &old : tile.history)
    if (isWrite(old.kind) && old.rect.overlaps(view.rect))
      if (Complaint complaint = ordered(who, old, true, kind, tile))
        return complaint;
  for (int64_t r = view.rect.row; r < view.rect.row + view.rect.rows; ++r)
    for (int64_t c = view.rect.col; c < view.rect.col + view.rect.cols; ++c)
      if (!tile.written[r * tile.extent.cols + c])
        return "expected " + tile.name + " to be written before the " + accessName(kind) + " by @" +
               groupNames[who.group] + ", got elements that nothing wrote";
  AccessRecord record{kind, who.group, view.rect, op, id};
  record.epoch = isAsync(kind) ? -1 : (*who.clock)[who.group];
  record.met = who.oneThread && !isAsync(kind);
  // One record of a kind, group, place and epoch is enough.
  for (const AccessRecord &old : tile.history)
    if (old.kind == kind && old.group == who.group && old.epoch == record.epoch && old.epoch >= 0 &&
        old.met == record.met && old.rect.contains(view.rect))
      return std::nullopt;
  tile.history.push_back(record);
  return std::nullopt;
}

void WarpMemory::retire(int group, Access kind, int64_t id, int64_t epoch, bool oneThread) {
  for (SmemTile &tile : tiles)
    for (AccessRecord &old : tile.history)
      if (old.group == group && old.kind == kind && old.id == id && old.epoch < 0) {
        old.epoch = epoch;
        old.met = oneThread;
      }
}

void WarpMemory::fence(int group, bool oneThread) {
  for (SmemTile &tile : tiles)
    for (AccessRecord &old : tile.history)
      if (old.group == group && old.kind == Access::Write && !old.published) {
        old.fenced = true;
        old.asyncReady |= oneThread;
      }
}

void WarpMemory::barrier(int group) {
  for (SmemTile &tile : tiles)
    for (AccessRecord &old : tile.history)
      if (old.group == group && old.epoch >= 0) {
        old.met = true;
        old.asyncReady |= old.fenced;
      }
}

void WarpMemory::publish(int group, int index, int64_t epoch) {
  for (AccessRecord &old : tiles[index].history)
    if (old.group == group && isWrite(old.kind)) {
      old.epoch = epoch;
      old.published = true;
      old.asyncReady |= old.fenced;
    }
}

/// Lets the copies that have landed by `time` take effect.
void WarpMemory::settle(SmemTile &tile, int64_t time) {
  for (const SmemTile::Landing &landing : tile.landings)
    if (landing.time <= time) {
      if (landing.value.shape == tile.data.shape)
        tile.data = landing.value;
      else
        insertSlice(tile.data, landing.value, {landing.row, 0});
    }
  llvm::erase_if(tile.landings, [&](const SmemTile::Landing &landing) { return landing.time <= time; });
}

void WarpMemory::land(int index, int64_t row, int64_t time, const TileValue &value) {
  SmemTile &tile = tiles[index];
  tile.landings.push_back({time, row, value});
  std::fill_n(tile.written.begin() + row * tile.extent.cols, value.shape[0] * tile.extent.cols, 1);
}

TileValue WarpMemory::load(const SmemView &view, int64_t time) {
  SmemTile &tile = tiles[view.tile];
  settle(tile, time);
  if (tile.data.shape.size() == 1)
    return extractSlice(tile.data, {view.rect.row}, {view.rect.rows});
  TileValue part = extractSlice(tile.data, {view.rect.row, view.rect.col}, {view.rect.rows, view.rect.cols});
  return view.transposed ? transpose(part) : part;
}

void WarpMemory::store(const SmemView &view, const TileValue &value) {
  SmemTile &tile = tiles[view.tile];
  if (tile.data.shape.size() == 1)
    insertSlice(tile.data, value, {view.rect.row});
  else
    insertSlice(tile.data, view.transposed ? transpose(value) : value, {view.rect.row, view.rect.col});
  for (int64_t r = view.rect.row; r < view.rect.row + view.rect.rows; ++r)
    std::fill_n(tile.written.begin() + r * tile.extent.cols + view.rect.col, view.rect.cols, 1);
}

} // namespace heddle::sim
