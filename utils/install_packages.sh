#!/bin/sh
# usage: install_packages.sh   Installs the Debian packages that the build needs and that are missing (as root, or with sudo).
# Does nothing where all are installed. On a system without dpkg it only says what is needed; CMake then reports what it cannot find.
set -eu
packages="g++ cmake ninja-build ccache python3 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools libcadical-dev libgtest-dev nlohmann-json3-dev"
if ! command -v dpkg-query > /dev/null; then
  echo "note: not a Debian system; Heddle needs these packages or their equals: $packages" >&2
  exit 0
fi
missing=""
for package in $packages; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null) || status=none
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "installing:$missing"
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo > /dev/null; then
  as_root="sudo"
else
  echo "error: expected root or sudo to install the missing packages, got neither; run: apt-get install$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q
# shellcheck disable=SC2086
$as_root apt-get install -q -y --no-install-recommends $missing
