#!/bin/sh
# usage: configure.sh BUILD tools|tests [CMAKE ARGUMENT ...]   Configures the directory BUILD, unless it is already and
# no argument asks for more. Packages are installed only where CMake fails without them (utils/install_packages.sh), so
# a system that has everything needs no root.
set -eu
build=$1
what=$2
shift 2
if [ -f "$build/build.ninja" ] || [ -f "$build/Makefile" ]; then
  configured=yes
else
  configured=no
fi
# Several files at once: two thirds of the cold build are headers and what they instantiate. Arguments decide otherwise.
[ $configured = yes ] || set -- -DCMAKE_UNITY_BUILD=ON "$@"
if [ "$what" = tests ]; then
  grep -qs '^HEDDLE_ENABLE_TESTS:BOOL=ON' "$build/CMakeCache.txt" || set -- -DHEDDLE_ENABLE_TESTS=ON "$@"
elif [ $configured = no ]; then
  set -- -DHEDDLE_ENABLE_TESTS=OFF "$@"
fi
[ $configured = no ] || [ $# -gt 0 ] || exit 0

configure() {
  if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja > /dev/null; then
    set -- -G Ninja "$@"
  fi
  cmake -S . -B "$build" "$@"
}

mkdir -p "$build"
if configure "$@" > "$build/configure.log" 2>&1; then
  grep -E '^-- (MLIR|nvcc)' "$build/configure.log" || true
  exit 0
fi
if ! utils/install_packages.sh "$what"; then
  echo "note: what CMake said is in $build/configure.log; LLVM and MLIR elsewhere:" \
    "make CMAKE_ARGS=-DMLIR_DIR=PREFIX/lib/cmake/mlir" >&2
  exit 1
fi
# Another generator or compiler may be there now.
[ $configured = yes ] || rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
configure "$@"
