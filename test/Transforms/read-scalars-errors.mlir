// RUN: heddle-opt %s --heddle-read-scalars --split-input-file --verify-diagnostics -o /dev/null

tile.kernel @carried(%X: !tile.view<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %t = tile.load %X[%c0] : !tile.view<?xi32> -> tensor<8xi32>
  // expected-note@+1 {{made here}}
  %sum = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %t) -> tensor<8xi32> {
    %n = arith.addi %s, %s : tensor<8xi32>
    scf.yield %n : tensor<8xi32>
  }
  // expected-error@+1 {{expected a scalar that memory, sizes and arguments decide (every warp group computes it for itself), got one of a tile that a loop or branch passes on: this is not supported yet}}
  %e = tensor.extract %sum[%c0] : tensor<8xi32>
  %i = arith.index_cast %e : i32 to index
  tile.store %t, %X[%i] : tensor<8xi32>, !tile.view<?xi32>
  tile.return
}

// -----

tile.kernel @product(%X: !tile.view<?x64xf16>, %Y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tile.load %X[%c0, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
  // expected-note@+1 {{made here}}
  %d = tile.dot %t, %t, %z : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  // expected-error@+1 {{got one of a tile that tile.dot makes: this is not supported yet}}
  %e = tensor.extract %d[%c0, %c1] : tensor<64x64xf32>
  %s = tensor.splat %e : tensor<64xf32>
  tile.store %s, %Y[%c0] : tensor<64xf32>, !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @constants(%X: !tile.view<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  // expected-note@+1 {{made here}}
  %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  // expected-error@+1 {{got one of different constants at a place that is not constant: this is not supported yet}}
  %e = tensor.extract %t[%n] : tensor<4xi32>
  %s = tensor.splat %e : tensor<4xi32>
  tile.store %s, %X[%c0] : tensor<4xi32>, !tile.view<?xi32>
  tile.return
}

// -----

tile.kernel @resource(%X: !tile.view<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  // expected-note@+1 {{made here}}
  %t = arith.constant dense_resource<numbers> : tensor<4xi32>
  // expected-error@+1 {{got one of a constant that is not dense: this is not supported yet}}
  %e = tensor.extract %t[%c0] : tensor<4xi32>
  %s = tensor.splat %e : tensor<4xi32>
  tile.store %s, %X[%c0] : tensor<4xi32>, !tile.view<?xi32>
  tile.return
}

// -----

tile.kernel @part(%X: !tile.view<?xi32>, %Y: !tile.view<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %t = tile.load %X[%c0] : !tile.view<?xi32> -> tensor<8xi32>
  // expected-note@+1 {{made here}}
  %p = tensor.extract_slice %t[%n] [4] [1] : tensor<8xi32> to tensor<4xi32>
  // expected-error@+1 {{got one of a part with dynamic offsets or strides: this is not supported yet}}
  %e = tensor.extract %p[%c0] : tensor<4xi32>
  %s = tensor.splat %e : tensor<4xi32>
  tile.store %s, %Y[%c0] : tensor<4xi32>, !tile.view<?xi32>
  tile.return
}

// -----

tile.kernel @many(%X: !tile.view<?x128xf32>, %Y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %t = tile.load %X[%c0, %c0] : !tile.view<?x128xf32> -> tensor<64x128xf32>
  // expected-note@+1 {{made here}}
  %r = tile.reduce "add" %t axis 1 : tensor<64x128xf32> -> tensor<64xf32>
  %a = tile.reduce "max" %r axis 0 : tensor<64xf32> -> tensor<f32>
  %b = tile.broadcast %a axis 0 : tensor<f32> -> tensor<2xf32>
  // expected-error@+1 {{got one that is reduced from more than 4096 elements: this is not supported yet}}
  %e = tensor.extract %b[%c0] : tensor<2xf32>
  %s = tensor.splat %e : tensor<4xf32>
  tile.store %s, %Y[%c0] : tensor<4xf32>, !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @place(%X: !tile.view<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  // expected-note@+1 {{made here}}
  %t = tile.load %X[%c0] : !tile.view<?xi32> -> tensor<8xi32>
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error@+1 {{got one at a place that is not known at the load, of a view that the kernel stores to: this is not supported yet}}
    %e = tensor.extract %t[%i] : tensor<8xi32>
    %s = tensor.splat %e : tensor<8xi32>
    tile.store %s, %X[%i] : tensor<8xi32>, !tile.view<?xi32>
  }
  tile.return
}

// -----

tile.kernel @rows(%X: !tile.view<?xi32>, %I: !tile.view<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %r = tile.load %I[%c0] : !tile.view<?xi32> -> tensor<8xi32>
  // expected-note@+1 {{made here}}
  %t = tile.gather %X[%c0] rows %r : !tile.view<?xi32>, tensor<8xi32> -> tensor<8xi32>
  // expected-error@+1 {{got one of gathered rows of a view that the kernel stores to: this is not supported yet}}
  %e = tensor.extract %t[%c0] : tensor<8xi32>
  %s = tensor.splat %e : tensor<8xi32>
  tile.store %s, %X[%c0] : tensor<8xi32>, !tile.view<?xi32>
  tile.return
}

// -----

tile.kernel @window(%X: !tile.view<?xi32>, %Y: !tile.view<?xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  tile.grid %c8
  %at = arith.constant 32 : i64
  %w = tile.window %X at %at sizes [%c8] : !tile.view<?xi32> -> !tile.view<?xi32>
  // expected-note@+1 {{made here}}
  %t = tile.load %w[%c0] : !tile.view<?xi32> -> tensor<8xi32>
  // expected-error@+1 {{got one of a window: this is not supported yet}}
  %e = tensor.extract %t[%c0] : tensor<8xi32>
  %i = arith.index_cast %e : i32 to index
  tile.store %t, %Y[%i] : tensor<8xi32>, !tile.view<?xi32>
  tile.return
}

// -----

// What is folded decides first: fewer elements of a product would not help.
tile.kernel @maximum_of_product(%X: !tile.view<?x128xf16>, %Y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %z = arith.constant dense<0.0> : tensor<128x128xf32>
  %t = tile.load %X[%c0, %c0] : !tile.view<?x128xf16> -> tensor<128x128xf16>
  // expected-note@+1 {{made here}}
  %d = tile.dot %t, %t, %z : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
  %rows = tile.reduce "max" %d axis 1 : tensor<128x128xf32> -> tensor<128xf32>
  %most = tile.reduce "max" %rows axis 0 : tensor<128xf32> -> tensor<f32>
  // expected-error@+1 {{got one of a tile that tile.dot makes: this is not supported yet}}
  %e = tensor.extract %most[] : tensor<f32>
  %above = arith.cmpf ogt, %e, %e : f32
  scf.if %above {
    %s = tensor.splat %e : tensor<64xf32>
    tile.store %s, %Y[%c0] : tensor<64xf32>, !tile.view<?xf32>
  }
  tile.return
}
