// REQUIRES: tool-heddle-opt
// RUN: heddle-opt %s --split-input-file --verify-diagnostics
// One case per diagnostic of lib/Dialect/Tile/KernelRules.cpp; that warp and hw kernels follow the rules too.

// expected-error@+1 {{'tile.kernel' op expected a name that is a C identifier and no keyword, got 'gemm() {} } /* evil\0A#error'}}
tile.kernel @"gemm() {} } /* evil\0A#error"() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected a name that is a C identifier and no keyword, got 'template'}}
tile.kernel @template() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected a name that is a C identifier and no keyword, got '_Reserved'}}
tile.kernel @_Reserved() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected a name that CUDA, the C library and the emitted text leave free, got 'int4'}}
tile.kernel @int4() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected a name that CUDA, the C library and the emitted text leave free, got 'size_t'}}
tile.kernel @size_t() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected a name that CUDA, the C library and the emitted text leave free, got 'expf'}}
tile.kernel @expf() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 0: expected tile.name to be a C identifier and no keyword, got 'A\FF\FE'}}
tile.kernel @bytes(%A: !tile.view<?xf16> {tile.name = "A\FF\FE"}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 0: expected tile.name to be a C identifier and no keyword, got another attribute}}
tile.kernel @number(%A: !tile.view<?xf16> {tile.name = 1}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 1: expected distinct argument names, got 'A' twice}}
tile.kernel @twice(%A: !tile.view<?xf16> {tile.name = "A"}, %B: !tile.view<?xf16> {tile.name = "A"}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 1: expected distinct argument names, got 'arg1' twice}}
tile.kernel @like_a_default(%A: !tile.view<?xf16> {tile.name = "arg1"}, %B: !tile.view<?xf16>) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 0: expected names in tile.dims that are C identifiers and no keywords, got 'M,N=3'}}
tile.kernel @dimension(%A: !tile.view<?xf16> {tile.dims = ["M,N=3"]}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 0: expected tile.aligned and tile.multiples of a view only, the former without a value, got argument of 'index'}}
tile.kernel @aligned_number(%n: index {tile.aligned}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op argument 0: expected tile.multiples to be array<i64: ...> with 2 positive numbers, got array<i64: 8>}}
tile.kernel @multiples(%A: !tile.view<?x?xf16> {tile.multiples = array<i64: 8>}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

tile.kernel @large(%A: !tile.view<?xf32>) {
  %zero = arith.constant 0 : index
  tile.grid %zero
  // expected-error@+1 {{'tile.load' op expected a tile of at most 1048576 elements, got more}}
  %x = tile.load %A[%zero] : !tile.view<?xf32> -> tensor<9223372036854775807xf32>
  tile.return
}

// -----

tile.kernel @empty() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.iota' op expected a tile with dimensions of at least 1, got 0}}
  %x = tile.iota : tensor<0xi32>
  tile.return
}

// -----

tile.kernel @wide() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'arith.constant' op expected tiles and numbers of at most 64 bits, got 'i128'}}
  %x = arith.constant 1 : i128
  tile.return
}

// -----

tile.kernel @vector() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'arith.constant' op expected tiles and numbers of at most 64 bits, got 'vector<4xf32>'}}
  %x = arith.constant dense<1.0> : vector<4xf32>
  tile.return
}

// -----

#l = #hw.layout<reg [d0:1, d0:2] lane [0, 0, 0, 0, 0] warp [0, 0]>
tile.kernel @layout() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.iota' op expected tiles without encoding, got}}
  %x = tile.iota : tensor<4xi32, #l>
  tile.return
}

// -----

tile.kernel @note() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'tile.iota' op expected "heddle.group" to be an i64, got 1 : ui64}}
  %x = tile.iota {heddle.group = 1 : ui64} : tensor<4xi32>
  tile.return
}

// -----

// expected-error@+1 {{'tile.kernel' op expected groups to be from 1 to 3, got 1 : ui64}}
tile.kernel @groups() attributes {groups = 1 : ui64} {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

// -----

// expected-error@+1 {{expected sizes from 1 to 2147483647, got 2147483648}}
tile.kernel @view(%v: !tile.view<2147483648xf16>) {
  tile.return
}

// -----

// expected-error@+1 {{'warp.kernel' op expected a name that CUDA, the C library and the emitted text leave free, got 'main'}}
warp.kernel @main() {
  %one = arith.constant 1 : index
  tile.grid %one
  warp.group @a warps(1) regs(40) {
  }
  warp.return
}

// -----

warp.kernel @ring() {
  // expected-error@+1 {{expected a ring depth from 1 to 65536, got 65537}}
  %r = warp.aref "r" : !warp.aref<65537, []>
  warp.return
}

// -----

warp.kernel @payload() {
  // expected-error@+1 {{expected a tile of at most 1048576 elements, got more}}
  %r = warp.aref "r" : !warp.aref<1, [tensor<1048577xf16>]>
  warp.return
}

// -----

warp.kernel @smem() {
  // expected-error@+1 {{expected a tile of at most 1048576 elements, got more}}
  %r = warp.scratch "r" : !warp.smem<1024x1025xf16>
  warp.return
}

// -----

// expected-error@+1 {{'hw.kernel' op expected a name that is a C identifier and no keyword, got 'int'}}
hw.kernel @int() attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  hw.return
}

// -----

hw.kernel @storage() attributes {threads = 128 : i64, smem_bytes = 1024 : i64} {
  // expected-error@+1 {{expected a tile of at most 1048576 elements, got more}}
  %s = hw.smem "s" offset 0 : !hw.tile<64x64xf16, 1048576x64, swizzle 128>
  hw.return
}

// -----

tile.kernel @far() {
  %one = arith.constant 1 : index
  tile.grid %one
  // expected-error@+1 {{'arith.constant' op expected an index from -2147483648 to 2147483647, got -9223372036854775808}}
  %a = arith.constant -9223372036854775808 : index
  tile.return
}
