// Loops over blocks take blocks of the size that runs best, where it is proven that they mean the same.
// RUN: heddle-opt %s --heddle-retile-loops | FileCheck %s
// RUN: heddle-opt %s --heddle-retile-loops=positions=64 | FileCheck %s --check-prefix=LESS

// RUN: heddle compile %s --kernel=causal --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: retile = 128{{.*}}default: {{.*}}retile
// RUN: echo '{kernel = {retile = 0}}' > %t.plan
// RUN: heddle compile %s --kernel=causal --emit=plan --plan=%t.plan | FileCheck %s --check-prefix=SAYS
// SAYS: retile = 0{{.*}}user: retile
// RUN: for S in 1 64 65 128 129 200; do heddle run %s --kernel=causal --device=sim --dims=S=$S || exit 1; done | FileCheck %s --check-prefix=SAME
// SAME-COUNT-6: {{^}}verified
// Where the mask is true, up to the diagonal and to the end, the loop runs without it.
// RUN: heddle compile %s --kernel=causal --emit=cuda | FileCheck %s --check-prefix=SPLIT
// SPLIT: // blocks of loops are not those of the program (plan: retile = 128; as written: retile = 0)
// SPLIT: for (int it{{[0-9]+}} = 1; {{it[0-9]+}} < [[MIDDLE:i[0-9]+]]; ++it
// SPLIT-NOT: passes the mask
// SPLIT: for (int it{{[0-9]+}} = [[MIDDLE]]; {{it[0-9]+}} < trips{{[0-9]*}}; ++it
// SPLIT: passes the mask
// RUN: heddle run %s --kernel=open_end --device=sim --dims=T=200 | FileCheck %s --check-prefix=OPEN
// RUN: heddle run %s --kernel=long_blocks --device=sim | FileCheck %s --check-prefix=OPEN
// OPEN: {{^}}verified

// Rows behind the last one see keys behind it: the comparison is bounded by the end of the last block of 64.
// CHECK-LABEL: tile.kernel @causal
// CHECK: arith.ceildivsi {{.*}}, %c64
// CHECK: arith.minsi
// CHECK: scf.for {{.*}} step %c128
// CHECK: tile.load {{.*}} -> tensor<128x64xf16>
// CHECK: tile.dot {{.*}} tensor<128x128xf32>
// CHECK-NOT: scf.for
// Blocks of as many positions stay.
// LESS-LABEL: tile.kernel @causal
// LESS: scf.for {{.*}} step %c64

