// What all programs along a dimension of the grid store alike leaves the loop with the products, and one of them
// computes it.
// RUN: heddle-opt %s --heddle-store-once --split-input-file | FileCheck %s

// CHECK-LABEL: tile.kernel @row_sums
// CHECK: %[[PM:.*]] = tile.program_id 0
// CHECK: %[[PN:.*]] = tile.program_id 1
// CHECK: %[[TURN:.*]] = arith.remui %{{.*}}, %[[GN:.*]] : index
// CHECK: %[[OWN:.*]] = arith.cmpi eq, %{{.*}}, %[[TURN]] : index
// CHECK: %[[END:.*]] = arith.select %[[OWN]], %[[K:.*]], %[[C0:.*]] : index
// CHECK: %[[ROWS:.*]] = scf.for %{{.*}} = %[[C0]] to %[[END]] step %{{.*}} iter_args(%{{.*}}) -> (tensor<64xf32>) {
// CHECK: tile.load %{{.*}} tensor<64x64xf16>
// CHECK-NOT: tile.dot
// CHECK: tile.reduce
// CHECK: scf.if %[[OWN]] {
// CHECK-NEXT: %[[HALF:.*]] = arith.mulf %[[ROWS]]
// CHECK-NEXT: tile.store %[[HALF]]
// CHECK: scf.for {{.*}} = %[[C0]] to %[[K]] {{.*}} -> (tensor<64x64xf32>) {
// CHECK-NOT: tile.reduce
// CHECK: tile.dot
tile.kernel @row_sums(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xf16>, %C: !tile.view<?x?xf32>, %R: !tile.view<?xf32>)
    attributes {tile.default_dims = {}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c64 : index
  %gn = arith.ceildivui %N, %c64 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero1 = arith.constant dense<0.0> : tensor<64xf32>
  %half = arith.constant dense<0.5> : tensor<64xf32>
  %acc, %rows = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero, %row = %zero1)
      -> (tensor<64x64xf32>, tensor<64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %a, %bt, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %a32 = arith.extf %a : tensor<64x64xf16> to tensor<64x64xf32>
    %part = tile.reduce "add" %a32 axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %nextRow = arith.addf %row, %part : tensor<64xf32>
    scf.yield %next, %nextRow : tensor<64x64xf32>, tensor<64xf32>
  }
  tile.store %acc, %C[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  %mean = arith.mulf %rows, %half : tensor<64xf32>
  tile.store %mean, %R[%m] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}

// -----

// The sums of B's rows are common to the programs of a column; what is stored for each program, or added, stays.
// CHECK-LABEL: tile.kernel @columns_and_own
// CHECK: tile.program_id 1
// CHECK: %[[OTHER:.*]] = tile.program_id 1
// CHECK-NEXT: %[[PLACE:.*]] = tile.program_id 0
// CHECK-NEXT: %[[TURN:.*]] = arith.remui %[[OTHER]]
// CHECK-NEXT: arith.cmpi eq, %[[PLACE]], %[[TURN]]
// CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]*}} = %{{[a-z0-9_]*}}) -> (tensor<64xf32>)
// CHECK: scf.if
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>)
tile.kernel @columns_and_own(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xf16>, %C: !tile.view<?x?xf32>,
                             %R: !tile.view<?x?xf32>, %S: !tile.view<?xf32>, %T: !tile.view<?xf32>)
    attributes {tile.default_dims = {}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c64 : index
  %gn = arith.ceildivui %N, %c64 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero1 = arith.constant dense<0.0> : tensor<64xf32>
  %acc, %own, %added, %common = scf.for %k = %c0 to %K step %c64
      iter_args(%sum = %zero, %x = %zero1, %y = %zero1, %z = %zero1)
      -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %a, %bt, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %a32 = arith.extf %a : tensor<64x64xf16> to tensor<64x64xf32>
    %b32 = arith.extf %b : tensor<64x64xf16> to tensor<64x64xf32>
    %ofA = tile.reduce "add" %a32 axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %ofB = tile.reduce "add" %b32 axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %nextX = arith.addf %x, %ofA : tensor<64xf32>
    %nextY = arith.addf %y, %ofA : tensor<64xf32>
    %nextZ = arith.maximumf %z, %ofB : tensor<64xf32>
    scf.yield %next, %nextX, %nextY, %nextZ : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  tile.store %acc, %C[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.store %own, %R[%pn, %m] : tensor<64xf32>, !tile.view<?x?xf32>
  tile.store %added, %S[%m] {kind = "add"} : tensor<64xf32>, !tile.view<?xf32>
  tile.store %common, %T[%n] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}

// -----

// What the product needs stays with it, and so does what is stored where others read.
// CHECK-LABEL: tile.kernel @needed
// CHECK-NOT: scf.if
// CHECK: tile.return
tile.kernel @needed(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xf16>, %C: !tile.view<?x?xf32>, %R: !tile.view<?xf32>,
                    %S: !tile.view<?xf32>) attributes {tile.default_dims = {}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c64 : index
  %gn = arith.ceildivui %N, %c64 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %c64 : index
  %n = arith.muli %pn, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero1 = arith.constant dense<0.0> : tensor<64xf32>
  %acc, %scale, %rows = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero, %x = %zero1, %y = %zero1)
      -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %a32 = arith.extf %a : tensor<64x64xf16> to tensor<64x64xf32>
    %part = tile.reduce "max" %a32 axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %nextX = arith.maximumf %x, %part : tensor<64xf32>
    %nextY = arith.addf %y, %part : tensor<64xf32>
    %rowsOf = tile.broadcast %nextX axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %sum, %rowsOf : tensor<64x64xf32>
    %next = tile.dot %a, %bt, %scaled : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next, %nextX, %nextY : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  %before = tile.load %S[%m] : !tile.view<?xf32> -> tensor<64xf32>
  %both = arith.addf %before, %rows : tensor<64xf32>
  tile.store %acc, %C[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.store %scale, %R[%m] : tensor<64xf32>, !tile.view<?xf32>
  tile.store %both, %S[%m] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}
