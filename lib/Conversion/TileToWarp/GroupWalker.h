//===- GroupWalker.h - one group's region of a warp program ----------------===//
//
// What:  the walk that GroupBuilder.cpp makes for each group; a file for each part of it: operations and rings of one
//        block (GroupBuilder.cpp), loops and branches that keep the program's order (GroupControl.cpp), the loop over
//        programs (GroupPrograms.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TILETOWARP_GROUPWALKER_H
#define HEDDLE_LIB_CONVERSION_TILETOWARP_GROUPWALKER_H

#include "GroupBuilder.h"
#include "StoreStaging.h"
#include "heddle/Analysis/Instructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <functional>

namespace heddle {

inline mlir::Value constantIndex(mlir::OpBuilder &b, mlir::Location loc, int64_t v) {
  return mlir::arith::ConstantIndexOp::create(b, loc, v);
}

/// Walks blocks of the tile kernel for one group.
class GroupWalker {
public:
  GroupWalker(KernelContext &context, int64_t group, StoreStaging *staging, int64_t turn = 0)
      : context(context), group(group), turn(turn), staging(staging) {}

  mlir::LogicalResult block(mlir::OpBuilder &b, mlir::Block &source, mlir::IRMapping &map);

  UseCounters counters;

private:
  bool isLoad() const { return group < 0; }

  mlir::LogicalResult visit(mlir::OpBuilder &b, mlir::Operation *op, mlir::IRMapping &map,
                            llvm::SmallVector<Ring *> &held);

  /// An operation on tiles that this group runs. (Loops belong to nobody: each group runs the part it needs.)
  bool isMine(mlir::Operation *op) const { return !isLoad() && isComputed(op) && groupOf(op) == group; }

  /// True when the loop or branch does anything for this group, or passes on what something may need.
  bool isNeeded(mlir::Operation *control) const;

  //===--- compute groups ------------------------------------------------===//

  /// `value` in this group, waited for if a dot that is in flight computes it.
  mlir::Value complete(mlir::OpBuilder &b, mlir::IRMapping &map, mlir::Value value);

  /// Gets the rings of `block` that free operations lead from `user` to.
  void getFor(mlir::OpBuilder &b, mlir::Operation *user, mlir::Block *block, mlir::IRMapping &map,
              llvm::SmallVector<Ring *> &held);

  void getValue(mlir::OpBuilder &b, mlir::Value v, mlir::Block *block, mlir::IRMapping &map,
                llvm::SmallVector<Ring *> &held);

  /// Gets what the inside of `control` reads from rings of the block that it is in, and waits for the dots that it
  /// takes results of.
  void getForInside(mlir::OpBuilder &b, mlir::Operation *control, mlir::IRMapping &map,
                    llvm::SmallVector<Ring *> &held);

  /// True when `op`, of the block of `ring`, is or holds the last reader of `ring` in this group.
  bool isLastReader(mlir::Operation *op, const Ring &ring) const;

  /// Releases the rings of `held` that `op` is the last to read.
  void release(mlir::OpBuilder &b, mlir::Operation *op, llvm::SmallVector<Ring *> &held);

  /// A compute group that fills or reads `ring`.
  bool uses(const Ring &ring) const { return ring.producer == group || llvm::is_contained(ring.consumers, group); }

  mlir::Value useOf(mlir::OpBuilder &b, Ring *ring);

  void advance(mlir::OpBuilder &b, Ring *ring, mlir::Value by);

  mlir::LogicalResult scheduledLoop(mlir::OpBuilder &b, mlir::scf::ForOp loop, mlir::IRMapping &map);

  //===--- sequential control flow ---------------------------------------===//
  // Every loop and branch passes on what the group owns of its variables, then the use counters of the rings inside.
  // Rings that are used together (once an iteration of one scheduled loop, or once a run of one block) have used as
  // many slots outside of it: they pass on one counter.

  /// Of the rings inside that this group uses, the first of each set that is used together.
  llvm::SmallVector<Ring *> ringsInside(mlir::Operation *control) const;

  /// Those of this group that are used together with `ring`, itself included.
  llvm::SmallVector<Ring *> usedTogether(Ring &ring) const;

  /// The place of the counter that `ring` passes on, with a name for it.
  mlir::Location counterAt(Ring &ring, mlir::Location loc) const;

  /// Of `values`, those numbered in `owned`, complete; then the counters of `rings`.
  llvm::SmallVector<mlir::Value> passed(mlir::OpBuilder &b, mlir::IRMapping &map, llvm::ArrayRef<unsigned> owned,
                                        mlir::ValueRange values, llvm::ArrayRef<Ring *> rings);

