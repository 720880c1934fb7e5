//===- WarpToHW.h - from warp groups and rings to barriers and addresses --------===//
//
// Last lowering before CUDA text. In:  a verified warp.kernel; register tiles get layouts
// here (assignLayouts) unless all have them. Out: an hw.kernel of the same name; no warp op remains.
//
//   warp.aref     -> storage at 1024-aligned offsets, one full and one empty mbarrier per slot
//   acquire/get   -> hw.wait of slot use % depth with parity (use / depth) & 1
//   copy          -> hw.tma_load of one box or several; its bytes are expected just after acquire
//   publish/consumed -> hw.arrive (publish of copies alone: the expect_tx has arrived already)
//   dot, dot_wait -> hw.wgmma groups and counted waits
//   scratch, read, write, copy_out -> addresses, hw.read/write, hw.tma_store
//
// Errors: "infeasible: shared memory ..." and "infeasible: registers ..." say by how much.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_CONVERSION_WARPTOHW_WARPTOHW_H
#define HEDDLE_CONVERSION_WARPTOHW_WARPTOHW_H

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Occupancy.h"

#include "mlir/Support/LogicalResult.h"

namespace heddle {

struct WarpToHWOptions {
  int64_t smemLimit = 0; ///< bytes of dynamic shared memory per CTA; 0: any number
  WarpLimits warps;      ///< of one CTA
};

/// Replaces `kernel` (which is erased) by the hw.kernel it lowers to.
mlir::FailureOr<hw::KernelOp> lowerWarpToHW(warp::KernelOp kernel, const WarpToHWOptions &options = {});

/// Bytes of shared memory that `kernel`, which stays, takes with its rings as deep as they are: everything that
/// lowerWarpToHW places. Nothing where its tiles have no layouts (which the lowering reports).
std::optional<int64_t> sharedMemoryOf(warp::KernelOp kernel);

/// Rules of the hw level that span ops: no warp op remains; storage and barriers lie in shared memory and do not
/// overlap; arrival counts equal the arrivals of a phase; every barrier waited for is arrived at.
mlir::LogicalResult verifyHW(hw::KernelOp kernel);

/// heddle-lower-warp-to-hw, heddle-verify-hw.
void registerWarpToHWPasses();

} // namespace heddle

#endif // HEDDLE_CONVERSION_WARPTOHW_WARPTOHW_H
