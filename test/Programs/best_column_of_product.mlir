// The largest product of every row and its column, block of columns after block: greedy decoding without the logits.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @best_column(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                         %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["V", "K"]},
                         %best: !tile.view<?xi32> {tile.name = "best", tile.dims = ["M"]},
                         %logit: !tile.view<?xf32> {tile.name = "logit", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 70, V = 200, K = 128}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %V = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %programs = arith.ceildivui %M, %c64 : index
  tile.grid %programs
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %least = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %least1 = arith.constant dense<0xFF800000> : tensor<64xf32>
  %none = arith.constant dense<2147483647> : tensor<64x64xi32>
  %first = arith.constant dense<0> : tensor<64xi32>
  %columns = tile.iota : tensor<64xi32>
  %V32 = arith.index_cast %V : index to i32
  %end = tensor.splat %V32 : tensor<64x64xi32>
  %value, %place = scf.for %v = %c0 to %V step %c64
      iter_args(%value0 = %least1, %place0 = %first) -> (tensor<64xf32>, tensor<64xi32>) {
    %s = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
      %b = tile.load %B[%v, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
      %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
      %next = tile.dot %a, %bt, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %v32 = arith.index_cast %v : index to i32
    %begin = tensor.splat %v32 : tensor<64xi32>
    %here = arith.addi %columns, %begin : tensor<64xi32>
    %column = tile.broadcast %here axis 0 : tensor<64xi32> -> tensor<64x64xi32>
    %inside = arith.cmpi slt, %column, %end : tensor<64x64xi32>
    %counted = arith.select %inside, %s, %least : tensor<64x64xi1>, tensor<64x64xf32>
    %most = tile.reduce "max" %counted axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %mosts = tile.broadcast %most axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %is = arith.cmpf oeq, %counted, %mosts : tensor<64x64xf32>
    %candidates = arith.select %is, %column, %none : tensor<64x64xi1>, tensor<64x64xi32>
    %at = tile.reduce "min" %candidates axis 1 : tensor<64x64xi32> -> tensor<64xi32>
    %better = arith.cmpf ogt, %most, %value0 : tensor<64xf32>
    %value1 = arith.select %better, %most, %value0 : tensor<64xi1>, tensor<64xf32>
    %place1 = arith.select %better, %at, %place0 : tensor<64xi1>, tensor<64xi32>
    scf.yield %value1, %place1 : tensor<64xf32>, tensor<64xi32>
  }
  tile.store %place, %best[%m] : tensor<64xi32>, !tile.view<?xi32>
  tile.store %value, %logit[%m] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
