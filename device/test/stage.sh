#!/bin/bash
# Lays the hand-written kernels out as the compiler would:
# OUT/{gemm,attention}_reference/{kernel.cu,kernel.json,case.json} usage: device/test/stage.sh OUT      then: python3
# bench/gpu/bench.py OUT/*
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: stage.sh OUT}
for name in gemm_reference attention_reference; do
  mkdir -p "$out/$name"
  cp "$here/$name.cu" "$out/$name/kernel.cu"
  cp "$here/$name.json" "$out/$name/kernel.json"
  cp "$here/$name.case.json" "$out/$name/case.json"
done
