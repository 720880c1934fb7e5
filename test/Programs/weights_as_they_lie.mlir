// Weights of 8 bits along the contraction, scaled by rows: they become f16 as they lie and are read turned. Two of them
// are one conversion, and threads exchange none.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle-opt --heddle-prepare-dots --heddle-transpose-computed-operands %s | FileCheck %s --check-prefix=TURNED
// TURNED: arith.extf {{.*}} : tensor<128x64xf8E4M3FN> to tensor<128x64xf16>
// TURNED: arith.mulf {{.*}} : tensor<128x64xf16>
// TURNED: tile.transpose {{.*}} : tensor<128x64xf16> -> tensor<64x128xf16>
// TURNED: tile.dot
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: = hd::widen2<hd::e4m3, hd::f16>(
// CUDA: = hd::mul2(
// CUDA-NOT: hd::barrierSync
// CUDA: descB = hd::descK<128>(
tile.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf8E4M3FN> {tile.name = "B", tile.dims = ["N", "K"]},
                  %S: !tile.view<?xf16> {tile.name = "S", tile.dims = ["N"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 72 : i64, N = 136 : i64, K = 160 : i64}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf8E4M3FN>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %s = tile.load %S[%n] : !tile.view<?xf16> -> tensor<128xf16>
  %scales = tile.broadcast %s axis 0 : tensor<128xf16> -> tensor<64x128xf16>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %t = tile.transpose %b : tensor<128x64xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
    %w = arith.extf %t : tensor<64x128xf8E4M3FN> to tensor<64x128xf16>
    %ws = arith.mulf %w, %scales : tensor<64x128xf16>
    %next = tile.dot %a, %ws, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %c = arith.truncf %sum : tensor<64x128xf32> to tensor<64x128xf16>
  tile.store %c, %C[%m, %n] : tensor<64x128xf16>, !tile.view<?x?xf16>
  tile.return
}
