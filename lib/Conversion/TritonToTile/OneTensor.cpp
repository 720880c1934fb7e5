//===- OneTensor.cpp - arguments that are one tensor at the launch -----------===//
//
// What:  see mergeArguments in TritonToTile.h.
// Why:   views of different arguments are different tensors (docs/TileDialect.md). Accesses of one argument keep their
//        order, so that a kernel which changes a tensor in place is right.
//
//===----------------------------------------------------------------------===//
#include "heddle/Conversion/TritonToTile/TritonToTile.h"

using namespace mlir;

namespace heddle::triton {

/// The pointer argument `name`.
static Result<BlockArgument> pointerOf(FuncOp kernel, StringRef name) {
  std::string names;
  for (BlockArgument argument : kernel.getBody().front().getArguments())
    if (isa<PointerType>(argument.getType())) {
      if (argumentName(argument) == name)
        return argument;
      names += (names.empty() ? "'" : ", '") + argumentName(argument) + "'";
    }
  return userError("expected one of the pointers " + (names.empty() ? "(none)" : names) + ", got '" + name.str() + "'");
}

Status mergeArguments(FuncOp kernel, StringRef name, StringRef standIn) {
  Result<BlockArgument> given = pointerOf(kernel, name), taken = pointerOf(kernel, standIn);
  if (!given || !taken)
    return (given ? taken : given).error();
  if (given->getType() != taken->getType())
    return userError("expected '" + name.str() + "' and '" + standIn.str() + "' to have one element type");
  given->replaceAllUsesWith(*taken);
  return Status::success();
}

} // namespace heddle::triton
