// A product of complex matrices, real and imaginary parts apart: three sums and two outputs.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @gemm_complex(%Ar: !tile.view<?x?xf16> {tile.name = "Ar", tile.dims = ["M", "K"]},
    %Ai: !tile.view<?x?xf16> {tile.name = "Ai", tile.dims = ["M", "K"]},
    %Br: !tile.view<?x?xf16> {tile.name = "Br", tile.dims = ["K", "N"]},
    %Bi: !tile.view<?x?xf16> {tile.name = "Bi", tile.dims = ["K", "N"]},
    %Cr: !tile.view<?x?xf16> {tile.name = "Cr", tile.dims = ["M", "N"]},
    %Ci: !tile.view<?x?xf16> {tile.name = "Ci", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 200, N = 136, K = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %Ar_0 = tile.dim %Ar, 0 : !tile.view<?x?xf16>
  %programs = arith.ceildivui %Ar_0, %c64 : index
  %Br_1 = tile.dim %Br, 1 : !tile.view<?x?xf16>
  %programs2 = arith.ceildivui %Br_1, %c64 : index
  tile.grid %programs, %programs2
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %muli = arith.muli %p0, %c64 : index
  %muli2 = arith.muli %p1, %c64 : index
  %Ar_1 = tile.dim %Ar, 1 : !tile.view<?x?xf16>
  %ra, %rb, %rc = scf.for %i = %c0 to %Ar_1 step %c32
      iter_args(%ca = %zero, %cb = %zero, %cc = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
    %ar = tile.load %Ar[%muli, %i] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %ai = tile.load %Ai[%muli, %i] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %br = tile.load %Br[%i, %muli2] : !tile.view<?x?xf16> -> tensor<32x64xf16>
    %bi = tile.load %Bi[%i, %muli2] : !tile.view<?x?xf16> -> tensor<32x64xf16>
    %d = tile.dot %ar, %br, %ca : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %d2 = tile.dot %ai, %bi, %cb : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %d3 = tile.dot %ar, %bi, %cc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %d4 = tile.dot %ai, %br, %d3 : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d, %d2, %d4 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
  %subf = arith.subf %ra, %rb : tensor<64x64xf32>
  %subf_h = arith.truncf %subf : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %subf_h, %Cr[%muli, %muli2] : tensor<64x64xf16>, !tile.view<?x?xf16>
  %rc_h = arith.truncf %rc : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %rc_h, %Ci[%muli, %muli2] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}
