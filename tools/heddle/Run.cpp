//===- Run.cpp - heddle run ------------------------------------------------===//
#include "Options.h"

using namespace mlir;
namespace heddle {
int runMain() { return fail("the simulator is not linked yet", ExitInternal); }
} // namespace heddle
