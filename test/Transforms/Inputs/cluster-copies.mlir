// By hand: each block of a cluster brings half of a tile to both; one thread of each stores the whole to rows of its
// own. Y[2 i + r] = X[i] for blocks of 64 rows.
!view = !tile.view<?x64xf16>
!ring = !warp.aref<2, [tensor<64x64xf16>]>
warp.kernel @copies(%X: !view {tile.name = "X", tile.dims = ["M", "D"]},
                    %Y: !view {tile.name = "Y", tile.dims = ["M2", "D"]})
    attributes {cluster = 2 : i64, tile.default_dims = {M = 256 : i64, M2 = 512 : i64}} {
  %one = arith.constant 1 : index
  tile.grid %one
  %r = warp.aref "x" : !ring
  warp.group @load warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %M = tile.dim %X, 0 : !view
    %tiles = arith.ceildivui %M, %c64 : index
    scf.for %i = %c0 to %tiles step %c1 {
      %row = arith.muli %i, %c64 : index
      warp.acquire %r[%i] : !ring
      warp.copy %X[%row, %c0] to %r[%i] field 0 multicast : !view, !ring
      warp.publish %r[%i] : !ring
    }
  }
  warp.group @store warps(1) regs(40) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %rank = tile.cluster_rank
    %M = tile.dim %X, 0 : !view
    %tiles = arith.ceildivui %M, %c64 : index
    scf.for %i = %c0 to %tiles step %c1 {
      %twice = arith.muli %i, %c2 : index
      %block = arith.addi %twice, %rank : index
      %row = arith.muli %block, %c64 : index
      %t = warp.get %r[%i] : !ring -> !warp.smem<64x64xf16>
      warp.copy_out %t to %Y[%row, %c0] : !warp.smem<64x64xf16>, !view
      warp.copy_out_wait 0
      warp.consumed %r[%i] : !ring
    }
  }
  warp.return
}
