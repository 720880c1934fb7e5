// Folds of every beginning and of every end, along rows, columns and vectors: positions that registers, lanes and warps
// tell apart.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: hd::scanLanes<
tile.kernel @scans(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["M", "N"]},
                   %I: !tile.view<?xi32> {tile.name = "I", tile.dims = ["L"]},
                   %H: !tile.view<?x64xf16> {tile.name = "H", tile.dims = ["M", "N"]},
                   %Rows: !tile.view<?x64xf32> {tile.name = "Rows", tile.dims = ["M", "N"]},
                   %Down: !tile.view<?x64xf32> {tile.name = "Down", tile.dims = ["M", "N"]},
                   %Most: !tile.view<?x64xf16> {tile.name = "Most", tile.dims = ["M", "N"]},
                   %Up: !tile.view<?xi32> {tile.name = "Up", tile.dims = ["L"]},
                   %Back: !tile.view<?xi32> {tile.name = "Back", tile.dims = ["L"]})
    attributes {tile.default_dims = {M = 64, L = 1024}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf32>
  %grid = arith.ceildivui %M, %c32 : index
  tile.grid %grid
  %p = tile.program_id 0
  %m = arith.muli %p, %c32 : index
  %x = tile.load %X[%m, %c0] : !tile.view<?x64xf32> -> tensor<32x64xf32>
  %rows = tile.scan "add" %x axis 1 : tensor<32x64xf32>
  tile.store %rows, %Rows[%m, %c0] : tensor<32x64xf32>, !tile.view<?x64xf32>
  %down = tile.scan "add" %x axis 0 reverse : tensor<32x64xf32>
  tile.store %down, %Down[%m, %c0] : tensor<32x64xf32>, !tile.view<?x64xf32>
  %h = tile.load %H[%m, %c0] : !tile.view<?x64xf16> -> tensor<32x64xf16>
  %most = tile.scan "max" %h axis 0 : tensor<32x64xf16>
  tile.store %most, %Most[%m, %c0] : tensor<32x64xf16>, !tile.view<?x64xf16>
  %l = arith.muli %p, %c512 : index
  %i = tile.load %I[%l] : !tile.view<?xi32> -> tensor<512xi32>
  %up = tile.scan "add" %i axis 0 : tensor<512xi32>
  tile.store %up, %Up[%l] : tensor<512xi32>, !tile.view<?xi32>
  %back = tile.scan "xor" %i axis 0 reverse : tensor<512xi32>
  tile.store %back, %Back[%l] : tensor<512xi32>, !tile.view<?xi32>
  tile.return
}
