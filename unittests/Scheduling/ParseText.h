//===- ParseText.h - a problem from its text, for tests ---------------------===//
#ifndef HEDDLE_UNITTESTS_SCHEDULING_PARSETEXT_H
#define HEDDLE_UNITTESTS_SCHEDULING_PARSETEXT_H

#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

namespace heddle::test {

/// An empty problem, and a failure of the test, where the text is wrong.
inline Problem parse(const std::string &text) {
  Result<Problem> p = parseProblem(text, "f");
  EXPECT_TRUE(p) << p.error().str();
  return p ? *p : Problem();
}

} // namespace heddle::test

#endif // HEDDLE_UNITTESTS_SCHEDULING_PARSETEXT_H
