#!/usr/bin/env python3
"""Decoding, one query of 64 heads on 64k keys of 8 heads (dim 128, f16): the part of the card's copy bandwidth at which
keys and values are read. Runs on the GPU machine.

    for K in split_keys combine_parts pages pages_split; do
      heddle compile test/Programs/Attention/$K.mlir --emit=cubin -o DIR/$K; done          # where nvcc is, DIR exists
    python3 bench/gpu/time_decoding.py DIR --out decoding.json [--keys 65536]

`split`: attention_split_keys and attention_combine_parts one behind the other, with several numbers of parts. `pages`:
attention_pages, shuffled pages, a program for each head and sequence; `pages, split`: attention_pages_split and
attention_combine_parts. Each is checked against float64
first (relative error by norm), outputs poisoned. Copy bandwidth: bytes read and written of a copy of 2 GB.
"""

import argparse
import json
import math
import os
import statistics

import torch

import heddle_gpu

HEADS, GROUP, DIM, PAGE = 8, 8, 128, 64
SCALE = dict(scale_log2=DIM**-0.5 * math.log2(math.e))


def milliseconds(launch, before, repeats=15):
    """Median time on the device; what `before` puts in the queue hides the processor's time for the launches."""
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        before()
        start.record()
        launch()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def reference(q, k, v):
    scores = q.double() @ k.double().transpose(-1, -2) * DIM**-0.5
    return scores.softmax(-1) @ v.double()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels")
    parser.add_argument("--out", required=True)
    parser.add_argument("--keys", type=int, default=65536)
    args = parser.parse_args()
    names = ("split_keys", "combine_parts", "pages", "pages_split")
    split, combine, pages, pages_split = (heddle_gpu.Kernel(os.path.join(args.kernels, name)) for name in names)
    a, b = (torch.empty(1 << 30, dtype=torch.uint8, device="cuda") for _ in range(2))
    # what a read leaves in L2 is clean, and neither keys nor values
    evict = a[: 1 << 28].view(torch.int64).max
    copy = 2 * a.numel() / milliseconds(lambda: b.copy_(a), evict) / 1e6
    rows = []
    for batch in (1, 16):
        q = torch.randn(batch, HEADS, GROUP, DIM, dtype=torch.half, device="cuda")
        k, v = (torch.randn(batch, HEADS, args.keys, DIM, dtype=torch.half, device="cuda") for _ in range(2))
        expected = torch.cat([reference(q[i : i + 1], k[i : i + 1], v[i : i + 1]) for i in range(batch)])

        def measure(name, launch, out, moved=2 * k.numel() * 2, **more):
            out.fill_(float("nan"))
            launch()
            error = float((out.double() - expected).norm() / expected.norm())
            took = milliseconds(launch, evict)
            rows.append(dict(form=name, batch=batch, ms=took, copy_part=moved / took / 1e6 / copy, error=error, **more))
            print(rows[-1], flush=True)

        def in_parts(name, kernel, *inputs):
            for parts in (4, 8, 16, 33, 66) if batch == 1 else (1, 2, 4, 8, 16):
                partial = torch.full((batch, HEADS, parts, GROUP, DIM), float("nan"), device="cuda")
                weights = torch.full((batch, HEADS, parts, GROUP), float("nan"), device="cuda")
                out = torch.empty_like(q)
                first, second = kernel.bind(*inputs, partial, weights, **SCALE), combine.bind(partial, weights, out)
                measure(name, lambda one=first, two=second: (one(), two()), out, parts=parts)

        in_parts("split", split, q, k, v)
        count = batch * args.keys // PAGE
        table = torch.randperm(count, device="cuda").int().reshape(batch, -1)
        paged = []
        for tensor in (k, v):
            pool = torch.empty(count, HEADS, PAGE, DIM, dtype=torch.half, device="cuda")
            pool[table.flatten().long()] = (
                tensor.reshape(batch, HEADS, -1, PAGE, DIM).transpose(1, 2).reshape(count, HEADS, PAGE, DIM)
            )
            paged.append(pool)
        lengths, out = torch.full((batch,), args.keys, dtype=torch.int32, device="cuda"), torch.empty_like(q)
        in_parts("pages, split", pages_split, q, *paged, table, lengths)
        measure("pages", pages.bind(q, *paged, table, lengths, out, **SCALE), out)
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump({"gpu": torch.cuda.get_device_name(), "copy_gb_s": copy, "keys": args.keys, "rows": rows}, file)


if __name__ == "__main__":
    main()
