//===- ConvertOperands.h - conversions where layouts meet ------------------------===//
//
// What:      an operand whose layout is not what its operation needs -> hw.convert_layout in front of that operation,
//            once for all of its block. Conversions that would go through shared memory become steps inside the warps
//            where there are such (conversionSteps). Each says what it costs. Vectors change their layouts before that
//            where threads would compute more of them than they need to: in that of their readers, or shared by all
//            threads.
// Where:     the end of assign-layouts, when every tile has a layout.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_WARPTOHW_CONVERTOPERANDS_H
#define HEDDLE_LIB_CONVERSION_WARPTOHW_CONVERTOPERANDS_H

#include "heddle/Dialect/Warp/Warp.h"

namespace heddle {

void convertOperands(warp::GroupOp group);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_WARPTOHW_CONVERTOPERANDS_H
