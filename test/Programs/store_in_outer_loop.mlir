// A persistent product: programs take several tiles each, and store two of them of different types and widths in the
// outer loop. The first store of an iteration waits for the copies of the one before.
// RUN: heddle compile %s --emit=warp | FileCheck %s
// CHECK-LABEL: warp.group @compute0
// CHECK: scf.for
// CHECK: arith.truncf
// CHECK: warp.copy_out_wait 0
// CHECK: warp.barrier
// CHECK: warp.write
tile.kernel @persistent(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                        %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                        %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]},
                        %S: !tile.view<?x?xf32> {tile.name = "S", tile.dims = ["M", "N"]},
                        %ctas: index {tile.name = "ctas", tile.default = 2 : index})
    attributes {tile.default_dims = {M = 384, N = 264, K = 160}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %ctas
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c128 : index
  %tiles = arith.muli %gm, %gn : index
  %pid = tile.program_id 0
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  scf.for %t = %pid to %tiles step %ctas {
    %pm = arith.remui %t, %gm : index
    %pn = arith.divui %t, %gm : index
    %m = arith.muli %pm, %c128 : index
    %n = arith.muli %pn, %c128 : index
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
      %next = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    tile.store %c, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
    tile.store %acc, %S[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
  tile.return
}
