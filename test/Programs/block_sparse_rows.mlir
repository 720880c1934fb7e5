// Block-sparse rows times a matrix: bounds of the loop and rows of the right operand come from memory.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @block_sparse_rows(%val: !tile.view<?x64x64xf16> {tile.name = "val", tile.dims = ["NZ", "BM", "BK"]},
    %ptr: !tile.view<?xi32> {tile.name = "ptr", tile.dims = ["R1"]},
    %col: !tile.view<?xi32> {tile.name = "col", tile.dims = ["NZ"]},
    %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
    %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {R1 = 4, NZ = 8, M = 192, K = 256, N = 136}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ptr_0 = tile.dim %ptr, 0 : !tile.view<?xi32>
  %B_1 = tile.dim %B, 1 : !tile.view<?x?xf16>
  %programs = arith.ceildivui %B_1, %c64 : index
  tile.grid %ptr_0, %programs
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %muli = arith.muli %p1, %c64 : index
  %ptr_at = tile.element %ptr[%p0] : !tile.view<?xi32> -> i32
  %andi = arith.andi %ptr_at, %k : i32
  %andi_index = arith.index_cast %andi : i32 to index
  %addi = arith.addi %p0, %c1 : index
  %ptr_at2 = tile.element %ptr[%addi] : !tile.view<?xi32> -> i32
  %andi2 = arith.andi %ptr_at2, %k : i32
  %andi2_index = arith.index_cast %andi2 : i32 to index
  %addi2 = arith.addi %andi_index, %andi2_index : index
  %result = scf.for %i = %andi_index to %addi2 step %c1 iter_args(%carried = %zero) -> (tensor<64x64xf32>) {
    %col_at = tile.element %col[%i] : !tile.view<?xi32> -> i32
    %andi3 = arith.andi %col_at, %k : i32
    %andi3_index = arith.index_cast %andi3 : i32 to index
    %muli2 = arith.muli %andi3_index, %c64 : index
    %val2 = tile.load %val[%i, %c0, %c0] : !tile.view<?x64x64xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%muli2, %muli] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %d = tile.dot %val2, %b, %carried : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %result_h = arith.truncf %result : tensor<64x64xf32> to tensor<64x64xf16>
  %muli3 = arith.muli %p0, %c64 : index
  tile.store %result_h, %C[%muli3, %muli] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}
