// Dimensions that follow a parameter, and operations that cannot.

// Rows and columns of what the loop carries, of what a branch gives, of reductions, broadcasts, slices and constants
// follow the two loads.
tile.kernel @follow(%x: !tile.view<?x?xf32> {tile.name = "x", tile.dims = ["M", "N"]},
                    %w: !tile.view<?xf32> {tile.name = "w", tile.dims = ["N"]},
                    %y: !tile.view<?x?xf32> {tile.name = "y", tile.dims = ["M", "N"]},
                    %s: !tile.view<?xf32> {tile.name = "s", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 100, N = 300}} {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 8 in [4, 8, 16]
  %bn = tile.param "BN" = 64 in [32, 64, 128]
  %M = tile.dim %x, 0 : !tile.view<?x?xf32>
  %N = tile.dim %x, 1 : !tile.view<?x?xf32>
  %gm = arith.ceildivui %M, %bm : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m = arith.muli %pm, %bm : index
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %sums = scf.for %n = %c0 to %N step %bn iter_args(%sum = %zero) -> (tensor<8xf32>) {
    %t = tile.load %x[%m, %n] {tile.sizes = ["BM", "BN"]} : !tile.view<?x?xf32> -> tensor<8x64xf32>
    %v = tile.load %w[%n] : !tile.view<?xf32> -> tensor<64xf32>
    %rows = tile.broadcast %v axis 0 : tensor<64xf32> -> tensor<8x64xf32>
    %first = arith.cmpi ugt, %M, %c0 : index
    %u = scf.if %first -> (tensor<8x64xf32>) {
      %a = arith.addf %t, %rows : tensor<8x64xf32>
      scf.yield %a : tensor<8x64xf32>
    } else {
      %a = arith.mulf %t, %rows : tensor<8x64xf32>
      scf.yield %a : tensor<8x64xf32>
    }
    %part = tensor.extract_slice %u[0, 0] [8, 64] [1, 1] : tensor<8x64xf32> to tensor<8x64xf32>
    tile.store %part, %y[%m, %n] : tensor<8x64xf32>, !tile.view<?x?xf32>
    %add = tile.reduce "add" %u axis 1 : tensor<8x64xf32> -> tensor<8xf32>
    %next = arith.addf %sum, %add : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  tile.store %sums, %s[%m] : tensor<8xf32>, !tile.view<?xf32>
  tile.return
}

tile.kernel @two_values(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %bm = tile.param "BM" = 32
  %bn = tile.param "BN" = 32
  tile.grid %bm
  %a = tile.load %x[%bm] {tile.sizes = ["BM"]} : !tile.view<?xf32> -> tensor<32xf32>
  %b = tile.load %y[%bm] {tile.sizes = ["BN"]} : !tile.view<?xf32> -> tensor<32xf32>
  %c = arith.addf %a, %b : tensor<32xf32>
  tile.store %c, %x[%bm] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}

tile.kernel @constant(%x: !tile.view<?xi32>) {
  %bm = tile.param "BM" = 2
  tile.grid %bm
  %a = tile.load %x[%bm] {tile.sizes = ["BM"]} : !tile.view<?xi32> -> tensor<2xi32>
  %b = arith.constant dense<[1, 2]> : tensor<2xi32>
  %c = arith.addi %a, %b : tensor<2xi32>
  tile.store %c, %x[%bm] : tensor<2xi32>, !tile.view<?xi32>
  tile.return
}

tile.kernel @extent(%x: !tile.view<?xf32>) {
  %bm = tile.param "BM" = 32
  tile.grid %bm
  %a = tile.load %x[%bm] {tile.sizes = ["BM"], extent = array<i64: 30>} : !tile.view<?xf32> -> tensor<32xf32>
  tile.store %a, %x[%bm] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}

tile.kernel @slice(%x: !tile.view<?xf32>) {
  %bm = tile.param "BM" = 32
  tile.grid %bm
  %a = tile.load %x[%bm] {tile.sizes = ["BM"]} : !tile.view<?xf32> -> tensor<32xf32>
  %b = tensor.extract_slice %a[16] [16] [1] : tensor<32xf32> to tensor<16xf32>
  tile.store %b, %x[%bm] : tensor<16xf32>, !tile.view<?xf32>
  tile.return
}

tile.kernel @stays(%x: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %bm = tile.param "BM" = 32
  tile.grid %bm
  %a = tile.load %x[%bm] {tile.sizes = ["BM"]} : !tile.view<?xf32> -> tensor<32xf32>
  %b = tile.load %x[%c0] {tile.sizes = [32]} : !tile.view<?xf32> -> tensor<32xf32>
  %c = arith.addf %a, %b : tensor<32xf32>
  tile.store %c, %x[%bm] : tensor<32xf32>, !tile.view<?xf32>
  tile.return
}
