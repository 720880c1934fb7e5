// A state space model in chunks of 64 rows (Mamba-2): decays of a chunk by scans from both ends, what the chunk adds,
// what the state before it gives, and the next state.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified

// Two groups divide chunks of 128 rows: each computes the decays of all, which weigh the columns, and takes its own.
// RUN: heddle run %s --param=T=128 --device=sim | FileCheck %s
// RUN: heddle run %s --param=T=128 --device=emulate --interleavings=1 | FileCheck %s
// RUN: heddle compile %s --param=T=128 --emit=cuda | FileCheck %s --check-prefix=GROUPS
// GROUPS: compute1

// Groups that load for themselves ask for as many slots as hide the latency, here more than there are.
// RUN: echo '{kernel = {start_sums = false}}' > %t
// RUN: heddle compile %s --warp-specialize=false --plan=%t --emit=cuda | FileCheck %s --check-prefix=RINGS
// RINGS: constexpr uint32_t kSmem_Bm
tile.kernel @state_space(%Cm: !tile.view<?x?x128xbf16> {tile.name = "Cm", tile.dims = ["B", "S", "N"]},
                         %Bm: !tile.view<?x?x128xbf16> {tile.name = "Bm", tile.dims = ["B", "S", "N"]},
                         %X: !tile.view<?x?x?x64xbf16> {tile.name = "X", tile.dims = ["B", "H", "S", "P"]},
                         %A: !tile.view<?x?x?xf32> {tile.name = "A", tile.dims = ["B", "H", "S"]},
                         %Y: !tile.view<?x?x?x64xbf16> {tile.name = "Y", tile.dims = ["B", "H", "S", "P"]},
                         %F: !tile.view<?x?x128x64xf32> {tile.name = "F", tile.dims = ["B", "H", "N", "P"]})
    attributes {tile.default_dims = {B = 1, H = 2, S = 200}} {
  %c0 = arith.constant 0 : index
  %chunk = tile.param "T" = 64 in [64, 128]
  %H = tile.dim %X, 1 : !tile.view<?x?x?x64xbf16>
  %B = tile.dim %X, 0 : !tile.view<?x?x?x64xbf16>
  %S = tile.dim %X, 2 : !tile.view<?x?x?x64xbf16>
  tile.grid %H, %B
  %h = tile.program_id 0
  %b = tile.program_id 1
  %i = tile.iota : tensor<64xi32>
  %rows = tile.broadcast %i axis 1 : tensor<64xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %i axis 0 : tensor<64xi32> -> tensor<64x64xi32>
  %seen = arith.cmpi sle, %columns, %rows : tensor<64x64xi32>
  %empty = arith.constant dense<0.0> : tensor<128x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %never = arith.constant dense<0xFF800000> : tensor<64x64xf32>
  %tenth = arith.constant dense<1.000000e-01> : tensor<64xf32>
  %last = scf.for %t = %c0 to %S step %chunk iter_args(%state = %empty) -> (tensor<128x64xf32>) {
    %c = tile.load %Cm[%b, %t, %c0] {dims = array<i64: 1, 2>, tile.sizes = ["T", 128]}
        : !tile.view<?x?x128xbf16> -> tensor<64x128xbf16>
    %k = tile.load %Bm[%b, %t, %c0] {dims = array<i64: 1, 2>, tile.sizes = ["T", 128]}
        : !tile.view<?x?x128xbf16> -> tensor<64x128xbf16>
    %x = tile.load %X[%b, %h, %t, %c0] {dims = array<i64: 2, 3>, tile.sizes = ["T", 64]}
        : !tile.view<?x?x?x64xbf16> -> tensor<64x64xbf16>
    %a = tile.load %A[%b, %h, %t] {dims = array<i64: 2>, tile.sizes = ["T"]} : !tile.view<?x?x?xf32> -> tensor<64xf32>
    // Logarithms of decays, and their sums up to each row.
    %size = math.absf %a : tensor<64xf32>
    %negative = arith.negf %size : tensor<64xf32>
    %decay = arith.mulf %negative, %tenth : tensor<64xf32>
    %until = tile.scan "add" %decay axis 0 : tensor<64xf32>
    // What the chunk adds.
    %kt = tile.transpose %k : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %s = tile.dot %c, %kt, %zero : tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>
    %to = tile.broadcast %until axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %from = tile.broadcast %until axis 0 : tensor<64xf32> -> tensor<64x64xf32>
    %between = arith.subf %to, %from : tensor<64x64xf32>
    %masked = arith.select %seen, %between, %never : tensor<64x64xi1>, tensor<64x64xf32>
    %factors = math.exp %masked : tensor<64x64xf32>
    %weights = arith.mulf %s, %factors : tensor<64x64xf32>
    %p = arith.truncf %weights : tensor<64x64xf32> to tensor<64x64xbf16>
    %inside = tile.dot %p, %x, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    // What the state before it gives.
    %rounded = arith.truncf %state : tensor<128x64xf32> to tensor<128x64xbf16>
    %before = tile.dot %c, %rounded, %zero : tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>
    %left = math.exp %until : tensor<64xf32>
    %leftOf = tile.broadcast %left axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %given = arith.mulf %before, %leftOf : tensor<64x64xf32>
    %y = arith.addf %inside, %given : tensor<64x64xf32>
    %yh = arith.truncf %y : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %yh, %Y[%b, %h, %t, %c0] {dims = array<i64: 2, 3>} : tensor<64x64xbf16>, !tile.view<?x?x?x64xbf16>
    // The next state.
    %onward = tile.scan "add" %decay axis 0 reverse : tensor<64xf32>
    %behind = arith.subf %onward, %decay : tensor<64xf32>
    %wide = arith.extf %k : tensor<64x128xbf16> to tensor<64x128xf32>
    %kept = math.exp %behind : tensor<64xf32>
    %keptOf = tile.broadcast %kept axis 1 : tensor<64xf32> -> tensor<64x128xf32>
    %scaled = arith.mulf %wide, %keptOf : tensor<64x128xf32>
    %kd = arith.truncf %scaled : tensor<64x128xf32> to tensor<64x128xbf16>
    %each = tile.broadcast %decay axis 1 : tensor<64xf32> -> tensor<64x64xf32>
    %sum = tile.reduce "add" %each axis 0 : tensor<64x64xf32> -> tensor<64xf32>
    %kdt = tile.transpose %kd : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %whole = math.exp %sum : tensor<64xf32>
    %wholeOf = tile.broadcast %whole axis 0 : tensor<64xf32> -> tensor<128x64xf32>
    %faded = arith.mulf %state, %wholeOf : tensor<128x64xf32>
    %next = tile.dot %kdt, %x, %faded : tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store %last, %F[%b, %h, %c0, %c0] {dims = array<i64: 2, 3>} : tensor<128x64xf32>, !tile.view<?x?x128x64xf32>
  tile.return
}
