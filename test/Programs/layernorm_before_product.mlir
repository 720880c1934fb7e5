// A product whose left operand is normalised first: one loop sums, the next maps and multiplies.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @layernorm_before_product(%A: !tile.view<?x?xbf16> {tile.name = "A", tile.dims = ["M", "K"]},
    %B: !tile.view<?x?xbf16> {tile.name = "B", tile.dims = ["N", "K"]},
    %g: !tile.view<?xf32> {tile.name = "g", tile.dims = ["K"]},
    %b: !tile.view<?xf32> {tile.name = "b", tile.dims = ["K"]},
    %C: !tile.view<?x?xbf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 150, N = 136, K = 256}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %k = arith.constant dense<1.0e-05> : tensor<64xf32>
  %zero2 = arith.constant dense<0.0> : tensor<64x64xf32>
  %A_0 = tile.dim %A, 0 : !tile.view<?x?xbf16>
  %programs = arith.ceildivui %A_0, %c64 : index
  %B_0 = tile.dim %B, 0 : !tile.view<?x?xbf16>
  %programs2 = arith.ceildivui %B_0, %c64 : index
  tile.grid %programs, %programs2
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %muli = arith.muli %p0, %c64 : index
  %muli2 = arith.muli %p1, %c64 : index
  %A_1 = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %ra, %rb = scf.for %i = %c0 to %A_1 step %c32
      iter_args(%ca = %zero, %cb = %zero) -> (tensor<64xf32>, tensor<64xf32>) {
    %a = tile.load %A[%muli, %i] : !tile.view<?x?xbf16> -> tensor<64x32xbf16>
    %a_f = arith.extf %a : tensor<64x32xbf16> to tensor<64x32xf32>
    %sum = tile.reduce "add" %a_f axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %addf = arith.addf %ca, %sum : tensor<64xf32>
    %mulf = arith.mulf %a_f, %a_f : tensor<64x32xf32>
    %sum2 = tile.reduce "add" %mulf axis 1 : tensor<64x32xf32> -> tensor<64xf32>
    %addf2 = arith.addf %cb, %sum2 : tensor<64xf32>
    scf.yield %addf, %addf2 : tensor<64xf32>, tensor<64xf32>
  }
  %A_1_i32 = arith.index_cast %A_1 : index to i32
  %uitofp = arith.uitofp %A_1_i32 : i32 to f32
  %uitofp_all = tensor.splat %uitofp : tensor<64xf32>
  %divf = arith.divf %ra, %uitofp_all : tensor<64xf32>
  %divf2 = arith.divf %rb, %uitofp_all : tensor<64xf32>
  %mulf2 = arith.mulf %divf, %divf : tensor<64xf32>
  %subf = arith.subf %divf2, %mulf2 : tensor<64xf32>
  %addf3 = arith.addf %subf, %k : tensor<64xf32>
  %rsqrt = math.rsqrt %addf3 : tensor<64xf32>
  %result = scf.for %i2 = %c0 to %A_1 step %c32 iter_args(%carried = %zero2) -> (tensor<64x64xf32>) {
    %a2 = tile.load %A[%muli, %i2] : !tile.view<?x?xbf16> -> tensor<64x32xbf16>
    %a2_f = arith.extf %a2 : tensor<64x32xbf16> to tensor<64x32xf32>
    %divf_wide = tile.broadcast %divf axis 1 : tensor<64xf32> -> tensor<64x32xf32>
    %subf2 = arith.subf %a2_f, %divf_wide : tensor<64x32xf32>
    %rsqrt_wide = tile.broadcast %rsqrt axis 1 : tensor<64xf32> -> tensor<64x32xf32>
    %mulf3 = arith.mulf %subf2, %rsqrt_wide : tensor<64x32xf32>
    %g2 = tile.load %g[%i2] : !tile.view<?xf32> -> tensor<32xf32>
    %g2_wide = tile.broadcast %g2 axis 0 : tensor<32xf32> -> tensor<64x32xf32>
    %mulf4 = arith.mulf %mulf3, %g2_wide : tensor<64x32xf32>
    %b2 = tile.load %b[%i2] : !tile.view<?xf32> -> tensor<32xf32>
    %b2_wide = tile.broadcast %b2 axis 0 : tensor<32xf32> -> tensor<64x32xf32>
    %addf4 = arith.addf %mulf4, %b2_wide : tensor<64x32xf32>
    %addf4_h = arith.truncf %addf4 : tensor<64x32xf32> to tensor<64x32xbf16>
    %b3 = tile.load %B[%muli2, %i2] : !tile.view<?x?xbf16> -> tensor<64x32xbf16>
    %b3t = tile.transpose %b3 : tensor<64x32xbf16> -> tensor<32x64xbf16>
    %d = tile.dot %addf4_h, %b3t, %carried : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %result_h = arith.truncf %result : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %result_h, %C[%muli, %muli2] : tensor<64x64xbf16>, !tile.view<?x?xbf16>
  tile.return
}
