// Normalisation over groups of channels and 1000 positions: a sum over both dimensions of a tile.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @group_norm(%X: !tile.view<?x?x1000xf32> {tile.name = "X", tile.dims = ["B", "C", "HW"]},
    %Y: !tile.view<?x?x1000xf32> {tile.name = "Y", tile.dims = ["B", "C", "HW"]},
    %gamma: !tile.view<?xf32> {tile.name = "gamma", tile.dims = ["C"]},
    %beta: !tile.view<?xf32> {tile.name = "beta", tile.dims = ["C"]})
    attributes {tile.default_dims = {B = 2, C = 12, HW = 1000}} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %k = arith.constant dense<0.00025> : tensor<f32>
  %k2 = arith.constant dense<1.0e-05> : tensor<f32>
  %X_1 = tile.dim %X, 1 : !tile.view<?x?x1000xf32>
  %programs = arith.ceildivui %X_1, %c4 : index
  %X_0 = tile.dim %X, 0 : !tile.view<?x?x1000xf32>
  tile.grid %programs, %X_0
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %muli = arith.muli %p0, %c4 : index
  %x = tile.load %X[%p1, %muli, %c0] : !tile.view<?x?x1000xf32> -> tensor<4x1000xf32>
  %sum = tile.reduce "add" %x axis 1 : tensor<4x1000xf32> -> tensor<4xf32>
  %sum2 = tile.reduce "add" %sum axis 0 : tensor<4xf32> -> tensor<f32>
  %mulf = arith.mulf %sum2, %k : tensor<f32>
  %mulf_wide = tile.broadcast %mulf axis 0 : tensor<f32> -> tensor<4xf32>
  %mulf_wide2 = tile.broadcast %mulf_wide axis 1 : tensor<4xf32> -> tensor<4x1000xf32>
  %subf = arith.subf %x, %mulf_wide2 : tensor<4x1000xf32>
  %mulf2 = arith.mulf %subf, %subf : tensor<4x1000xf32>
  %sum3 = tile.reduce "add" %mulf2 axis 1 : tensor<4x1000xf32> -> tensor<4xf32>
  %sum4 = tile.reduce "add" %sum3 axis 0 : tensor<4xf32> -> tensor<f32>
  %mulf3 = arith.mulf %sum4, %k : tensor<f32>
  %addf = arith.addf %mulf3, %k2 : tensor<f32>
  %rsqrt = math.rsqrt %addf : tensor<f32>
  %rsqrt_wide = tile.broadcast %rsqrt axis 0 : tensor<f32> -> tensor<4xf32>
  %rsqrt_wide2 = tile.broadcast %rsqrt_wide axis 1 : tensor<4xf32> -> tensor<4x1000xf32>
  %mulf4 = arith.mulf %subf, %rsqrt_wide2 : tensor<4x1000xf32>
  %gamma2 = tile.load %gamma[%muli] : !tile.view<?xf32> -> tensor<4xf32>
  %gamma2_wide = tile.broadcast %gamma2 axis 1 : tensor<4xf32> -> tensor<4x1000xf32>
  %mulf5 = arith.mulf %mulf4, %gamma2_wide : tensor<4x1000xf32>
  %beta2 = tile.load %beta[%muli] : !tile.view<?xf32> -> tensor<4xf32>
  %beta2_wide = tile.broadcast %beta2 axis 1 : tensor<4xf32> -> tensor<4x1000xf32>
  %addf2 = arith.addf %mulf5, %beta2_wide : tensor<4x1000xf32>
  tile.store %addf2, %Y[%p1, %muli, %c0] : tensor<4x1000xf32>, !tile.view<?x?x1000xf32>
  tile.return
}
