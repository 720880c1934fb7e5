//===- ChainBuilder.h - Several kernels as one, from C++ ------------------===//
//
// What:   writes chains of kernels (include/heddle/Dialect/Tile/ChainOps.td):
//
//   ChainBuilder c(context, "quadrupled");
//   c.add(doubled.finish());                    // of a KernelBuilder of the same context
//   View x = c.view("x", F32, {"N"}), y = c.view("y", F32, {"N"});
//   View half = c.workspace("half", F32, {x.dim(0)});
//   c.launch("doubled", {x, half});
//   c.launch("doubled", {half, y});
//   mlir::OwningOpRef<mlir::ModuleOp> module = c.finish();   // the kernels and the chain
//
// Rules, errors: those of TileBuilder.h. A number that a launch gives takes the type of the kernel's argument.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_BUILDER_CHAINBUILDER_H
#define HEDDLE_BUILDER_CHAINBUILDER_H

#include "heddle/Builder/TileBuilder.h"

#include <variant>

namespace heddle::builder {

class ChainBuilder : public ProgramBuilder {
public:
  ChainBuilder(mlir::MLIRContext &context, const std::string &name, Where where = Where::current());

  /// The kernels of `kernels` may be launched. Null: an error, reported before.
  void add(mlir::OwningOpRef<mlir::ModuleOp> kernels);

  /// Memory of one run: each size a number, which the type then states, or a value of the chain.
  View workspace(const std::string &name, Element element, std::vector<Operand> sizes, bool zeroed = false,
                 Where where = Where::current());

  /// Runs a kernel after the launches before it, with a view or a scalar for each of its arguments.
  using Argument = std::variant<View, Operand>;
  void launch(const std::string &kernel, std::vector<Argument> arguments, Where where = Where::current());
};

} // namespace heddle::builder

#endif // HEDDLE_BUILDER_CHAINBUILDER_H
