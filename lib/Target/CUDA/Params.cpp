//===- Params.cpp - see Params.h ------------------------------------------------===//
#include "Params.h"

#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

std::string cuda::identifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name = "v" + name;
  return name;
}

std::string Params::argName(hw::KernelOp kernel, unsigned arg) { return tile::argumentName(kernel, arg); }

std::string Params::dimName(hw::KernelOp kernel, unsigned arg, int64_t dim) {
  auto names = kernel.getArgAttrOfType<ArrayAttr>(arg, "tile.dims");
  if (!names || dim >= static_cast<int64_t>(names.size()))
    return "";
  auto name = dyn_cast<StringAttr>(names[dim]);
  return name ? name.str() : "";
}

std::string cuda::commentText(StringRef text) {
  std::string out;
  for (char c : text)
    out += c >= ' ' && c <= '~' && c != '\\' ? c : '?';
  return out;
}

Params::Params(hw::KernelOp kernel) : kernel(kernel) {
  // Names of the printed text that a parameter must not take.
  for (const char *word :
       {"smem", "smemBytes", "warpgroup", "warp",     "lane",     "elected",  "program0", "program1",   "program2",
        "slot", "r",         "j",         "hd",       "uint32_t", "uint64_t", "int",      "float",      "void",
        "char", "const",     "for",       "if",       "else",     "while",    "maps",     "mapPool",    "switch",
        "do",   "threadIdx", "blockIdx",  "blockDim", "gridDim",  "warpSize", "group",    "clusterRank"})
    taken.insert(word);
  taken.insert(kernel.getSymName());
  for (auto map : kernel.getBody().getOps<hw::TensorMapOp>())
    add(ParamKind::TensorMap, cast<BlockArgument>(map.getView()).getArgNumber(), 0, map, "map_" + map.getName().str());
  kernel.walk([&](Operation *op) {
    Value view;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      view = load.getView();
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      view = store.getView();
    else if (auto element = dyn_cast<tile::ElementOp>(op))
      view = element.getView();
    else if (auto gather = dyn_cast<tile::GatherOp>(op))
      view = gather.getView();
    else if (auto row = dyn_cast<hw::RowLoadOp>(op))
      view = row.getView();
    else if (auto copy = dyn_cast<hw::ThreadCopyOp>(op))
      view = copy.getView();
    if (auto window = dyn_cast<tile::WindowOp>(op)) // begins there; its numbers are the kernel's
      add(ParamKind::Pointer, cast<BlockArgument>(window.getMemory()).getArgNumber(), 0, {},
          argName(kernel, cast<BlockArgument>(window.getMemory()).getArgNumber()));
    if (!view || view.getDefiningOp<tile::WindowOp>())
      return;
    unsigned arg = cast<BlockArgument>(view).getArgNumber();
    std::string name = argName(kernel, arg);
    add(ParamKind::Pointer, arg, 0, {}, name);
    int64_t rank = cast<tile::ViewType>(view.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      addSize(view, dim);
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      add(ParamKind::Stride, arg, dim, {}, name + "_stride" + std::to_string(dim));
  });
  // Sizes that a role reads, and those of the grid where programs are numbered anew (raster).
  bool raster = false;
  for (auto grid : kernel.getBody().getOps<tile::GridOp>())
    raster = grid.getRaster().has_value();
  kernel.walk([&](tile::DimOp dim) {
    if (raster || dim->getParentOfType<hw::RoleOp>())
      addSize(dim.getView(), dim.getDim());
  });
  for (BlockArgument arg : kernel.getBody().getArguments())
    if (!isa<tile::ViewType>(arg.getType()) && !arg.use_empty())
      add(ParamKind::Scalar, arg.getArgNumber(), 0, {}, argName(kernel, arg.getArgNumber()));
  if (kernel.walk([](hw::NextProgramOp) { return WalkResult::interrupt(); }).wasInterrupted())
    add(ParamKind::Counter, 0, 0, {}, "programCounter");
}

void Params::add(ParamKind kind, unsigned arg, int64_t dim, hw::TensorMapOp map, std::string hint) {
  if (!map && find(kind, arg, dim))
    return;
  std::string name = identifier(hint), unique = name;
  for (int n = 1; !taken.insert(unique).second; ++n)
    unique = name + "_" + std::to_string(n);
  params.push_back({kind, arg, dim, map, unique});
}

void Params::addSize(Value view, int64_t dim) {
  if (!ShapedType::isDynamic(cast<tile::ViewType>(view.getType()).getShape()[dim]))
    return;
  unsigned arg = cast<BlockArgument>(view).getArgNumber();
  std::string name = dimName(kernel, arg, dim);
  add(ParamKind::Size, arg, dim, {}, name.empty() ? argName(kernel, arg) + "_size" + std::to_string(dim) : name);
}

const Param *Params::find(ParamKind kind, unsigned arg, int64_t dim) const {
  std::string name = kind == ParamKind::Size ? dimName(kernel, arg, dim) : "";
  for (const Param &param : params) {
    if (param.kind != kind)
      continue;
    if ((param.arg == arg && param.dim == dim) || (!name.empty() && dimName(kernel, param.arg, param.dim) == name))
      return &param;
  }
  return nullptr;
}

std::string Params::sizeOf(Value view, int64_t dim) const {
  int64_t size = cast<tile::ViewType>(view.getType()).getShape()[dim];
  if (!ShapedType::isDynamic(size))
    return std::to_string(size);
  const Param *param = find(ParamKind::Size, cast<BlockArgument>(view).getArgNumber(), dim);
  return param ? param->name : ""; // memory of windows has none
}

std::string Params::strideOf(Value view, int64_t dim) const {
  if (dim + 1 == cast<tile::ViewType>(view.getType()).getRank())
    return "1";
  return find(ParamKind::Stride, cast<BlockArgument>(view).getArgNumber(), dim)->name;
}

std::string Params::pointerOf(Value view) const {
  return find(ParamKind::Pointer, cast<BlockArgument>(view).getArgNumber(), 0)->name;
}

std::string Params::scalarOf(Value arg) const {
  return find(ParamKind::Scalar, cast<BlockArgument>(arg).getArgNumber(), 0)->name;
}

std::string Params::counter() const { return find(ParamKind::Counter, 0, 0)->name; }

std::string Params::mapOf(Value map) const {
  for (const Param &param : params)
    if (param.kind == ParamKind::TensorMap && hw::TensorMapOp(param.map).getResult() == map)
      return param.name;
  return "";
}
