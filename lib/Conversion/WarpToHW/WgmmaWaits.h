//===- WgmmaWaits.h - waits as ptxas wants them ---------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_WARPTOHW_WGMMAWAITS_H
#define HEDDLE_LIB_CONVERSION_WARPTOHW_WGMMAWAITS_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle {

/// Rewrites the wgmma waits of a role so that ptxas does not serialise its wgmmas. The meaning stays: every wait waits
/// for at least what it waited for.
void adaptWgmmaWaits(hw::RoleOp role);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_WARPTOHW_WGMMAWAITS_H
