// Rows sorted by tl.sort, as Triton lowers it: hypercubes of more dimensions than layouts have.
// RUN: heddle run %s --device=sim --grid=1,1,1 | FileCheck %s
// RUN: heddle run %s --device=emulate --interleavings=1 --grid=1,1,1 | FileCheck %s
// CHECK: conversion:
// CHECK: {{^}}verified
module {
  tt.func public @k_sort(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %ret = arith.constant dense<1> : tensor<1x1x1x1x2xi32>
    %ret_0 = arith.constant dense<1> : tensor<1x1x1x2x1xi32>
    %ret_1 = arith.constant dense<1> : tensor<1x1x2x1x1xi32>
    %ret_2 = arith.constant dense<1> : tensor<1x2x1x1x1xi32>
    %off = arith.constant dense<16> : tensor<2x1xi32>
    %off_3 = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %off_4 = tt.expand_dims %off_3 {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
    %off_5 = arith.muli %off_4, %off : tensor<2x1xi32>
    %off_6 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %off_7 = tt.expand_dims %off_6 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %off_8 = tt.broadcast %off_5 : tensor<2x1xi32> -> tensor<2x16xi32>
    %off_9 = tt.broadcast %off_7 : tensor<1x16xi32> -> tensor<2x16xi32>
    %off_10 = arith.addi %off_8, %off_9 : tensor<2x16xi32>
    %0 = tt.splat %o : !tt.ptr<f32> -> tensor<2x16x!tt.ptr<f32>>
    %1 = tt.addptr %0, %off_10 : tensor<2x16x!tt.ptr<f32>>, tensor<2x16xi32>
    %2 = tt.splat %x : !tt.ptr<f32> -> tensor<2x16x!tt.ptr<f32>>
    %3 = tt.addptr %2, %off_10 : tensor<2x16x!tt.ptr<f32>>, tensor<2x16xi32>
    %4 = tt.load %3 : tensor<2x16x!tt.ptr<f32>>
    %h = tt.reshape %4 : tensor<2x16xf32> -> tensor<2x2x2x2x2xf32>
    %ar = tt.reshape %off_3 : tensor<2xi32> -> tensor<1x1x1x2x1xi32>
    %ix = tt.bitcast %h : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy = "tt.reduce"(%ix) <{axis = 4 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_11 = tt.expand_dims %iy {axis = 4 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x2x2x1xi32>
    %iy_12 = tt.broadcast %iy_11 : tensor<2x2x2x2x1xi32> -> tensor<2x2x2x2x2xi32>
    %iy_13 = arith.xori %ix, %iy_12 : tensor<2x2x2x2x2xi32>
    %y = tt.bitcast %iy_13 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ar_14 = tt.reshape %off_3 : tensor<2xi32> -> tensor<1x1x1x1x2xi32>
    %ret_15 = arith.cmpf ogt, %h, %y : tensor<2x2x2x2x2xf32>
    %ret_16 = tt.broadcast %ar : tensor<1x1x1x2x1xi32> -> tensor<1x1x1x2x2xi32>
    %ret_17 = tt.broadcast %ar_14 : tensor<1x1x1x1x2xi32> -> tensor<1x1x1x2x2xi32>
    %ret_18 = arith.xori %ret_16, %ret_17 : tensor<1x1x1x2x2xi32>
    %ret_19 = arith.extui %ret_15 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_20 = tt.broadcast %ret_18 : tensor<1x1x1x2x2xi32> -> tensor<2x2x2x2x2xi32>
    %ret_21 = arith.cmpi ne, %ret_19, %ret_20 : tensor<2x2x2x2x2xi32>
    %ret_22 = arith.select %ret_21, %y, %h : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ar_23 = tt.reshape %off_3 : tensor<2xi32> -> tensor<1x1x2x1x1xi32>
    %ix_24 = tt.bitcast %ret_22 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_25 = "tt.reduce"(%ix_24) <{axis = 3 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_26 = tt.expand_dims %iy_25 {axis = 3 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x2x1x2xi32>
    %iy_27 = tt.broadcast %iy_26 : tensor<2x2x2x1x2xi32> -> tensor<2x2x2x2x2xi32>
    %iy_28 = arith.xori %ix_24, %iy_27 : tensor<2x2x2x2x2xi32>
    %y_29 = tt.bitcast %iy_28 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ret_30 = arith.cmpf ogt, %ret_22, %y_29 : tensor<2x2x2x2x2xf32>
    %ret_31 = tt.broadcast %ar_23 : tensor<1x1x2x1x1xi32> -> tensor<1x1x2x2x1xi32>
    %ret_32 = tt.broadcast %ar : tensor<1x1x1x2x1xi32> -> tensor<1x1x2x2x1xi32>
    %ret_33 = arith.xori %ret_31, %ret_32 : tensor<1x1x2x2x1xi32>
    %ret_34 = arith.extui %ret_30 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_35 = tt.broadcast %ret_33 : tensor<1x1x2x2x1xi32> -> tensor<2x2x2x2x2xi32>
    %ret_36 = arith.cmpi ne, %ret_34, %ret_35 : tensor<2x2x2x2x2xi32>
    %ret_37 = arith.select %ret_36, %y_29, %ret_22 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ix_38 = tt.bitcast %ret_37 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_39 = "tt.reduce"(%ix_38) <{axis = 4 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_40 = tt.expand_dims %iy_39 {axis = 4 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x2x2x1xi32>
    %iy_41 = tt.broadcast %iy_40 : tensor<2x2x2x2x1xi32> -> tensor<2x2x2x2x2xi32>
    %iy_42 = arith.xori %ix_38, %iy_41 : tensor<2x2x2x2x2xi32>
    %y_43 = tt.bitcast %iy_42 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ret_44 = arith.cmpf ogt, %ret_37, %y_43 : tensor<2x2x2x2x2xf32>
    %ret_45 = tt.broadcast %ar_23 : tensor<1x1x2x1x1xi32> -> tensor<1x1x2x1x2xi32>
    %ret_46 = tt.broadcast %ar_14 : tensor<1x1x1x1x2xi32> -> tensor<1x1x2x1x2xi32>
    %ret_47 = arith.xori %ret_45, %ret_46 : tensor<1x1x2x1x2xi32>
    %ret_48 = arith.extui %ret_44 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_49 = tt.broadcast %ret_47 : tensor<1x1x2x1x2xi32> -> tensor<2x2x2x2x2xi32>
    %ret_50 = arith.cmpi ne, %ret_48, %ret_49 : tensor<2x2x2x2x2xi32>
    %ret_51 = arith.select %ret_50, %y_43, %ret_37 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ar_52 = tt.reshape %off_3 : tensor<2xi32> -> tensor<1x2x1x1x1xi32>
    %ix_53 = tt.bitcast %ret_51 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_54 = "tt.reduce"(%ix_53) <{axis = 2 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_55 = tt.expand_dims %iy_54 {axis = 2 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x1x2x2xi32>
    %iy_56 = tt.broadcast %iy_55 : tensor<2x2x1x2x2xi32> -> tensor<2x2x2x2x2xi32>
    %iy_57 = arith.xori %ix_53, %iy_56 : tensor<2x2x2x2x2xi32>
    %y_58 = tt.bitcast %iy_57 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ret_59 = arith.cmpf ogt, %ret_51, %y_58 : tensor<2x2x2x2x2xf32>
    %ret_60 = tt.broadcast %ar_52 : tensor<1x2x1x1x1xi32> -> tensor<1x2x2x1x1xi32>
    %ret_61 = tt.broadcast %ar_23 : tensor<1x1x2x1x1xi32> -> tensor<1x2x2x1x1xi32>
    %ret_62 = arith.xori %ret_60, %ret_61 : tensor<1x2x2x1x1xi32>
    %ret_63 = arith.extui %ret_59 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_64 = tt.broadcast %ret_62 : tensor<1x2x2x1x1xi32> -> tensor<2x2x2x2x2xi32>
    %ret_65 = arith.cmpi ne, %ret_63, %ret_64 : tensor<2x2x2x2x2xi32>
    %ret_66 = arith.select %ret_65, %y_58, %ret_51 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ix_67 = tt.bitcast %ret_66 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_68 = "tt.reduce"(%ix_67) <{axis = 3 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_69 = tt.expand_dims %iy_68 {axis = 3 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x2x1x2xi32>
    %iy_70 = tt.broadcast %iy_69 : tensor<2x2x2x1x2xi32> -> tensor<2x2x2x2x2xi32>
    %iy_71 = arith.xori %ix_67, %iy_70 : tensor<2x2x2x2x2xi32>
    %y_72 = tt.bitcast %iy_71 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ret_73 = arith.cmpf ogt, %ret_66, %y_72 : tensor<2x2x2x2x2xf32>
    %ret_74 = tt.broadcast %ar_52 : tensor<1x2x1x1x1xi32> -> tensor<1x2x1x2x1xi32>
    %ret_75 = tt.broadcast %ar : tensor<1x1x1x2x1xi32> -> tensor<1x2x1x2x1xi32>
    %ret_76 = arith.xori %ret_74, %ret_75 : tensor<1x2x1x2x1xi32>
    %ret_77 = arith.extui %ret_73 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_78 = tt.broadcast %ret_76 : tensor<1x2x1x2x1xi32> -> tensor<2x2x2x2x2xi32>
    %ret_79 = arith.cmpi ne, %ret_77, %ret_78 : tensor<2x2x2x2x2xi32>
    %ret_80 = arith.select %ret_79, %y_72, %ret_66 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ix_81 = tt.bitcast %ret_80 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_82 = "tt.reduce"(%ix_81) <{axis = 4 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_83 = tt.expand_dims %iy_82 {axis = 4 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x2x2x1xi32>
    %iy_84 = tt.broadcast %iy_83 : tensor<2x2x2x2x1xi32> -> tensor<2x2x2x2x2xi32>
    %iy_85 = arith.xori %ix_81, %iy_84 : tensor<2x2x2x2x2xi32>
    %y_86 = tt.bitcast %iy_85 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ret_87 = arith.cmpf ogt, %ret_80, %y_86 : tensor<2x2x2x2x2xf32>
    %ret_88 = tt.broadcast %ar_52 : tensor<1x2x1x1x1xi32> -> tensor<1x2x1x1x2xi32>
    %ret_89 = tt.broadcast %ar_14 : tensor<1x1x1x1x2xi32> -> tensor<1x2x1x1x2xi32>
    %ret_90 = arith.xori %ret_88, %ret_89 : tensor<1x2x1x1x2xi32>
    %ret_91 = arith.extui %ret_87 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_92 = tt.broadcast %ret_90 : tensor<1x2x1x1x2xi32> -> tensor<2x2x2x2x2xi32>
    %ret_93 = arith.cmpi ne, %ret_91, %ret_92 : tensor<2x2x2x2x2xi32>
    %ret_94 = arith.select %ret_93, %y_86, %ret_80 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ix_95 = tt.bitcast %ret_94 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_96 = "tt.reduce"(%ix_95) <{axis = 1 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_97 = tt.expand_dims %iy_96 {axis = 1 : i32} : tensor<2x2x2x2xi32> -> tensor<2x1x2x2x2xi32>
    %iy_98 = tt.broadcast %iy_97 : tensor<2x1x2x2x2xi32> -> tensor<2x2x2x2x2xi32>
    %iy_99 = arith.xori %ix_95, %iy_98 : tensor<2x2x2x2x2xi32>
    %y_100 = tt.bitcast %iy_99 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ret_101 = arith.cmpf ogt, %ret_94, %y_100 : tensor<2x2x2x2x2xf32>
    %ret_102 = arith.xori %ar_52, %ret_2 : tensor<1x2x1x1x1xi32>
    %ret_103 = arith.extui %ret_101 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_104 = tt.broadcast %ret_102 : tensor<1x2x1x1x1xi32> -> tensor<2x2x2x2x2xi32>
    %ret_105 = arith.cmpi ne, %ret_103, %ret_104 : tensor<2x2x2x2x2xi32>
    %ret_106 = arith.select %ret_105, %y_100, %ret_94 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ix_107 = tt.bitcast %ret_106 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_108 = "tt.reduce"(%ix_107) <{axis = 2 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_109 = tt.expand_dims %iy_108 {axis = 2 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x1x2x2xi32>
    %iy_110 = tt.broadcast %iy_109 : tensor<2x2x1x2x2xi32> -> tensor<2x2x2x2x2xi32>
    %iy_111 = arith.xori %ix_107, %iy_110 : tensor<2x2x2x2x2xi32>
    %y_112 = tt.bitcast %iy_111 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ret_113 = arith.cmpf ogt, %ret_106, %y_112 : tensor<2x2x2x2x2xf32>
    %ret_114 = arith.xori %ar_23, %ret_1 : tensor<1x1x2x1x1xi32>
    %ret_115 = arith.extui %ret_113 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_116 = tt.broadcast %ret_114 : tensor<1x1x2x1x1xi32> -> tensor<2x2x2x2x2xi32>
    %ret_117 = arith.cmpi ne, %ret_115, %ret_116 : tensor<2x2x2x2x2xi32>
    %ret_118 = arith.select %ret_117, %y_112, %ret_106 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ix_119 = tt.bitcast %ret_118 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_120 = "tt.reduce"(%ix_119) <{axis = 3 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_121 = tt.expand_dims %iy_120 {axis = 3 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x2x1x2xi32>
    %iy_122 = tt.broadcast %iy_121 : tensor<2x2x2x1x2xi32> -> tensor<2x2x2x2x2xi32>
    %iy_123 = arith.xori %ix_119, %iy_122 : tensor<2x2x2x2x2xi32>
    %y_124 = tt.bitcast %iy_123 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ret_125 = arith.cmpf ogt, %ret_118, %y_124 : tensor<2x2x2x2x2xf32>
    %ret_126 = arith.xori %ar, %ret_0 : tensor<1x1x1x2x1xi32>
    %ret_127 = arith.extui %ret_125 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_128 = tt.broadcast %ret_126 : tensor<1x1x1x2x1xi32> -> tensor<2x2x2x2x2xi32>
    %ret_129 = arith.cmpi ne, %ret_127, %ret_128 : tensor<2x2x2x2x2xi32>
    %ret_130 = arith.select %ret_129, %y_124, %ret_118 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %ix_131 = tt.bitcast %ret_130 : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2xi32>
    %iy_132 = "tt.reduce"(%ix_131) <{axis = 4 : i32}> ({
    ^bb0(%iy_144: i32, %iy_145: i32):
      %iy_146 = arith.xori %iy_144, %iy_145 : i32
      tt.reduce.return %iy_146 : i32
    }) : (tensor<2x2x2x2x2xi32>) -> tensor<2x2x2x2xi32>
    %iy_133 = tt.expand_dims %iy_132 {axis = 4 : i32} : tensor<2x2x2x2xi32> -> tensor<2x2x2x2x1xi32>
    %iy_134 = tt.broadcast %iy_133 : tensor<2x2x2x2x1xi32> -> tensor<2x2x2x2x2xi32>
    %iy_135 = arith.xori %ix_131, %iy_134 : tensor<2x2x2x2x2xi32>
    %y_136 = tt.bitcast %iy_135 : tensor<2x2x2x2x2xi32> -> tensor<2x2x2x2x2xf32>
    %ret_137 = arith.cmpf ogt, %ret_130, %y_136 : tensor<2x2x2x2x2xf32>
    %ret_138 = arith.xori %ar_14, %ret : tensor<1x1x1x1x2xi32>
    %ret_139 = arith.extui %ret_137 : tensor<2x2x2x2x2xi1> to tensor<2x2x2x2x2xi32>
    %ret_140 = tt.broadcast %ret_138 : tensor<1x1x1x1x2xi32> -> tensor<2x2x2x2x2xi32>
    %ret_141 = arith.cmpi ne, %ret_139, %ret_140 : tensor<2x2x2x2x2xi32>
    %ret_142 = arith.select %ret_141, %y_136, %ret_130 : tensor<2x2x2x2x2xi1>, tensor<2x2x2x2x2xf32>
    %x_143 = tt.reshape %ret_142 : tensor<2x2x2x2x2xf32> -> tensor<2x16xf32>
    tt.store %1, %x_143 : tensor<2x16x!tt.ptr<f32>>
    tt.return
  }
}
