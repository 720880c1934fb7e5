// Rows gathered by number times the weights of an expert that memory names, scaled row by row.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @experts_of_rows(%X: !tile.view<?x?xbf16> {tile.name = "X", tile.dims = ["Tk", "K"]},
    %W: !tile.view<?x?x?xbf16> {tile.name = "W", tile.dims = ["E", "N", "K"]},
    %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["P"]},
    %expert: !tile.view<?xi32> {tile.name = "expert", tile.dims = ["NB"]},
    %weight: !tile.view<?xf32> {tile.name = "weight", tile.dims = ["P"]},
    %Y: !tile.view<?x?xbf16> {tile.name = "Y", tile.dims = ["P", "N"]})
    attributes {tile.default_dims = {Tk = 100, E = 4, N = 136, K = 128, P = 256, NB = 4}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %k = arith.constant 3 : i32
  %k2 = arith.constant dense<63> : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %k3 = arith.constant dense<1.0> : tensor<64x64xf32>
  %Y_0 = tile.dim %Y, 0 : !tile.view<?x?xbf16>
  %programs = arith.ceildivui %Y_0, %c64 : index
  %W_1 = tile.dim %W, 1 : !tile.view<?x?x?xbf16>
  %programs2 = arith.ceildivui %W_1, %c64 : index
  tile.grid %programs, %programs2
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %muli = arith.muli %p0, %c64 : index
  %muli2 = arith.muli %p1, %c64 : index
  %expert_at = tile.element %expert[%p0] : !tile.view<?xi32> -> i32
  %andi = arith.andi %expert_at, %k : i32
  %andi_index = arith.index_cast %andi : i32 to index
  %ids2 = tile.load %ids[%muli] : !tile.view<?xi32> -> tensor<64xi32>
  %andi2 = arith.andi %ids2, %k2 : tensor<64xi32>
  %X_1 = tile.dim %X, 1 : !tile.view<?x?xbf16>
  %result = scf.for %i = %c0 to %X_1 step %c64 iter_args(%carried = %zero) -> (tensor<64x64xf32>) {
    %x_rows = tile.gather %X[%c0, %i] rows %andi2 : !tile.view<?x?xbf16>, tensor<64xi32> -> tensor<64x64xbf16>
    %w = tile.load %W[%andi_index, %muli2, %i] : !tile.view<?x?x?xbf16> -> tensor<64x64xbf16>
    %wt = tile.transpose %w : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %x_rows, %wt, %carried : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %weight2 = tile.load %weight[%muli] : !tile.view<?xf32> -> tensor<64xf32>
  %weight2_wide = tile.broadcast %weight2 axis 1 : tensor<64xf32> -> tensor<64x64xf32>
  %mulf = arith.mulf %result, %weight2_wide : tensor<64x64xf32>
  %negf = arith.negf %mulf : tensor<64x64xf32>
  %exp = math.exp %negf : tensor<64x64xf32>
  %addf = arith.addf %exp, %k3 : tensor<64x64xf32>
  %divf = arith.divf %mulf, %addf : tensor<64x64xf32>
  %divf_h = arith.truncf %divf : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %divf_h, %Y[%muli, %muli2] : tensor<64x64xbf16>, !tile.view<?x?xbf16>
  tile.return
}
