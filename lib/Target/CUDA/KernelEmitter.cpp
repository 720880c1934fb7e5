//===- KernelEmitter.cpp - names and roles of a printed kernel --------------------===//
#include "KernelEmitter.h"

#include "RegisterTilesImpl.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "heddle/Dialect/Warp/Notes.h"
#include "heddle/Machine/Occupancy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

KernelEmitter::KernelEmitter(hw::KernelOp kernel, llvm::raw_ostream &os)
    : EmitContext(os), kernel(kernel), params(kernel), cluster(tile::clusterOf(kernel)) {
  for (const auto &name : params.names())
    used[name.getKey()] = 1;
  kernel.walk([&](hw::TensorMapOp map) {
    if (map->getParentOp() != kernel)
      madeMaps.try_emplace(map, madeMaps.size());
  });
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string KernelEmitter::fresh(StringRef hint) {
  std::string base = identifier(hint);
  if (!tile::isIdentifier(base)) // a value of the program may have the name of a keyword
    base = "v_" + base;
  int count = used[base]++;
  if (!count)
    return base;
  std::string name;
  do
    name = base + std::to_string(count++);
  while (used.count(name));
  used[base] = count;
  used[name] = 1;
  return name;
}

std::string cuda::hintFor(Value value) {
  Operation *op = value.getDefiningOp();
  if (op)
    if (auto note = op->getAttrOfType<StringAttr>(warp::scalarNameAttr))
      return note.str();
  if (StringRef name = tile::sourceName(value); !name.empty())
    return name.str();
  if (!op)
    return "carried";
  if (isa<hw::WgmmaOp>(op))
    return "acc";
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return "row" + reduce.getKind().str();
  StringRef mnemonic = op->getName().getStringRef().rsplit('.').second;
  if (value.getType().isIndex() || value.getType().isInteger())
    return "i";
  // mulf -> mul, truncf -> trunc
  if (isa<arith::ArithDialect>(op->getDialect()) && mnemonic.ends_with("f"))
    mnemonic = mnemonic.drop_back();
  return mnemonic.str();
}

/// The member that an array is called after: what a loop carries, else what a dot accumulates, else the first with a
/// name in the program.
static Value nameGiver(const ArrayClass &array) {
  auto rank = [](Value value) {
    bool named = !tile::sourceName(value).empty();
    bool carried = isa<BlockArgument>(value), product = isa_and_nonnull<hw::WgmmaOp>(value.getDefiningOp());
    return carried && named ? 0 : product ? 1 : named ? 2 : 3;
  };
  return *std::min_element(array.members.begin(), array.members.end(),
                           [&](Value a, Value b) { return rank(a) < rank(b); });
}

std::string KernelEmitter::nameOf(Value value) {
  if (auto known = names.find(value); known != names.end())
    return known->second;
  if (role) {
    if (auto known = arrays.classOf.find(value); known != arrays.classOf.end())
      return arrayNames[known->second];
  }
  if (Operation *def = value.getDefiningOp(); def && isNumber(def)) {
    if (current)
      if (auto differing = current->numbers.find(value); differing != current->numbers.end())
        return atom(number(differing->second, value.getType().isInteger(64) ? "ll" : ""));
    std::string text = literal(cast<arith::ConstantOp>(def).getValue());
    return text[0] == '-' ? "(" + text + ")" : text;
  }
  if (Operation *def = value.getDefiningOp(); def && isKnownTruth(def))
    return cast<BoolAttr>(cast<arith::ConstantOp>(def).getValue()).getValue() ? "true" : "false";
  if (auto arg = dyn_cast<BlockArgument>(value); arg && arg.getOwner()->getParentOp() == kernel)
    return params.scalarOf(value);
  if (auto dim = value.getDefiningOp<tile::DimOp>())
    return params.sizeOf(dim.getView(), dim.getDim());
  if (auto id = value.getDefiningOp<tile::ProgramIdOp>())
    return "program" + std::to_string(id.getDim());
  if (value.getDefiningOp<tile::ClusterRankOp>())
    return "clusterRank";
  if (auto count = value.getDefiningOp<tile::NumProgramsOp>())
    return "static_cast<int>(gridDim." + std::string(1, "xyz"[count.getDim()]) +
           (count.getDim() == 0 ? perCluster() : "") + ")";
  if (auto view = value.getDefiningOp<hw::ViewOp>())
    return nameOf(view.getSource());
  return names[value] = fresh(hintFor(value));
}

/// The launch has the blocks of a cluster beside each other along dimension x.
std::string KernelEmitter::perCluster() const { return cluster > 1 ? " / " + std::to_string(cluster) : ""; }

std::string KernelEmitter::number(ArrayRef<int64_t> values, StringRef suffix) {
  int64_t first = values[0], step = values.size() > 1 ? values[1] - first : 0;
  auto literal = [&](int64_t value) { return std::to_string(value) + suffix.str(); };
  bool affine = true;
  for (auto [member, value] : llvm::enumerate(values))
    affine &= value == first + step * static_cast<int64_t>(member);
  if (affine && !step)
    return literal(first);
  if (affine && step == -1 && first)
    return literal(first) + " - group";
  if (affine)
    return (first ? literal(first) + " + " : "") + (step == 1 ? "" : literal(step) + " * ") + "group";
  std::string text = literal(values.back());
  while (values.size() > 1 && values.back() == values[values.size() - 2])
    values = values.drop_back();
  for (size_t member = values.size() - 1; member-- > 0;)
    text = "group == " + std::to_string(member) + " ? " + literal(values[member]) + " : " + text;
  return "(" + text + ")";
}

SmallVector<Value> KernelEmitter::inEachGroup(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result || !current)
    return {value};
  SmallVector<Value> values;
  for (size_t member = 0; member < current->members.size(); ++member)
    values.push_back(current->twin(result.getOwner(), member)->getResult(result.getResultNumber()));
  return values;
}

