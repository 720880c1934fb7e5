//===- Values.h - Integers, truth values and pointers of a Triton kernel ----===//
//
// What:      every integer (scalar or tile), truth value and pointer of a tt.func as polynomials of heddle/Address.
// Loops:     carried integers and pointers that grow by the same amount each iteration are that amount times the
//            iteration; found by evaluating the body once with the carried value unknown.
// Unknown:   is a symbol of its own (SymbolKind::Opaque, or Table for a tile), never an error.
// Assumed:   integers do not overflow, but those of `mayOverflow`; programs, sizes and strides are not negative
//            (Triton's own assumptions).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CONVERSION_TRITONTOTILE_VALUES_H
#define HEDDLE_CONVERSION_TRITONTOTILE_VALUES_H

#include "heddle/Address/Polynomial.h"
#include "heddle/Dialect/Triton/Triton.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle::triton {

/// Points `offset` elements behind `base`, an argument of the kernel or an address that it loads; null base: unknown.
struct KnownPointer {
  mlir::Value base;
  address::Poly offset;
};

/// What is true where `atom` is not: b < a + 1 for a < b.
address::Atom negated(const address::Atom &atom);

class Values {
public:
  explicit Values(FuncOp function);

  address::Algebra algebra;

  /// The polynomial of an integer; lanes are the dimensions of its own shape.
  address::Poly number(mlir::Value value);
  /// Conditions that are all true where `value` (an i1) is.
  std::vector<address::Atom> truth(mlir::Value value);
  KnownPointer pointer(mlir::Value value);
  /// Whether it is a sum or product that may overflow in what programs compute, so that nothing is known of it: of 8
  /// and 16 bits, by factors of random numbers, and what follows from such.
  bool mayOverflow(mlir::Value value) const { return overflowing.contains(value); }
  /// Whether what a loop carries here is known without carrying it.
  bool isResolved(mlir::BlockArgument carried) const { return resolved.count(carried) != 0; }
  /// Whether what `symbol` stands for is known before `loop` begins.
  bool isOutside(const address::SymbolInfo &symbol, mlir::scf::ForOp loop) const;

  /// What symbols and opaque atoms stand for.
  mlir::Value opaqueOf(int64_t id) const { return opaques[id]; }
  mlir::Value counterOf(int64_t id) const { return counters[id]; }

private:
  void run(mlir::Block &block);
  void run(mlir::Operation *op);
  void runLoop(mlir::scf::ForOp loop);
  void runLoop(mlir::scf::WhileOp loop);
  /// Values of the arguments and results of regions of which nothing is known.
  void forget(mlir::ValueRange values);

  address::Poly compute(mlir::Operation *op, mlir::Value result);
  /// Notes whether the result of `op`, of which `value` is the polynomial, may overflow.
  bool noteOverflow(mlir::Operation *op, mlir::Value result, const address::Poly &value);
  std::optional<std::vector<address::Atom>> truthOfChoice(mlir::Value number, bool bit);
  std::vector<address::Atom> computeTruth(mlir::Operation *op, mlir::Value result);
  address::Poly renumbered(const address::Poly &poly, llvm::function_ref<std::optional<int64_t>(int64_t)> dimension);
  std::vector<address::Atom> renumbered(std::vector<address::Atom> atoms,
                                        llvm::function_ref<std::optional<int64_t>(int64_t)> dimension);
  /// A symbol for `value` itself.
  address::Poly unknown(mlir::Value value);
  /// The same for a scalar that is not negative.
  address::Poly counter(mlir::Value value);
  /// Whether `value` is a scalar that is not negative.
  bool isCounter(mlir::Value value);
  /// Of `value` nothing is known, or (`counts`) that it is not negative.
  void follow(mlir::Value value, bool counts);
  std::vector<address::Atom> unknownTruth(mlir::Value value);
  int64_t idOf(mlir::Value value);

  llvm::DenseMap<mlir::Value, address::Poly> numbers;
  llvm::DenseMap<mlir::Value, std::vector<address::Atom>> truths;
  llvm::DenseMap<mlir::Value, KnownPointer> pointers;
  llvm::DenseMap<mlir::Value, bool> resolved;
  llvm::DenseMap<mlir::Value, int64_t> ids;
  std::vector<mlir::Value> opaques;
  llvm::DenseSet<mlir::Value> overflowing;
  llvm::DenseMap<mlir::Value, int64_t> counterIds;
  std::vector<mlir::Value> counters;
  llvm::DenseMap<int64_t, std::pair<address::Poly, address::Poly>>
      bounds; ///< of counters: where their loops begin, end
};

/// An integer or a tile of integers, i1 apart.
bool isNumber(mlir::Type type);
bool isTruth(mlir::Type type);
bool isPointer(mlir::Type type);
/// What a pointer, or each of a tile of pointers, points to; null: `type` is none.
mlir::Type pointeeOf(mlir::Type type);

} // namespace heddle::triton

#endif // HEDDLE_CONVERSION_TRITONTOTILE_VALUES_H
