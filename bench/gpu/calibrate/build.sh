#!/bin/sh
# Cubins of the calibration kernels: bench/gpu/calibrate/build.sh OUTDIR. No GPU needed. Fails on a spill or a
# serialised wgmma.
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
for name in wgmma arith smem barrier tma together; do
  nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I "$here/../../../device/include" -cubin -Xptxas -v \
    "$here/$name.cu" -o "$1/$name.cubin" 2>"$1/$name.log" || { cat "$1/$name.log"; exit 1; }
  if grep -E 'C75[0-9][0-9]|[1-9][0-9]* bytes (stack|spill)' "$1/$name.log"; then
    echo "$name: spills or serialised wgmma"
    exit 1
  fi
done
