// Four slots that a plan pins leave too little shared memory for parts of 32 columns of a tile that is added: parts of
// 16 columns fit. Every command makes the same kernel of it.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: parts = {{\[}}16, 2]
// PLAN: ring = 4
tile.kernel @residual(%C: !tile.view<?x?xf16> {tile.dims = ["M", "N"], tile.name = "C"},
    %A: !tile.view<?x?xf16> {tile.dims = ["M", "K"], tile.name = "A"},
    %B: !tile.view<?x?xf16> {tile.dims = ["N", "K"], tile.name = "B"},
    %R: !tile.view<?x?xf16> {tile.dims = ["M", "N"], tile.name = "R"},
    %alpha: f32 {tile.default = 5.000000e-01 : f32, tile.name = "alpha"})
    attributes {plan = {groups = 2 : i64, raster = 8 : i64, warp_specialize = true},
                tile.default_dims = {K = 192 : i64, M = 256 : i64, N = 256 : i64}} {
  %c0 = arith.constant 0 : index
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x256xf32>
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c128 = arith.constant 128 : index
  %0 = tile.dim %C, 0 : <?x?xf16>
  %1 = tile.dim %C, 1 : <?x?xf16>
  %2 = tile.dim %A, 1 : <?x?xf16>
  %3 = arith.ceildivui %0, %c128 : index
  %4 = arith.ceildivui %1, %c256 : index
  tile.grid %3, %4 {raster = 8 : i64}
  %5 = tile.program_id 0
  %6 = tile.program_id 1
  %7 = arith.muli %5, %c128 : index
  %8 = arith.muli %6, %c256 : index
  %9 = scf.for %arg6 = %c0 to %2 step %c64 iter_args(%arg7 = %cst_0) -> (tensor<128x256xf32>) {
    %21 = tile.load %A[%7, %arg6] {plan = {label = "tile_A", ring = 4 : i64}} : <?x?xf16> -> tensor<128x64xf16>
    %22 = tile.load %B[%8, %arg6] {plan = {label = "tile_B", ring = 4 : i64}} : <?x?xf16> -> tensor<256x64xf16>
    %23 = tile.transpose %22 : tensor<256x64xf16> -> tensor<64x256xf16>
    %24 = tile.dot %21, %23, %arg7 {plan = {label = "product"}}
        : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    scf.yield %24 : tensor<128x256xf32>
  }
  %11 = tile.load %R[%7, %8] : <?x?xf16> -> tensor<128x256xf16>
  %splat = tensor.splat %alpha : tensor<128x256xf32>
  %14 = arith.extf %11 : tensor<128x256xf16> to tensor<128x256xf32>
  %18 = arith.mulf %9, %splat : tensor<128x256xf32>
  %19 = arith.addf %18, %14 : tensor<128x256xf32>
  %20 = arith.truncf %19 : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store %20, %C[%7, %8] : tensor<128x256xf16>, <?x?xf16>
  tile.return
}
