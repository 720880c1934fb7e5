// Row statistics that a loop carries linearly are reduced over threads behind it: --heddle-defer-reductions.
// REQUIRES: tool-heddle-opt
// RUN: heddle-opt --heddle-defer-reductions %s | FileCheck %s

// A sum that each iteration scales (softmax), beside one that starts somewhere (a sink) and a maximum; each is carried
// for four threads. What enters the second stands in the first of them.
// CHECK-LABEL: tile.kernel @statistics
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: %[[IN:.*]] = tile.broadcast %[[FIRST]] axis 0 : tensor<16xi1> -> tensor<128x16xi1>
// CHECK: %[[SINK:.*]] = arith.select %[[IN]], %{{.*}}, %{{.*}} : tensor<128x16xi1>, tensor<128x16xf32>
// CHECK: %[[LOW:.*]] = tile.broadcast %{{.*}} axis 1 : tensor<128xf32> -> tensor<128x16xf32>
// CHECK: %[[OUT:.*]]:3 = scf.for {{.*}} iter_args(%[[L:.*]] = %{{.*}}, %[[D:.*]] = %[[SINK]], %[[M:.*]] = %[[LOW]]) -> (tensor<128x16xf32>, tensor<128x16xf32>, tensor<128x16xf32>)
// CHECK: tensor.expand_shape %{{.*}} : tensor<128x64xf32> into tensor<128x16x4xf32>
// CHECK: tile.reduce "add" %{{.*}} axis 2 : tensor<128x16x4xf32> -> tensor<128x16xf32>
// CHECK: arith.mulf %[[L]], %{{.*}} : tensor<128x16xf32>
// CHECK: math.fma %{{.*}}, %[[D]], %{{.*}} : tensor<128x16xf32>
// CHECK: arith.maximumf %[[M]], %{{.*}} : tensor<128x16xf32>
// CHECK: scf.yield
// CHECK-DAG: tile.reduce "add" %[[OUT]]#0 axis 1 : tensor<128x16xf32> -> tensor<128xf32>
// CHECK-DAG: tile.reduce "add" %[[OUT]]#1 axis 1 : tensor<128x16xf32> -> tensor<128xf32>
// CHECK-DAG: tile.reduce "max" %[[OUT]]#2 axis 1 : tensor<128x16xf32> -> tensor<128xf32>
tile.kernel @statistics(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>) attributes {tile.default_dims = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %n = tile.dim %x, 1 : !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %half = arith.constant dense<0.5> : tensor<128xf32>
  %low = arith.constant dense<0xFF800000> : tensor<128xf32>
  %l, %d, %m = scf.for %j = %c0 to %n step %c64 iter_args(%li = %zero, %di = %half, %mi = %low)
      -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
    %t = tile.load %x[%c0, %j] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %r = tile.reduce "add" %t axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %s = arith.mulf %li, %half : tensor<128xf32>
    %ln = arith.addf %s, %r : tensor<128xf32>
    %u = tile.reduce "add" %t axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %neg = arith.negf %u : tensor<128xf32>
    %dn = math.fma %half, %di, %neg : tensor<128xf32>
    %q = tile.reduce "max" %t axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %q : tensor<128xf32>
    scf.yield %ln, %dn, %mn : tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
  }
  %a = arith.addf %l, %d : tensor<128xf32>
  %b = arith.addf %a, %m : tensor<128xf32>
  tile.store %b, %y[%c0] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}

// Nothing changes where an iteration needs the whole: a maximum that is read, a sum that is rounded on the way, one
// that is squared, one that is a maximum of sums; or where a reduction is read twice, or none is carried.
// CHECK-LABEL: tile.kernel @whole
// CHECK-NOT: x16xf32>
// CHECK: tile.return
tile.kernel @whole(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>) attributes {tile.default_dims = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %n = tile.dim %x, 1 : !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %low = arith.constant dense<0xFF800000> : tensor<128xf32>
  %res:6 = scf.for %j = %c0 to %n step %c64
      iter_args(%m = %low, %round = %zero, %square = %zero, %most = %zero, %twice = %zero, %last = %zero)
      -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
    %t = tile.load %x[%c0, %j] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %q = tile.reduce "max" %t axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %m, %q : tensor<128xf32>
    %alpha = arith.subf %m, %mn : tensor<128xf32>
    %r0 = tile.reduce "add" %t axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %s0 = arith.addf %round, %r0 : tensor<128xf32>
    %h0 = arith.truncf %s0 : tensor<128xf32> to tensor<128xf16>
    %rn = arith.extf %h0 : tensor<128xf16> to tensor<128xf32>
    %r1 = tile.reduce "add" %t axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %s1 = arith.mulf %square, %square : tensor<128xf32>
    %qn = arith.addf %s1, %r1 : tensor<128xf32>
    %r2 = tile.reduce "add" %t axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mo = arith.maximumf %most, %r2 : tensor<128xf32>
    %r3 = tile.reduce "add" %t axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %s3 = arith.mulf %twice, %r3 : tensor<128xf32>
    %tw = arith.addf %s3, %r3 : tensor<128xf32>
    %la = arith.addf %alpha, %r0 : tensor<128xf32>
    scf.yield %mn, %rn, %qn, %mo, %tw, %la
        : tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
  }
  %a = arith.addf %res#0, %res#1 : tensor<128xf32>
  %b = arith.addf %a, %res#2 : tensor<128xf32>
  %c = arith.addf %b, %res#3 : tensor<128xf32>
  %d = arith.addf %c, %res#4 : tensor<128xf32>
  %e = arith.addf %d, %res#5 : tensor<128xf32>
  tile.store %e, %y[%c0] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}

// What threads hold of a dot's result: pairs of columns, eight apart, so that four threads share a row.
// CHECK-LABEL: tile.kernel @of_dot
// CHECK: scf.for {{.*}} -> (tensor<128x4xf32>)
// CHECK: tile.reduce "add" %{{.*}} axis 1 : tensor<128x8x8xf32> -> tensor<128x8xf32>
// CHECK: tile.reduce "add" %{{.*}} axis 2 : tensor<128x4x2xf32> -> tensor<128x4xf32>
// CHECK: tile.reduce "add" %{{.*}} axis 1 : tensor<128x4xf32> -> tensor<128xf32>
tile.kernel @of_dot(%x: !tile.view<?x?xf16>, %k: !tile.view<?x?xf16>, %y: !tile.view<?xf32>)
    attributes {tile.default_dims = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %n = tile.dim %k, 0 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %q = tile.load %x[%c0, %c0] : !tile.view<?x?xf16> -> tensor<128x64xf16>
  %sum = scf.for %j = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<128xf32>) {
    %t = tile.load %k[%j, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %tt = tile.transpose %t : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %q, %tt, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %r = tile.reduce "add" %d axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %next = arith.addf %s, %r : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  tile.store %sum, %y[%c0] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}
