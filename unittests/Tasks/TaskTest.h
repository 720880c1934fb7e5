//===- TaskTest.h - what tests of task programs share -----------------------===//
#ifndef HEDDLE_UNITTESTS_TASKS_TASKTEST_H
#define HEDDLE_UNITTESTS_TASKS_TASKTEST_H

#include "heddle/Dialect/Task/Task.h"
#include "heddle/Machine/Machine.h"
#include "heddle/Pipelines/Compiler.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

namespace heddle::test {

inline const std::string root = HEDDLE_SOURCE_DIR;

/// Every dialect, and the H100.
class TaskTest : public testing::Test {
protected:
  TaskTest() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerHeddleDialects(registry);
    registry.insert<task::TaskDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    if (Result<Machine> loaded = Machine::load(root + "/machines/h100.json"))
      machine = *loaded;
  }

  mlir::MLIRContext context;
  Machine machine;
};

} // namespace heddle::test

#endif // HEDDLE_UNITTESTS_TASKS_TASKTEST_H
