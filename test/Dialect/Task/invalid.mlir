// REQUIRES: tool-heddle-opt
// RUN: heddle-opt %s --split-input-file --verify-diagnostics
// One case per diagnostic of lib/Dialect/Task, in the order of the source.

// expected-error@+1 {{expected a parameter's name that is a C identifier and no keyword, got "for"}}
task.task @name(for: read f32[M])

// -----

// expected-error@+1 {{expected a scalar of type f32, i32 or index, or a privilege before a tensor's type, got 'f16'}}
task.task @scalar(x: f16)

// -----

// expected-error@+1 {{expected a default that is a number of type 'f32', got "one"}}
"task.task"() {sym_name = "byDefault", parameters = [#task.parameter<x: f32 = "one">]} : () -> ()

// -----

// expected-error@+1 {{expected a tensor of integers or floats, got 'index'}}
task.task @element(x: read index[M])

// -----

// expected-error@+1 {{expected a tensor of rank 1 to 5, got rank 0}}
task.task @rank(x: read f32[])

// -----

// expected-error@+1 {{expected dimensions that are C identifiers or numbers from 1 to 2147483647, got 0 : i64}}
task.task @dim(x: read f32[M, 0])

// -----

// expected-error@+1 {{expected 'inner' or 'leaf'}}
task.variant @kind of @nothing (%x) {}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected one to three variables, each with a bound, got 0 and 0}}
  task.srange () to () {
  }
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  %n = task.dim %x, 0
  // expected-error@+1 {{expected one to three variables, each with a bound, got 2 and 1}}
  task.prange (%i, %j) to (%n) {
  }
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  %n = task.dim %x, 0
  // expected-error@+1 {{expected variables of type index, got 'i32'}}
  "task.srange"(%n) ({
  ^bb0(%i: i32):
    task.return
  }) : (index) -> ()
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected 1 values in its list, got 0}}
  %b = "task.blocks"(%x) {static_sizes = array<i64: -9223372036854775808>} : (!task.tensor) -> !task.partition
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected numbers from 0 to 2147483647, got -64}}
  %b = task.blocks %x [-64]
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected a tensor of rank 1 to 5, got rank 0}}
  %t = task.make_tensor [] : f32
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected a tensor of integers or floats, got 'index'}}
  %t = task.make_tensor [4] : index
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected a dimension whose size is not the literal 1, got none}}
  %b = task.blocks %x [1]
}

// -----

task.task @t(x: read f32[M, N])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected each dimension to be m, n or k, and no two the same, got "m"}}
  %b = task.mma %x [m, m] into 4
}

// -----

task.task @t(x: read f32[M, N])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected one number of pieces, got 2}}
  %b = "task.mma"(%x) {roles = ["m", "n"], static_pieces = array<i64: 4, 4>} : (!task.tensor) -> !task.partition
}

// -----

task.task @t(x: read f32[M, N])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected 4 pieces (the warps of a warp group) or 32 (the threads of a warp), got 8}}
  %b = task.mma %x [m, n] into 8
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected a name that is a C identifier and no keyword, got 'a b'}}
  %u = task.tunable "a b" = 4
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected a value from 1 to 1048576, got 0}}
  %u = task.tunable "U" = 4 in [0, 4]
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected its own value 4 among the choices, got none like it}}
  %u = task.tunable "U" = 4 in [8]
}

// -----

// expected-error@+1 {{expected distinct names of parameters, got 'x' twice}}
task.task @twice(x: read f32[M], x: read f32[M])

// -----

// The rules of TaskRules.cpp. A range writes what no variable of it tells apart.
task.task @clear(x: write f32[M])
task.variant @zero of @clear leaf (%x: tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  task.return %zero : tensor<64xf32>
}
task.variant @v of @clear inner (%x) {
  %b = task.blocks %x [64]
  %n = task.count %b, 0
  // expected-note@+1 {{the range}}
  task.prange (%i, %j) to (%n, %n) {
    %p = task.piece %b[%i]
    // expected-error@+1 {{expected each iteration of the task.prange around it to touch pieces of its own of 'x', which is written here: pieces of one partition, with variable 1 of the range as an index}}
    task.launch @clear(%p)
  }
}

// -----

// Neighbours: written at i, read at i + 1.
task.task @shift(x: read_write f32[M])
task.task @move(x: write f32[M], y: read f32[M])
task.variant @moved of @move leaf (%x: tensor<64xf32>, %y: tensor<64xf32>) {
  task.return %y : tensor<64xf32>
}
task.variant @v of @shift inner (%x) {
  %b = task.blocks %x [64]
  %n = task.count %b, 0
  %one = arith.constant 1 : index
  // expected-note@+1 {{the range}}
  task.prange (%i) to (%n) {
    %t = task.make_tensor [64] : f32
    %p = task.piece %b[%i]
    %next = arith.addi %i, %one : index
    %q = task.piece %b[%next]
    task.launch @move(%t, %q)
    // expected-error@+1 {{expected each iteration of the task.prange around it to touch pieces of its own of 'x'}}
    task.launch @move(%p, %t)
  }
}

