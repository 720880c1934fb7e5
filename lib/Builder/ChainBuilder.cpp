//===- ChainBuilder.cpp - Several kernels as one, from C++ ----------------===//
#include "heddle/Builder/ChainBuilder.h"

#include "heddle/Dialect/Tile/Chain.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::builder;

ChainBuilder::ChainBuilder(MLIRContext &context, const std::string &name, Where where)
    : ProgramBuilder(context, name, tile::ChainOp::getOperationName(), where) {}

void ChainBuilder::add(OwningOpRef<ModuleOp> kernels) {
  broken |= !kernels;
  if (kernels)
    for (Operation &kernel : llvm::make_early_inc_range(*kernels->getBody()))
      kernel.moveBefore(program);
}

View ChainBuilder::workspace(const std::string &name, Element element, std::vector<Operand> sizes, bool zeroed,
                             Where where) {
  setLocation(where);
  SmallVector<int64_t> shape;
  SmallVector<Value> given;
  for (const Operand &size : sizes) {
    shape.push_back(size.expr ? ShapedType::kDynamic : static_cast<int64_t>(size.number));
    if (size.expr)
      given.push_back(size.expr->value());
  }
  return View(this,
              tile::WorkspaceOp::create(builder, current, viewType(element, shape), name, zeroed, ValueRange(given)));
}

void ChainBuilder::launch(const std::string &name, std::vector<Argument> arguments, Where where) {
  setLocation(where);
  auto kernel = module->lookupSymbol<tile::KernelOp>(name); // if there is none, the verifier says so
  ArrayRef<Type> types = kernel ? kernel.getArgumentTypes() : ArrayRef<Type>();
  SmallVector<Value> given;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (auto *view = std::get_if<View>(&argument)) {
      given.push_back(view->value());
      continue;
    }
    bool isScalar = i < types.size() && types[i].isIntOrIndexOrFloat();
    given.push_back(materialize(std::get<Operand>(argument), isScalar ? types[i] : builder.getIndexType()));
  }
  tile::LaunchOp::create(builder, current, name, given);
}
