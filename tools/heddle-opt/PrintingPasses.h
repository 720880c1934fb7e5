//===- PrintingPasses.h - passes of heddle-opt that print what they find ----===//
//
// Libraries print nothing. What they return as text or numbers, these passes print: each is a thin face of a library,
// and changes no program.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_OPT_PRINTINGPASSES_H
#define HEDDLE_TOOLS_HEDDLE_OPT_PRINTINGPASSES_H

namespace heddle {

/// heddle-emit-cuda, heddle-emit-manifest: print every hw.kernel of the module to standard output.
void registerCUDAPasses();

/// heddle-simulate-warp, heddle-mutants.
void registerSimulatorPasses();

/// heddle-replay-code.
void registerReplayPass();

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_OPT_PRINTINGPASSES_H
