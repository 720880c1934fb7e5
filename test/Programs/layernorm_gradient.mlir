// The gradient of LayerNorm: rows of a program one after the other, sums of columns carried beside them. Such a sum has
// a register for every element of a row that a thread holds, which nothing but its fold says.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
!m = !tile.view<?x1024xf16>
!v = !tile.view<1024xf32>
tile.kernel @layernorm_gradient(%X: !m {tile.name = "X", tile.dims = ["M", "N"]},
                                %dY: !m {tile.name = "dY", tile.dims = ["M", "N"]},
                                %gain: !v {tile.name = "gain", tile.dims = ["N"]},
                                %dX: !m {tile.name = "dX", tile.dims = ["M", "N"]},
                                %dGain: !v {tile.name = "dGain", tile.dims = ["N"]},
                                %dBias: !v {tile.name = "dBias", tile.dims = ["N"]})
    attributes {tile.default_dims = {M = 30}} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %rows = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %share = arith.constant dense<9.765625e-4> : tensor<4xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<4xf32>
  %M = tile.dim %X, 0 : !m
  %programs = arith.ceildivui %M, %rows : index
  tile.grid %programs
  %p = tile.program_id 0
  %m = arith.muli %p, %rows : index
  %gains = tile.load %gain[%c0] : !v -> tensor<1024xf32>
  %g = tile.broadcast %gains axis 0 : tensor<1024xf32> -> tensor<4x1024xf32>
  %a, %b = scf.for %i = %c0 to %rows step %c4 iter_args(%sa = %zero, %sb = %zero)
      -> (tensor<1024xf32>, tensor<1024xf32>) {
    %at = arith.addi %m, %i : index
    %xh = tile.load %X[%at, %c0] : !m -> tensor<4x1024xf16>
    %x = arith.extf %xh : tensor<4x1024xf16> to tensor<4x1024xf32>
    %dyh = tile.load %dY[%at, %c0] : !m -> tensor<4x1024xf16>
    %dy = arith.extf %dyh : tensor<4x1024xf16> to tensor<4x1024xf32>
    %sum = tile.reduce "add" %x axis 1 : tensor<4x1024xf32> -> tensor<4xf32>
    %mean = arith.mulf %sum, %share : tensor<4xf32>
    %means = tile.broadcast %mean axis 1 : tensor<4xf32> -> tensor<4x1024xf32>
    %c = arith.subf %x, %means : tensor<4x1024xf32>
    %cc = arith.mulf %c, %c : tensor<4x1024xf32>
    %squares = tile.reduce "add" %cc axis 1 : tensor<4x1024xf32> -> tensor<4xf32>
    %variance = arith.mulf %squares, %share : tensor<4xf32>
    %positive = arith.addf %variance, %eps : tensor<4xf32>
    %r = math.rsqrt %positive : tensor<4xf32>
    %rs = tile.broadcast %r axis 1 : tensor<4xf32> -> tensor<4x1024xf32>
    %n = arith.mulf %c, %rs : tensor<4x1024xf32>
    %w = arith.mulf %dy, %g : tensor<4x1024xf32>
    %wn = arith.mulf %w, %n : tensor<4x1024xf32>
    %wns = tile.reduce "add" %wn axis 1 : tensor<4x1024xf32> -> tensor<4xf32>
    %wnm = arith.mulf %wns, %share : tensor<4xf32>
    %wnb = tile.broadcast %wnm axis 1 : tensor<4xf32> -> tensor<4x1024xf32>
    %ws = tile.reduce "add" %w axis 1 : tensor<4x1024xf32> -> tensor<4xf32>
    %wm = arith.mulf %ws, %share : tensor<4xf32>
    %wb = tile.broadcast %wm axis 1 : tensor<4xf32> -> tensor<4x1024xf32>
    %along = arith.mulf %n, %wnb : tensor<4x1024xf32>
    %d1 = arith.subf %w, %along : tensor<4x1024xf32>
    %d2 = arith.subf %d1, %wb : tensor<4x1024xf32>
    %d = arith.mulf %d2, %rs : tensor<4x1024xf32>
    %dh = arith.truncf %d : tensor<4x1024xf32> to tensor<4x1024xf16>
    tile.store %dh, %dX[%at, %c0] : tensor<4x1024xf16>, !m
    %dn = arith.mulf %dy, %n : tensor<4x1024xf32>
    %dns = tile.reduce "add" %dn axis 0 : tensor<4x1024xf32> -> tensor<1024xf32>
    %na = arith.addf %sa, %dns : tensor<1024xf32>
    %dys = tile.reduce "add" %dy axis 0 : tensor<4x1024xf32> -> tensor<1024xf32>
    %nb = arith.addf %sb, %dys : tensor<1024xf32>
    scf.yield %na, %nb : tensor<1024xf32>, tensor<1024xf32>
  }
  tile.store %a, %dGain[%c0] {kind = "add"} : tensor<1024xf32>, !v
  tile.store %b, %dBias[%c0] {kind = "add"} : tensor<1024xf32>, !v
  tile.return
}
