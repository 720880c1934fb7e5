// REQUIRES: tool-heddle-opt
// RUN: heddle-opt %s --split-input-file --verify-diagnostics
// One case per diagnostic of lib/Dialect/Tile, in the order of the source.

// expected-error@+1 {{expected a view of rank 1 to 5, got rank 6}}
tile.kernel @rank(%v: !tile.view<1x2x3x4x5x6xf16>) {
  tile.return
}

// -----

// expected-error@+1 {{expected an integer or float element type, got 'index'}}
tile.kernel @element(%v: !tile.view<4xindex>) {
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 0: expected tile.dims to be an array of names on a view}}
tile.kernel @dims_kind(%v: !tile.view<?xf16> {tile.dims = [1]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 0: expected tile.dims to be an array of names on a view}}
tile.kernel @dims_on_scalar(%s: f32 {tile.dims = ["M"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 0: expected 2 names in tile.dims, got 1}}
tile.kernel @dims_count(%v: !tile.view<?x?xf16> {tile.dims = ["M"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected no results, got 1}}
tile.kernel @results() -> f32 {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 0: expected a view, f32, i32 or index, got 'f16'}}
tile.kernel @argument(%x: f16) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected one tile.grid at the top of the body, got 0}}
tile.kernel @no_grid() {
  tile.return
}

// -----

tile.kernel @grid_in_loop() {
  %one = arith.constant 1 : index
  tile.grid %one
  scf.for %i = %one to %one step %one {
    // expected-error@+1 {{'tile.grid' op expected a place at the top of the kernel's body, got one in scf.for}}
    tile.grid %one
  }
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected one tile.grid at the top of the body, got 2}}
tile.kernel @two_grids() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected the body to end with tile.return}}
tile.kernel @no_return() {
  %one = arith.constant 1 : index
  tile.grid %one
}

// -----

// expected-error@+1 {{'tile.kernel' op expected groups to be from 1 to 3, got 4 : i64}}
tile.kernel @groups() attributes {groups = 4 : i64} {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

tile.kernel @grid_float_argument(%x: f32) {
  %i = arith.fptosi %x : f32 to i32
  %n = arith.index_cast %i : i32 to index
  // expected-note@-2 {{computed here}}
  // expected-error@+1 {{'tile.grid' op expected sizes the host can compute (tile.dim, integer arith), got arith.fptosi}}
  tile.grid %n
  tile.return
}

// -----

tile.kernel @grid_in_loop(%x: !tile.view<?xf16>) {
  %one = arith.constant 1 : index
  %id = tile.program_id 0
  // expected-note@-1 {{computed here}}
  // expected-error@+1 {{'tile.grid' op expected sizes the host can compute (tile.dim, integer arith), got tile.program_id}}
  tile.grid %id
  tile.return
}

// -----

// Only a warp kernel can have such an argument.
warp.kernel @grid_argument(%x: i64) {
  %n = arith.index_cast %x : i64 to index
  // expected-error@+1 {{'tile.grid' op expected sizes computed from tile.dim, integer arguments and constants}}
  tile.grid %n
  warp.group @a warps(1) regs(40) {
  }
  warp.return
}

// -----

tile.kernel @grid_none() {
  // expected-error@+1 {{'tile.grid' op expected one to three sizes, got 0}}
  "tile.grid"() : () -> ()
  tile.return
}

// -----

tile.kernel @grid_four() {
  %one = arith.constant 1 : index
  // expected-error@+1 {{'tile.grid' op expected one to three sizes, got 4}}
  tile.grid %one, %one, %one, %one
  tile.return
}

// -----

tile.kernel @raster_zero() {
  %one = arith.constant 1 : index
  // expected-error@+1 {{'tile.grid' op expected raster from 1 to 1024, got 0}}
  tile.grid %one, %one {raster = 0 : i64}
  tile.return
}

// -----

tile.kernel @raster_flat() {
  %one = arith.constant 1 : index
  // expected-error@+1 {{'tile.grid' op expected at least two grid sizes with raster, got 1}}
  tile.grid %one {raster = 8 : i64}
  tile.return
}

// -----

tile.kernel @program_id() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.program_id' op expected a grid dimension 0, 1 or 2, got 3}}
  %id = tile.program_id 3
  tile.return
}

