// A tile from one of two branches, and a scalar; loads in both, one of them of a view that is read outside as well.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @branches(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "D"]},
                  %B: !tile.view<64x64xf16> {tile.name = "B", tile.dims = ["D", "E"]},
                  %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["M", "E"]})
    attributes {tile.default_dims = {M = 500}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %M, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c128 : index
  %odd = arith.remui %p, %c2 : index
  %is = arith.cmpi eq, %odd, %c1 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %b = tile.load %B[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %r, %n = scf.if %is -> (tensor<128x64xf32>, index) {
    %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
    %d = tile.dot %a, %b, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d, %c1 : tensor<128x64xf32>, index
  } else {
    %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
    %f = arith.extf %a : tensor<128x64xf16> to tensor<128x64xf32>
    scf.yield %f, %c2 : tensor<128x64xf32>, index
  }
  %n32 = arith.index_cast %n : index to i32
  %nf = arith.sitofp %n32 : i32 to f32
  %ns = tensor.splat %nf : tensor<128x64xf32>
  %q = arith.mulf %r, %ns : tensor<128x64xf32>
  tile.store %q, %C[%m, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
