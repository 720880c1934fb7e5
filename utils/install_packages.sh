#!/bin/sh
# usage: install_packages.sh tools|tests   Installs the Debian packages that the build needs and that are missing: as
# root, or with sudo. Says what it installs and what for before it does. Where it may not or cannot install, it says
# what is missing and the one command that an administrator has to run, and exits with 1. utils/configure.sh calls it
# only where configuring fails: whatever else provides the same is as good.
set -eu
llvm=22
packages="g++:compiler cmake:build ninja-build:build llvm-$llvm-dev:LLVM libmlir-$llvm-dev:MLIR
          mlir-$llvm-tools:TableGen libcadical-dev:the-solver nlohmann-json3-dev:JSON-files
          libmimalloc-dev:faster-memory"
[ "$1" = tools ] || packages="$packages python3:checks libgtest-dev:unit-tests llvm-$llvm-tools:lit-and-FileCheck"

missing=""
reasons=""
for entry in $packages; do
  package=${entry%%:*}
  if command -v dpkg-query > /dev/null; then
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null) || status=none
    [ "$status" != installed ] || continue
  fi
  missing="$missing $package"
  reasons="$reasons, $package ($(echo "${entry#*:}" | tr - ' '))"
done
[ -n "$missing" ] || exit 0
command="apt-get update && apt-get install --no-install-recommends$missing"
if ! command -v apt-get > /dev/null; then
  echo "error: expected a Debian or Ubuntu system to install packages on; Heddle needs" \
    "these or their equals: ${reasons#, }" >&2
  exit 1
fi
echo "missing packages: ${reasons#, }" >&2

check_archive() {
  case "$missing " in *-"$llvm"-*) apt-cache show "libmlir-$llvm-dev" > /dev/null 2>&1 ;; esac && return 0
  echo "error: expected an archive with LLVM $llvm among apt's sources, got none (or no list of it yet:" \
       "apt-get update); on Debian 12 it is bookworm-security, elsewhere apt.llvm.org: README.md, 'Other systems'" >&2
  return 1
}

# Nobody is asked for a password who did not see what for, and only at a terminal.
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo > /dev/null && { sudo -n true 2> /dev/null || [ -t 0 ]; }; then
  as_root="sudo"
else
  check_archive || true
  echo "error: expected root or sudo to install them, got neither; an administrator runs: $command" >&2
  exit 1
fi
echo "running ${as_root:-as root}: $command" >&2
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q || echo "note: apt-get update failed; the lists at hand are used" >&2
check_archive || exit 1
# Only speed depends on it.
apt-cache show libmimalloc-dev > /dev/null 2>&1 || missing=$(echo "$missing" | sed 's/ libmimalloc-dev//')
# shellcheck disable=SC2086
$as_root apt-get install -q -y --no-install-recommends $missing || {
  echo "error: the packages were not installed; an administrator runs: $command" >&2
  exit 1
}
