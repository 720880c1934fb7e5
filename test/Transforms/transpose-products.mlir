// Which products are computed transposed: those whose right operand threads make of loaded tiles, or turn.
// RUN: heddle-opt %s --heddle-transpose-products | FileCheck %s
// RUN: heddle-opt %s --heddle-transpose-computed-operands | FileCheck %s --check-prefix=COMPUTED

// Weights of 8 bits: the product takes them from registers, and what is behind the loop the transpose of the sums.
// CHECK-LABEL: @weights
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<256x128xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[IN:.*]] = %[[ZERO]]) -> (tensor<256x128xf32>)
// CHECK: %[[X:.*]] = tile.load %{{.*}} -> tensor<128x64xf16>
// CHECK: %[[XT:.*]] = tile.transpose %[[X]]
// CHECK: %[[Q:.*]] = tile.load %{{.*}} -> tensor<256x64xi8>
// CHECK: %[[W:.*]] = arith.sitofp %[[Q]]
// CHECK-NOT: tile.transpose
// CHECK: tile.dot %[[W]], %[[XT]], %[[IN]] : tensor<256x64xf16>, tensor<64x128xf16>, tensor<256x128xf32>
// CHECK: %[[BACK:.*]] = tile.transpose %[[SUM]] : tensor<256x128xf32> -> tensor<128x256xf32>
// CHECK: arith.truncf %[[BACK]]
tile.kernel @weights(%X: !tile.view<?x?xf16>, %W: !tile.view<?x?xi8>, %Y: !tile.view<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %K = tile.dim %X, 1 : !tile.view<?x?xf16>
  %one = arith.constant 1 : index
  tile.grid %one
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %q = tile.load %W[%c0, %k] : !tile.view<?x?xi8> -> tensor<256x64xi8>
    %w = arith.sitofp %q : tensor<256x64xi8> to tensor<256x64xf16>
    %wt = tile.transpose %w : tensor<256x64xf16> -> tensor<64x256xf16>
    %out = tile.dot %x, %wt, %in : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    scf.yield %out : tensor<128x256xf32>
  }
  %y = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store %y, %Y[%c0, %c0] : tensor<128x256xf16>, !tile.view<?x?xf16>
  tile.return
}

