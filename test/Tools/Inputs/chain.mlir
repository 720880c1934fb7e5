// y = 4 x, and total = the sum of y in parts of 128: three launches of two kernels, two workspaces.
tile.kernel @twice(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                   %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]}) {
  %c128 = arith.constant 128 : index
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %programs = arith.ceildivui %n, %c128 : index
  tile.grid %programs
  %p = tile.program_id 0
  %i = arith.muli %p, %c128 : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32>
  %u = arith.addf %t, %t : tensor<128xf32>
  tile.store %u, %y[%i] : tensor<128xf32>, !tile.view<?xf32>
  tile.return
}

// Every program adds its numbers to one row: sums[i] = start + the sum of x[128 p + i] over p.
tile.kernel @folded(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                    %sums: !tile.view<128xf32> {tile.name = "sums"}, %factor: f32 {tile.name = "factor"}) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %programs = arith.ceildivui %n, %c128 : index
  tile.grid %programs
  %p = tile.program_id 0
  %i = arith.muli %p, %c128 : index
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32>
  %f = tensor.splat %factor : tensor<128xf32>
  %u = arith.mulf %t, %f : tensor<128xf32>
  tile.store %u, %sums[%c0] {kind = "add"} : tensor<128xf32>, !tile.view<128xf32>
  tile.return
}

tile.chain @fourfold(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                     %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]},
                     %total: !tile.view<128xf32> {tile.name = "total"},
                     %s: f32 {tile.name = "s", tile.default = 0.5 : f32})
    attributes {tile.default_dims = {N = 300}} {
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %half = tile.workspace "half" [%n] : !tile.view<?xf32>
  %sums = tile.workspace "sums" zeroed [] : !tile.view<128xf32>
  %one = arith.constant 1.0 : f32
  %c128 = arith.constant 128 : index
  tile.launch @twice(%x, %half) : !tile.view<?xf32>, !tile.view<?xf32>
  tile.launch @twice(%half, %y) : !tile.view<?xf32>, !tile.view<?xf32>
  tile.launch @folded(%y, %sums, %s) : !tile.view<?xf32>, !tile.view<128xf32>, f32
  tile.launch @folded(%sums, %total, %one) : !tile.view<128xf32>, !tile.view<128xf32>, f32
  tile.return
}
