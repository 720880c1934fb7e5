//===- Registers.h - see Registers.cpp --------------------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_REGISTERS_H
#define HEDDLE_LIB_PIPELINES_REGISTERS_H

#include "heddle/Pipelines/Compiler.h"

namespace heddle {

/// Registers of a thread that the hw form of `compilation` leaves, by an estimate; less than 0: so many are lacking.
int64_t spareOf(Compilation &compilation);

/// So many groups need nobody to order their products: with two of them an order gains 0 to 4 % up to 2048 rows of
/// attention and loses 1 to 3 % beyond, with three it gains 5 to 11 % (bench/results/2026-11-24-h100-orders.json).
inline constexpr int64_t groupsInAnyOrder = 2;

/// Makes the kernel of `out` anew where more groups than these run a loop in which they do not take turns at their
/// products: `compile` asks for schedules in which they do, with less room for addresses. Takes what fits the registers
/// and is at most an eighth longer.
void orderGroups(llvm::function_ref<mlir::LogicalResult(Compilation &)> compile, Compilation &out);

/// What nearBound and rereadRows take is shorter by more than this part; less is what rounding of costs may be.
inline constexpr int64_t shareNearBound = 40, shareOfReread = 25;

/// Makes the kernel of `out` anew where a loop with products is more than a fortieth longer than its bound, and no more
/// groups than these take turns in it: `compile` leaves less room for addresses. Takes what is shorter by more than
/// that and leaves a few registers.
void nearBound(llvm::function_ref<mlir::LogicalResult(Compilation &)> compile, Compilation &out);

/// Makes the kernel of `out` anew with rows that chains read again, where it loads rows and a loop is more than a
/// twenty-fifth longer than its bound: the registers that held them may have been what binds. Takes what is shorter by
/// more than that and fits.
void rereadRows(llvm::function_ref<mlir::LogicalResult(Compilation &)> compile, Compilation &out);

/// Makes the kernel of `out` anew where its hw form keeps more alive than its registers hold: `compile` takes so many
/// registers from every budget and lets chains read their rows again. Takes what then fits and is at most a tenth
/// longer.
void saveRegisters(llvm::function_ref<mlir::LogicalResult(int64_t room, Compilation &)> compile, Compilation &out);

/// So many registers are left free where that may gain.
inline constexpr int64_t roomForTiles = 24;

/// Whether a loop of `out` reads tiles or rows beside several products and folds what they give, and few registers are
/// left: it may run faster with roomForTiles.
bool mayGainFromRoom(Compilation &out);

/// Whether `free`, made with that room, is to be taken: it leaves more, for at most 1.4 of the time.
bool gainsFromRoom(Compilation &free, Compilation &out);

/// Whether each loop of a kernel without dots loads, by ordinary loads, at least what memory delivers to a
/// multiprocessor while one of them takes.
bool loadsEnoughAtOnce(tile::KernelOp kernel, const Machine &machine);

/// Whether other blocks may hide what loads take: a kernel of more than one program, without dots, whose loops load by
/// ordinary loads.
bool mayShareMultiprocessor(tile::KernelOp kernel);

/// Whether the blocks that share a multiprocessor load together, in each loop of `made`, what memory delivers.
bool blocksLoadEnough(Compilation &made, const Machine &machine);

/// The fewest stages with which the blocks that share a multiprocessor load together what memory delivers, if an
/// iteration takes as long as in `inOrder`, which overlaps none, and as many blocks fit. 0: a loop
/// has few stages where one block keeps a unit busy.
int64_t stagesThatLoadEnough(Compilation &inOrder, const Machine &machine);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_REGISTERS_H