// -----

tile.kernel @dim(%v: !tile.view<?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.dim' op expected a dimension of at least 0 and below the view's rank 1, got 1}}
  %d = tile.dim %v, 1 : !tile.view<?xf16>
  tile.return
}

// -----

tile.kernel @dim_of_chosen_view(%v: !tile.view<?xf16>, %w: !tile.view<?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  %c = arith.constant true
  %u = arith.select %c, %v, %w : !tile.view<?xf16>
  // expected-error@+1 {{'tile.dim' op expected a view that is an argument of the kernel}}
  %d = tile.dim %u, 0 : !tile.view<?xf16>
  tile.return
}

// -----

tile.kernel @load_of_carried_view(%v: !tile.view<?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = scf.for %i = %one to %one step %one iter_args(%u = %v) -> !tile.view<?xf16> {
    // expected-error@+1 {{'tile.load' op expected a view that is an argument of the kernel}}
    %t = tile.load %u[%i] : !tile.view<?xf16> -> tensor<8xf16>
    scf.yield %u : !tile.view<?xf16>
  }
  tile.return
}

// -----

tile.kernel @load_indices(%v: !tile.view<?x?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.load' op expected 2 indices, got 1}}
  %t = tile.load %v[%one] : !tile.view<?x?xf16> -> tensor<8x8xf16>
  tile.return
}

// -----

tile.kernel @load_element(%v: !tile.view<?x?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.load' op expected element type 'f16', got 'f32'}}
  %t = tile.load %v[%one, %one] : !tile.view<?x?xf16> -> tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @load_rank(%v: !tile.view<?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.load' op expected a tile of rank 1 to 1, got rank 2}}
  %t = tile.load %v[%one] : !tile.view<?xf16> -> tensor<8x8xf16>
  tile.return
}

// -----

tile.kernel @load_dims_count(%v: !tile.view<?x?x?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.load' op expected 2 dims, got 1}}
  %t = tile.load %v[%one, %one, %one] {dims = array<i64: 2>} : !tile.view<?x?x?xf16> -> tensor<8x8xf16>
  tile.return
}

// -----

tile.kernel @load_dims_order(%v: !tile.view<?x?x?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.load' op expected ascending dims below 3, got 0}}
  %t = tile.load %v[%one, %one, %one] {dims = array<i64: 2, 0>} : !tile.view<?x?x?xf16> -> tensor<8x8xf16>
  tile.return
}

// -----

tile.kernel @load_dims_range(%v: !tile.view<?x?x?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.load' op expected ascending dims below 3, got 3}}
  %t = tile.load %v[%one, %one, %one] {dims = array<i64: 1, 3>} : !tile.view<?x?x?xf16> -> tensor<8x8xf16>
  tile.return
}

// -----

tile.kernel @load_dynamic(%v: !tile.view<?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.load' op expected statically shaped tiles, got 'tensor<?xf16>'}}
  %t = tile.load %v[%one] : !tile.view<?xf16> -> tensor<?xf16>
  tile.return
}

// -----

tile.kernel @store_below(%v: !tile.view<?x?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  %t = tensor.empty() : tensor<8x8xf16>
  // expected-error@+1 {{'tile.store' op expected 2 coordinates after 'below', got 1}}
  tile.store %t, %v[%one, %one] below [%one] : tensor<8x8xf16>, !tile.view<?x?xf16>
  tile.return
}

// -----

tile.kernel @independent_branch() {
  %one = arith.constant 1 : index
  tile.grid %one
  %c = arith.constant true
  // expected-error@+1 {{'scf.if' op expected tile.independent on an scf.for or scf.while, without a value}}
  scf.if %c {
  } {tile.independent}
  tile.return
}

// -----

tile.kernel @store_kind(%v: !tile.view<?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  %t = tensor.empty() : tensor<8xf16>
  // expected-error@+1 {{'tile.store' op expected kind "set" or "add", got "mul"}}
  tile.store %t, %v[%one] {kind = "mul"} : tensor<8xf16>, !tile.view<?xf16>
  tile.return
}

// -----

tile.kernel @store_element(%v: !tile.view<?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  %t = tensor.empty() : tensor<8xf32>
  // expected-error@+1 {{'tile.store' op expected element type 'f16', got 'f32'}}
  tile.store %t, %v[%one] : tensor<8xf32>, !tile.view<?xf16>
  tile.return
}

// -----

tile.kernel @dot_rank() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8xf16>
  %c = tensor.empty() : tensor<8x8xf32>
  // expected-error@+1 {{'tile.dot' op expected rank-2 operands, got 'tensor<8xf16>', 'tensor<8xf16>', 'tensor<8x8xf32>'}}
  %d = tile.dot %a, %a, %c : tensor<8xf16>, tensor<8xf16>, tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @dot_contraction() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x4xf16>
  %c = tensor.empty() : tensor<8x4xf32>
  // expected-error@+1 {{'tile.dot' op expected the same contraction size, got 4 and 8}}
  %d = tile.dot %a, %a, %c : tensor<8x4xf16>, tensor<8x4xf16>, tensor<8x4xf32>
  tile.return
}

