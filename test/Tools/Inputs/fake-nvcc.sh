#!/bin/sh
# Stands for nvcc: the last argument is the cubin. FAKE_NVCC=fail: rejects the text.
for last; do :; done
if [ "$FAKE_NVCC" = fail ]; then echo "kernel.cu(1): error: no such thing" >&2; exit 2; fi
echo cubin > "$last"
