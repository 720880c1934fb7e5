#!/bin/bash
# Stages small runs for compute-sanitizer: the launcher, kernel directories, and in each the launcher's options
# (launch.txt). usage: bench/gpu/stage_sanitize.sh OUT      where Heddle is built (needs nvcc, no GPU)
#        bench/gpu/sanitize_all.sh OUT        then, on the GPU machine
# env: HEDDLE_BIN (default build/bin)
out=${1:?usage: stage_sanitize.sh OUT}
bin=${HEDDLE_BIN:-build/bin}
mkdir -p "$out" && cp "$bin/heddle-launch" "$out/" || exit 1

# Two CTAs or more with remainders in every dimension.
gemm="--view A=200x136 --view B=264x136 --view C=200x264"
attention() { # heads, rows, keys; scale is log2(e) / sqrt(128)
  echo "--view Q=1x$1x$2x128 --view K=1x$1x$3x128 --view V=1x$1x$3x128" \
    "--view O=1x$1x$2x128 --view LSE=1x$1x$2 --scalar scale_log2=0.12751743"
}
backward() { # queries, keys, dim, scale; rows of LSE and Delta that no bulk copy brings where queries are odd
  local side="1x2x$1x$3" other="1x2x$2x$3"
  echo "--view Q=$side --view K=$other --view V=$other --view dO=$side --view LSE=1x2x$1 --view Delta=1x2x$1" \
    "--view dQ=$side --view dK=$other --view dV=$other --scalar scale=$4"
}
stage() { # name, launcher options
  local log
  log=$("$bin/heddle" compile "examples/$1.mlir" -o "$out/$1" --emit=cubin 2>&1) || {
    printf '%s\n' "$log" >&2
    exit 1
  }
  find "$out/$1" -type f ! -name kernel.json ! -name kernel.cubin -delete
  echo "$2" > "$out/$1/launch.txt"
}
stage 01_gemm "$gemm"
stage 04_gemm_scaled_a "$gemm --scalar scale=0.5"
stage 02_attention "$(attention 2 200 264)"
stage 08_attention_causal "$(attention 1 264 264)"
stage 14_gemm_128x128x128 "--view A=400x264 --view B=520x264 --view C=400x520"
stage 19_attention_backward "$(backward 200 264 128 0.088388346)"
stage 21_attention_backward_causal_d64 "$(backward 203 203 64 0.125)"
echo "staged in $out; on the GPU machine: bench/gpu/sanitize_all.sh $out"