// -----

tile.kernel @dot_accumulator() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x4xf16>
  %b = tensor.empty() : tensor<4x16xf16>
  %c = tensor.empty() : tensor<8x8xf32>
  // expected-error@+1 {{'tile.dot' op expected an accumulator of 8x16, got 8x8}}
  %d = tile.dot %a, %b, %c : tensor<8x4xf16>, tensor<4x16xf16>, tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @dot_elements() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x4xf16>
  %b = tensor.empty() : tensor<4x8xbf16>
  %c = tensor.empty() : tensor<8x8xf32>
  // expected-error@+1 {{'tile.dot' op expected operands of one element type, or of 8-bit floats, got 'f16' and 'bf16'}}
  %d = tile.dot %a, %b, %c : tensor<8x4xf16>, tensor<4x8xbf16>, tensor<8x8xf32>
  tile.return
}

// -----

tile.kernel @dot_integer() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x8xf16>
  %c = tensor.empty() : tensor<8x8xi32>
  // expected-error@+1 {{'tile.dot' op expected a float accumulator, got 'i32'}}
  %d = tile.dot %a, %a, %c : tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x8xi32>
  tile.return
}

// -----

tile.kernel @transpose_rank() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8xf16>
  // expected-error@+1 {{'tile.transpose' op expected a rank-2 tile, got 'tensor<8xf16>'}}
  %t = tile.transpose %a : tensor<8xf16> -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @transpose_result() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x4xf16>
  // expected-error@+1 {{'tile.transpose' op expected result 'tensor<4x8xf16>', got 'tensor<8x4xf16>'}}
  %t = tile.transpose %a : tensor<8x4xf16> -> tensor<8x4xf16>
  tile.return
}

// -----

tile.kernel @reduce_kind() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x4xf16>
  // expected-error@+1 {{'tile.reduce' op expected a kind of reduction "add", "mul", "max", "min", "and", "or" or "xor", got "mean"}}
  %t = tile.reduce "mean" %a axis 0 : tensor<8x4xf16> -> tensor<4xf16>
  tile.return
}

// -----

tile.kernel @reduce_towards(%s: f32) {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x4xf32>
  // expected-error@+1 {{'tile.reduce' op expected a "max" or a "min" of floats towards a number, got "add" of 'f32'}}
  %t = tile.reduce "add" %a towards %s axis 0 : tensor<8x4xf32> -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @reduce_bits() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x4xf16>
  // expected-error@+1 {{'tile.reduce' op expected integers to reduce by "xor", got 'f16'}}
  %t = tile.reduce "xor" %a axis 0 : tensor<8x4xf16> -> tensor<4xf16>
  tile.return
}

// -----

tile.kernel @reduce_axis() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x4xf16>
  // expected-error@+1 {{'tile.reduce' op expected an axis of at least 0 and below 2, got 2}}
  %t = tile.reduce "add" %a axis 2 : tensor<8x4xf16> -> tensor<8xf16>
  tile.return
}

// -----

tile.kernel @reduce_result() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8x4xf16>
  // expected-error@+1 {{'tile.reduce' op expected result 'tensor<8xf16>', got 'tensor<4xf16>'}}
  %t = tile.reduce "add" %a axis 1 : tensor<8x4xf16> -> tensor<4xf16>
  tile.return
}

// -----

