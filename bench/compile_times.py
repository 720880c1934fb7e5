#!/usr/bin/env python3
"""What it takes to compile programs, and what comes out: processor time of `heddle compile` on one core without the
cache of solved problems, interval and bound of each loop, status, and with --spills what ptxas spills.

    python3 bench/compile_times.py [--heddle build/bin/heddle] [--spills] [--out FILE.json]
                                   [PROGRAM.mlir or DIRECTORY ...]

Without arguments: examples and test/Programs. One program runs at a time. The time is that of the processor, user and
system together, so that a busy machine changes little; programs that are refused are listed and count as well. Exit
code: 0, or 1 where the median or the worst is above --median or --worst seconds.
"""

import argparse
import glob
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(ROOT, "bench", "gpu"))
import build as nvcc  # noqa: E402

LOOP = re.compile(
    r"loop (\d+): initiation interval (\d+) cycles, lower bound (\d+)(?: in units of \d+ cycles)?, (\w+); (\d+) stages"
)
SPILL = re.compile(r"(\d+) bytes stored and (\d+) loaded")


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def spilled(directory):
    """Bytes that ptxas spills (stored), or what it says."""
    try:
        figures = nvcc.build(
            os.path.join(directory, "kernel.cu"), os.path.join(directory, "kernel.cubin"), allow_slow=True
        )
    except nvcc.BuildError as error:
        return f"nvcc: {error}"
    match = SPILL.search("; ".join(figures["defects"]))
    return int(match.group(1)) if match else 0


def compile_one(heddle, program, directory, extra, spills):
    before = processor_seconds()
    command = [heddle, "compile", program, "-o", directory, "--no-cache"] + extra
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    row = {"program": program, "seconds": round(processor_seconds() - before, 3), "exit": done.returncode}
    row["loops"] = [
        {"interval": int(i), "bound": int(b), "status": status, "stages": int(s)}
        for _, i, b, status, s in LOOP.findall(done.stdout)
    ]
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or [""]
        row["error"] = lines[0].strip()
    elif spills:
        row["spilled"] = spilled(directory)
    return row


def line_of(row):
    loops = ", ".join(
        f"{loop['interval']}/{loop['bound']} (+{100 * loop['interval'] / loop['bound'] - 100:.1f} %) {loop['status']}"
        f" {loop['stages']}st"
        for loop in row["loops"]
    )
    text = f"{row['seconds']:7.2f} s  {os.path.splitext(os.path.basename(row['program']))[0]:32} {loops}"
    if "spilled" in row:
        text += f"  spilled {row['spilled']}"
    return text + (f"  exit {row['exit']}: {row['error'][-140:]}" if row["exit"] else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build", "bin", "heddle"))
    parser.add_argument("--spills", action="store_true", help="also run nvcc")
    parser.add_argument("--out", help="write the rows to this file")
    parser.add_argument("--option", action="append", default=[], help="also given to heddle compile")
    parser.add_argument("--median", type=float, default=0.5)
    parser.add_argument("--worst", type=float, default=2.0)
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    programs = []
    for path in args.programs or [os.path.join(ROOT, "examples"), os.path.join(ROOT, "test", "Programs")]:
        programs += sorted(glob.glob(os.path.join(path, "*.mlir"))) if os.path.isdir(path) else [path]
    if not programs:
        parser.error("expected programs, got none")
    rows = []
    for program in programs:
        with tempfile.TemporaryDirectory() as directory:
            rows.append(compile_one(args.heddle, program, directory, args.option, args.spills))
        print(line_of(rows[-1]), flush=True)
    seconds = [row["seconds"] for row in rows]
    median, worst = statistics.median(seconds), max(seconds)
    made = sum(row["exit"] == 0 for row in rows)
    late = sum(s > args.worst for s in seconds)
    print(f"{len(rows)} programs, {made} made; median {median:.2f} s, worst {worst:.2f} s, {late} above {args.worst} s")
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump({"median": median, "worst": worst, "programs": rows}, file, indent=1)
            file.write("\n")
    return 1 if median > args.median or worst > args.worst else 0


if __name__ == "__main__":
    sys.exit(main())
