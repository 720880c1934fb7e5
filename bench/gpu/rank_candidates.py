#!/usr/bin/env python3
"""Compares times of time_candidates.py with what `heddle tune` predicts for the same candidates and sizes.

    python3 bench/gpu/rank_candidates.py bench/results/2026-11-22-h100-tuning.json [--heddle build/bin/heddle]

Prints a table (docs/Tuning.md): rank correlation (Spearman) of predicted and measured times of single runs and of
sustained ones, the measured times of the model's first candidate and of the best of its first three over the best
measured. Needs no GPU. `--least` compares the least of the runs instead of their median.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    out, begin = [0.0] * len(values), 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in range(begin, end):
            out[order[i]] = (begin + end - 1) / 2
        begin = end
    return out


def correlation(a, b):
    x, y, mean = ranks(a), ranks(b), (len(a) - 1) / 2
    xy = sum((p - mean) * (q - mean) for p, q in zip(x, y))
    xx, yy = sum((p - mean) ** 2 for p in x), sum((q - mean) ** 2 for q in y)
    return xy / (xx * yy) ** 0.5 if xx and yy else 0.0


def predict(args, size, plans):
    """{plan: milliseconds} by the model; plans without a kernel are left out."""
    m, n, k = size.split("x")
    with tempfile.TemporaryDirectory() as folder:
        given, out = os.path.join(folder, "plans"), os.path.join(folder, "out.json")
        with open(given, "w", encoding="utf-8") as file:
            file.write("\n".join(plans) + "\n")
        command = [args.heddle, "tune", args.program, f"--dims=M={m},N={n},K={k}", "--device=none"]
        done = subprocess.run(
            [*command, "--plans=" + given, "--candidates=" + out], capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(done.stderr)
        with open(out, encoding="utf-8") as file:
            return {c["plan"]: c["predicted_ms"] for c in json.load(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--program", default="examples/01_gemm.mlir")
    parser.add_argument("--least", action="store_true")
    args = parser.parse_args()
    with open(args.results, encoding="utf-8") as file:
        report = json.load(file)
    print("| sizes M x N x K | candidates | rank correlation | sustained | first | best of three | best measured, ms |")
    print("|---|---|---|---|---|---|---|")
    for result in report["results"]:
        times = result["burst_min_ms" if args.least else "burst_ms"]
        predicted = predict(args, result["size"], [p for p in times if p.startswith("{")])
        plans = [p for p in times if p in predicted]
        a, b = [predicted[p] for p in plans], [times[p] for p in plans]
        order, best = sorted(range(len(a)), key=lambda i: a[i]), min(b)
        load = result.get("sustained_ms")
        print(
            f"| {result['size'].replace('x', ' x ')} | {len(plans)} | {correlation(a, b):.2f} | "
            + (f"{correlation(a, [load[p] for p in plans]):.2f}" if load and all(p in load for p in plans) else "")
            + f" | {b[order[0]] / best:.3f} | {min(b[i] for i in order[:3]) / best:.3f} | {best:.4f} |"
        )


if __name__ == "__main__":
    main()
