// A scalar whose elements are made of each other in many ways, beside a product: each way is computed for itself.
// RUN: not heddle compile %s --emit=tile 2>&1 | FileCheck %s
// CHECK: error: {{.*}}expected a scalar that memory, sizes and arguments decide
// CHECK-SAME: got one that takes more than 16384 operations
tile.kernel @doubled(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                     %x: !tile.view<?xi32> {tile.name = "x", tile.dims = ["N"]},
                     %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "K"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %t0 = tile.load %x[%c0] : !tile.view<?xi32> -> tensor<1xi32>
  %t1 = arith.addi %t0, %t0 : tensor<1xi32>
  %t2 = arith.addi %t1, %t1 : tensor<1xi32>
  %t3 = arith.addi %t2, %t2 : tensor<1xi32>
  %t4 = arith.addi %t3, %t3 : tensor<1xi32>
  %t5 = arith.addi %t4, %t4 : tensor<1xi32>
  %t6 = arith.addi %t5, %t5 : tensor<1xi32>
  %t7 = arith.addi %t6, %t6 : tensor<1xi32>
  %t8 = arith.addi %t7, %t7 : tensor<1xi32>
  %t9 = arith.addi %t8, %t8 : tensor<1xi32>
  %t10 = arith.addi %t9, %t9 : tensor<1xi32>
  %t11 = arith.addi %t10, %t10 : tensor<1xi32>
  %t12 = arith.addi %t11, %t11 : tensor<1xi32>
  %t13 = arith.addi %t12, %t12 : tensor<1xi32>
  %t14 = arith.addi %t13, %t13 : tensor<1xi32>
  %t15 = arith.addi %t14, %t14 : tensor<1xi32>
  %t16 = arith.addi %t15, %t15 : tensor<1xi32>
  %n = tensor.extract %t16[%c0] : tensor<1xi32>
  %m = arith.index_cast %n : i32 to index
  %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c = tile.dot %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %c, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
