//===- ReplayPass.h - see lib/Simulator/Timing/ReplayPass.cpp ---------------===//
#ifndef HEDDLE_SIMULATOR_TIMING_REPLAYPASS_H
#define HEDDLE_SIMULATOR_TIMING_REPLAYPASS_H

namespace heddle::sim {

void registerReplayPasses();

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_TIMING_REPLAYPASS_H