tile.kernel @causal(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                  %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["S", "D"]},
                  %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["S", "D"]},
                  %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 200 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %rows, %c128 : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m0 = arith.muli %pm, %c128 : index
  %q = tile.load %Q[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %least2 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %numbers = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %first = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %numbers, %first : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x64xi32>
  %diagonal = arith.addi %m0, %c128 : index
  %end = arith.minui %diagonal, %rows : index
  %m, %l, %acc = scf.for %j = %c0 to %end step %c64
      iter_args(%mi = %least, %li = %none, %oi = %zero) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %cols = tile.iota : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    %col2 = tile.broadcast %col axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %in = arith.cmpi sle, %col2, %row2 : tensor<128x64xi32>
    %sm = arith.select %in, %s, %least2 : tensor<128x64xi1>, tensor<128x64xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %x = arith.subf %sm, %mn2 : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %o = arith.divf %acc, %l2 : tensor<128x64xf32>
  tile.store %o, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// What masks positions by a number that is not -inf, or nothing, does not tell what lies behind the end: whole blocks
// are taken, and another loop takes the rest.
// CHECK-LABEL: tile.kernel @open_end
// CHECK: [[WHOLE:%.*]] = arith.divsi {{.*}}, %c128
// CHECK: arith.muli [[WHOLE]], %c128
// CHECK: scf.for {{.*}} step %c128
// CHECK: scf.for {{.*}} step %c64

tile.kernel @open_end(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                  %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                  %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["T", "D"]},
                  %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 200 : i64, T = 192 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %rows, %c128 : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m0 = arith.muli %pm, %c128 : index
  %q = tile.load %Q[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %least2 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %numbers = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %first = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %numbers, %first : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x64xi32>
  %end = tile.dim %K, 0 : !tile.view<?x64xf16>
  %m, %l, %acc = scf.for %j = %c0 to %end step %c64
      iter_args(%mi = %least, %li = %none, %oi = %zero) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %cols = tile.iota : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    %col2 = tile.broadcast %col axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %t32 = arith.index_cast %end : index to i32
    %t = tensor.splat %t32 : tensor<128x64xi32>
    %in = arith.cmpi slt, %col2, %t : tensor<128x64xi32>
    %low = arith.constant dense<-1.0e6> : tensor<128x64xf32>
    %sm = arith.select %in, %s, %low : tensor<128x64xi1>, tensor<128x64xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %x = arith.subf %sm, %mn2 : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %o = arith.divf %acc, %l2 : tensor<128x64xf32>
  tile.store %o, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// Longer blocks are cut where they are a whole number of the best ones: their parts visit the same positions, so that
// the loop ends where the last of them ends, and nothing has to be known of what lies behind.
// CHECK-LABEL: tile.kernel @long_blocks
// CHECK: [[BLOCKS:%.*]] = arith.ceildivsi {{.*}}, %c256
// CHECK: [[LENGTH:%.*]] = arith.muli [[BLOCKS]], %c256
// CHECK: [[END:%.*]] = arith.addi {{.*}}[[LENGTH]]
// CHECK: scf.for {{.*}} to [[END]] step %c128
// CHECK-NOT: scf.for

tile.kernel @long_blocks(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                  %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                  %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["T", "D"]},
                  %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 200 : i64, T = 300 : i64}} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c128 = arith.constant 128 : index
  %rows = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %rows, %c128 : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m0 = arith.muli %pm, %c128 : index
  %q = tile.load %Q[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none2 = arith.constant dense<0.0> : tensor<128x256xf32>
  %end = tile.dim %K, 0 : !tile.view<?x64xf16>
  %m, %l, %acc = scf.for %j = %c0 to %end step %c256
      iter_args(%mi = %least, %li = %none, %oi = %zero) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<256x64xf16>
    %kt = tile.transpose %k : tensor<256x64xf16> -> tensor<64x256xf16>
    %s = tile.dot %q, %kt, %none2 : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<256xi32>
    %cols = tile.iota : tensor<256xi32>
    %col = arith.addi %cols, %joff : tensor<256xi32>
    %col2 = tile.broadcast %col axis 0 : tensor<256xi32> -> tensor<128x256xi32>
    %t32 = arith.index_cast %end : index to i32
    %t = tensor.splat %t32 : tensor<128x256xi32>
    %in = arith.cmpi slt, %col2, %t : tensor<128x256xi32>
    %low = arith.constant dense<-1.0e6> : tensor<128x256xf32>
    %sm = arith.select %in, %s, %low : tensor<128x256xi1>, tensor<128x256xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x256xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x256xf32>
    %x = arith.subf %sm, %mn2 : tensor<128x256xf32>
    %p = math.exp2 %x : tensor<128x256xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x256xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x256xf32> to tensor<128x256xf16>
    %v = tile.load %V[%j, %c0] : !tile.view<?x64xf16> -> tensor<256x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x256xf16>, tensor<256x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %o = arith.divf %acc, %l2 : tensor<128x64xf32>
  tile.store %o, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// A scale of which nobody knows the sign makes the running maximum another number with other blocks.
// CHECK-LABEL: tile.kernel @stored_maximum
// CHECK: scf.for {{.*}} step %c64
// CHECK-NOT: scf.for

tile.kernel @stored_maximum(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                  %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["S", "D"]},
                  %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["S", "D"]},
                  %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]},
                  %M: !tile.view<?xf32> {tile.name = "M", tile.dims = ["S"]}, %scale: f32 {tile.name = "scale"})
    attributes {tile.default_dims = {S = 200 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %rows, %c128 : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m0 = arith.muli %pm, %c128 : index
  %q = tile.load %Q[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %least2 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %numbers = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %first = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %numbers, %first : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x64xi32>
  %diagonal = arith.addi %m0, %c128 : index
  %end = arith.minui %diagonal, %rows : index
  %m, %l, %acc = scf.for %j = %c0 to %end step %c64
      iter_args(%mi = %least, %li = %none, %oi = %zero) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %cols = tile.iota : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    %col2 = tile.broadcast %col axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %in = arith.cmpi sle, %col2, %row2 : tensor<128x64xi32>
    %sm = arith.select %in, %s, %least2 : tensor<128x64xi1>, tensor<128x64xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %scales = tensor.splat %scale : tensor<128xf32>
    %scaled = arith.mulf %rm, %scales : tensor<128xf32>
    %mn = arith.maximumf %mi, %scaled : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %x = arith.subf %sm, %mn2 : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %o = arith.divf %acc, %l2 : tensor<128x64xf32>
  tile.store %m, %M[%m0] : tensor<128xf32>, !tile.view<?xf32>
  tile.store %o, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// A factor that does not undo what the maximum has changed.
// CHECK-LABEL: tile.kernel @decays
// CHECK: scf.for {{.*}} step %c64
// CHECK-NOT: scf.for

tile.kernel @decays(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                  %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["S", "D"]},
                  %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["S", "D"]},
                  %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 200 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %rows, %c128 : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m0 = arith.muli %pm, %c128 : index
  %q = tile.load %Q[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %least2 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %numbers = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %first = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %numbers, %first : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x64xi32>
  %diagonal = arith.addi %m0, %c128 : index
  %end = arith.minui %diagonal, %rows : index
  %m, %l, %acc = scf.for %j = %c0 to %end step %c64
      iter_args(%mi = %least, %li = %none, %oi = %zero) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %cols = tile.iota : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    %col2 = tile.broadcast %col axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %in = arith.cmpi sle, %col2, %row2 : tensor<128x64xi32>
    %sm = arith.select %in, %s, %least2 : tensor<128x64xi1>, tensor<128x64xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %x = arith.subf %sm, %mn2 : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %half = arith.constant dense<0.5> : tensor<128xf32>
    %exact = math.exp2 %dm : tensor<128xf32>
    %alpha = arith.mulf %exact, %half : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %o = arith.divf %acc, %l2 : tensor<128x64xf32>
  tile.store %o, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// The same in the exponent.
// CHECK-LABEL: tile.kernel @decays_by_exponent
// CHECK: scf.for {{.*}} step %c64
// CHECK-NOT: scf.for
tile.kernel @decays_by_exponent(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                  %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["S", "D"]},
                  %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["S", "D"]},
                  %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]})
    attributes {tile.default_dims = {S = 200 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %rows, %c128 : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m0 = arith.muli %pm, %c128 : index
  %q = tile.load %Q[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %least2 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %numbers = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %first = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %numbers, %first : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x64xi32>
  %diagonal = arith.addi %m0, %c128 : index
  %end = arith.minui %diagonal, %rows : index
  %m, %l, %acc = scf.for %j = %c0 to %end step %c64
      iter_args(%mi = %least, %li = %none, %oi = %zero) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %cols = tile.iota : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    %col2 = tile.broadcast %col axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %in = arith.cmpi sle, %col2, %row2 : tensor<128x64xi32>
    %sm = arith.select %in, %s, %least2 : tensor<128x64xi1>, tensor<128x64xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %x = arith.subf %sm, %mn2 : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %half = arith.constant dense<0.5> : tensor<128xf32>
    %less = arith.subf %dm, %half : tensor<128xf32>
    %alpha = math.exp2 %less : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %o = arith.divf %acc, %l2 : tensor<128x64xf32>
  tile.store %o, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// A number for each block of 64.
// CHECK-LABEL: tile.kernel @scale_of_block
// CHECK: scf.for {{.*}} step %c64
// CHECK-NOT: scf.for

tile.kernel @scale_of_block(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                  %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["S", "D"]},
                  %V: !tile.view<?x64xf16> {tile.name = "V", tile.dims = ["S", "D"]},
                  %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]},
                  %F: !tile.view<?xf32> {tile.name = "F", tile.dims = ["B"]})
    attributes {tile.default_dims = {S = 200 : i64, B = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %gm = arith.ceildivui %rows, %c128 : index
  tile.grid %gm
  %pm = tile.program_id 0
  %m0 = arith.muli %pm, %c128 : index
  %q = tile.load %Q[%m0, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %least = arith.constant dense<0xFF800000> : tensor<128xf32>
  %least2 = arith.constant dense<0xFF800000> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %numbers = tile.iota : tensor<128xi32>
  %m32 = arith.index_cast %m0 : index to i32
  %first = tensor.splat %m32 : tensor<128xi32>
  %row = arith.addi %numbers, %first : tensor<128xi32>
  %row2 = tile.broadcast %row axis 1 : tensor<128xi32> -> tensor<128x64xi32>
  %diagonal = arith.addi %m0, %c128 : index
  %end = arith.minui %diagonal, %rows : index
  %m, %l, %acc = scf.for %j = %c0 to %end step %c64
      iter_args(%mi = %least, %li = %none, %oi = %zero) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %kt = tile.transpose %k : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %number = arith.divui %j, %c64 : index
    %factor = tile.element %F[%number] : !tile.view<?xf32> -> f32
    %factors = tensor.splat %factor : tensor<128x64xf32>
    %raw = arith.mulf %s, %factors : tensor<128x64xf32>
    %j32 = arith.index_cast %j : index to i32
    %joff = tensor.splat %j32 : tensor<64xi32>
    %cols = tile.iota : tensor<64xi32>
    %col = arith.addi %cols, %joff : tensor<64xi32>
    %col2 = tile.broadcast %col axis 0 : tensor<64xi32> -> tensor<128x64xi32>
    %in = arith.cmpi sle, %col2, %row2 : tensor<128x64xi32>
    %sm = arith.select %in, %raw, %least2 : tensor<128x64xi1>, tensor<128x64xf32>
    %rm = tile.reduce "max" %sm axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %rm : tensor<128xf32>
    %mn2 = tile.broadcast %mn axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %x = arith.subf %sm, %mn2 : tensor<128x64xf32>
    %p = math.exp2 %x : tensor<128x64xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<128x64xf32> -> tensor<128xf32>
    %la = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %la, %rs : tensor<128xf32>
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<128xf32> -> tensor<128x64xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<128x64xf32>
    %ph = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xf16>
    %v = tile.load %V[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %on = tile.dot %ph, %v, %oa : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<128xf32> -> tensor<128x64xf32>
  %o = arith.divf %acc, %l2 : tensor<128x64xf32>
  tile.store %o, %O[%m0, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}

// A contraction takes 128 bytes; here the loop counts blocks.
// CHECK-LABEL: tile.kernel @counts_blocks
// CHECK: scf.for {{.*}} step %c2
// CHECK: tile.load {{.*}} -> tensor<128x64xf16>
// CHECK: tile.load {{.*}} -> tensor<64x128xf16>

tile.kernel @counts_blocks(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c128 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %i = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %end = arith.ceildivui %K, %c32 : index
  %sum = scf.for %j = %c0 to %end step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %k = arith.muli %j, %c32 : index
    %a = tile.load %A[%i, %k] : !tile.view<?x?xf16> -> tensor<128x32xf16>
    %b = tile.load %B[%k, %n] : !tile.view<?x?xf16> -> tensor<32x128xf16>
    %next = tile.dot %a, %b, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %sum, %C[%i, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// CHECK-LABEL: tile.kernel @longer
// CHECK: scf.for {{.*}} step %c64
// CHECK: tile.load {{.*}} -> tensor<128x64xf16>

tile.kernel @longer(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c128 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %i = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %end = tile.dim %B, 0 : !tile.view<?x?xf16>
  %sum = scf.for %j = %c0 to %end step %c128 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%i, %j] : !tile.view<?x?xf16> -> tensor<128x128xf16>
    %b = tile.load %B[%j, %n] : !tile.view<?x?xf16> -> tensor<128x128xf16>
    %next = tile.dot %a, %b, %acc : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %sum, %C[%i, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// Sums that are rounded to 16 bits for each block.
// CHECK-LABEL: tile.kernel @rounds
// CHECK: scf.for {{.*}} step %c32

tile.kernel @rounds(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["K", "N"]},
                  %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c128 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %i = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  %end = tile.dim %B, 0 : !tile.view<?x?xf16>
  %sum = scf.for %j = %c0 to %end step %c32 iter_args(%acc = %zero) -> (tensor<128x128xf16>) {
    %a = tile.load %A[%i, %j] : !tile.view<?x?xf16> -> tensor<128x32xf16>
    %b = tile.load %B[%j, %n] : !tile.view<?x?xf16> -> tensor<32x128xf16>
    %next = tile.dot %a, %b, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf16>
    scf.yield %next : tensor<128x128xf16>
  }
  tile.store %sum, %C[%i, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  tile.return
}

// Products of 8-bit floats that the program adds up itself.
// CHECK-LABEL: tile.kernel @adds_up
// CHECK: scf.for {{.*}} step %c64

tile.kernel @adds_up(%A: !tile.view<?x?xf8E4M3FN> {tile.name = "A", tile.dims = ["M", "K"]},
                  %B: !tile.view<?x?xf8E4M3FN> {tile.name = "B", tile.dims = ["K", "N"]},
                  %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf8E4M3FN>
  %N = tile.dim %B, 1 : !tile.view<?x?xf8E4M3FN>
  %K = tile.dim %A, 1 : !tile.view<?x?xf8E4M3FN>
  %gm = arith.ceildivui %M, %c128 : index
  %gn = arith.ceildivui %N, %c128 : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %i = arith.muli %pm, %c128 : index
  %n = arith.muli %pn, %c128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %end = tile.dim %B, 0 : !tile.view<?x?xf8E4M3FN>
  %sum = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %a = tile.load %A[%i, %j] : !tile.view<?x?xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %b = tile.load %B[%j, %n] : !tile.view<?x?xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
    %part = tile.dot %a, %b, %zero : tensor<128x64xf8E4M3FN>, tensor<64x128xf8E4M3FN>, tensor<128x128xf32>
    %next = arith.addf %acc, %part : tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %sum, %C[%i, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}

// Pairs of positions of one block are others with other blocks.
// CHECK-LABEL: tile.kernel @pairs
// CHECK: scf.for {{.*}} step %c64
// CHECK-NOT: scf.for
tile.kernel @pairs(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["K", "K"]},
                   %B: !tile.view<?x64xf16> {tile.name = "B", tile.dims = ["K", "D"]},
                   %C: !tile.view<64x64xf32> {tile.name = "C"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = tile.dim %A, 0 : !tile.view<?x?xf16>
  tile.grid %c1
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %j = %c0 to %K step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %A[%j, %j] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %B[%j, %c0] : !tile.view<?x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %t = tile.transpose %h : tensor<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %t, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %sum, %C[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  tile.return
}

// Sums of what another product gives take 64 positions, and no loop for a rest.
// CHECK-LABEL: tile.kernel @gradient
// CHECK: scf.for {{.*}} step %c64
// CHECK: tile.dot {{.*}} tensor<128x64xf32>
// CHECK-NOT: scf.for
// CHECK-LABEL: tile.kernel @gradient_of_some
// CHECK: scf.for {{.*}} step %c32
// CHECK-NOT: scf.for
tile.kernel @gradient(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                   %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                   %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]}, %n: index {tile.name = "n"})
    attributes {tile.default_dims = {S = 100, T = 100}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %T = tile.dim %K, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %S, %c128 : index
  tile.grid %g
  %pm = tile.program_id 0
  %i = arith.muli %pm, %c128 : index
  %q = tile.load %Q[%i, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128x32xf32>
  %sum = scf.for %j = %c0 to %T step %c32 iter_args(%acc = %zero) -> (tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<32x64xf16>
    %kt = tile.transpose %k : tensor<32x64xf16> -> tensor<64x32xf16>
    %s = tile.dot %q, %kt, %none : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
    %p = arith.mulf %s, %s : tensor<128x32xf32>
    %h = arith.truncf %p : tensor<128x32xf32> to tensor<128x32xf16>
    %next = tile.dot %h, %k, %acc : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store %sum, %O[%i, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
tile.kernel @gradient_of_some(%Q: !tile.view<?x64xf16> {tile.name = "Q", tile.dims = ["S", "D"]},
                   %K: !tile.view<?x64xf16> {tile.name = "K", tile.dims = ["T", "D"]},
                   %O: !tile.view<?x64xf32> {tile.name = "O", tile.dims = ["S", "D"]}, %n: index {tile.name = "n"})
    attributes {tile.default_dims = {S = 100, T = 100}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %S = tile.dim %Q, 0 : !tile.view<?x64xf16>
  %T = tile.dim %K, 0 : !tile.view<?x64xf16>
  %g = arith.ceildivui %S, %c128 : index
  tile.grid %g
  %pm = tile.program_id 0
  %i = arith.muli %pm, %c128 : index
  %q = tile.load %Q[%i, %c0] : !tile.view<?x64xf16> -> tensor<128x64xf16>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128x32xf32>
  %sum = scf.for %j = %c0 to %n step %c32 iter_args(%acc = %zero) -> (tensor<128x64xf32>) {
    %k = tile.load %K[%j, %c0] : !tile.view<?x64xf16> -> tensor<32x64xf16>
    %kt = tile.transpose %k : tensor<32x64xf16> -> tensor<64x32xf16>
    %s = tile.dot %q, %kt, %none : tensor<128x64xf16>, tensor<64x32xf16>, tensor<128x32xf32>
    %p = arith.mulf %s, %s : tensor<128x32xf32>
    %h = arith.truncf %p : tensor<128x32xf32> to tensor<128x32xf16>
    %next = tile.dot %h, %k, %acc : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tile.store %sum, %O[%i, %c0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  tile.return
}
