//===- Gpu.h - from CUDA text to a run on the GPU --------------------------===//
//
// What:   nvcc for `heddle compile --emit=cubin` and `heddle run`, and one run of a compiled kernel through the
//         runtime.
// Needs:  nvcc on the path; the CUDA driver at run time (dlopen), nothing to build. Absent: user errors that say which.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_GPU_H
#define HEDDLE_TOOLS_HEDDLE_GPU_H

#include "heddle/Pipelines/Cubin.h"
#include "heddle/Simulator/Functional/Bindings.h"
#include "heddle_runtime/Driver.h"

#include <map>

namespace heddle {

/// The path of nvcc. User error: `need` (what asks for it) and that there is none.
Result<std::string> findNvcc(const std::string &need);

/// The cubin that nvcc makes of `cuda`. Internal error: it rejects the text, and its messages go to the user.
Result<Cubin> compileCubin(const std::string &nvcc, const std::string &cuda);

/// Where headers of functions that the program calls are looked for: beside its file; where `cuda` has none of these
/// `otherwise`, since what else lies there may be called like a header of the compiler's.
std::string headerDirectory(const std::string &cuda, const std::string &otherwise);

/// Whose fault it is that a compiler rejects `cuda`: ours, unless it includes headers of the program.
ErrorKind rejectionKind(const std::string &cuda);

/// The name of an element type in docs/Manifest.md.
std::string manifestElement(sim::ElementKind kind);

/// The driver and its first device. User error: "no usable GPU: ...".
Result<runtime::Driver *> openGpu(const std::string &library);

struct GpuRun {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<float> milliseconds; ///< of each repeat, ascending; L2 stays warm
};

/// Compiles `cuda` in a directory that is removed again, runs it once on copies of the tensors of `bindings` and writes
/// their bytes back; then times `repeats` more runs on the same copies.
Result<GpuRun> runOnGpu(runtime::Driver &driver, const std::string &nvcc, const std::string &cuda,
                        const std::string &manifest, sim::Bindings &bindings, int repeats);

/// kernel.cu and kernel.json.
struct KernelTexts {
  std::string cuda, manifest;
};

/// The same for a chain, whose chain.json is `manifest`, and its kernels by name; gives the milliseconds of each
/// repeat, ascending.
Result<std::vector<float>> runChainOnGpu(runtime::Driver &driver, const std::string &nvcc, const std::string &manifest,
                                         const std::map<std::string, KernelTexts> &kernels, sim::Bindings &bindings,
                                         int repeats);

/// ": median 0.25 ms, best 0.25 ms of 20 runs" of ascending times, or nothing.
std::string describeTimes(const std::vector<float> &milliseconds);

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_GPU_H
