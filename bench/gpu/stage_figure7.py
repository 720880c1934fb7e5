"""Stages three schedules of attention forward (Twill, Figure 7) side by side: what software pipelining and warp assignment each give.

    python3 bench/gpu/stage_figure7.py OUT [--heddle build/bin/heddle] [--example 02_attention]

    none      no iteration's computation begins before the previous one's has ended, in program order; loads stream ahead on their own warp
    pipeline  modulo scheduling alone (dependences and units), loads on their own warp, a sub-tile on each warp group
    joint     all constraints, warp assignment included

Each is solved by `heddle schedule -o` and replayed by `heddle compile --schedule`, so that a folder holds what the file says. Runs where Heddle is
built (no GPU); carry OUT to the GPU machine and run bench.py on its directories.
"""
import argparse
import json
import os
import subprocess
import sys

from stage_examples import CASES, SPEED

# The least resolution at which ptxas compiles the pipelined schedule without spills (it is solved without register constraints).
VARIANTS = {
    "none": ["--mode=sequential"],
    "pipeline": ["--mode=modulo", "--resolution=256"],
    "joint": ["--mode=full"],
}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    bad = [line for line in done.stderr.splitlines() if "C75" in line or (" spill " in line and " 0 bytes spill stores" not in line)]
    if done.returncode or bad:
        sys.exit(" ".join(command) + ":\n" + "\n".join(bad or [done.stderr]))
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--example", default="02_attention", choices=sorted(SPEED))
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    source = f"examples/{args.example}.mlir"
    for variant, options in VARIANTS.items():
        folder = os.path.join(args.out, f"{args.example}_{variant}")
        solution = folder + ".solution"
        print(variant + ": " + run([args.heddle, "schedule", source, *options, "-o", solution]).splitlines()[0])
        replay = [args.heddle, "compile", source, *options, "--schedule=" + solution]
        with open(solution, encoding="utf-8") as file:
            if run([*replay, "--emit=schedule"]) != file.read():
                sys.exit(f"{solution}: replays as another schedule")
        run([args.heddle, "run", source, *options, "--schedule=" + solution, "--device=sim"])
        for suffix, cases in (("_speed", SPEED[args.example]), ("", CASES[args.example])):
            run([*replay, "-o", folder + suffix, "--emit=cubin"])
            os.remove(os.path.join(folder + suffix, "kernel.cu"))  # the GPU machine uses the cubin
            with open(os.path.join(folder + suffix, "case.json"), "w", encoding="utf-8") as file:
                json.dump(cases, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
