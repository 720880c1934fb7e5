// A product of fewer rows than the tensor core has: the copy engine brings those that the program has, and nobody keeps
// what the others make.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=2 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CUDA: hd::holdsAnything(smem + kSmem_AB0 + 2048, 6144, {{[0-9]+}}, 8192); // rows from 16 on
// RUN: heddle compile %s --emit=hw | FileCheck %s --check-prefix=HW
// HW: hw.tma_load {{.*}} rows 16
tile.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 27 : i64, N = 72 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 16 : index
  %bn = arith.constant 64 : index
  %M = tile.dim %C, 0 : !tile.view<?x?xf16>
  %N = tile.dim %C, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<16x64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<16x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %a, %bt, %sum : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  }
  %c = arith.truncf %acc : tensor<16x64xf32> to tensor<16x64xf16>
  tile.store %c, %C[%m, %n] : tensor<16x64xf16>, !tile.view<?x?xf16>
  tile.return
}
