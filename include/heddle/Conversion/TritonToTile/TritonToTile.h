//===- TritonToTile.h - Triton's kernels as tile programs -------------------===//
//
// What:     a tt.func -> a tile.kernel whose views are parts of what the pointer arguments point to. What cannot be
//           shown to be the same is refused at its place with the reason.
// Launch:   the kernel's arguments are the views, then the scalar arguments of the source, then one size of the grid
//           for each axis that the source asks for. A view's sizes and strides are polynomials of the source's
//           arguments.
// Contract: docs/Triton.md. Address analysis: heddle/Address.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CONVERSION_TRITONTOTILE_TRITONTOTILE_H
#define HEDDLE_CONVERSION_TRITONTOTILE_TRITONTOTILE_H

#include "heddle/Address/AccessView.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Dialect/Triton/Triton.h"
#include "heddle/Support/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>

namespace heddle::triton {

class Values;

/// What the accesses of a view reach along one dimension.
struct ViewReach {
  int64_t extent = 1; ///< elements of a tile
  bool moves = false; ///< accesses, or the iterations of a loop around one, begin at different positions
};

/// A part of what an argument of the source points to (or describes), as an argument of the tile kernel.
struct View {
  mlir::BlockArgument base; ///< of the source
  mlir::Value address;      ///< where not `base` points there but what the kernel loads from it: the loaded number
  bool isWindow = false;    ///< made by the kernel: at `address`, or (null) in front of a loop where `base` points
  mlir::Type element;
  address::Poly offset; ///< in elements
  std::vector<address::ViewDim> dims;
  std::string name;
  bool isStored = false;
  bool described = false;       ///< by a descriptor, whose strides and address suit the copy engine
  bool hinted = false;          ///< every access says that its rows begin at multiples of 16 bytes (tl.multiple_of)
  bool byElement = false;       ///< positions are distances from its beginning in 32 bits: it may have no more elements
  std::vector<ViewReach> reach; ///< one a dimension where accesses have an order: the launch checks `mayMeetAtLaunch`
};

/// What became of one access.
struct Access {
  mlir::Operation *op = nullptr; ///< of the source
  bool isStore = false;
  int view = -1; ///< index into Conversion::views; -1: refused
  address::Box box;
  std::string reason; ///< why it is refused, or no box
};

struct Conversion {
  Conversion();
  ~Conversion();
  mlir::OwningOpRef<FuncOp> written; ///< the kernel before the steps of the conversion
  FuncOp source;                     ///< and after those that keep it a kernel
  std::unique_ptr<Values> values;
  std::vector<View> views;
  std::vector<Access> accesses; ///< in program order
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  std::vector<unsigned> scalars; ///< arguments of the source that the kernel takes, after the views
  unsigned gridRank = 1;         ///< then so many sizes of the grid
};

/// Names of the sizes of the grid among the kernel's arguments.
extern const char *const gridNames[3];

/// The name of an argument of the source: as its text or its location says.
std::string argumentName(mlir::BlockArgument argument);

/// Lets the pointer argument `standIn` stand for `name`, which is the same tensor at the launch; before `analyse`.
/// Errors: no such pointers, other element types.
Status mergeArguments(FuncOp source, llvm::StringRef name, llvm::StringRef standIn);

/// Fills everything up to `accesses`. Rewrites `source` so that its accesses can be followed (Steps.h); what it
/// computes stays, which heddle/Simulator/Triton/CheckSteps.h compares. Failure: what the source is made of is not
/// understood at all, diagnosed.
mlir::LogicalResult analyse(FuncOp source, Conversion &result);

/// The tile kernel, after `analyse`. Failure: something was refused; each refusal is an error at its place.
mlir::LogicalResult convert(Conversion &conversion);

/// What became of each access, one paragraph each.
std::string explainAccesses(const Conversion &conversion);

/// Whether sizes and strides, whose values at a launch are `valueOf`, let two positions of the view that accesses tell
/// apart be one element (heddle/Address/Overlap.h). Such a launch must not run.
bool mayMeetAtLaunch(const View &view, llvm::function_ref<std::optional<int64_t>(const address::Poly &)> valueOf);

/// JSON: how the kernel's arguments follow from those of the source.
std::string launchText(const Conversion &conversion);

} // namespace heddle::triton

#endif // HEDDLE_CONVERSION_TRITONTOTILE_TRITONTOTILE_H