tile.kernel @broadcast_rank() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8xf16>
  // expected-error@+1 {{'tile.broadcast' op expected a result of rank 2 and an axis in it, got 'tensor<8x4xf16>' and axis 2}}
  %t = tile.broadcast %a axis 2 : tensor<8xf16> -> tensor<8x4xf16>
  tile.return
}

// -----

tile.kernel @broadcast_source() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = tensor.empty() : tensor<8xf16>
  // expected-error@+1 {{'tile.broadcast' op expected source 'tensor<4xf16>', got 'tensor<8xf16>'}}
  %t = tile.broadcast %a axis 0 : tensor<8xf16> -> tensor<8x4xf16>
  tile.return
}

// -----

tile.kernel @iota() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.iota' op expected a rank-1 integer tile, got 'tensor<8x4xi32>'}}
  %t = tile.iota : tensor<8x4xi32>
  tile.return
}

// -----

tile.kernel @program_id_negative() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.program_id' op expected a grid dimension 0, 1 or 2, got -1}}
  %p = tile.program_id -1
  tile.return
}

// -----

tile.kernel @dim_negative(%v: !tile.view<?xf16>) {
  // expected-error@+1 {{'tile.dim' op expected a dimension of at least 0 and below the view's rank 1, got -1}}
  %d = tile.dim %v, -1 : !tile.view<?xf16>
  tile.grid %d
  tile.return
}

// -----

tile.kernel @reduce_axis_negative() {
  %one = arith.constant 1 : index
  tile.grid %one
  %x = arith.constant dense<0.0> : tensor<64xf32>
  // expected-error@+1 {{'tile.reduce' op expected an axis of at least 0 and below 1, got -1}}
  %y = tile.reduce "max" %x axis -1 : tensor<64xf32> -> tensor<f32>
  tile.return
}

// -----

