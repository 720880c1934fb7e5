//===- heddle_device/all.h - the whole device library -----------------------------------------===//
#ifndef HEDDLE_DEVICE_ALL_H
#define HEDDLE_DEVICE_ALL_H

#include "heddle_device/cluster/cluster.h"
#include "heddle_device/kernel.h"
#include "heddle_device/thread/counter.h"
#include "heddle_device/thread/tensormap.h"
#include "heddle_device/warpgroup/fold.h"
#include "heddle_device/warpgroup/wgmma.h"

#endif // HEDDLE_DEVICE_ALL_H
