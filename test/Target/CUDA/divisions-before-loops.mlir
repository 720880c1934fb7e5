// A program of a row of programs finds its tile by dividing, in the loop. The quotient and the remainder are computed
// before it; where a divisor is zero, and the loop runs no trip, by one.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK: // load
// CHECK: const int none{{[0-9]*}} = {{.*}} / {{.*}} != 0) ? {{.*}} : 1)
// CHECK: const int trips
// CHECK: const int pm{{[0-9]*}} = {{.*}} / {{.*}} != 0) ? {{.*}} : 1)
// CHECK: const int pn{{[0-9]*}} = {{.*}} % {{.*}} != 0) ? {{.*}} : 1)
// CHECK: for (int {{.*}} < trips
// CHECK-NOT: != 0) ?
// CHECK: tmaLoad
// CHECK: compute
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=2 | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=2 --dims M=256,N=300,K=0 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
tile.kernel @gemm(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256 : i64, N = 300 : i64, K = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 256 : index
  %bk = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  %programs = arith.muli %gm, %gn : index
  tile.grid %programs
  %p = tile.program_id 0
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
    %pm = arith.divui %p, %gn : index
    %pn = arith.remui %p, %gn : index
    %none = arith.divui %c0, %K : index
    %row = arith.muli %pm, %bm : index
    %m = arith.addi %row, %none : index
    %n = arith.muli %pn, %bn : index
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<256x64xf16>
    %bt = tile.transpose %b : tensor<256x64xf16> -> tensor<64x256xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  %pm = arith.divui %p, %gn : index
  %pn = arith.remui %p, %gn : index
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store %c, %C[%m, %n] : tensor<128x256xf16>, !tile.view<?x?xf16>
  tile.return
}
