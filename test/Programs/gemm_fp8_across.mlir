// A product of 8-bit floats whose right operand is not contiguous along the contraction: it is turned, by words.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: = hd::ldShared<uint32_t>(
// CUDA: = hd::permuteBytes(
// CUDA: hd::wgmmaSS<{{.*}}hd::e4m3, hd::e4m3
tile.kernel @gemm(%A: !tile.view<?x?xf8E4M3FN> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf8E4M3FN> {tile.name = "B", tile.dims = ["K", "N"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 123 : i64, N = 72 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 64 : index
  %M = tile.dim %C, 0 : !tile.view<?x?xf16>
  %N = tile.dim %C, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf8E4M3FN>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %bt = tile.load %B[%k, %n] : !tile.view<?x?xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %next = tile.dot %a, %bt, %sum : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %c = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %c, %C[%m, %n] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}