tile.kernel @broadcast_axis_negative() {
  %one = arith.constant 1 : index
  tile.grid %one
  %x = arith.constant dense<0.0> : tensor<64xf32>
  // expected-error@+1 {{'tile.broadcast' op expected a result of rank 2 and an axis in it, got 'tensor<64x64xf32>' and axis -1}}
  %y = tile.broadcast %x axis -1 : tensor<64xf32> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @raster_large() {
  %one = arith.constant 1 : index
  // expected-error@+1 {{'tile.grid' op expected raster from 1 to 1024, got 1025}}
  tile.grid %one, %one {raster = 1025 : i64}
  tile.return
}

// -----

// A value that is its own operand: dominance is verified after the grid.
tile.kernel @grid_of_itself() {
  %one = arith.constant 1 : index
  // expected-error@+2 {{operand #1 does not dominate this use}}
  // expected-note@+1 {{operand defined here (op in the same block)}}
  %g = arith.ceildivui %one, %g : index
  tile.grid %g
  tile.return
}

// -----

// The manifest writes the size out, every use anew: 2^10 additions.
tile.kernel @grid_written_out(%v: !tile.view<?xf16>) {
  %0 = tile.dim %v, 0 : !tile.view<?xf16>
  %1 = arith.addi %0, %0 : index
  %2 = arith.addi %1, %1 : index
  %3 = arith.addi %2, %2 : index
  %4 = arith.addi %3, %3 : index
  %5 = arith.addi %4, %4 : index
  %6 = arith.addi %5, %5 : index
  %7 = arith.addi %6, %6 : index
  %8 = arith.addi %7, %7 : index
  %9 = arith.addi %8, %8 : index
  // expected-error@+1 {{'tile.grid' op expected sizes of at most 1000 operations when written out, got more}}
  tile.grid %9
  tile.return
}

// -----

tile.kernel @dot_integers() {
  %one = arith.constant 1 : index
  tile.grid %one
  %a = arith.constant dense<1> : tensor<64x64xi8>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error@+1 {{'tile.dot' op expected float operands, or i8 with an i32 accumulator, got 'i8' with 'f32'}}
  %d = tile.dot %a, %a, %c : tensor<64x64xi8>, tensor<64x64xi8>, tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @num_programs_dimension() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.num_programs' op expected a grid dimension 0, 1 or 2, got 3}}
  %n = tile.num_programs 3
  tile.return
}

// -----

tile.kernel @multiprocessors_in_the_kernel(%v: !tile.view<64x64xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.multiprocessors' op expected uses that compute sizes of the grid only, got tile.load}}
  %n = tile.multiprocessors
  // expected-note@+1 {{used here}}
  %a = tile.load %v[%n, %n] : !tile.view<64x64xf16> -> tensor<64x64xf16>
  tile.return
}

// -----

tile.kernel @extent_rank(%A: !tile.view<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error @below {{expected an extent of 2 numbers, got 1}}
  %a = tile.load %A[%c0, %c0] {extent = array<i64: 8>} : !tile.view<?x?xf16> -> tensor<16x16xf16>
  tile.return
}

// -----

tile.kernel @extent_size(%A: !tile.view<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error @below {{expected an extent from 0 to 16, got 17}}
  %a = tile.load %A[%c0, %c0] {extent = array<i64: 8, 17>} : !tile.view<?x?xf16> -> tensor<16x16xf16>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?x?xi32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.element' op expected 2 indices, got 1}}
  %e = tile.element %v[%one] : !tile.view<?x?xi32> -> i32
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xi32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.element' op expected element type 'i32', got 'f32'}}
  %e = tile.element %v[%one] : !tile.view<?xi32> -> f32
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?x?xf16>, %r: !tile.view<?xf32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  %rows = tile.load %r[%one] : !tile.view<?xf32> -> tensor<8xf32>
  // expected-error@+1 {{'tile.gather' op expected rows as a rank-1 i32 tile, got 'tensor<8xf32>'}}
  %t = tile.gather %v[%one, %one] rows %rows : !tile.view<?x?xf16>, tensor<8xf32> -> tensor<8x8xf16>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?x?x?xf16>, %r: !tile.view<?xi32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  %rows = tile.load %r[%one] : !tile.view<?xi32> -> tensor<8xi32>
  // expected-error@+1 {{'tile.gather' op expected a tile of rank 1 or 2, got rank 3}}
  %t = tile.gather %v[%one, %one, %one] rows %rows : !tile.view<?x?x?xf16>, tensor<8xi32> -> tensor<8x8x8xf16>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?x?xf16>, %r: !tile.view<?xi32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  %rows = tile.load %r[%one] : !tile.view<?xi32> -> tensor<8xi32>
  // expected-error@+1 {{'tile.gather' op expected a row number for each of 16 rows, got 8}}
  %t = tile.gather %v[%one, %one] rows %rows : !tile.view<?x?xf16>, tensor<8xi32> -> tensor<16x8xf16>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?x?xf16>, %r: !tile.view<?xi32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  %rows = tile.load %r[%one] : !tile.view<?xi32> -> tensor<8xi32>
  %t = tile.load %v[%one, %one] : !tile.view<?x?xf16> -> tensor<16x8xf16>
  // expected-error@+1 {{'tile.store' op expected a row number for each of 16 rows, got 8}}
  tile.store %t, %v[%one, %one] rows %rows : tensor<16x8xf16>, !tile.view<?x?xf16>, tensor<8xi32>
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{'tile.param' op expected a name that is a C identifier and no keyword, got 'B M'}}
  %p = tile.param "B M" = 64
  tile.grid %p
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{'tile.param' op expected a value from 1 to 1048576, got 0}}
  %p = tile.param "BM" = 0
  tile.grid %p
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{'tile.param' op expected a value from 1 to 1048576, got -64}}
  %p = tile.param "BM" = 64 in [64, -64]
  tile.grid %p
  tile.return
}

// -----

tile.kernel @k() {
  // expected-error@+1 {{'tile.param' op expected its own value 96 among the choices, got none like it}}
  %p = tile.param "BM" = 96 in [64, 128]
  tile.grid %p
  tile.return
}

// -----

