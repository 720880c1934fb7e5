// Grouped products, as a mixture of experts has them: C = A * B[g]^T for the `sizes[g]` rows of A of group g. Rows
// of A and C are packed one group after the other. The sizes stand in memory, so that nobody knows the number of tiles
// before: every program walks over the groups and takes each tile whose number, counted through all groups, is its own.
// A group without rows has no tiles. The last tile of a group must not touch the rows of the next: the store ends
// `below` the group's end. Both loops are `tile.independent`: their iterations write different rows or columns of C,
// which nobody but the author can know.
tile.kernel @gemm_grouped(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["T", "K"]},
                          %B: !tile.view<?x?x?xf16> {tile.name = "B", tile.dims = ["G", "N", "K"]},
                          %sizes: !tile.view<?xi32> {tile.name = "sizes", tile.dims = ["G"]},
                          %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["T", "N"]})
    attributes {tile.default_dims = {T = 300, N = 264, K = 192, G = 40}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %bm = tile.param "BM" = 128 in [64, 128, 192, 256]
  %bn = tile.param "BN" = 256 in [64, 96, 128, 160, 192, 256]
  %bk = tile.param "BK" = 64 in [32, 64, 128]
  %T = tile.dim %C, 0 : !tile.view<?x?xf16>
  %N = tile.dim %C, 1 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %G = tile.dim %sizes, 0 : !tile.view<?xi32>
  // One program a multiprocessor, and no more than there can be tiles: each group may end in a tile that is not full.
  %gn = arith.ceildivui %N, %bn : index
  %whole = arith.ceildivui %T, %bm : index
  %most = arith.addi %whole, %G : index
  %tiles = arith.muli %most, %gn : index
  %processors = tile.multiprocessors
  %programs = arith.minui %processors, %tiles : index
  tile.grid %programs
  %own = tile.program_id 0
  %step = tile.num_programs 0
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %rest:2 = scf.for %g = %c0 to %G step %c1 iter_args(%first = %own, %from = %c0) -> (index, index) {
    %size = tile.element %sizes[%g] : !tile.view<?xi32> -> i32
    %positive = arith.maxsi %size, %none : i32
    %rows = arith.index_cast %positive : i32 to index
    %to = arith.addi %from, %rows : index
    %gm = arith.ceildivui %rows, %bm : index
    %count = arith.muli %gm, %gn : index
    scf.for %t = %first to %count step %step {
      %pm = arith.remui %t, %gm : index
      %pn = arith.divui %t, %gm : index
      %inGroup = arith.muli %pm, %bm : index
      %m = arith.addi %from, %inGroup : index
      %n = arith.muli %pn, %bn : index
      %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
        %a = tile.load %A[%m, %k] {tile.sizes = ["BM", "BK"]} : !tile.view<?x?xf16> -> tensor<128x64xf16>
        %b = tile.load %B[%g, %n, %k] {tile.sizes = ["BN", "BK"]} : !tile.view<?x?x?xf16> -> tensor<256x64xf16>
        %bt = tile.transpose %b : tensor<256x64xf16> -> tensor<64x256xf16>
        %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
        scf.yield %next : tensor<128x256xf32>
      }
      %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xf16>
      tile.store %c, %C[%m, %n] below [%to, %N] : tensor<128x256xf16>, !tile.view<?x?xf16>
    } {tile.independent}
    // Of the tiles of the next group ours begin at `first - count`, rounded up to one that is ours.
    %missing = arith.subi %count, %first : index
    %left = arith.maxsi %missing, %c0 : index
    %turns = arith.ceildivui %left, %step : index
    %taken = arith.muli %turns, %step : index
    %after = arith.addi %first, %taken : index
    %next = arith.subi %after, %count : index
    scf.yield %next, %to : index, index
  } {tile.independent}
  tile.return
}
