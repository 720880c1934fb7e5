//===- AffineIndex.h - indices as sums of loop counters and unknowns --------===//
//
// What:   an index value -> constant + sum of coefficient * atom. An atom is the iteration number of a loop (its
//         variable is the lower bound plus step times that number), or a value that is no such sum. Values computed
//         alike by operations without effects are one atom.
// Where:  private to the analysis of global memory.
// Trusts: no overflow; coefficients above 2^31 make an atom of the whole value.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_ANALYSIS_AFFINEINDEX_H
#define HEDDLE_LIB_ANALYSIS_AFFINEINDEX_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// constant + sum of coefficient * atom; no coefficient is zero.
struct AffineIndex {
  int64_t constant = 0;
  std::map<unsigned, int64_t> terms; ///< atom -> coefficient

  bool isConstant() const { return terms.empty(); }
};

/// What is known of an atom.
struct IndexAtom {
  mlir::Operation *counts = nullptr;  ///< the loop whose iteration number it is, or null
  std::set<mlir::Operation *> varies; ///< loops whose iterations may change it
  std::optional<int64_t> least, most; ///< bounds on its value
};

class AffineIndices {
public:
  AffineIndex of(mlir::Value value);
  const IndexAtom &atom(unsigned number) const { return atoms[number]; }
  /// The atom of the iteration number of `loop`.
  unsigned counter(mlir::scf::ForOp loop);
  /// Iterations of `loop` where its bounds and step are constants.
  std::optional<int64_t> tripCount(mlir::scf::ForOp loop);
  /// The step of `loop` where it is a constant.
  std::optional<int64_t> step(mlir::scf::ForOp loop);

private:
  AffineIndex compute(mlir::Value value);
  AffineIndex opaque(mlir::Value value);
  AffineIndex single(unsigned atom) { return AffineIndex{0, {{atom, 1}}}; }

  std::vector<IndexAtom> atoms;
  std::map<std::string, unsigned> alike; ///< how a value is computed -> its atom
  llvm::DenseMap<mlir::Operation *, unsigned> counters;
  llvm::DenseMap<mlir::Value, AffineIndex> known;
};

} // namespace heddle

#endif // HEDDLE_LIB_ANALYSIS_AFFINEINDEX_H
