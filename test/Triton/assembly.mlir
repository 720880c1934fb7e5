// Inline assembly that computes with f32: the softplus of a library in base 2, registers of its own.
// RUN: heddle run %s --device=sim --grid=3 --scalars=n=300 --input "x=uniform(-30,40)" | FileCheck %s
// CHECK: {{^}}verified
// RUN: heddle compile %s --emit=tile | FileCheck %s --check-prefix=TILE
// TILE: math.exp2
// TILE: math.log2
// TILE: math.fma
// TILE: math.tanh {{.*}} fastmath<afn>
// RUN: sed s/lg2.approx.ftz.f32/cvt.rna.tf32.f32/ %s > %t.mlir
// RUN: not heddle compile %t.mlir --emit=tile 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: expected an operation that tile programs have, got tt.elementwise_inline_asm
module {
  tt.func public @assembly(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %v = arith.constant dense<1.000000e+00> : tensor<128xf32>
    %c128_i32 = arith.constant 128 : i32
    %i = tt.get_program_id x : i32
    %i_0 = arith.muli %i, %c128_i32 : i32
    %i_1 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %i_2 = tt.splat %i_0 : i32 -> tensor<128xi32>
    %i_3 = arith.addi %i_2, %i_1 : tensor<128xi32>
    %v_4 = tt.splat %n : i32 -> tensor<128xi32>
    %v_5 = arith.cmpi slt, %i_3, %v_4 : tensor<128xi32>
    %v_6 = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %v_7 = tt.addptr %v_6, %i_3 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v_8 = tt.load %v_7, %v_5, %v : tensor<128x!tt.ptr<f32>>
    %e = tt.elementwise_inline_asm "setp.gt.f32 p,$1,15.; @p mov.f32 $0,$1; @!p ex2.approx.ftz.f32 $0,$1;"
        {constraints = "=r,r", packed_element = 1 : i32, pure = true} %v_8 : tensor<128xf32> -> tensor<128xf32>
    %s = tt.elementwise_inline_asm "{.reg .f32 t; add.f32 t,$1,0f3F800000; lg2.approx.ftz.f32 $0,t;}"
        {constraints = "=r,r", packed_element = 1 : i32, pure = true} %e : tensor<128xf32> -> tensor<128xf32>
    %t = tt.elementwise_inline_asm "rcp.approx.f32 t, $2; fma.rn.f32 t, $1, t, 1.0; tanh.approx.f32 $0, t;"
        {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %v_8, %s :
        tensor<128xf32>, tensor<128xf32> -> tensor<128xf32>
    %0 = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i_3 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %2 = arith.addf %s, %t : tensor<128xf32>
    tt.store %1, %2, %v_5 : tensor<128x!tt.ptr<f32>>
    tt.return
  }
}
