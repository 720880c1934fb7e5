// Where the threads of a loop with products load all that it reads, they load what stands in front of it as well, a few
// registers each; not beside a loop that the copy engine feeds.
// RUN: heddle-opt --heddle-load-with-loops %s | FileCheck %s
// RUN: heddle-opt --heddle-load-with-loops %S/Inputs/product.mlir | FileCheck %s --check-prefix=ENGINE --implicit-check-not=heddle.direct
// CHECK: tile.load %arg0{{.*}}heddle.direct
// CHECK: scf.for
// ENGINE: tile.return
tile.kernel @scores(%q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["M", "D"]},
                    %k: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["R", "D"]},
                    %n: index {tile.name = "N", tile.default = 128 : index},
                    %s: !tile.view<?x64xf32> {tile.name = "S", tile.dims = ["M", "N64"]})
    attributes {tile.default_dims = {M = 64 : i64, R = 128 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid %c1
  %query = tile.load %q[%c0, %c0] : <?x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%before = %zero) -> (tensor<64x64xf32>) {
    %first = arith.index_cast %i : index to i32
    %firsts = tensor.splat %first : tensor<64xi32>
    %numbers = tile.iota : tensor<64xi32>
    %sums = arith.addi %numbers, %firsts : tensor<64xi32>
    %two = arith.constant dense<2> : tensor<64xi32>
    %at = arith.divui %sums, %two : tensor<64xi32>
    %keys = tile.gather %k[%c0, %c0] rows %at : <?x64xf16>, tensor<64xi32> -> tensor<64x64xf16>
    %turned = tile.transpose %keys : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %query, %turned, %before : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum, %s[%c0, %c0] : tensor<64x64xf32>, <?x64xf32>
  tile.return
}
