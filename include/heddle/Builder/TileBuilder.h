//===- TileBuilder.h - Tile programs from C++ -----------------------------===//
//
// What:   a fluent way to write the programs of the tile dialect (include/heddle/Dialect/Tile/TileOps.td) in C++:
//
//   KernelBuilder k(context, "gemm");
//   View A = k.view("A", F16, {"M", "K"}), B = k.view("B", F16, {"N", "K"}), C = k.view("C", F16, {"M", "N"});
//   k.grid({ceilDiv(A.dim(0), 128), ceilDiv(B.dim(0), 256)}, /*raster=*/8);
//   Expr m = k.programId(0) * 128, n = k.programId(1) * 256;
//   Expr acc = k.loop(0, A.dim(1), 64, k.constant(0.0, F32, {128, 256}), [&](Expr kk, Expr sum) {
//     return dot(A.load({m, kk}, {128, 64}), transpose(B.load({n, kk}, {256, 64})), sum);
//   });
//   C.store(cast(acc, F16), {m, n});
//   mlir::OwningOpRef<mlir::ModuleOp> module = k.finish();
//
// Rules:  an Expr is a scalar or a tile. Where a tile meets a scalar, the scalar is repeated over the tile; where an
//         Expr meets a C++ number, the number takes the Expr's type. Indices are unsigned, other integers signed.
// Errors: what the dialect's verifiers report, at the C++ line of the latest builder call; finish() then gives null.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_BUILDER_TILEBUILDER_H
#define HEDDLE_BUILDER_TILEBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace heddle::builder {

class BodyBuilder;

/// Element types.
enum class Element { F32, F16, BF16, F8E4M3, F8E5M2, F64, I32, I8, I16, I64, I1, Index };
inline constexpr Element F32 = Element::F32, F16 = Element::F16, BF16 = Element::BF16, I32 = Element::I32;

/// A scalar or a tile; a handle that is cheap to copy.
class Expr {
public:
  Expr() = default;
  Expr(BodyBuilder *body, mlir::Value value) : body(body), val(value) {}
  mlir::Value value() const { return val; }
  BodyBuilder &owner() const { return *body; }

private:
  BodyBuilder *body = nullptr;
  mlir::Value val;
};

/// An Expr, or a C++ number that takes the type of the Expr it meets (alone: index).
struct Operand {
  Operand(Expr expr) : expr(expr) {}
  Operand(int number) : number(number) {}
  Operand(int64_t number) : number(static_cast<double>(number)) {}
  Operand(double number) : number(number) {}
  std::optional<Expr> expr;
  double number = 0.0;
};

/// One dimension of a view: its name and, where it is static, its size.
struct Dim {
  Dim(const char *name) : name(name) {}
  Dim(std::string name, int64_t size = mlir::ShapedType::kDynamic) : name(std::move(name)), size(size) {}
  std::string name;
  int64_t size = mlir::ShapedType::kDynamic;
};

using Where = std::source_location;

/// A tensor in global memory: an argument of the kernel or the chain, or a workspace.
class View {
public:
  View(BodyBuilder *kernel, mlir::Value value) : kernel(kernel), val(value) {}
  mlir::Value value() const { return val; }
  /// The size of a dimension.
  Expr dim(int64_t dimension, Where where = Where::current()) const;
  /// The tile whose row r is at the first coordinate plus rows[r], as in tile.gather.
  Expr gather(std::vector<Operand> at, Expr rows, std::vector<int64_t> shape, std::vector<int64_t> dims = {},
              Where where = Where::current()) const;
  /// The element at `at`, as a scalar.
  Expr element(std::vector<Operand> at, Where where = Where::current()) const;
  /// The tile of `shape` with its corner at `at` (one coordinate per dimension); `dims` as in tile.load.
  Expr load(std::vector<Operand> at, std::vector<int64_t> shape, std::vector<int64_t> dims = {},
            Where where = Where::current()) const;
  /// Writes `tile` at `at`; with `add`, adds to memory.
  void store(Expr tile, std::vector<Operand> at, std::vector<int64_t> dims = {}, bool add = false,
             Where where = Where::current()) const;
  /// Writes row r of `tile` at the first coordinate plus rows[r], as tile.store with `rows`.
  void scatter(Expr tile, std::vector<Operand> at, Expr rows, std::vector<int64_t> dims = {}, bool add = false,
               Where where = Where::current()) const;

private:
  BodyBuilder *kernel;
  mlir::Value val;
};

/// What kernels and leaves of tasks have in common: constants, control flow, and a place where operations are added.
class BodyBuilder {
public:
  explicit BodyBuilder(mlir::MLIRContext &context, Where where);
  BodyBuilder(const BodyBuilder &) = delete;
  BodyBuilder &operator=(const BodyBuilder &) = delete;

  /// A constant scalar (empty shape) or tile, all elements `value`. Constants stand at the body's beginning, once each.
  Expr constant(double value, Element element, std::vector<int64_t> shape = {}, Where where = Where::current());
  /// start, start + 1, ... as a tile of i32.
  Expr iota(int64_t size, int64_t start = 0, Where where = Where::current());

  /// for (i = begin; i < end; i += step) carried = body(i, carried); the values carried out.
  using Body = llvm::function_ref<std::vector<Expr>(Expr, const std::vector<Expr> &)>;
  std::vector<Expr> loop(Operand begin, Operand end, Operand step, std::vector<Expr> init, Body body,
                         Where where = Where::current());
  /// The same with one value carried.
  Expr loop(Operand begin, Operand end, Operand step, Expr init, llvm::function_ref<Expr(Expr, Expr)> body,
            Where where = Where::current());

