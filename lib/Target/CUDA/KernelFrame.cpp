//===- KernelFrame.cpp - what stands around the roles of a printed kernel -----===//
//
// Header, includes, the map of shared memory, parameters and their types, program coordinates and the barriers' setting
// up: what the text has once, before what its warps do (KernelEmitter.cpp). Nothing is decided here.
//
//===----------------------------------------------------------------------===//
#include "KernelEmitter.h"

#include "Prepare/Residency.h"
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/HW/Exchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

void KernelEmitter::header(StringRef title) {
  line("//===- " + kernel.getSymName() + ".cu - made by heddle ---===//");
  SmallVector<StringRef> lines;
  title.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef text : lines)
    line("// " + commentText(text));
  for (auto op : kernel.getBody().getOps<hw::RoleOp>()) {
    auto shared = llvm::find_if(classes, [&](RoleClass &known) { return llvm::is_contained(known.members, op); });
    if (shared->members.size() > 1) {
      if (shared->members.front() != op)
        continue;
      auto list = [&](auto part) { return llvm::join(llvm::map_range(shared->members, part), ", "); };
      auto registers = [](hw::RoleOp member) { return std::to_string(member.getRegs()); };
      bool alike = llvm::all_equal(llvm::map_range(shared->members, registers));
      line("// Warp groups " + list([](hw::RoleOp member) { return std::to_string(member.getWarpgroup()); }) + ": " +
           commentText(list([](hw::RoleOp member) { return member.getSymName().str(); })) + ", " +
           (alike ? std::to_string(op.getRegs()) : list(registers)) + " registers per thread.");
      continue;
    }
    std::string what = op.getSingle() ? ", one thread of warp " + std::to_string(op.getWarp()) : "";
    line("// Warp group " + Twine(op.getWarpgroup()) + what + ": " + commentText(op.getSymName()) + ", " +
         Twine(op.getRegs()) + " registers per thread.");
  }
  line("// Shared memory: " + Twine(kernel.getSmemBytes()) +
       " bytes, by the offsets below; tiles are stored [chunk of columns][row][swizzle bytes].");
  line("");
}

void KernelEmitter::includes() {
  std::set<int64_t> widths;
  kernel.walk([&](hw::WgmmaOp op) { widths.insert(op.getN()); });
  line("#include \"heddle_device/kernel.h\"");
  if (cluster > 1)
    line("#include \"heddle_device/cluster/cluster.h\"");
  if (llvm::any_of(params.list(), [](const Param &param) { return param.kind == ParamKind::Counter; }))
    line("#include \"heddle_device/thread/counter.h\"");
  if (!madeMaps.empty())
    line("#include \"heddle_device/thread/tensormap.h\"");
  bool divides = false;
  kernel.walk([&](tile::ReduceOp op) {
    std::optional<hw::WarpFold> fold = hw::warpFoldOf(op);
    divides |= fold && fold->divided;
  });
  kernel.walk([&](tile::ScanOp op) { divides |= !hw::warpScansOf(op.getResult().getType(), op.getAxis()).empty(); });
  if (divides)
    line("#include \"heddle_device/warpgroup/fold.h\"");
  for (int64_t n : widths)
    line("#include \"heddle_device/warpgroup/wgmma_n" + Twine(n) + ".h\"");
  std::set<std::string> own; // of functions that the program calls
  kernel.walk([&](tile::CallOp call) { own.insert(call.getHeader().str()); });
  for (const std::string &header : own)
    line("#include \"" + Twine(header) + "\"");
  line("");
}

