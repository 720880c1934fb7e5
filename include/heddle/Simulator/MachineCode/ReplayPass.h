//===- ReplayPass.h - see lib/Simulator/MachineCode/ReplayPass.cpp ----------===//
#ifndef HEDDLE_SIMULATOR_MACHINECODE_REPLAYPASS_H
#define HEDDLE_SIMULATOR_MACHINECODE_REPLAYPASS_H

namespace heddle::sim {

void registerReplayPasses();

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_MACHINECODE_REPLAYPASS_H
