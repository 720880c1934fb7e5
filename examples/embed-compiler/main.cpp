// Builds a product of matrices in C++, compiles it for the H100 and prints its schedule and its CUDA text.
#include "heddle/Builder/TileBuilder.h"
#include "heddle/Pipelines/Compiler.h"

#include <cstdio>

using namespace heddle;
using namespace heddle::builder;

int main() {
  mlir::DialectRegistry registry;
  registerHeddleDialects(registry);
  mlir::MLIRContext context(registry);

  KernelBuilder k(context, "product");
  View A = k.view("A", F16, {"M", "K"}), B = k.view("B", F16, {"N", "K"}), C = k.view("C", F32, {"M", "N"});
  k.grid({ceilDiv(C.dim(0), 128), ceilDiv(C.dim(1), 128)});
  Expr m = k.programId(0) * 128, n = k.programId(1) * 128;
  Expr sum = k.loop(0, A.dim(1), 64, k.constant(0.0, F32, {128, 128}), [&](Expr kk, Expr acc) {
    return dot(A.load({m, kk}, {128, 64}), transpose(B.load({n, kk}, {128, 64})), acc);
  });
  C.store(sum, {m, n});
  mlir::OwningOpRef<mlir::ModuleOp> module = k.finish();

  Result<Machine> machine = Machine::find(MACHINES "/h100.json");
  if (!module || !machine) {
    std::fprintf(stderr, "%s\n", machine ? "the program is not valid" : machine.error().str().c_str());
    return 1;
  }
  Compilation made;
  if (failed(compileKernel(*module->getOps<tile::KernelOp>().begin(), *machine, {}, Level::Cuda, made)))
    return 1;
  std::printf("%s\n%s", describeSchedules(made).c_str(), made.cuda.c_str());
}
