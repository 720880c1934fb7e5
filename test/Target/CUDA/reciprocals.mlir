// A number that rows are divided by is divided by once, as a reciprocal, which needs no constant of one: nvcc warned of
// a variable that nothing reads.
// RUN: heddle compile %s --emit=cuda | FileCheck %s
// CHECK-NOT: = 1.0f;
// CHECK: hd::rcp(
// CHECK-NOT: = 1.0f;
// RUN: heddle run %s --device=sim | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
tile.kernel @scaled(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                    %s: f32 {tile.name = "s", tile.default = 3.0 : f32},
                    %Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 70}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf32>
  %programs = arith.ceildivui %M, %bm : index
  tile.grid %programs
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
  %by = tensor.splat %s : tensor<64x64xf32>
  %y = arith.divf %x, %by : tensor<64x64xf32>
  tile.store %y, %Y[%m, %c0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  tile.return
}
