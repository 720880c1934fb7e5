//===- Emulate.cpp - the emitted CUDA text, run on the CPU -----------------===//
#include "Emulate.h"
#include "Gpu.h"

#include "heddle/Support/Resources.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

namespace heddle {

static Result<std::string> findCompiler() {
  for (const char *name : {"c++", "g++", "clang++"})
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
      return *found;
  return userError("--device=emulate: expected a C++ compiler (c++, g++ or clang++) on the path, got none");
}

static Result<std::string> findEmulator() {
  static int anchor; // any address of this program
  std::string folder = llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable("heddle", &anchor)).str();
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("heddle-emulate", {folder});
  if (!found)
    return userError("--device=emulate: expected heddle-emulate in '" + folder + "', got none");
  return *found;
}

/// Runs a program with its output in files of `dir`; what it wrote to stderr comes back in `errors`.
static int execute(llvm::ArrayRef<llvm::StringRef> args, const std::string &dir, std::string &output,
                   std::string &errors) {
  std::string out = dir + "/stdout", err = dir + "/stderr", message;
  for (const std::string &file : {out, err}) // written to from their start, not emptied
    llvm::sys::fs::remove(file);
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, llvm::StringRef(out), llvm::StringRef(err)};
  int code = llvm::sys::ExecuteAndWait(args[0], args, std::nullopt, redirects, 0, 0, &message);
  if (Result<std::string> text = readFile(out))
    output = *text;
  if (Result<std::string> text = readFile(err))
    errors = *text;
  errors += message;
  while (!errors.empty() && errors.back() == '\n')
    errors.pop_back();
  return code;
}

EmulatedKernel::~EmulatedKernel() { llvm::sys::fs::remove_directories(dir); }

Result<std::unique_ptr<EmulatedKernel>> EmulatedKernel::build(const std::string &cuda, const std::string &manifest,
                                                              const std::string &kernelName) {
  Result<std::string> compiler = findCompiler(), emulator = findEmulator(), include = findResource("device/include");
  if (!compiler)
    return compiler.error();
  if (!emulator)
    return emulator.error();
  if (!include)
    return include.error();
  std::unique_ptr<EmulatedKernel> kernel(new EmulatedKernel);
  kernel->emulator = *emulator;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("heddle", kernel->dir))
    return userError("cannot create a temporary directory: " + error.message());
  std::string dir = kernel->dir.str().str();
  std::string shim =
      "#include \"heddle_emulation/device.h\"\n#include \"kernel.cu\"\nHD_EMULATED_KERNEL(" + kernelName + ")\n";
  for (const Status &status : {writeFile(dir + "/kernel.cu", cuda), writeFile(dir + "/kernel.json", manifest),
                               writeFile(dir + "/kernel.cpp", shim)})
    if (!status)
      return status.error();
  // Instrumented for a sanitizer that is not linked: the emulator sees the text's own accesses
  // (runtime/emulation/Hooks.cpp). Registers begin with a number that no result survives.
  // Headers of functions that the program calls lie beside it.
  std::string ofProgram = headerDirectory(cuda, dir);
  std::string source = dir + "/kernel.cpp", object = dir + "/kernel.o", library = dir + "/kernel.so";
  llvm::StringRef compile[] = {*compiler,
                               "-std=c++20",
                               "-O1",
                               "-fPIC",
                               "-w",
                               "-Wno-psabi",
                               "-ffp-contract=off",
                               "-fsanitize=thread",
                               "-ftrivial-auto-var-init=pattern",
                               "-I",
                               *include,
                               "-I",
                               ofProgram,
                               "-c",
                               source,
                               "-o",
                               object};
  // The kernel's own name is the kernel, whatever else in the process has it (step, send).
  llvm::StringRef link[] = {*compiler, "-shared", "-Wl,-Bsymbolic", object, "-o", library};
  std::string output, errors;
  for (llvm::ArrayRef<llvm::StringRef> args :
       {llvm::ArrayRef<llvm::StringRef>(compile), llvm::ArrayRef<llvm::StringRef>(link)})
    if (execute(args, dir, output, errors) != 0)
      return Error(rejectionKind(cuda), *compiler + " rejects the emitted text:\n" + errors);
  return kernel;
}

Result<std::string> EmulatedKernel::run(sim::Bindings &bindings, unsigned order, unsigned seconds) {
  std::string dir = this->dir.str().str();
  llvm::json::Array tensors;
  llvm::json::Object scalars;
  for (unsigned i = 0; i < bindings.arguments.size(); ++i) {
    const sim::BoundArgument &argument = bindings.arguments[i];
    if (argument.tensor < 0) {
      double number = argument.scalar.isFloat() ? argument.scalar.floatAt(0) : 0;
      if (!argument.scalar.isFloat())
        scalars[argument.name] = argument.scalar.intAt(0);
      else if (std::isfinite(number))
        scalars[argument.name] = number;
      else // JSON has no such numbers
        scalars[argument.name] = std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
      continue;
    }
    const sim::HostTensor &tensor = *bindings.tensorOf(i);
    std::string file = "tensor" + std::to_string(i);
    if (Status status = writeFile(dir + "/" + file, std::string(tensor.bytes().begin(), tensor.bytes().end())); !status)
      return status.error();
    tensors.push_back(llvm::json::Object{{"name", argument.name},
                                         {"elem", manifestElement(tensor.kind())},
                                         {"sizes", llvm::json::Array(tensor.sizes())},
                                         {"strides", llvm::json::Array(tensor.strides())},
                                         {"file", file},
                                         {"written", argument.isWritten}});
  }
  std::string binding;
  llvm::raw_string_ostream(binding) << llvm::json::Value(
      llvm::json::Object{{"tensors", std::move(tensors)}, {"scalars", std::move(scalars)}});
  if (Status status = writeFile(dir + "/binding.json", binding); !status)
    return status.error();
  std::string orderText = std::to_string(order), secondsText = std::to_string(seconds), output, errors;
  int code = execute({emulator, dir, orderText, secondsText}, dir, output, errors);
  if (code != 0)
    return Error(code == 1   ? ErrorKind::User
                 : code == 3 ? ErrorKind::Limit
                             : ErrorKind::Internal,
                 "emulation, interleaving " + orderText + ": " +
                     (errors.empty() ? "ended with " + std::to_string(code) : errors));
  for (unsigned i : bindings.outputs()) {
    Result<std::string> data = readFile(dir + "/tensor" + std::to_string(i) + ".out");
    if (!data)
      return data.error();
    llvm::copy(*data, bindings.tensorOf(i)->bytes().begin());
  }
  return llvm::StringRef(output).trim().str();
}

} // namespace heddle
