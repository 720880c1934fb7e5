//===- heddle_device/kernel.h - what every emitted kernel needs ------------------------------===//
// All of the library but clusters and the widths of wgmma, which a kernel includes one by one.
#ifndef HEDDLE_DEVICE_KERNEL_H
#define HEDDLE_DEVICE_KERNEL_H

#include "heddle_device/cta/barrier.h"
#include "heddle_device/thread/address.h"
#include "heddle_device/thread/convert.h"
#include "heddle_device/thread/copy.h"
#include "heddle_device/thread/fence.h"
#include "heddle_device/thread/fold.h"
#include "heddle_device/thread/functions.h"
#include "heddle_device/thread/math.h"
#include "heddle_device/thread/mbarrier.h"
#include "heddle_device/thread/memory.h"
#include "heddle_device/thread/pin.h"
#include "heddle_device/thread/tma.h"
#include "heddle_device/thread/types.h"
#include "heddle_device/warp/elect.h"
#include "heddle_device/warp/matrix.h"
#include "heddle_device/warp/shuffle.h"
#include "heddle_device/warp/vote.h"
#include "heddle_device/warpgroup/descriptor.h"
#include "heddle_device/warpgroup/registers.h"

#endif // HEDDLE_DEVICE_KERNEL_H
