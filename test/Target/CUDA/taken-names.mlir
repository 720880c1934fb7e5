// What the text of warp groups declares, no scalar of the program is called: two groups share one function, whose
// parameter is `group`.
// RUN: heddle compile %s --emit=cuda | FileCheck %s --implicit-check-not="int group ="
// CHECK: const int group1 =
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^}}verified
tile.kernel @named(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                   %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256, N = 256, K = 128}} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c128 : index
  %g = arith.muli %gm, %gn : index
  tile.grid %g
  %p = tile.program_id 0
  %group = arith.divui %p, %gn : index
  %column = arith.remui %p, %gn : index
  %m = arith.muli %group, %c128 : index
  %n = arith.muli %column, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%k, %n] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %d = tile.dot %a, %b, %s : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %h, %C[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}
