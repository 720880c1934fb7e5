// RUN: heddle-opt %s --heddle-lower-warp-to-hw --heddle-emit-manifest -o /dev/null -split-input-file -verify-diagnostics

// expected-error @below {{expected f16, bf16, f32, f64, f8E4M3FN, f8E5M2, i8, i16, i32 or i64 elements of view 'A', got 'i1'}}
warp.kernel @k(%A: !tile.view<?x?xi1> {tile.name = "A"}) {
  %g = arith.constant 1 : index
  tile.grid %g
  warp.group @use warps(4) regs(232) {
  }
  warp.return
}
