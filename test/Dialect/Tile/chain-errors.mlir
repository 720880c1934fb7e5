// REQUIRES: tool-heddle-opt
// RUN: heddle-opt %s --split-input-file --verify-diagnostics
// One case per diagnostic of lib/Dialect/Tile/ChainOps.cpp, in the order of the source.

// expected-error@+1 {{'tile.chain' op expected no results, got 1}}
tile.chain @results() -> f32 {
  tile.return
}

// -----

// expected-error@+1 {{'tile.chain' op argument 0: expected a view, f32, i32 or index, got 'f16'}}
tile.chain @argument(%x: f16) {
  tile.return
}

// -----

// expected-error@+1 {{'tile.chain' op expected a name that CUDA, the C library and the emitted text leave free, got 'exp'}}
tile.chain @exp() {
  tile.return
}

// -----

// expected-error@+1 {{'tile.chain' op expected the body to end with tile.return}}
tile.chain @end() {
  %one = arith.constant 1 : index
}

// -----

// expected-error@+1 {{'tile.chain' op expected at least one tile.launch, got none}}
tile.chain @empty() {
  tile.return
}

// -----

tile.kernel @nothing() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

tile.chain @body(%x: !tile.view<?xf32>, %i: index) {
  // expected-error@+1 {{'tile.load' op expected tile.workspace, tile.launch and sizes the host can compute in a chain, got tile.load}}
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<8xf32>
  tile.launch @nothing()
  tile.return
}

// -----

tile.kernel @nothing() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

tile.chain @float_arithmetic(%s: f32) {
  // expected-error@+1 {{'arith.addf' op expected tile.workspace, tile.launch and sizes the host can compute in a chain, got arith.addf}}
  %t = arith.addf %s, %s : f32
  tile.launch @nothing()
  tile.return
}

// -----

tile.kernel @nothing() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

tile.chain @later(%a: index) {
  // expected-error@+1 {{'arith.addi' op expected operands that are computed before it, got a later one}}
  %b = arith.addi %a, %b : index
  tile.launch @nothing()
  tile.return
}

// -----

tile.kernel @any(%x: !tile.view<?xf32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}
tile.chain @workspace_name(%n: index) {
  // expected-error@+1 {{'tile.workspace' op expected a name that is a C identifier and no keyword, got 'int'}}
  %w = tile.workspace "int" [%n] : !tile.view<?xf32>
  tile.launch @any(%w) : !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @any(%x: !tile.view<?x64x?xf32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}
tile.chain @workspace_sizes(%n: index) {
  // expected-error@+1 {{'tile.workspace' op expected a size for each of the 2 '?' of its type, got 1}}
  %w = tile.workspace "w" [%n] : !tile.view<?x64x?xf32>
  tile.launch @any(%w) : !tile.view<?x64x?xf32>
  tile.return
}

// -----

tile.kernel @any(%x: !tile.view<?xf32>) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}
tile.chain @workspace_host(%n: index) {
  // expected-note@+1 {{computed here}}
  %m = arith.andi %n, %n : index
  // expected-error@+1 {{'tile.workspace' op expected sizes the host can compute (tile.dim, integer arith), got arith.andi}}
  %w = tile.workspace "w" [%m] : !tile.view<?xf32>
  tile.launch @any(%w) : !tile.view<?xf32>
  tile.return
}

// -----

// expected-error@+3 {{'tile.workspace' op expects parent op 'tile.chain'}}
tile.kernel @outside() {
  %one = arith.constant 1 : index
  %w = tile.workspace "w" [%one] : !tile.view<?xf32>
  tile.grid %one
  tile.return
}

// -----

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