/// Bytes from the storage of `tile` to its corner.
std::string KernelEmitter::byteOffset(Value tile) {
  auto offset = [](Value value) {
    auto type = cast<hw::TileType>(value.getType());
    return type.getByteOffset(type.getRowOffset(), type.getColOffset());
  };
  return number(llvm::map_to_vector(inEachGroup(tile), offset));
}

SmemTile KernelEmitter::smemTileOf(Value value) {
  auto type = cast<hw::TileType>(value.getType());
  SmemTile tile;
  tile.base = nameOf(value);
  tile.rows = type.getRows();
  tile.cols = type.getCols();
  tile.elemBytes = type.getElementBytes();
  tile.swizzleBytes = type.getSwizzle();
  tile.chunked = type.getSwizzle() != 0;
  tile.pitchBytes = tile.chunked ? type.getSwizzle() : type.getCols() * tile.elemBytes;
  tile.transposed = type.getTransposed();
  if (isCornerInAddress(type)) {
    if (std::string offset = byteOffset(value); offset != "0")
      tile.base += " + " + offset;
    return tile;
  }
  tile.rowOffset = type.getRowOffset();
  tile.colOffset = type.getColOffset();
  return tile;
}

ViewAccess KernelEmitter::viewOf(Value view) {
  ViewAccess access;
  if (auto window = view.getDefiningOp<tile::WindowOp>()) {
    access.pointer = nameOf(view);
    for (Value size : window.getSizes())
      access.sizes.push_back(nameOf(size));
    for (Value stride : window.getStrides())
      access.strides.push_back(nameOf(stride));
    access.strides.push_back("1");
    return access;
  }
  access.pointer = params.pointerOf(view);
  for (int64_t dim = 0, rank = cast<tile::ViewType>(view.getType()).getRank(); dim < rank; ++dim) {
    access.strides.push_back(params.strideOf(view, dim));
    access.sizes.push_back(params.sizeOf(view, dim));
  }
  return access;
}

