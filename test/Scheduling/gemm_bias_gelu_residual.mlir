// A product of 128 x 256 with bias, gelu and residual: what is computed before the residual is read is pinned there, or
// ptxas would compute it later and spill.
// RUN: heddle run %s --device=sim | FileCheck %s
// RUN: heddle compile %s --persistent=off --emit=cuda | FileCheck %s --check-prefix=CUDA
// CHECK: {{^}}verified
// CUDA: hd::mbarrierWait(smem + kBar_R_full, 0);
// CUDA: hd::fenceOperand([[GELU:[a-z0-9]+]]);
// CUDA-NOT: hd::fenceOperand
// CUDA: = hd::ldShared<uint32_t>((R +
// CUDA: [[GELU]][r] +
tile.kernel @gemm_bias_gelu_residual(%A: !tile.view<?x?xf16> {tile.name = "A", tile.dims = ["M", "K"]},
                                     %B: !tile.view<?x?xf16> {tile.name = "B", tile.dims = ["N", "K"]},
                                     %bias: !tile.view<?xf16> {tile.name = "bias", tile.dims = ["N"]},
                                     %R: !tile.view<?x?xf16> {tile.name = "R", tile.dims = ["M", "N"]},
                                     %C: !tile.view<?x?xf16> {tile.name = "C", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 136, N = 264, K = 136}, plan = {parts = 0}} {
  %c0 = arith.constant 0 : index
  %bk = arith.constant 64 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 256 : index
  %M = tile.dim %A, 0 : !tile.view<?x?xf16>
  %N = tile.dim %B, 0 : !tile.view<?x?xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  %gm = arith.ceildivui %M, %bm : index
  %gn = arith.ceildivui %N, %bn : index
  tile.grid %gm, %gn
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m = arith.muli %pm, %bm : index
  %n = arith.muli %pn, %bn : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %acc = scf.for %k = %c0 to %K step %bk iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
    %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<256x64xf16>
    %bt = tile.transpose %b : tensor<256x64xf16> -> tensor<64x256xf16>
    %next = tile.dot %a, %bt, %sum : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  %b16 = tile.load %bias[%n] : !tile.view<?xf16> -> tensor<256xf16>
  %b32 = arith.extf %b16 : tensor<256xf16> to tensor<256xf32>
  %rows = tile.broadcast %b32 axis 0 : tensor<256xf32> -> tensor<128x256xf32>
  %x = arith.addf %acc, %rows : tensor<128x256xf32>
  %cubic = arith.constant dense<0.044715> : tensor<128x256xf32>
  %root = arith.constant dense<0.79788456> : tensor<128x256xf32>
  %half = arith.constant dense<0.5> : tensor<128x256xf32>
  %one = arith.constant dense<1.0> : tensor<128x256xf32>
  %x2 = arith.mulf %x, %x : tensor<128x256xf32>
  %x3 = arith.mulf %x2, %x : tensor<128x256xf32>
  %cube = arith.mulf %x3, %cubic : tensor<128x256xf32>
  %inner = arith.addf %x, %cube : tensor<128x256xf32>
  %scaled = arith.mulf %inner, %root : tensor<128x256xf32>
  %tanh = math.tanh %scaled : tensor<128x256xf32>
  %above = arith.addf %tanh, %one : tensor<128x256xf32>
  %halved = arith.mulf %x, %half : tensor<128x256xf32>
  %gelu = arith.mulf %halved, %above : tensor<128x256xf32>
  %residual = tile.load %R[%m, %n] : !tile.view<?x?xf16> -> tensor<128x256xf16>
  %r32 = arith.extf %residual : tensor<128x256xf16> to tensor<128x256xf32>
  %y = arith.addf %gelu, %r32 : tensor<128x256xf32>
  %c = arith.truncf %y : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store %c, %C[%m, %n] : tensor<128x256xf16>, !tile.view<?x?xf16>
  tile.return
}