// Sums that a loop scales by rows and passes through a loop around it; the rows are the columns of what runs. A matrix
// that is added behind the loops is none of the sums.
// CHECK-LABEL: @scaled_sums
// CHECK: %[[F:.*]] = tile.broadcast %{{.*}} axis 0 : tensor<64xf32> -> tensor<128x64xf32>
// CHECK: scf.for {{.*}} -> (tensor<128x64xf32>)
// CHECK: scf.for {{.*}} -> (tensor<128x64xf32>)
// CHECK: %[[BT:.*]] = tile.transpose %{{.*}} : tensor<32x128xf32> -> tensor<128x32xf32>
// CHECK: %[[D:.*]] = tile.dot %[[BT]], %{{.*}} : tensor<128x32xf32>, tensor<32x64xf32>, tensor<128x64xf32>
// CHECK: arith.mulf %[[D]], %[[F]] : tensor<128x64xf32>
// CHECK: tile.transpose %{{.*}} : tensor<128x64xf32> -> tensor<64x128xf32>
// CHECK: arith.addf {{.*}} : tensor<64x128xf32>
tile.kernel @scaled_sums(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xf32>, %F: !tile.view<?xf32>,
                         %C: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bk = arith.constant 32 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf32>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %f = tile.load %F[%c0] : !tile.view<?xf32> -> tensor<64xf32>
  %factor = tile.broadcast %f axis 1 : tensor<64xf32> -> tensor<64x128xf32>
  %all = scf.for %j = %c0 to %c2 step %c1 iter_args(%outer = %zero) -> (tensor<64x128xf32>) {
    %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %outer) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%c0, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
      %b = tile.load %B[%k, %c0] : !tile.view<?x?xf32> -> tensor<32x128xf32>
      %d = tile.dot %a, %b, %in : tensor<64x32xf32>, tensor<32x128xf32>, tensor<64x128xf32>
      %s = arith.mulf %d, %factor : tensor<64x128xf32>
      scf.yield %s : tensor<64x128xf32>
    }
    scf.yield %sum : tensor<64x128xf32>
  }
  %c = tile.load %C[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x128xf32>
  %e = arith.addf %all, %c : tensor<64x128xf32>
  tile.store %e, %C[%c0, %c0] : tensor<64x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// A left operand that is computed, too, gains nothing.
// CHECK-LABEL: @both_computed
// CHECK: tile.dot {{.*}} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
// CHECK-NOT: tile.transpose
// One group would compute the 64 rows that are two groups' now.
// CHECK-LABEL: @fewer_groups
// CHECK: tile.dot {{.*}} : tensor<256x64xf16>, tensor<64x64xf16>, tensor<256x64xf32>
// Elements of 8 bits that lie across the contraction are read one by one.
// CHECK-LABEL: @bytes_across
// CHECK: tile.transpose %{{.*}} : tensor<64x128xi8> -> tensor<128x64xi8>
// CHECK: tile.dot {{.*}} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
// Sums that the loop stores would be transposed in every iteration.
// CHECK-LABEL: @stored_sums
// CHECK: tile.dot {{.*}} : tensor<64x32xf32>, tensor<32x128xf32>, tensor<64x128xf32>
tile.kernel @both_computed(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xf16>, %C: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %an = arith.negf %a : tensor<128x64xf16>
    %bn = arith.negf %b : tensor<64x128xf16>
    %out = tile.dot %an, %bn, %in : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %out : tensor<128x128xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}

tile.kernel @fewer_groups(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xf16>, %C: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<256x64xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16> -> tensor<256x64xf16>
    %b = tile.load %B[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bn = arith.negf %b : tensor<64x64xf16>
    %out = tile.dot %a, %bn, %in : tensor<256x64xf16>, tensor<64x64xf16>, tensor<256x64xf32>
    scf.yield %out : tensor<256x64xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<256x64xf32>, !tile.view<?x?xf32>
  tile.return
}

tile.kernel @bytes_across(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xi8>, %C: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %q = tile.load %B[%k, %c0] : !tile.view<?x?xi8> -> tensor<64x128xi8>
    %b = arith.sitofp %q : tensor<64x128xi8> to tensor<64x128xf16>
    %out = tile.dot %a, %b, %in : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %out : tensor<128x128xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}

tile.kernel @stored_sums(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xf32>, %C: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 32 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf32>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<64x128xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %b = tile.load %B[%k, %c0] : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %d = tile.dot %a, %b, %in : tensor<64x32xf32>, tensor<32x128xf32>, tensor<64x128xf32>
    tile.store %d, %C[%k, %c0] : tensor<64x128xf32>, !tile.view<?x?xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<64x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// Eight weights of four bits share a number: its copies stand along the other dimension then.
// CHECK-LABEL: @packed
// CHECK: %[[Q:.*]] = tile.load %{{.*}} -> tensor<8x128xi32>
// CHECK: %[[T:.*]] = tile.transpose %[[Q]] : tensor<8x128xi32> -> tensor<128x8xi32>
// CHECK: %[[R:.*]] = tile.broadcast %[[T]] axis 2 : tensor<128x8xi32> -> tensor<128x8x8xi32>
// CHECK: tensor.collapse_shape %[[R]] {{\[\[}}0], [1, 2]] : tensor<128x8x8xi32> into tensor<128x64xi32>
// CHECK: arith.shrui %{{.*}} : tensor<128x64xi32>
// CHECK: tile.dot {{.*}} : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
tile.kernel @packed(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xi32>, %C: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %bk = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  %positions = tile.iota : tensor<64xi32>
  %shifts = tile.broadcast %positions axis 1 : tensor<64xi32> -> tensor<64x128xi32>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %row = arith.divui %k, %c8 : index
    %q = tile.load %B[%row, %c0] : !tile.view<?x?xi32> -> tensor<8x128xi32>
    %copies = tile.broadcast %q axis 1 : tensor<8x128xi32> -> tensor<8x8x128xi32>
    %rows = tensor.collapse_shape %copies [[0, 1], [2]] : tensor<8x8x128xi32> into tensor<64x128xi32>
    %bits = arith.shrui %rows, %shifts : tensor<64x128xi32>
    %b = arith.sitofp %bits : tensor<64x128xi32> to tensor<64x128xf16>
    %out = tile.dot %a, %b, %in : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %out : tensor<128x128xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// A right operand that stays one is computed as its tiles lie.
// CHECK-LABEL: @computed_along
// CHECK: arith.negf %{{.*}} : tensor<64x128xf16>
// COMPUTED-LABEL: @computed_along
// COMPUTED: tile.load
// COMPUTED: %[[B:.*]] = tile.load %{{.*}} -> tensor<128x64xf16>
// COMPUTED: %[[N:.*]] = arith.negf %[[B]] : tensor<128x64xf16>
// COMPUTED: %[[T:.*]] = tile.transpose %[[N]] : tensor<128x64xf16> -> tensor<64x128xf16>
// COMPUTED: tile.dot %{{.*}}, %[[T]]
tile.kernel @computed_along(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xf16>, %C: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %an = arith.negf %a : tensor<128x64xf16>
    %bn = arith.negf %bt : tensor<64x128xf16>
    %out = tile.dot %an, %bn, %in : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %out : tensor<128x128xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// Sixteen rows are computed as sixteen columns, though the right operand is read as it was loaded; the rows may be
// gathered. 64 columns would be as many rows as those that are computed in vain now.
// CHECK-LABEL: @few_rows
// CHECK: tile.dot {{.*}} : tensor<128x64xf16>, tensor<64x16xf16>, tensor<128x16xf32>
// CHECK: tile.dot {{.*}} : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
tile.kernel @few_rows(%A: !tile.view<?x?xf16>, %I: !tile.view<?xi32>, %B: !tile.view<?x?xf16>,
                      %C: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %zeros = arith.constant dense<0.0> : tensor<16x64xf32>
  %rows = tile.load %I[%c0] : !tile.view<?xi32> -> tensor<16xi32>
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%in = %zero) -> (tensor<16x128xf32>) {
    %a = tile.gather %A[%c0, %k] rows %rows : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %bt = tile.transpose %b : tensor<128x64xf16> -> tensor<64x128xf16>
    %out = tile.dot %a, %bt, %in : tensor<16x64xf16>, tensor<64x128xf16>, tensor<16x128xf32>
    scf.yield %out : tensor<16x128xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<16x128xf32>, !tile.view<?x?xf32>
  %less = scf.for %k = %c0 to %K step %bk iter_args(%in = %zeros) -> (tensor<16x64xf32>) {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %out = tile.dot %a, %bt, %in : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
    scf.yield %out : tensor<16x64xf32>
  }
  tile.store %less, %C[%c0, %c0] : tensor<16x64xf32>, !tile.view<?x?xf32>
  tile.return
}
