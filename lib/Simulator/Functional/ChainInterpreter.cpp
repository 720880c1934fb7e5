//===- ChainInterpreter.cpp - a chain of kernels, launch by launch --------===//
#include "heddle/Simulator/Functional/ChainInterpreter.h"

#include "HostValues.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

namespace {
/// One run. Tensors move into a launch's bindings and back.
class ChainRun {
public:
  ChainRun(tile::ChainOp chain, Bindings &bindings)
      : chain(chain), bindings(bindings), wide(!bindings.bounds.empty()) {}
  LogicalResult run(RunLaunch runLaunch);

private:
  LogicalResult makeWorkspace(tile::WorkspaceOp workspace);
  LogicalResult launch(tile::LaunchOp launch, RunLaunch runLaunch);

  /// Where the tensor of a view of the chain is, among those of its arguments and then its workspaces.
  int tensorOf(Value view) const {
    if (auto argument = dyn_cast<BlockArgument>(view))
      return bindings.arguments[argument.getArgNumber()].tensor;
    return workspaces.lookup(view);
  }

  tile::ChainOp chain;
  Bindings &bindings;
  bool wide;
  DenseMap<Value, int> workspaces;
  DenseMap<Value, TileValue> known;
  double bytes = 0; // in floating point, so that nothing overflows
};
} // namespace

LogicalResult ChainRun::makeWorkspace(tile::WorkspaceOp workspace) {
  tile::ViewType type = workspace.getType();
  ElementKind kind = *elementKindOf(type.getElementType());
  if (wide && isFloatKind(kind))
    kind = ElementKind::F64;
  SmallVector<int64_t> sizes(type.getShape());
  auto given = workspace.getSizes().begin();
  double needed = static_cast<double>(elementBytes(kind));
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (ShapedType::isDynamic(size)) {
      if (failed(evaluateOnHost(*given, bindings, known)))
        return failure();
      size = known[*given++].toIndex();
      if (size < 0 || size > std::numeric_limits<int32_t>::max())
        return workspace.emitOpError("expected size ") << dim << " from 0 to 2147483647, got " << size;
    }
    needed *= static_cast<double>(size);
  }
  if ((bytes += needed) > static_cast<double>(mostWorkspaceBytes))
    return emitErrorOf(ErrorKind::Limit, workspace) << "expected workspaces of at most " << mostWorkspaceBytes
                                                    << " bytes in all, got more with '" << workspace.getName() << "'";
  workspaces[workspace] = static_cast<int>(bindings.tensors.size());
  HostTensor &tensor = bindings.tensors.emplace_back(workspace.getName().str(), kind, sizes);
  if (!workspace.getZeroed())
    tensor.fillPoison();
  if (wide)
    bindings.bounds.push_back(unwrittenBounds(tensor));
  return success();
}

LogicalResult ChainRun::launch(tile::LaunchOp launch, RunLaunch runLaunch) {
  tile::KernelOp kernel = tile::kernelOf(launch);
  Bindings own;
  std::map<int, int> places; // of the chain's tensors among the launch's: one that is given twice is there once
  for (Value given : launch.getGiven()) // before tensors, whose sizes scalars may be, move
    if (!isa<tile::ViewType>(given.getType()) && failed(evaluateOnHost(given, bindings, known)))
      return failure();
  for (auto [i, given] : llvm::enumerate(launch.getGiven())) {
    BoundArgument &argument = own.arguments.emplace_back();
    argument.name = tile::argumentName(kernel, i);
    auto view = dyn_cast<tile::ViewType>(given.getType());
    if (!view) {
      argument.scalar = known[given];
      if (wide && argument.scalar.isFloat())
        argument.scalar = TileValue::scalar(ElementKind::F64, argument.scalar.floatAt(0));
      continue;
    }
    ViewUses uses = tile::usesOf(kernel.getBody().getArgument(i));
    argument.isRead = uses.read;
    argument.isWritten = uses.written;
    argument.isAdded = uses.added;
    int tensor = tensorOf(given);
    auto [place, isNew] = places.try_emplace(tensor, static_cast<int>(own.tensors.size()));
    argument.tensor = place->second;
    if (isNew) {
      own.tensors.push_back(std::move(bindings.tensors[tensor]));
      if (wide)
        own.bounds.push_back(std::move(bindings.bounds[tensor]));
    }
    for (int64_t dim = 0; dim < view.getRank(); ++dim)
      own.dims[tile::dimensionName(kernel, i, dim)] = own.tensors[argument.tensor].sizes()[dim];
  }
  LogicalResult result = runLaunch(launch, kernel, own);
  for (auto [chains, launchs] : places) {
    bindings.tensors[chains] = std::move(own.tensors[launchs]);
    if (wide)
      bindings.bounds[chains] = std::move(own.bounds[launchs]);
  }
  return result;
}

LogicalResult ChainRun::run(RunLaunch runLaunch) {
  size_t arguments = bindings.tensors.size();
  llvm::scope_exit end([&] { // workspaces go with the run
    bindings.tensors.resize(arguments);
    if (wide)
      bindings.bounds.resize(arguments);
  });
  for (Operation &op : chain.getBody().front()) {
    if (auto workspace = dyn_cast<tile::WorkspaceOp>(op); workspace && failed(makeWorkspace(workspace)))
      return failure();
    if (auto launched = dyn_cast<tile::LaunchOp>(op); launched && failed(launch(launched, runLaunch)))
      return failure();
  }
  return success();
}

LogicalResult heddle::sim::runChain(tile::ChainOp chain, Bindings &bindings, RunLaunch run) {
  return ChainRun(chain, bindings).run(run);
}

FailureOr<Meaning> heddle::sim::meaningOf(tile::ChainOp chain, const Bindings &bound) {
  Meaning meaning{bound, bound.widened()};
  meaning.exact.startBounds();
  EvaluateOptions plain, wide;
  wide.wide = wide.bounds = true;
  auto runWith = [](const EvaluateOptions &options) {
    return [&options](tile::LaunchOp, tile::KernelOp kernel, Bindings &bindings) {
      return runTileKernel(kernel, bindings, options);
    };
  };
  if (failed(runChain(chain, meaning.reference, runWith(plain))) ||
      failed(runChain(chain, meaning.exact, runWith(wide))))
    return failure();
  return meaning;
}
