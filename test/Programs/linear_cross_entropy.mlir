// Loss of a language model's head without its logits in memory: blocks of the vocabulary, each a product over the
// width, with running maximum and sum.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
!x = !tile.view<?x?xbf16>
!L = tensor<64x128xf32>
!r = tensor<64xf32>
tile.kernel @lce(%X: !x {tile.name = "X", tile.dims = ["M", "D"]},
                 %W: !x {tile.name = "W", tile.dims = ["V", "D"]},
                 %Y: !tile.view<?xi32> {tile.name = "Y", tile.dims = ["M"]},
                 %Loss: !tile.view<?xf32> {tile.name = "Loss", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 100, V = 300, D = 128}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %X, 0 : !x
  %D = tile.dim %X, 1 : !x
  %V = tile.dim %W, 0 : !x
  %g = arith.ceildivui %M, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %y = tile.load %Y[%m] : !tile.view<?xi32> -> tensor<64xi32>
  %y2 = tile.broadcast %y axis 1 : tensor<64xi32> -> tensor<64x128xi32>
  %z = arith.constant dense<0.0> : !L
  %ninf2 = arith.constant dense<0xFF800000> : !L
  %ninf = arith.constant dense<0xFF800000> : !r
  %z1 = arith.constant dense<0.0> : !r
  %cols = tile.iota : tensor<128xi32>
  %V32 = arith.index_cast %V : index to i32
  %Vt = tensor.splat %V32 : tensor<64x128xi32>
  %mx, %sum, %hit = scf.for %v = %c0 to %V step %c128 iter_args(%a = %ninf, %b = %z1, %c = %z1) -> (!r, !r, !r) {
    %lg = scf.for %k = %c0 to %D step %c64 iter_args(%acc = %z) -> (!L) {
      %x = tile.load %X[%m, %k] : !x -> tensor<64x64xbf16>
      %w = tile.load %W[%v, %k] : !x -> tensor<128x64xbf16>
      %wt = tile.transpose %w : tensor<128x64xbf16> -> tensor<64x128xbf16>
      %n = tile.dot %x, %wt, %acc : tensor<64x64xbf16>, tensor<64x128xbf16>, !L
      scf.yield %n : !L
    }
    %v32 = arith.index_cast %v : index to i32
    %vs = tensor.splat %v32 : tensor<128xi32>
    %ids = arith.addi %cols, %vs : tensor<128xi32>
    %ids2 = tile.broadcast %ids axis 0 : tensor<128xi32> -> tensor<64x128xi32>
    %in = arith.cmpi slt, %ids2, %Vt : tensor<64x128xi32>
    %l = arith.select %in, %lg, %ninf2 : tensor<64x128xi1>, !L
    %rm = tile.reduce "max" %l axis 1 : !L -> !r
    %mn = arith.maximumf %a, %rm : !r
    %mb = tile.broadcast %mn axis 1 : !r -> !L
    %d = arith.subf %l, %mb : !L
    %e = math.exp %d : !L
    %es = tile.reduce "add" %e axis 1 : !L -> !r
    %da = arith.subf %a, %mn : !r
    %al = math.exp %da : !r
    %b1 = arith.mulf %b, %al : !r
    %b2 = arith.addf %b1, %es : !r
    %is = arith.cmpi eq, %ids2, %y2 : tensor<64x128xi32>
    %own = arith.select %is, %lg, %z : tensor<64x128xi1>, !L
    %os = tile.reduce "add" %own axis 1 : !L -> !r
    %c2 = arith.addf %c, %os : !r
    scf.yield %mn, %b2, %c2 : !r, !r, !r
  }
  %ls = math.log %sum : !r
  %lse = arith.addf %mx, %ls : !r
  %loss = arith.subf %lse, %hit : !r
  tile.store %loss, %Loss[%m] : !r, !tile.view<?xf32>
  tile.return
}
