//===- Try.h - the first error of several steps ends a function ------------===//
#ifndef HEDDLE_SUPPORT_TRY_H
#define HEDDLE_SUPPORT_TRY_H

#include "heddle/Support/Error.h"

/// Where `expr`, a Status, is an error, the calling function, of a Status or a Result, returns it.
#define HEDDLE_TRY(expr)                                                                                               \
  if (::heddle::Status status = (expr); !status)                                                                       \
  return status.error()

#endif // HEDDLE_SUPPORT_TRY_H
