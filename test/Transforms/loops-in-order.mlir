// Loops with products that are not scheduled, and the warnings that say so: a branch that loads, a number that is
// summed up of memory, which every warp group reads by a loop of its own, and a loop that ends when it does.
// RUN: heddle run %s --kernel=branch --device=emulate --interleavings=1 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: heddle run %s --kernel=rows --device=emulate --interleavings=1 2>&1 | FileCheck %s --check-prefix=LOOP
// BRANCH: warning: a loop with products is not scheduled, but runs in the program's order: expected none of scf.if in it
// BRANCH: {{^}}verified
// LOOP: warning: a loop with products is not scheduled, but runs in the program's order: expected none of scf.for in it
// LOOP: {{^}}verified
// RUN: heddle run %s --kernel=until --device=emulate --interleavings=1 2>&1 | FileCheck %s --check-prefix=UNTIL
// UNTIL: warning: a loop with products is not scheduled, but runs in the program's order: expected scf.for, got scf.while
// UNTIL: {{^}}verified
tile.kernel @branch(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                    %D: !tile.view<?x?xf16> {tile.name = "D", tile.dims = ["N", "K"]},
                    %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 64, N = 64, K = 256}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  tile.grid %c1
  %k = tile.dim %A, 1 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%c0, %i] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %first = arith.cmpi slt, %i, %c128 : index
    %b = scf.if %first -> (tensor<64x64xf16>) {
      %x = tile.load %B[%c0, %i] : !tile.view<?x?xf16> -> tensor<64x64xf16>
      scf.yield %x : tensor<64x64xf16>
    } else {
      %x = tile.load %D[%c0, %i] : !tile.view<?x?xf16> -> tensor<64x64xf16>
      scf.yield %x : tensor<64x64xf16>
    }
    %t = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %a, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
tile.kernel @rows(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %G: !tile.view<?xi32> {tile.name = "G", tile.dims = ["K"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "M"]})
    attributes {tile.default_dims = {M = 64, N = 66, K = 256}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %k = tile.dim %A, 1 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %g = tile.load %G[%i] : !tile.view<?xi32> -> tensor<64xi32>
    %all = tile.reduce "add" %g axis 0 : tensor<64xi32> -> tensor<i32>
    %number = tensor.extract %all[] : tensor<i32>
    %odd = arith.remui %number, %c2 : i32
    %row = arith.index_cast %odd : i32 to index
    %a = tile.load %A[%c0, %i] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%row, %i] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %t = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %a, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
tile.kernel @until(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 64, N = 64, K = 256}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %k = tile.dim %A, 1 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %end, %sum = scf.while (%i = %c0, %acc = %zero) : (index, tensor<64x64xf32>) -> (index, tensor<64x64xf32>) {
    %more = arith.cmpi slt, %i, %k : index
    scf.condition(%more) %i, %acc : index, tensor<64x64xf32>
  } do {
  ^bb0(%i: index, %acc: tensor<64x64xf32>):
    %a = tile.load %A[%c0, %i] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%c0, %i] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %t = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %a, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = arith.addi %i, %c64 : index
    scf.yield %next, %s : index, tensor<64x64xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
