//===- TaskRules.cpp - what holds for whole tasks and variants -------------===//
//
// What:    the rules that need more than one operation: variants have their task's signature; inner variants divide and
//          launch, leaves compute; a launch uses a tensor only as the privilege of its variant allows; the iterations
//          of a task.prange do not touch what another one writes; every task has a meaning.
// Where:   the verifiers of task.task and task.variant, once symbols are known.
// Aliases: iterations are told apart by a piece's index. A tensor that a range writes has, for each variable of the
//          range, one dimension of one partition whose index is this variable (or it plus what does not change in the
//          range) in every launch; then different iterations have different pieces, if the pieces in which they lie
//          are the same or have no common element: sizes of blocks do not change in the range. Partitions are the
//          same if they are computed in the same way.
//
//===----------------------------------------------------------------------===//
#include "heddle/Dialect/Task/Program.h"

#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::task;

/// "'A'", or "a temporary".
static std::string nameOf(Value root) {
  ParameterAttr parameter = parameterOf(root);
  return parameter ? "'" + parameter.getName().str() + "'" : "a temporary";
}

//===----------------------------------------------------------------------===//
// Are two values computed in the same way?
//===----------------------------------------------------------------------===//

/// How deep two computations are compared.
static constexpr unsigned maxDepth = 8;

static bool isSame(Value a, Value b, unsigned depth = 0) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || depth == maxDepth || x->getName() != y->getName() ||
      x->getAttrDictionary() != y->getAttrDictionary() || x->getNumOperands() != y->getNumOperands() ||
      x->getNumResults() != 1 || y->getNumResults() != 1 || x->getNumRegions() || !isMemoryEffectFree(x))
    return false;
  for (auto [p, q] : llvm::zip(x->getOperands(), y->getOperands()))
    if (!isSame(p, q, depth + 1))
      return false;
  return true;
}

/// Is `value` the same in every iteration of the range whose body is `body`?
static bool isInvariant(Value value, Region &body, unsigned depth = 0) {
  if (value.getParentRegion()->isProperAncestor(&body))
    return true;
  Operation *op = value.getDefiningOp();
  return op && depth < maxDepth && isMemoryEffectFree(op) && !op->getNumRegions() &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand, body, depth + 1); });
}

