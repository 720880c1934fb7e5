//===- Rings.cpp - which loads share a ring, and how deep it must be -------===//
//
// What:      copy-engine loads -> rings (arefs) and their depths.
//            A staged tile's ring needs a slot for every use that its own group fills before it releases the first.
// Where:     between the groups' stream plans (places of get and release) and the creation of arefs.
// Algorithm: the load group fills rings in one fixed order each iteration. A compute group waiting for use n of ring R
//            needs every earlier fill to have found a free slot: fills of R' before it reach use n (or n - 1 when R'
//            comes after R in the order), so depth(R') > consumed'(stage) - get(stage), plus one unless the release
//            stands before the get within the kernel. That is the least depth; shared memory that the lowering leaves
//            over (sharedMemoryOf) goes to the rings with the fewest slots.
//
//===----------------------------------------------------------------------===//
#include "Rings.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Analysis/SlotLives.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
namespace heddle {

static int64_t bytesOf(ArrayRef<Type> tiles) {
  int64_t bytes = 0;
  for (Type type : tiles)
    bytes += slotBytes(type);
  return bytes;
}

int64_t Ring::slotBytes() const {
  int64_t bytes = bytesOf(ownPayload());
  for (ArrayRef<Type> tiles : alternatives)
    bytes = std::max(bytes, bytesOf(tiles));
  return ofTurn() ? bytes * turns : bytes;
}

Operation *Ring::source() const {
  warp::StageOp own = stage;
  return own ? own.getOperation() : tile::LoadOp(loads.front()).getOperation();
}

SmallVector<Value> Ring::tiles() const {
  if (stage)
    return {source()->getResult(0)};
  SmallVector<Value> tiles;
  for (tile::LoadOp load : loads)
    tiles.push_back(load->getResult(0));
  return tiles;
}

SmallVector<Type> Ring::payload() const {
  if (home)
    return home->payload();
  if (alternatives.empty())
    return ownPayload();
  SmallVector<Type> fields;
  for (ArrayRef<Type> tiles : alternatives)
    llvm::append_range(fields, tiles);
  return fields;
}

bool Ring::isCopied() const { return stage && copiedSource(stage); }

SmallVector<Type> Ring::ownPayload() const {
  if (stage)
    return {source()->getOperand(0).getType()};
  return SmallVector<Type>(ValueRange(tiles()).getTypes());
}

static std::string viewName(Value view) {
  auto arg = cast<BlockArgument>(tile::memoryOf(view));
  auto kernel = cast<tile::KernelOp>(arg.getOwner()->getParentOp());
  if (auto name = kernel.getArgAttrOfType<StringAttr>(arg.getArgNumber(), "tile.name"))
    return name.str();
  return "arg" + std::to_string(arg.getArgNumber());
}

/// Rings are called after the views they load, or after the group that stages; from the second of a name on with a
/// number.
static void nameRings(MutableArrayRef<Ring> rings) {
  std::set<std::string> taken;
  for (Ring &ring : rings) {
    std::string base = ring.stage ? "stage" + std::to_string(ring.producer) + "_" + std::to_string(ring.order) : "";
    for (tile::LoadOp load : ring.loads)
      base += viewName(load.getView());
    ring.name = base;
    for (int64_t n = 2; !taken.insert(ring.name).second; ++n)
      ring.name = base + "_" + std::to_string(n);
  }
}

std::vector<Ring> collectRings(tile::KernelOp kernel, const DenseMap<Operation *, LoopSchedule> &schedules) {
  std::vector<Ring> rings;
  scf::ForOp programs = programLoop(kernel);
  auto turnsAt = [&](Operation *op) { return programs && programs->isAncestor(op) ? turnsOf(kernel) : 1; };
  kernel.walk([&](tile::LoadOp load) {
    if (!isTmaLoad(load))
      return;
    for (Ring &ring : rings)
      if (shareRing(ring.loads.front(), load)) {
        ring.loads.push_back(load);
        return;
      }
    Ring ring;
    ring.turns = turnsAt(load);
    ring.part = load->getAttr(partRingAttr);
    ring.loads.push_back(load);
    if (auto loop = dyn_cast<scf::ForOp>(load->getParentOp()); loop && schedules.count(loop))
      ring.loop = loop;
    // One use a program: with as many slots as turns, use n and the turn of program n have the same slot.
    ring.apart = ring.inTurn() && load->getParentOp() == programs && !kernel->hasAttr(shareSlotsAttr);
    llvm::SetVector<int64_t> groups;
    for (Operation *user : usersThroughFree(load.getResult()))
      groups.insert(groupOf(user));
    ring.consumers.assign(groups.begin(), groups.end());
    llvm::sort(ring.consumers);
    rings.push_back(std::move(ring));
  });
  kernel.walk([&](warp::StageOp stage) {
    Ring ring;
    ring.turns = turnsOf(kernel);
    ring.stage = stage;
    if (auto loop = dyn_cast<scf::ForOp>(stage->getParentOp()); loop && schedules.count(loop))
      ring.loop = loop;
    ring.producer = groupOf(stage);
    llvm::SetVector<int64_t> groups;
    for (Operation *user : usersThroughFree(stage.getResult()))
      groups.insert(groupOf(user));
    ring.consumers.assign(groups.begin(), groups.end());
    llvm::sort(ring.consumers);
    rings.push_back(std::move(ring));
  });
  // Fill order inside a scheduled loop: by start time, then program order.
  SmallVector<Ring *> order;
  for (Ring &ring : rings)
    order.push_back(&ring);
  auto startOf = [&](Ring *ring) { // loads that share a slot are all issued when the last of them is due
    int64_t start = 0;
    for (Value tile : ring->tiles())
      if (ring->loop)
        start = std::max(start, schedules.find(ring->loop)->second.start.lookup(tile.getDefiningOp()));
    return start;
  };
  for (Ring &ring : rings)
    ring.filled = startOf(&ring);
  llvm::stable_sort(order, [&](Ring *a, Ring *b) { return a->loop == b->loop && startOf(a) < startOf(b); });
  for (auto [i, ring] : llvm::enumerate(order))
    ring->order = i;
  llvm::SmallDenseMap<Attribute, Ring *> first; // of the parts of each tile
  for (Ring &ring : rings)
    if (ring.part) {
      ring.filler = ring.consumers.front();
      if (Ring *home = first.try_emplace(ring.part, &ring).first->second; home != &ring)
        ring.home = home;
    }
  nameRings(rings);
  return rings;
}

bool shareSlots(tile::KernelOp kernel, MutableArrayRef<Ring> rings) {
  bool all = kernel->hasAttr(shareSlotsAttr) || !kernel->hasAttr(shareLoopSlotsAttr);
  if (all && llvm::any_of(rings, [](const Ring &ring) { return ring.apart; }))
    return true; // turns may share slots
  if (tile::clusterOf(kernel) > 1)
    return false;
  auto isRow = [](Type tile) { return cast<RankedTensorType>(tile).getRank() == 1; }; // not copied in bulk
  struct Home {
    Ring *ring;
    SlotLife last; ///< of those that lie there
  };
  SmallVector<Home> homes;
  bool shared = false;
  auto place = [&](Ring &ring, SlotLife life) {
    Home *best = nullptr;
    int64_t bytes = ring.slotBytes();
    for (Home &home : homes) {
      if (home.ring->producer != ring.producer || home.ring->consumers != ring.consumers ||
          home.ring->isCopied() != ring.isCopied() || !home.last.endsBefore(life))
        continue;
      // The smallest that is large enough, else the largest.
      int64_t size = home.ring->slotBytes(), most = best ? best->ring->slotBytes() : 0;
      if (!best || (most < bytes ? size > most : size >= bytes && size < most))
        best = &home;
    }
    if (!best) {
      homes.push_back({&ring, life});
      return;
    }
    shared = true;
    best->last = life;
    ring.home = best->ring;
    auto &alternatives = ring.home->alternatives;
    SmallVector<Type> tiles = ring.ownPayload();
    if (alternatives.empty())
      alternatives.push_back(ring.home->ownPayload());
    for (ArrayRef<Type> before : alternatives) {
      if (before == ArrayRef<Type>(tiles))
        return;
      ring.firstField += before.size();
    }
    alternatives.push_back(tiles);
  };
  for (Ring &ring : rings) // in the order of the text, those of one producer
    if (!(ring.loop && ring.crosses()) && !ring.part && llvm::none_of(ring.ownPayload(), isRow) &&
        (ring.loop || (all && turnsOf(kernel) == 1)))
      place(ring, lifeOfSlot(ring.source()));
  return shared;
}

/// Slots that let every group keep the schedule's times, where groups hand tiles to each other: use n finds its slot
/// released before it is filled. A run at those times exists then, and since no wait depends on data none can end
/// otherwise. The load group fills in a fixed order, iteration by iteration: at its times, but not after the first fill
/// of the next iteration.
static int64_t timedDepth(const Ring &ring, ArrayRef<Ring> rings, int64_t ii) {
  int64_t filled = ring.filled, depth = 1;
  if (!ring.stage)
    for (const Ring &other : rings)
      if (other.loop == ring.loop && !other.stage)
        filled = std::min(filled, other.filled + ii);
  for (auto [group, end] : ring.released)
    if (end >= filled)
      depth = std::max(depth, (end - filled) / ii + 1);
  return depth;
}

/// Least depth of `ring` such that no group can wait for a fill that waits for that group.
static int64_t leastDepth(const Ring &ring, ArrayRef<Ring> rings) {
  int64_t depth = 1;
  if (!ring.loop)
    return ring.apart ? ring.turns : depth;
  if (ring.crosses())
    return depth; // see timedDepth
  if (ring.stage) {
    StreamPlace put = ring.get.lookup(ring.consumers.front()), end = ring.consumed.lookup(ring.consumers.front());
    return std::max(depth, end.stage - put.stage + (put.isBeforeInLoop(end) ? 1 : 0));
  }
  for (const Ring &other : rings) {
    if (other.loop != ring.loop || other.stage)
      continue;
    for (int64_t g : ring.consumers) {
      auto get = other.get.find(g);
      auto end = ring.consumed.find(g);
      if (get == other.get.end() || end == ring.consumed.end())
        continue;
      int64_t span = end->second.stage - get->second.stage + (get->second.isBeforeInLoop(end->second) ? 1 : 0);
      if (ring.order > other.order)
        --span;
      depth = std::max(depth, span);
    }
  }
  return depth;
}

FailureOr<int64_t> givenDepth(const Ring &ring, const DenseMap<Operation *, LoopSchedule> &schedules) {
  int64_t given = 0;
  auto schedule = schedules.find(ring.loop);
  for (Value tile : ring.tiles()) {
    int64_t slots = schedule == schedules.end() ? 0 : schedule->second.rings.lookup(tile.getDefiningOp());
    if (slots && given && slots != given)
      return emitErrorOf(ErrorKind::Internal, tile.getLoc()) // refused with the pins of the loop (PlanPins)
                 << "one number of slots of ring '" << ring.name << "' is given as " << given << " and " << slots,
             failure();
    given = std::max(given, slots);
  }
  return given;
}

Location placeOfDepth(const Ring &ring, const DenseMap<Operation *, LoopSchedule> &schedules) {
  if (auto schedule = schedules.find(ring.loop); schedule != schedules.end())
    for (Value tile : ring.tiles())
      if (LocationAttr place = schedule->second.ringPlaces.lookup(tile.getDefiningOp()))
        return place;
  return ring.source()->getLoc();
}

FailureOr<int64_t> chooseDepths(MutableArrayRef<Ring> rings, const DenseMap<Operation *, LoopSchedule> &schedules) {
  int64_t used = 0;
  for (Ring &ring : rings) {
    int64_t placed = ring.filler >= 0 ? ring.depth : 0; // what its fills were placed for
    ring.depth = ring.part ? 1 : leastDepth(ring, rings);
    if (llvm::any_of(rings, [&](const Ring &other) { return ring.loop && other.loop == ring.loop && other.crosses(); }))
      ring.depth = std::max(ring.depth, timedDepth(ring, rings, schedules.find(ring.loop)->second.ii));
    FailureOr<int64_t> given = givenDepth(ring, schedules);
    if (failed(given))
      return failure();
    int64_t fixed = *given ? *given : placed;
    if (fixed && fixed < ring.depth)
      return emitErrorOf(ErrorKind::Infeasible, placeOfDepth(ring, schedules))
                 << "ring = " << fixed << " of ring '" << ring.name << "': the order of the schedule needs "
                 << ring.depth << " slots, over by " << ring.depth - fixed,
             failure();
    if (fixed)
      ring.depth = fixed;
    else if (!ring.stage && ring.filler < 0 && !ring.apart)
      ring.grows = ring.loop ? growsInLoop : isa<scf::ForOp>(ring.source()->getParentOp()) ? growsOutside : "";
  }
  for (Ring &ring : rings) {
    Ring &slots = ring.slots();
    slots.depth = std::max(slots.depth, ring.depth);
    slots.grows = ring.grows.empty() ? slots.grows : ring.grows;
  }
  for (const Ring &ring : rings)
    used += ring.home ? 0 : ring.depth * ring.slotBytes();
  return used;
}

int64_t growRings(warp::KernelOp kernel, int64_t bytes, int64_t maxDepth, WarpDecisions &decisions) {
  struct Growing {
    warp::ArefOp aref;
    StringRef where;
    int64_t depth, slot;
  };
  SmallVector<Growing> rings;
  for (auto aref : kernel.getBody().getOps<warp::ArefOp>()) {
    Growing ring{aref, "", aref.getType().getDepth(), 0};
    if (auto where = aref->getAttrOfType<StringAttr>(growsAttr))
      ring.where = where.getValue();
    ArrayRef<Type> fields = aref.getType().getPayload();
    for (int64_t first = 0, end = 0, all = fields.size(); first < all; first = end) {
      end = aref.filledWith(first).second;
      ring.slot = std::max(ring.slot, bytesOf(fields.slice(first, end - first)));
    }
    rings.push_back(ring);
  }
  // Of the rings that grow `where`, the one with the fewest slots gets another one, up to `limit`, while it fits: what
  // is loaded for one iteration is needed together, so that the fewest slots say how far loads run ahead.
  auto grow = [&](StringRef where, int64_t limit) {
    for (;;) {
      Growing *best = nullptr;
      for (Growing &ring : rings)
        if (ring.where == where && ring.depth < limit && ring.slot + 2 * barrierBytes <= bytes &&
            (!best || std::pair(ring.depth, ring.slot) < std::pair(best->depth, best->slot)))
          best = &ring;
      if (!best)
        return;
      ++best->depth;
      bytes -= best->slot + 2 * barrierBytes;
    }
  };
  // The load group fills in program order: where the load of an outer loop waits for its only slot, so do all loads of
  // the next inner loop behind it. A second slot lets them run ahead.
  grow(growsInLoop, std::min<int64_t>(2, maxDepth));
  grow(growsOutside, std::min<int64_t>(2, maxDepth));
  grow(growsInLoop, maxDepth);
  for (Growing &ring : rings) {
    if (ring.where == growsInLoop)
      decisions.fewestSlots = std::min(decisions.fewestSlots ? decisions.fewestSlots : ring.depth, ring.depth);
    ring.aref->removeAttr(growsAttr);
    ring.aref.getResult().setType(
        warp::ArefType::get(kernel.getContext(), ring.depth, ring.aref.getType().getPayload()));
    decisions.slots[ring.aref.getName().str()] = ring.depth;
  }
  return llvm::count_if(rings, [](const Growing &ring) { return ring.where == growsInLoop && ring.depth == 1; });
}

} // namespace heddle
