// Rows that numbers name, for products: threads copy them to shared memory (cp.async), where memory is not written and
// rows consist of 16 bytes; the plan keeps them in registers.
// RUN: heddle-opt %s --heddle-select-instructions -split-input-file | FileCheck %s
// RUN: heddle-opt %s --heddle-select-instructions -split-input-file | heddle-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @copied
// CHECK: %[[A:.*]] = tile.gather {{.*}}heddle.copied_by_threads
// CHECK: %[[S:.*]] = warp.stage %[[A]]
// CHECK: warp.dot %[[S]]
tile.kernel @copied(%A: !tile.view<?x?xf16>, %ids: !tile.view<?xi32>, %B: !tile.view<64x?xf16>,
                    %C: !tile.view<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %rows = tile.load %ids[%c0] : !tile.view<?xi32> -> tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %a = tile.gather %A[%c0, %k] rows %rows : !tile.view<?x?xf16>, tensor<64xi32> -> tensor<64x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<64x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %bt, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// -----

// CHECK-LABEL: @written
// CHECK-NOT: copied_by_threads
tile.kernel @written(%A: !tile.view<?x?xf32>, %ids: !tile.view<?xi32>, %B: !tile.view<64x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %K = tile.dim %A, 1 : !tile.view<?x?xf32>
  %rows = tile.load %ids[%c0] : !tile.view<?xi32> -> tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %a = tile.gather %A[%c0, %k] rows %rows : !tile.view<?x?xf32>, tensor<64xi32> -> tensor<64x64xf32>
    %b = tile.load %B[%c0, %k] : !tile.view<64x?xf32> -> tensor<64x64xf32>
    %bt = tile.transpose %b : tensor<64x64xf32> -> tensor<64x64xf32>
    %d = tile.dot %a, %bt, %s : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %A[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

// CHECK-LABEL: @oddRows
// CHECK-NOT: copied_by_threads
tile.kernel @oddRows(%A: !tile.view<?x100xf16>, %ids: !tile.view<?xi32>, %B: !tile.view<64x?xf16>,
                     %C: !tile.view<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %K = tile.dim %B, 1 : !tile.view<64x?xf16>
  %rows = tile.load %ids[%c0] : !tile.view<?xi32> -> tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %a = tile.gather %A[%c0, %k] rows %rows : !tile.view<?x100xf16>, tensor<64xi32> -> tensor<64x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<64x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %bt, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
