//===- ChainManifest.cpp - chain.json (docs/Manifest.md) ------------------------===//
//
// Derived from the tile.chain alone: what its kernels need is in their own manifests. Launches bind by name.
//
//===----------------------------------------------------------------------------===//
#include "ManifestParts.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Target/CUDA/EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;
namespace json = llvm::json;

/// The name of a view of the chain.
static std::string viewName(tile::ChainOp chain, Value view) {
  if (auto workspace = view.getDefiningOp<tile::WorkspaceOp>())
    return workspace.getName().str();
  return tile::argumentName(chain, cast<BlockArgument>(view).getArgNumber());
}

static FailureOr<json::Object> workspaceEntry(tile::WorkspaceOp workspace) {
  FailureOr<StringRef> elem = cuda::manifestElement(workspace, workspace.getName(), workspace.getType());
  if (failed(elem))
    return failure();
  json::Array shape;
  auto given = workspace.getSizes().begin();
  for (int64_t size : workspace.getType().getShape()) {
    FailureOr<json::Value> value = json::Value(json::Object{{"const", size}});
    if (ShapedType::isDynamic(size))
      value = cuda::manifestExpression(*given++);
    if (failed(value))
      return failure();
    shape.push_back(std::move(*value));
  }
  return json::Object{
      {"name", workspace.getName()}, {"elem", *elem}, {"shape", std::move(shape)}, {"zeroed", workspace.getZeroed()}};
}

/// A scalar of a launch: a number or an argument (f32), else an expression.
static FailureOr<json::Value> scalarEntry(tile::ChainOp chain, Value given) {
  if (!given.getType().isF32())
    return cuda::manifestExpression(given);
  if (auto argument = dyn_cast<BlockArgument>(given))
    return json::Value(json::Object{{"arg", tile::argumentName(chain, argument.getArgNumber())}});
  auto constant = given.getDefiningOp<arith::ConstantOp>();
  return json::Value(json::Object{{"const", cast<FloatAttr>(constant.getValue()).getValueAsDouble()}});
}

static FailureOr<json::Object> launchEntry(tile::ChainOp chain, tile::LaunchOp launch) {
  tile::KernelOp kernel = tile::kernelOf(launch);
  json::Object views, scalars;
  for (auto [i, given] : llvm::enumerate(launch.getGiven())) {
    std::string name = tile::argumentName(kernel, i);
    if (isa<tile::ViewType>(given.getType())) {
      views[name] = viewName(chain, given);
      continue;
    }
    FailureOr<json::Value> value = scalarEntry(chain, given);
    if (failed(value))
      return failure();
    scalars[name] = std::move(*value);
  }
  json::Object object{{"kernel", kernel.getSymName()}, {"views", std::move(views)}};
  if (!scalars.empty())
    object["scalars"] = std::move(scalars);
  return object;
}

FailureOr<std::string> heddle::emitChainManifest(tile::ChainOp chain) {
  json::Array workspaces, launches;
  for (auto workspace : chain.getBody().getOps<tile::WorkspaceOp>()) {
    FailureOr<json::Object> entry = workspaceEntry(workspace);
    if (failed(entry))
      return failure();
    workspaces.push_back(std::move(*entry));
  }
  for (auto launch : chain.getBody().getOps<tile::LaunchOp>()) {
    FailureOr<json::Object> entry = launchEntry(chain, launch);
    if (failed(entry))
      return failure();
    launches.push_back(std::move(*entry));
  }
  json::Object object{{"version", 1}, {"chain", chain.getSymName()}, {"launches", std::move(launches)}};
  if (!workspaces.empty())
    object["workspaces"] = std::move(workspaces);
  if (failed(cuda::addManifestArguments(chain, object)))
    return failure();
  return llvm::formatv("{0:2}\n", json::Value(std::move(object))).str();
}
