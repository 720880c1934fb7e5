// Decoding with absorbed latents of 512, whose sums (64 x 512) one warp group has no registers for: two groups compute
// the scores of all heads each, and half of the columns of the result.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=2 | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: Warp groups 1, 2: compute0, compute1
!c = !tile.view<?x?x512xbf16>
!r = !tile.view<?x?x64xbf16>
tile.kernel @latents(%QC: !c {tile.name = "QC", tile.dims = ["B", "H", "L"]},
                      %QR: !r {tile.name = "QR", tile.dims = ["B", "H", "R"]},
                      %C: !c {tile.name = "C", tile.dims = ["B", "T", "L"]},
                      %KR: !r {tile.name = "KR", tile.dims = ["B", "T", "R"]},
                      %O: !c {tile.name = "O", tile.dims = ["B", "H", "L"]})
    attributes {tile.default_dims = {B = 2, H = 64, T = 192}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %B = tile.dim %QC, 0 : !c
  %T = tile.dim %C, 1 : !c
  tile.grid %B
  %b = tile.program_id 0
  %qc = tile.load %QC[%b, %c0, %c0] : !c -> tensor<64x512xbf16>
  %qr = tile.load %QR[%b, %c0, %c0] : !r -> tensor<64x64xbf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %zo = arith.constant dense<0.0> : tensor<64x512xf32>
  %ninf = arith.constant dense<0xFF800000> : tensor<64xf32>
  %zl = arith.constant dense<0.0> : tensor<64xf32>
  %sc = arith.constant dense<0.08> : tensor<64x64xf32>
  %m, %l, %o = scf.for %t = %c0 to %T step %c64
      iter_args(%m0 = %ninf, %l0 = %zl, %o0 = %zo) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x512xf32>) {
    %c = tile.load %C[%b, %t, %c0] : !c -> tensor<64x512xbf16>
    %kr = tile.load %KR[%b, %t, %c0] : !r -> tensor<64x64xbf16>
    %ct = tile.transpose %c : tensor<64x512xbf16> -> tensor<512x64xbf16>
    %krt = tile.transpose %kr : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %s0 = tile.dot %qc, %ct, %z : tensor<64x512xbf16>, tensor<512x64xbf16>, tensor<64x64xf32>
    %s1 = tile.dot %qr, %krt, %s0 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %s = arith.mulf %s1, %sc : tensor<64x64xf32>
    %rm = tile.reduce "max" %s axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %mn = arith.maximumf %m0, %rm : tensor<64xf32>
    %mb = tile.broadcast %mn axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %x = arith.subf %s, %mb : tensor<64x64xf32>
    %p = math.exp %x : tensor<64x64xf32>
    %dm = arith.subf %m0, %mn : tensor<64xf32>
    %a = math.exp %dm : tensor<64xf32>
    %ps = tile.reduce "add" %p axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %l1 = arith.mulf %l0, %a : tensor<64xf32>
    %l2 = arith.addf %l1, %ps : tensor<64xf32>
    %a2 = tile.broadcast %a axis 1 : tensor<64xf32> -> tensor<64x512xf32>
    %o1 = arith.mulf %o0, %a2 : tensor<64x512xf32>
    %ph = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xbf16>
    %o2 = tile.dot %ph, %c, %o1 : tensor<64x64xbf16>, tensor<64x512xbf16>, tensor<64x512xf32>
    scf.yield %mn, %l2, %o2 : tensor<64xf32>, tensor<64xf32>, tensor<64x512xf32>
  }
  %lb = tile.broadcast %l axis 1 : tensor<64xf32> -> tensor<64x512xf32>
  %y = arith.divf %o, %lb : tensor<64x512xf32>
  %yh = arith.truncf %y : tensor<64x512xf32> to tensor<64x512xbf16>
  tile.store %yh, %O[%b, %c0, %c0] : tensor<64x512xbf16>, !c
  tile.return
}