tile.chain @names(%x: !tile.view<?xf32> {tile.name = "x"}, %n: index) {
  // expected-error@+1 {{'tile.workspace' op expected distinct names of arguments and workspaces, got 'x' twice}}
  %w = tile.workspace "x" [%n] : !tile.view<?xf32>
  tile.launch @twice(%x, %w) : !tile.view<?xf32>, !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @nothing() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

tile.chain @unused(%n: index) {
  // expected-error@+1 {{'tile.workspace' op expected a launch that takes 'w', got none}}
  %w = tile.workspace "w" [%n] : !tile.view<?xf32>
  tile.launch @nothing()
  tile.return
}

// -----

tile.chain @unknown() {
  // expected-error@+1 {{'tile.launch' op expected a tile.kernel of the module, got @missing}}
  tile.launch @missing()
  tile.return
}

// -----

tile.kernel @nothing() {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

tile.chain @inner() {
  tile.launch @nothing()
  tile.return
}
tile.chain @of_chain() {
  // expected-error@+1 {{'tile.launch' op expected a tile.kernel of the module, got @inner}}
  tile.launch @inner()
  tile.return
}

// -----

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

tile.chain @count(%x: !tile.view<?xf32>) {
  // expected-error@+1 {{'tile.launch' op expected 2 arguments of @twice, got 1}}
  tile.launch @twice(%x) : !tile.view<?xf32>
  tile.return
}

// -----

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

tile.chain @element(%x: !tile.view<?xf32> {tile.dims = ["N"]}, %y: !tile.view<?xf16> {tile.dims = ["N"]}) {
  // expected-error@+1 {{'tile.launch' op argument 'y': expected '!tile.view<?xf32>', got '!tile.view<?xf16>'}}
  tile.launch @twice(%x, %y) : !tile.view<?xf32>, !tile.view<?xf16>
  tile.return
}

// -----

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

tile.chain @rank(%x: !tile.view<?xf32>, %y: !tile.view<?x?xf32>) {
  // expected-error@+1 {{'tile.launch' op argument 'y': expected '!tile.view<?xf32>', got '!tile.view<?x?xf32>'}}
  tile.launch @twice(%x, %y) : !tile.view<?xf32>, !tile.view<?x?xf32>
  tile.return
}

// -----

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

tile.chain @scalar_for_view(%x: !tile.view<?xf32>, %s: f32) {
  // expected-error@+1 {{'tile.launch' op argument 'y': expected '!tile.view<?xf32>', got 'f32'}}
  tile.launch @twice(%x, %s) : !tile.view<?xf32>, f32
  tile.return
}

// -----

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

tile.chain @sizes(%x: !tile.view<?xf32> {tile.dims = ["A"]}, %y: !tile.view<?xf32> {tile.dims = ["B"]}) {
  // expected-error@+1 {{'tile.launch' op expected one size for dimension 'N' of @twice, got A and B}}
  tile.launch @twice(%x, %y) : !tile.view<?xf32>, !tile.view<?xf32>
  tile.return
}

// -----

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

tile.chain @computed_sizes(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["A"]}, %n: index) {
  %c2 = arith.constant 2 : index
  %a = tile.dim %x, 0 : !tile.view<?xf32>
  %twice = arith.muli %a, %c2 : index
  %w = tile.workspace "w" [%twice] : !tile.view<?xf32>
  // expected-error@+1 {{'tile.launch' op expected one size for dimension 'N' of @twice, got A and muli(A, 2)}}
  tile.launch @twice(%x, %w) : !tile.view<?xf32>, !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @of_64(%x: !tile.view<?x64xf32> {tile.name = "x"}, %s: f32 {tile.name = "s"}, %n: i32 {tile.name = "n"}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

tile.chain @stated(%x: !tile.view<?x?xf32> {tile.dims = ["A", "B"]}, %s: f32, %n: i32) {
  // expected-error@+1 {{'tile.launch' op argument 'x', dimension 1: expected the size 64, got B}}
  tile.launch @of_64(%x, %s, %n) : !tile.view<?x?xf32>, f32, i32
  tile.return
}

// -----

tile.kernel @of_64(%x: !tile.view<?x64xf32> {tile.name = "x"}, %s: f32 {tile.name = "s"}, %n: i32 {tile.name = "n"}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

tile.chain @scalar_type(%x: !tile.view<?x64xf32>, %s: f32, %n: index) {
  // expected-error@+1 {{'tile.launch' op argument 'n': expected 'i32', got 'index'}}
  tile.launch @of_64(%x, %s, %n) : !tile.view<?x64xf32>, f32, index
  tile.return
}

// -----

tile.kernel @of_64(%x: !tile.view<?x64xf32> {tile.name = "x"}, %s: f32 {tile.name = "s"}, %n: i32 {tile.name = "n"}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

tile.chain @scalar_host(%x: !tile.view<?x64xf32>, %s: f32, %n: i32) {
  // expected-note@+1 {{computed here}}
  %m = arith.xori %n, %n : i32
  // expected-error@+1 {{'tile.launch' op expected sizes the host can compute (tile.dim, integer arith), got arith.xori}}
  tile.launch @of_64(%x, %s, %m) : !tile.view<?x64xf32>, f32, i32
  tile.return
}

// -----

tile.kernel @of_64(%x: !tile.view<?x64xf32> {tile.name = "x"}, %s: f32 {tile.name = "s"}, %n: i32 {tile.name = "n"}) {
  %one = arith.constant 1 : index
  tile.grid %one
  tile.return
}

tile.chain @scalar_finite(%x: !tile.view<?x64xf32>, %n: i32) {
  %inf = arith.constant 0x7F800000 : f32
  // expected-error@+1 {{'tile.launch' op argument 's': expected a finite number, got 0x7F800000 : f32}}
  tile.launch @of_64(%x, %inf, %n) : !tile.view<?x64xf32>, f32, i32
  tile.return
}

// -----

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

tile.chain @not_written(%y: !tile.view<?xf32>) {
  %n = tile.dim %y, 0 : !tile.view<?xf32>
  %w = tile.workspace "w" [%n] : !tile.view<?xf32>
  // expected-error@+1 {{'tile.launch' op expected a launch before that writes 'w', which @twice reads, or 'zeroed', got neither}}
  tile.launch @twice(%w, %y) : !tile.view<?xf32>, !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @add(%y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]}) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %t = arith.constant dense<1.0> : tensor<8xf32>
  tile.store %t, %y[%c0] {kind = "add"} : tensor<8xf32>, !tile.view<?xf32>
  tile.return
}
tile.chain @not_zeroed(%n: index) {
  %w = tile.workspace "w" [%n] : !tile.view<?xf32>
  // expected-error@+1 {{'tile.launch' op expected a launch before that writes 'w', which @add adds to, or 'zeroed', got neither}}
  tile.launch @add(%w) : !tile.view<?xf32>
  tile.return
}

// -----

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

tile.chain @one_view_twice(%x: !tile.view<?xf32> {tile.name = "x"}) {
  // expected-error@+1 {{'tile.launch' op expected different views for 'x' and 'y' of @twice, which writes one of them, got one}}
  tile.launch @twice(%x, %x) : !tile.view<?xf32>, !tile.view<?xf32>
  tile.return
}