std::string KernelEmitter::scratchFor(Operation *) {
  SmallVector<int64_t> places;
  for (hw::RoleOp member : current->members)
    places.push_back(member.getScratch());
  return "(smem + " + number(places) + ")";
}

std::string KernelEmitter::groupBarrier() {
  SmallVector<int64_t> barriers;
  for (hw::RoleOp member : current->members)
    barriers.push_back(member.getBarrier());
  return "hd::barrierSync(" + number(barriers) + ", " + std::to_string(threadsPerWarp * role.getWarps()) + ")";
}

std::string KernelEmitter::barrierOfRoles() {
  int64_t number = 0, warps = 0;
  for (auto other : role->getParentOfType<hw::KernelOp>().getBody().getOps<hw::RoleOp>())
    if (int64_t barrier = other.getBarrier()) {
      number = std::max(number, barrier + 1);
      warps += other.getWarps();
    }
  return "hd::barrierMeet(" + std::to_string(number) + ", " + std::to_string(threadsPerWarp * warps) + ")";
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

FailureOr<std::string> KernelEmitter::captured(llvm::function_ref<LogicalResult()> print) {
  std::string text;
  llvm::raw_string_ostream into(text);
  llvm::raw_ostream *outer = std::exchange(os, &into);
  LogicalResult printed = print();
  os = outer;
  if (failed(printed))
    return failure();
  return text;
}

/// True where `text` has `name` as a word.
static bool mentions(StringRef text, StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isWord(text[at - 1])) && (end == text.size() || !isWord(text[end])))
      return true;
  }
  return false;
}

/// What the members of a class are called together: "compute0" and "compute1" are "compute".
static std::string commonName(const RoleClass &shared) {
  hw::RoleOp first = shared.members.front();
  return identifier(first.getSymName().rtrim("0123456789"));
}

/// Whether one call serves all members: each is a whole warp group, and they follow each other.
bool KernelEmitter::runsOneCode(const RoleClass &shared) {
  bool one = kernel->hasAttr(hw::oneCodeAttr) && shared.members.size() > 1;
  int64_t next = static_cast<int64_t>(hw::RoleOp(shared.members.front()).getWarpgroup());
  for (hw::RoleOp member : shared.members)
    one &= member.getWarps() == warpsPerGroup && static_cast<int64_t>(member.getWarpgroup()) == next++;
  return one;
}

/// A function that serves all members: `group` counts them, everything else that they read are parameters.
LogicalResult KernelEmitter::printFunction(RoleClass &shared, StringRef name) {
  unsigned outer = std::exchange(indentation, 2);
  FailureOr<std::string> body = captured([&] { return printRole(shared); });
  indentation = outer;
  if (failed(body))
    return failure();
  std::string list, arguments;
  for (auto &[type, variable] : variables)
    if (mentions(*body, variable)) {
      list += (list.empty() ? "" : ", ") + type + variable;
      arguments += (arguments.empty() ? "" : ", ") + variable;
    }
  std::string members;
  for (hw::RoleOp member : shared.members)
    members += (members.empty() ? "" : ", ") + member.getSymName().str();
  line("/// What " + commentText(members) + " do; `group` counts them.");
  if (runsOneCode(shared))
    list = "const int group" + (list.empty() ? "" : ", " + list);
  else
    line("template <int group>");
  line("__device__ __forceinline__ void " + name + "(" + list + ") {");
  *os << *body;
  line("}");
  line("");
  calls[&shared] = {name.str(), arguments};
  return success();
}

