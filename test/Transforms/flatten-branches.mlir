// Branches beside a product compute both sides, and choose: a load of the side that is not taken is outside of its view,
// a mask becomes one mask, and sides that are the same are one.
// RUN: heddle-opt %s --heddle-flatten-branches | FileCheck %s
// CHECK-LABEL: tile.kernel @both
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: %[[ROW:.*]] = arith.select %[[TAKEN:.*]], %{{.*}}, %{{.*}} : index
// CHECK: tile.load %{{.*}}[%[[ROW]], %{{.*}}]
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64xf32>
// CHECK: arith.ori {{.*}} : tensor<64x64xi1>
// A product in a branch is there to be skipped.
// CHECK-LABEL:
