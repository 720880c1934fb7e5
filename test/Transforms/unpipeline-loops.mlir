// Loops that are pipelined by hand become sequential ones.
// RUN: heddle-opt %s --split-input-file --heddle-unpipeline-loops | FileCheck %s

// The product and its load an iteration ahead, counted in blocks; the tile of B a block ahead by itself.
// CHECK-LABEL: tile.kernel @ahead
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}) -> (tensor<64x64xf32>)
// CHECK: %[[AT:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK: tile.load %arg0[%{{.*}}, %[[AT]]]
// CHECK: tile.dot
// CHECK: tile.load %arg1[%[[AT]], %{{.*}}]
// CHECK: tile.dot
// CHECK-NOT: tile.dot
// CHECK: tile.store
tile.kernel @ahead(%A: !tile.view<?x?xf16>, %B: !tile.view<?x64xf16>, %C: !tile.view<?x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %k = tile.dim %A, 1 : !tile.view<?x?xf16>
  %n = arith.ceildivui %k, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a0 = tile.load %A[%c0, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %b0 = tile.load %B[%c0, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %s0 = tile.dot %a0, %a0, %zero {plan = {label = "first"}} : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %s = %s0, %b = %b0)
      -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf16>) {
    %next = arith.addi %i, %c1 : index
    %at = arith.muli %next, %c64 : index
    %a1 = tile.load %A[%c0, %at] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %s1 = tile.dot %a1, %a1, %z {plan = {label = "ahead"}} : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %b1 = tile.load %B[%at, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %t = tile.dot %p, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t, %s1, %b1 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf16>
  }
  %h = arith.truncf %r#0 : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %h, %C[%c0, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  tile.return
}

// -----

// Not what reads another carried value, has another first value, is read behind the loop, is a step too far, is loaded
// from memory that the kernel stores to, or is pinned.
// CHECK-LABEL: tile.kernel @kept
// CHECK: scf.for
// CHECK-SAME: iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
tile.kernel @kept(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %z: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  tile.grid %c1
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %x0 = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<64xf32>
  %x1 = tile.load %x[%c64] : !tile.view<?xf32> -> tensor<64xf32>
  %y0 = tile.load %y[%c0] : !tile.view<?xf32> -> tensor<64xf32>
  %own0 = arith.addf %zero, %x0 : tensor<64xf32>
  %r:7 = scf.for %i = %c0 to %n step %c64 iter_args(%sum = %zero, %own = %own0, %other = %x1, %behind = %x0, %far = %x0,
                                                    %stored = %y0, %pinned = %x0)
      -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>,
          tensor<64xf32>) {
    %next = arith.addi %i, %c64 : index
    %after = arith.addi %i, %c128 : index
    %a = tile.load %x[%next] : !tile.view<?xf32> -> tensor<64xf32>
    %f = tile.load %x[%after] : !tile.view<?xf32> -> tensor<64xf32>
    %s = tile.load %y[%next] : !tile.view<?xf32> -> tensor<64xf32>
    %p = tile.load %x[%next] {plan = {label = "p", stage = 0}} : !tile.view<?xf32> -> tensor<64xf32>
    %o = arith.addf %sum, %a : tensor<64xf32>
    %1 = arith.addf %sum, %own : tensor<64xf32>
    %2 = arith.addf %1, %other : tensor<64xf32>
    %3 = arith.addf %2, %behind : tensor<64xf32>
    %4 = arith.addf %3, %far : tensor<64xf32>
    %5 = arith.addf %4, %stored : tensor<64xf32>
    %6 = arith.addf %5, %pinned : tensor<64xf32>
    tile.store %6, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
    scf.yield %6, %o, %a, %a, %f, %s, %p
        : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  %last = arith.addf %r#0, %r#3 : tensor<64xf32>
  tile.store %last, %z[%c0] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
