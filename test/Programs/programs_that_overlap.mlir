// Tiles are 128 wide and 127 apart: programs of the grid write the same values to a shared column. A persistent CTA
// runs both programs with nothing between their stores, as two CTAs would; that is no race.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @overlap(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                     %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                     %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]},
                     %D: !tile.view<?x?xf16> {tile.name = "D", tile.dims = ["M", "K"]})
    attributes {tile.default_dims = {M = 256, N = 255, K = 128}, plan = {persistent = true}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 127 : index
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
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %c = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  // By the copy engine: every program of a row of the grid writes the same tile.
  %same = tile.load %A[%m, %c0] : !tile.view<?x?xf16> -> tensor<128x64xf16>
  tile.store %same, %D[%m, %c0] : tensor<128x64xf16>, !tile.view<?x?xf16>
  tile.return
}
