// A product whose rows are scaled to the range of 8-bit floats, stored in two chunks of 128 columns, with their scales.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @gemm_quantised_rows(%A: !tile.view<?x?xbf16> {tile.name = "A", tile.dims = ["M", "K"]},
                                 %B: !tile.view<256x?xbf16> {tile.name = "B", tile.dims = ["N", "K"]},
                                 %C: !tile.view<?x256xf8E4M3FN> {tile.name = "C", tile.dims = ["M", "N"]},
                                 %S: !tile.view<?xf32> {tile.name = "S", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 90, K = 128}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %programs = arith.ceildivui %M, %c64 : index
  tile.grid %programs
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x256xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
    %b = tile.load %B[%c0, %k] : !tile.view<256x?xbf16> -> tensor<256x64xbf16>
    %bt = tile.transpose %b : tensor<256x64xbf16> -> tensor<64x256xbf16>
    %next = tile.dot %a, %bt, %sum : tensor<64x64xbf16>, tensor<64x256xbf16>, tensor<64x256xf32>
    scf.yield %next : tensor<64x256xf32>
  }
  %size = math.absf %acc : tensor<64x256xf32>
  %largest = tile.reduce "max" %size axis 1 : tensor<64x256xf32> -> tensor<64xf32>
  %tiny = arith.constant dense<1.0e-6> : tensor<64xf32>
  %range = arith.maximumf %largest, %tiny : tensor<64xf32>
  %most = arith.constant dense<448.0> : tensor<64xf32>
  %inverse = arith.divf %most, %range : tensor<64xf32>
  %factor = tile.broadcast %inverse axis 1 : tensor<64xf32> -> tensor<64x256xf32>
  %scaled = arith.mulf %acc, %factor : tensor<64x256xf32>
  %q = arith.truncf %scaled : tensor<64x256xf32> to tensor<64x256xf8E4M3FN>
  tile.store %q, %C[%m, %c0] : tensor<64x256xf8E4M3FN>, !tile.view<?x256xf8E4M3FN>
  %scale = arith.divf %range, %most : tensor<64xf32>
  tile.store %scale, %S[%m] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
