// Groups that issue their products one after the other (emulated: lanes of a warp meet at wgmma's fences), with one
// slot of each ring.
// RUN: heddle run %s --depth=1 --device=sim | FileCheck %s
// RUN: heddle run %s --depth=1 --device=emulate --interleavings=2 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @chain(%A: !tile.view<?x?xbf16> {tile.name = "A", tile.dims = ["M", "K"]},
      %B: !tile.view<?x?xbf16> {tile.name = "B", tile.dims = ["H", "K"]},
      %C: !tile.view<?x?xbf16> {tile.name = "C", tile.dims = ["H", "N"]},
      %bias: !tile.view<?xf32> {tile.name = "bias", tile.dims = ["H"]}, %Y: !tile.view<?x?xf32> {tile.name = "Y",
      tile.dims = ["M", "N"]})
  attributes {tile.default_dims = {M = 150 : i64, N = 136 : i64, K = 136 : i64, H = 136 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 192 : index
  %bn = arith.constant 128 : index
  %bk = arith.constant 64 : index
  %bh = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %H = tile.dim %B, 0 : !tile.view<?x?xbf16>
  %N = tile.dim %C, 1 : !tile.view<?x?xbf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %p = tile.program_id 0
  %q = tile.program_id 1
  %m = arith.muli %p, %bm : index
  %n = arith.muli %q, %bn : index
  %zt = arith.constant dense<0.0> : tensor<192x64xf32>
  %zo = arith.constant dense<0.0> : tensor<192x128xf32>
  %y = scf.for %h = %c0 to %H step %bh iter_args(%acc = %zo) -> (tensor<192x128xf32>) {
    %t = scf.for %k = %c0 to %K step %bk iter_args(%s = %zt) -> (tensor<192x64xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<192x64xbf16>
      %b = tile.load %B[%h, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %bt = tile.transpose %b : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %d = tile.dot %a, %bt, %s : tensor<192x64xbf16>, tensor<64x64xbf16>, tensor<192x64xf32>
      scf.yield %d : tensor<192x64xf32>
    }
    %bi = tile.load %bias[%h] : !tile.view<?xf32> -> tensor<64xf32>
    %bb = tile.broadcast %bi axis 0 : tensor<64xf32> -> tensor<192x64xf32>
    %tb = arith.addf %t, %bb : tensor<192x64xf32>
    %r = arith.maximumf %tb, %zt : tensor<192x64xf32>
    %re = arith.truncf %r : tensor<192x64xf32> to tensor<192x64xbf16>
    %c = tile.load %C[%h, %n] : !tile.view<?x?xbf16> -> tensor<64x128xbf16>
    %o = tile.dot %re, %c, %acc : tensor<192x64xbf16>, tensor<64x128xbf16>, tensor<192x128xf32>
    scf.yield %o : tensor<192x128xf32>
  }
  tile.store %y, %Y[%m, %n] : tensor<192x128xf32>, !tile.view<?x?xf32>
  tile.return
}
