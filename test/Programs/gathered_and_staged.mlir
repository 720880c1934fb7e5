// Rows that threads copy, then a staged product: their tiles have slots of their own, since every thread arrives for a
// copy and one of each warp for a tile that is written.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle compile %s --emit=warp | FileCheck %s --check-prefix=WARP
// CHECK: {{^}}verified
// WARP-NOT: alternatives
// WARP: warp.copy %A{{.*}} threads
// WARP: warp.put
tile.kernel @gathered_twice(%A: !tile.view<?x256xf16> {tile.name = "A", tile.dims = ["T", "K"]},
                            %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["M"]},
                            %B: !tile.view<?x256xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                            %C: !tile.view<?x64xf32> {tile.name = "C", tile.dims = ["O", "P"]})
    attributes {tile.default_dims = {T = 14, N = 128, M = 200, O = 1024}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %ids, 0 : !tile.view<?xi32>
  %N = tile.dim %B, 0 : !tile.view<?x256xf16>
  %g = arith.ceildivui %M, %c64 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %rows = tile.load %ids[%m] : !tile.view<?xi32> -> tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<256x64xf32>
  %sum = scf.for %n = %c0 to %N step %c64 iter_args(%t = %zeros) -> (tensor<256x64xf32>) {
    %acc = scf.for %k = %n to %N step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %a = tile.gather %A[%c0, %c0] rows %rows : !tile.view<?x256xf16>, tensor<64xi32> -> tensor<64x256xf16>
      %b = tile.load %B[%k, %c0] : !tile.view<?x256xf16> -> tensor<64x256xf16>
      %bt = tile.transpose %b : tensor<64x256xf16> -> tensor<256x64xf16>
      %d = tile.dot %a, %bt, %s : tensor<64x256xf16>, tensor<256x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %half = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xf16>
    %a2 = tile.load %B[%n, %c0] : !tile.view<?x256xf16> -> tensor<64x256xf16>
    %a2t = tile.transpose %a2 : tensor<64x256xf16> -> tensor<256x64xf16>
    %u = tile.dot %a2t, %half, %t : tensor<256x64xf16>, tensor<64x64xf16>, tensor<256x64xf32>
    scf.yield %u : tensor<256x64xf32>
  }
  %c256 = arith.constant 256 : index
  %o = arith.muli %p, %c256 : index
  tile.store %sum, %C[%o, %c0] : tensor<256x64xf32>, !tile.view<?x64xf32>
  tile.return
}
