//===- HWPrinter.cpp - hw ops as calls of the device library ---------------------===//
//
// What:   one operation of the hw dialect -> one call of the device library (device/include), as text.
// Where:  KernelEmitter.h says which file prints what. Names, arrays and places are decided before (Prepare).
//
//===----------------------------------------------------------------------===//
#include "KernelEmitter.h"
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Target/Hopper/PtxasRules.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

/// `address` and a number as text. A negative number is subtracted: nvcc warns of one that is made unsigned.
static std::string plus(const std::string &address, StringRef number) {
  if (number == "0")
    return address;
  bool negative = number.consume_front("-");
  return address + (negative ? " - " : " + ") + number.str();
}

std::string KernelEmitter::barAt(Value bars, Value slot) {
  std::string text = "smem + " + nameOf(bars), index = atom(nameOf(slot));
  if (current)
    if (auto places = current->numbers.find(bars); places != current->numbers.end()) {
      llvm::SmallVector<int64_t> apart(places->second);
      for (int64_t first = apart.front(); int64_t &place : apart)
        place -= first;
      text = plus(text, number(apart));
    }
  if (index != "0")
    text += " + 8 * " + index;
  return text;
}

std::string KernelEmitter::coords(ValueRange values) {
  std::string text;
  for (Value value : values)
    text += ", " + nameOf(value);
  return text;
}

void KernelEmitter::fenceOperands(ValueRange values) {
  llvm::SmallVector<std::string> done;
  for (Value value : values) {
    std::string name = nameOf(value);
    if (llvm::is_contained(done, name))
      continue;
    done.push_back(name);
    line("hd::fenceOperand(" + Twine(name) + ");");
  }
}

static std::string plus(std::string base, int64_t offset) {
  return offset ? base + " + " + std::to_string(offset) : base;
}

static bool isElected(Operation *op) {
  return op && isa<hw::ExpectTxOp, hw::TmaLoadOp, hw::RowLoadOp, hw::TmaStoreOp, hw::TmaCommitOp, hw::TmaWaitOp>(op);
}

/// One thread issues; in a role of four warps, always the same one, and a run of such ops is one block.
void KernelEmitter::printTma(Operation *op, const std::string &call) {
  bool first = !role.getSingle() && !isElected(op->getPrevNode()),
       last = !role.getSingle() && !isElected(op->getNextNode());
  if (first) {
    line("if (elected)" + Twine(last ? "" : " {"));
    indent();
  }
  line(call);
  if (last) {
    unindent();
    if (!first)
      line("}");
  }
}

std::string KernelEmitter::madeMapAt(hw::TensorMapOp map) {
  return numberOf<hw::TensorMapOp>(map, [&](hw::TensorMapOp twin) { return madeMaps.at(twin); });
}

static int64_t elementBytes(hw::TensorMapOp map) {
  return map.getView().getType().getElementType().getIntOrFloatBitWidth() / 8;
}

/// What maps of windows keep stands before all else that their thread does: it is written while others still wait.
void KernelEmitter::beginMaps(hw::RoleOp op) {
  op.walk([&](hw::TensorMapOp map) {
    if (!madeMaps.count(map))
      return;
    std::string box;
    for (int64_t extent : map.getBox())
      box += (box.empty() ? "" : ", ") + std::to_string(extent);
    line("maps.begin<" + Twine(elementBytes(map)) + ", " + Twine(map.getSwizzle()) + ">(" + madeMapAt(map) + ", " +
         scratchFor(map) + ", {" + box + "});");
  });
}

