// Blocks that a mask in memory leaves out: the loads and the dot stand in a branch of the loop.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @bsp(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %mask: !tile.view<?x?xi32> {tile.name = "mask", tile.dims = ["GM", "GK"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256, N = 128, K = 256, GM = 2, GK = 4}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bm : index
  %gk = arith.ceildivui %K, %bk : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bm : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %eight = arith.constant 8 : i32
  %acc = scf.for %b = %c0 to %gk step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %ft = tile.load %mask[%pm, %b] : !tile.view<?x?xi32> -> tensor<1x1xi32>
    %f = tensor.extract %ft[%c0, %c0] : tensor<1x1xi32>
    %on = arith.cmpi slt, %f, %eight : i32
    %k = arith.muli %b, %bk : index
    %r = scf.if %on -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %bb = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %bt = tile.transpose %bb : tensor<128x64xf16> -> tensor<64x128xf16>
      %d = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    } else {
      scf.yield %s : tensor<128x128xf32>
    }
    scf.yield %r : tensor<128x128xf32>
  }
  tile.store %acc, %C[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}
