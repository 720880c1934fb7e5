// The two largest of 60 columns, their places and their softmax weights.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @two_best(%X: !tile.view<?x60xf32> {tile.name = "X", tile.dims = ["M", "E"]},
    %i1: !tile.view<?xi32> {tile.name = "i1", tile.dims = ["M"]},
    %i2: !tile.view<?xi32> {tile.name = "i2", tile.dims = ["M"]},
    %w1: !tile.view<?xf32> {tile.name = "w1", tile.dims = ["M"]},
    %w2: !tile.view<?xf32> {tile.name = "w2", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 50, E = 60}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %k = arith.constant dense<60> : tensor<16x60xi32>
  %least = arith.constant dense<0xFF800000> : tensor<16x60xf32>
  %k2 = arith.constant dense<1.0> : tensor<16xf32>
  %X_0 = tile.dim %X, 0 : !tile.view<?x60xf32>
  %programs = arith.ceildivui %X_0, %c16 : index
  tile.grid %programs
  %p0 = tile.program_id 0
  %muli = arith.muli %p0, %c16 : index
  %x = tile.load %X[%muli, %c0] : !tile.view<?x60xf32> -> tensor<16x60xf32>
  %iota = tile.iota : tensor<60xi32>
  %iota_wide = tile.broadcast %iota axis 0 : tensor<60xi32> -> tensor<16x60xi32>
  %max = tile.reduce "max" %x axis 1 : tensor<16x60xf32> -> tensor<16xf32>
  %max_wide = tile.broadcast %max axis 1 : tensor<16xf32> -> tensor<16x60xf32>
  %cmpf = arith.cmpf oeq, %x, %max_wide : tensor<16x60xf32>
  %select = arith.select %cmpf, %iota_wide, %k : tensor<16x60xi1>, tensor<16x60xi32>
  %min = tile.reduce "min" %select axis 1 : tensor<16x60xi32> -> tensor<16xi32>
  %min_wide = tile.broadcast %min axis 1 : tensor<16xi32> -> tensor<16x60xi32>
  %cmpi = arith.cmpi eq, %iota_wide, %min_wide : tensor<16x60xi32>
  %select2 = arith.select %cmpi, %least, %x : tensor<16x60xi1>, tensor<16x60xf32>
  %max2 = tile.reduce "max" %select2 axis 1 : tensor<16x60xf32> -> tensor<16xf32>
  %max2_wide = tile.broadcast %max2 axis 1 : tensor<16xf32> -> tensor<16x60xf32>
  %cmpf2 = arith.cmpf oeq, %select2, %max2_wide : tensor<16x60xf32>
  %select3 = arith.select %cmpf2, %iota_wide, %k : tensor<16x60xi1>, tensor<16x60xi32>
  %min2 = tile.reduce "min" %select3 axis 1 : tensor<16x60xi32> -> tensor<16xi32>
  %subf = arith.subf %max2, %max : tensor<16xf32>
  %exp = math.exp %subf : tensor<16xf32>
  %addf = arith.addf %exp, %k2 : tensor<16xf32>
  %divf = arith.divf %k2, %addf : tensor<16xf32>
  %mulf = arith.mulf %exp, %divf : tensor<16xf32>
  tile.store %min, %i1[%muli] : tensor<16xi32>, !tile.view<?xi32>
  tile.store %min2, %i2[%muli] : tensor<16xi32>, !tile.view<?xi32>
  tile.store %divf, %w1[%muli] : tensor<16xf32>, !tile.view<?xf32>
  tile.store %mulf, %w2[%muli] : tensor<16xf32>, !tile.view<?xf32>
  tile.return
}
