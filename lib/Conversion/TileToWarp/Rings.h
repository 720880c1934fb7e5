//===- Rings.h - which loads share a ring, and how deep it must be ---------===//
#ifndef HEDDLE_LIB_CONVERSION_TILETOWARP_RINGS_H
#define HEDDLE_LIB_CONVERSION_TILETOWARP_RINGS_H

#include "heddle/Analysis/SlotLives.h"
#include "heddle/Conversion/TileToWarp/TileToWarp.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Scheduling/Stream/Stream.h"
#include <string>
#include <vector>

namespace heddle {

/// What fills one slot: loads of the load group together, or a tile that a compute group stages for its own dots or for
/// other groups.
struct Ring {
  llvm::SmallVector<tile::LoadOp> loads;
  warp::StageOp stage;                  ///< null for loads
  int64_t producer = -1;                ///< the compute group that stages; -1: the load group
  int64_t filler = -1;                  ///< of loads: the compute group that issues them; -1: the load group
  mlir::Operation *loop = nullptr;      ///< the scheduled loop it is filled in, or null
  llvm::SmallVector<int64_t> consumers; ///< compute groups that read it, ascending
  mlir::Attribute part;                 ///< of loads of parts: which others fill its slots (partRingAttr); else null
  int64_t order = 0;                    ///< rank among the rings of its loop in the load group's stream
  llvm::DenseMap<int64_t, StreamPlace> get, consumed; ///< by group; set for rings of scheduled loops
  int64_t filled = 0;                        ///< when it is filled; of a scheduled loop, in units of the schedule
  llvm::DenseMap<int64_t, int64_t> released; ///< by group: when its readers are done, counted like `filled`
  int64_t depth = 1;
  int64_t turns =
      1; ///< of the programs in flight: a ring of loads serves them in turn, a staged tile has a ring in each
  bool apart = false;         ///< in turn, but each turn has slots that no other uses: nothing has to order their gets
  llvm::StringRef grows = ""; ///< where it does, growsInLoop or growsOutside; empty: it keeps its depth
  mlir::Value aref;
  llvm::SmallVector<mlir::Value> arefs; ///< by turn; `aref` is that of the groups that are built
  std::string name;                     ///< no other ring of the kernel has it
  Ring *home = nullptr;                 ///< whose slots it fills, where tiles share them (shareSlots); null: its own
  int64_t firstField = 0;               ///< of its tiles among the fields of a slot
  llvm::SmallVector<llvm::SmallVector<mlir::Type>> alternatives; ///< where others fill its slots: what a use may hold

  /// The ring whose slots, use numbers and aref are those of this one.
  Ring &slots() { return home ? *home : *this; }
  int64_t slotBytes() const; ///< of all its arefs
  /// Each turn has slots of its own, which its own groups fill.
  bool ofTurn() const { return stage || part; }
  /// Programs take the uses in turn.
  bool inTurn() const { return turns > 1 && !ofTurn(); }
  /// Threads copy its tile from global memory: each of them arrives, where else one of a warp does.
  bool isCopied() const;
  /// A compute group's tile for other groups.
  bool crosses() const { return producer >= 0 && (consumers.size() != 1 || consumers.front() != producer); }
  mlir::Operation *source() const;
  /// The tiles of a slot, as the tile kernel names them: results of loads, or of the stage.
  llvm::SmallVector<mlir::Value> tiles() const;
  llvm::SmallVector<mlir::Type> ownPayload() const;
  /// The fields of a slot: of all alternatives.
  llvm::SmallVector<mlir::Type> payload() const;
};

/// Groups the copy-engine loads of `kernel` into rings: loads of one block whose users are the same operations share a
/// slot. Every staged tile has its own, whose place of `get` is that of its put. Loads of parts of one tile have one,
/// which the first group that reads them fills.
std::vector<Ring> collectRings(tile::KernelOp kernel, const llvm::DenseMap<mlir::Operation *, LoopSchedule> &schedules);

/// Lets rings whose lives do not meet lie in each other's slots: uses are numbered through all of them. Those of rows,
/// and in scheduled loops of tiles that pass between groups, keep their own; those that threads copy share with each
/// other. Where turns have slots of their own, they shall share those first, which takes the attribute and rings that
/// are collected anew. True where any shares.
bool shareSlots(tile::KernelOp kernel, llvm::MutableArrayRef<Ring> rings);

/// On an aref: that growRings may make it deeper, and where it is filled.
inline constexpr llvm::StringLiteral growsAttr = "heddle.grows", growsInLoop = "in a scheduled loop",
                                     growsOutside = "in another loop";

/// The slots that `schedules` fix for `ring`; 0: none. Errors: they contradict each other.
mlir::FailureOr<int64_t> givenDepth(const Ring &ring, const llvm::DenseMap<mlir::Operation *, LoopSchedule> &schedules);

/// Where a plan gives the slots of `ring`; the place of its first tile where none does.
mlir::Location placeOfDepth(const Ring &ring, const llvm::DenseMap<mlir::Operation *, LoopSchedule> &schedules);

/// Sets each ring's depth: what the plan says, else the least that cannot deadlock given the places of gets and
/// releases; a ring that a compute group fills keeps the depth that its fills were placed for.
/// Returns the bytes that they take. Infeasible: a depth of the plan that is too small.
mlir::FailureOr<int64_t> chooseDepths(llvm::MutableArrayRef<Ring> rings,
                                      const llvm::DenseMap<mlir::Operation *, LoopSchedule> &schedules);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TILETOWARP_RINGS_H
