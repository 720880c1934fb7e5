// Folds and products take tiles as they are. A transposed product that is only stored stays, one that something else
// reads, and one of what another product makes. What products and operations on elements make of each other is computed
// transposed where more of it is a left operand then.
// RUN: heddle-opt %s --heddle-normalise-transposes | FileCheck %s

// CHECK-LABEL: @transposes
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[B:.*]] = tile.load
// CHECK: %[[X:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: tile.reduce "max" %[[X]] axis 1 : tensor<128x64xf32> -> tensor<128xf32>
// CHECK: %[[AT:.*]] = tile.transpose %[[A]]
// CHECK: tile.dot %[[A]], %[[AT]], %{{.*}} : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
// CHECK: %[[BT:.*]] = tile.transpose %[[B]]
// CHECK: %[[D:.*]] = tile.dot %[[A]], %[[BT]]
// CHECK: %[[E:.*]] = math.exp %[[D]]
// CHECK: tile.reduce "add" %[[E]] axis 1
// CHECK: %[[K:.*]] = tile.dot
// CHECK: %[[KT:.*]] = tile.transpose %[[K]]
// CHECK: arith.addf %[[K]], %[[KT]]
// CHECK: %[[S:.*]] = tile.dot
// CHECK: tile.transpose %[[S]]
// CHECK: %[[P:.*]] = arith.truncf
// CHECK: %[[O:.*]] = tile.dot %[[P]]
// CHECK: %[[OT:.*]] = tile.transpose %[[O]]
// CHECK: math.exp %[[OT]]
tile.kernel @transposes(%A: !tile.view<128x64xf32> {tile.name = "A", tile.dims = ["M", "K"]},
                        %B: !tile.view<128x64xf32> {tile.name = "B", tile.dims = ["M", "K"]},
                        %Y: !tile.view<128xf32> {tile.name = "Y", tile.dims = ["M"]},
                        %Z: !tile.view<128x128xf32> {tile.name = "Z", tile.dims = ["M", "M"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<128x64xf32> -> tensor<128x64xf32>
  %b = tile.load %B[%c0, %c0] : !tile.view<128x64xf32> -> tensor<128x64xf32>
  %x = arith.addf %a, %b : tensor<128x64xf32>
  %xt = tile.transpose %x : tensor<128x64xf32> -> tensor<64x128xf32>
  %max = tile.reduce "max" %xt axis 0 : tensor<64x128xf32> -> tensor<128xf32>
  %at = tile.transpose %a : tensor<128x64xf32> -> tensor<64x128xf32>
  %att = tile.transpose %at : tensor<64x128xf32> -> tensor<128x64xf32>
  %square = tile.dot %att, %at, %zero : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
  tile.store %square, %Z[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32>
  %dt = tile.dot %b, %at, %zero : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
  %d = tile.transpose %dt : tensor<128x128xf32> -> tensor<128x128xf32>
  %e = math.exp %d : tensor<128x128xf32>
  %sum = tile.reduce "add" %e axis 1 : tensor<128x128xf32> -> tensor<128xf32>
  %y = arith.addf %max, %sum : tensor<128xf32>
  tile.store %y, %Y[%c0] : tensor<128xf32>, !tile.view<128xf32>
  %k = tile.dot %b, %at, %zero : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
  %kt = tile.transpose %k : tensor<128x128xf32> -> tensor<128x128xf32>
  %both = arith.addf %k, %kt : tensor<128x128xf32>
  tile.store %both, %Z[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32>
  %s = tile.dot %b, %at, %zero : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
  %st = tile.transpose %s : tensor<128x128xf32> -> tensor<128x128xf32>
  tile.store %st, %Z[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32>
  // of what another product makes
  %p = arith.truncf %both : tensor<128x128xf32> to tensor<128x128xf16>
  %ah = arith.truncf %a : tensor<128x64xf32> to tensor<128x64xf16>
  %zeroO = arith.constant dense<0.0> : tensor<128x64xf32>
  %o = tile.dot %p, %ah, %zeroO : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
  %ot = tile.transpose %o : tensor<128x64xf32> -> tensor<64x128xf32>
  %oe = math.exp %ot : tensor<64x128xf32>
  %rows = tile.reduce "add" %oe axis 0 : tensor<64x128xf32> -> tensor<128xf32>
  tile.store %rows, %Y[%c0] : tensor<128xf32>, !tile.view<128xf32>
  tile.return
}

// The gradient of values, written with scores of queries by keys.
// CHECK-LABEL: @gradient
// CHECK: %[[K:.*]] = tile.load %{{.*}} -> tensor<128x64xf16>
// CHECK: scf.for
// CHECK: %[[Q:.*]] = tile.load %{{.*}} -> tensor<64x64xf16>
// CHECK: %[[QT:.*]] = tile.transpose %[[Q]]
// CHECK: %[[S:.*]] = tile.dot %[[K]], %[[QT]], %{{.*}} : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
// CHECK: %[[L:.*]] = tile.broadcast %{{.*}} axis 0 : tensor<64xf32> -> tensor<128x64xf32>
// CHECK: arith.subf %[[S]], %[[L]] : tensor<128x64xf32>
// CHECK: %[[P:.*]] = arith.truncf
// CHECK-NOT: tile.transpose
// CHECK: tile.dot %[[P]],
tile.kernel @gradient(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                      %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                      %G: !tile.view<?x64xf16> {tile.name = "G", tile.dims = ["S", "D"]},
                      %LSE: !tile.view<?xf32> {tile.name = "LSE", tile.dims = ["S"]},
                      %dV: !tile.view<?x64xf32> {tile.name = "dV", tile.dims = ["T", "D"]}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %T = tile.dim %K, 0 : !tile.view<?x64xf16>
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %programs = arith.ceildivui %T, %c128 : index
  tile.grid %programs
  %p = tile.program_id 0
  %n = arith.muli %p, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %zeroV = arith.constant dense<0.0> : tensor<128x64xf32>
  %k = tile.load %K[%n, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %kt = tile.transpose %k : tensor<128x64xf16> -> tensor<64x128xf16>
  %dv = scf.for %m = %c0 to %S step %c64 iter_args(%sum = %zeroV) -> (tensor<128x64xf32>) {
    %q = tile.load %Q[%m, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %g = tile.load %G[%m, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %lse = tile.load %LSE[%m] : !tile.view<?xf32> -> tensor<64xf32>
    %s = tile.dot %q, %kt, %zero : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    %l = tile.broadcast %lse axis 1 : tensor<64xf32> -> tensor<64x128xf32>
    %x = arith.subf %s, %l : tensor<64x128xf32>
    %e = math.exp2 %x : tensor<64x128xf32>
    %eh = arith.truncf %e : tensor<64x128xf32> to tensor<64x128xf16>
    %et = tile.transpose %eh : tensor<64x128xf16> -> tensor<128x64xf16>
    %next = tile.dot %et, %g, %sum : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store %dv, %dV[%n, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// What is a left operand both ways stays, and what is folded along its rows.
// CHECK-LABEL: @stays
// CHECK: %[[E:.*]] = math.exp2
// CHECK: tile.dot %[[E]]
// CHECK: %[[T:.*]] = tile.transpose %[[E]]
// CHECK: tile.dot %[[T]]
// CHECK: %[[F:.*]] = math.absf
// CHECK: tile.reduce "add" %[[F]] axis 1
// CHECK: tile.transpose %[[F]]
tile.kernel @stays(%Q: !tile.view<64x64xf32> {tile.name = "Q", tile.dims = ["S", "D"]},
                   %Z: !tile.view<64x64xf32> {tile.name = "Z", tile.dims = ["S", "D"]},
                   %Y: !tile.view<64xf32> {tile.name = "Y", tile.dims = ["S"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %q = tile.load %Q[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %s = tile.dot %q, %q, %zero : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  %e = math.exp2 %s : tensor<64x64xf32>
  %o = tile.dot %e, %q, %zero : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  %et = tile.transpose %e : tensor<64x64xf32> -> tensor<64x64xf32>
  %p = tile.dot %et, %q, %o : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %p, %Z[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  %t = tile.dot %q, %q, %zero : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  %u = math.absf %t : tensor<64x64xf32>
  %sum = tile.reduce "add" %u axis 1 : tensor<64x64xf32> -> tensor<64xf32>
  tile.store %sum, %Y[%c0] : tensor<64xf32>, !tile.view<64xf32>
  %ut = tile.transpose %u : tensor<64x64xf32> -> tensor<64x64xf32>
  %v = tile.dot %ut, %q, %zero : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %v, %Z[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}
