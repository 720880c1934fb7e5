// A row for each program as Inductor writes it (XBLOCK = 1): maxima that a NaN goes through, tiles of one row.
// RUN: heddle run %s --device=sim --grid=3 --scalars=xnumel=3,r0_numel=100 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=3 --scalars=xnumel=3,r0_numel=100 | FileCheck %s
// CHECK: {{^}}verified
module {
  tt.func public @softmax(%in_ptr0: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %in_ptr1: !tt.ptr<f32>
      {tt.divisibility = 16 : i32}, %out_ptr2: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %xnumel: i32, %r0_numel:
      i32) {
    %tmp0 = arith.constant dense<0.000000e+00> : tensor<1x128xbf16>
    %tmp4 = arith.constant dense<0xFF800000> : tensor<1x128xf32>
    %cst = arith.constant dense<0.000000e+00> : tensor<1x128xf32>
    %xoffset = tt.get_program_id x : i32
    %xmask = arith.cmpi slt, %xoffset, %xnumel : i32
    %r0_index = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %r0_index_0 = tt.expand_dims %r0_index {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %r0_mask = tt.splat %r0_numel : i32 -> tensor<1x128xi32>
    %r0_mask_1 = arith.cmpi slt, %r0_index_0, %r0_mask : tensor<1x128xi32>
    %tmp0_2 = arith.muli %r0_numel, %xoffset : i32
    %tmp0_3 = tt.splat %tmp0_2 : i32 -> tensor<1x128xi32>
    %tmp0_4 = arith.addi %r0_index_0, %tmp0_3 : tensor<1x128xi32>
    %tmp0_5 = tt.splat %in_ptr0 : !tt.ptr<bf16> -> tensor<1x128x!tt.ptr<bf16>>
    %tmp0_6 = tt.addptr %tmp0_5, %tmp0_4 : tensor<1x128x!tt.ptr<bf16>>, tensor<1x128xi32>
    %tmp0_7 = tt.splat %xmask : i1 -> tensor<1x128xi1>
    %tmp0_8 = arith.andi %r0_mask_1, %tmp0_7 : tensor<1x128xi1>
    %tmp0_9 = tt.load %tmp0_6, %tmp0_8, %tmp0 : tensor<1x128x!tt.ptr<bf16>>
    %tmp0_10 = arith.extf %tmp0_9 : tensor<1x128xbf16> to tensor<1x128xf32>
    %tmp4_11 = arith.select %tmp0_8, %tmp0_10, %tmp4 : tensor<1x128xi1>, tensor<1x128xf32>
    %tmp5 = "tt.reduce"(%tmp4_11) <{axis = 1 : i32}> ({
    ^bb0(%tmp5_15: f32, %tmp5_16: f32):
      %mask = arith.cmpf ogt, %tmp5_15, %tmp5_16 : f32
      %mask_17 = arith.cmpf une, %tmp5_15, %tmp5_15 : f32
      %mask_18 = arith.ori %mask, %mask_17 : i1
      %tmp5_19 = arith.select %mask_18, %tmp5_15, %tmp5_16 : f32
      tt.reduce.return %tmp5_19 : f32
    }) : (tensor<1x128xf32>) -> tensor<1xf32>
    %tmp5_12 = tt.expand_dims %tmp5 {axis = 1 : i32} : tensor<1xf32> -> tensor<1x1xf32>
    %tmp6 = tt.broadcast %tmp5_12 : tensor<1x1xf32> -> tensor<1x128xf32>
    %tmp6_13 = arith.subf %tmp0_10, %tmp6 : tensor<1x128xf32>
    %tmp7 = tt.extern_elementwise %tmp6_13 {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} :
      (tensor<1x128xf32>) -> tensor<1x128xf32>
    %tmp10 = arith.select %tmp0_8, %tmp7, %cst : tensor<1x128xi1>, tensor<1x128xf32>
    %tmp11 = "tt.reduce"(%tmp10) <{axis = 1 : i32}> ({
    ^bb0(%tmp11_15: f32, %tmp11_16: f32):
      %tmp11_17 = arith.addf %tmp11_15, %tmp11_16 : f32
      tt.reduce.return %tmp11_17 : f32
    }) : (tensor<1x128xf32>) -> tensor<1xf32>
    %tmp11_14 = tt.expand_dims %tmp11 {axis = 1 : i32} : tensor<1xf32> -> tensor<1x1xf32>
    %0 = tt.splat %out_ptr2 : !tt.ptr<bf16> -> tensor<1x128x!tt.ptr<bf16>>
    %1 = tt.addptr %0, %tmp0_4 : tensor<1x128x!tt.ptr<bf16>>, tensor<1x128xi32>
    %2 = tt.broadcast %tmp11_14 : tensor<1x1xf32> -> tensor<1x128xf32>
    %3 = arith.divf %tmp7, %2 : tensor<1x128xf32>
    %4 = arith.truncf %3 : tensor<1x128xf32> to tensor<1x128xbf16>
    tt.store %1, %4, %tmp0_8 : tensor<1x128x!tt.ptr<bf16>>
    tt.return
  }
}
