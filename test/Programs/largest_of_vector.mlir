// The place of the largest number of a vector: tiles of rank 1 alone, which all threads share.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @largest(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                     %place: !tile.view<1xi32> {tile.name = "place", tile.dims = ["One"]})
    attributes {tile.default_dims = {N = 5000}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %step = arith.constant 1024 : index
  %N = tile.dim %x, 0 : !tile.view<?xf32>
  %n = arith.index_cast %N : index to i32
  %end = tensor.splat %n : tensor<1024xi32>
  %least = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %first = arith.constant dense<0> : tensor<1024xi32>
  %none = arith.constant dense<2147483647> : tensor<1024xi32>
  %values, %places = scf.for %i = %c0 to %N step %step
      iter_args(%value = %least, %at = %first) -> (tensor<1024xf32>, tensor<1024xi32>) {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1024xf32>
    %numbers = tile.iota : tensor<1024xi32>
    %i32 = arith.index_cast %i : index to i32
    %begin = tensor.splat %i32 : tensor<1024xi32>
    %here = arith.addi %numbers, %begin : tensor<1024xi32>
    %inside = arith.cmpi slt, %here, %end : tensor<1024xi32>
    %counted = arith.select %inside, %t, %least : tensor<1024xi1>, tensor<1024xf32>
    %better = arith.cmpf ogt, %counted, %value : tensor<1024xf32>
    %value1 = arith.select %better, %counted, %value : tensor<1024xi1>, tensor<1024xf32>
    %at1 = arith.select %better, %here, %at : tensor<1024xi1>, tensor<1024xi32>
    scf.yield %value1, %at1 : tensor<1024xf32>, tensor<1024xi32>
  }
  %most = tile.reduce "max" %values axis 0 : tensor<1024xf32> -> tensor<f32>
  %mosts = tile.broadcast %most axis 0 : tensor<f32> -> tensor<1024xf32>
  %is = arith.cmpf oeq, %values, %mosts : tensor<1024xf32>
  %candidates = arith.select %is, %places, %none : tensor<1024xi1>, tensor<1024xi32>
  %found = tile.reduce "min" %candidates axis 0 : tensor<1024xi32> -> tensor<i32>
  %result = tile.broadcast %found axis 0 : tensor<i32> -> tensor<1xi32>
  tile.store %result, %place[%c0] : tensor<1xi32>, !tile.view<1xi32>
  tile.return
}
