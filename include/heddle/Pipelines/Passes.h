//===- Passes.h - the steps of the compiler as passes of heddle-opt --------===//
#ifndef HEDDLE_PIPELINES_PASSES_H
#define HEDDLE_PIPELINES_PASSES_H

namespace heddle {

/// Registers every pass of the compiler: those of the tile level defined in Passes.cpp, and those that libraries bring.
void registerPasses();

} // namespace heddle

#endif // HEDDLE_PIPELINES_PASSES_H
