#!/usr/bin/env python3
"""Compiles what the figures of docs/Ablation.md compare: one product, by depth of its ring and dots in flight, and one
decision after the other from none to all.

    python3 bench/gpu/stage_figures.py .device/figures [--heddle build/bin/heddle]         # where nvcc is
    python3 bench/gpu/time_candidates.py .device/figures --sizes 8192x8192x16384,... --out figures.json   # on the GPU
    python3 bench/gpu/draw_figures.py figures.json --docs docs                             # table and pictures

Grid:      ring depth D (`depth` of the plan) x dots in flight P (`inflight` of the dot), P at most D, as a grid of
           programs and as a persistent kernel.
Steps:     each is one more option of `heddle compile` than the one before.
Output:    as of stage_tuning.py; each candidate has its `figure`, and its place there.
"""

import argparse
import json
import os
import sys

import stage_tuning

TILE = "BM=128,BN=256"
DEPTHS, DOTS = (1, 2, 3, 4), (1, 2, 3)
# What the first step does without, and the option that each further one adds or replaces.
BASE = {
    "--param": "BM=128,BN=128",
    "--groups": "1",
    "--depth": "1",
    "--mode": "sequential",
    "--persistent": "off",
    "--tiles-in-flight": "1",
}
STEPS = (
    ("one slot, one group, nothing overlaps", {}),
    ("two slots, each held until the next product is issued", {"--depth": "2"}),
    ("the solver's schedule", {"--mode": "full"}),
    ("as many slots as fit", {"--depth": "0"}),
    ("two groups share the tile", {"--groups": "2"}),
    ("a tile of 128 x 256", {"--param": TILE}),
    ("persistent", {"--persistent": "on"}),
    ("two tiles of 128 x 192 in flight", {"--tiles-in-flight": "2", "--param": "BM=128,BN=192", "--groups": "0"}),
)


def candidates():
    """(what the report says of each, options of `heddle compile`, plan or None)"""
    for persistent in (False, True):
        for depth in DEPTHS:
            for dots in (p for p in DOTS if p <= depth):
                kernel = f"{{depth = {depth}, groups = 2, persistent = {str(persistent).lower()}, tiles = 1}}"
                place = {"figure": "grid", "persistent": persistent, "depth": depth, "dots": dots}
                yield place, ["--param=" + TILE], f"{{kernel = {kernel}, dot = {{inflight = {dots}}}}}"
    options = dict(BASE)
    for i, (name, change) in enumerate(STEPS):
        options.update(change)
        given = ["=".join(item) for item in options.items()]
        yield {"figure": "steps", "step": i, "name": name, "options": " ".join(given)}, given, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--program", default="examples/01_gemm.mlir")
    args = parser.parse_args()
    staged, failed = [], 0
    for i, (place, options, plan) in enumerate(candidates()):
        wrong = stage_tuning.compile_one(args, plan, os.path.join(args.out, f"{i:03}"), options)
        if wrong:
            print(f"{place}: {wrong}", file=sys.stderr)
            failed = 1
        else:
            staged.append({"folder": f"{i:03}", "plan": " ".join(options + [plan or ""]).strip(), **place})
    with open(os.path.join(args.out, "candidates.json"), "w", encoding="utf-8") as file:
        json.dump({"program": os.path.basename(args.program), "candidates": staged}, file, indent=1)
    print(f"{len(staged)} candidates staged")
    return failed


if __name__ == "__main__":
    sys.exit(main())
