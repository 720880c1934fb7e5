#!/bin/sh
# usage: ptxas_check.sh KERNEL.cu   Compiles an emitted kernel for sm_90a; exit 1 on any spill, serialised wgmma or
# ignored setmaxnreg. Prints "clean: R registers", and as a note where ptxas added a wait or an arrive of its own
# (C7517, C7519: nothing is serialised). The device library is found next to this script.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I "$root/device/include" -Xptxas -v -cubin \
  -o "$out/k.cubin" "$1" 2> "$out/log" || {
  cat "$out/log" >&2
  exit 1
}
grep -E 'C7517|C7519' "$out/log" | sed 's/.*(C/note: (C/' || true
if grep -Ev 'C7517|C7519' "$out/log" | grep -Eiq 'serializ|setmaxnreg.*ignored|C75[0-9][0-9]'; then
  echo "error: expected wgmma and setmaxnreg as written, got" >&2
  grep -Ei 'serializ|setmaxnreg|C75[0-9][0-9]' "$out/log" >&2
  exit 1
fi
if grep -E '[0-9]+ bytes (stack frame|spill)' "$out/log" |
  grep -Evq '0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads'; then
  echo "error: expected no stack and no spills, got" >&2
  grep -E 'bytes stack frame' "$out/log" >&2
  exit 1
fi
sed -n 's/.*Used \([0-9]*\) registers.*/clean: \1 registers/p' "$out/log"
