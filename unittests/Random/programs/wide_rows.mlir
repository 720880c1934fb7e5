// Stores of rows wider than one copy of 128 bytes, where no dot decides which thread holds what: a softmax of rows, and
// its input as f32.
tile.kernel @wide_rows(%x: !tile.view<?x256xf16> {tile.name = "x", tile.dims = ["M", "N"]},
                       %y: !tile.view<?x256xf16> {tile.name = "y", tile.dims = ["M", "N"]},
                       %z: !tile.view<?x256xf32> {tile.name = "z", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 40}} {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 32 : index
  %m = tile.dim %x, 0 : !tile.view<?x256xf16>
  %programs = arith.ceildivui %m, %rows : index
  tile.grid %programs
  %pid = tile.program_id 0
  %i = arith.muli %pid, %rows : index
  %t = tile.load %x[%i, %c0] : !tile.view<?x256xf16> -> tensor<32x256xf16>
  %w = arith.extf %t : tensor<32x256xf16> to tensor<32x256xf32>
  tile.store %w, %z[%i, %c0] : tensor<32x256xf32>, !tile.view<?x256xf32>
  %max = tile.reduce "max" %w axis 1 : tensor<32x256xf32> -> tensor<32xf32>
  %maxes = tile.broadcast %max axis 1 : tensor<32xf32> -> tensor<32x256xf32>
  %shifted = arith.subf %w, %maxes : tensor<32x256xf32>
  %e = math.exp %shifted : tensor<32x256xf32>
  %sum = tile.reduce "add" %e axis 1 : tensor<32x256xf32> -> tensor<32xf32>
  %sums = tile.broadcast %sum axis 1 : tensor<32xf32> -> tensor<32x256xf32>
  %p = arith.divf %e, %sums : tensor<32x256xf32>
  %r = arith.truncf %p : tensor<32x256xf32> to tensor<32x256xf16>
  tile.store %r, %y[%i, %c0] : tensor<32x256xf16>, !tile.view<?x256xf16>
  tile.return
}
