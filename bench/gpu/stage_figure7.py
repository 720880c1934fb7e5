"""Stages three schedules of attention forward (Twill, Figure 7) side by side: what software pipelining and warp
assignment each give.

    python3 bench/gpu/stage_figure7.py OUT [--heddle build/bin/heddle] [--example 02_attention]

    none      no iteration's computation begins before the previous one's has ended, in program order; loads stream
              ahead on their own warp
    pipeline  modulo scheduling alone (dependences and units), loads on their own warp, a sub-tile on each warp group
    joint     all constraints, warp assignment included

Each is solved by `heddle schedule -o` and replayed by `heddle compile --schedule`, so that a folder holds what the file
says. Runs where Heddle is built (no GPU); carry OUT to the GPU machine and run bench.py on its directories.
"""

import argparse
import json
import os
import re
import subprocess
import sys

from stage_examples import CASES, SPEED

VARIANTS = {"none": "sequential", "pipeline": "modulo", "joint": "full"}
# Modulo scheduling knows no registers: the first of these whose kernel ptxas compiles without spills, else the one that
# spills least (which is said).
RESOLUTIONS = (128, 256, 320, 384, 192, 160, 512, 96)


class Unclean(Exception):
    """ptxas spills `bytes`, or serialises (None)."""

    def __init__(self, line):
        super().__init__(line)
        spilled = re.search(r"(\d+) bytes spill stores", line)
        self.bytes = int(spilled.group(1)) if spilled and "C75" not in line else None


def run(command, most=0):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(" ".join(command) + ":\n" + done.stderr)
    bad = [
        line
        for line in done.stderr.splitlines()
        if "C75" in line or (" spill " in line and " 0 bytes spill stores" not in line)
    ]
    for line in bad:
        why = Unclean(line.strip())
        if why.bytes is None or why.bytes > most:
            raise why
    return done.stdout


def stage(heddle, example, out, variant, resolution, most=0):
    source = f"examples/{example}.mlir"
    folder = os.path.join(out, f"{example}_{variant}")
    solution = folder + ".solution"
    options = [f"--mode={VARIANTS[variant]}", f"--resolution={resolution}"]
    first = run([heddle, "schedule", source, *options, "-o", solution]).splitlines()[0]
    replay = [heddle, "compile", source, *options, "--schedule=" + solution]
    with open(solution, encoding="utf-8") as file:
        if run([*replay, "--emit=schedule"]) != file.read():
            sys.exit(f"{solution}: replays as another schedule")
    run([heddle, "run", source, *options, "--schedule=" + solution, "--device=sim"])
    for suffix, cases in (("_speed", SPEED[example]), ("", CASES[example])):
        run([*replay, "-o", folder + suffix, "--emit=cubin"], most)
        os.remove(os.path.join(folder + suffix, "kernel.cu"))  # the GPU machine uses the cubin
        with open(os.path.join(folder + suffix, "case.json"), "w", encoding="utf-8") as file:
            json.dump(cases, file)
    print(f"{variant}: {first} (resolution {resolution}" + (f", {most} bytes spilled)" if most else ")"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--example", default="02_attention", choices=sorted(SPEED))
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for variant in VARIANTS:
        spilled = {}
        # Real cycles first for modulo scheduling: it then gives the solver's own schedule, without the choice among
        # optimal orders by what warps do.
        for resolution in ((0,) if variant == "pipeline" else ()) + RESOLUTIONS:
            try:
                stage(args.heddle, args.example, args.out, variant, resolution)
                break
            except Unclean as why:
                print(f"{variant}, resolution {resolution}: {why}", file=sys.stderr)
                if why.bytes is not None:
                    spilled.setdefault(why.bytes, resolution)
        else:
            if not spilled:
                return 1
            stage(args.heddle, args.example, args.out, variant, spilled[min(spilled)], min(spilled))
    return 0


if __name__ == "__main__":
    sys.exit(main())