  /// Takes up on the other side what `passed` gave.
  void receive(mlir::IRMapping &map, llvm::ArrayRef<unsigned> owned, mlir::ValueRange values,
               llvm::ArrayRef<Ring *> rings, mlir::ValueRange got);

  /// The operations of `source`; how many copies ran before it and in it is not known outside.
  mlir::LogicalResult body(mlir::OpBuilder &b, mlir::Block &source, mlir::IRMapping &map);

  /// A loop around scheduled loops.
  mlir::LogicalResult outerLoop(mlir::OpBuilder &b, mlir::scf::ForOp loop, mlir::IRMapping &map);

  mlir::LogicalResult ifBranch(mlir::OpBuilder &b, mlir::scf::IfOp branch, mlir::IRMapping &map);

  mlir::LogicalResult whileLoop(mlir::OpBuilder &b, mlir::scf::WhileOp loop, mlir::IRMapping &map);

  //===--- programs in flight --------------------------------------------===//

  /// Uses of the slots of `ring`, which others may share, by program `number` of `loop`; `map` is that of around it.
  mlir::Value usesOf(mlir::OpBuilder &b, const Ring &ring, mlir::scf::ForOp loop, mlir::IRMapping map,
                     mlir::Value number);

  /// Uses of rings that are used in turn, of which every program has as many.
  llvm::DenseMap<const Ring *, mlir::Value> usesOfEvery(mlir::OpBuilder &b, mlir::scf::ForOp loop, mlir::IRMapping &map,
                                                        mlir::Value number);

  /// The loop over programs where several are in flight: this group takes every so many-th, from that of its turn on.
  /// Rings in turn count the uses of all programs.
  mlir::LogicalResult programsInTurn(mlir::OpBuilder &b, mlir::scf::ForOp loop, mlir::IRMapping &map);

  /// A group's turn lasts from its first to its last use of a ring whose slots turns share: then the gets of all groups
  /// are ordered, and the tensor core works on one program after the other.
  void findTurn(mlir::Block &body);

  /// Waits until the program before has passed the turn on; none comes before the first.
  void takeTurn(mlir::OpBuilder &b);

  /// Lets the next program begin, if there is one: before what only waits for products and releases slots at the end.
  void passTurn(mlir::OpBuilder b);

  //===--- programs from a counter ---------------------------------------===//

  /// Use `count` of the ring of numbers.
  mlir::Value takeNumber(mlir::OpBuilder &b, mlir::Location loc, mlir::Value count);

  /// The loop over programs where blocks take them from a counter: the first is the block's own number, use n of the
  /// ring of numbers says which one comes behind the n-th. Every group takes every number. Where several programs are
  /// in flight, each compute group runs those of its turn and counts the uses that the others make of rings in turn; it
  /// takes the number early, since whether there is a next program decides whether the turn is passed on.
  mlir::LogicalResult countedPrograms(mlir::OpBuilder &b, mlir::scf::ForOp loop, mlir::IRMapping &map);

  struct CountedProgram {
    mlir::Value number, count, next, programs;
  };

  /// One program of a counted loop: the program itself in this group's turn, else its uses of rings.
  mlir::LogicalResult programOfTurn(mlir::OpBuilder &b, mlir::scf::ForOp loop, mlir::IRMapping &map,
                                    llvm::ArrayRef<Ring *> inside, llvm::DenseMap<const Ring *, mlir::Value> &same,
                                    const CountedProgram &program);

  //===--- what issues copies: the load group, or the group that fills a ring ---===//

  void fill(mlir::OpBuilder &b, Ring &ring, mlir::IRMapping &map, mlir::Value use);

  mlir::LogicalResult fillAfter(mlir::OpBuilder &b, tile::LoadOp load, mlir::IRMapping &map);

  mlir::LogicalResult fillLoop(mlir::OpBuilder &b, mlir::scf::ForOp loop, mlir::IRMapping &map);

  KernelContext &context;
  int64_t group; ///< -1: the load group
  int64_t turn;  ///< of the programs in flight
  StoreStaging *staging;
  llvm::DenseMap<Ring *, int64_t> filled; ///< by this group for itself outside of scheduled loops, and not yet released
  bool inFlight = false;
  mlir::Operation *turnBegins = nullptr, *turnEnds = nullptr; ///< in the program: first and last operation of the turn
  struct {
    std::function<mlir::Value(mlir::OpBuilder &)> isLater,
        hasNext;        ///< than the first program of the block, another behind it
    mlir::Value passes; ///< how often the group has passed its turn on
  } current;            ///< in the loop over programs
};

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TILETOWARP_GROUPWALKER_H
