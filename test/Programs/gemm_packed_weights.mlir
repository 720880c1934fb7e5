// Weights of four bits, eight of a column in a number: few rows of a left operand, which the product takes as columns.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: hd::wgmmaRS<32, hd::f16, hd::f16, 0, 0>
tile.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xi32> {tile.name = "B", tile.dims = ["P", "N"]},
                  %S: !tile.view<?xf16> {tile.name = "S", tile.dims = ["N"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 72, N = 136, K = 128, P = 16}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 32 : index
  %bn = arith.constant 128 : index
  %bk = arith.constant 64 : index
  %c8 = arith.constant 8 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 1 : !tile.view<?x?xi32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %it = tile.iota : tensor<64xi32>
  %seven = arith.constant dense<7> : tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  %r8 = arith.andi %it, %seven : tensor<64xi32>
  %sh = arith.muli %r8, %four : tensor<64xi32>
  %sc = tile.load %S[%n] : !tile.view<?xf16> -> tensor<128xf16>
  %shs = tile.broadcast %sh axis 1 : tensor<64xi32> -> tensor<64x128xi32>
  %f15 = arith.constant dense<15> : tensor<64x128xi32>
  %e8 = arith.constant dense<8> : tensor<64x128xi32>
  %scs = tile.broadcast %sc axis 0 : tensor<128xf16> -> tensor<64x128xf16>
  %zero = arith.constant dense<0.0> : tensor<32x128xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%s0 = %zero) -> (tensor<32x128xf32>) {
    %v1 = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<32x64xf16>
    %kp = arith.divui %k, %c8 : index
    %q = tile.load %B[%kp, %n] : !tile.view<?x?xi32> -> tensor<8x128xi32>
    %b3 = tile.broadcast %q axis 1 : tensor<8x128xi32> -> tensor<8x8x128xi32>
    %w = tensor.collapse_shape %b3 [[0, 1], [2]] : tensor<8x8x128xi32> into tensor<64x128xi32>
    %w1 = arith.shrui %w, %shs : tensor<64x128xi32>
    %w2 = arith.andi %w1, %f15 : tensor<64x128xi32>
    %w3 = arith.subi %w2, %e8 : tensor<64x128xi32>
    %w4 = arith.sitofp %w3 : tensor<64x128xi32> to tensor<64x128xf16>
    %w5 = arith.mulf %w4, %scs : tensor<64x128xf16>
    %v5 = tile.dot %v1, %w5, %s0 : tensor<32x64xf16>, tensor<64x128xf16>, tensor<32x128xf32>
    scf.yield %v5 : tensor<32x128xf32>
  }
  %v6 = arith.truncf %acc : tensor<32x128xf32> to tensor<32x128xf16>
  tile.store %v6, %C[%m, %n] : tensor<32x128xf16>, !tile.view<?x?xf16>
  tile.return
}
