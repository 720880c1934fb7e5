// Element-wise work inside the loop: C = (scale * A) * B^T, A scaled in fp32 and rounded back to fp16. The scaled tile
// comes from registers, so the dot takes its left operand from registers instead of shared memory.
tile.kernel @gemm_scaled_a(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                           %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                           %scale: f32 {tile.name = "scale", tile.default = 0.5 : f32},
                           %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 256, N = 512, K = 192}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 256 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn {raster = 8 : i64}
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %scales = tensor.splat %scale : tensor<128x64xf32>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %a32 = arith.extf %a : tensor<128x64xf16> to tensor<128x64xf32>
    %as = arith.mulf %a32, %scales : tensor<128x64xf32>
    %ah = arith.truncf %as : tensor<128x64xf32> to tensor<128x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<256x64xf16>
    %bt = tile.transpose %b : tensor<256x64xf16> -> tensor<64x256xf16>
    %next = tile.dot %ah, %bt, %sum : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  %c = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store %c, %C[%m, %n] : tensor<128x256xf16>, !tile.view<?x?xf16>
  tile.return
}