  /// if (condition) what `then` gives; else what `otherwise` gives: values of the same types.
  using Arm = llvm::function_ref<std::vector<Expr>()>;
  std::vector<Expr> branch(Expr condition, Arm then, Arm otherwise, Where where = Where::current());
  /// while (more(carried)) carried = body(carried); the values carried out.
  std::vector<Expr> loopWhile(std::vector<Expr> init, llvm::function_ref<Expr(const std::vector<Expr> &)> more,
                              llvm::function_ref<std::vector<Expr>(const std::vector<Expr> &)> body,
                              Where where = Where::current());

  // For the free functions below.
  mlir::OpBuilder &ir() { return builder; }
  mlir::Location loc() const { return current; }
  void setLocation(Where where);
  mlir::Type typeOf(Element element, llvm::ArrayRef<int64_t> shape = {});
  /// Sizes that no tile has are reported; the type has others.
  mlir::RankedTensorType tileType(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// The operand as a value of `like` (numbers become constants, scalars repeat over a tile type).
  mlir::Value materialize(const Operand &operand, mlir::Type like);

protected:
  ~BodyBuilder();
  /// What follows is added to `block`.
  void enter(mlir::Block *block);

  mlir::OpBuilder builder;
  mlir::Location current;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Something was wrong enough not to be built; already reported.
  bool broken = false;
  mlir::Block *entry = nullptr;

private:
  mlir::Value constantOf(double value, mlir::Type type);

  mlir::Operation *lastConstant = nullptr;
  std::vector<std::pair<mlir::Attribute, mlir::Value>> constants;
};

/// What kernels and chains have in common: arguments, which may be declared at any time before finish().
class ProgramBuilder : public BodyBuilder {
public:
  View view(const std::string &name, Element element, std::vector<Dim> dims, Where where = Where::current());
  /// A scalar argument (F32, I32 or Index), with a default value for the tools if given.
  Expr scalar(const std::string &name, Element element, std::optional<double> byDefault = std::nullopt,
              Where where = Where::current());
  /// Sizes for tools that are told none (`tile.default_dims`).
  void defaultDims(const std::map<std::string, int64_t> &sizes);

  /// Ends the program and verifies it. Null after an error, which is then a diagnostic of the context. Call once.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

protected:
  /// `operation`: tile.kernel or tile.chain.
  ProgramBuilder(mlir::MLIRContext &context, const std::string &name, llvm::StringRef operation, Where where);
  ~ProgramBuilder() = default;
  /// The type of a view; where there is none, that is reported, and another one is given.
  mlir::Type viewType(Element element, llvm::ArrayRef<int64_t> shape);
  mlir::Operation *program = nullptr;

private:
  std::vector<mlir::Attribute> argumentAttributes;
};

/// Builds one kernel.
class KernelBuilder : public ProgramBuilder {
public:
  KernelBuilder(mlir::MLIRContext &context, const std::string &name, Where where = Where::current());

  /// The number of compute warp groups asked for.
  void groups(int64_t count);

  /// The launch grid: one to three sizes; `raster` 0 means none.
  void grid(std::vector<Operand> sizes, int64_t raster = 0, Where where = Where::current());
  Expr programId(int64_t dimension, Where where = Where::current());
};

//===----------------------------------------------------------------------===//
// Element-wise; operands of one type after the rules above
//===----------------------------------------------------------------------===//

Expr operator+(const Operand &a, const Operand &b);
Expr operator-(const Operand &a, const Operand &b);
Expr operator*(const Operand &a, const Operand &b);
Expr operator/(const Operand &a, const Operand &b);
Expr maximum(const Operand &a, const Operand &b);
Expr minimum(const Operand &a, const Operand &b);
/// Integers: the quotient rounded up.
Expr ceilDiv(const Operand &a, const Operand &b, Where where = Where::current());
/// Comparisons give i1; float comparisons are ordered.
Expr operator<(const Operand &a, const Operand &b);
Expr operator<=(const Operand &a, const Operand &b);
Expr operator>(const Operand &a, const Operand &b);
Expr operator>=(const Operand &a, const Operand &b);
/// condition ? a : b, element by element.
Expr select(Expr condition, const Operand &a, const Operand &b, Where where = Where::current());

Expr exp(Expr x, Where where = Where::current());
Expr exp2(Expr x, Where where = Where::current());
Expr log(Expr x, Where where = Where::current());
Expr log2(Expr x, Where where = Where::current());
Expr sqrt(Expr x, Where where = Where::current());
Expr rsqrt(Expr x, Where where = Where::current());
Expr tanh(Expr x, Where where = Where::current());
Expr abs(Expr x, Where where = Where::current());
/// Converts the element type: float to float, float to or from signed integer, index to or from integer.
Expr cast(Expr x, Element element, Where where = Where::current());

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// acc + a * b.
Expr dot(Expr a, Expr b, Expr acc, Where where = Where::current());
Expr transpose(Expr tile, Where where = Where::current());
/// `fold` is a kind of reduction: "add", "mul", "max", "min"; of integers also "and", "or", "xor".
Expr reduce(const std::string &fold, Expr tile, int64_t axis, Where where = Where::current());
/// Repeats `tile` along a new dimension of extent `extent` at `axis`.
Expr broadcast(Expr tile, int64_t axis, int64_t extent, Where where = Where::current());
Expr splat(Expr scalar, std::vector<int64_t> shape, Where where = Where::current());

} // namespace heddle::builder

#endif // HEDDLE_BUILDER_TILEBUILDER_H
