//===- Turns.cpp - see Turns.h --------------------------------------------===//
#include "heddle/Analysis/Turns.h"

#include "heddle/Analysis/Instructions.h"

using namespace mlir;
namespace heddle {

scf::ForOp programLoop(tile::KernelOp kernel) {
  for (auto loop : kernel.getBody().front().getOps<scf::ForOp>())
    if (loop->hasAttr(programLoopAttr))
      return loop;
  return {};
}

int64_t turnsOf(tile::KernelOp kernel) {
  scf::ForOp loop = programLoop(kernel);
  auto turns = loop ? loop->getAttrOfType<IntegerAttr>(turnsAttr) : IntegerAttr();
  return turns ? turns.getInt() : 1;
}

} // namespace heddle
