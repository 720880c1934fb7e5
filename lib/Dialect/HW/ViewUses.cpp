//===- ViewUses.cpp - what a kernel does with a view, at every level ---------------===//
#include "heddle/Dialect/HW/ViewUses.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/Warp/Warp.h"

using namespace mlir;
using namespace heddle;

ViewUses heddle::usesOf(Value view) {
  ViewUses uses = tile::usesOf(view);
  auto write = [&](bool add) {
    uses.written = true;
    uses.added |= add;
  };
  for (Operation *user : view.getUsers()) {
    if (isa<warp::CopyOp, hw::RowLoadOp, hw::ThreadCopyOp>(user))
      uses.read = true;
    else if (auto copyOut = dyn_cast<warp::CopyOutOp>(user))
      write(copyOut.getKind() == "add");
    else if (auto map = dyn_cast<hw::TensorMapOp>(user))
      for (Operation *copy : map.getResult().getUsers()) {
        if (auto store = dyn_cast<hw::TmaStoreOp>(copy))
          write(store.getAdd());
        else
          uses.read = true;
      }
  }
  return uses;
}
