//===- Converter.h - tasks to tiles, instance by instance --------------------===//
//
// What:   the state of one conversion (TaskToTile.cpp says what is done): Launches.cpp has instances and scalars,
//         Leaves.cpp leaves, Partitions.cpp tensors and their parts, Ranges.cpp ranges.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TASKTOTILE_CONVERTER_H
#define HEDDLE_LIB_CONVERSION_TASKTOTILE_CONVERTER_H

#include "Instances.h"
#include "Kernel.h"
#include "Tensors.h"
#include "heddle/Conversion/TaskToTile/TaskToTile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {

/// How a tensor is divided in a variant.
struct PartitionOf {
  TensorPart part;
  llvm::SmallVector<int64_t> sizes; ///< of blocks; kDynamic: the dimension's own
  llvm::SmallVector<bool> dropped;  ///< a block of one element as written: the pieces do not have the dimension
  int64_t pieces = 0;               ///< by task.mma
  std::string roles;
  mlir::Operation *op = nullptr;
};

/// An instance that is being converted.
struct Frame {
  const TaskInstance &instance;
  task::VariantOp variant;
  llvm::DenseMap<mlir::Value, Scalar> scalars{};
  llvm::DenseMap<mlir::Value, TensorPart> tensors{};
  llvm::DenseMap<mlir::Value, PartitionOf> partitions{};
};

/// A collapsed range.
struct CollapsedRange {
  std::string level;
  llvm::SmallVector<int64_t> extents;
};

class Converter {
public:
  Converter(const Instances &tree, mlir::OpBuilder &builder, std::vector<InstancePlaces> &places,
            InstanceLabels &labels)
      : tree(tree), b(builder), tensors(builder), kernel(builder, tree.machine(), labels), places(places) {}

  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> run();

private:
  // Launches.cpp
  mlir::LogicalResult runVariant(Frame &frame);
  mlir::LogicalResult runBlock(Frame &frame, mlir::Block &block);
  mlir::LogicalResult runOperation(Frame &frame, mlir::Operation *op);
  mlir::LogicalResult runScalar(Frame &frame, mlir::Operation *op);
  /// What MLIR's inference says of the result of scalar arithmetic.
  std::optional<mlir::ConstantIntRanges> boundsOf(Frame &frame, mlir::Operation *op);
  mlir::LogicalResult runLaunch(Frame &caller, task::LaunchOp launch);
  mlir::LogicalResult beginBlock(const TaskInstance &instance, task::LaunchOp launch, mlir::Location loc);
  mlir::LogicalResult runInstance(Frame &caller, const TaskInstance &instance, task::LaunchOp launch);
  mlir::FailureOr<TensorPart> copyIn(const TensorPart &part, task::ParameterAttr parameter, const std::string &memory,
                                     const TaskInstance &instance, task::LaunchOp launch);

  // Leaves.cpp
  mlir::LogicalResult runLeaf(Frame &frame);
  mlir::LogicalResult cloneWork(Frame &frame, mlir::Operation *op, mlir::IRMapping &map, LeafNumbers &numbers);
  mlir::LogicalResult spreadOperands(Frame &frame, mlir::Operation *op, mlir::IRMapping &map, LeafNumbers &numbers);
  void noteDivisions(Frame &frame, task::VariantOp leaf, LeafNumbers &numbers);
  /// How warp groups divide what a leaf of `frame` has as `part`.
  void noteAccess(Frame &frame, const TensorPart &part);
  /// Tensors that are in NONE exist as the pieces of their leaves only: all these have to be the same.
  mlir::LogicalResult checkNone();
  /// Where the leaf finds the operands of its product `dot`, which was made as `made`.
  mlir::LogicalResult checkOperands(Frame &frame, tile::DotOp dot, tile::DotOp made);
  /// Rows and columns that warps and threads have of a product's result.
  mlir::LogicalResult checkFragment(Frame &frame, mlir::Operation *source, const DividedTile &result, tile::DotOp dot);

  // Partitions.cpp
  Scalar sizeOf(const PartDim &dim);
  mlir::LogicalResult makeTensor(Frame &frame, task::MakeTensorOp make);
  mlir::LogicalResult partition(Frame &frame, mlir::Operation *op);
  mlir::LogicalResult countPieces(Frame &frame, task::CountOp count);
  mlir::LogicalResult takePiece(Frame &frame, task::PieceOp op);

  // Ranges.cpp
  mlir::LogicalResult runGrid(Frame &frame, task::PRangeOp range);
  /// The level that the launches of a range go to, where it is inside that of the range's own instance; else "".
  mlir::FailureOr<std::string> levelOf(Frame &frame, task::PRangeOp range);
  mlir::LogicalResult runProcessors(Frame &frame, task::PRangeOp range);
  mlir::LogicalResult collapse(Frame &frame, task::PRangeOp range, llvm::ArrayRef<int64_t> extents,
                               const std::string &level);
  struct Refusal {
    mlir::Location loc;
    std::string text;
  };
  /// Each iteration after the other, with constants for the variables, where the range cannot be made otherwise.
  mlir::LogicalResult unroll(Frame &frame, mlir::Operation *range, llvm::ArrayRef<int64_t> extents,
                             const Refusal &because);
  mlir::LogicalResult runLoop(Frame &frame, mlir::Operation *range); ///< task.srange, or a task.prange in order
  mlir::LogicalResult loopOver(Frame &frame, mlir::Operation *range, unsigned variable);
  /// Temporaries from outside that the launches of a range write.
  llvm::SmallVector<TensorStore *> writtenIn(Frame &frame, mlir::Operation *range);

  /// An error in the program, with the place in the mapping.
  mlir::LogicalResult refuse(mlir::Operation *op, mlir::Location mapped, const std::string &what);
  /// Gives errors of what is done meanwhile a note.
  class NoteAt {
  public:
    NoteAt(Converter &converter, mlir::Location loc, std::string text)
        : handler(converter.b.getContext(), [loc, text](mlir::Diagnostic &diag) {
            if (diag.getSeverity() == mlir::DiagnosticSeverity::Error)
              if (llvm::none_of(diag.getNotes(), [&](mlir::Diagnostic &note) { return note.getLocation() == loc; }))
                diag.attachNote(loc) << text;
            return mlir::failure();
          }) {}

  private:
    mlir::ScopedDiagnosticHandler handler;
  };

  /// Takes back what `work` made where it fails; gives its first error instead of emitting it.
  std::optional<Refusal> attempt(llvm::function_ref<mlir::LogicalResult()> work);

  const Instances &tree;
  mlir::OpBuilder &b;
  Tensors tensors;
  TaskKernel kernel;
  std::vector<InstancePlaces> &places;
  bool inGrid = false, inBlock = false; ///< in the range over blocks; in a launch at BLOCK, or inside
  llvm::SmallVector<CollapsedRange> collapsed;
  llvm::SmallVector<const TaskInstance *> levels;    ///< from the entry to what is converted now
  llvm::SmallVector<const TaskInstance *> pipelines; ///< whose loops are around it
  int64_t groups = 0;                                ///< warp groups of a block; 0: left open
  llvm::SmallVector<task::PRangeOp> groupsAt;
  int64_t work = 0; ///< operations of leaves
  struct Access {
    const TensorStore *store;
    mlir::Location loc;
    std::string pieces;
  };
  std::vector<Access> accesses;                                            ///< of leaves
  std::vector<std::pair<const TensorStore *, const TaskInstance *>> nones; ///< temporaries that are in NONE somewhere
};

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TASKTOTILE_CONVERTER_H
