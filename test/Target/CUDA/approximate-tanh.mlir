// tanh by one instruction where its author lets it be approximate: cheaper in the model, and bounded by its own error.
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: sed 's/ fastmath<afn>//' %s > %t.mlir
// RUN: heddle compile %t.mlir --emit=cuda | FileCheck %s --check-prefix=EXACT
// CUDA: hd::tanhApprox(
// CUDA-NOT: hd::tanh(
// EXACT: hd::tanh(
// EXACT-NOT: hd::tanhApprox(
// CHECK: {{^}}verified
tile.kernel @capped(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                    %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 130}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %M, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  %x = arith.extf %a : tensor<64x64xf16> to tensor<64x64xf32>
  %t = math.tanh %x fastmath<afn> : tensor<64x64xf32>
  tile.store %t, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