/// The variable of the range with body `body` of which `index` is a copy, or a copy plus what is invariant; or null.
static BlockArgument variableOf(Value index, Region &body) {
  for (unsigned depth = 0; depth < maxDepth; ++depth) {
    if (auto argument = dyn_cast<BlockArgument>(index))
      return argument.getOwner()->getParent() == &body ? argument : BlockArgument();
    auto sum = index.getDefiningOp<arith::AddIOp>();
    if (!sum)
      return {};
    if (isInvariant(sum.getRhs(), body))
      index = sum.getLhs();
    else if (isInvariant(sum.getLhs(), body))
      index = sum.getRhs();
    else
      return {};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Ranges that run in any order
//===----------------------------------------------------------------------===//

namespace {
/// Where a piece tells the iterations of one variable apart: an index of one partition, plus the same number.
struct Separation {
  Value partition, index;
  unsigned dim;

  bool operator==(const Separation &other) const {
    return dim == other.dim && isSame(partition, other.partition) && isSame(index, other.index);
  }
};

/// How the launches of a range use one tensor from outside.
struct RangeUse {
  LaunchOp first;      ///< that writes it
  bool isRead = false; ///< or written in any other way than by sums
  bool isReduced = false;
  /// For each variable, what every use so far has in common; nothing before the first use.
  std::optional<SmallVector<SmallVector<Separation>>> apart;
};
} // namespace

/// Do different indices along `dim` of a partition give pieces without a common element?
static bool dividesAlong(Value partition, unsigned dim) {
  if (auto blocks = partition.getDefiningOp<BlocksOp>())
    return dim < blocks.getStaticSizes().size();
  auto mma = partition.getDefiningOp<MmaOp>();
  // Threads share rows, so that their pieces differ by row and column only.
  return mma && mma.hasRole("m") && (mma.hasRole("n") || mma.getStaticPieces() == ArrayRef<int64_t>{4});
}

/// Does a partition divide in the same way in every iteration of the range with body `body`?
static bool hasInvariantSizes(Value partition, Region &body) {
  ValueRange sizes = partition.getDefiningOp()->getOperands().drop_front(); // the first is the tensor
  return llvm::all_of(sizes, [&](Value size) { return isInvariant(size, body); });
}

/// Everything that tells the iterations of the range's variables apart in one use of a tensor.
static SmallVector<SmallVector<Separation>> separationsOf(Value tensor, PRangeOp range) {
  Region &body = range.getBody();
  SmallVector<SmallVector<Separation>> result(body.getNumArguments());
  for (auto piece = tensor.getDefiningOp<PieceOp>(); piece;) {
    Value partition = piece.getPartition(), from = partitioned(partition);
    if (hasInvariantSizes(partition, body)) {
      auto values = piece.getIndices().begin();
      for (auto [dim, number] : llvm::enumerate(piece.getStaticIndices())) {
        if (!ShapedType::isDynamic(number))
          continue;
        Value index = *values++;
        if (BlockArgument variable = variableOf(index, body); variable && dividesAlong(partition, dim))
          result[variable.getArgNumber()].push_back({partition, index, static_cast<unsigned>(dim)});
      }
    } else {
      // Parts of pieces that change from iteration to iteration may meet, whatever their indices.
      result.assign(result.size(), {});
    }
    piece = from.getDefiningOp<PieceOp>();
  }
  return result;
}

static LogicalResult verifyIndependent(PRangeOp range) {
  llvm::MapVector<Value, RangeUse> uses;
  range.walk([&](LaunchOp launch) {
    TaskOp task = taskOf(launch);
    for (auto [argument, attr] : llvm::zip(launch.getArguments(), task.getParameters())) {
      auto parameter = cast<ParameterAttr>(attr);
      Value root = parameter.isTensor() ? rootOf(argument) : Value();
      if (!root || range.getBody().isAncestor(root.getParentRegion()))
        continue;
      RangeUse &use = uses[root];
      (parameter.getPrivilege() == Privilege::Reduce ? use.isReduced : use.isRead) = true;
      if (parameter.isWritten() && !use.first)
        use.first = launch;
      SmallVector<SmallVector<Separation>> now = separationsOf(argument, range);
      if (!use.apart) {
        use.apart = std::move(now);
        continue;
      }
      for (auto [common, more] : llvm::zip(*use.apart, now))
        llvm::erase_if(common, [&](const Separation &one) { return !llvm::is_contained(more, one); });
    }
  });
  for (auto &[root, use] : uses) {
    if (!use.first || !use.isRead)
      continue;
    for (auto [variable, common] : llvm::enumerate(*use.apart))
      if (common.empty()) {
        InFlightDiagnostic diag = use.first.emitOpError("expected each iteration of the task.prange around it to touch "
                                                        "pieces of its own of ")
                                  << nameOf(root) << ", which is written here: pieces of one partition, with variable "
                                  << variable << " of the range as an index";
        diag.attachNote(range.getLoc()) << "the range";
        return diag;
      }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// May a variant whose task has `own` on a tensor launch a task that has `wanted` on it?
static bool allows(Privilege own, Privilege wanted) { return own == wanted || own == Privilege::ReadWrite; }

/// Pieces of one partition with different numbers as an index have no common element.
static bool areDisjoint(Value a, Value b) {
  auto x = a.getDefiningOp<PieceOp>(), y = b.getDefiningOp<PieceOp>();
  if (!x || !y || !isSame(x.getPartition(), y.getPartition()))
    return false;
  for (auto [dim, both] : llvm::enumerate(llvm::zip(x.getStaticIndices(), y.getStaticIndices()))) {
    auto [i, j] = both;
    if (i != j && !ShapedType::isDynamic(i) && !ShapedType::isDynamic(j) && dividesAlong(x.getPartition(), dim))
      return true;
  }
  return false;
}

static LogicalResult verifyLaunch(LaunchOp launch) {
  TaskOp task = taskOf(launch);
  if (!task)
    return launch.emitOpError("expected the name of a task, got ") << launch.getTaskAttr();
  if (launch.getArguments().size() != task.getNumParameters())
    return launch.emitOpError("expected ") << task.getNumParameters() << " arguments as " << launch.getTaskAttr()
                                           << " has parameters, got " << launch.getArguments().size();
  for (auto [argument, attr] : llvm::zip(launch.getArguments(), task.getParameters())) {
    auto parameter = cast<ParameterAttr>(attr);
    auto complain = [&]() -> InFlightDiagnostic {
      return launch.emitOpError("expected for parameter '") << parameter.getName().getValue() << "' ";
    };
    if (!parameter.isTensor()) {
      if (argument.getType() != parameter.getType())
        return complain() << "a scalar of type " << parameter.getType() << ", got " << argument.getType();
      continue;
    }
    if (!isa<TaskTensorType>(argument.getType()))
      return complain() << "a tensor, got " << argument.getType();
    Value root = rootOf(argument);
    if (elementOf(root) != parameter.getType() || rankOf(argument) != parameter.getRank())
      return complain() << "a tensor of " << parameter.getType() << " and rank " << parameter.getRank()
                        << ", got one of " << elementOf(root) << " and rank " << rankOf(argument);
    ParameterAttr own = parameterOf(root);
    if (own && !allows(own.getPrivilege(), parameter.getPrivilege()))
      return complain() << "a tensor with the privilege " << stringifyPrivilege(parameter.getPrivilege()) << ", got "
                        << nameOf(root) << ", on which this task has " << stringifyPrivilege(own.getPrivilege());
  }
  for (auto [i, a] : llvm::enumerate(launch.getArguments()))
    for (auto [j, b] : llvm::enumerate(launch.getArguments()))
      if (i != j && task.getParameter(i).isTensor() && task.getParameter(i).isWritten() &&
          task.getParameter(j).isTensor() && rootOf(a) == rootOf(b) && !areDisjoint(a, b))
        return launch.emitOpError("expected arguments that do not overlap where one is written, got parts of ")
               << nameOf(rootOf(a)) << " for '" << task.getParameter(i).getName().getValue() << "' and '"
               << task.getParameter(j).getName().getValue() << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// Inner variants
//===----------------------------------------------------------------------===//

/// Ranks of tensors, numbers of indices.
static LogicalResult verifyRanks(Operation *op) {
  auto verifyDim = [&](Value tensor, int64_t dim) -> LogicalResult {
    int64_t rank = rankOf(tensor);
    if (dim < 0 || dim >= rank)
      return op->emitOpError("expected a dimension of at least 0 and below ") << rank << ", got " << dim;
    return success();
  };
  auto verifyCount = [&](Value tensor, size_t count) -> LogicalResult {
    int64_t rank = rankOf(tensor);
    if (static_cast<int64_t>(count) != rank)
      return op->emitOpError("expected a number for each of ") << rank << " dimensions, got " << count;
    return success();
  };
  if (auto dim = dyn_cast<DimOp>(op))
    return verifyDim(dim.getTensor(), dim.getDim());
  if (auto blocks = dyn_cast<BlocksOp>(op))
    return verifyCount(blocks.getTensor(), blocks.getStaticSizes().size());
  if (auto mma = dyn_cast<MmaOp>(op))
    return verifyCount(mma.getTensor(), mma.getRoles().size());
  Value partition = isa<PieceOp, CountOp>(op) ? op->getOperand(0) : Value();
  if (!partition)
    return success();
  bool isBlocks = static_cast<bool>(partition.getDefiningOp<BlocksOp>());
  Value tensor = partitioned(partition);
  if (auto piece = dyn_cast<PieceOp>(op)) {
    int64_t wanted = isBlocks ? rankOf(tensor) : 1, got = piece.getStaticIndices().size();
    if (got != wanted)
      return piece.emitOpError("expected ") << wanted << " indices, got " << got;
    return success();
  }
  int64_t dim = cast<CountOp>(op).getDim();
  if (!isBlocks && dim != 0)
    return op->emitOpError("expected dimension 0 of a partition by task.mma, got ") << dim;
  return isBlocks ? verifyDim(tensor, dim) : success();
}

static LogicalResult verifyInner(VariantOp variant, TaskOp task) {
  llvm::SmallVector<StringRef> tunables;
  WalkResult walk = variant.walk([&](Operation *op) -> WalkResult {
    if (op == variant)
      return WalkResult::advance();
    auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
    bool isScalarWork = isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
                        llvm::all_of(op->getOperandTypes(), isScalar) && llvm::all_of(op->getResultTypes(), isScalar);
    if (!isa_and_nonnull<TaskDialect>(op->getDialect()) && !isScalarWork)
      return op->emitOpError("expected scalar arithmetic, partitions and launches in an inner variant");
    if (auto end = dyn_cast<ReturnOp>(op); end && end.getNumOperands())
      return op->emitOpError("expected no values from an inner variant, got ") << end.getNumOperands();
    if (auto tunable = dyn_cast<TunableOp>(op)) {
      if (llvm::is_contained(tunables, tunable.getTunable()))
        return op->emitOpError("expected distinct names of tunables in a variant, got '")
               << tunable.getTunable() << "' twice";
      tunables.push_back(tunable.getTunable());
    }
    auto launch = dyn_cast<LaunchOp>(op);
    return launch ? verifyLaunch(launch) : verifyRanks(op);
  });
  if (walk.wasInterrupted())
    return failure();
  walk = variant.walk([&](PRangeOp range) -> WalkResult { return verifyIndependent(range); });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

static bool isTileWork(Operation *op) {
  if (isa_and_nonnull<tile::TileDialect>(op->getDialect()))
    return isa<tile::DotOp, tile::TransposeOp, tile::ReduceOp, tile::BroadcastOp, tile::IotaOp, tile::CallOp>(op);
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect, tensor::TensorDialect, scf::SCFDialect>(
      op->getDialect());
}

static LogicalResult verifyLeaf(VariantOp variant, TaskOp task) {
  llvm::StringMap<int64_t> sizes;
  SmallVector<Type> written;
  for (auto [argument, attr] : llvm::zip(variant.getBody().getArguments(), task.getParameters())) {
    auto parameter = cast<ParameterAttr>(attr);
    if (!parameter.isTensor())
      continue;
    StringRef name = parameter.getName();
    if (parameter.isWritten())
      written.push_back(argument.getType());
    if (!parameter.isRead() && !argument.use_empty())
      return (variant.emitOpError("expected no use of '") << name << "' as a value, which the task does not read")
                 .attachNote(argument.use_begin()->getOwner()->getLoc())
             << "used here";
    for (auto [dim, size] : llvm::zip(parameter.getDims(), cast<RankedTensorType>(argument.getType()).getShape())) {
      auto named = dyn_cast<StringAttr>(dim);
      int64_t wanted = named ? sizes.try_emplace(named, size).first->second : cast<IntegerAttr>(dim).getInt();
      if (size != wanted)
        return variant.emitOpError("expected dimension ")
               << dim << " of '" << name << "' to be " << wanted << ", got " << size;
    }
  }
  WalkResult walk = variant.walk([&](Operation *op) -> WalkResult {
    if (op == variant || isa<ReturnOp>(op))
      return WalkResult::advance();
    if (!isTileWork(op))
      return op->emitOpError("expected an operation on the values of tiles in a leaf");
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && failed(tile::verifyTileShape([&] { return op->emitOpError(); }, tensor.getShape())))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  auto end = dyn_cast<ReturnOp>(variant.getBody().front().getTerminator());
  if (!end || end.getOperandTypes() != TypeRange(written)) {
    InFlightDiagnostic diag = variant.emitOpError("expected a leaf that returns a value for each tensor it writes (");
    llvm::interleaveComma(written, diag);
    diag << "), got (";
    if (end)
      llvm::interleaveComma(end.getOperandTypes(), diag);
    return diag << ")";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The verifiers
//===----------------------------------------------------------------------===//

LogicalResult VariantOp::verifySymbolUses(SymbolTableCollection &) {
  TaskOp task = taskOf(*this);
  if (!task)
    return emitOpError("expected the name of a task, got ") << getTaskAttr();
  Region &body = getBody();
  if (body.getNumArguments() != task.getNumParameters())
    return emitOpError("expected ") << task.getNumParameters() << " arguments as its task " << getTaskAttr()
                                    << " has parameters, got " << body.getNumArguments();
  for (auto [argument, attr] : llvm::zip(body.getArguments(), task.getParameters())) {
    auto parameter = cast<ParameterAttr>(attr);
    auto complain = [&]() -> InFlightDiagnostic {
      return emitOpError("expected '") << parameter.getName().getValue() << "' to be ";
    };
    Type type = argument.getType();
    if (!parameter.isTensor() && type != parameter.getType())
      return complain() << "a scalar of type " << parameter.getType() << ", got " << type;
    auto tile = dyn_cast<RankedTensorType>(type);
    if (parameter.isTensor() && !isLeaf() && !isa<TaskTensorType>(type))
      return complain() << "a tensor without a type in an inner variant, got " << type;
    if (!parameter.isTensor() || !isLeaf())
      continue;
    if (!tile || !tile.hasStaticShape() || tile.getElementType() != parameter.getType() ||
        tile.getRank() != parameter.getRank())
      return complain() << "a statically shaped tensor of " << parameter.getType() << " and rank "
                        << parameter.getRank() << " in a leaf, got " << type;
    if (failed(tile::verifyTileShape([&] { return complain(); }, tile.getShape())))
      return failure();
  }
  return isLeaf() ? verifyLeaf(*this, task) : verifyInner(*this, task);
}

/// Whether `task` lacks a meaning because of another operation, which reports it: a variant, or a launch in one of its
/// variants or in those of the tasks that they launch, that names no task, or names one that has no variants.
static bool isReportedElsewhere(TaskOp task, SmallPtrSetImpl<Operation *> &seen) {
  for (auto variant : cast<ModuleOp>(task->getParentOp()).getOps<VariantOp>())
    if (!taskOf(variant))
      return true;
  for (VariantOp variant : variantsOf(task)) {
    WalkResult found = variant.walk([&](LaunchOp launch) {
      TaskOp launched = taskOf(launch);
      bool lacks = !launched || (seen.insert(launched).second &&
                                 (variantsOf(launched).empty() || isReportedElsewhere(launched, seen)));
      return lacks ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return true;
  }
  return false;
}

LogicalResult TaskOp::verifySymbolUses(SymbolTableCollection &) {
  SmallPtrSet<Operation *, 4> seen{getOperation()};
  if (meaningsOf(cast<ModuleOp>((*this)->getParentOp())).count(*this) || isReportedElsewhere(*this, seen))
    return success();
  if (variantsOf(*this).empty())
    return emitOpError("expected a variant of '") << getSymName() << "', got none";
  return emitOpError("expected a leaf of '")
         << getSymName() << "', or a variant that launches only tasks that mean something without it, got "
         << variantsOf(*this).size() << " variants that are neither";
}
