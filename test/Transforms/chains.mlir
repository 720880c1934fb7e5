// Element-wise operations that run as one node, and where chains are cut.
// REQUIRES: tool-heddle-opt
// RUN: heddle-opt --heddle-form-chains %s | FileCheck %s --implicit-check-not=heddle.recomputed
// RUN: heddle compile %s --groups=1 --resolution=0 --emit=problem 2>&1 | FileCheck %s --check-prefix=NODES
// RUN: heddle compile %s --groups=1 --resolution=0 --no-chains --emit=problem 2>&1 | FileCheck %s --check-prefix=ALONE

// A mask from iotas is read by two chains: both compute it, no node holds it. What a reduction reads ends a chain, so
// does what the next iteration reads; a sum that is carried is no part of the chain that computes its summand.
// CHECK-LABEL: tile.kernel @cuts
// NODES-LABEL: problem cuts
// NODES: node mulf_select_g0 
// NODES-NOT: node cmpi
// ALONE-LABEL: problem cuts
// ALONE: node cmpi
tile.kernel @cuts(%X: !tile.view<?x?xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                  %Y: !tile.view<?x?xf32> {tile.name = "Y", tile.dims = ["M", "N"]},
                  %Z: !tile.view<?xf32> {tile.name = "Z", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 64, N = 128}} {
  %c0 = arith.constant 0 : index
  %step = arith.constant 64 : index
  %n = tile.dim %X, 1 : !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero1 = arith.constant dense<0.0> : tensor<64xf32>
  %one = tile.dim %X, 0 : !tile.view<?x?xf32>
  %g = arith.ceildivui %one, %step : index
  tile.grid %g
  %p = tile.program_id 0
  %row = arith.muli %p, %step : index
  %iota = tile.iota : tensor<64xi32>
  %rows = tile.broadcast %iota axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %iota axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %sum, %most = scf.for %k = %c0 to %n step %step iter_args(%acc = %zero, %m = %zero1)
      -> (tensor<64x64xf32>, tensor<64xf32>) {
    %x = tile.load %X[%row, %k] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    // CHECK: arith.cmpi {{.*}}heddle.recomputed
    %mask = arith.cmpi sle, %columns, %rows : tensor<64x64xi32>
    // CHECK: arith.mulf {{.*}}heddle.chain = [[MASKED:[0-9]+]]
    %x2 = arith.mulf %x, %x : tensor<64x64xf32>
    // CHECK: arith.select {{.*}}heddle.chain = [[MASKED]]
    %masked = arith.select %mask, %x2, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %r = tile.reduce "max" %masked axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    // Row statistics that need the same reductions: one chain, with two values that leave.
    // CHECK: arith.maximumf {{.*}}heddle.chain = [[ROWS:[0-9]+]]
    %m2 = arith.maximumf %m, %r : tensor<64xf32>
    // CHECK: arith.subf {{.*}}heddle.chain = [[ROWS]]
    %d = arith.subf %m, %m2 : tensor<64xf32>
    // CHECK: math.exp2 {{.*}}heddle.chain = [[ROWS]]
    %e = math.exp2 %d : tensor<64xf32>
    %e2 = tile.broadcast %e axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    // CHECK: arith.mulf {{.*}}heddle.chain = [[SUMMAND:[0-9]+]]
    %scaled = arith.mulf %masked, %e2 : tensor<64x64xf32>
    // CHECK: arith.select {{.*}}heddle.chain = [[SUMMAND]]
    %again = arith.select %mask, %scaled, %x : tensor<64x64xi1>, tensor<64x64xf32>
    // CHECK-NOT: arith.addf {{.*}}heddle.chain = [[SUMMAND]]
    // CHECK: arith.addf {{.*}}heddle.chain
    %acc2 = arith.addf %acc, %again : tensor<64x64xf32>
    scf.yield %acc2, %m2 : tensor<64x64xf32>, tensor<64xf32>
  }
  tile.store %sum, %Y[%row, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.store %most, %Z[%row] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