// -----

// Blocks whose size changes in the range.
task.task @clear(x: write f32[M])
task.variant @zero of @clear leaf (%x: tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  task.return %zero : tensor<64xf32>
}
task.variant @v of @clear inner (%x) {
  %n = task.dim %x, 0
  // expected-note@+1 {{the range}}
  task.prange (%i) to (%n) {
    %b = task.blocks %x [%i]
    %p = task.piece %b[%i]
    // expected-error@+1 {{expected each iteration of the task.prange around it to touch pieces of its own of 'x'}}
    task.launch @clear(%p)
  }
}

// -----

// Blocks of blocks whose size changes in the range: at k = 1 and k = 2, blocks 2 and 0 meet.
task.task @clear(x: write f32[M])
task.variant @zero of @clear leaf (%x: tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  task.return %zero : tensor<64xf32>
}
task.variant @v of @clear inner (%x) {
  %n = task.dim %x, 0
  %three = arith.constant 3 : index
  %eight = arith.constant 8 : index
  // expected-note@+1 {{the range}}
  task.prange (%i) to (%three) {
    task.srange (%k) to (%three) {
      %size = arith.muli %k, %eight : index
      %b = task.blocks %x [%size]
      %p = task.piece %b[1]
      %c = task.blocks %p [4]
      %q = task.piece %c[%i]
      // expected-error@+1 {{expected each iteration of the task.prange around it to touch pieces of its own of 'x'}}
      task.launch @clear(%q)
    }
  }
}

// -----

// Threads share rows.
task.task @clear(x: write f32[M])
task.variant @zero of @clear leaf (%x: tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  task.return %zero : tensor<64xf32>
}
task.variant @v of @clear inner (%x) {
  %b = task.mma %x [m] into 32
  %n = task.count %b, 0
  // expected-note@+1 {{the range}}
  task.prange (%i) to (%n) {
    %p = task.piece %b[%i]
    // expected-error@+1 {{expected each iteration of the task.prange around it to touch pieces of its own of 'x'}}
    task.launch @clear(%p)
  }
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected the name of a task, got @nothing}}
  task.launch @nothing(%x)
}
task.variant @l of @t leaf (%x: tensor<64xf32>) {
  task.return
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected 1 arguments as @t has parameters, got 2}}
  task.launch @t(%x, %x)
}
task.variant @l of @t leaf (%x: tensor<64xf32>) {
  task.return
}

// -----

task.task @t(x: read f32[M], s: f32)
task.variant @v of @t inner (%x, %s: f32) {
  %one = arith.constant 1 : i32
  // expected-error@+1 {{expected for parameter 's' a scalar of type 'f32', got 'i32'}}
  task.launch @t(%x, %one : i32)
}
task.variant @l of @t leaf (%x: tensor<64xf32>, %s: f32) {
  task.return
}

// -----

task.task @t(x: read f32[M], s: f32)
task.variant @v of @t inner (%x, %s: f32) {
  // expected-error@+1 {{expected for parameter 'x' a tensor, got 'f32'}}
  task.launch @t(%s : f32, %s : f32)
}
task.variant @l of @t leaf (%x: tensor<64xf32>, %s: f32) {
  task.return
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  %t = task.make_tensor [64, 64] : f16
  // expected-error@+1 {{expected for parameter 'x' a tensor of 'f32' and rank 1, got one of 'f16' and rank 2}}
  task.launch @t(%t)
}
task.variant @l of @t leaf (%x: tensor<64xf32>) {
  task.return
}

// -----

task.task @t(x: read f32[M])
task.task @w(x: write f32[M])
task.variant @zero of @w leaf (%x: tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  task.return %zero : tensor<64xf32>
}
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected for parameter 'x' a tensor with the privilege write, got 'x', on which this task has read}}
  task.launch @w(%x)
}

// -----

// What a task writes it may not read: its contents are undefined before.
task.task @t(x: write f32[M])
task.task @r(x: read_write f32[M])
task.variant @same of @r leaf (%x: tensor<64xf32>) {
  task.return %x : tensor<64xf32>
}
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected for parameter 'x' a tensor with the privilege read_write, got 'x', on which this task has write}}
  task.launch @r(%x)
}

// -----

task.task @t(x: read_write f32[M])
task.task @move(x: write f32[M], y: read f32[M])
task.variant @moved of @move leaf (%x: tensor<64xf32>, %y: tensor<64xf32>) {
  task.return %y : tensor<64xf32>
}
task.variant @v of @t inner (%x) {
  %b = task.blocks %x [64]
  %p = task.piece %b[0]
  %q = task.piece %b[1]
  task.launch @move(%p, %q)
  // expected-error@+1 {{expected arguments that do not overlap where one is written, got parts of 'x' for 'x' and 'y'}}
  task.launch @move(%p, %x)
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected a dimension of at least 0 and below 1, got 1}}
  %d = task.dim %x, 1
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected a number for each of 1 dimensions, got 2}}
  %b = task.blocks %x [64, full]
}

