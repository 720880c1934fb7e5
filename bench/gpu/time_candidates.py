#!/usr/bin/env python3
"""Checks and times the candidates that stage_tuning.py made of one program of a product, over several sizes.

    python3 bench/gpu/time_candidates.py DIR --out results.json [--sizes 8192x8192x1024,...] [--rounds 5]

Check: against cuBLAS with the same inputs, by norm, outputs poisoned with NaN. Burst: single runs, L2 overwritten
before each, candidates and cuBLAS in rotated order, median. Sustained: 40 ms of back-to-back runs of each candidate,
for sizes of more than 1e11 operations, after a second of load, with the mean clock where NVML tells it.
Output: JSON, milliseconds by size and plan.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import time

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import heddle_gpu  # noqa: E402
import problems  # noqa: E402

SIZES = (
    "512x512x512,1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x256,8192x8192x1024,8192x8192x4096,"
    "64x8192x8192,8192x64x8192,512x4096x16384,2304x12800x4096,3000x2000x1000"
)


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def clock():
    """MHz of the multiprocessors now; None where nothing tells."""
    try:
        query = ["nvidia-smi", "--query-gpu=clocks.sm,power.draw", "--format=csv,noheader,nounits", "-i", "0"]
        return [float(x) for x in subprocess.run(query, capture_output=True, text=True, timeout=5).stdout.split(",")]
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def runs(contenders, rounds, flush):
    times = {name: [] for name in contenders}
    names = list(contenders)
    for name in names:
        contenders[name]()
    for r in range(rounds):
        pending = []
        shift = r * len(names) // rounds
        for name in names[shift:] + names[:shift]:
            flush.zero_()
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            contenders[name]()
            end.record()
            pending.append((name, start, end))
        torch.cuda.synchronize()
        for name, start, end in pending:
            times[name].append(start.elapsed_time(end))
    return times


def sustained(launch, milliseconds, guess):
    count = max(3, int(milliseconds / guess))
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(count):
        launch()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / count


def time_size(kernels, size, args, flush):
    m, n, k = (int(x) for x in size.split("x"))
    problem = problems.gemm({"m": m, "n": n, "k": k})
    out = problem["outputs"][0]
    peers = problem["peers"]
    a, b = problem["inputs"]
    want = (a @ b.t()).float()
    scale = float(want.norm())
    contenders, wrong = {}, {}
    for plan, kernel in kernels.items():
        launch = kernel.bind(a, b, out)
        out.view(torch.uint8).fill_(0xFF)
        launch()
        torch.cuda.synchronize()
        error = float((out.float() - want).norm()) / scale
        if error < 1e-3:  # not NaN either
            contenders[plan] = launch
        else:
            wrong[plan] = error
    times = runs({**{"peer " + name: run for name, run in peers.items()}, **contenders}, args.rounds, flush)
    result = {"size": size, "wrong": wrong, "burst_ms": {name: median(t) for name, t in times.items()}}
    result["burst_min_ms"] = {name: min(t) for name, t in times.items()}
    if 2.0 * m * n * k > 1e11 and args.sustained:
        first = next(iter(contenders.values()))
        sustained(first, 500, result["burst_ms"][next(iter(contenders))])
        load = {}
        for name, launch in {**{"peer " + name: run for name, run in peers.items()}, **contenders}.items():
            load[name] = sustained(launch, args.sustained, result["burst_ms"][name])
        result["sustained_ms"] = load
        result["clock_mhz_and_watts_after"] = clock()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--out", required=True)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sustained", type=float, default=40, help="milliseconds of each candidate; 0: none")
    parser.add_argument("--seconds", type=float, default=80, help="no further size is begun after so long")
    parser.add_argument("--commit", default="")
    args = parser.parse_args()
    began = time.time()
    with open(os.path.join(args.directory, "candidates.json"), encoding="utf-8") as file:
        staged = json.load(file)
    kernels = {c["plan"]: heddle_gpu.Kernel(os.path.join(args.directory, c["folder"])) for c in staged["candidates"]}
    flush = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
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
        "results": results,
    }
    for size in args.sizes.split(","):
        if time.time() - began > args.seconds:
            print(f"{size}: left out, {args.seconds} s are over")
            continue
        results.append(time_size(kernels, size, args, flush))
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
        burst = results[-1]["burst_ms"]
        ours = {name: t for name, t in burst.items() if not name.startswith("peer ")}
        best = min(ours, key=ours.get)
        peers = {name: round(t, 4) for name, t in burst.items() if name.startswith("peer ")}
        print(f"{size}: {time.time() - began:.0f} s, best {ours[best]:.4f} ms {best}, {peers}, "
              f"{len(results[-1]['wrong'])} wrong", flush=True)


if __name__ == "__main__":
    main()