LogicalResult KernelEmitter::roles() {
  WarpLimits limits;
  if (auto blocks = kernel->getAttrOfType<IntegerAttr>(hw::blocksAttr))
    limits.registerFile /= blocks.getInt();
  int64_t warpgroups = kernel.getThreads() / threadsPerGroup, launched = Occupancy(limits).launchRegisters(warpgroups);
  // Registers move only where some role needs more than the launch gives.
  bool move = llvm::any_of(kernel.getBody().getOps<hw::RoleOp>(),
                           [&](hw::RoleOp op) { return static_cast<int64_t>(op.getRegs()) > launched; });
  for (int64_t wg = 0, next; wg < warpgroups; wg = next) {
    next = wg + 1;
    std::optional<int64_t> registers;
    for (auto op : kernel.getBody().getOps<hw::RoleOp>())
      if (static_cast<int64_t>(op.getWarpgroup()) == wg) {
        next = std::max<int64_t>(next, wg + op.getWarps() / warpsPerGroup);
        registers = registers.value_or(op.getRegs());
      }
    const RoleClass *together = nullptr;
    for (const RoleClass &known : classes)
      if (runsOneCode(known) && static_cast<int64_t>(hw::RoleOp(known.members.front()).getWarpgroup()) == wg)
        together = &known;
    if (together) {
      next = wg + static_cast<int64_t>(together->members.size());
      for (hw::RoleOp member : together->members)
        registers = std::min<int64_t>(*registers, member.getRegs());
    }
    // The last role takes what is left.
    std::string which = next == wg + 1 ? "warpgroup == " + std::to_string(wg)
                        : next == warpgroups
                            ? "warpgroup >= " + std::to_string(wg)
                            : "warpgroup >= " + std::to_string(wg) + " && warpgroup < " + std::to_string(next);
    line((wg ? "} else if (" : "if (") + Twine(which) + ") {");
    indent();
    if (move && registers && *registers != launched)
      line("hd::registers" + Twine(*registers < launched ? "Dec" : "Inc") + "<" + Twine(*registers) + ">();");
    if (together) {
      auto &[name, arguments] = calls[together];
      line(Twine(name) + "(warpgroup - " + Twine(wg) + (arguments.empty() ? "" : ", ") + arguments + ");");
      unindent();
      continue;
    }
    for (auto op : kernel.getBody().getOps<hw::RoleOp>()) {
      if (static_cast<int64_t>(op.getWarpgroup()) != wg)
        continue;
      for (RoleClass &known : classes) {
        auto member = llvm::find(known.members, op);
        if (member == known.members.end())
          continue;
        if (known.members.size() > 1) {
          auto &[name, arguments] = calls[&known];
          line(Twine(name) + "<" + Twine(member - known.members.begin()) + ">(" + arguments + ");");
        } else if (failed(printRole(known))) {
          return failure();
        }
      }
    }
    unindent();
  }
  line("}");
  return success();
}

std::string KernelEmitter::warpInGroup(StringRef warp) {
  if (role.getWarps() == warpsPerGroup)
    return (warp + " % 4").str();
  SmallVector<int64_t> first;
  for (hw::RoleOp member : current->members)
    first.push_back(warpsPerGroup * static_cast<int64_t>(member.getWarpgroup()));
  if (llvm::all_of(first, [](int64_t index) { return index == 0; }))
    return warp.str();
  std::string text = number(first);
  return (warp + " - " + (StringRef(text).contains(" + ") ? "(" + text + ")" : text)).str();
}

void KernelEmitter::withCoordinates(llvm::function_ref<void()> print) {
  if (!kernel->hasAttr(hw::recomputeAttr))
    return print();
  FailureOr<std::string> text = captured([&] {
    print();
    return success();
  });
  if (mentions(*text, "warp"))
    line("const int warp = " + Twine(warpInGroup("hd::warpAgain()")) + ";");
  if (mentions(*text, "lane"))
    line("const int lane = hd::laneAgain();");
  *os << *text;
}

