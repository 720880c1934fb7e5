//===- Targets.cpp - the targets, by name and by machine file -----------------===//
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Target/TargetInterface.h"

using namespace mlir;
using namespace heddle;

static constexpr llvm::StringLiteral targetAttr = "heddle.target";

namespace {
struct Target {
  const TargetInterface &answers;
  bool (*serves)(const Machine &machine);
};
} // namespace

/// Every target; of those that serve a machine file the first is its.
static ArrayRef<Target> targets() {
  static const Target all[] = {
      {hopperTarget(), [](const Machine &machine) { return machine.memoryCapacity("tmem") == 0; }},
      {blackwellTarget(), [](const Machine &machine) { return machine.memoryCapacity("tmem") > 0; }},
  };
  return all;
}

const TargetInterface &heddle::defaultTarget() { return targets().front().answers; }

const TargetInterface *heddle::findTarget(StringRef name) {
  for (const Target &target : targets())
    if (target.answers.name() == name)
      return &target.answers;
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
  for (const Target &target : targets())
    if (target.serves(machine))
      return target.answers;
  return defaultTarget();
}

void heddle::setTarget(Operation *kernel, const TargetInterface &target) {
  kernel->setAttr(targetAttr, StringAttr::get(kernel->getContext(), target.name()));
}
