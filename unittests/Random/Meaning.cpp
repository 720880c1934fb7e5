//===- Meaning.cpp - a program's inputs and results as files ----------------===//
//
// DIR/tensors.json names the tensors in the kernel's order and the scalars; DIR/<name>.before holds a tensor's elements
// before the run, row by row without padding; DIR/<name>.meaning and .exact hold, as float64, what the program leaves
// in it in its own types and in float64.
//
//===----------------------------------------------------------------------===//
#include "Check.h"

#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Simulator/Functional/TileInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace heddle::sim;
namespace heddle::random_programs {

static bool writeBytes(const std::string &path, const void *data, size_t size) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file.write(static_cast<const char *>(data), size);
  file.close();
  return !error && !file.has_error();
}

static bool writeBefore(const std::string &path, const HostTensor &tensor) {
  int64_t size = elementBytes(tensor.kind());
  std::string bytes;
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    bytes.append(reinterpret_cast<const char *>(tensor.bytes().data()) + tensor.positionOf(i) * size, size);
  return writeBytes(path, bytes.data(), bytes.size());
}

static bool writeAfter(const std::string &path, const HostTensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    int64_t at = tensor.positionOf(i);
    values.push_back(isFloatKind(tensor.kind()) ? tensor.floatAt(at) : static_cast<double>(tensor.intAt(at)));
  }
  return writeBytes(path, values.data(), values.size() * sizeof(double));
}

bool writeMeaning(const std::string &path, const std::string &dir) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context
      .loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return false;
  auto kernel = *module->getOps<tile::KernelOp>().begin();
  Result<Bindings> before = bindKernel(kernel, {});
  if (!before) {
    llvm::errs() << before.error().str() << "\n";
    return false;
  }
  Bindings meaning = *before, exact = before->widened();
  EvaluateOptions wide;
  wide.wide = true;
  if (failed(runTileKernel(kernel, meaning)) || failed(runTileKernel(kernel, exact, wide)))
    return false;
  llvm::json::Array tensors;
  llvm::json::Object scalars;
  bool written = true;
  for (auto [i, argument] : llvm::enumerate(before->arguments)) {
    if (argument.tensor < 0) {
      scalars[argument.name] = argument.scalar.isFloat() ? llvm::json::Value(argument.scalar.floatAt(0))
                                                         : llvm::json::Value(argument.scalar.intAt(0));
      continue;
    }
    const HostTensor &tensor = *before->tensorOf(i);
    tensors.push_back(llvm::json::Object{{"name", argument.name},
                                         {"elem", elementKindName(tensor.kind())},
                                         {"sizes", llvm::json::Array(tensor.sizes())},
                                         {"written", argument.isWritten}});
    std::string file = dir + "/" + argument.name;
    written &= writeBefore(file + ".before", tensor);
    if (argument.isWritten)
      written &= writeAfter(file + ".meaning", *meaning.tensorOf(i)) && writeAfter(file + ".exact", *exact.tensorOf(i));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(llvm::json::Object{{"tensors", std::move(tensors)}, {"scalars", std::move(scalars)}}) << "\n";
  return written && writeBytes(dir + "/tensors.json", text.data(), text.size());
}

} // namespace heddle::random_programs
