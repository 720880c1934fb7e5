// A product that begins with a bias, with an activation behind it; its columns are those of a loop that begins late.
tile.kernel @split(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                   %bias: !tile.view<?x?xf32> {tile.name = "bias", tile.dims = ["M", "N"]},
                   %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 150, N = 72, K = 460}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c64 : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m = arith.muli %pm, %c64 : index
  %first = tile.load %bias[%m, %c0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
  %sum = scf.for %k = %m to %K step %c64 iter_args(%acc = %first) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %next = tile.dot %a, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %positive = arith.maximumf %sum, %zero : tensor<64x64xf32>
  %c = arith.truncf %positive : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %c, %C[%m, %c0] : tensor<64x64xf16>, !tile.view<?x?xf16>
  tile.return
}

// Sums without a product, two of them, one of which begins with the other's first tile.
tile.kernel @from_bias(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 150, N = 64, K = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c64
  %pm = tile.program_id 0
  %m = arith.muli %pm, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %h = tile.load %A[%m, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  %first = arith.extf %h : tensor<64x64xf16> to tensor<64x64xf32>
  %x, %y = scf.for %k = %c0 to %K step %c64 iter_args(%a = %zero, %b = %first)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %t = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %f = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
    %p = arith.addf %a, %f : tensor<64x64xf32>
    %q = arith.addf %f, %b : tensor<64x64xf32>
    scf.yield %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %z = arith.mulf %x, %y : tensor<64x64xf32>
  tile.store %z, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

tile.kernel @read_twice(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 150, N = 64, K = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c64
  %pm = tile.program_id 0
  %m = arith.muli %pm, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x, %y = scf.for %k = %c0 to %K step %c64 iter_args(%a = %zero, %b = %zero)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %t = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %f = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
    %p = arith.addf %a, %f : tensor<64x64xf32>
    %q = arith.addf %a, %f : tensor<64x64xf32>
    scf.yield %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.store %x, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

tile.kernel @exchanged(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 150, N = 64, K = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c64
  %pm = tile.program_id 0
  %m = arith.muli %pm, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x, %y = scf.for %k = %c0 to %K step %c64 iter_args(%a = %zero, %b = %zero)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %t = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %f = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
    %p = arith.addf %a, %f : tensor<64x64xf32>
    %q = arith.addf %b, %f : tensor<64x64xf32>
    scf.yield %q, %p : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.store %x, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

tile.kernel @unread(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 150, N = 64, K = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c64
  %pm = tile.program_id 0
  %m = arith.muli %pm, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x, %y = scf.for %k = %c0 to %K step %c64 iter_args(%a = %zero, %b = %zero)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %t = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %f = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
    %p = arith.addf %a, %f : tensor<64x64xf32>
    %q = arith.addf %f, %b : tensor<64x64xf32>
    scf.yield %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.store %zero, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

tile.kernel @in_clusters(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {cluster = 2 : i64, tile.default_dims = {M = 150, N = 64, K = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c64
  %pm = tile.program_id 0
  %m = arith.muli %pm, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x, %y = scf.for %k = %c0 to %K step %c64 iter_args(%a = %zero, %b = %zero)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %t = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %f = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
    %p = arith.addf %a, %f : tensor<64x64xf32>
    %q = arith.addf %f, %b : tensor<64x64xf32>
    scf.yield %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.store %x, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}

tile.kernel @stored_before(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                   %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 150, N = 64, K = 200}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.grid %c64
  %true = arith.constant true
  %pm = tile.program_id 0
  %m = arith.muli %pm, %c64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = scf.if %true -> (index) {
    tile.store %zero, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    scf.yield %c64 : index
  } else {
    scf.yield %c0 : index
  }
  %x, %y = scf.for %k = %n to %K step %c64 iter_args(%a = %zero, %b = %zero)
      -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %t = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %f = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
    %p = arith.addf %a, %f : tensor<64x64xf32>
    %q = arith.addf %f, %b : tensor<64x64xf32>
    scf.yield %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.store %x, %C[%m, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  tile.return
}
