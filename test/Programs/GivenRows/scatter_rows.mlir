// Products of tokens go where a table names, the place of each token: over two warp groups, rows outside of the view
// dropped. Their sums of columns, added into few places, and the table's rows of one column.
// RUN: heddle run %s --device=sim '--input=ids=arange(0, 2)' | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 '--input=ids=arange(0, 2)' | FileCheck %s
// RUN: heddle run %s --device=sim '--input=ids=arange(0, 2)' --dims=T=129,K=72,M=133,N=64 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @scatter(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                     %ids: !tile.view<?xi32> {tile.name = "ids", tile.dims = ["M"]},
                     %B: !tile.view<64x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                     %C: !tile.view<?x64xf16> {tile.name = "C", tile.dims = ["T", "N"]},
                     %S: !tile.view<4x64xf32> {tile.name = "S", tile.dims = ["P", "N"]},
                     %W: !tile.view<?xf32> {tile.name = "W", tile.dims = ["T"]})
    attributes {tile.default_dims = {T = 300, K = 192, M = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %three = arith.constant dense<3> : tensor<128xi32>
  %M = tile.dim %ids, 0 : !tile.view<?xi32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %g = arith.ceildivui %M, %c128 : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %c128 : index
  %named = tile.load %ids[%m] : !tile.view<?xi32> -> tensor<128xi32>
  // Lanes behind the table are nowhere.
  %lanes = tile.iota : tensor<128xi32>
  %end = arith.subi %M, %m : index
  %end32 = arith.index_cast %end : index to i32
  %ends = tensor.splat %end32 : tensor<128xi32>
  %in = arith.cmpi slt, %lanes, %ends : tensor<128xi32>
  %nowhere = arith.constant dense<-1> : tensor<128xi32>
  %rows = arith.select %in, %named, %nowhere : tensor<128xi1>, tensor<128xi32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<64x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %bt, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  %h = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %h, %C[%c0, %c0] rows %rows : tensor<128x64xf16>, !tile.view<?x64xf16>, tensor<128xi32>
  %few = arith.andi %rows, %three : tensor<128xi32>
  tile.store %acc, %S[%c0, %c0] rows %few {kind = "add"} : tensor<128x64xf32>, !tile.view<4x64xf32>, tensor<128xi32>
  %w = arith.sitofp %rows : tensor<128xi32> to tensor<128xf32>
  tile.store %w, %W[%c0] rows %rows : tensor<128xf32>, !tile.view<?xf32>, tensor<128xi32>
  tile.return
}
