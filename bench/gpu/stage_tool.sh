#!/bin/bash
# Links a heddle that needs no LLVM libraries, for a GPU machine that has none (it needs nvcc there, and the repository
# at the same path). usage: bench/gpu/stage_tool.sh OUT          where Heddle is built; writes OUT/heddle
#        bench/gpu/run_examples.sh OUT/heddle then, on the GPU machine
# env: HEDDLE_BUILD (default build, by Ninja)
out=${1:?usage: stage_tool.sh OUT}
build=${HEDDLE_BUILD:-build}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
link=$(ninja -C "$build" -t commands heddle | tail -1 | sed 's/^: && //; s/ && :$//')
dir=$(sed -n 's/.*-rpath,\([^ ]*\).*/\1/p' <<< "$link")
[ -d "$dir" ] || { echo "error: expected a link with -rpath to LLVM's libraries, got: $link" >&2; exit 1; }
archives=$(printf '%s ' "$dir"/libMLIR*.a \
  "$dir"/libLLVM{Support,Demangle,Core,BinaryFormat,Remarks,BitstreamReader,TargetParser}.a)
link=$(sed "s|[^ ]*/libMLIR.so[^ ]*||; s|[^ ]*/libLLVM.so[^ ]*||
            s|-o bin/heddle|-o $out/heddle -s -static-libstdc++ -static-libgcc -Wl,--gc-sections|
            s|\$| -Wl,--start-group $archives -Wl,--end-group -ldl -lz -lpthread|" <<< "$link")
cd "$build" && bash -c "$link" && ls -l "$out/heddle"
