// A product whose epilogue is a long function: its elements are computed slice by slice.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA: for (int slice = 0; slice < 4; ++slice) {
// CUDA: for (int r = 16 * slice; r < 16 * slice + 16; ++r)
// CUDA: [[X:[a-z0-9_]+]][r] = ::erff([[X]][r]);
// CUDA: for (int r = 8 * slice; r < 8 * slice + 8; ++r)
// CUDA-NEXT: [[Y:[a-z0-9_]+]][r] = hd::pack<hd::f16>(
// CUDA: hd::fenceOperand<8>([[Y]], 8 * slice);
// CUDA-NEXT: hd::endBlock(smem);
tile.kernel @gemm_gelu_erf(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                           %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                           %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 100 : i64, N = 136 : i64, K = 128 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %half = arith.constant dense<0.5> : tensor<64x128xf32>
  %root = arith.constant dense<0.707106769> : tensor<64x128xf32>
  %one = arith.constant dense<1.0> : tensor<64x128xf32>
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c64 : index
  %gn = arith.ceildivui %N, %c128 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c128 : index
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %next = tile.dot %a, %bt, %sum : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %h = arith.mulf %acc, %half : tensor<64x128xf32>
  %x = arith.mulf %acc, %root : tensor<64x128xf32>
  %e = math.erf %x : tensor<64x128xf32>
  %f = arith.addf %e, %one : tensor<64x128xf32>
  %g = arith.mulf %h, %f : tensor<64x128xf32>
  %c = arith.truncf %g : tensor<64x128xf32> to tensor<64x128xf16>
  tile.store %c, %C[%m, %n] : tensor<64x128xf16>, !tile.view<?x?xf16>
  tile.return
}
