// Causal attention whose mask is made only in blocks on the diagonal: the branch in the loop over keys becomes a
// choice, and the loop is scheduled.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=cuda 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED-NOT: warning
// SCHEDULED: // loop 0: initiation interval
tile.kernel @attn(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                  %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["S", "D"]},
                  %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["S", "D"]},
                  %O: !tile.view<?x64xf16> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 300}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 64 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %S, %bm : index
  tile.grid %g
  %p = tile.program_id 0
  %m = arith.muli %p, %bm : index
  %q = tile.load %Q[%m, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %zs = arith.constant dense<0.0> : tensor<128x64xf32>
  %l0 = arith.constant dense<0.0> : tensor<128xf32>
  %m0 = arith.constant dense<-1.0e30> : tensor<128xf32>
  %end0 = arith.addi %m, %bm : index
  %end = arith.minsi %end0, %S : index
  %acc, %l, %mx = scf.for %n = %c0 to %end step %bn iter_args(%o = %zero, %lsum = %l0, %mold = %m0)
      -> (tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>) {
    %k = tile.load %K[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zs : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %nend = arith.addi %n, %bn : index
    %diag = arith.cmpi sgt, %nend, %m : index
    %sm = scf.if %diag -> (tensor<128x64xf32>) {
      %rows = tile.iota : tensor<128xi32>
      %cols = tile.iota : tensor<64xi32>
      %m32 = arith.index_cast %m : index to i32
      %n32 = arith.index_cast %n : index to i32
      %ms = tensor.splat %m32 : tensor<128xi32>
      %ns = tensor.splat %n32 : tensor<64xi32>
      %r1 = arith.addi %rows, %ms : tensor<128xi32>
      %c1 = arith.addi %cols, %ns : tensor<64xi32>
      %rb = tile.broadcast %r1 axis 1 : tensor<128xi32> -> tensor<128x64xi32>
      %cb = tile.broadcast %c1 axis 0 : tensor<64xi32> -> tensor<128x64xi32>
      %keep = arith.cmpi sge, %rb, %cb : tensor<128x64xi32>
      %neg = arith.constant dense<-1.0e30> : tensor<128x64xf32>
      %x = arith.select %keep, %s, %neg : tensor<128x64xi1>, tensor<128x64xf32>
      scf.yield %x : tensor<128x64xf32>
    } else {
      scf.yield %s : tensor<128x64xf32>
    }
    %mr = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mnew = arith.maximumf %mold, %mr : tensor<128xf32>
    %mb = tile.broadcast %mnew axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %d = arith.subf %sm, %mb : tensor<128x64xf32>
    %e = math.exp %d : tensor<128x64xf32>
    %es = tile.reduce "add" %e axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %al0 = arith.subf %mold, %mnew : tensor<128xf32>
    %al = math.exp %al0 : tensor<128xf32>
    %l1 = arith.mulf %lsum, %al : tensor<128xf32>
    %l2 = arith.addf %l1, %es : tensor<128xf32>
    %alb = tile.broadcast %al axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %o1 = arith.mulf %o, %alb : tensor<128x64xf32>
    %ph = arith.truncf %e : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%n, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %o2 = tile.dot %ph, %v, %o1 : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %o2, %l2, %mnew : tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>
  }
  %lb = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %on = arith.divf %acc, %lb : tensor<128x64xf32>
  %oh = arith.truncf %on : tensor<128x64xf32> to tensor<128x64xf16>
  tile.store %oh, %O[%m, %c0] : tensor<128x64xf16>, !tile.view<?x64xf16>
  tile.return
}
