//===- EmitCUDA.cpp - entry points of the CUDA target ----------------------------===//
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "KernelEmitter.h"
#include "Prepare/Prepare.h"
#include "Prepare/Pressure.h"
#include "Prepare/Residency.h"
#include "RegisterTiles.h"
#include "heddle/Machine/Occupancy.h"

#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace heddle;

/// A hash of the lines that are no comments: they alone decide what nvcc makes.
static uint64_t hashOfCode(StringRef text) {
  std::string code;
  for (StringRef line : llvm::split(text, '\n'))
    if (!line.ltrim().starts_with("//"))
      code += line.str() + "\n";
  return llvm::xxh3_64bits(code);
}

FailureOr<std::string> heddle::emitCUDA(hw::KernelOp kernel, StringRef title) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OwningOpRef<hw::KernelOp> prepared = cuda::prepare(kernel);
  if (failed(checkOwn(*prepared, [&] { return verify(*prepared); })) ||
      failed(cuda::KernelEmitter(*prepared, os).run(title)))
    return failure();
  os << "\n// Ties cubins to this text and to its kernel.json.\nextern \"C\" { __device__ unsigned char "
     << cuda::markPrefix << llvm::format_hex_no_prefix(hashOfCode(text), 16) << "; }\n";
  return text;
}

FailureOr<int64_t> heddle::spareRegisters(hw::KernelOp kernel) {
  OwningOpRef<hw::KernelOp> undrained = cast<hw::KernelOp>(kernel->clone());
  (*undrained)->removeAttr(hw::drainsAttr); // what schedules are chosen by is the same with and without
  OwningOpRef<hw::KernelOp> prepared = cuda::prepare(*undrained);
  int64_t least = std::numeric_limits<int64_t>::max();
  for (auto role : prepared->getBody().getOps<hw::RoleOp>()) {
    cuda::RecomputedTiles recomputed = cuda::findRecomputed(role);
    FailureOr<cuda::ArrayAssignment> arrays = cuda::assignArrays(role, recomputed);
    if (failed(arrays))
      return failure();
    if (!role.getSingle()) // one thread holds no tiles
      least = std::min(least, static_cast<int64_t>(role.getRegs()) - registersBesideTiles -
                                  cuda::tileRegisters(role, recomputed, *arrays));
  }
  return least;
}

int64_t heddle::residentBlocks(hw::KernelOp kernel) { return cuda::residentBlocks(*cuda::prepare(kernel)); }
