//===- ChainOps.cpp - verifiers of chains of kernels -----------------------===//
//
// What:     the body holds only what a launcher can do; each launch gives its kernel what the kernel states; nothing is
//           read from memory of the chain before a launch writes it.
// Sizes:    those that a kernel calls by one name have to be one size of the chain, so that no launch fails at run time
//           for a reason that is known here. Sizes are compared as written out: names of the arguments' sizes, numbers
//           and operations on them.
// When:     with the module's symbols, since kernels are looked up: `verifySymbolUses`.
//
//===----------------------------------------------------------------------===//
#include "Verify.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/Chain.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/Syntax.h"
#include "heddle/Dialect/Tile/ViewUses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle::tile;

#define GET_OP_CLASSES
#include "heddle/Dialect/Tile/ChainOps.cpp.inc"

KernelOp heddle::tile::kernelOf(LaunchOp launch) {
  return SymbolTable::lookupNearestSymbolFrom<KernelOp>(launch, launch.getKernelAttr());
}

SmallVector<KernelOp> heddle::tile::kernelsOf(ChainOp chain) {
  llvm::SetVector<KernelOp> kernels;
  for (auto launch : chain.getBody().getOps<LaunchOp>())
    kernels.insert(kernelOf(launch));
  return kernels.takeVector();
}

ParseResult ChainOp::parse(OpAsmParser &parser, OperationState &result) {
  return heddle::parseKernel<ChainOp>(parser, result);
}
void ChainOp::print(OpAsmPrinter &printer) { heddle::printKernel(printer, *this); }

//===----------------------------------------------------------------------===//
// Names and sizes
//===----------------------------------------------------------------------===//

static std::string writtenOut(Value value);

/// A size of a view of the chain, written out.
static std::string sizeText(Value view, int64_t dim) {
  auto type = cast<ViewType>(view.getType());
  if (int64_t size = type.getShape()[dim]; !ShapedType::isDynamic(size))
    return std::to_string(size);
  if (auto argument = dyn_cast<BlockArgument>(view))
    return dimensionName(cast<FunctionOpInterface>(argument.getOwner()->getParentOp()), argument.getArgNumber(), dim);
  int64_t dynamic = llvm::count_if(type.getShape().take_front(dim), ShapedType::isDynamic);
  return writtenOut(view.getDefiningOp<WorkspaceOp>().getSizes()[dynamic]);
}

/// A host value, written out.
static std::string writtenOut(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argumentName(cast<FunctionOpInterface>(argument.getOwner()->getParentOp()), argument.getArgNumber());
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<DimOp>(op))
    return sizeText(dim.getView(), dim.getDim());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return std::to_string(number.getInt());
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return writtenOut(cast.getIn());
  std::string text = op->getName().stripDialect().str() + "(";
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    text += (i ? ", " : "") + writtenOut(operand);
  return text + ")";
}

//===----------------------------------------------------------------------===//
// The chain by itself
//===----------------------------------------------------------------------===//

LogicalResult WorkspaceOp::verify() {
  if (!isIdentifier(getName()))
    return emitOpError("expected a name that is a C identifier and no keyword, got '") << getName() << "'";
  size_t wanted = llvm::count_if(getType().getShape(), ShapedType::isDynamic);
  if (getSizes().size() != wanted)
    return emitOpError("expected a size for each of the ") << wanted << " '?' of its type, got " << getSizes().size();
  return verifyHostSizes(*this, getSizes());
}

/// Names of arguments and workspaces are distinct: the manifest and the tools know views by name.
static LogicalResult verifyNames(ChainOp chain) {
  llvm::StringSet<> names;
  for (unsigned i = 0; i < chain.getNumArguments(); ++i)
    names.insert(argumentName(chain, i));
  for (auto workspace : chain.getBody().getOps<WorkspaceOp>()) {
    if (!names.insert(workspace.getName()).second)
      return workspace.emitOpError("expected distinct names of arguments and workspaces, got '")
             << workspace.getName() << "' twice";
    if (!llvm::any_of(workspace->getUsers(), llvm::IsaPred<LaunchOp>))
      return workspace.emitOpError("expected a launch that takes '") << workspace.getName() << "', got none";
  }
  return success();
}

LogicalResult ChainOp::verify() {
  if (failed(verifyArguments(*this)) || failed(verifyKernelRules(*this)))
    return failure();
  Block &body = getBody().front();
  if (body.empty() || !isa<ReturnOp>(body.back()))
    return emitOpError("expected the body to end with tile.return");
  for (Operation &op : body) {
    // Dominance is verified later than the kernels are looked at, which follows operands.
    for (Value operand : op.getOperands())
      if (Operation *def = operand.getDefiningOp(); def && !def->isBeforeInBlock(&op))
        return op.emitOpError("expected operands that are computed before it, got a later one");
    if (!isa<WorkspaceOp, LaunchOp, ReturnOp, DimOp, arith::ConstantOp>(op) &&
        (!isa<arith::ArithDialect>(op.getDialect()) ||
         !llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIndex() || type.isInteger(32); })))
      return op.emitOpError("expected tile.workspace, tile.launch and sizes the host can compute in a chain, got ")
             << op.getName();
  }
  if (getBody().getOps<LaunchOp>().empty())
    return emitOpError("expected at least one tile.launch, got none");
  return verifyNames(*this);
}

