// A column maximum behind a product: the warps exchange 32 KB of partial maxima, which rings have to leave over.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @column_max(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 64 : i64, N = 256 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 256 : index
  %bk = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<64x256xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<256x64xf16>
    %bt = tile.transpose %b : tensor<256x64xf16> -> tensor<64x256xf16>
    %next = tile.dot %a, %bt, %sum : tensor<64x64xf16>, tensor<64x256xf16>, tensor<64x256xf32>
    scf.yield %next : tensor<64x256xf32>
  }
  %max = tile.reduce "max" %acc axis 0 : tensor<64x256xf32> -> tensor<256xf32>
  %all = tile.broadcast %max axis 0 : tensor<256xf32> -> tensor<64x256xf32>
  %d = arith.subf %acc, %all : tensor<64x256xf32>
  %c = arith.truncf %d : tensor<64x256xf32> to tensor<64x256xf16>
  tile.store %c, %C[%m, %n] : tensor<64x256xf16>, !tile.view<?x?xf16>
  tile.return
}