// -----

task.task @t(x: read f32[M], p: read f32[M])
task.variant @v of @t inner (%x, %p) {
  %b = task.blocks %x [64]
  // expected-error@+1 {{expected 1 indices, got 2}}
  %q = task.piece %b[0, 0]
}

// -----

task.task @t(x: read f32[M, N])
task.variant @v of @t inner (%x) {
  %b = task.mma %x [m, n] into 4
  // expected-error@+1 {{expected dimension 0 of a partition by task.mma, got 1}}
  %n = task.count %b, 1
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected scalar arithmetic, partitions and launches in an inner variant}}
  %zero = arith.constant dense<0.0> : tensor<64xf32>
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  %n = task.dim %x, 0
  // expected-error@+1 {{expected no values from an inner variant, got 1}}
  task.return %n : index
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  %u = task.tunable "U" = 64
  // expected-error@+1 {{expected distinct names of tunables in a variant, got 'U' twice}}
  %v = task.tunable "U" = 64
}

// -----

task.task @t(x: write f32[M])
// expected-error@+1 {{expected no use of 'x' as a value, which the task does not read}}
task.variant @v of @t leaf (%x: tensor<64xf32>) {
  // expected-note@+1 {{used here}}
  task.return %x : tensor<64xf32>
}

// -----

task.task @t(x: read f32[M], y: read f32[M])
// expected-error@+1 {{expected dimension "M" of 'y' to be 64, got 32}}
task.variant @v of @t leaf (%x: tensor<64xf32>, %y: tensor<32xf32>) {
  task.return
}

// -----

task.task @t(x: read f32[128])
// expected-error@+1 {{expected dimension 128 : i64 of 'x' to be 128, got 64}}
task.variant @v of @t leaf (%x: tensor<64xf32>) {
  task.return
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t leaf (%x: tensor<64xf32>) {
  // expected-error@+1 {{expected an operation on the values of tiles in a leaf}}
  %i = tile.program_id 0
  task.return
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t leaf (%x: tensor<64xf32>) {
  // expected-error@+1 {{expected a tile of at most 1048576 elements, got more}}
  %e = tensor.empty() : tensor<1024x2048xf32>
  task.return
}

// -----

task.task @t(x: write f32[M])
// expected-error@+1 {{expected a leaf that returns a value for each tensor it writes ('tensor<64xf32>'), got ()}}
task.variant @v of @t leaf (%x: tensor<64xf32>) {
  task.return
}

// -----

// expected-error@+1 {{expected the name of a task, got @nothing}}
task.variant @v of @nothing leaf () {
  task.return
}

// -----

task.task @t(x: read f32[M])
// expected-error@+1 {{expected 1 arguments as its task @t has parameters, got 0}}
task.variant @v of @t leaf () {
  task.return
}

// -----

task.task @t(x: f32)
// expected-error@+1 {{expected 'x' to be a scalar of type 'f32', got 'i32'}}
task.variant @v of @t leaf (%x: i32) {
  task.return
}

// -----

task.task @t(x: read f32[M])
// expected-error@+1 {{expected 'x' to be a tensor without a type in an inner variant, got 'tensor<64xf32>'}}
task.variant @v of @t inner (%x: tensor<64xf32>) {
}

// -----

task.task @t(x: read f32[M])
// expected-error@+1 {{expected 'x' to be a statically shaped tensor of 'f32' and rank 1 in a leaf, got 'tensor<?xf32>'}}
task.variant @v of @t leaf (%x: tensor<?xf32>) {
  task.return
}

// -----

// A task that only launches itself, and one without variants, mean nothing.
// expected-error@+1 {{expected a leaf of 't', or a variant that launches only tasks that mean something without it, got 1 variants that are neither}}
task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  task.launch @t(%x)
}

// -----

// expected-error@+1 {{expected a variant of 't', got none}}
task.task @t(x: read f32[M])

// -----

task.task @t(x: read f32[M])
task.task @between(x: read f32[M])
// expected-error@+1 {{expected a variant of 'missing', got none}}
task.task @missing(x: read f32[M])
task.variant @v of @t inner (%x) {
  task.launch @between(%x)
}
task.variant @w of @between inner (%x) {
  task.launch @missing(%x)
}

// -----

task.task @t(x: read f32[M])
task.variant @v of @t inner (%x) {
  // expected-error@+1 {{expected the name of a task, got @unknown}}
  task.launch @unknown(%x)
}

// -----

// expected-error@+1 {{expected read, write, read_write or reduce and the type of a tensor's elements, or the type of a scalar}}
task.task @privilege(x: reads f32[M])

// -----

// expected-error@+1 {{expected the type of a tensor's elements}}
task.task @elements(x: read none_such[M])
