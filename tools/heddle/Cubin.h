//===- Cubin.h - a kernel's cubin, and what to do where registers are too few ---===//
//
// What:   CUDA text -> cubin. ptxas alone knows which registers a kernel needs. Where it stores more than a few of them
//         in local memory, or serialises products for lack of them, the kernel is made again with the decisions of the
//         list in Cubin.cpp, one after the other, and the best of those is kept. Its text says which decisions those
//         are, as a part of a plan, with which it can be made again without nvcc.
// Where:  `heddle compile --emit=cubin`. Not where a plan or a schedule is given: the kernel is what they say.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_CUBIN_H
#define HEDDLE_TOOLS_CUBIN_H

#include "Options.h"

namespace heddle {

/// The cubin of `c`, which `options` made of `kernel` (null: of a program of a lower level); empty without `nvcc`. May
/// replace `c`. What nvcc says of the kernel that is kept goes to stderr.
Result<std::string> cubinFor(tile::KernelOp kernel, const Machine &machine, const CompileOptions &options,
                             const std::string &nvcc, Compilation &c);

} // namespace heddle

#endif // HEDDLE_TOOLS_CUBIN_H
