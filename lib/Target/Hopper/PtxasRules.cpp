//===- PtxasRules.cpp - what ptxas can follow -------------------------------------===//
//
// Waits (rules 3 and 4): where a wait can retire nothing, no instruction is left (`retired`), only the pinning of its
// registers; one that retires a group of an earlier trip waits for everything. Algorithm: what is in flight is carried
// along the role; loop bodies are walked until nothing changes.
//
//===----------------------------------------------------------------------------===//
#include "heddle/Target/Hopper/PtxasRules.h"

#include "heddle/Dialect/HW/Limits.h"
#include "heddle/Target/Hopper/InFlight.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace heddle;

namespace {

struct Flight {
  hw::WgmmaOp mma;
  scf::ForOp wrapped; ///< the loop whose back edge it crossed
};
using Flights = InFlight<Flight>;

constexpr int64_t kMostTracked = hw::mostPending + 1;

/// Whether the loop waits for the accumulator of `mma` in a later trip in order to read it, be it after further dots
/// have added to it.
bool isReadInLaterTrip(hw::WgmmaOp mma, scf::ForOp loop) {
  using Reached = std::pair<Value, bool>; // a value, and whether the back edge lies before it
  SmallVector<Reached> work{{mma.getResult(), false}};
  llvm::DenseSet<Value> seen[2];
  while (!work.empty()) {
    auto [value, carried] = work.pop_back_val();
    if (!seen[carried].insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto next = dyn_cast<hw::WgmmaOp>(user); next && next.getAcc() == value)
        work.push_back({next.getResult(), carried});
      else if (isa<scf::YieldOp>(user) && user->getParentOp() == loop)
        work.push_back({loop.getRegionIterArg(use.getOperandNumber()), true});
      else if (isa<hw::WgmmaWaitOp>(user) && loop->isAncestor(user) && carried)
        return true;
    }
  }
  return false;
}

class Adapter {
public:
  void run(hw::RoleOp role) {
    Block &body = role.getBody().front();
    walk(body, {});
    for (Operation *wait : strengthened)
      cast<hw::WgmmaWaitOp>(wait).setPending(0);
    most.clear();
    walk(body, {});
    SmallVector<hw::WgmmaWaitOp> waits;
    role.walk([&](hw::WgmmaWaitOp wait) { waits.push_back(wait); });
    for (hw::WgmmaWaitOp wait : waits) {
      if (most.lookup(wait) > static_cast<int64_t>(wait.getPending()))
        continue;
      if (wait.getValues().empty())
        wait.erase();
      else
        wait.setRetired(true);
    }
  }

private:
  static Flights longer(Flights a, const Flights &b) {
    a.join(b);
    return a;
  }

  Flights walk(Block &block, Flights state) {
    hw::WgmmaOp last;
    for (Operation &op : block) {
      if (auto mma = dyn_cast<hw::WgmmaOp>(op)) {
        last = mma;
      } else if (isa<hw::WgmmaCommitOp>(op)) {
        state.issue({last, nullptr});
        state.retire(kMostTracked);
      } else if (auto wait = dyn_cast<hw::WgmmaWaitOp>(op)) {
        int64_t pending = wait.getPending();
        most[wait] = std::max(most.lookup(wait), state.size());
        for (const Flight &flight : state.retiredBy(pending))
          if (pending > 0 && flight.wrapped && flight.mma && flight.wrapped->isAncestor(wait) &&
              isReadInLaterTrip(flight.mma, flight.wrapped))
            strengthened.insert(wait);
        state.retire(pending);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        Flights entry = state;
        for (int64_t trip = 0; trip <= kMostTracked; ++trip) {
          Flights end = walk(*loop.getBody(), entry);
          for (Flight &flight : end.all())
            if (!flight.wrapped)
              flight.wrapped = loop;
          bool settled = trip > 0 && end.size() <= entry.size();
          state = longer(end, state);
          entry = end;
          if (settled)
            break;
        }
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        Flights then = walk(branch.getThenRegion().front(), state);
        state = branch.getElseRegion().empty() ? longer(then, state)
                                               : longer(then, walk(branch.getElseRegion().front(), state));
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        // Dots of sequential loops are waited for in their trip: a second one sees what the first leaves.
        for (int trip = 0; trip < 2; ++trip)
          state = longer(walk(*loop.getAfterBody(), walk(*loop.getBeforeBody(), state)), state);
        state = walk(*loop.getBeforeBody(), state);
      }
    }
    return state;
  }

  llvm::DenseMap<Operation *, int64_t> most; ///< groups in flight at a wait, at most
  llvm::DenseSet<Operation *> strengthened;
};

} // namespace

void heddle::ptxas::adaptWaits(hw::RoleOp role) { Adapter().run(role); }

bool heddle::ptxas::needsOwnArray(hw::WgmmaOp mma) { return !mma.getAcc(); }

bool heddle::ptxas::setsBeforeLoop(hw::WgmmaOp mma) { return mma.getAcc() != nullptr; }

/// True where every trip of `loop` reads the same address.
static bool isInvariantIn(scf::ForOp loop, Value tile) {
  while (auto view = tile.getDefiningOp<hw::ViewOp>())
    tile = view.getSource();
  auto smem = tile.getDefiningOp<hw::SmemOp>();
  return !loop->isAncestor(tile.getParentRegion()->getParentOp()) || (smem && !smem.getSlot());
}

bool heddle::ptxas::hidesAddress(hw::WgmmaOp mma, Value operand) {
  constexpr int64_t many = 8; // as many as attention's forward pass has, which does not spill; sixteen were seen to
  auto loop = mma->getParentOfType<scf::ForOp>();
  if (!loop || !isInvariantIn(loop, operand))
    return false;
  int64_t count = 0;
  loop.walk([&](hw::WgmmaOp other) {
    auto b = cast<hw::TileType>(other.getB().getType());
    for (Value v : {Value(other.getA()), Value(other.getB())})
      if (isa<hw::TileType>(v.getType()) && isInvariantIn(loop, v))
        count += b.getShape()[0] * b.getElementBytes() / 32;
  });
  return count > many;
}

int64_t heddle::ptxas::mostColumns(int64_t registers, int64_t ofLeft) {
  constexpr int64_t beside = 26; // for every width, type and place of the left operand (ptxas 13.0)
  return 2 * std::max<int64_t>(0, registers - beside - ofLeft);
}