/// Of windows, by the thread that copies with them: a run of maps is written to memory together.
void KernelEmitter::printMap(hw::TensorMapOp map) {
  ViewAccess view = viewOf(map.getView());
  std::string sizes, strides, numbers;
  for (const std::string &size : llvm::reverse(view.sizes))
    sizes += (sizes.empty() ? "" : ", ") + size;
  for (const std::string &stride : llvm::reverse(ArrayRef(view.strides).drop_back()))
    strides += (strides.empty() ? "" : ", ") + ("int64_t(" + Twine(stride) + ") * " + Twine(elementBytes(map))).str();
  printTma(map, "maps.prepare(" + madeMapAt(map) + ", " + scratchFor(map) + ", " + view.pointer + ", hd::MapShape<" +
                    std::to_string(map.getBox().size()) + ">{{" + sizes + "}, {" + strides + "}});");
  if (isa_and_nonnull<hw::TensorMapOp>(map->getNextNode()))
    return;
  for (Operation *op = map; auto made = dyn_cast_or_null<hw::TensorMapOp>(op); op = op->getPrevNode())
    numbers = ", " + madeMapAt(made) + numbers;
  printTma(map, "maps.publish(" + scratchFor(map) + numbers + ");");
}

std::string KernelEmitter::mapAt(Value value) {
  auto map = value.getDefiningOp<hw::TensorMapOp>();
  if (!madeMaps.count(map))
    return "&" + params.mapOf(value);
  return "maps[" + madeMapAt(map) + "]";
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// Bytes from a tile's descriptor to that of k-step `k` as an expression of a loop variable, or of 64-row block /
/// column block number `block` as a number.
namespace {
struct OperandSteps {
  bool mnMajor;
  int64_t swizzle, rows;

  OperandSteps(hw::TileType tile, bool isB)
      : mnMajor(isB != tile.getTransposed()), swizzle(tile.getSwizzle()), rows(tile.getRows()) {}

  std::string kStep(const std::string &k, int64_t steps, int64_t elementBytes) const {
    if (steps == 1)
      return "0";
    if (mnMajor) // 32 bytes of K are 32 / elementBytes rows
      return std::to_string(32 / elementBytes * swizzle) + " * " + k;
    int64_t perChunk = swizzle / 32;
    if (perChunk == 1)
      return std::to_string(rows * swizzle) + " * " + k;
    std::string inChunk = "32 * " + (steps > perChunk ? "(" + k + " % " + std::to_string(perChunk) + ")" : k);
    return steps > perChunk
               ? std::to_string(rows * swizzle) + " * (" + k + " / " + std::to_string(perChunk) + ") + " + inChunk
               : inChunk;
  }
  /// `extent` elements further along M or N.
  int64_t block(int64_t extent, int64_t elementBytes) const {
    return mnMajor ? extent * elementBytes / swizzle * rows * swizzle : extent * swizzle;
  }
  std::string make(const std::string &address) const {
    std::string width = std::to_string(swizzle);
    return mnMajor ? "hd::descMN<" + width + ">(" + address + ", " + std::to_string(rows) + ")"
                   : "hd::descK<" + width + ">(" + address + ")";
  }
};
} // namespace

/// True for a tile that one copy or one product reads: its address is written there.
static bool isReadOnce(Value tile) {
  while (tile.hasOneUse() && isa<hw::ViewOp>(*tile.getUsers().begin()))
    tile = tile.getUsers().begin()->getResult(0);
  return tile.hasOneUse() && isa<hw::WgmmaOp, hw::TmaLoadOp>(*tile.getUsers().begin());
}

/// Descriptors are made before the fence: nothing may write an input between the fence and the wait.
void KernelEmitter::printDescriptors(hw::WgmmaOp op) {
  auto print = [&](Value operand, bool isB, StringRef hint) -> std::string {
    auto tile = dyn_cast<hw::TileType>(operand.getType());
    if (!tile)
      return "";
    std::string name = fresh(hint);
    std::string address = nameOf(operand), offset = byteOffset(operand);
    if (offset != "0")
      address += " + " + offset;
    if (ptxas::hidesAddress(op, operand))
      address = "hd::opaqueZero() + " + address;
    line("const uint64_t " + Twine(name) + " = " + OperandSteps(tile, isB).make(address) + ";");
    return name;
  };
  std::string a = print(op.getA(), false, "descA");
  descriptors[op] = {a, print(op.getB(), true, "descB")};
}

void KernelEmitter::printWgmmaFence(hw::WgmmaFenceOp op) {
  SmallVector<Value> pinned(op.getValues());
  for (Operation *next = op->getNextNode(); next && !isa<hw::WgmmaCommitOp>(next); next = next->getNextNode()) {
    auto mma = dyn_cast<hw::WgmmaOp>(next);
    if (!mma)
      continue;
    printDescriptors(mma);
    declareArrays(mma);
    declaredBefore.erase(mma);
    if (!mma.getAcc() || arrays.shared(mma.getAcc(), mma.getResult()))
      continue;
    // The accumulator is read again later: the product goes to a copy.
    assign({mma.getResult()}, {mma.getAcc()});
    std::replace(pinned.begin(), pinned.end(), Value(mma.getAcc()), Value(mma.getResult()));
  }
  if (blockEnds.contains(op))
    line("hd::endBlock(smem);");
  fenceOperands(pinned);
  line("hd::wgmmaFence();");
}

LogicalResult KernelEmitter::printWgmma(hw::WgmmaOp op) {
  auto bTile = cast<hw::TileType>(op.getB().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto operandTag = [](Type type) {
    return type.isF32() ? "hd::tf32" : type.isInteger(8) ? "hd::s8" : packedTag(type);
  };
  std::string tag = operandTag(bTile.getElementType());
  bool inRegisters = isa<RankedTensorType>(op.getA().getType());
  Type aElement = inRegisters ? cast<RankedTensorType>(op.getA().getType()).getElementType()
                              : cast<hw::TileType>(op.getA().getType()).getElementType();
  std::string aTag = operandTag(aElement);
  if (tag.empty() || aTag.empty())
    return op.emitOpError("expected f16, bf16, f8, f32 or i8 operands, got ")
           << aElement << " and " << bTile.getElementType();
  if (inRegisters && aElement.isInteger())
    return op.emitOpError("expected i8 operands in shared memory, got ") << op.getA().getType();
  if (!(aElement.isInteger() ? result.getElementType().isInteger(32) : result.getElementType().isF32()))
    return op.emitOpError("expected an accumulator of f32, or of i32 for i8 operands, got ") << result.getElementType();
  if (!descriptors.count(op))
    return op.emitOpError("expected a wgmma_fence before it in its block");

  int64_t bytes = bTile.getElementBytes(), n = op.getN(), steps = bTile.getShape()[0] * bytes / 32;
  int64_t rowBlocks = result.getShape()[0] / 64, colBlocks = result.getShape()[1] / n;
  auto [descA, descB] = descriptors.lookup(op);
  OperandSteps stepsB(bTile, true);
  std::string d = nameOf(op.getResult()), k = steps == 1 ? "0" : "j";
  std::string scale = op.getAcc() ? "1" : steps == 1 ? "0" : "j > 0";
  if (steps > 1) {
    line("#pragma unroll");
    line("for (int j = 0; j < " + Twine(steps) + "; ++j)" + (rowBlocks * colBlocks > 1 ? " {" : ""));
    indent();
  }
  auto advance = [](const std::string &desc, int64_t block, const std::string &step) {
    std::string offset = block ? std::to_string(block) + (step == "0" ? "" : " + " + step) : step;
    return "hd::descAdvance(" + desc + ", " + offset + ")";
  };
  for (int64_t row = 0; row < rowBlocks; ++row)
    for (int64_t col = 0; col < colBlocks; ++col) {
      std::string part = std::to_string(row * colBlocks + col), width = std::to_string(n);
      std::string b = advance(descB, stepsB.block(col * n, bytes), stepsB.kStep(k, steps, bytes));
      std::string transB = stepsB.mnMajor ? "1" : "0";
      if (inRegisters) {
        std::string array = nameOf(op.getA()), args;
        for (int64_t word = 0; word < 4; ++word)
          args += array + "[" + (steps == 1 ? std::to_string(row * 4 + word) : plus("4 * j", row * steps * 4 + word)) +
                  "], ";
        line("hd::wgmmaRS<" + width + ", " + aTag + ", " + tag + ", " + transB + ", " + part + ">(" + d + ", " + args +
             b + ", " + scale + ");");
        continue;
      }
      OperandSteps stepsA(cast<hw::TileType>(op.getA().getType()), false);
      std::string a = advance(descA, stepsA.block(row * 64, bytes), stepsA.kStep(k, steps, bytes));
      line("hd::wgmmaSS<" + width + ", " + aTag + ", " + tag + ", " + (stepsA.mnMajor ? "1" : "0") + ", " + transB +
           ", " + part + ">(" + d + ", " + a + ", " + b + ", " + scale + ");");
    }
  if (steps > 1) {
    unindent();
    if (rowBlocks * colBlocks > 1)
      line("}");
  }
  return success();
}

void KernelEmitter::printWgmmaWait(hw::WgmmaWaitOp op) {
  if (!op.getRetired() && blockEnds.contains(op))
    line("hd::endBlock(smem);");
  if (!op.getRetired())
    line("hd::wgmmaWait<" + Twine(op.getPending()) + ">();");
  // Register operands stay where they are until here.
  SmallVector<Value> values(op.getValues());
  llvm::append_range(values, arrays.retired.lookup(op));
  fenceOperands(values);
}

//===----------------------------------------------------------------------===//
// All hw ops
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::printHW(Operation *op) {
  comment(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](hw::SmemOp smemOp) {
        std::string address = "smem + " + smemConstants[smemOp.getName()];
        std::string apart = numberOf<hw::SmemOp>(smemOp, [&](hw::SmemOp twin) {
          return static_cast<int64_t>(twin.getOffset()) - static_cast<int64_t>(smemOp.getOffset());
        });
        address = plus(address, apart);
        if (smemOp.getSlot() && nameOf(smemOp.getSlot()) != "0")
          address += " + " + std::to_string(smemOp.getStride()) + " * " + atom(nameOf(smemOp.getSlot()));
        if (isReadOnce(smemOp.getResult())) {
          names[smemOp.getResult()] = address;
          return success();
        }
        std::string name = names[smemOp.getResult()] = fresh(smemOp.getName());
        line("const uint32_t " + Twine(name) + " = " + address + ";");
        return success();
      })
      .Case([&](hw::WaitOp wait) {
        line("hd::mbarrierWait(" + barAt(wait.getBars(), wait.getSlot()) + ", " + nameOf(wait.getParity()) + ");");
        return success();
      })
      .Case([&](hw::AdvanceOp advance) {
        std::string slot = names[advance.getNextSlot()] = nameOf(advance.getSlot());
        std::string parity = names[advance.getNextParity()] = nameOf(advance.getParity());
        line("hd::advance<" + Twine(advance.getDepth()) + ">(" + slot + ", " + parity + ");");
        return success();
      })
      .Case([&](hw::ArriveOp arrive) {
        if (arrive.getSync() && !role.getSingle())
          line("hd::warpSync();");
        std::string bar = barAt(arrive.getBars(), arrive.getSlot());
        if (arrive.getCopied()) {
          line("hd::copiesArrive(" + bar + ");");
          return success();
        }
        if (arrive.getCluster()) {
          line("hd::mbarrierArriveCluster<" + Twine(cluster) + ">(" + bar + (role.getSingle() ? ");" : ", lane);"));
          return success();
        }
        line(role.getSingle() ? "hd::mbarrierArrive(" + Twine(bar) + ");"
                              : "hd::mbarrierArriveIf(" + Twine(bar) + ", lane == 0);");
        if (blockEnds.contains(arrive))
          line("hd::endBlock(smem);");
        return success();
      })
      .Case([&](hw::ExpectTxOp expect) {
        printTma(op, "hd::mbarrierExpectTx(" + barAt(expect.getBars(), expect.getSlot()) + ", " +
                         std::to_string(expect.getBytes()) + ");");
        return success();
      })
      .Case([&](hw::TmaLoadOp load) {
        std::string dest = plus(nameOf(load.getDest()), load.getByteOffset()), call = "hd::tmaLoad(", blocks;
        if (std::optional<int64_t> apart = load.getMulticast()) {
          dest += " + " + std::to_string(*apart) + " * clusterRank";
          call = "hd::tmaLoadMulticast(";
          blocks = ", " + std::to_string((1 << cluster) - 1);
        }
        printTma(op, call + dest + ", " + mapAt(load.getMap()) + ", " + barAt(load.getBars(), load.getSlot()) + blocks +
                         coords(load.getCoords()) + ");");
        return success();
      })
      .Case([&](hw::TensorMapOp map) {
        printMap(map);
        return success();
      })
      .Case([&](hw::RowLoadOp load) {
        printTma(op, cuda::rowLoadCall(load, barAt(load.getBars(), load.getSlot()), *this) + ";");
        return success();
      })
      .Case([&](hw::ThreadCopyOp copy) { return cuda::printThreadCopy(copy, *this); })
      .Case([&](hw::TmaStoreOp store) {
        printTma(op, std::string(store.getAdd() ? "hd::tmaStoreAdd(" : "hd::tmaStore(") + mapAt(store.getMap()) + ", " +
                         plus(nameOf(store.getSource()), store.getByteOffset()) + coords(store.getCoords()) + ");");
        return success();
      })
      .Case([&](hw::PutNumberOp put) {
        line("hd::stShared(" + nameOf(put.getDest()) + ", static_cast<uint32_t>(" + nameOf(put.getValue()) + "));");
        return success();
      })
      .Case([&](hw::NumberOp number) {
        std::string name = names[number.getResult()] = fresh(hintFor(number.getResult()));
        std::string load = role.getSingle() ? "hd::ldShared<uint32_t>(" + nameOf(number.getSource()) + ")"
                                            : "hd::ldSharedUniform(" + nameOf(number.getSource()) + ", lane)";
        line("const int " + name + " = static_cast<int>(" + load + ");");
        return success();
      })
      .Case([&](hw::NextProgramOp next) {
        std::string name = names[next.getResult()] = fresh(hintFor(next.getResult()));
        line("const int " + name + " = hd::nextProgram(" + params.counter() + ", " + nameOf(next.getPrograms()) + ");");
        return success();
      })
      .Case([&](hw::TmaCommitOp) {
        printTma(op, "hd::tmaCommit();");
        return success();
      })
      .Case([&](hw::TmaWaitOp wait) {
        printTma(op, (wait.getComplete() ? "hd::tmaWait<" : "hd::tmaWaitRead<") + std::to_string(wait.getPending()) +
                         ">();");
        return success();
      })
      .Case([&](hw::FenceProxyOp fence) {
        line(fence.getGlobal() ? "hd::fenceProxyAsyncGlobal();" : "hd::fenceProxyAsync();");
        return success();
      })
      .Case([&](hw::BarrierOp barrier) {
        line(Twine(barrier.getRoles() ? barrierOfRoles() : groupBarrier()) + ";");
        return success();
      })
      .Case([&](hw::WgmmaFenceOp fence) {
        printWgmmaFence(fence);
        return success();
      })
      .Case([&](hw::WgmmaOp mma) { return printWgmma(mma); })
      .Case([&](hw::WgmmaCommitOp commit) {
        line("hd::wgmmaCommit();");
        if (blockEnds.contains(commit))
          line("hd::endBlock(smem);");
        return success();
      })
      .Case([&](hw::WgmmaWaitOp wait) {
        printWgmmaWait(wait);
        return success();
      })
      .Default([&](Operation *other) {
        return emitErrorOf(ErrorKind::Internal, other) << "no CUDA for " << other->getName();
      });
}