void KernelEmitter::smemMap() {
  llvm::SetVector<StringRef> done;
  llvm::SmallDenseSet<Operation *> printed;   // roles whose text serves the other members of their classes
  llvm::DenseMap<Operation *, int64_t> apart; // of storage that each member of a class has: bytes between two
  for (RoleClass &known : classes) {
    printed.insert(known.members.front());
    for (auto &[op, twins] : known.twins)
      if (auto smemOp = dyn_cast<hw::SmemOp>(op))
        apart[op] =
            static_cast<int64_t>(cast<hw::SmemOp>(twins[1]).getOffset()) - static_cast<int64_t>(smemOp.getOffset());
  }
  // One role's storage may be another's twin: what a printed text names needs its constant.
  kernel.walk([&](hw::SmemOp op) {
    auto role = op->getParentOfType<hw::RoleOp>();
    if ((role && !printed.contains(role)) || !done.insert(op.getName()))
      return;
    std::string name = fresh("kSmem_" + op.getName().str());
    smemConstants[op.getName()] = name;
    hw::TileType type = op.getType();
    std::string elem;
    llvm::raw_string_ostream(elem) << type.getElementType();
    line("constexpr uint32_t " + Twine(name) + " = " + Twine(op.getOffset()) + "; // " + Twine(type.getRows()) + "x" +
         Twine(type.getCols()) + " " + elem + ", swizzle " + Twine(type.getSwizzle()) +
         (op.getSlot() ? ", a slot every " + std::to_string(op.getStride()) + " bytes" : "") +
         (apart.lookup(op) ? ", a group every " + std::to_string(apart.lookup(op)) + " bytes" : ""));
  });
  for (auto bars : kernel.getBody().getOps<hw::MBarriersOp>()) {
    std::string name = fresh("kBar_" + bars.getName().str());
    names[bars.getResult()] = name;
    line("constexpr uint32_t " + Twine(name) + " = " + Twine(bars.getOffset()) + "; // " +
         Twine(bars.getType().getSize()) + " x " + Twine(bars.getCount()) +
         (bars.getCount() == 1 ? " arrival" : " arrivals"));
  }
  line("");
}

/// Type of a parameter where a function of the text takes it.
std::string KernelEmitter::typeOf(const Param &param) {
  if (param.kind == ParamKind::Counter)
    return "uint32_t *";
  Type type = kernel.getArgumentTypes()[param.arg];
  switch (param.kind) {
  case ParamKind::Counter: break;
  case ParamKind::TensorMap: return "const hd::TensorMap &";
  case ParamKind::Pointer: {
    Type elem = cast<tile::ViewType>(type).getElementType();
    std::string tag = packedTag(elem);
    return (tag.empty() ? (elem.isF32() ? "float" : "int") : tag) + " *";
  }
  case ParamKind::Size:
  case ParamKind::Stride: return "int ";
  case ParamKind::Scalar: return type.isF32() ? "float " : "int ";
  }
  return "";
}

/// What a role may read that stands before the roles: `ids` is the text that defines program ids.
void KernelEmitter::collectVariables(StringRef ids) {
  for (const Param &param : params.list())
    variables.push_back({typeOf(param), param.name});
  if (kernel.getSmemBytes())
    variables.push_back({"uint32_t ", "smem"});
  SmallVector<StringRef> lines;
  ids.split(lines, '\n');
  for (StringRef text : lines)
    if (text.ltrim().consume_front("const int "))
      variables.push_back({"int ", text.ltrim().drop_front(strlen("const int ")).split(' ').first.str()});
}

void KernelEmitter::signature() {
  std::string blocks = cluster > 1 ? "__cluster_dims__(" + std::to_string(cluster) + ", 1, 1) " : "";
  line("extern \"C\" __global__ void " + blocks + "__launch_bounds__(" + Twine(kernel.getThreads()) + ", " +
       Twine(residentBlocks(kernel)) + ")");
  std::string list;
  for (const Param &param : params.list()) {
    std::string map = "const __grid_constant__ hd::TensorMap ";
    std::string text = (param.kind == ParamKind::TensorMap ? map : typeOf(param)) + param.name;
    // As many to a line as fit.
    size_t start = list.rfind('\n') == std::string::npos ? 0 : list.rfind('\n') + 1;
    bool fits = list.size() - start + text.size() < 110;
    list += list.empty() ? text : fits ? ", " + text : ",\n    " + text;
  }
  line("    " + Twine(kernel.getSymName()) + "(" + list + ") {");
  indent();
}

