//===- Task.h - C++ face of the task dialect (see TaskOps.td) --------------===//
#ifndef HEDDLE_DIALECT_TASK_TASK_H
#define HEDDLE_DIALECT_TASK_TASK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "heddle/Dialect/Task/TaskDialect.h.inc"
#include "heddle/Dialect/Task/TaskEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "heddle/Dialect/Task/TaskAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/Task/TaskTypes.h.inc"
#define GET_OP_CLASSES
#include "heddle/Dialect/Task/TaskOps.h.inc"

#endif // HEDDLE_DIALECT_TASK_TASK_H
