//===- Targets.cpp - the targets by name --------------------------------------===//
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Target/TargetInterface.h"

using namespace mlir;
using namespace heddle;

static constexpr llvm::StringLiteral targetAttr = "heddle.target";

static ArrayRef<const TargetInterface *> targets() {
  static const TargetInterface *const all[] = {&hopperTarget(), &blackwellTarget()};
  return all;
}

const TargetInterface &heddle::defaultTarget() { return *targets().front(); }

const TargetInterface *heddle::findTarget(StringRef name) {
  for (const TargetInterface *target : targets())
    if (target->name() == name)
      return target;
  return nullptr;
}

const TargetInterface &heddle::targetOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>(targetAttr))
      if (const TargetInterface *target = findTarget(name))
        return *target;
  return defaultTarget();
}

const TargetInterface &heddle::targetOf(const Machine &machine) {
  bool tensorMemory = machine.memoryCapacity("tmem") > 0;
  for (const TargetInterface *target : targets())
    if (target->keepsSumsInMemory() == tensorMemory)
      return *target;
  return defaultTarget();
}

void heddle::setTarget(Operation *kernel, const TargetInterface &target) {
  kernel->setAttr(targetAttr, StringAttr::get(kernel->getContext(), target.name()));
}
