// Flash-attention forward for scheduling studies, as attention_256.mlir, with the accumulator in four slices of 32
// columns, as FlashAttention-4 rescales it: the nodes that load, scale and store accumulators are a quarter as large.
tile.kernel @attention(%Q: !tile.view<?x?x?x128xf16> {tile.name = "Q", tile.dims = ["B", "H", "S", "D"]},
                       %K: !tile.view<?x?x?x128xf16> {tile.name = "K", tile.dims = ["B", "H", "T", "D"]},
                       %V: !tile.view<?x?x?x128xf16> {tile.name = "V", tile.dims = ["B", "H", "T", "D"]},
                       %O: !tile.view<?x?x?x128xf16> {tile.name = "O", tile.dims = ["B", "H", "S", "D"]},
                       %LSE: !tile.view<?x?x?xf32> {tile.name = "LSE", tile.dims = ["B", "H", "S"]},
                       %scale: f32 {tile.name = "scale_log2", tile.default = 0.12751743 : f32})
    attributes {tile.default_dims = {B = 1 : i64, H = 2 : i64, S = 300 : i64, T = 256 : i64}} {
  %c0 = arith.constant 0 : index
  %bm = arith.constant 256 : index
  %bn = arith.constant 128 : index
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x128xf16>
  %heads = tile.dim %Q, 1 : !tile.view<?x?x?x128xf16>
  %S = tile.dim %Q, 2 : !tile.view<?x?x?x128xf16>
  %T = tile.dim %K, 2 : !tile.view<?x?x?x128xf16>
  %gm = arith.ceildivui %S, %bm : index
  tile.grid %gm, %heads, %batch
  %pm = tile.program_id 0
  %h = tile.program_id 1
  %b = tile.program_id 2
  %m0 = arith.muli %pm, %bm : index
  %q = tile.load %Q[%b, %h, %m0, %c0] : !tile.view<?x?x?x128xf16> -> tensor<256x128xf16>
  %neginf = arith.constant dense<0xFF800000> : tensor<256xf32>
  %zero1 = arith.constant dense<0.0> : tensor<256xf32>
  %zero = arith.constant dense<0.0> : tensor<256x128xf32>
  %scale1 = tensor.splat %scale : tensor<256xf32>
  %scale2 = tensor.splat %scale : tensor<256x128xf32>
    %zacc = arith.constant dense<0.0> : tensor<256x32xf32>
  %m, %l, %acc0, %acc1, %acc2, %acc3 = scf.for %j = %c0 to %T step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi0 = %zacc, %oi1 = %zacc, %oi2 = %zacc, %oi3 = %zacc)
      -> (tensor<256xf32>, tensor<256xf32>, tensor<256x32xf32>, tensor<256x32xf32>, tensor<256x32xf32>,
          tensor<256x32xf32>) {
    %k = tile.load %K[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %kt = tile.transpose %k : tensor<128x128xf16> -> tensor<128x128xf16>
    %s = tile.dot %q, %kt, %zero : tensor<256x128xf16>, tensor<128x128xf16>, tensor<256x128xf32>
    // online softmax
    %rm = tile.reduce "max" %s axis 1 : tensor<256x128xf32> -> tensor<256xf32>
    %mn = arith.maximumf %mi, %rm : tensor<256xf32>
    %ms = arith.mulf %mn, %scale1 : tensor<256xf32>
    %ms2 = tile.broadcast %ms axis 1 : tensor<256xf32> -> tensor<256x128xf32>
    %scaled = arith.mulf %s, %scale2 : tensor<256x128xf32>
    %x = arith.subf %scaled, %ms2 : tensor<256x128xf32>
    %p = math.exp2 %x : tensor<256x128xf32>
    %mis = arith.mulf %mi, %scale1 : tensor<256xf32>
    %dm = arith.subf %mis, %ms : tensor<256xf32>
    %alpha = math.exp2 %dm : tensor<256xf32>
    %rs = tile.reduce "add" %p axis 1 : tensor<256x128xf32> -> tensor<256xf32>
    %la = arith.mulf %li, %alpha : tensor<256xf32>
    %ln = arith.addf %la, %rs : tensor<256xf32>
    %ph = arith.truncf %p : tensor<256x128xf32> to tensor<256x128xf16>
    %v = tile.load %V[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %a0 = tile.broadcast %alpha axis 1 : tensor<256xf32> -> tensor<256x32xf32>
    %s0 = arith.mulf %oi0, %a0 : tensor<256x32xf32>
    %a1 = tile.broadcast %alpha axis 1 : tensor<256xf32> -> tensor<256x32xf32>
    %s1 = arith.mulf %oi1, %a1 : tensor<256x32xf32>
    %a2 = tile.broadcast %alpha axis 1 : tensor<256xf32> -> tensor<256x32xf32>
    %s2 = arith.mulf %oi2, %a2 : tensor<256x32xf32>
    %a3 = tile.broadcast %alpha axis 1 : tensor<256xf32> -> tensor<256x32xf32>
    %s3 = arith.mulf %oi3, %a3 : tensor<256x32xf32>
    %v0 = tensor.extract_slice %v[0, 0] [128, 32] [1, 1] : tensor<128x128xf16> to tensor<128x32xf16>
    %on0 = tile.dot %ph, %v0, %s0 : tensor<256x128xf16>, tensor<128x32xf16>, tensor<256x32xf32>
    %v1 = tensor.extract_slice %v[0, 32] [128, 32] [1, 1] : tensor<128x128xf16> to tensor<128x32xf16>
    %on1 = tile.dot %ph, %v1, %s1 : tensor<256x128xf16>, tensor<128x32xf16>, tensor<256x32xf32>
    %v2 = tensor.extract_slice %v[0, 64] [128, 32] [1, 1] : tensor<128x128xf16> to tensor<128x32xf16>
    %on2 = tile.dot %ph, %v2, %s2 : tensor<256x128xf16>, tensor<128x32xf16>, tensor<256x32xf32>
    %v3 = tensor.extract_slice %v[0, 96] [128, 32] [1, 1] : tensor<128x128xf16> to tensor<128x32xf16>
    %on3 = tile.dot %ph, %v3, %s3 : tensor<256x128xf16>, tensor<128x32xf16>, tensor<256x32xf32>
    scf.yield %mn, %ln, %on0, %on1, %on2, %on3
      : tensor<256xf32>, tensor<256xf32>, tensor<256x32xf32>, tensor<256x32xf32>, tensor<256x32xf32>, tensor<256x32xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<256xf32> -> tensor<256x32xf32>
  %o0 = arith.divf %acc0, %l2 : tensor<256x32xf32>
  %oh0 = arith.truncf %o0 : tensor<256x32xf32> to tensor<256x32xf16>
  %c0c = arith.constant 0 : index
  tile.store %oh0, %O[%b, %h, %m0, %c0c] : tensor<256x32xf16>, !tile.view<?x?x?x128xf16>
  %o1 = arith.divf %acc1, %l2 : tensor<256x32xf32>
  %oh1 = arith.truncf %o1 : tensor<256x32xf32> to tensor<256x32xf16>
  %c32c = arith.constant 32 : index
  tile.store %oh1, %O[%b, %h, %m0, %c32c] : tensor<256x32xf16>, !tile.view<?x?x?x128xf16>
  %o2 = arith.divf %acc2, %l2 : tensor<256x32xf32>
  %oh2 = arith.truncf %o2 : tensor<256x32xf32> to tensor<256x32xf16>
  %c64c = arith.constant 64 : index
  tile.store %oh2, %O[%b, %h, %m0, %c64c] : tensor<256x32xf16>, !tile.view<?x?x?x128xf16>
  %o3 = arith.divf %acc3, %l2 : tensor<256x32xf32>
  %oh3 = arith.truncf %o3 : tensor<256x32xf32> to tensor<256x32xf16>
  %c96c = arith.constant 96 : index
  tile.store %oh3, %O[%b, %h, %m0, %c96c] : tensor<256x32xf16>, !tile.view<?x?x?x128xf16>
  %ln2 = arith.constant dense<0.69314718> : tensor<256xf32>
  %mscaled = arith.mulf %m, %scale1 : tensor<256xf32>
  %mnat = arith.mulf %mscaled, %ln2 : tensor<256xf32>
  %logl = math.log %l : tensor<256xf32>
  %lse = arith.addf %mnat, %logl : tensor<256xf32>
  tile.store %lse, %LSE[%b, %h, %m0] : tensor<256xf32>, !tile.view<?x?x?xf32>
  tile.return
}