static bool storesTiles(hw::RoleOp role) {
  return role.walk([](hw::TmaStoreOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

LogicalResult KernelEmitter::printRole(RoleClass &shared) {
  current = &shared;
  hw::RoleOp op = role = shared.members.front();
  recomputed = findRecomputed(op);
  FailureOr<ArrayAssignment> assigned = assignArrays(op, recomputed);
  if (failed(assigned))
    return failure();
  arrays = std::move(*assigned);
  sharedLoops = findSharedLoops(op, recomputed, arrays);
  slices = findSlices(op, recomputed, arrays);
  pins = findPins(op, recomputed);
  unbranched = findUnbranched(op, arrays);
  blockEnds = findBlockEnds(op, recomputed, arrays);
  arrayNames.clear();
  declaredBefore.clear();
  lastComment.clear();
  for (auto [index, array] : llvm::enumerate(arrays.classes)) {
    arrayNames.push_back(fresh(hintFor(nameGiver(array))));
    declaredBefore[array.declareBefore].push_back(index);
  }
  if (shared.members.size() == 1)
    line("// " + commentText(op.getSymName()));
  // Beside threads that store: a branch that each warp takes as a whole around the one for its thread, so that nothing
  // of one role is alive in another. (Registers of these warps are the fewest there are.)
  bool shares = op.getSingle() && llvm::any_of(kernel.getBody().getOps<hw::RoleOp>(), [&](hw::RoleOp other) {
                  return other.getSingle() && other.getWarpgroup() == op.getWarpgroup() && storesTiles(other);
                });
  if (shares) {
    line(Twine(op.getWarp() ? "else if" : "if") + " (hd::warpIndex() % 4 == " + Twine(op.getWarp()) + ") {");
    indent();
    line("if (hd::electOne()) {");
    indent();
  } else if (op.getSingle()) {
    line("if (hd::warpIndex() % 4 == " + Twine(op.getWarp()) + " && hd::electOne()) {");
    indent();
  }
  FailureOr<std::string> body = captured([&] { return printBlock(op.getBody().front()); });
  if (failed(body))
    return failure();
  std::string constants;
  for (auto &[text, name] : threadConstants)
    constants += std::string(indentation, ' ') + "const uint32_t " + name + " = " + text + ";\n";
  *body = constants + *body;
  threadConstants.clear();
  bool elected = mentions(*body, "elected");
  if (elected || mentions(*body, "warp")) {
    line("const int warp = " + Twine(warpInGroup("hd::warpIndex()")) + ";");
  }
  if (elected || mentions(*body, "lane"))
    line("const int lane = hd::laneIndex();");
  if (elected)
    line("const bool elected = warp == 0 && lane == 0;");
  if (mentions(*body, "maps")) {
    line("hd::BorrowedMaps<" + Twine(madeMaps.size()) + "> maps(mapPool" + (op.getSingle() ? ");" : ", elected);"));
    beginMaps(op);
  }
  *os << *body;
  for (int open = op.getSingle() + shares; open > 0; --open) {
    unindent();
    line("}");
  }
  current = nullptr;
  role = nullptr;
  return success();
}

LogicalResult KernelEmitter::run(StringRef title) {
  classes = classifyRoles(kernel);
  header(title);
  includes();
  smemMap();
  if (!madeMaps.empty()) {
    line("// Tensor maps that blocks make, of what they find in memory.");
    line("__device__ hd::MapPool<" + Twine(madeMaps.size()) + "> mapPool;");
    line("");
  }
  indent();
  FailureOr<std::string> ids = captured([&] { return programIds(); });
  unindent();
  if (failed(ids))
    return failure();
  collectVariables(*ids);
  llvm::StringMap<int> outside = used;
  for (RoleClass &known : classes)
    if (known.members.size() > 1) {
      if (failed(printFunction(known, fresh(commonName(known)))))
        return failure();
    }
  signature();
  if (kernel.getSmemBytes()) {
    line("extern __shared__ __align__(" + Twine(tileAlignment) + ") char smemBytes[];");
    line("const uint32_t smem = hd::smemAddr(smemBytes);");
  }
  line("const int warpgroup = hd::warpgroupIndex();");
  *os << *ids;
  line("");
  barrierInit();
  if (failed(roles()))
    return failure();
  if (cluster > 1)
    line("hd::clusterSync(); // no block ends while another may still fill its slots or arrive on its barriers");
  unindent();
  line("}");
  return success();
}
