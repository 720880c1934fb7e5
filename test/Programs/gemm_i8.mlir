// A product of integers of 8 bits: the tensor core adds up in i32.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
// CUDA: hd::wgmmaSS<64, hd::s8, hd::s8
tile.kernel @gemm(%A: !tile.view<?x?xi8> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xi8> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xi32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 123 : i64, N = 72 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 64 : index
  %bn = arith.constant 64 : index
  %M = tile.dim %C, 0 : !tile.view<?x?xi32>
  %N = tile.dim %C, 1 : !tile.view<?x?xi32>
  %K = tile.dim %A, 1 : !tile.view<?x?xi8>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<64x64xi32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xi8> -> tensor<64x64xi8>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xi8> -> tensor<64x64xi8>
    %bt = tile.transpose %b : tensor<64x64xi8> -> tensor<64x64xi8>
    %next = tile.dot %a, %bt, %sum : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xi32>
    scf.yield %next : tensor<64x64xi32>
  }
  tile.store %acc, %C[%m, %n] : tensor<64x64xi32>, !tile.view<?x?xi32>
  tile.return
}
