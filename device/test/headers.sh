#!/bin/bash
# Compiles every device header alone for sm_90a, then all_forms.cu, which instantiates every template.
# usage: device/test/headers.sh [--fast]     --fast: of the generated wgmma headers only n8, n128 and n256
# Exits 77 (skipped) without nvcc, 1 when a header fails.
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../include
command -v nvcc >/dev/null || { echo "skipped: nvcc not found"; exit 77; }
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
flags="-std=c++17 -gencode arch=compute_90a,code=sm_90a -I $include -Werror all-warnings"
failed=0
for header in $(cd "$include" && find heddle_device -name '*.h' | LC_ALL=C sort); do
  case $1:$header in
    --fast:*/wgmma_n8.h|--fast:*/wgmma_n128.h|--fast:*/wgmma_n256.h) ;;
    --fast:*/wgmma_n*.h) continue ;;
  esac
  echo "#include \"$header\"" > "$tmp/alone.cu"
  nvcc $flags -ptx "$tmp/alone.cu" -o "$tmp/alone.ptx" || { echo "error: $header does not compile alone"; failed=1; }
done
nvcc $flags -cubin "$here/all_forms.cu" -o "$tmp/all.cubin" || {
  echo "error: all_forms.cu does not compile"
  failed=1
}
[ $failed = 0 ] && echo "device headers: ok"
exit $failed
