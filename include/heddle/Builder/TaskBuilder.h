//===- TaskBuilder.h - Task programs from C++ -----------------------------===//
//
// What:   a fluent way to write the programs of the task dialect (include/heddle/Dialect/Task/TaskOps.td) in C++:
//
//   TaskBuilder t(context);
//   Task clear = t.task("clear", {write("C", F32, {"M", "N"})});
//   t.inner("rows", clear, [&](Tensor C) {
//     Expr R = t.tunable("R", 64);
//     Partition Cp = blocks(C, {R, full});
//     t.prange({Cp.count(0)}, [&](Expr i) { t.launch(clear, {Cp(i, 0)}); });
//   });
//   t.leaf("zero", clear, {{"M", 64}, {"N", 256}}, [&](Expr C) { return t.constant(0.0, F32, {64, 256}); });
//   mlir::OwningOpRef<mlir::ModuleOp> program = t.finish();
//
// Rules:  a body is a lambda with one argument for each parameter of the task: in an inner variant Tensor for tensors,
//         Expr for scalars; in a leaf Expr for all. What TileBuilder.h says of numbers holds; numbers in lists of sizes
//         and indices stand in the text as numbers.
// Errors: what the dialect's verifiers report, at the C++ line of the latest builder call; finish() then gives null. A
//         lambda with another number of arguments than the task has parameters is such an error.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_BUILDER_TASKBUILDER_H
#define HEDDLE_BUILDER_TASKBUILDER_H

#include "heddle/Builder/TileBuilder.h"

#include <utility>
#include <variant>

namespace heddle::builder {

class TaskBuilder;

/// A parameter of a task. Dimensions are names or, with a size, numbers: {"S", {"", 128}}.
struct Parameter {
  std::string name, privilege; ///< empty privilege: a scalar
  Element element;
  std::vector<Dim> dims;
  std::optional<double> byDefault;
};
Parameter read(const std::string &name, Element element, std::vector<Dim> dims);
Parameter write(const std::string &name, Element element, std::vector<Dim> dims);
Parameter readWrite(const std::string &name, Element element, std::vector<Dim> dims);
Parameter reduce(const std::string &name, Element element, std::vector<Dim> dims);
Parameter scalar(const std::string &name, Element element, std::optional<double> byDefault = std::nullopt);

/// A task that was declared.
struct Task {
  std::string name;
  std::vector<Parameter> parameters;
};

/// A tensor of an inner variant.
class Tensor {
public:
  Tensor(TaskBuilder *tasks, mlir::Value value) : tasks(tasks), val(value) {}
  mlir::Value value() const { return val; }
  TaskBuilder &owner() const { return *tasks; }
  Expr dim(int64_t dimension, Where where = Where::current()) const;

private:
  TaskBuilder *tasks;
  mlir::Value val;
};

class Partition {
public:
  Partition(TaskBuilder *tasks, mlir::Value value) : tasks(tasks), val(value) {}
  /// A piece.
  template <typename... Indices> Tensor operator()(Indices... indices) const { return piece({Operand(indices)...}); }
  Expr count(int64_t dimension, Where where = Where::current()) const;

private:
  Tensor piece(std::vector<Operand> indices) const;
  TaskBuilder *tasks;
  mlir::Value val;
};

/// A dimension's own size, in a list of block sizes.
struct Full {};
inline constexpr Full full;
using BlockSize = std::variant<Full, Operand>;

/// The tensor in blocks of these sizes; literal ones take a dimension out of the pieces.
Partition blocks(Tensor tensor, std::vector<BlockSize> sizes, Where where = Where::current());
/// The pieces of an operand of the tensor core; `roles` names its dimensions, as "mn".
Partition mma(Tensor tensor, const std::string &roles, Operand pieces, Where where = Where::current());

/// Builds one program of tasks.
class TaskBuilder : public BodyBuilder {
public:
  explicit TaskBuilder(mlir::MLIRContext &context, Where where = Where::current());

  /// Declares a task; with sizes for tools that are told none (`tile.default_dims`).
  Task task(const std::string &name, std::vector<Parameter> parameters,
            const std::map<std::string, int64_t> &defaultDims = {}, Where where = Where::current());

  template <typename Fn> void inner(const std::string &name, const Task &task, Fn fn, Where where = Where::current()) {
    call(fn, &Fn::operator(), begin(name, task, nullptr, where));
    end({});
  }
  /// `sizes`: for which the body is written; it gives an Expr, or a list of them, for what the task writes.
  template <typename Fn>
  void leaf(const std::string &name, const Task &task, const std::map<std::string, int64_t> &sizes, Fn fn,
            Where where = Where::current()) {
    auto results = call(fn, &Fn::operator(), begin(name, task, &sizes, where));
    if constexpr (std::is_same_v<decltype(results), Expr>)
      end({results});
    else
      end(results);
  }

  /// A number that a mapping may choose.
  Expr tunable(const std::string &name, int64_t value, std::vector<int64_t> choices = {},
               Where where = Where::current());
  Tensor makeTensor(std::vector<Operand> sizes, Element element, Where where = Where::current());

  template <typename Fn> void prange(std::vector<Operand> bounds, Fn fn, Where where = Where::current()) {
    call(fn, &Fn::operator(), beginRange(/*parallel=*/true, bounds, where));
    endRange();
  }
  template <typename Fn> void srange(std::vector<Operand> bounds, Fn fn, Where where = Where::current()) {
    call(fn, &Fn::operator(), beginRange(/*parallel=*/false, bounds, where));
    endRange();
  }

  /// Tensors, and scalars: numbers take the parameter's type.
  void launch(const Task &task, std::vector<std::variant<Tensor, Operand>> arguments, Where where = Where::current());

  /// Verifies the program. Null after an error, which is then a diagnostic of the context. Call once.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

private:
  template <typename Fn, typename Result, typename... Arguments>
  Result call(Fn &fn, Result (Fn::*)(Arguments...) const, const std::vector<mlir::Value> &values) {
    return callWith<Result, Arguments...>(fn, values, std::index_sequence_for<Arguments...>());
  }
  template <typename Result, typename... Arguments, typename Fn, size_t... i>
  Result callWith(Fn &fn, const std::vector<mlir::Value> &values, std::index_sequence<i...>) {
    expectArguments(values.size(), sizeof...(i));
    return fn(Arguments(this, argument(values, i, std::is_same_v<Arguments, Tensor>))...);
  }
  void expectArguments(size_t wanted, size_t got);
  /// values[i]; an error, and something else of that kind, where it is no such value.
  mlir::Value argument(const std::vector<mlir::Value> &values, size_t i, bool asTensor);
  std::vector<mlir::Value> begin(const std::string &name, const Task &task, const std::map<std::string, int64_t> *sizes,
                                 Where where);
  void end(const std::vector<Expr> &results);
  std::vector<mlir::Value> beginRange(bool parallel, const std::vector<Operand> &bounds, Where where);
  void endRange();
};

} // namespace heddle::builder

#endif // HEDDLE_BUILDER_TASKBUILDER_H