LogicalResult KernelEmitter::programIds() {
  SmallVector<bool> needed(3, false);
  kernel.walk([&](tile::ProgramIdOp op) { needed[op.getDim()] = true; });
  auto grid = *kernel.getBody().getOps<tile::GridOp>().begin();
  std::optional<int64_t> raster = grid.getRaster();
  static const char axes[] = "xyz";
  if (cluster > 1)
    line("const int clusterRank = hd::clusterRank();");
  if (!raster) {
    for (int dim = 0; dim < 3; ++dim)
      if (needed[dim])
        line("const int program" + Twine(dim) + " = blockIdx." + Twine(axes[dim]) + (dim == 0 ? perCluster() : "") +
             ";");
    return success();
  }
  // The launch has dimensions 0 and 1 as one; the sizes are computed here as on the host.
  llvm::SetVector<Operation *> slice;
  SmallVector<Operation *> work;
  for (Value size : grid.getSizes().take_front(2))
    if (Operation *op = size.getDefiningOp())
      work.push_back(op);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (slice.insert(op))
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp())
          work.push_back(def);
  }
  for (auto [dim, size] : llvm::enumerate(grid.getSizes().take_front(2)))
    if (Operation *op = size.getDefiningOp(); op && !isa<arith::ConstantOp, tile::DimOp>(op) && !names.count(size))
      names[size] = fresh("grid" + std::to_string(dim));
  for (Operation &op : kernel.getBody().front())
    if (slice.contains(&op) && !isa<arith::ConstantOp, tile::DimOp>(op))
      if (failed(printRegisterTileOp(&op, *this)))
        return failure();
  std::string rows = nameOf(grid.getSizes()[0]), cols = nameOf(grid.getSizes()[1]);
  std::string band = fresh("band"), height = fresh("bandRows"), inBand = fresh("inBand");
  std::string number = cluster > 1 ? "(blockIdx.x" + perCluster() + ")" : "blockIdx.x";
  line("// Programs in bands of " + Twine(*raster) + " along dimension 0, dimension 0 fastest inside a band.");
  line("const int " + Twine(band) + " = " + number + " / (" + Twine(*raster) + " * " + cols + ");");
  line("const int " + Twine(height) + " = hd::min(" + Twine(*raster) + ", " + rows + " - " + Twine(*raster) + " * " +
       band + ");");
  line("const int " + Twine(inBand) + " = " + number + " - " + Twine(*raster) + " * " + band + " * " + cols + ";");
  line("const int program0 = " + Twine(*raster) + " * " + band + " + " + inBand + " % " + height + ";");
  line("const int program1 = " + Twine(inBand) + " / " + height + ";");
  if (needed[2])
    line("const int program2 = blockIdx.y;");
  return success();
}

/// Rows of shared memory that no load brings, and that products read all the same for results that nobody keeps.
void KernelEmitter::declareUnkept() {
  DenseSet<StringRef> done;
  kernel.walk([&](hw::TmaLoadOp load) {
    auto storage = load.getDest().getDefiningOp<hw::SmemOp>();
    if (!load.getRows() || !storage || !done.insert(storage.getName()).second)
      return;
    hw::TileType type = storage.getType();
    int64_t ofRow = type.getSwizzle() ? type.getSwizzle() : type.getCols() * type.getElementBytes();
    int64_t chunk = type.getRows() * ofRow, brought = *load.getRows() * ofRow;
    std::string constant = smemConstants[storage.getName()];
    std::string at = "smem + " + (constant.empty() ? std::to_string(storage.getOffset()) : constant);
    for (int64_t from = 0; from < type.getStorageBytes(); from += chunk)
      line("hd::holdsAnything(" + at + " + " + Twine(from + brought) + ", " + Twine(chunk - brought) + ", " +
           Twine(storage.getSlots()) + ", " + Twine(storage.getStride()) + "); // rows from " + Twine(*load.getRows()) +
           " on");
  });
}

void KernelEmitter::barrierInit() {
  SmallVector<hw::MBarriersOp> all(kernel.getBody().getOps<hw::MBarriersOp>());
  bool hasMaps = llvm::any_of(params.list(), [](const Param &param) { return param.kind == ParamKind::TensorMap; });
  if (all.empty() && !hasMaps && cluster <= 1)
    return; // nothing begins together
  line("if (hd::warpIndex() == 0 && hd::electOne()) {");
  indent();
  for (const Param &param : params.list())
    if (param.kind == ParamKind::TensorMap)
      line("hd::tmaPrefetchMap(&" + Twine(param.name) + ");");
  // Arrays of one size, as a ring has two, in one loop.
  for (size_t first = 0, next; first < all.size(); first = next) {
    int64_t size = all[first].getType().getSize();
    for (next = first; next < all.size() && all[next].getType().getSize() == size;)
      ++next;
    if (size > 1) {
      line("for (int slot = 0; slot < " + Twine(size) + "; ++slot) {");
      indent();
    }
    for (size_t i = first; i < next; ++i)
      line("hd::mbarrierInit(smem + " + nameOf(all[i].getResult()) + (size > 1 ? " + 8 * slot" : "") + ", " +
           Twine(all[i].getCount()) + ");");
    if (size > 1) {
      unindent();
      line("}");
    }
  }
  line("hd::mbarrierFenceInit();");
  declareUnkept();
  unindent();
  line("}");
  line("hd::ctaSync();");
  if (cluster > 1) // before a block fills or arrives in another
    line("hd::clusterSync();");
  line("");
}
