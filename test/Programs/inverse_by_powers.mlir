// Products of products in straight-line code: the inverse of I - N for a strictly lower triangular N, as the product of
// I + N^(2^k). Each operand is staged for both groups; more than shared memory holds at once, so that they share slots.
// RUN: heddle compile %s --emit=warp | FileCheck %s
// CHECK-COUNT-2: warp.aref "stage{{[01]}}_{{[12]}}" : <1, [tensor<64x128xbf16>]>
// CHECK-NOT: warp.aref
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RUN: heddle run %s --device=emulate --interleavings=1 --dims B=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
tile.kernel @inverse_by_powers(%L: !tile.view<?x128x128xbf16> {tile.name = "L", tile.dims = ["B", "R", "C"]},
                               %O: !tile.view<?x128x128xbf16> {tile.name = "O", tile.dims = ["B", "R", "C"]})
    attributes {tile.default_dims = {B = 2}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %one = arith.constant dense<1.0> : tensor<128x128xf32>
  %scale = arith.constant dense<0.05> : tensor<128x128xf32>
  %count = tile.dim %L, 0 : !tile.view<?x128x128xbf16>
  tile.grid %count
  %b = tile.program_id 0
  %n = tile.iota : tensor<128xi32>
  %column = tile.broadcast %n axis 0 : tensor<128xi32> -> tensor<128x128xi32>
  %row = tile.broadcast %n axis 1 : tensor<128xi32> -> tensor<128x128xi32>
  %lower = arith.cmpi slt, %column, %row : tensor<128x128xi32>
  %diagonal = arith.cmpi eq, %column, %row : tensor<128x128xi32>
  %identity = arith.select %diagonal, %one, %zero : tensor<128x128xi1>, tensor<128x128xf32>
  %l = tile.load %L[%b, %c0, %c0] : !tile.view<?x128x128xbf16> -> tensor<128x128xbf16>
  %lf = arith.extf %l : tensor<128x128xbf16> to tensor<128x128xf32>
  %ls = arith.mulf %lf, %scale : tensor<128x128xf32>
  %power0 = arith.select %lower, %ls, %zero : tensor<128x128xi1>, tensor<128x128xf32>
  %inverse0 = arith.addf %identity, %power0 : tensor<128x128xf32>
  %p0 = arith.truncf %power0 : tensor<128x128xf32> to tensor<128x128xbf16>
  %power1 = tile.dot %p0, %p0, %zero : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %i0 = arith.truncf %inverse0 : tensor<128x128xf32> to tensor<128x128xbf16>
  %q1 = arith.truncf %power1 : tensor<128x128xf32> to tensor<128x128xbf16>
  %inverse1 = tile.dot %i0, %q1, %inverse0 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %p1 = arith.truncf %power1 : tensor<128x128xf32> to tensor<128x128xbf16>
  %power2 = tile.dot %p1, %p1, %zero : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %i1 = arith.truncf %inverse1 : tensor<128x128xf32> to tensor<128x128xbf16>
  %q2 = arith.truncf %power2 : tensor<128x128xf32> to tensor<128x128xbf16>
  %inverse2 = tile.dot %i1, %q2, %inverse1 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %p2 = arith.truncf %power2 : tensor<128x128xf32> to tensor<128x128xbf16>
  %power3 = tile.dot %p2, %p2, %zero : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %i2 = arith.truncf %inverse2 : tensor<128x128xf32> to tensor<128x128xbf16>
  %q3 = arith.truncf %power3 : tensor<128x128xf32> to tensor<128x128xbf16>
  %inverse3 = tile.dot %i2, %q3, %inverse2 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %p3 = arith.truncf %power3 : tensor<128x128xf32> to tensor<128x128xbf16>
  %power4 = tile.dot %p3, %p3, %zero : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %i3 = arith.truncf %inverse3 : tensor<128x128xf32> to tensor<128x128xbf16>
  %q4 = arith.truncf %power4 : tensor<128x128xf32> to tensor<128x128xbf16>
  %inverse4 = tile.dot %i3, %q4, %inverse3 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %p4 = arith.truncf %power4 : tensor<128x128xf32> to tensor<128x128xbf16>
  %power5 = tile.dot %p4, %p4, %zero : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %i4 = arith.truncf %inverse4 : tensor<128x128xf32> to tensor<128x128xbf16>
  %q5 = arith.truncf %power5 : tensor<128x128xf32> to tensor<128x128xbf16>
  %inverse5 = tile.dot %i4, %q5, %inverse4 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %p5 = arith.truncf %power5 : tensor<128x128xf32> to tensor<128x128xbf16>
  %power6 = tile.dot %p5, %p5, %zero : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %i5 = arith.truncf %inverse5 : tensor<128x128xf32> to tensor<128x128xbf16>
  %q6 = arith.truncf %power6 : tensor<128x128xf32> to tensor<128x128xbf16>
  %inverse6 = tile.dot %i5, %q6, %inverse5 : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
  %out = arith.truncf %inverse6 : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %out, %O[%b, %c0, %c0] : tensor<128x128xbf16>, !tile.view<?x128x128xbf16>
  tile.return
}
