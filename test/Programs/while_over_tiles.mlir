// Persistent GEMM whose queue of tiles is a while loop; the last tile's sum is carried to the end.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @wgemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]},
                  %D: !tile.view<?x128x128xf32> {tile.name = "D", tile.dims = ["P", "DM", "DN"]},
                  %ctas: index {tile.name = "ctas", tile.default = 2 : index})
    attributes {tile.default_dims = {M = 256, N = 256, K = 128, P = 2}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %ctas
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bm : index
  %tiles = arith.muli %gm, %gn : index
  %pid = tile.program_id 0
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %last, %kept = scf.while (%t = %pid, %was = %zero) : (index, tensor<128x128xf32>) -> (index, tensor<128x128xf32>) {
    %more = arith.cmpi slt, %t, %tiles : index
    scf.condition(%more) %t, %was : index, tensor<128x128xf32>
  } do {
  ^bb0(%t: index, %was: tensor<128x128xf32>):
    %pm = arith.remui %t, %gm : index
    %pn = arith.divui %t, %gm : index
    %m = arith.muli %pm, %bm : index
    %n = arith.muli %pn, %bm : index
    %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
      %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
    tile.store %c, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
    %both = arith.addf %acc, %was : tensor<128x128xf32>
    %nt = arith.addi %t, %ctas : index
    scf.yield %nt, %both : index, tensor<128x128xf32>
  }
  tile.store %kept, %D[%pid, %c0, %c0] : tensor<128x128xf32>, !tile.view<?x128x128xf32>
  tile.return
}
