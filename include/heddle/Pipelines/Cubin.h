//===- Cubin.h - a kernel's cubin, and what to do where registers are too few ---===//
//
// What:   CUDA text -> cubin. ptxas alone knows which registers a kernel needs. Where it stores more than a few of them
//         in local memory, or serialises products for lack of them, the kernel is made again with the decisions of the
//         list in Cubin.cpp, in its order, and the best of those is kept. Its text says which decisions those are, as
//         a part of a plan, with which it can be made again without nvcc.
// Where:  `heddle compile --emit=cubin`. Not where a plan or a schedule is given: the kernel is what they say.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_PIPELINES_CUBIN_H
#define HEDDLE_PIPELINES_CUBIN_H

#include "heddle/Pipelines/Compiler.h"
#include <functional>

namespace heddle {

/// What nvcc makes of a kernel's text, and what it says.
struct Cubin {
  std::string bytes, log;
};

/// What compiles a kernel's text, in any thread.
using Nvcc = std::function<Result<Cubin>(const std::string &cuda)>;

/// The cubin that `nvcc` makes of `compilation`, which `options` made of `kernel` (null: of a program of a lower
/// level). May replace `compilation`. A warning says what the kernel lacks registers for at last. Errors: those of
/// `nvcc`.
Result<Cubin> makeCubin(tile::KernelOp kernel, const Machine &machine, const CompileOptions &options, const Nvcc &nvcc,
                        Compilation &compilation);

} // namespace heddle

#endif // HEDDLE_PIPELINES_CUBIN_H
