// The greatest of each row by tl.topk.
// RUN: heddle run %s --device=sim --grid=1,1,1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_topk(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %ret = arith.constant dense<1> : tensor<1x1x2xi32>
    %ret_0 = arith.constant dense<1> : tensor<1x2x1xi32>
    %cst = arith.constant dense<4> : tensor<2x1xi32>
    %v = arith.constant dense<32> : tensor<2x1xi32>
    %r = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %r_1 = tt.expand_dims %r {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
    %v_2 = arith.muli %r_1, %v : tensor<2x1xi32>
    %v_3 = tt.splat %x : !tt.ptr<f32> -> tensor<2x1x!tt.ptr<f32>>
    %v_4 = tt.addptr %v_3, %v_2 : tensor<2x1x!tt.ptr<f32>>, tensor<2x1xi32>
    %v_5 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %v_6 = tt.expand_dims %v_5 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %v_7 = tt.broadcast %v_4 : tensor<2x1x!tt.ptr<f32>> -> tensor<2x32x!tt.ptr<f32>>
    %v_8 = tt.broadcast %v_6 : tensor<1x32xi32> -> tensor<2x32xi32>
    %v_9 = tt.addptr %v_7, %v_8 : tensor<2x32x!tt.ptr<f32>>, tensor<2x32xi32>
    %v_10 = tt.load %v_9 : tensor<2x32x!tt.ptr<f32>>
    %0 = arith.muli %r_1, %cst : tensor<2x1xi32>
    %1 = tt.splat %o : !tt.ptr<f32> -> tensor<2x1x!tt.ptr<f32>>
    %2 = tt.addptr %1, %0 : tensor<2x1x!tt.ptr<f32>>, tensor<2x1xi32>
    %3 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %4 = tt.expand_dims %3 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
    %5 = tt.broadcast %2 : tensor<2x1x!tt.ptr<f32>> -> tensor<2x4x!tt.ptr<f32>>
    %6 = tt.broadcast %4 : tensor<1x4xi32> -> tensor<2x4xi32>
    %7 = tt.addptr %5, %6 : tensor<2x4x!tt.ptr<f32>>, tensor<2x4xi32>
    %h = tt.reshape %v_10 : tensor<2x32xf32> -> tensor<2x2x2x2x2x2xf32>
    %ar = tt.reshape %r : tensor<2xi32> -> tensor<1x1x1x1x2x1xi32>
    %ix = tt.bitcast %h : tensor<2x2x2x2x2x2xf32> -> tensor<2x2x2x2x2x2xi32>
    %iy = "tt.reduce"(%ix) <{axis = 5 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32>
    %iy_11 = tt.expand_dims %iy {axis = 5 : i32} : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2x1xi32>
    %iy_12 = tt.broadcast %iy_11 : tensor<2x2x2x2x2x1xi32> -> tensor<2x2x2x2x2x2xi32>
    %iy_13 = arith.xori %ix, %iy_12 : tensor<2x2x2x2x2x2xi32>
    %y = tt.bitcast %iy_13 : tensor<2x2x2x2x2x2xi32> -> tensor<2x2x2x2x2x2xf32>
    %ar_14 = tt.reshape %r : tensor<2xi32> -> tensor<1x1x1x1x1x2xi32>
    %ret_15 = arith.cmpf ogt, %h, %y : tensor<2x2x2x2x2x2xf32>
    %ret_16 = tt.broadcast %ar : tensor<1x1x1x1x2x1xi32> -> tensor<1x1x1x1x2x2xi32>
    %ret_17 = tt.broadcast %ar_14 : tensor<1x1x1x1x1x2xi32> -> tensor<1x1x1x1x2x2xi32>
    %ret_18 = arith.xori %ret_16, %ret_17 : tensor<1x1x1x1x2x2xi32>
    %ret_19 = arith.extui %ret_15 : tensor<2x2x2x2x2x2xi1> to tensor<2x2x2x2x2x2xi32>
    %ret_20 = tt.broadcast %ret_18 : tensor<1x1x1x1x2x2xi32> -> tensor<2x2x2x2x2x2xi32>
    %ret_21 = arith.cmpi ne, %ret_19, %ret_20 : tensor<2x2x2x2x2x2xi32>
    %ret_22 = arith.select %ret_21, %y, %h : tensor<2x2x2x2x2x2xi1>, tensor<2x2x2x2x2x2xf32>
    %ar_23 = tt.reshape %r : tensor<2xi32> -> tensor<1x1x1x2x1x1xi32>
    %ix_24 = tt.bitcast %ret_22 : tensor<2x2x2x2x2x2xf32> -> tensor<2x2x2x2x2x2xi32>
    %iy_25 = "tt.reduce"(%ix_24) <{axis = 4 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32>
    %iy_26 = tt.expand_dims %iy_25 {axis = 4 : i32} : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x1x2xi32>
    %iy_27 = tt.broadcast %iy_26 : tensor<2x2x2x2x1x2xi32> -> tensor<2x2x2x2x2x2xi32>
    %iy_28 = arith.xori %ix_24, %iy_27 : tensor<2x2x2x2x2x2xi32>
    %y_29 = tt.bitcast %iy_28 : tensor<2x2x2x2x2x2xi32> -> tensor<2x2x2x2x2x2xf32>
    %ret_30 = arith.cmpf ogt, %ret_22, %y_29 : tensor<2x2x2x2x2x2xf32>
    %ret_31 = tt.broadcast %ar_23 : tensor<1x1x1x2x1x1xi32> -> tensor<1x1x1x2x2x1xi32>
    %ret_32 = tt.broadcast %ar : tensor<1x1x1x1x2x1xi32> -> tensor<1x1x1x2x2x1xi32>
    %ret_33 = arith.xori %ret_31, %ret_32 : tensor<1x1x1x2x2x1xi32>
    %ret_34 = arith.extui %ret_30 : tensor<2x2x2x2x2x2xi1> to tensor<2x2x2x2x2x2xi32>
    %ret_35 = tt.broadcast %ret_33 : tensor<1x1x1x2x2x1xi32> -> tensor<2x2x2x2x2x2xi32>
    %ret_36 = arith.cmpi ne, %ret_34, %ret_35 : tensor<2x2x2x2x2x2xi32>
    %ret_37 = arith.select %ret_36, %y_29, %ret_22 : tensor<2x2x2x2x2x2xi1>, tensor<2x2x2x2x2x2xf32>
    %ix_38 = tt.bitcast %ret_37 : tensor<2x2x2x2x2x2xf32> -> tensor<2x2x2x2x2x2xi32>
    %iy_39 = "tt.reduce"(%ix_38) <{axis = 5 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2x2xi32>) -> tensor<2x2x2x2x2xi32>
    %iy_40 = tt.expand_dims %iy_39 {axis = 5 : i32} : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2x1xi32>
    %iy_41 = tt.broadcast %iy_40 : tensor<2x2x2x2x2x1xi32> -> tensor<2x2x2x2x2x2xi32>
    %iy_42 = arith.xori %ix_38, %iy_41 : tensor<2x2x2x2x2x2xi32>
    %y_43 = tt.bitcast %iy_42 : tensor<2x2x2x2x2x2xi32> -> tensor<2x2x2x2x2x2xf32>
    %ret_44 = arith.cmpf ogt, %ret_37, %y_43 : tensor<2x2x2x2x2x2xf32>
    %ret_45 = tt.broadcast %ar_23 : tensor<1x1x1x2x1x1xi32> -> tensor<1x1x1x2x1x2xi32>
    %ret_46 = tt.broadcast %ar_14 : tensor<1x1x1x1x1x2xi32> -> tensor<1x1x1x2x1x2xi32>
    %ret_47 = arith.xori %ret_45, %ret_46 : tensor<1x1x1x2x1x2xi32>
    %ret_48 = arith.extui %ret_44 : tensor<2x2x2x2x2x2xi1> to tensor<2x2x2x2x2x2xi32>
    %ret_49 = tt.broadcast %ret_47 : tensor<1x1x1x2x1x2xi32> -> tensor<2x2x2x2x2x2xi32>
    %ret_50 = arith.cmpi ne, %ret_48, %ret_49 : tensor<2x2x2x2x2x2xi32>
    %ret_51 = arith.select %ret_50, %y_43, %ret_37 : tensor<2x2x2x2x2x2xi1>, tensor<2x2x2x2x2x2xf32>
    %h_52 = "tt.reduce"(%ret_51) <{axis = 3 : i32}> ({
    ^bb0(%h_144: f32, %h_145: f32):
      %h_146 = arith.maxnumf %h_144, %h_145 : f32
      tt.reduce.return %h_146 : f32
    }) : (tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2xf32>
    %ar_53 = tt.reshape %r : tensor<2xi32> -> tensor<1x1x2x1x1xi32>
    %ix_54 = tt.bitcast %h_52 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_55 = "tt.reduce"(%ix_54) <{axis = 3 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_56 = tt.expand_dims %iy_55 {axis = 3 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x2x1x2xi32>
    %iy_57 = tt.broadcast %iy_56 : tensor<2x2x2x1x2xi32> -> tensor<2x2x2x2x2xi32>
    %iy_58 = arith.xori %ix_54, %iy_57 : tensor<2x2x2x2x2xi32>
    %y_59 = tt.bitcast %iy_58 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ar_60 = tt.reshape %r : tensor<2xi32> -> tensor<1x1x1x2x1xi32>
    %ret_61 = arith.cmpf ogt, %h_52, %y_59 : tensor<2x2x2x2x2xf32>
    %ret_62 = tt.broadcast %ar_53 : tensor<1x1x2x1x1xi32> -> tensor<1x1x2x2x1xi32>
    %ret_63 = tt.broadcast %ar_60 : tensor<1x1x1x2x1xi32> -> tensor<1x1x2x2x1xi32>
    %ret_64 = arith.xori %ret_62, %ret_63 : tensor<1x1x2x2x1xi32>
    %ret_65 = arith.extui %ret_61 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_66 = tt.broadcast %ret_64 : tensor<1x1x2x2x1xi32> -> tensor<2x2x2x2x2xi32>
    %ret_67 = arith.cmpi ne, %ret_65, %ret_66 : tensor<2x2x2x2x2xi32>
    %ret_68 = arith.select %ret_67, %y_59, %h_52 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ix_69 = tt.bitcast %ret_68 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_70 = "tt.reduce"(%ix_69) <{axis = 4 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_71 = tt.expand_dims %iy_70 {axis = 4 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x2x2x1xi32>
    %iy_72 = tt.broadcast %iy_71 : tensor<2x2x2x2x1xi32> -> tensor<2x2x2x2x2xi32>
    %iy_73 = arith.xori %ix_69, %iy_72 : tensor<2x2x2x2x2xi32>
    %y_74 = tt.bitcast %iy_73 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ar_75 = tt.reshape %r : tensor<2xi32> -> tensor<1x1x1x1x2xi32>
    %ret_76 = arith.cmpf ogt, %ret_68, %y_74 : tensor<2x2x2x2x2xf32>
    %ret_77 = tt.broadcast %ar_53 : tensor<1x1x2x1x1xi32> -> tensor<1x1x2x1x2xi32>
    %ret_78 = tt.broadcast %ar_75 : tensor<1x1x1x1x2xi32> -> tensor<1x1x2x1x2xi32>
    %ret_79 = arith.xori %ret_77, %ret_78 : tensor<1x1x2x1x2xi32>
    %ret_80 = arith.extui %ret_76 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_81 = tt.broadcast %ret_79 : tensor<1x1x2x1x2xi32> -> tensor<2x2x2x2x2xi32>
    %ret_82 = arith.cmpi ne, %ret_80, %ret_81 : tensor<2x2x2x2x2xi32>
    %ret_83 = arith.select %ret_82, %y_74, %ret_68 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %h_84 = "tt.reduce"(%ret_83) <{axis = 2 : i32}> ({
    ^bb0(%h_144: f32, %h_145: f32):
      %h_146 = arith.maxnumf %h_144, %h_145 : f32
      tt.reduce.return %h_146 : f32
    }) : (tensor<2x2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
    %ar_85 = tt.reshape %r : tensor<2xi32> -> tensor<1x2x1x1xi32>
    %ix_86 = tt.bitcast %h_84 : tensor<2x2x2x2xf32> -> tensor<2x2x2x2xi32>
    %iy_87 = "tt.reduce"(%ix_86) <{axis = 2 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2xi32>) -> tensor<2x2x2xi32>
    %iy_88 = tt.expand_dims %iy_87 {axis = 2 : i32} : tensor<2x2x2xi32> -> tensor<2x2x1x2xi32>
    %iy_89 = tt.broadcast %iy_88 : tensor<2x2x1x2xi32> -> tensor<2x2x2x2xi32>
    %iy_90 = arith.xori %ix_86, %iy_89 : tensor<2x2x2x2xi32>
    %y_91 = tt.bitcast %iy_90 : tensor<2x2x2x2xi32> -> tensor<2x2x2x2xf32>
    %ar_92 = tt.reshape %r : tensor<2xi32> -> tensor<1x1x2x1xi32>
    %ret_93 = arith.cmpf ogt, %h_84, %y_91 : tensor<2x2x2x2xf32>
    %ret_94 = tt.broadcast %ar_85 : tensor<1x2x1x1xi32> -> tensor<1x2x2x1xi32>
    %ret_95 = tt.broadcast %ar_92 : tensor<1x1x2x1xi32> -> tensor<1x2x2x1xi32>
    %ret_96 = arith.xori %ret_94, %ret_95 : tensor<1x2x2x1xi32>
    %ret_97 = arith.extui %ret_93 : tensor<2x2x2x2xi1> to tensor<2x2x2x2xi32>
    %ret_98 = tt.broadcast %ret_96 : tensor<1x2x2x1xi32> -> tensor<2x2x2x2xi32>
    %ret_99 = arith.cmpi ne, %ret_97, %ret_98 : tensor<2x2x2x2xi32>
    %ret_100 = arith.select %ret_99, %y_91, %h_84 : tensor<2x2x2x2xi1>, tensor<2x2x2x2xf32>
    %ix_101 = tt.bitcast %ret_100 : tensor<2x2x2x2xf32> -> tensor<2x2x2x2xi32>
    %iy_102 = "tt.reduce"(%ix_101) <{axis = 3 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2xi32>) -> tensor<2x2x2xi32>
    %iy_103 = tt.expand_dims %iy_102 {axis = 3 : i32} : tensor<2x2x2xi32> -> tensor<2x2x2x1xi32>
    %iy_104 = tt.broadcast %iy_103 : tensor<2x2x2x1xi32> -> tensor<2x2x2x2xi32>
    %iy_105 = arith.xori %ix_101, %iy_104 : tensor<2x2x2x2xi32>
    %y_106 = tt.bitcast %iy_105 : tensor<2x2x2x2xi32> -> tensor<2x2x2x2xf32>
    %ar_107 = tt.reshape %r : tensor<2xi32> -> tensor<1x1x1x2xi32>
    %ret_108 = arith.cmpf ogt, %ret_100, %y_106 : tensor<2x2x2x2xf32>
    %ret_109 = tt.broadcast %ar_85 : tensor<1x2x1x1xi32> -> tensor<1x2x1x2xi32>
    %ret_110 = tt.broadcast %ar_107 : tensor<1x1x1x2xi32> -> tensor<1x2x1x2xi32>
    %ret_111 = arith.xori %ret_109, %ret_110 : tensor<1x2x1x2xi32>
    %ret_112 = arith.extui %ret_108 : tensor<2x2x2x2xi1> to tensor<2x2x2x2xi32>
    %ret_113 = tt.broadcast %ret_111 : tensor<1x2x1x2xi32> -> tensor<2x2x2x2xi32>
    %ret_114 = arith.cmpi ne, %ret_112, %ret_113 : tensor<2x2x2x2xi32>
    %ret_115 = arith.select %ret_114, %y_106, %ret_100 : tensor<2x2x2x2xi1>, tensor<2x2x2x2xf32>
    %h_116 = "tt.reduce"(%ret_115) <{axis = 1 : i32}> ({
    ^bb0(%h_144: f32, %h_145: f32):
      %h_146 = arith.maxnumf %h_144, %h_145 : f32
      tt.reduce.return %h_146 : f32
    }) : (tensor<2x2x2x2xf32>) -> tensor<2x2x2xf32>
    %ix_117 = tt.bitcast %h_116 : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
    %iy_118 = "tt.reduce"(%ix_117) <{axis = 1 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
    %iy_119 = tt.expand_dims %iy_118 {axis = 1 : i32} : tensor<2x2xi32> -> tensor<2x1x2xi32>
    %iy_120 = tt.broadcast %iy_119 : tensor<2x1x2xi32> -> tensor<2x2x2xi32>
    %iy_121 = arith.xori %ix_117, %iy_120 : tensor<2x2x2xi32>
    %y_122 = tt.bitcast %iy_121 : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
    %ar_123 = tt.reshape %r : tensor<2xi32> -> tensor<1x2x1xi32>
    %ret_124 = arith.cmpf ogt, %h_116, %y_122 : tensor<2x2x2xf32>
    %ret_125 = arith.xori %ar_123, %ret_0 : tensor<1x2x1xi32>
    %ret_126 = arith.extui %ret_124 : tensor<2x2x2xi1> to tensor<2x2x2xi32>
    %ret_127 = tt.broadcast %ret_125 : tensor<1x2x1xi32> -> tensor<2x2x2xi32>
    %ret_128 = arith.cmpi ne, %ret_126, %ret_127 : tensor<2x2x2xi32>
    %ret_129 = arith.select %ret_128, %y_122, %h_116 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    %ix_130 = tt.bitcast %ret_129 : tensor<2x2x2xf32> -> tensor<2x2x2xi32>
    %iy_131 = "tt.reduce"(%ix_130) <{axis = 2 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2xi32>) -> tensor<2x2xi32>
    %iy_132 = tt.expand_dims %iy_131 {axis = 2 : i32} : tensor<2x2xi32> -> tensor<2x2x1xi32>
    %iy_133 = tt.broadcast %iy_132 : tensor<2x2x1xi32> -> tensor<2x2x2xi32>
    %iy_134 = arith.xori %ix_130, %iy_133 : tensor<2x2x2xi32>
    %y_135 = tt.bitcast %iy_134 : tensor<2x2x2xi32> -> tensor<2x2x2xf32>
    %ar_136 = tt.reshape %r : tensor<2xi32> -> tensor<1x1x2xi32>
    %ret_137 = arith.cmpf ogt, %ret_129, %y_135 : tensor<2x2x2xf32>
    %ret_138 = arith.xori %ar_136, %ret : tensor<1x1x2xi32>
    %ret_139 = arith.extui %ret_137 : tensor<2x2x2xi1> to tensor<2x2x2xi32>
    %ret_140 = tt.broadcast %ret_138 : tensor<1x1x2xi32> -> tensor<2x2x2xi32>
    %ret_141 = arith.cmpi ne, %ret_139, %ret_140 : tensor<2x2x2xi32>
    %ret_142 = arith.select %ret_141, %y_135, %ret_129 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    %x_143 = tt.reshape %ret_142 : tensor<2x2x2xf32> -> tensor<2x4xf32>
    tt.store %7, %x_143 : tensor<2x4x!tt.ptr<f32>>
    tt.return
  }
}
