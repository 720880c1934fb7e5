// One slot for each ring (`depth = 1`), where the order of loads and of groups matters most.
// REQUIRES: tool-heddle
// RUN: heddle run %s --kernel=chain --depth=1 --device=emulate | FileCheck %s
// RUN: heddle run %s --kernel=both --depth=1 --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle run %s --kernel=both --depth=1 --device=sim | FileCheck %s
// CHECK: verified

// Three groups in turn: one lane of a warp lets the next group go, and may itself come round before its neighbours have
// seen their turn. All lanes of a warp meet where they commit products, which the emulator knows.
tile.kernel @chain(%A: !tile.view<?x?xbf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xbf16> {tile.name = "B", tile.dims = ["H", "K"]},
                   %C: !tile.view<?x?xbf16> {tile.name = "C", tile.dims = ["H", "N"]},
                   %bias: !tile.view<?xf32> {tile.name = "bias", tile.dims = ["H"]},
                   %Y: !tile.view<?x?xf32> {tile.name = "Y", tile.dims = ["M", "N"]})
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

// Loads of two tiles, of which the second would be given back behind the first product of the next iteration but one:
// products end before the next one begins.
tile.kernel @both(%Q: !tile.view<?x64xbf16> {tile.name = "Q", tile.dims = ["M", "D"]},
                  %K: !tile.view<?x64xbf16> {tile.name = "K", tile.dims = ["N", "D"]},
                  %W: !tile.view<?x64xbf16> {tile.name = "W", tile.dims = ["N", "D"]},
                  %U: !tile.view<?x64xbf16> {tile.name = "U", tile.dims = ["M", "D"]},
                  %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "D"]},
                  %Z: !tile.view<?x64xf32> {tile.name = "Z", tile.dims = ["N", "D"]})
  attributes {tile.default_dims = {M = 150 : i64, N = 200 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %M = tile.dim %Q, 0 : !tile.view<?x64xbf16>
  %N = tile.dim %K, 0 : !tile.view<?x64xbf16>
  %gm = arith.ceildivui %M, %bm : index
  tile.grid %gm
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %q = tile.load %Q[%m, %c0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
  %u = tile.load %U[%m, %c0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
  %zs = arith.constant dense<0.0> : tensor<128x128xf32>
  %sc = arith.constant dense<0.05> : tensor<128x128xf32>
  %zo = arith.constant dense<0.0> : tensor<128x64xf32>
  %zz = arith.constant dense<0.0> : tensor<128x64xf32>
  %y = scf.for %n = %c0 to %N step %bn iter_args(%acc = %zo) -> (tensor<128x64xf32>) {
    %k = tile.load %K[%n, %c0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %kt = tile.transpose %k : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %s = tile.dot %q, %kt, %zs : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    %ss = arith.mulf %s, %sc : tensor<128x128xf32>
    %th = math.tanh %ss : tensor<128x128xf32>
    %pe = arith.truncf %th : tensor<128x128xf32> to tensor<128x128xbf16>
    %v = tile.load %W[%n, %c0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %o = tile.dot %pe, %v, %acc : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    %pt = tile.transpose %pe : tensor<128x128xbf16> -> tensor<128x128xbf16>
    %z = tile.dot %pt, %u, %zz : tensor<128x128xbf16>, tensor<128x64xbf16>, tensor<128x64xf32>
    tile.store %z, %Z[%n, %c0] {kind = "add"} : tensor<128x64xf32>, !tile.view<?x64xf32>
    scf.yield %o : tensor<128x64xf32>
  }
  tile.store %y, %Y[%m, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
