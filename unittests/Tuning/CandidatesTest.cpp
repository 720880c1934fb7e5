//===- CandidatesTest.cpp - axes, combinations, plans ----------------------===//
#include "heddle/Tuning/Candidates.h"

#include <gtest/gtest.h>
#include <set>

using namespace heddle;

namespace {
const std::vector<Axis> axes = {{"parameters", "BM", true, {"128", "64"}},
                                {"parameters", "BN", true, {"256", "128", "64"}},
                                {"groups", "", true, {"", "1"}},
                                {"persistent", "", false, {"true", "true", "false"}},
                                {"raster", "", false, {"8", "1"}}};
} // namespace

TEST(Candidates, PlanNamesParametersTogether) {
  EXPECT_EQ(planOf({"64", "128", "1", "true", "8"}, axes),
            "{parameters = {BM = 64, BN = 128}, groups = 1, persistent = true, raster = 8}");
  EXPECT_EQ(planOf({"", "", "", "true", ""}, axes), "{persistent = true}");
  EXPECT_EQ(planOf({"64", "", "", "", ""}, axes), "{parameters = {BM = 64}}");
  EXPECT_EQ(planOf({"", "", "", "", ""}, axes), "{}");
}

TEST(Candidates, ShapesAreEveryCombinationOnce) {
  std::vector<Candidate> shapes = shapesOf(axes);
  EXPECT_EQ(shapes.size(), 2u * 3u * 2u);
  EXPECT_EQ(std::set<Candidate>(shapes.begin(), shapes.end()).size(), shapes.size());
  EXPECT_EQ(shapes.front(), (Candidate{"128", "256", "", "true", "8"})); // as the program is written
  for (const Candidate &shape : shapes)
    EXPECT_EQ(shape[4], "8");
}

TEST(Candidates, OrdersKeepTheShape) {
  Candidate shape = {"64", "128", "1", "true", "8"};
  std::vector<Candidate> orders = ordersOf(shape, axes);
  EXPECT_EQ(orders.size(), 2u * 2u - 1);
  for (const Candidate &order : orders) {
    EXPECT_NE(order, shape);
    EXPECT_EQ(shapeOf(order, axes), (Candidate{"64", "128", "1"}));
  }
  EXPECT_TRUE(ordersOf({"64"}, {{"parameters", "BM", true, {"64", "32"}}}).empty());
}
