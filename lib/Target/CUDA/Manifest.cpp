//===- Manifest.cpp - kernel.json (docs/Manifest.md) ----------------------------===//
// Everything is derived from the hw.kernel: grid expressions from the backward slice of tile.grid, parameters from
// Params.
#include "KernelEmitter.h"
#include "ManifestParts.h"
#include "Prepare/Prepare.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Target/CUDA/EmitCUDA.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;
namespace json = llvm::json;

namespace {

class ManifestEmitter {
public:
  explicit ManifestEmitter(hw::KernelOp kernel) : kernel(kernel), params(kernel) {}
  FailureOr<json::Object> run();

private:
  json::Object tensorMap(const Param &param);
  std::string name(unsigned arg) { return Params::argName(kernel, arg); }

  hw::KernelOp kernel;
  Params params;
};

json::Object ManifestEmitter::tensorMap(const Param &param) {
  hw::TensorMapOp map = param.map;
  json::Array box, dims; // outermost first
  for (int64_t extent : llvm::reverse(map.getBox()))
    box.push_back(extent);
  json::Object object{{"kind", "tensormap"},
                      {"view", name(param.arg)},
                      {"box", std::move(box)},
                      {"swizzle", static_cast<int64_t>(map.getSwizzle())}};
  if (int64_t split = map.getSplit()) {
    int64_t rank = map.getView().getType().getRank();
    dims.push_back(json::Object{{"dim", rank - 1}, {"chunks", split}});
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      dims.push_back(json::Object{{"dim", dim}});
    dims.push_back(json::Object{{"dim", rank - 1}, {"chunk", split}});
    object["dims"] = std::move(dims);
  }
  return object;
}

FailureOr<json::Object> ManifestEmitter::run() {
  json::Array list, grid;
  for (const Param &param : params.list()) {
    switch (param.kind) {
    case ParamKind::TensorMap: list.push_back(tensorMap(param)); break;
    case ParamKind::Pointer: list.push_back(json::Object{{"kind", "pointer"}, {"view", name(param.arg)}}); break;
    case ParamKind::Size:
    case ParamKind::Stride:
      list.push_back(json::Object{
          {"kind", param.kind == ParamKind::Size ? "size" : "stride"}, {"view", name(param.arg)}, {"dim", param.dim}});
      break;
    case ParamKind::Counter: list.push_back(json::Object{{"kind", "counter"}}); break;
    case ParamKind::Scalar:
      list.push_back(json::Object{{"kind", "scalar"},
                                  {"name", name(param.arg)},
                                  {"type", manifestScalar(kernel.getArgumentTypes()[param.arg])}});
      break;
    }
  }
  auto gridOp = *kernel.getBody().getOps<tile::GridOp>().begin();
  SmallVector<Value> sizes(gridOp.getSizes());
  if (gridOp.getRaster()) { // launched with dimensions 0 and 1 as one
    FailureOr<json::Value> both = manifestExpression("mul", sizes[0], sizes[1]);
    if (failed(both))
      return failure();
    grid.push_back(std::move(*both));
    sizes.erase(sizes.begin(), sizes.begin() + 2);
  }
  for (Value size : sizes) {
    FailureOr<json::Value> value = manifestExpression(size);
    if (failed(value))
      return failure();
    grid.push_back(std::move(*value));
  }
  int64_t cluster = tile::clusterOf(kernel);
  if (cluster > 1) // its blocks lie beside each other along dimension x
    grid[0] = json::Object{{"op", "mul"}, {"a", std::move(grid[0])}, {"b", json::Object{{"const", cluster}}}};
  while (grid.size() < 3)
    grid.push_back(json::Object{{"const", 1}});

  json::Object object{{"version", 1},
                      {"kernel", kernel.getSymName()},
                      {"block", static_cast<int64_t>(kernel.getThreads())},
                      {"smem", static_cast<int64_t>(kernel.getSmemBytes())},
                      {"grid", std::move(grid)},
                      {"params", std::move(list)}};
  if (cluster > 1)
    object["cluster"] = json::Array{cluster, 1, 1};
  if (failed(addManifestArguments(kernel, object)))
    return failure();
  return object;
}

} // namespace

FailureOr<std::string> heddle::emitManifest(hw::KernelOp kernel, StringRef text) {
  OwningOpRef<hw::KernelOp> prepared = cuda::prepare(kernel);
  FailureOr<json::Object> object = ManifestEmitter(*prepared).run();
  if (failed(object))
    return failure();
  (*object)["mark"] =
      text.substr(text.rfind(cuda::markPrefix)).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  return llvm::formatv("{0:2}\n", json::Value(std::move(*object))).str();
}