//===----------------------------------------------------------------------===//
// The chain with its kernels
//===----------------------------------------------------------------------===//

/// A view of the chain as argument `index` of `kernel`. `known`: sizes that arguments before it have given names.
static LogicalResult verifyView(LaunchOp launch, KernelOp kernel, unsigned index, llvm::StringMap<std::string> &known) {
  Value given = launch.getGiven()[index];
  auto want = cast<ViewType>(kernel.getArgumentTypes()[index]), got = dyn_cast<ViewType>(given.getType());
  std::string name = argumentName(kernel, index);
  if (!got || got.getElementType() != want.getElementType() || got.getRank() != want.getRank())
    return launch.emitOpError("argument '") << name << "': expected " << want << ", got " << given.getType();
  for (int64_t dim = 0; dim < want.getRank(); ++dim) {
    std::string size = sizeText(given, dim), dimName = dimensionName(kernel, index, dim);
    if (int64_t number = want.getShape()[dim]; !ShapedType::isDynamic(number) && size != std::to_string(number))
      return launch.emitOpError("argument '")
             << name << "', dimension " << dim << ": expected the size " << number << ", got " << size;
    auto [first, isNew] = known.try_emplace(dimName, size);
    if (!isNew && first->second != size)
      return launch.emitOpError("expected one size for dimension '")
             << dimName << "' of @" << kernel.getSymName() << ", got " << first->second << " and " << size;
  }
  return success();
}

static LogicalResult verifyScalar(LaunchOp launch, KernelOp kernel, unsigned index) {
  Value given = launch.getGiven()[index];
  Type want = kernel.getArgumentTypes()[index];
  if (given.getType() != want)
    return launch.emitOpError("argument '")
           << argumentName(kernel, index) << "': expected " << want << ", got " << given.getType();
  if (!want.isF32())
    return verifyHostSizes(launch, given);
  auto constant = given.getDefiningOp<arith::ConstantOp>(); // the body has no other f32 than arguments
  if (constant && !cast<FloatAttr>(constant.getValue()).getValue().isFinite())
    return launch.emitOpError("argument '")
           << argumentName(kernel, index) << "': expected a finite number, got " << constant.getValue();
  return success();
}

/// Everything that a launch gives, and which views are written after it (`written`).
static LogicalResult verifyLaunch(LaunchOp launch, SymbolTableCollection &symbols, DenseSet<Value> &written) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(launch, launch.getKernelAttr());
  if (!kernel)
    return launch.emitOpError("expected a tile.kernel of the module, got ") << launch.getKernelAttr();
  if (launch.getGiven().size() != kernel.getNumArguments())
    return launch.emitOpError("expected ") << kernel.getNumArguments() << " arguments of @" << kernel.getSymName()
                                           << ", got " << launch.getGiven().size();
  llvm::StringMap<std::string> known;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (failed(isa<ViewType>(kernel.getArgumentTypes()[i]) ? verifyView(launch, kernel, i, known)
                                                           : verifyScalar(launch, kernel, i)))
      return failure();
  DenseMap<Value, unsigned> first;
  for (auto [i, given] : llvm::enumerate(launch.getGiven())) {
    if (!isa<ViewType>(given.getType()))
      continue;
    heddle::ViewUses uses = usesOf(kernel.getBody().getArgument(i));
    auto workspace = given.getDefiningOp<WorkspaceOp>();
    if (workspace && (uses.read || uses.added) && !workspace.getZeroed() && !written.contains(given))
      return launch.emitOpError("expected a launch before that writes '")
             << workspace.getName() << "', which @" << kernel.getSymName() << (uses.added ? " adds to" : " reads")
             << ", or 'zeroed', got neither";
    auto [other, isNew] = first.try_emplace(given, i);
    if (!isNew && (uses.written || usesOf(kernel.getBody().getArgument(other->second)).written))
      return launch.emitOpError("expected different views for '")
             << argumentName(kernel, other->second) << "' and '" << argumentName(kernel, i) << "' of @"
             << kernel.getSymName() << ", which writes one of them, got one";
  }
  for (auto [given, argument] : llvm::zip(launch.getGiven(), kernel.getBody().getArguments()))
    if (isa<ViewType>(given.getType()) && usesOf(argument).written)
      written.insert(given);
  return success();
}

LogicalResult ChainOp::verifySymbolUses(SymbolTableCollection &symbols) {
  DenseSet<Value> written;
  for (auto launch : getBody().getOps<LaunchOp>())
    if (failed(verifyLaunch(launch, symbols, written)))
      return failure();
  return success();
}
