// RUN: heddle-opt --heddle-verify-warp --heddle-lower-tokens --heddle-verify-warp %s | FileCheck %s
// Waits that name dots get counts: the fewest dots issued after what they name, on any path. Tokens go.
!sm = !warp.smem<64x64xf16>
!s = tensor<64x64xf32>
// CHECK-LABEL: warp.kernel @k
// CHECK-NOT: token
warp.kernel @k(%Y: !tile.view<?x64xf32> {tile.dims = ["M", "D"]}) {
  %h1 = arith.constant 1 : index
  tile.grid %h1
  %x = warp.scratch "x" : !sm
  warp.group @compute warps(4) regs(160) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tile.dim %Y, 0 : !tile.view<?x64xf32>
    %some = arith.cmpi sgt, %n, %c1 : index
    %a, %ta = warp.dot %x, %x : !sm, !sm -> !s, !warp.token
    %b, %tb = warp.dot %x, %x : !sm, !sm -> !s, !warp.token
    // One dot is younger than the first, two at the end of a trip; where no trip runs, one.
    // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %p, %q, %tp = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b, %t = %ta) -> (!s, !s, !warp.token) {
      %w = scf.if %some -> (!warp.token) {
        scf.yield %t : !warp.token
      } else {
        scf.yield %t : !warp.token
      }
      // CHECK-NOT: scf.if {{.*}} ->
      // CHECK: warp.dot_wait 1{{$}}
      warp.dot_wait for %w
      // CHECK: %[[C:.*]] = warp.dot
      %c, %tc = warp.dot %x, %x acc(%u : !s) : !sm, !sm -> !s, !warp.token
      // CHECK: %[[D:.*]] = warp.dot
      %d, %td = warp.dot %x, %x acc(%v : !s) : !sm, !sm -> !s, !warp.token
      // CHECK: scf.yield %[[C]], %[[D]]
      scf.yield %c, %d, %tc : !s, !s, !warp.token
    }
    // CHECK: warp.dot_wait 1 : %{{.*}}#0
    %first = warp.dot_wait for %tp : %p : !s -> !s
    tile.store %first, %Y[%c0, %c0] : !s, !tile.view<?x64xf32>
    // CHECK: scf.while
    // CHECK-SAME: (tensor<64x64xf32>) -> tensor<64x64xf32>
    %r, %tr = scf.while (%u = %q, %t = %tb) : (!s, !warp.token) -> (!s, !warp.token) {
      %more = arith.cmpi sgt, %n, %c0 : index
      scf.condition(%more) %u, %t : !s, !warp.token
    } do {
    ^bb0(%u: !s, %t: !warp.token):
      %c, %tc = warp.dot %x, %x acc(%u : !s) : !sm, !sm -> !s, !warp.token
      scf.yield %c, %tc : !s, !warp.token
    }
    // CHECK: warp.dot_wait 0 : %{{.*}} : tensor
    %last = warp.dot_wait : %r : !s -> !s
    tile.store %last, %Y[%c0, %c0] : !s, !tile.view<?x64xf32>
    // Nothing in flight makes it.
    %zero = arith.constant dense<0.0> : !s
    %free = warp.dot_wait : %zero : !s -> !s
    // CHECK: tile.store %[[Z:cst.*]], %
    tile.store %free, %Y[%c0, %c0] : !s, !tile.view<?x64xf32>
  }
  warp.return
}
