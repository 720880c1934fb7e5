// 16 rows grow to the 64 of a product, and 16 columns stay, though both have their positions from one operation.
// RUN: heddle compile %s --emit=tile | FileCheck %s
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
// CHECK-DAG: tile.iota {{.*}}: tensor<64xi32>
// CHECK-DAG: tile.iota {{.*}}: tensor<16xi32>
// CHECK-DAG: tile.dot {{.*}} tensor<64x16xf32>
// CHECK: tile.store {{.*}}extent = array<i64: 16, 16>
tile.kernel @lower(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 40, N = 48}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = tile.dim %A, 0 : !tile.view<?x64xf16>
  %n = tile.dim %B, 0 : !tile.view<?x64xf16>
  %grid = arith.ceildivui %m, %c16 : index
  tile.grid %grid
  %p = tile.program_id 0
  %i = arith.muli %p, %c16 : index
  %a = tile.load %A[%i, %c0] : !tile.view<?x64xf16> -> tensor<16x64xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %positions = tile.iota : tensor<16xi32>
  %first = arith.index_cast %i : index to i32
  %firsts = tensor.splat %first : tensor<16xi32>
  %rows = arith.addi %positions, %firsts : tensor<16xi32>
  %rowsOf = tile.broadcast %rows axis 1 : tensor<16xi32> -> tensor<16x16xi32>
  scf.for %j = %c0 to %n step %c16 {
    %b = tile.load %B[%j, %c0] : !tile.view<?x64xf16> -> tensor<16x64xf16>
    %t = tile.transpose %b : tensor<16x64xf16> -> tensor<64x16xf16>
    %s = tile.dot %a, %t, %zero : tensor<16x64xf16>, tensor<64x16xf16>, tensor<16x16xf32>
    %begin = arith.index_cast %j : index to i32
    %begins = tensor.splat %begin : tensor<16xi32>
    %columns = arith.addi %positions, %begins : tensor<16xi32>
    %columnsOf = tile.broadcast %columns axis 0 : tensor<16xi32> -> tensor<16x16xi32>
    %below = arith.cmpi sge, %rowsOf, %columnsOf : tensor<16x16xi32>
    %kept = arith.select %below, %s, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    tile.store %kept, %C[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
  }
  tile.return
}
