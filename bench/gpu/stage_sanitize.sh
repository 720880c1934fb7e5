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
attention() { # heads, rows, keys, dim; scale is log2(e) / sqrt(128)
  echo "--view Q=1x$1x$2x$4 --view K=1x$1x$3x$4 --view V=1x$1x$3x$4" \
    "--view O=1x$1x$2x$4 --view LSE=1x$1x$2 --scalar scale_log2=0.12751743"
}
backward() { # queries, keys, dim, scale, LSE; rows of LSE and Delta that no bulk copy brings where queries are odd
  local side="1x2x$1x$3" other="1x2x$2x$3"
  echo "--view Q=$side --view K=$other --view V=$other --view dO=$side --view ${5:-LSE}=1x2x$1 --view Delta=1x2x$1" \
    "--view dQ=$side --view dK=$other --view dV=$other --scalar scale=$4"
}
stage() { # example, launcher options, options of the compiler
  local log name
  name=$(basename "$1")
  # shellcheck disable=SC2086 # options are words
  log=$("$bin/heddle" compile "examples/$1.mlir" -o "$out/$name" --emit=cubin ${3:-} 2>&1) || {
    printf '%s\n' "$log" >&2
    exit 1
  }
  find "$out/$name" -type f ! -name kernel.json ! -name kernel.cubin -delete
  echo "$2" > "$out/$name/launch.txt"
}
stage 01_gemm "$gemm"
stage 04_gemm_scaled_a "$gemm --scalar scale=0.5"
stage 02_attention "$(attention 2 200 264 128)"
stage 08_attention_causal "$(attention 1 264 264 128)"
# Three groups that take turns at their products.
stage 16_attention_d64 "$(attention 2 200 264 64)"
stage 18_attention_causal_d64 "$(attention 1 264 264 64)"
stage 14_gemm_128x128x128 "--view A=400x264 --view B=520x264 --view C=400x520"
stage 19_attention_backward "$(backward 200 264 128 0.088388346)"
# A thread for each group copies what its loop stores.
stage chains/attention_backward "$(backward 200 264 128 0.088388346 LSE2)" "--kernel=gradients"
stage 21_attention_backward_causal_d64 "$(backward 203 203 64 0.125)"
echo "staged in $out; on the GPU machine: bench/gpu/sanitize_all.sh $out"
