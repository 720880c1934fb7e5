#!/usr/bin/env python3
"""Compiles what docs/AttentionFigures.md compares: attention, full, heads of 128, by what its schedule may do.

    python3 bench/gpu/stage_attention_figures.py .device/figures [--heddle build/bin/heddle]     # where nvcc is
    python3 bench/gpu/time_attention.py --full .device/figures/*/* --out attention.json --fa3 FOLDER --triton
    python3 bench/gpu/draw_attention_figures.py attention.json         # the page and its pictures

OUT/forward/NAME, OUT/backward/NAME (a chain of kernels, the whole pass): Twill's Figures 7 and 10
    none      no iteration's computation begins before the previous one's has ended, in program order; loads stream
              ahead on a warp of their own
    pipeline  modulo scheduling alone (dependences and units), loads on a warp of their own, a sub-tile on each group
    joint     all constraints, warp assignment included: what `heddle compile` gives by default
OUT/steps/NAME: first steps of Tawa's Figure 12 for attention, one group of warps with 64 queries; `none`, `pipeline`
    and `joint` are the further ones.

Modulo scheduling knows no registers: of some resolutions the first whose kernels ptxas compiles without spills is
taken, or the one with the fewest bytes of them, which is printed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

PASSES = {"forward": "examples/02_attention.mlir", "backward": "examples/chains/attention_backward.mlir"}
VARIANTS = {"none": "sequential", "pipeline": "modulo", "joint": "full"}
RESOLUTIONS = (0, 128, 256, 320, 192, 512)
ONE_GROUP = ("--mode=sequential", "--groups=1", "--param=BM=64")
STEPS = {"one_slot": (*ONE_GROUP, "--depth=1"), "slots": ONE_GROUP}  # then none, pipeline and joint


def compiled(heddle, source, folder, options):
    """Bytes that ptxas spills and lines about serialised products, or None where there is no such kernel."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    done = subprocess.run(
        [heddle, "compile", source, *options, "--emit=cubin", "-o", folder], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"{folder}: {' '.join(options)}: {done.stderr.splitlines()[0]}", file=sys.stderr)
        return None
    spilled = sum(int(n) for n in re.findall(r"(\d+) bytes spill stores", done.stderr))
    return spilled + 10**6 * len(re.findall(r"C75\d\d", done.stderr))


def stage(heddle, source, folder, options, resolutions):
    found = {}
    for resolution in resolutions:
        given = [*options, f"--resolution={resolution}"] if resolution is not None else list(options)
        cost = compiled(heddle, source, folder, given)
        if cost == 0:
            return print(f"{folder}: {' '.join(given)}")
        if cost is not None:
            found.setdefault(cost, given)
    if not found:
        return print(f"{folder}: no kernel")
    least = min(found)
    compiled(heddle, source, folder, found[least])
    serial, spilled = divmod(least, 10**6)
    return print(f"{folder}: {' '.join(found[least])}: {spilled} bytes spilled, {serial} products serialised")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--heddle", default="build/bin/heddle")
    args = parser.parse_args()
    for name, source in PASSES.items():
        for variant, mode in VARIANTS.items():
            resolutions = RESOLUTIONS if variant == "pipeline" else (None,)
            stage(args.heddle, source, os.path.join(args.out, name, variant), [f"--mode={mode}"], resolutions)
    for name, options in STEPS.items():
        stage(args.heddle, PASSES["forward"], os.path.join(args.out, "steps", name), options, (None,))


if __name__ == "__main__":
    main()
