// A scalar argument as a coordinate of a store: the argument itself is not written.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @shifted(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "N"]},
                     %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["M", "W"]},
                     %shift: index {tile.name = "shift", tile.default = 2 : index})
    attributes {tile.default_dims = {M = 100, W = 80}} {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x64xf16>
  %programs = arith.ceildivui %M, %rows : index
  tile.grid %programs
  %p = tile.program_id 0
  %m = arith.muli %p, %rows : index
  %a = tile.load %A[%m, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  tile.store %a, %B[%m, %shift] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}
