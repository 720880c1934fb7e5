#!/bin/sh
# Stands for nvcc: the last argument is the cubin, which holds what the source holds. FAKE_NVCC=fail: rejects the text.
for last; do case $last in *.cu) source=$last ;; esac; done
if [ "$FAKE_NVCC" = fail ]; then echo "kernel.cu(1): error: no such thing" >&2; exit 2; fi
cat "$source" > "$last"
