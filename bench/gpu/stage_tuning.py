#!/usr/bin/env python3
"""Compiles candidates of a tile program, one directory each, for time_candidates.py on the GPU machine.

    python3 bench/gpu/stage_tuning.py OUT [--heddle build/bin/heddle] [--program examples/01_gemm.mlir] [--plans FILE]

A candidate is what a plan says of the kernel (docs/Plan.md): each line of FILE is one such dictionary, as `heddle tune
--candidates` prints them; without a file a spread over tiles, warp groups, ring depths, rasters and persistence.
Candidates that do not compile are left out and said to be. Runs where Heddle is built and nvcc is; needs no GPU.
Writes OUT/candidates.json and OUT/NNN/kernel.cubin, kernel.json (of a split contraction: a chain of kernels).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys


def plan(bm, bn, bk=64, persistent=True, groups=None, raster=8, depth=None):
    text = f"parameters = {{BK = {bk}, BM = {bm}, BN = {bn}}}"
    if groups:
        text += f", groups = {groups}"
    text += f", persistent = {str(persistent).lower()}, raster = {raster}"
    return "{" + text + (f", depth = {depth}" if depth else "") + "}"


def spread():
    """Candidates that vary one thing at a time around good tiles, and the grid of tiles itself."""
    wide = (64, 96, 128, 160, 176, 192, 224, 256)
    few = (64, 128, 192, 256)
    plans = [plan(128, bn) for bn in wide]
    plans += [plan(bm, bn) for bm in (64, 192, 256) for bn in few]
    main = ((64, 64), (64, 128), (64, 256), (128, 64), (128, 128), (128, 192), (128, 256), (256, 128))
    plans += [plan(bm, bn, persistent=False) for bm, bn in main]
    plans += [plan(bm, bn, bk=128) for bm, bn in main]
    plans += [plan(bm, bn, bk=32) for bm, bn in main]
    tiles = ((128, 256), (128, 192), (256, 128))
    plans += [plan(bm, bn, raster=r) for bm, bn in tiles for r in (1, 2, 4, 16, 32)]
    depths = {(64, 64): (2, 3, 4), (64, 128): (2, 4), (128, 128): (2, 3, 4), (128, 256): (2, 3), (256, 128): (2, 3)}
    plans += [plan(bm, bn, depth=d) for (bm, bn), some in depths.items() for d in some]
    plans += [plan(bm, bn, groups=1) for bm, bn in ((128, 64), (128, 96), (128, 128), (192, 64))]
    return plans


def compile_one(args, plan, folder, options=()):
    """A kernel by a plan (or none) and options in `folder`; what is wrong with it, or None."""
    os.makedirs(folder, exist_ok=True)
    command = [args.heddle, "compile", args.program, "--no-cache", *options, "--emit=cubin", "-o", folder + "/k"]
    if plan:
        file = os.path.join(folder, "plan")
        with open(file, "w", encoding="utf-8") as out:
            out.write(plan + "\n")
        command.append("--plan=" + file)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    for where, _, names in os.walk(folder + "/k"):  # of a chain, a folder for each kernel
        to = os.path.normpath(os.path.join(folder, os.path.relpath(where, folder + "/k")))
        os.makedirs(to, exist_ok=True)
        for name in names:
            if name.endswith(".json") or name == "kernel.cubin":
                os.replace(os.path.join(where, name), os.path.join(to, name))
    shutil.rmtree(folder + "/k")
    spills = [line for line in done.stderr.splitlines() if " spill " in line and " 0 bytes spill stores" not in line]
    return "ptxas spills: " + spills[0].strip() if spills else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--program", default="examples/01_gemm.mlir")
    parser.add_argument("--plans")
    args = parser.parse_args()
    plans = spread()
    if args.plans:
        with open(args.plans, encoding="utf-8") as file:
            plans = [line.strip() for line in file if line.strip()]
    staged = []
    for i, text in enumerate(plans):
        wrong = compile_one(args, "{kernel = " + text + "}", os.path.join(args.out, f"{i:03}"))
        if wrong:
            print(f"{text}: left out: {wrong}", file=sys.stderr)
        else:
            staged.append({"folder": f"{i:03}", "plan": text})
    with open(os.path.join(args.out, "candidates.json"), "w", encoding="utf-8") as file:
        json.dump({"program": os.path.basename(args.program), "candidates": staged}, file, indent=1)
    print(f"{len(staged)} of {len(plans)} candidates staged")


if __name__ == "__main__":
    main()
