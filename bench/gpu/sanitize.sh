#!/bin/bash
# Runs one kernel under compute-sanitizer: memcheck, racecheck, synccheck, initcheck, on a small shape.
# usage: bench/gpu/sanitize.sh LAUNCHER DIR --view A=256x128 ... [--scalar x=1]
#   LAUNCHER is heddle-launch, DIR holds kernel.cubin and kernel.json; the rest goes to the launcher.
# env: HEDDLE_SANITIZER_TOOLS (default "memcheck racecheck synccheck initcheck"), HEDDLE_SANITIZER_TIMEOUT seconds each
# (default 120)
# Exit: 0 all clean, 1 a tool found something or the run failed, 77 without compute-sanitizer.
# racecheck knows mbarrier and bulk copies only in part: read its reports against the protocol verifier.
launcher=${1:?usage: sanitize.sh LAUNCHER DIR [launcher options]}
directory=${2:?usage: sanitize.sh LAUNCHER DIR [launcher options]}
shift 2
command -v compute-sanitizer >/dev/null || { echo "skipped: compute-sanitizer not found"; exit 77; }
failed=0
for tool in ${HEDDLE_SANITIZER_TOOLS:-memcheck racecheck synccheck initcheck}; do
  log=$(timeout "${HEDDLE_SANITIZER_TIMEOUT:-120}" compute-sanitizer --tool "$tool" --error-exitcode 99 \
        "$launcher" "$directory" "$@" 2>&1)
  code=$?
  if [ $code = 0 ]; then
    echo "$tool: clean"
  else
    failed=1
    case $code in 124) echo "$tool: timed out" ;; 99) echo "$tool: found" ;; *) echo "$tool: run failed ($code)" ;; esac
    printf '%s\n' "$log" | head -40
  fi
done
exit $failed
