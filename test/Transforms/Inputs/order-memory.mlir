// Programs whose meaning depends on the order of accesses to one view. Each one names what it shows.

// Y = X, Z = Y: the load has to see the store.
tile.kernel @straight(%X: !tile.view<64x64xf16> {tile.name = "X"}, %Y: !tile.view<64x64xf16> {tile.name = "Y"},
                      %Z: !tile.view<64x64xf16> {tile.name = "Z"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %a = tile.load %X[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  tile.store %a, %Y[%c0, %c0] : tensor<64x64xf16>, !tile.view<64x64xf16>
  %b = tile.load %Y[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  tile.store %b, %Z[%c0, %c0] : tensor<64x64xf16>, !tile.view<64x64xf16>
  tile.return
}

// The second store wins.
tile.kernel @overwritten(%X: !tile.view<64x64xf16> {tile.name = "X"}, %W: !tile.view<64x64xf16> {tile.name = "W"},
                         %Z: !tile.view<64x64xf16> {tile.name = "Z"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %a = tile.load %X[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %b = tile.load %W[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  tile.store %a, %Z[%c0, %c0] : tensor<64x64xf16>, !tile.view<64x64xf16>
  tile.store %b, %Z[%c0, %c0] : tensor<64x64xf16>, !tile.view<64x64xf16>
  tile.return
}

// Running sums of rows through memory: each iteration reads what the last one wrote.
tile.kernel @recurrence(%X: !tile.view<?x64xf16> {tile.name = "X", tile.dims = ["M", "D"]},
                        %Y: !tile.view<?x64xf16> {tile.name = "Y", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 512}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  scf.for %i = %c64 to %M step %c64 {
    %p = arith.subi %i, %c64 : index
    %a = tile.load %X[%i, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %b = tile.load %Y[%p, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %c = arith.addf %a, %b : tensor<64x64xf16>
    tile.store %c, %Y[%i, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  }
  tile.return
}

// In place: what an iteration overwrites it has read, and no other reads it. The copy engine still loads.
tile.kernel @inplace(%X: !tile.view<?x64xf16> {tile.name = "X", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 512}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  scf.for %i = %c0 to %M step %c64 {
    %a = tile.load %X[%i, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %c = arith.addf %a, %a : tensor<64x64xf16>
    tile.store %c, %X[%i, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  }
  tile.return
}

// The same three times over: every sweep reads what the one before wrote.
tile.kernel @sweeps(%X: !tile.view<?x64xf16> {tile.name = "X", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 256}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  scf.for %s = %c0 to %c3 step %c1 {
    scf.for %i = %c0 to %M step %c64 {
      %a = tile.load %X[%i, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
      %c = arith.addf %a, %a : tensor<64x64xf16>
      tile.store %c, %X[%i, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
    }
  }
  tile.return
}

// A sum kept in memory, of rank 1: ordinary loads and stores.
tile.kernel @accumulate(%X: !tile.view<?x64xf32> {tile.name = "X", tile.dims = ["M", "D"]},
                        %S: !tile.view<64xf32> {tile.name = "S", tile.dims = ["D"]})
    attributes {tile.default_dims = {M = 512}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf32>
  tile.grid %c1
  scf.for %i = %c0 to %M step %c64 {
    %a = tile.load %X[%i, %c0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %r = tile.reduce "add" %a axis 0 : tensor<64x64xf32> -> tensor<64xf32>
    %s = tile.load %S[%c0] : !tile.view<64xf32> -> tensor<64xf32>
    %t = arith.addf %r, %s : tensor<64xf32>
    tile.store %t, %S[%c0] : tensor<64xf32>, !tile.view<64xf32>
  }
  tile.return
}

// A product stored, loaded again as the operand of another: one warp group, since each would need the other's rows.
tile.kernel @square(%A: !tile.view<128x128xf16> {tile.name = "A"}, %T: !tile.view<128x128xf16> {tile.name = "T"},
                    %C: !tile.view<128x128xf16> {tile.name = "C"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<128x128xf16> -> tensor<128x128xf16>
  %b = tile.load %A[%c0, %c0] : !tile.view<128x128xf16> -> tensor<128x128xf16>
  %p = tile.dot %a, %b, %zero : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
  %h = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %h, %T[%c0, %c0] : tensor<128x128xf16>, !tile.view<128x128xf16>
  %t = tile.load %T[%c0, %c0] : !tile.view<128x128xf16> -> tensor<128x128xf16>
  %u = tile.load %T[%c0, %c0] : !tile.view<128x128xf16> -> tensor<128x128xf16>
  %q = tile.dot %t, %u, %zero : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
  %g = arith.truncf %q : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %g, %C[%c0, %c0] : tensor<128x128xf16>, !tile.view<128x128xf16>
  tile.return
}

// Each iteration adds a product to what the last one left in memory; the sum in memory is the next accumulator.
tile.kernel @chain(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                   %X: !tile.view<?x?xf32> {tile.name = "X", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 64 : i64, N = 64 : i64, K = 256 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bk = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c1
  scf.for %k = %c0 to %K step %bk {
    %a = tile.load %A[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %x = tile.load %X[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %bt = tile.transpose %b : tensor<64x64xf16> -> tensor<64x64xf16>
    %n = tile.dot %a, %bt, %x : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.store %n, %X[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
  tile.return
}

// What is stored is an operand of the next iteration's product, two iterations later: the distance is in the scheduling
// problem.
tile.kernel @powers(%A: !tile.view<64x64xf16> {tile.name = "A"}, %P: !tile.view<?x64xf16> {tile.name = "P", tile.dims = ["R", "D"]})
    attributes {tile.default_dims = {R = 512}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %R = tile.dim %P, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %tenth = arith.constant dense<0.1> : tensor<64x64xf32>
  %a = tile.load %A[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  scf.for %i = %c128 to %R step %c64 {
    %before = arith.subi %i, %c128 : index
    %p = tile.load %P[%before, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %p, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %s = arith.mulf %d, %tenth : tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %h, %P[%i, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
  }
  tile.return
}

// A load of the outer loop reads what the inner loop stored an outer iteration before.
tile.kernel @outer(%X: !tile.view<?x64xf16> {tile.name = "X", tile.dims = ["M", "D"]},
                   %Y: !tile.view<?x64xf16> {tile.name = "Y", tile.dims = ["M", "D"]})
    attributes {tile.default_dims = {M = 256}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %half = arith.constant dense<0.5> : tensor<64x64xf16>
  %M = tile.dim %X, 0 : !tile.view<?x64xf16>
  tile.grid %c1
  scf.for %i = %c0 to %M step %c64 {
    %r = tile.load %Y[%i, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %t = arith.mulf %r, %half : tensor<64x64xf16>
    scf.for %j = %c0 to %M step %c64 {
      %x = tile.load %X[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
      %s = arith.addf %x, %t : tensor<64x64xf16>
      tile.store %s, %Y[%j, %c0] : tensor<64x64xf16>, !tile.view<?x64xf16>
    }
  }
  tile.return
}
