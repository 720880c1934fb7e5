// Scalars of 8, 16 and 64 bits from memory, with constants of their types, as coordinates.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @numbers(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "N"]},
                     %B: !tile.view<?xi8> {tile.name = "B", tile.dims = ["P"]},
                     %C: !tile.view<?xi16> {tile.name = "C", tile.dims = ["P"]},
                     %D: !tile.view<?xi64> {tile.name = "D", tile.dims = ["P"]},
                     %R: !tile.view<?x64xf16> {tile.name = "R", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 100, P = 16}} {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x64xf16>
  %programs = arith.ceildivui %M, %rows : index
  tile.grid %programs
  %p = tile.program_id 0
  %m = arith.muli %p, %rows : index
  %b = tile.element %B[%c0] : !tile.view<?xi8> -> i8
  %three = arith.constant 3 : i8
  %b3 = arith.addi %b, %three : i8
  %ib = arith.index_cast %b3 : i8 to index
  %ct = tile.load %C[%c0] : !tile.view<?xi16> -> tensor<8xi16>
  %ones = arith.constant dense<1> : tensor<8xi16>
  %c1 = arith.addi %ct, %ones : tensor<8xi16>
  %c = tensor.extract %c1[%c0] : tensor<8xi16>
  %ic = arith.index_cast %c : i16 to index
  %d = tile.element %D[%p] : !tile.view<?xi64> -> i64
  %minus = arith.constant -2 : i64
  %d2 = arith.addi %d, %minus : i64
  %none = arith.constant 0 : i64
  %dm = arith.maxsi %d2, %none : i64
  %id = arith.index_cast %dm : i64 to index
  %at0 = arith.addi %ib, %ic : index
  %at1 = arith.addi %at0, %id : index
  %a = tile.load %A[%at1, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  tile.store %a, %R[%m, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  tile.return
}
