//===- Chains.h - element-wise operations that run as one node -------------===//
//
// What:      marks the operations of scheduled loops: `heddle.chain` = number of the chain that an element-wise
//            operation belongs to, `heddle.recomputed` on operations that no node stands for, because every chain that
//            reads them computes them again.
// Where:     after SelectInstructions, before extraction: one chain is one node of the scheduling problem. Without the
//            marks every operation is a node of its own.
// Why:       hardware runs element-wise code an element at a time. Of a chain only what leaves it is a tile of
//            registers; what lies between takes one register while an element passes.
// A chain:   element-wise operations of one sub-tile and one tile shape (element types may differ) of which only the
//            last one, the end, is read outside. So nothing that a chain needs can depend on it: chains cannot form a
//            cycle, and the one value that leaves has its exact registers and lifetime.
// Cut:       an operation joins the chain of its readers, unless
//            (1) they are of several chains, or not all of them are element-wise operations of that shape and sub-tile
//                (reductions, dots, stores, stages, the loop's yield);
//            (2) the reader is on a recurrence of the loop and the operation is not, or on another one: only what lies
//                on a recurrence may lengthen it;
//            (3) the reader needs a further dot, and the operation, or one that only it reads, goes through the special
//                functions unit: that part can overlap that dot.
//            For vectors of at most `rowRegisters` registers a thread (row statistics), beside tiles of rank 2, (2)
//            does not hold, and chains of them that need the same dots and reductions become one, with several values
//            that leave, where that makes no cycle.
// Recomputed: cheap operations on iotas, splats, constants, scalars and tiles from before the loop, if they have
//            readers in several chains: what such an element costs is counted in each chain that reads it. With
//            Rows::Reread so are reads of rows of more than `rowRegisters` registers a thread that the loop loads, and
//            what is computed from them alone, by whatever functions: the chain reads them from shared memory when it
//            runs, and until then they take no registers.
// Deterministic: a function of the program's order only.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_CHAINS_H
#define HEDDLE_ANALYSIS_CHAINS_H

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// On element-wise operations of scheduled loops: the number of their chain, unique in the loop.
inline constexpr llvm::StringLiteral chainAttr = "heddle.chain";
/// Values of at most so many registers a thread may leave in the middle of a chain.
inline constexpr int64_t rowRegisters = 4;

enum class Rows {
  Held,   ///< read once, by a node: early, where registers allow
  Reread, ///< read by each chain that needs them
};

/// Marks `loop`, and every scheduled loop of `kernel`.
void formChains(mlir::scf::ForOp loop, Rows rows);
void formChains(tile::KernelOp kernel, Rows rows);

/// Whether anything in `within` reads a row from shared memory, which chains could read again.
bool readsRows(mlir::Operation *within);

/// Whether an operation of `loop` is marked, and the loop without marks.
bool hasChains(mlir::scf::ForOp loop);
void dissolveChains(mlir::scf::ForOp loop);

/// The nodes of a scheduled loop: its operations on tiles without free ones, those of one chain together (in the
/// program's order), each node behind those that it reads in the same iteration.
llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> loopNodes(mlir::scf::ForOp loop);

/// The recomputed operations that the operations `chain` read, each once, in the program's order.
llvm::SmallVector<mlir::Operation *> recomputedIn(llvm::ArrayRef<mlir::Operation *> chain);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_CHAINS_H
