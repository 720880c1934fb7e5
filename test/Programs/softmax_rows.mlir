// Softmax of rows of up to 8192 numbers, a row a program.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: verified
// CUDA: __global__
// As much is written as is read, which an order of leaving L2 does not help.
// CUDA: hd::loadGlobalIf<hd::Vector<uint32_t, 4>>
tile.kernel @softmax_rows(%X: !tile.view<?x?xf16> {tile.name = "X", tile.dims = ["M", "N"]},
                    %Y: !tile.view<?x?xf16> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 3, N = 8000}} {
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
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %inverse = arith.divf %one, %sum : tensor<1xf32>
  %scale = tile.broadcast %inverse axis 1 : tensor<1xf32> -> tensor<1x8192xf32>
  %y = arith.mulf %e, %scale : tensor<1x8192xf32>
  %h = arith.truncf %y : tensor<1x8192xf32> to tensor<1x8192xf16>
  tile.store %h, %Y[%m, %c0] : tensor<1x8192xf16>, !tile.view<?x?xf16>
  tile.return
}
