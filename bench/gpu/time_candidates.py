#!/usr/bin/env python3
"""Checks and times the candidates that stage_tuning.py made of one program of a product, over several sizes.

    python3 bench/gpu/time_candidates.py DIR --out results.json [--sizes 8192x8192x1024,...] [--rounds 7]

Sizes:  M x N x K, or of a program of batches Z x M x N x K.
Check:  against cuBLAS with the same inputs, by norm, outputs poisoned with NaN.
Burst:  batches of 4 ms (batches.py), candidates and each of cublasLt's eight proposals in random order, median.
        Sustained: batches of 100 ms of the fastest four and the fastest three proposals, for sizes of more than 1e11
        operations.
Output: JSON, milliseconds by size and plan; lt0 to lt7 are the proposals.
"""

import argparse
import datetime
import json
import math
import os
import sys
import time

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import batches  # noqa: E402
import cublaslt  # noqa: E402
import heddle_gpu  # noqa: E402

SIZES = (
    "512x512x512,1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x256,8192x8192x1024,8192x8192x4096,"
    "64x8192x8192,8192x64x8192,512x4096x16384,2304x12800x4096,3000x2000x1000"
)


def tensors_of(names, sizes, fp8):
    """Inputs and the output of a product by name of view; what else a program takes (scales, a bias) is one. `fp8`:
    operands are e4m3 and the output is bf16, else all are f16."""
    *lead, m, n, k = sizes
    elem = torch.float8_e4m3fn if fp8 else torch.float16
    made = {
        "A": torch.randn(*lead, m, k, device="cuda", dtype=torch.float16).to(elem),
        "B": torch.randn(*lead, n, k, device="cuda", dtype=torch.float16).to(elem),
        "C": torch.empty(*lead, m, n, device="cuda", dtype=torch.bfloat16 if fp8 else torch.float16),
        "scaleA": torch.ones(m, device="cuda"),
        "scaleB": torch.ones(n, device="cuda"),
    }
    return {name: made[name] for name in names}


def time_size(kernels, size, args):
    sizes = [int(x) for x in size.split("x")]
    views = next(iter(kernels.values())).views()
    tensors = tensors_of(views, sizes, args.fp8 or "scaleA" in views)
    peer_out = torch.empty_like(tensors["C"])
    proposals = cublaslt.proposals(tensors["A"], tensors["B"].mT, peer_out)
    contenders = {f"lt{i}": run for i, run in enumerate(proposals)}
    proposals[0]()
    want = peer_out.float()
    scale, wrong, out = float(want.norm()), {}, tensors["C"]
    tolerance = 8e-3 if out.dtype == torch.bfloat16 else 1e-3
    for plan, kernel in kernels.items():
        launch = kernel.bind(*tensors.values())
        out.view(torch.uint8).fill_(0xFF)
        launch()
        torch.cuda.synchronize()
        error = float((out.float() - want).norm()) / scale
        if error < tolerance:  # not NaN either
            contenders[plan] = launch
        else:
            wrong[plan] = error
    del want
    times = batches.measure(contenders, rounds=args.rounds, far=args.far)
    dims = dict(zip(("K", "N", "M", "Z"), reversed(sizes)))
    result = {"size": size, "dims": dims, "wrong": wrong, "burst_ms": times}
    if 2.0 * math.prod(sizes) > 1e11 and args.sustained:
        peers = sorted((name for name in times if name in contenders and is_peer(name)), key=times.get)
        ours = sorted((name for name in times if not is_peer(name)), key=times.get)
        chosen = {name: contenders[name] for name in ours[:4] + peers[:3]}
        result["sustained_ms"] = batches.measure(chosen, milliseconds=args.sustained, rounds=5, most=2000)
    return result


def is_peer(name):
    return name[:2] == "lt"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--out", required=True)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--far", type=float, default=2.5, help="leave out what takes so many times as long as the best")
    parser.add_argument("--sustained", type=float, default=100, help="milliseconds of a batch; 0: none")
    parser.add_argument("--seconds", type=float, default=80, help="no further size is begun after so long")
    parser.add_argument("--fp8", action="store_true", help="operands are e4m3, C is bf16 (so with scaleA, too)")
    parser.add_argument("--commit", default="")
    args = parser.parse_args()
    began = time.time()
    with open(os.path.join(args.directory, "candidates.json"), encoding="utf-8") as file:
        staged = json.load(file)
    kernels = {c["plan"]: heddle_gpu.load(os.path.join(args.directory, c["folder"])) for c in staged["candidates"]}
    results = []
    report = {
        "environment": {
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "commit": args.commit,
            "device": torch.cuda.get_device_name(),
            "torch": torch.__version__,
        },
        "program": staged["program"],
        "rounds": args.rounds,
        "candidates": staged["candidates"],
        "results": results,
    }
    for size in args.sizes.split(","):
        if time.time() - began > args.seconds:
            print(f"{size}: left out, {args.seconds} s are over")
            continue
        results.append(time_size(kernels, size, args))
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
        for kind in ("burst_ms", "sustained_ms"):
            if kind in results[-1]:
                print(summary(size, kind, results[-1][kind]), flush=True)
        if results[-1]["wrong"]:
            print(f"    wrong: {results[-1]['wrong']}", flush=True)
        torch.cuda.empty_cache()


def summary(size, kind, times):
    ours = min((name for name in times if not is_peer(name)), key=times.get)
    peer = min((name for name in times if is_peer(name)), key=times.get)
    speed = 2e-9 * math.prod(int(x) for x in size.split("x")) / times[ours]
    return (
        f"{size} {kind}: {times[ours]:.4f} ms, {speed:.0f} TFLOPS {ours}; {peer} {times[peer]:.4f} ms, "
        f"ratio {times[peer] / times[ours]:.3f}"
    )


if __name__ == "__main__":
    main()