tile.kernel @k() {
  %p = tile.param "BM" = 64
  // expected-error@+1 {{'tile.param' op expected distinct names of parameters, got 'BM' twice}}
  %q = tile.param "BM" = 64
  tile.grid %p
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xf16>) {
  %p = tile.param "BM" = 64
  tile.grid %p
  // expected-error@+1 {{expected tile.sizes to be a list with a parameter or a number for each dimension of the tile}}
  %t = tile.load %v[%p] {tile.sizes = ["BM", 1]} : !tile.view<?xf16> -> tensor<64xf16>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xf16>) {
  %p = tile.param "BM" = 64
  tile.grid %p
  // expected-error@+1 {{expected the name of a parameter of the kernel in tile.sizes, got "BN"}}
  %t = tile.load %v[%p] {tile.sizes = ["BN"]} : !tile.view<?xf16> -> tensor<64xf16>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xf16>) {
  %p = tile.param "BM" = 64
  tile.grid %p
  // expected-error@+1 {{expected names and numbers in tile.sizes, got true}}
  %t = tile.load %v[%p] {tile.sizes = [true]} : !tile.view<?xf16> -> tensor<64xf16>
  tile.return
}

// -----

tile.kernel @k(%v: !tile.view<?xf16>) {
  %p = tile.param "BM" = 64
  tile.grid %p
  // expected-error@+1 {{expected a tile dimension of 64 as tile.sizes says, got 32}}
  %t = tile.load %v[%p] {tile.sizes = ["BM"]} : !tile.view<?xf16> -> tensor<32xf16>
  tile.return
}

// -----

// expected-error@+1 {{expected a cluster of 1 to 8 blocks, got 9}}
tile.kernel @k(%v: !tile.view<?xf16>) attributes {cluster = 9 : i64} {
  %p = arith.constant 1 : index
  tile.grid %p
  tile.return
}

// -----

tile.kernel @scan_axis() {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  %a = arith.constant dense<0.0> : tensor<8x4xf16>
  // expected-error@+1 {{'tile.scan' op expected an axis of at least 0 and below 2, got 2}}
  %t = tile.scan "add" %a axis 2 : tensor<8x4xf16>
  tile.return
}

// -----

tile.kernel @window_of_window(%v: !tile.view<?xf16>) {
  %c8 = arith.constant 8 : index
  tile.grid %c8
  %at = arith.constant 16 : i64
  %w = tile.window %v at %at sizes [%c8] : !tile.view<?xf16> -> !tile.view<?xf16>
  // expected-error@+1 {{'tile.window' op expected a view that is an argument of the kernel}}
  %u = tile.window %w at %at sizes [%c8] : !tile.view<?xf16> -> !tile.view<?xf16>
  tile.return
}

// -----

tile.kernel @window_memory(%v: !tile.view<?x8xf16>) {
  %c8 = arith.constant 8 : index
  tile.grid %c8
  %at = arith.constant 16 : i64
  // expected-error@+1 {{'tile.window' op expected memory of rank 1 and element type 'f16', got '!tile.view<?x8xf16>'}}
  %w = tile.window %v at %at sizes [%c8] : !tile.view<?x8xf16> -> !tile.view<?xf16>
  tile.return
}

// -----

tile.kernel @window_static(%v: !tile.view<?xf16>) {
  %c8 = arith.constant 8 : index
  tile.grid %c8
  %at = arith.constant 16 : i64
  // expected-error@+1 {{'tile.window' op expected a result without static sizes, got '!tile.view<8xf16>'}}
  %w = tile.window %v at %at sizes [%c8] : !tile.view<?xf16> -> !tile.view<8xf16>
  tile.return
}

// -----

tile.kernel @window_strides(%v: !tile.view<?xf16>) {
  %c8 = arith.constant 8 : index
  tile.grid %c8
  %at = arith.constant 16 : i64
  // expected-error@+1 {{'tile.window' op expected 2 sizes and 1 strides, got 2 and 0}}
  %w = tile.window %v at %at sizes [%c8, %c8] : !tile.view<?xf16> -> !tile.view<?x?xf16>
  tile.return
}

// -----

tile.kernel @window_element(%v: !tile.view<?xf16>) {
  %c8 = arith.constant 8 : index
  tile.grid %c8
  %at = arith.constant 16 : i64
  %w = tile.window %v at %at sizes [%c8] : !tile.view<?xf16> -> !tile.view<?xf16>
  // expected-error@+1 {{'tile.element' op expected a view that is an argument of the kernel}}
  %e = tile.element %w[%c8] : !tile.view<?xf16> -> f16
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected names of sizes in tile.default_dims (M, y.0), got 'N'}}
tile.kernel @sizes(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["M"]},
                   %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.default_dims = {M = 3, N = 4}} {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}
