#!/bin/bash
# `heddle run --device=gpu` on every example, 8 at a time; a line for each, the whole output of those that fail.
# usage: bench/gpu/run_examples.sh [HEDDLE [options]]     default build/bin/heddle. Exit: 0 when all say "verified".
heddle=${1:-build/bin/heddle}
shift
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export heddle logs
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\n' examples/[0-9]*.mlir | xargs -P 8 -I{} bash -c \
  'timeout 120 "$heddle" run {} --device=gpu "$@" > "$logs/$(basename {} .mlir)" 2>&1' run "$@"
failed=0
for log in "$logs"/*; do
  name=$(basename "$log")
  if grep -q '^verified' "$log"; then
    echo "$name: verified; $(grep -E '^ran ' "$log"); $(grep -E '^relative' "$log")"
  else
    echo "$name: FAILED"
    sed 's/^/  /' "$log"
    failed=1
  fi
done
exit $failed
