// Flash-attention forward for scheduling studies: 256 queries, so that two sub-tiles of 128 rows share each block of
// keys; dimension 128, fp16. Full blocks of keys only, as in the tutorial that Twill starts from: nothing is masked.
// Tensors: (batch, head, position, dim); scale is softmax_scale * log2(e), so exp2 is the exponential; LSE natural log.
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
  %m, %l, %acc = scf.for %j = %c0 to %T step %bn
      iter_args(%mi = %neginf, %li = %zero1, %oi = %zero) -> (tensor<256xf32>, tensor<256xf32>, tensor<256x128xf32>) {
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
    %alpha2 = tile.broadcast %alpha axis 1 : tensor<256xf32> -> tensor<256x128xf32>
    %oa = arith.mulf %oi, %alpha2 : tensor<256x128xf32>
    %ph = arith.truncf %p : tensor<256x128xf32> to tensor<256x128xf16>
    %v = tile.load %V[%b, %h, %j, %c0] : !tile.view<?x?x?x128xf16> -> tensor<128x128xf16>
    %on = tile.dot %ph, %v, %oa : tensor<256x128xf16>, tensor<128x128xf16>, tensor<256x128xf32>
    scf.yield %mn, %ln, %on : tensor<256xf32>, tensor<256xf32>, tensor<256x128xf32>
  }
  %l2 = tile.broadcast %l axis 1 : tensor<256xf32> -> tensor<256x128xf32>
  %o = arith.divf %acc, %l2 : tensor<256x128xf32>
  %oh = arith.truncf %o : tensor<256x128xf32> to tensor<256x128xf16>
  tile.store %oh, %O[%b, %h, %m0, %c0] : tensor<256x128xf16>, !tile.view<?x?x?x128xf16>
  %ln2 = arith.constant dense<0.69314718> : tensor<256xf32>
  %mscaled = arith.mulf %m, %scale1 : tensor<256xf32>
  %mnat = arith.mulf %mscaled, %ln2 : tensor<256xf32>
  %logl = math.log %l : tensor<256xf32>
  %lse = arith.addf %mnat, %logl : tensor<256xf32>
  tile.store %lse, %LSE[%b, %h, %m0] : tensor<256xf32>, !tile.view<?x?x?xf32>
  tile.return
}
