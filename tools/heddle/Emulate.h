//===- Emulate.h - the emitted CUDA text, run on the CPU -------------------===//
//
// What:  builds kernel.cu with the host's C++ compiler and runs it thread by thread in the emulator
//        (runtime/emulation).
// Needs: a C++ compiler on the path (c++, g++ or clang++), heddle-emulate beside heddle. Absent: user errors that say
//        which.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_EMULATE_H
#define HEDDLE_TOOLS_HEDDLE_EMULATE_H

#include "heddle/Simulator/Functional/Bindings.h"
#include "llvm/ADT/SmallString.h"

namespace heddle {

class EmulatedKernel {
public:
  /// Builds `cuda` in a directory that goes with this object. Internal error: the compiler rejects the text.
  static Result<std::unique_ptr<EmulatedKernel>> build(const std::string &cuda, const std::string &manifest,
                                                       const std::string &kernelName);
  ~EmulatedKernel();
  EmulatedKernel(const EmulatedKernel &) = delete;

  /// One run on the tensors of `bindings`, in interleaving `order`; gives what ran, as text. Internal error: a fault or
  /// a deadlock in the kernel, with its line in kernel.cu; limit reached: not done in `seconds`.
  Result<std::string> run(sim::Bindings &bindings, unsigned order, unsigned seconds);

private:
  EmulatedKernel() = default;
  llvm::SmallString<128> dir;
  std::string emulator;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_EMULATE_H
