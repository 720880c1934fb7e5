// A product in a branch is there to be skipped.
// RUN: heddle-opt %s --heddle-flatten-branches | FileCheck %s
// CHECK: scf.for
// CHECK: scf.if
tile.kernel @skipped
// CHECK: scf.if
// RUN: heddle run %s --kernel=both --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --kernel=both --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
tile.kernel @both(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                  %R: !tile.view<?x64xf32> {tile.name = "R", tile.dims = ["K", "N"]},
                  %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 70, K = 200}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%k, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %first = arith.cmpi eq, %k, %c0 : index
    %e = scf.if %first -> (tensor<64x64xf32>) {
      %r = tile.load %R[%k, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
      %x = arith.addf %d, %r : tensor<64x64xf32>
      scf.yield %x : tensor<64x64xf32>
    } else {
      scf.yield %d : tensor<64x64xf32>
    }
    %late = arith.cmpi sge, %k, %c128 : index
    %f = scf.if %late -> (tensor<64x64xf32>) {
      %mask = arith.cmpf ogt, %e, %zero : tensor<64x64xf32>
      %y = arith.select %mask, %e, %zero : tensor<64x64xi1>, tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    } else {
      scf.yield %e : tensor<64x64xf32>
    }
    %h = scf.if %late -> (tensor<64x64xf32>) {
      %y = arith.addf %f, %f : tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    } else {
      %y = arith.addf %f, %f : tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    scf.yield %h : tensor<64x64xf32>
  }
  tile.store %acc, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}

tile.kernel @skipped(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                     %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                     %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c64
  %p = tile.program_id 0
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%p, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%k, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %first = arith.cmpi eq, %k, %c0 : index
    %e = scf.if %first -> (tensor<64x64xf32>) {
      %x = tile.dot %a, %b, %d : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %x : tensor<64x64xf32>
    } else {
      scf.yield %d : tensor<64x64xf32>
    }
    scf.yield %e : tensor<64x64xf32>
  }
  tile.store %acc, %C[%p, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
