// A value that could be computed again from an iota, but not forty times twice: recomputing is bounded.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
tile.kernel @doubled(%P: !tile.view<?xi32> {tile.name = "P", tile.dims = ["M"]})
    attributes {tile.default_dims = {M = 100}} {
  %c64 = arith.constant 64 : index
  %M = tile.dim %P, 0 : !tile.view<?xi32>
  %programs = arith.ceildivui %M, %c64 : index
  tile.grid %programs
  %p = tile.program_id 0
  %m = arith.muli %p, %c64 : index
  %0 = tile.iota {start = 1 : i64} : tensor<64xi32>
  %1 = arith.addi %0, %0 : tensor<64xi32>
  %2 = arith.addi %1, %1 : tensor<64xi32>
  %3 = arith.addi %2, %2 : tensor<64xi32>
  %4 = arith.addi %3, %3 : tensor<64xi32>
  %5 = arith.addi %4, %4 : tensor<64xi32>
  %6 = arith.addi %5, %5 : tensor<64xi32>
  %7 = arith.addi %6, %6 : tensor<64xi32>
  %8 = arith.addi %7, %7 : tensor<64xi32>
  %9 = arith.addi %8, %8 : tensor<64xi32>
  %10 = arith.addi %9, %9 : tensor<64xi32>
  %11 = arith.addi %10, %10 : tensor<64xi32>
  %12 = arith.addi %11, %11 : tensor<64xi32>
  %13 = arith.addi %12, %12 : tensor<64xi32>
  %14 = arith.addi %13, %13 : tensor<64xi32>
  %15 = arith.addi %14, %14 : tensor<64xi32>
  %16 = arith.addi %15, %15 : tensor<64xi32>
  %17 = arith.addi %16, %16 : tensor<64xi32>
  %18 = arith.addi %17, %17 : tensor<64xi32>
  %19 = arith.addi %18, %18 : tensor<64xi32>
  %20 = arith.addi %19, %19 : tensor<64xi32>
  %21 = arith.addi %20, %20 : tensor<64xi32>
  %22 = arith.addi %21, %21 : tensor<64xi32>
  %23 = arith.addi %22, %22 : tensor<64xi32>
  %24 = arith.addi %23, %23 : tensor<64xi32>
  %25 = arith.addi %24, %24 : tensor<64xi32>
  %26 = arith.addi %25, %25 : tensor<64xi32>
  %27 = arith.addi %26, %26 : tensor<64xi32>
  %28 = arith.addi %27, %27 : tensor<64xi32>
  %29 = arith.addi %28, %28 : tensor<64xi32>
  %30 = arith.addi %29, %29 : tensor<64xi32>
  %31 = arith.addi %30, %30 : tensor<64xi32>
  %32 = arith.addi %31, %31 : tensor<64xi32>
  %33 = arith.addi %32, %32 : tensor<64xi32>
  %34 = arith.addi %33, %33 : tensor<64xi32>
  %35 = arith.addi %34, %34 : tensor<64xi32>
  %36 = arith.addi %35, %35 : tensor<64xi32>
  %37 = arith.addi %36, %36 : tensor<64xi32>
  %38 = arith.addi %37, %37 : tensor<64xi32>
  %39 = arith.addi %38, %38 : tensor<64xi32>
  %40 = arith.addi %39, %39 : tensor<64xi32>
  %all = arith.addi %40, %20 : tensor<64xi32>
  %sum = arith.addi %all, %0 : tensor<64xi32>
  tile.store %sum, %P[%m] : tensor<64xi32>, !tile.view<?xi32>
  tile.return
}
