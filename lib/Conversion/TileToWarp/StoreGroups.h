//===- StoreGroups.h - groups that copy what loops store --------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TILETOWARP_STOREGROUPS_H
#define HEDDLE_LIB_CONVERSION_TILETOWARP_STOREGROUPS_H

#include "GroupBuilder.h"
#include <set>

namespace heddle {

/// Makes a ring for each store that a group of its own can copy, into `context.handed`. Returns their bytes.
int64_t collectHandedStores(KernelContext &context);

/// Hands `value` to the store group, as iteration `it` of the loop does: acquire, puts, fence, publish.
void putHanded(mlir::OpBuilder &b, const HandedStore &handed, mlir::Location loc, mlir::Value value, mlir::Value it);

/// The compute groups whose stores other groups copy, ascending.
std::set<int64_t> storingGroups(const KernelContext &context);

/// Builds the region of the group that copies what compute group `g` hands it.
void buildStoreGroup(KernelContext &context, warp::GroupOp op, int64_t g);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TILETOWARP_STOREGROUPS_H
