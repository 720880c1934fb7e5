// Cross entropy of rows of up to 8192 logits against a class a row: log of the sum of exponentials less the logit.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// The class is loaded before the row is reduced.
// CUDA: __global__ void __launch_bounds__(256, 5)
// CUDA: t[0] = inside
// Rows are read once, and nothing of their size is written: their lines leave L2 before those of others.
// CUDA: hd::streamGlobalIf<hd::Vector<uint32_t, 4>>
// CUDA: hd::maximum
tile.kernel @cross_entropy_rows(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                    %T: !tile.view<?xi32> {tile.name = "T", tile.dims = ["M"]},
                    %L: !tile.view<?xf32> {tile.name = "L", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 5, N = 8000}} {
  %c0 = arith.constant 0 : index
  %m = tile.program_id 0
  %M = tile.dim %X, 0 : !tile.view<?x?xf16>
  tile.grid %M
  %x = tile.load %X[%m, %c0] : !tile.view<?x?xf16> -> tensor<1x8192xf16>
  %x32 = arith.extf %x : tensor<1x8192xf16> to tensor<1x8192xf32>
  // Columns beyond N must not count.
  %N = tile.dim %X, 1 : !tile.view<?x?xf16>
  %n = arith.index_cast %N : index to i32
  %columns = tile.iota : tensor<8192xi32>
  %ns = tensor.splat %n : tensor<8192xi32>
  %inside = arith.cmpi slt, %columns, %ns : tensor<8192xi32>
  %mask = tile.broadcast %inside axis 0 : tensor<8192xi1> -> tensor<1x8192xi1>
  %least = arith.constant dense<0xFF800000> : tensor<1x8192xf32>
  %v = arith.select %mask, %x32, %least : tensor<1x8192xi1>, tensor<1x8192xf32>
  %max = tile.reduce "max" %v axis 1 : tensor<1x8192xf32> -> tensor<1xf32>
  %maxs = tile.broadcast %max axis 1 : tensor<1xf32> -> tensor<1x8192xf32>
  %d = arith.subf %v, %maxs : tensor<1x8192xf32>
  %e = math.exp %d : tensor<1x8192xf32>
  %sum = tile.reduce "add" %e axis 1 : tensor<1x8192xf32> -> tensor<1xf32>
  %log = math.log %sum : tensor<1xf32>
  %t = tile.load %T[%m] : !tile.view<?xi32> -> tensor<1xi32>
  %ts = tile.broadcast %t axis 1 : tensor<1xi32> -> tensor<1x8192xi32>
  %columns2 = tile.broadcast %columns axis 0 : tensor<8192xi32> -> tensor<1x8192xi32>
  %is = arith.cmpi eq, %columns2, %ts : tensor<1x8192xi32>
  %zero = arith.constant dense<0.0> : tensor<1x8192xf32>
  %picked = arith.select %is, %d, %zero : tensor<1x8192xi1>, tensor<1x8192xf32>
  %logit = tile.reduce "add" %picked axis 1 : tensor<1x8192xf32> -> tensor<1xf32>
  %loss = arith.subf %log, %logit : tensor<1xf32>
  tile.store %loss, %L[%m] : tensor<1xf32>, !tile.view<?xf32>
  tile.return
}
