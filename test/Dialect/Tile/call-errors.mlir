// REQUIRES: tool-heddle-opt
// RUN: heddle-opt %s --split-input-file --verify-diagnostics
// One case per diagnostic of functions from outside.

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected the name of a C++ function, got '1f'}}
  %y = tile.call "1f" from "f.cuh" cost {alu = 1} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %r = arith.addf %e, %e : f32
    tile.yield %r : f32
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected the name of a C++ function, got 'a:::b'}}
  %y = tile.call "a:::b" from "f.cuh" cost {alu = 1} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %r = arith.addf %e, %e : f32
    tile.yield %r : f32
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected a header as #include has it, got 'a b.cuh'}}
  %y = tile.call "f" from "a b.cuh" cost {alu = 1} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %r = arith.addf %e, %e : f32
    tile.yield %r : f32
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected a cost of at least one operation, got none}}
  %y = tile.call "f" from "f.cuh" cost {} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %r = arith.addf %e, %e : f32
    tile.yield %r : f32
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected a cost in alu, alu_half, cvt, exp, sfu, got 'tma'}}
  %y = tile.call "f" from "f.cuh" cost {tma = 1} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %r = arith.addf %e, %e : f32
    tile.yield %r : f32
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected 1 to 4096 operations of class 'alu', got 0 : i64}}
  %y = tile.call "f" from "f.cuh" cost {alu = 0} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %r = arith.addf %e, %e : f32
    tile.yield %r : f32
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  %s = arith.constant 1.0 : f32
  // expected-error@+1 {{expected 1 to 8 operands, all of them tiles}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x, %s) : (tensor<64xf32>, f32) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %r = arith.addf %e, %e : f32
    tile.yield %r : f32
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected a body on the elements of its operands, [f32], got one on [f16]}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f16):
    %r = arith.extf %e : f16 to f32
    tile.yield %r : f32
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected operations as [name, operands, attributes, type] that use earlier ones, got}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x)
      : (tensor<64xf32>) -> tensor<64xf32> means [[f32], ["arith.addf", array<i64: 0, 1>, {}, f32]]
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected element-wise operations in its body, got tile.iota}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x)
      : (tensor<64xf32>) -> tensor<64xf32> means [[f32], ["tile.iota", array<i64>, {}, i32]]
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected operations on the elements of its operands, got a wrong arith.extf}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x)
      : (tensor<64xf32>) -> tensor<64xf32> means [[f32], ["arith.extf", array<i64: 0>, {}, f16]]
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected a body that gives 'f32'}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %r = arith.truncf %e : f32 to f16
    tile.yield %r : f16
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected a body that gives 'f32'}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x)
      : (tensor<64xf32>) -> tensor<64xf32> means [[f32]]
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected a body that ends with tile.yield}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    tile.return
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  %s = arith.constant 1.0 : f32
  // expected-error@+1 {{expected a body that uses nothing from outside}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %r = arith.addf %e, %s : f32
    tile.yield %r : f32
  }
  tile.return
}
// -----

tile.kernel @k(%v: !tile.view<64xf32>) {
  %p = arith.constant 0 : index
  %one = arith.constant 1 : index
  tile.grid %one
  %x = tile.load %v[%p] : !tile.view<64xf32> -> tensor<64xf32>
  // expected-error@+1 {{expected element-wise operations in a body, got scf.if}}
  %y = tile.call "f" from "f.cuh" cost {alu = 1} (%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%e: f32):
    %c = arith.cmpf ogt, %e, %e : f32
    %r = scf.if %c -> f32 {
      scf.yield %e : f32
    } else {
      scf.yield %e : f32
    }
    tile.yield %r : f32
  }
  tile.return
}
