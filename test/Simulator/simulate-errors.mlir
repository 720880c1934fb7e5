// RUN: not heddle-opt --heddle-simulate-warp="dims=M" %S/scale_warp.mlir 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not heddle-opt --heddle-simulate-warp="machine=none" %S/scale_warp.mlir 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not heddle-opt --heddle-simulate-warp %S/scale_warp.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not heddle-opt --heddle-simulate-warp="dims=M=64 svg=/nowhere/at/all.svg" %S/scale_warp.mlir 2>&1 | FileCheck %s --check-prefix=SVG
// RUN: sed -e '/warp.fence/d' %S/scale_warp.mlir | not heddle-opt --heddle-simulate-warp="dims=M=64" 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed -e '/warp.publish %rx/d' %S/scale_warp.mlir | not heddle-opt --heddle-simulate-warp="dims=M=64" 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: heddle-opt --heddle-mutants="dims=M=300" %S/scale_warp.mlir 2>&1 | FileCheck %s --check-prefix=MUTANTS
// DIM: expected dims like M=128, got M
// MACHINE: expected a machine file or one of b200, {{.*}}, got 'none'
// MISSING: error: {{.*}}M
// SVG: /nowhere/at/all.svg
// RACE: error: race in cta 0, 0, 0: expected a fence between the copy_out of ring "y" slot 0 field 0 by @store and the write by @compute, got none
// DEADLOCK: error: deadlock in cta 0, 0, 0: expected some group to go on, got @compute waiting for get of ring "x" use 0 (not published); @store waiting for get of ring "y" use 0 (not published)
// MUTANTS: @load: delete acquire x | verifier: {{.*}} | simulator: {{.*}} | -
// MUTANTS: 32 mutants, 32 caught (100.0 %)
