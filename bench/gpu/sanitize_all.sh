#!/bin/bash
# Runs every kernel directory under DIR (from stage_sanitize.sh) with memcheck and racecheck, all at once, and prints a
# line for each. usage: bench/gpu/sanitize_all.sh DIR        env: as in sanitize.sh, but the tools default to "memcheck
# racecheck"
# Exit: 0 all clean; 1 something was found, timed out or could not run (its log follows the lines); 77 without
#       compute-sanitizer.
dir=${1:?usage: sanitize_all.sh DIR}
here=$(dirname "$0")
export HEDDLE_SANITIZER_TOOLS=${HEDDLE_SANITIZER_TOOLS:-memcheck racecheck}
command -v compute-sanitizer >/dev/null || { echo "skipped: compute-sanitizer not found"; exit 77; }
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
chmod +x "$dir/heddle-launch" 2>/dev/null
for kernel in "$dir"/*/; do
  name=$(basename "$kernel")
  # shellcheck disable=SC2046 # options are words
  (
    bash "$here/sanitize.sh" "$dir/heddle-launch" "$kernel" $(cat "$kernel/launch.txt") > "$logs/$name.log" 2>&1
    echo $? > "$logs/$name.code"
  ) &
done
wait
bad=()
for log in "$logs"/*.log; do
  name=$(basename "$log" .log)
  grep -E '^[a-z]+: (clean|found|timed out|run failed)' "$log" | sed "s/^/$name: /"
  [ "$(cat "$logs/$name.code")" = 0 ] || bad+=("$name")
done
for name in "${bad[@]}"; do
  echo "== $name"
  cat "$logs/$name.log"
done
[ ${#bad[@]} = 0 ] && echo "all clean"
